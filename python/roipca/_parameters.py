"""What OnlinePCA's parameters may be, and what the C++ core is told."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

METHODS = ("auto", "roipca", "froipca", "ipca", "ccipca", "gha", "oja", "fd", "exact")

CONSTRAINTS: dict[str, list] = {
    "n_components": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0, 1, closed="neither"),
        None,
    ],
    "method": [StrOptions(set(METHODS))],
    "mu": [StrOptions({"mean", "zero"}), Interval(Real, 0, None, closed="left")],
    "tau": [StrOptions({"zero", "optimal"})],
    "oversampling": [StrOptions({"auto"}), Interval(Integral, 0, None, closed="left")],
    "update_every": [StrOptions({"block", "row"})],
    "block_size": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
    "center": ["boolean"],
    "whiten": ["boolean"],
    "forgetting": [Interval(Real, 0, 1, closed="right")],
    "learning_rate": [None, StrOptions({"auto"}), Interval(Real, 0, None, closed="neither")],
    "n_jobs": [None, Integral],
}

# Held for a fraction of variance where the features are too many to be exact: nobody knows beforehand how
# many components it takes, and memory must have a bound.
MOST_FOR_FRACTION = 100


def core_parameters(parameters: dict[str, Any], rows: int | None, features: int) -> dict[str, Any]:
    """The core's options for a stream of `rows` rows (None: nobody knows) of `features` numbers."""
    told = {
        name: value.item() if isinstance(value, np.generic) else value for name, value in parameters.items()
    }
    del told["whiten"]
    if told["learning_rate"] is None:
        del told["learning_rate"]
    told["n_jobs"] = effective_n_jobs(told["n_jobs"])
    if told["n_components"] is None:
        told["n_components"] = features if rows is None else min(rows, features)
    elif isinstance(told["n_components"], float):
        told["n_components"] = min(features, MOST_FOR_FRACTION)
    return told
