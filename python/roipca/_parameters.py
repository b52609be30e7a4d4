"""OnlinePCA's parameters: the values that are valid, and the options of the C++ core that they stand for."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from . import _core

# The library's table of options: words, numbers, default and help of each, by name.
OPTIONS: dict[str, dict[str, Any]] = _core.options()
METHODS: tuple[str, ...] = tuple(OPTIONS["method"]["words"])

# Number of components to hold if the reported number is computed when a result is read (for a fraction of the variance
# or "auto") and there are too many features for the exact method: the number is not known beforehand, and memory must
# be bounded.
MOST_IF_COMPUTED = 100


def is_int(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_number_of_components(value: Any) -> bool:
    if isinstance(value, float):
        return 0 < value < 1
    return value is None or value == "auto" or (is_int(value) and value >= 1)


# The parameters that are not options of the core, or accept more than the option does: accepted values and a test.
_PYTHON_ONLY: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "n_components": ('"auto", None, an int from 1 or a float between 0 and 1', _is_number_of_components),
    "whiten": ("True or False", lambda value: isinstance(value, bool)),
    "n_jobs": ("None or an int", lambda value: value is None or is_int(value)),
}


def check_parameters(parameters: dict[str, Any]) -> None:
    """Raise a ValueError that names the first parameter whose value is not valid."""
    for name, value in parameters.items():
        if name in _PYTHON_ONLY:
            accepted, is_valid = _PYTHON_ONLY[name]
            valid = is_valid(_plain(value))
        else:
            accepted = _accepted(name)
            valid = _core.accepts(name, _plain(value))
        if not valid:
            raise ValueError(f"The {name!r} parameter of OnlinePCA must be {accepted}. Got {value!r} instead.")


def core_parameters(
    parameters: dict[str, Any], rows: int | None, features: int, more_passes: bool = False
) -> dict[str, Any]:
    """Return the core's options for a stream of `rows` rows (None: unknown) of `features` numbers.

    `more_passes` says that the rows will be read more than once.
    """
    options = {name: _plain(value) for name, value in parameters.items() if name in OPTIONS}
    options["threads"] = effective_n_jobs(parameters["n_jobs"])
    if options["n_components"] is None:
        options["n_components"] = features if rows is None else min(rows, features)
    elif isinstance(options["n_components"], (float, str)):
        options["n_components"] = min(features, MOST_IF_COMPUTED)
    return _core.for_more_passes(options, features) if more_passes else options


def estimator_parameters(options: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that stand for the core's options. Options without a parameter keep their names."""
    parameters = dict(options)
    parameters["n_jobs"] = parameters.pop("threads")
    return parameters


def _plain(value: Any) -> Any:
    """Return a NumPy scalar as the Python number that it is."""
    return value.item() if isinstance(value, np.generic) else value


def _accepted(name: str) -> str:
    """Return the values that an option accepts, as Python writes them."""
    spelled = {"none": "None", "true": "True", "false": "False"}
    values = [spelled.get(word, f'"{word}"') for word in OPTIONS[name]["words"]]
    if OPTIONS[name]["numbers"] is not None:
        values.append(OPTIONS[name]["numbers"])
    return " or ".join(filter(None, [", ".join(values[:-1]), values[-1]]))
