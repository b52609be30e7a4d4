"""Writes the tables of docs/clusters.md from the measurements."""

import math
import re

from machine import processor
from partition_errors import PARTITIONS

from roipca._partitions import group_size

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
ROWS_EACH = 10_000_000
PARTITION = 100_000


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def seconds(value):
    return f"{value:,.0f} s" if value >= 10 else f"{value:.2g} s"


def building(graphs, partitions):
    """Returns the seconds that the client needs to build the tasks, by the measurement at the nearest size."""
    count, taken = min(graphs, key=lambda graph: abs(math.log(graph[0] / partitions)))
    return taken * partitions / count


def predicted(cost, overheads, graphs, workers):
    """Returns the seconds of (client, fitting, merging, transfer, scheduling) for ROWS_EACH rows per worker."""
    partitions = workers * ROWS_EACH // PARTITION
    fitting = ROWS_EACH * cost["row"]
    group = group_size(cost["bytes"])
    levels = math.ceil(math.log(partitions, group))
    groups = sum(math.ceil(partitions / group**level / workers) for level in range(1, levels + 1))
    merging = groups * (group - 1) * cost["merge"]
    moving = groups * group * cost["bytes"] / overheads["bandwidth"]
    scheduling = partitions * (1 + 1 / (group - 1)) * overheads["task"]
    return building(graphs, partitions), fitting, merging, moving, scheduling


def scaling_text(scaling):
    (one, two), (cpu_one, cpu_two) = ((found[1], found[2]) for found in (scaling["seconds"], scaling["busiest"]))
    return (
        f"{scaling['rows']:,} rows of {scaling['features']:,} features in {scaling['partitions']} partitions, "
        f"{scaling['components']} components, in the memory of Dask workers with one thread each, median of five: "
        f"{one:.2f} s with one worker and {two:.2f} s with two, {one / two:.2f} times faster. The busiest worker used "
        f"{cpu_one:.2f} s of CPU time with one worker and {cpu_two:.2f} s with two, {cpu_one / cpu_two:.2f} times "
        "less. This is the gain of two workers that have a core each.\n"
    )


def cost_table(costs):
    rows = [
        [f"{c['features']:,} x {c['components']}", f"{1e6 * c['row']:.1f} us", f"{1e3 * c['merge']:.2f} ms",
         f"{c['bytes'] / 1e6:.2f} MB"]
        for c in costs
    ]
    return table(["features x components", "fit, per row", "merge of two models", "size of a model"], rows)


def graph_table(graphs):
    rows = [[f"{count:,}", seconds(taken), f"{1e6 * taken / count:.0f} us"] for count, taken in graphs]
    return table(["partitions", "client", "per partition"], rows)


def prediction_table(costs, overheads, graphs):
    rows = []
    for cost in costs:
        for workers in (10, 100, 1000):
            parts = predicted(cost, overheads, graphs, workers)
            rows.append([f"{cost['features']:,} x {cost['components']}", f"{workers:,}", f"{workers * ROWS_EACH:,}",
                         *map(seconds, parts), f"{100 * parts[1] / sum(parts):.0f} %"])
    header = ["features x components", "workers", "rows", "client", "fit", "merge", "transfer", "scheduler"]
    return table([*header, "spent fitting"], rows)


def contest_table(contest):
    rows = [[label, seconds(took), seconds(cpu), f"{memory / 2**20:,.0f} MiB", f"{error:.0e}"]
            for label, took, cpu, memory, error in contest]
    return table(["", "time", "CPU time of all processes", "peak memory, without the rows", "error"], rows)


def accuracy_text(study):
    """Returns the table with one row per spectrum and number of components, and one column per order of the rows."""
    cells = {}
    for name, m, order, one_pass, ratios in study:
        worst = max(ratios)
        factor = f"{worst:.0f}" if worst >= 9.5 else f"{worst:.1g}"
        cells.setdefault((name, m), {})[order] = f"{one_pass:.0e}, {factor} x"
    orders = list(next(iter(cells.values())))
    ratios = [ratio for *_, found in study for ratio in found]
    counts = ", ".join(map(str, PARTITIONS[:-1]))
    return (
        "### Error compared with one pass\n\n"
        "4,000 rows of 300 features, in random order and sorted by a score so that every partition is different: the "
        f"error of one pass, and the largest ratio to it of the error with {counts} or {PARTITIONS[-1]} partitions. Of "
        f"these {len(ratios)} fits, {sum(ratio <= 2 for ratio in ratios)} have at most twice the error of one pass; "
        f"the largest ratio is {max(ratios):.0f}.\n\n"
        + table(["variance of direction i", "components", *orders],
                [[name, str(m), *found.values()] for (name, m), found in cells.items()])
    )


def text(measured, load):
    rows, d, m = measured["size"]
    overheads = measured["overheads"]
    busy = ": other programs were using the machine, so the times are too long. CPU times are not" if load > 1 else ""
    return "\n".join([
        f"Measured on an {processor()}. The load was {load:.1f} when the run began{busy}.\n",
        "### Two workers against one\n", scaling_text(measured["scaling"]),
        "### Costs\n", cost_table(measured["costs"]),
        "### Building the graph\n",
        "CPU time of the client until the tasks of a fit are ready to be sent:\n",
        graph_table(measured["graphs"]),
        "### From 10 to 1,000 workers\n",
        f"Predicted from these costs, for {ROWS_EACH:,} rows per worker in partitions of {PARTITION:,}. Two workers on "
        f"this machine exchanged models at {overheads['bandwidth'] / 1e6:.0f} MB/s (replace this by the speed of your "
        f"network), and Dask's scheduler took {1e3 * overheads['task']:.2f} ms of CPU time per task, with the client's "
        "share of sending it. The column \"client\" is the time to build the graph.\n",
        prediction_table(measured["costs"], overheads, measured["graphs"]),
        "### Side by side\n",
        f"{rows:,} rows of {d:,} features, {m} components, two workers with one thread each:\n",
        contest_table(measured["contest"]),
        accuracy_text(measured["study"]),
    ])


def put(written, page):
    """Replaces the text between the markers of the page."""
    found = re.sub(f"{BEGIN}.*{END}", lambda _: f"{BEGIN}\n{written}{END}", page.read_text(), flags=re.DOTALL)
    page.write_text(found)
