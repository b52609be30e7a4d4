"""The plots of docs/performance.md."""

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

# Okabe and Ito's colours, which colour-blind readers can tell apart; markers distinguish the lines in grey.
STYLES = {
    "roipca": ("#0072B2", "o"),
    "roipca, blocks": ("#0072B2", "o"),
    "roipca, float32": ("#56B4E9", "v"),
    "roipca, auto (exact)": ("#009E73", "D"),
    "fROIPCA, row by row": ("#E69F00", "^"),
    "IncrementalPCA": ("#D55E00", "s"),
    "PCA, randomized": ("#CC79A7", "P"),
    "one projection": ("#000000", "x"),
}
NAMES = {"IncrementalPCA": "scikit-learn IncrementalPCA", "PCA, randomized": "scikit-learn PCA, all in memory"}


def draw(path, series, title, x, y, low=None):
    """Draws series, label -> {x: y}, on logarithmic axes."""
    figure, axes = plt.subplots(figsize=(8.5, 4.2), layout="constrained")
    for label, points in series.items():
        colour, marker = STYLES[label]
        axes.plot(list(points), list(points.values()), color=colour, marker=marker, label=NAMES.get(label, label))
    axes.set(xscale="log", yscale="log", xlabel=x, ylabel=y, title=title)
    if low is not None:
        axes.set_ylim(bottom=low)
    axes.grid(True, which="major", color="#dddddd")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def by_label(sweep, scale=1e6):
    """Converts size -> label -> seconds to label -> {size: microseconds}."""
    labels = next(iter(sweep.values()))
    return {label: {size: scale * times[label] for size, times in sweep.items()} for label in labels}


def write(measured, folder):
    """Writes all plots to the folder as performance-*.svg."""
    plt.rcParams.update({"svg.hashsalt": "roipca", "svg.fonttype": "none", "font.size": 10})
    microseconds = "microseconds per row, one thread"
    draw(folder / "performance-features.svg", by_label(measured["features"]),
         "Time against features, 10 components", "features d", microseconds)
    draw(folder / "performance-components.svg", by_label(measured["components"]),
         "Time against components, 1,000 features", "components m", microseconds)
    rows = {label: {n: 1e6 * t for n, t in times.items()} for label, times in measured["rows"].items()}
    draw(folder / "performance-rows.svg", rows, "Time against rows seen, 100 features, 5 components",
         "rows seen", microseconds, low=0.1)
    memory = {label: {n: max(b, 1) / 2**20 for n, b in sizes.items()} for label, sizes in measured["memory"].items()}
    draw(folder / "performance-memory.svg", memory, "Peak memory against rows, 1,000 features, 10 components",
         "rows", "MiB, without the imports")
