"""docs/paper.md, from the numbers of the pieces."""

import claims
import paper_numbers
from data import DATASETS
from methods import NAMES
from remarks import error, remarks, wrapped
from runtime import growth

HEAD = """# The paper's experiments, rerun

Written by `make paper`, which reruns the numerical section of Mitz and Shkolnisky's paper
([arXiv:1911.11049](https://arxiv.org/abs/1911.11049)) with this library: each table beside the paper's numbers, each
figure redrawn. Seeds are fixed; nothing is tuned to match. `make paper ONLY=table-mnist` reruns one piece, `ONLY=page`
writes this page from the numbers kept in `experiments/results`. MNIST, superconductivity and poker are read from
`../shared/data` or the folder of `DATA=`; `experiments/fetch_data` downloads them from their homes.
"""

ACCURACY = """## Accuracy

500 rows to start from, by a batch PCA, then 10,000 streamed; 20 repetitions, of which the tables have median and
standard deviation. m is the number of components that hold 80 % of the variance, but at most 10. The error is

    |UU' - VV'|^2 / |UU'|^2        Frobenius norms; 0 for the same subspace, 2 for an orthogonal one, never more

where U has the m leading eigenvectors of all 10,500 rows and V the method's components. Rows are centred beforehand, as
in the paper. ROIPCA, fROIPCA, IPCA, CCIPCA, GHA and Oja's rule are run as the paper has them: row by row, m vectors
held. The c of the rate c/n of GHA and Oja's rule comes from five-fold cross-validation on 1,000 rows apart from the
others.

Not in the paper: *default* is `OnlinePCA(m)` as a user gets it; *ROIPCA by blocks* the same held to `method="roipca"`,
which differs from the default where the features are few and the default is exact; *Frequent Directions* is given as
many vectors as ROIPCA by blocks, m + 10, and in the last row m like the others.
"""

CURVES = """Convergence: the error against batch PCA *of the rows seen by then*, median of the repetitions, so that the
right end is the table's number. An exact result lies on the lower edge.
"""

RUNTIME = """## Runtime

The paper's setting: Gaussian rows with ten eigenvalues uniform in [1, 2] and zero for the rest, 1,000 rows to start
from, 500 updates, m = 10, d from 100 to 10,000. These rows are zero but in ten places: none ever leaves the span of the
components, and work may be skipped that other data need. So the times are taken again with a floor of noise (standard
deviation 0.1 in every feature), and the growth is fitted on those.
"""
TIMES = (
    "Times are of the thread that works, the best of {turns} turns that all methods took in alternation, through the "
    "Python package, 500 rows in a call. The load before the run was {load}{shared}. Ratios within a line of the "
    "tables are what carries over."
)
SHARED = ": **others were using the machine**, and times are too long"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def with_deviation(median, deviation):
    return error(median) if error(median) == "exact" else f"{error(median)} ± {deviation:.1e}"


def features(name, piece):
    in_paper = paper_numbers.FEATURES.get(name, piece["features"])
    if piece["features"] == in_paper:
        return f"d = {in_paper}"
    return f"{piece['features']} of its {in_paper} features"


def accuracy_table(found, names):
    pieces = {name: found[f"table-{name}"] for name in names}
    header = [""]
    for name, piece in pieces.items():
        title = DATASETS[name].title.split(", d =")[0]
        header += [f"{title}, {features(name, piece)}, m = {piece['components']}", "the paper"]
    rows = []
    for label, written in NAMES.items():
        row = [f"**{written}**" if label == "default" else written]
        for name, piece in pieces.items():
            paper = paper_numbers.ACCURACY[name].get(label)
            row += [with_deviation(piece["median"][label], piece["deviation"][label]),
                    with_deviation(*paper) if paper else ""]
        rows.append(row)
    return table(header, rows)


def accuracy_section(title, found, group, names):
    present = [name for name in names if f"table-{name}" in found]
    if not present:
        return [f"### {title}\n", "The data were not there when this page was written.\n"]
    fewest = min(found[f"table-{name}"]["repetitions"] for name in present)
    return [f"### {title}\n", "" if fewest == 20 else f"**Repetitions: {fewest} only.**\n",
            accuracy_table(found, present), "What differs from the paper:\n", remarks(group, found),
            CURVES if group == "brownian" else "",
            f"![{title}: error against rows](paper-convergence-{group}.svg)\n", remarks(f"{group}-caption", found)]


def learning_rate_section(found):
    piece, rows = found["figure-learning-rate"], []
    for kind, name in (("assumed", "rows of rank one, then one sample"), ("stream", "rank one and noise, a stream")):
        minima, library = piece[kind]["minima"], piece[kind]["library_rate_off_by"]
        best = piece[kind]["error_at_optimum_over_best_of_rates"]
        rows.append([name, f"{minima['median']:+.3f}", f"{minima['q05']:+.3f} to {minima['q95']:+.3f}",
                     f"{minima['furthest']:.3f}", f"{best['median']:.2g}, at most {best['largest']:.2g}",
                     f"{library['median']:.0e}, at most {library['largest']:.0e}"])
    header = ["", "minimum at log10(rate / optimal rate), median", "nine tenths", "furthest from 0",
              "error at the optimal rate over the least of all rates'", "library's rate / optimal rate - 1"]
    return ["## Optimality of the learning rate\n", remarks("learning-rate", found), table(header, rows),
            remarks("learning-rate-found", found), "![Error after one step](paper-learning-rate.svg)\n",
            remarks("learning-rate-caption", found)]


def formulas_section(found):
    rows = []
    for name, errors in found["check-formulas"]["datasets"].items():
        pairs = [f"{error(errors[label]['library'])} / {error(errors[label]['formula'])}"
                 for label in ("roipca", "froipca", "ipca", "ccipca")]
        rows.append([DATASETS[name].title, *pairs, error(errors["ccipca without amnesia"]["formula"])])
    header = ["library / formula", "ROIPCA", "fROIPCA", "IPCA", "CCIPCA", "CCIPCA without amnesia, formula"]
    return ["### The library against the formulas written out\n", remarks("formulas", found), table(header, rows)]


def microseconds(seconds):
    value = 1e6 * seconds
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def times_table(first, sweep):
    labels = list(next(iter(sweep.values())))
    return table([first, *(NAMES[label] for label in labels)],
                 [[f"{int(n):,}", *(microseconds(times[label]) for label in labels)] for n, times in sweep.items()])


def runtime_section(found):
    piece = found["figure-runtime"]
    load = piece["machine"]["load before the run"]
    exponents = []
    for label in next(iter(piece["floor"].values())):
        found_for = growth(piece, label)
        exponents.append([NAMES[label], paper_numbers.GROWTH.get(label, ""),
                          *(f"{of[-1]}^{value:.2f}" for of, value in found_for.items())])
    sizes = list(piece["components"])
    header = ["", "the paper's table", "all d", "upper half of d", f"m, at d = {piece['wide']:,}",
              f"m from {sizes[-2]} to {sizes[-1]}"]
    shared = SHARED if float(load) >= 0.5 else ""
    return [RUNTIME, wrapped(TIMES.format(turns=piece["turns"], load=load, shared=shared)) + "\n",
            "Microseconds an update, the paper's rows:\n", times_table("d", piece["paper"]),
            "The same, rows with noise:\n", times_table("d", piece["floor"]),
            f"Against m, rows with noise, d = {piece['wide']:,}:\n", times_table("m", piece["components"]),
            "![Time an update](paper-runtime.svg)\n", remarks("runtime-caption", found),
            "Growth, as exponents fitted on log axes to the rows with noise:\n", table(header, exponents),
            "What differs from the paper:\n", remarks("runtime", found)]


def machines_section(found):
    """Machines, and the pieces that ran on each."""
    machines = {}
    for name, piece in found.items():
        about = dict(piece["machine"])
        load = about.pop("load before the run")
        machines.setdefault(tuple(about.items()), []).append([name, f"{piece['seconds']:,.0f}", load])
    parts = ["## What ran where\n"]
    for about, rows in machines.items():
        parts += [table(["", ""], about), table(["piece", "seconds", "load before the run"], rows)]
    return parts


def page(found):
    """The text. `found`: piece -> its numbers; pieces that are not there leave a gap."""
    parts = [HEAD, "## At a glance\n", table(claims.HEADER, claims.rows(found)), claims.default_against_all(found)]
    if "figure-learning-rate" in found:
        parts += learning_rate_section(found)
    parts.append(ACCURACY)
    parts += accuracy_section("Brownian covariance", found, "brownian", ("brownian-100", "brownian-1000"))
    parts += accuracy_section("Real data", found, "real", ("mnist", "superconductivity", "poker"))
    parts += accuracy_section("Data that are not low-rank", found, "flat-tail", ("flat-tail", "flat-tail-text"))
    if "check-formulas" in found:
        parts += formulas_section(found)
    if "figure-runtime" in found:
        parts += runtime_section(found)
    return "\n".join(part for part in parts + machines_section(found) if part)
