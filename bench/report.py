"""Writes docs/performance.md from the measurements."""

OURS = "roipca"
FLOOR = "one projection"

HEAD = """# Performance

`make bench` writes this page from one run, on one thread unless stated otherwise, through the Python packages. In the
tables per case, times are the best of three rounds in which all methods took turns. Times against features and
components are the best of two consecutive runs of each method. Times against rows come from one pass. Only the ratios
carry over to other machines. Sparse rows have a [page of their own](sparse.md#measurements), with gensim,
TruncatedSVD and anndataoom.
"""

BUSY = """\
**Other programs were using the machine when this run began**: threads did not have a core each, and times are too
long.
"""

LEGEND = """\
- `roipca` is `OnlinePCA(m)` with its defaults.
- *Row by row* marks the algorithms as published: no [oversampling](glossary.md#oversampling) and an update after every
  row. They start from a batch PCA of 500 rows, which is not timed.
- `IncrementalPCA` is scikit-learn's, at the fastest of the batch sizes tried.
- `intelex` is the IncrementalPCA of scikit-learn-intelex. It stores a features x features matrix and is left out beyond
  2,000 features.
- `PCA, randomized` and `PCA, covariance eigh` are scikit-learn's, with all rows in memory, which a stream does not
  allow. The latter is left out beyond 4,000 features.
- `AdaOja` (Henriksen and Ward 2019) and `History PCA` (Yang, Hsieh and Wang 2018) are published methods by
  mini-batches, written in NumPy (`bench/rivals.py`), with batches of 2 m and of 10 m rows.
- Times include reading the components after the last row.
- *Error* is |UU' - VV'|^2 / |UU'|^2 against batch PCA: 0 for the same subspace, 2 for an orthogonal one.
- *Variance missed* is the part of the variance along batch PCA's components that the method's own do not capture.
- *One projection* is `X @ C.T` in NumPy: the cost of looking at every row once.
- The rows have 3 m factors, each 0.9 times as strong as the one before, plus noise.
"""


SLOW = """\
Embeddings, images and texts have variances that fall slowly, and people want many components of them. Here the rows
have 3 m factors whose variances fall like 1/i, plus noise.
"""

SWEEP = """All methods get 5 m rows per call, which is not always the best for
IncrementalPCA, and `roipca` is set to `method="roipca"`.
"""


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def number(value):
    """Formats a number with three digits and no exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def times(ratio):
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2g}" if ratio >= 10 else f"{ratio:.1f}"


def summary(cases):
    rows = []
    for (d, m), found in cases.items():
        ours, theirs = found[OURS], found["IncrementalPCA"]
        rows.append([f"{d:,} x {m}", number(1e6 * ours.seconds),
                     f"{times(theirs.seconds / ours.seconds)} ({theirs.variant})",
                     times(ours.seconds / found[FLOOR].seconds),
                     times(ours.seconds / found["roipca, 2 threads"].seconds),
                     f"{ours.error:.0e} / {theirs.error:.0e}"])
    header = ["features x components", "us per row", "speedup over IncrementalPCA (its batch size)",
              "time / one projection", "speedup of 2 threads", "error: roipca / IncrementalPCA"]
    return table(header, rows)


def slow_summary(cases):
    rows = []
    for (d, m), found in cases.items():
        ours, theirs, exact = found[OURS], found["IncrementalPCA"], found["PCA, covariance eigh"]
        rows.append([f"{d:,} x {m}", number(1e6 * ours.seconds),
                     f"{times(theirs.seconds / ours.seconds)} ({theirs.variant})",
                     times(ours.seconds / found[FLOOR].seconds), times(exact.seconds / ours.seconds),
                     f"{ours.error:.0e} / {theirs.error:.0e}", f"{ours.missed:.0e} / {theirs.missed:.0e}"])
    header = ["features x components", "us per row", "speedup over IncrementalPCA (its batch size)",
              "time / one projection", "speedup over PCA, covariance eigh", "error: roipca / IncrementalPCA",
              "variance missed: roipca / IncrementalPCA"]
    return table(header, rows)


def case_table(found):
    ours = found[OURS].seconds
    rows = []
    for label, outcome in sorted(found.items(), key=lambda item: item[1].seconds):
        name = label if not outcome.variant else f"{label}, {outcome.variant}"
        accuracy = ["", ""] if outcome.error is None else [f"{outcome.error:.0e}", f"{max(outcome.missed, 0):.0e}"]
        rows.append([f"**{label}**" if label == OURS else name, number(1e6 * outcome.seconds),
                     times(outcome.seconds / ours), *accuracy])
    return table(["", "us per row", "time / roipca", "error", "variance missed"], rows)


def is_other(label):
    """Returns whether the label is neither the default, nor a variant of it, nor the projection."""
    return label not in (OURS, FLOOR) and not label.startswith(f"{OURS}, ")


def winners(measured):
    """Lists where a method is faster than the default, or has less than half its error if that is above rounding."""
    lines = []
    cases = [(f"{d:,} x {m}", found) for (d, m), found in measured["cases"].items()]
    cases += [(f"{d:,} x {m}, slow spectrum", found) for (d, m), found in measured["slow_cases"].items()]
    for case, found in cases:
        ours = found[OURS]
        for label, other in found.items():
            if is_other(label) and other.seconds < ours.seconds:
                lines.append(f"- {case}: {label} is {times(ours.seconds / other.seconds)} times faster, "
                             f"with an error of {other.error:.0e} instead of {ours.error:.0e}.")
            elif is_other(label) and other.error < ours.error / 2 and ours.error > 1e-15:
                lines.append(f"- {case}: {label} has an error of {other.error:.0e} instead of {ours.error:.0e}, "
                             f"and takes {times(other.seconds / ours.seconds)} times as long.")
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
    """Returns the text of the page. `busy`: other programs used the machine when the run began."""
    cases = measured["cases"]
    parts = [HEAD, table(["", ""], machine), *([BUSY] if busy else []), "## At a glance\n", summary(cases), LEGEND]
    for (d, m), found in cases.items():
        parts += [f"## {d:,} features, {m} components\n", case_table(found)]
    parts += ["## Slow spectra\n", SLOW, slow_summary(measured["slow_cases"])]
    for (d, m), found in measured["slow_cases"].items():
        parts += [f"### {d:,} features, {m} components, slow spectrum\n", case_table(found)]
    parts += ["## Where another method is faster or more accurate than the default\n", winners(measured)]
    parts += ["## Time against features\n", f"10 components, microseconds per row. {SWEEP}",
              sweep_table("features", measured["features"]),
              "![Time against features](performance-features.svg)\n"]
    parts += ["## Time against components\n", f"1,000 features, microseconds per row. {SWEEP}",
              sweep_table("components", measured["components"]),
              "![Time against components](performance-components.svg)\n"]
    parts += ["## Time against rows\n",
              "100 features, 5 components: microseconds per row since the previous line of the table.\n",
              columns_table("rows seen", measured["rows"], lambda t: number(1e6 * t)),
              "![Time against rows](performance-rows.svg)\n"]
    parts += ["## Memory against rows\n",
              "1,000 features, 10 components, batches of 200 rows: peak memory in MiB, without the imports and one "
              "batch.\n",
              columns_table("rows", measured["memory"], lambda b: number(b / 2**20)),
              "![Memory against rows](performance-memory.svg)\n"]
    return "\n".join(parts)
