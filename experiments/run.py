#!/usr/bin/env python3
"""Reruns the numerical section of the paper and writes docs/paper.md with its plots.

    python experiments/run.py                        # all of it
    python experiments/run.py --only table-mnist     # one piece; the others keep their last numbers
    python experiments/run.py --only page            # the page alone
    python experiments/run.py --small                # one repetition and small sizes, to check that it runs

Each piece writes its numbers to experiments/results/<piece>.json, and the page is made from these files. A piece whose
data is missing is skipped and keeps its last numbers. It uses one thread and fixed seeds.
"""

import os

# Before NumPy loads its BLAS.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import json
import pathlib
import re
import sys
import time

import accuracy
import formulas
import learning_rate
import machine
import plots
import report
import runtime
from data import DATASETS, ROOT, DataMissing

PAGE = "page"


def say(what):
    print(what, file=sys.stderr, flush=True)


def rounded(value):
    """Returns the value with every float rounded to four digits."""
    if isinstance(value, dict):
        return {name: rounded(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def as_json(value):
    """Returns JSON with one line per list of numbers, so that diffs are readable."""
    text = json.dumps(rounded(value), indent=1)
    return re.sub(r"\[[^][{}]*\]", lambda found: re.sub(r"\s+", " ", found[0]), text) + "\n"


def pieces(small, folder):
    """Returns name -> function that runs the piece."""
    found = {"figure-learning-rate": lambda: learning_rate.run(60 if small else learning_rate.SAMPLES)}
    few = dict(repetitions=1, marks=accuracy.MARKS[-1:], rates=accuracy.RATES[::6]) if small else {}
    for name in DATASETS:
        found[f"table-{name}"] = lambda name=name: accuracy.run(name, **few, folder=folder, say=say)
    quick = dict(names=("brownian-100", "flat-tail", "poker"), repetitions=1, streamed=2000) if small else {}
    found["check-formulas"] = lambda: formulas.run(**quick, folder=folder, say=say)
    sizes = dict(features=(100, 200, 400), components=(5, 10), wide=100, turns=2) if small else {}
    found["figure-runtime"] = lambda: runtime.run(**sizes, say=say)
    return found


def run_piece(name, function, results):
    say(name)
    begun, about = time.perf_counter(), machine.describe()
    try:
        found = function()
    except DataMissing as missing:
        say(f"  skipped: {missing}")
        return
    found["seconds"], found["machine"] = round(time.perf_counter() - begun, 1), about
    (results / f"{name}.json").write_text(as_json(found))


def write_page(names, results, output):
    found = {name: json.loads((results / f"{name}.json").read_text())
             for name in names if (results / f"{name}.json").is_file()}
    plots.write(found, output)
    (output / "paper.md").write_text(report.page(found))
    print(os.path.relpath(output / "paper.md"))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="PIECE", help="pieces to run; 'page' only writes the page")
    parser.add_argument("--data", help="folder of the data sets (default: ROIPCA_DATA or ../shared/data)")
    parser.add_argument("--small", action="store_true", help="few repetitions and small sizes, in build/paper-small")
    parser.add_argument("--output", type=pathlib.Path, help="folder for page, plots and results")
    given = parser.parse_args(arguments)
    known = pieces(given.small, given.data)
    chosen = given.only or list(known)
    unknown = set(chosen) - {*known, PAGE}
    if unknown:
        parser.error(f"unknown piece {', '.join(sorted(unknown))}; choose from {', '.join(known)} and {PAGE}")
    output = given.output or (ROOT / "build" / "paper-small" if given.small else ROOT / "docs")
    results = output / "results" if given.output or given.small else ROOT / "experiments" / "results"
    results.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        if name != PAGE:
            run_piece(name, known[name], results)
    write_page(known, results, output)


if __name__ == "__main__":
    main()
