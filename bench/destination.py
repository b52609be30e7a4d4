"""Command line options of the scripts that write pages of docs/."""

import argparse
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent


def asked(description):
    """Returns whether to use small sizes, and the folder to write to."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to check that it runs")
    parser.add_argument("--output", type=pathlib.Path, help="folder to write to")
    arguments = parser.parse_args()
    output = arguments.output or ROOT / ("build/bench-quick" if arguments.quick else "docs")
    output.mkdir(parents=True, exist_ok=True)
    return arguments.quick, output
