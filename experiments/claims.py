"""Checks the paper's claims about accuracy against its own numbers and against ours."""

import paper_numbers
from data import DATASETS
from methods import NAMES
from remarks import factor

GRADIENT = ("ccipca", "gha", "oja")
ALIKE = 1.1  # medians within this factor count as equal
EXACT = 1e-20  # smaller errors are rounding


def no_worse_than_ipca(errors):
    return errors["roipca"] <= ALIKE * errors["ipca"]


def ahead_of_gradients(errors):
    return all(errors["roipca"] < errors[rival] for rival in GRADIENT)


def medians(found):
    """Returns data set -> (our medians, the paper's)."""
    return {name: (found[f"table-{name}"]["median"],
                   {label: pair[0] for label, pair in paper_numbers.ACCURACY[name].items()})
            for name in DATASETS if f"table-{name}" in found}


def verdict(claim, here, paper):
    return " / ".join("yes" if claim(errors) else "**no**" for errors in (here, paper))


def rows(found):
    """Yields the rows of the table: data set, the two claims, the best rival, and the gain of the default."""
    for name, (here, paper) in medians(found).items():
        nearest = min(GRADIENT, key=here.get)
        gain = "exact" if here["default"] < EXACT else factor(here["roipca"] / here["default"])
        yield [DATASETS[name].title, verdict(no_worse_than_ipca, here, paper), verdict(ahead_of_gradients, here, paper),
               f"{NAMES[nearest]}, {factor(here[nearest] / here['roipca'])}", gain]


HEADER = ["", "ROIPCA no worse than IPCA: here / paper", "ROIPCA better than CCIPCA, GHA and Oja: here / paper",
          "best of these three here: its error / ROIPCA's", "ROIPCA's error / the default's"]


def default_against_all(found):
    """Returns where the default is worse than another method or than a number in the paper's tables."""
    compared = medians(found)
    ahead = [f"{DATASETS[name].title}: {NAMES[label]}" for name, (here, _) in compared.items() for label in here
             if here[label] < here["default"]]
    not_below = [DATASETS[name].title for name, (here, paper) in compared.items()
                 if here["default"] >= min(paper.values())]
    return " ".join([
        f"Better than the default: {'; '.join(ahead)}." if ahead
        else "No method is better than the default on any data set.",
        f"Its error is not below the best number of the paper on: {'; '.join(not_below)}." if not_below
        else "Its error is below every number in the paper's tables."]) + "\n"
