"""Draws docs/steady-axes.svg: readings of a drifting stream, by default and aligned with the reading before."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests/python"))

from drifting_axes import changes, drifting, readings  # noqa: E402

CHOICES = {"default": None, 'align="previous"': "previous", 'align="previous-order"': "previous-order"}


def main() -> None:
    plt.rcParams["svg.hashsalt"] = "roipca"
    X = drifting()
    figure, axes = plt.subplots(len(CHOICES), 1, figsize=(8, 6), sharex=True, sharey=True)
    print("| | sign flips | swaps |\n|---|---|---|")
    for axis, (name, align) in zip(axes, CHOICES.items(), strict=True):
        shown = readings(X, align)
        flips, swaps = changes(shown)
        print(f"| {name} | {flips} | {swaps} |")
        for component in range(2):
            axis.plot(shown[::20, component, 0], linewidth=0.8, label=f"component {component + 1}")
        axis.set_title(name, fontsize=9, loc="left")
        axis.set_ylabel("loading")
    axes[0].legend(fontsize=8, loc="upper right")
    axes[-1].set_xlabel("reading / 20")
    figure.tight_layout()
    figure.savefig(ROOT / "docs/steady-axes.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
