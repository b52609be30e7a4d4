"""Fills the numbers into the remarks of the page. The text is in remarks.md, with one section for each place in the
page. A paragraph whose numbers are missing is left out.

{mnist[ccipca]} becomes "4e-3 here, 8e-2 in the paper". With :here, :paper, :deviation or :quartiles it becomes that
number alone. {mnist[ipca]:over roipca} is the ratio of two methods.
"""

import functools
import pathlib
import re
import textwrap

import paper_numbers
from data import DATASETS
from runtime import growth

WORDS = pathlib.Path(__file__).with_name("remarks.md")


def error(value):
    """Formats an error with two digits; below 1e-20 there is only rounding."""
    return "exact" if value < 1e-20 else f"{value:.1e}"


def factor(value):
    """Formats a factor with about two digits and no exponent."""
    if value >= 100:
        return f"{float(f'{value:.2g}'):,.0f}"
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 0.95 else f"{value:.2f}"


class Accuracy:
    """The errors of a method on one data set."""

    def __init__(self, name, table, label):
        self.table, self.label, self.printed = table, label, paper_numbers.ACCURACY[name]

    def __format__(self, wanted):
        here, paper = self.table["median"], {label: pair[0] for label, pair in self.printed.items()}
        if not wanted:
            return f"{error(here[self.label])} here, {error(paper[self.label])} in the paper"
        if wanted == "here":
            return error(here[self.label])
        if wanted == "paper":
            return error(paper[self.label])
        if wanted == "deviation":
            return error(self.table["deviation"][self.label])
        if wanted == "quartiles":
            return " to ".join(error(value) for value in self.table["quartiles"][self.label])
        other = wanted.removeprefix("over ")
        ratios = [factor(errors[self.label] / errors[other]) for errors in (here, paper)]
        return f"{ratios[0]} here and {ratios[1]} in the paper"


class Time:
    """The times of a method at the largest number of features, on the paper's rows and on rows with noise."""

    def __init__(self, piece, label):
        self.sweeps, self.label = [piece[rows][max(piece[rows], key=int)] for rows in ("paper", "floor")], label

    def __format__(self, wanted):
        other = wanted.removeprefix("over ")
        return " and ".join(factor(times[self.label] / times[other]) for times in self.sweeps)


def numbers(found):
    """Returns the values of the placeholders in remarks.md, as far as they are known."""
    known = {}
    for name in DATASETS:
        table = found.get(f"table-{name}")
        if table:
            known[name] = {label: Accuracy(name, table, label) for label in table["median"]}
    rate = found.get("figure-learning-rate")
    if rate:
        stream = rate["stream"]
        known["learning"] = {**rate, "samples": stream["samples"], "furthest": stream["minima"]["furthest"],
                             "library samples": stream["library_rate_off_by"]["samples"]}
    if "check-formulas" in found:
        known["formulas"] = found["check-formulas"]
    times = found.get("figure-runtime")
    if times:
        labels = next(iter(times["paper"].values()))
        known["runtime"] = {label: Time(times, label) for label in labels}
        known["runtime"]["widest"] = f"{max(map(int, times['paper'])):,}"
        known["growth"] = {label: {of: f"m^{value:.2f}" for of, value in growth(times, label).items()}
                           for label in labels}
    return known


@functools.cache
def sections():
    """Returns section -> its paragraphs and list items, each in one line."""
    parts = re.split(r"^# (.+)\n", WORDS.read_text(), flags=re.MULTILINE)[1:]
    split = re.compile(r"\n\n|\n(?=- )")
    return {name: [" ".join(part.split()) for part in split.split(text.strip())]
            for name, text in zip(parts[::2], parts[1::2], strict=True)}


def wrapped(text):
    indent = "  " if text.startswith("- ") else ""
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def remarks(section, found):
    """Returns the text of a section with its numbers filled in."""
    known, lines = numbers(found), []
    for text in sections()[section]:
        try:
            filled = wrapped(text.format_map(known))
        except KeyError:  # the data was not available
            continue
        lines += [filled] if text.startswith("- ") else [filled, ""]
    return "\n".join(lines).rstrip() + "\n" if lines else ""
