"""Writes docs/paper.md from the numbers of the pieces."""

import claims
import paper_numbers
from data import DATASETS
from methods import NAMES
from remarks import error, remarks, wrapped
from runtime import growth

HEAD = """# The paper's experiments, rerun

`make paper` writes this page. It reruns the numerical section of Mitz and Shkolnisky's paper
([arXiv:1911.11049](https://arxiv.org/abs/1911.11049)) with this library, puts each number beside the paper's, and
redraws each figure. Seeds are fixed, and nothing is tuned to match. `make paper ONLY=table-mnist` reruns one piece, and
`ONLY=page` writes this page from the numbers stored in `experiments/results`. MNIST, superconductivity and poker are
read from `../shared/data` or from the folder given by `DATA=`. `experiments/fetch_data` downloads them.
"""

ACCURACY = """## Accuracy

Each run starts from a batch PCA of 500 rows and then streams 10,000 rows. The tables have the median and the standard
deviation of 20 repetitions. m is the number of components that explain 80 % of the variance, but at most 10. The error
is

    |UU' - VV'|^2 / |UU'|^2        Frobenius norms; 0 for the same subspace, 2 for an orthogonal one, never more

where U has the m leading eigenvectors of all 10,500 rows and V the components of the method. Rows are centred before
the run, as in the paper. ROIPCA, fROIPCA, IPCA, CCIPCA, GHA and Oja's rule run as in the paper: row by row, with m
vectors [held](glossary.md#held). The c in the rate c/n of GHA and Oja's rule is chosen by five-fold cross-validation on
1,000 other rows.

The last four lines are not in the paper. *Default* is `OnlinePCA(m)` with its default options. *ROIPCA by blocks* is
the same with `method="roipca"`; it differs from the default for few features, where the default is exact. *Frequent
Directions* holds as many vectors as ROIPCA by blocks, m + 10, and in the last line m, like the others.
"""

CURVES = """\
The plots show the convergence: the error against batch PCA *of the rows seen so far*, median of the repetitions. The
right end is the number in the table. An exact result lies on the lower edge.
"""

RUNTIME = """## Runtime

The setting is the paper's: Gaussian rows with ten eigenvalues uniform in [1, 2] and all others zero, 1,000 rows to
start from, 500 updates, m = 10, d from 100 to 10,000. These rows are zero in all but ten features. No row ever leaves
the span of the components, so a program may skip work that other data needs. Therefore the times are also measured with
a floor of noise (standard deviation 0.1 in every feature), and the growth is fitted to those.
"""
TIMES = (
    "Times are CPU times of the working thread, the best of {turns} rounds in which all methods took turns, through "
    "the Python package, with 500 rows per call. The load before the run was {load}{shared}. Only the ratios within a "
    "line of the tables carry over to other machines."
)
SHARED = ": **other programs were using the machine**, and times are too long"


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
        return [f"### {title}\n", "The data was not available when this page was written.\n"]
    fewest = min(found[f"table-{name}"]["repetitions"] for name in present)
    return [f"### {title}\n", "" if fewest == 20 else f"**Only {fewest} repetitions.**\n",
            accuracy_table(found, present), "Differences from the paper:\n", remarks(group, found),
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
    header = ["", "median of the minimum in log10(rate / optimal rate)", "90 % of the minima", "furthest from 0",
              "error at the optimal rate / least error of all rates", "library's rate / optimal rate - 1"]
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
    return ["### The library compared with the formulas\n", remarks("formulas", found), table(header, rows)]


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
            "Microseconds per update, the paper's rows:\n", times_table("d", piece["paper"]),
            "The same, rows with noise:\n", times_table("d", piece["floor"]),
            f"Against m, rows with noise, d = {piece['wide']:,}:\n", times_table("m", piece["components"]),
            "![Time per update](paper-runtime.svg)\n", remarks("runtime-caption", found),
            "Growth: exponents of power laws fitted to the times of the rows with noise:\n", table(header, exponents),
            "Differences from the paper:\n", remarks("runtime", found)]


def machines_section(found):
    """Returns the tables of the machines and of the pieces that ran on each."""
    machines = {}
    for name, piece in found.items():
        about = dict(piece["machine"])
        load = about.pop("load before the run")
        machines.setdefault(tuple(about.items()), []).append([name, f"{piece['seconds']:,.0f}", load])
    parts = ["## Machines\n"]
    for about, rows in machines.items():
        parts += [table(["", ""], about), table(["piece", "seconds", "load before the run"], rows)]
    return parts


def page(found):
    """Returns the text of the page. `found`: piece -> its numbers; missing pieces are left out."""
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
