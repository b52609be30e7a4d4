"""docs/performance.md, from what was measured."""

OURS = "roipca"
FLOOR = "one projection"

HEAD = """# Performance

Written by `make bench`, in one run, on one thread but where it says otherwise. Times in the cases are the best of three
turns that everybody took in alternation; those against features and components the best of two turns, one contestant
after the other; those against rows come from one pass. Ratios are what carries over to other machines. All is measured
through the Python packages.
"""

BUSY = """\
**Others were using the machine when this run began**: threads had no core of their own, and times are too long.
"""

LEGEND = """\
`roipca` is `OnlinePCA(m)` with its defaults. *Row by row* are the algorithms of their papers: no components beyond
those reported, an update with every row; they start from a batch PCA of 500 rows, which is not timed. `IncrementalPCA`
is scikit-learn's at the fastest of the batch sizes tried, `intelex` that of scikit-learn-intelex, which holds a matrix
of features x features and is left out beyond 2,000 features. `PCA, randomized` is scikit-learn's on all rows in memory,
which no stream allows. *Error* is |UU' - VV'|^2 / |UU'|^2 against batch PCA: 0 is the same subspace, 2 an orthogonal
one. *One projection* is `X @ C.T` by NumPy, what a look at every row costs. The rows have 3 m factors that fall off by
a tenth each, in noise.
"""


SWEEP = """Rows come by 5 m at a time, to all alike
(not IncrementalPCA's best everywhere), and `roipca` is held to `method="roipca"`.
"""


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def number(value):
    """Three digits, without an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def times(ratio):
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2g}" if ratio >= 10 else f"{ratio:.1f}"


def summary(cases):
    rows = []
    for (d, m), found in cases.items():
        ours, error, _ = found[OURS]
        theirs, their_error, batch = found["IncrementalPCA"]
        rows.append([f"{d:,} x {m}", number(1e6 * ours), f"{times(theirs / ours)} times faster ({batch})",
                     times(ours / found[FLOOR][0]), times(ours / found["roipca, 2 threads"][0]),
                     f"{error:.0e} / {their_error:.0e}"])
    header = ["features x components", "us a row", "against IncrementalPCA (its batch)", "in projections",
              "2 threads against 1", "error, ours / IncrementalPCA"]
    return table(header, rows)


def case_table(found):
    ours = found[OURS][0]
    rows = []
    for label, (seconds, error, variant) in sorted(found.items(), key=lambda item: item[1][0]):
        name = f"**{label}**" if label == OURS else f"{label}, {variant}" if variant else label
        rows.append([name, number(1e6 * seconds), times(seconds / ours), "" if error is None else f"{error:.0e}"])
    return table(["", "us a row", "times roipca's", "error"], rows)


def is_other(label):
    """Neither the default nor a variety of it, nor the floor, which finds nothing."""
    return label not in (OURS, FLOOR) and not label.startswith(f"{OURS}, ")


def winners(measured):
    """Where somebody beats the default in time, or halves its error where that is above rounding."""
    lines = []
    for (d, m), found in measured["cases"].items():
        ours, error, _ = found[OURS]
        for label, (seconds, other, _) in found.items():
            if is_other(label) and seconds < ours:
                lines.append(f"- {d:,} x {m}: {label} is {times(ours / seconds)} times faster, "
                             f"with an error of {other:.0e} against {error:.0e}.")
            elif is_other(label) and other < error / 2 and error > 1e-15:
                lines.append(f"- {d:,} x {m}: {label} has an error of {other:.0e} against {error:.0e}, "
                             f"in {times(seconds / ours)} times the time.")
    for what in ("features", "components"):
        for count, found in measured[what].items():
            lines += [f"- {count:,} {what} in the tables below: {label} is {times(found[OURS] / seconds)} times faster."
                      for label, seconds in found.items() if is_other(label) and seconds < found[OURS]]
    return "\n".join(lines) + "\n" if lines else "Nowhere in this run.\n"


def sweep_table(first, sweep):
    labels = list(next(iter(sweep.values())))
    rows = [[f"{n:,}", *(number(1e6 * found[label]) for label in labels)] for n, found in sweep.items()]
    return table([first, *labels], rows)


def columns_table(first, series, convert):
    counts = sorted({n for points in series.values() for n in points})
    rows = [[f"{n:,}", *(convert(points[n]) if n in points else "" for points in series.values())] for n in counts]
    return table([first, *series], rows)


def page(measured, machine, busy):
    """The text. `busy`: others used the machine when the run began."""
    cases = measured["cases"]
    parts = [HEAD, table(["", ""], machine), *([BUSY] if busy else []), "## At a glance\n", summary(cases), LEGEND]
    for (d, m), found in cases.items():
        parts += [f"## {d:,} features, {m} components\n", case_table(found)]
    parts += ["## Where another is faster or more accurate than the default\n", winners(measured)]
    parts += ["## Time against features\n", f"10 components, microseconds a row. {SWEEP}",
              sweep_table("features", measured["features"]),
              "![Time against features](performance-features.svg)\n"]
    parts += ["## Time against components\n", f"1,000 features, microseconds a row. {SWEEP}",
              sweep_table("components", measured["components"]),
              "![Time against components](performance-components.svg)\n"]
    parts += ["## Time against rows\n",
              "100 features, 5 components: microseconds a row between one count of rows and the next.\n",
              columns_table("rows seen", measured["rows"], lambda t: number(1e6 * t)),
              "![Time against rows](performance-rows.svg)\n"]
    parts += ["## Memory against rows\n",
              "1,000 features, 10 components, batches of 200 rows: MiB at the peak, beyond the imports and one "
              "batch.\n",
              columns_table("rows", measured["memory"], lambda b: number(b / 2**20)),
              "![Memory against rows](performance-memory.svg)\n"]
    return "\n".join(parts)
