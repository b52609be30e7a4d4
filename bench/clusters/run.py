#!/usr/bin/env python3
"""Measures PCA on Dask and Spark, and writes the tables of docs/clusters.md.

    python bench/clusters/run.py            # some minutes
    python bench/clusters/run.py --quick    # small sizes, to check that it runs; prints the text instead of writing it

Each worker has one thread. There are two workers unless stated otherwise.
"""

import os

# Before NumPy loads its BLAS, here and in the workers.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import costs
import partition_errors
import tables
import with_dask
import with_spark
from measure import batch_basis, low_rank_rows


def measure(quick):
    def say(what):
        print(what, file=sys.stderr, flush=True)

    d, m, rows = (200, 5, 5_000) if quick else (500, 10, 60_000)
    X = low_rank_rows(d, m, rows)
    truth = batch_basis(X, m)
    say("two workers against one")
    scaling = with_dask.scaling(*(((300, 5, 2_000, 4)) if quick else (1000, 10, 10_000, 32)))
    say("costs of fit, merge and transfer")
    found = {"scaling": scaling, "costs": [costs.of(d, m) for d in ((500,) if quick else (1_000, 10_000))]}
    found["overheads"] = with_dask.overheads()
    say("graph building")
    found["graphs"] = with_dask.graph_building((100, 1_000) if quick else (1_000, 10_000, 100_000))
    say("on Dask")
    found["contest"] = with_dask.contest(X, m, truth)
    say("on Spark")
    found["contest"] += with_spark.contest(X, m, truth)
    say("error compared with one pass")
    found["study"] = partition_errors.study(1_000, 200, (3,)) if quick else partition_errors.study()
    found["size"] = (rows, d, m)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to check that it runs")
    quick = parser.parse_args().quick
    busy = os.getloadavg()[0]
    text = tables.text(measure(quick), busy)
    if quick:
        print(text)
    else:
        tables.put(text, ROOT / "docs" / "clusters.md")


if __name__ == "__main__":
    main()
