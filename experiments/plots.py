"""The plots of docs/paper.md."""

import re

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
from data import DATASETS
from methods import NAMES

# Okabe and Ito's colours, which colour-blind readers can tell apart; markers and dashes distinguish the lines in grey.
STYLES = {
    "none": ("#000000", "", "--"),
    "roipca": ("#0072B2", "o", "-"),
    "froipca": ("#E69F00", "^", "-"),
    "ipca": ("#D55E00", "s", "--"),
    "ccipca": ("#CC79A7", "D", "-"),
    "gha": ("#56B4E9", "v", "-"),
    "oja": ("#56B4E9", "x", ":"),
    "default": ("#009E73", "P", "-"),
    "blocks": ("#009E73", "", ":"),
    "fd": ("#777777", "*", "-"),
    "fd-m": ("#777777", "", ":"),
}
EXACT = 1e-20  # a smaller error is rounding, and is drawn on the lower edge
CURVES = {
    "brownian": ("brownian-100", "brownian-1000"),
    "real": ("mnist", "superconductivity", "poker"),
    "flat-tail": ("flat-tail", "flat-tail-text"),
}


def tidy(axes):
    axes.grid(True, which="major", color="#dddddd")
    axes.spines[["top", "right"]].set_visible(False)


def save(figure, path):
    """Saves the figure with coordinates to a hundredth of a point; more digits would only make the file larger."""
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    path.write_text(re.sub(r"(\d\.\d\d)\d+", r"\1", path.read_text()))


def line(axes, label, x, y):
    """Draws a line with hollow markers, so that coinciding curves can all be seen."""
    colour, marker, dashes = STYLES[label]
    axes.plot(x, y, color=colour, marker=marker or None, linestyle=dashes, label=NAMES[label], markerfacecolor="none",
              markersize=6, linewidth=1.4)


def shared_legend(figure, axes):
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2 * len(figure.axes), frameon=False)


def convergence(path, found, names):
    """Draws the error against rows, with one panel per data set, each on its own scale."""
    figure, panels = plt.subplots(1, len(names), figsize=(4.4 * len(names), 4.8), layout="constrained", squeeze=False)
    for axes, name in zip(panels[0], names, strict=True):
        piece = found[f"table-{name}"]
        curves = piece["curve"]
        edge = 10.0 ** np.floor(np.log10(min(error for curve in curves.values() for error in curve if error > EXACT)))
        for label, errors in curves.items():
            line(axes, label, np.array(piece["rows"]) - 500, np.maximum(errors, edge / 3))
        exact = [NAMES[label] for label, errors in curves.items() if max(errors) < EXACT]
        if exact:
            axes.annotate(f"exact: {', '.join(exact)}", (1, edge / 3), (-2, 7), xycoords=("axes fraction", "data"),
                          textcoords="offset points", ha="right", fontsize=8)
        axes.set(xscale="log", yscale="log", ylim=(edge / 5, 4), xlabel="rows streamed after the first 500",
                 title=f"{DATASETS[name].title}, m = {piece['components']}")
        tidy(axes)
    panels[0][0].set_ylabel("subspace error, median")
    shared_legend(figure, panels[0][0])
    save(figure, path)


def learning_rate(path, piece):
    titles = {"assumed": "rows of rank one, then one sample", "stream": "rank one and noise, a stream"}
    figure, panels = plt.subplots(1, 2, figsize=(9.5, 4.2), layout="constrained", sharey=True)
    x = piece["log10_ratio"]
    for axes, (kind, title) in zip(panels, titles.items(), strict=True):
        of_kind = piece[kind]
        for i, curve in enumerate(of_kind["curves"]):
            axes.plot(x, curve, color="#56B4E9", linewidth=0.6, label="one sample" if i == 0 else None)
        axes.fill_between(x, of_kind["q05"], of_kind["q95"], color="#0072B2", alpha=0.15, linewidth=0,
                          label=f"90 % of {of_kind['samples']} samples")
        axes.plot(x, of_kind["median"], color="#0072B2", linewidth=2, label="median")
        axes.axvline(0, color="#000000", linestyle=":", linewidth=1)
        axes.set(xlabel="log10 of rate / optimal rate", title=title)
        tidy(axes)
    panels[0].set_ylabel("log10 of the error after one step")
    panels[1].legend(frameon=False, loc="lower right")
    save(figure, path)


def runtime(path, piece):
    panels_of = (("paper", "features d", "10 components, the paper's rows"),
                 ("floor", "features d", "10 components, rows with noise"),
                 ("components", "components m", f"{piece['wide']:,} features, rows with noise"))
    figure, panels = plt.subplots(1, 3, figsize=(12.5, 4.6), layout="constrained", sharey=True)
    for axes, (sweep, x, title) in zip(panels, panels_of, strict=True):
        sizes = [int(size) for size in piece[sweep]]
        for label in next(iter(piece[sweep].values())):
            line(axes, label, sizes, [1e6 * times[label] for times in piece[sweep].values()])
        axes.set(xscale="log", yscale="log", xlabel=x, title=title)
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize=8)
        axes.minorticks_off()
        tidy(axes)
    panels[0].set_ylabel("microseconds per update")
    shared_legend(figure, panels[0])
    save(figure, path)


def write(found, folder):
    """Writes the plots whose numbers are available to the folder as paper-*.svg."""
    plt.rcParams.update({"svg.hashsalt": "roipca", "svg.fonttype": "none", "font.size": 10})
    if "figure-learning-rate" in found:
        learning_rate(folder / "paper-learning-rate.svg", found["figure-learning-rate"])
    for group, names in CURVES.items():
        present = [name for name in names if f"table-{name}" in found]
        if present:
            convergence(folder / f"paper-convergence-{group}.svg", found, present)
    if "figure-runtime" in found:
        runtime(folder / "paper-runtime.svg", found["figure-runtime"])
