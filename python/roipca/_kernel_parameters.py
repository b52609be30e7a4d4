"""OnlineKernelPCA's parameters: the values that are valid."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

KERNELS = ("rbf", "poly", "linear", "sigmoid")
METHODS = ("kernel", "features")


def _is_int(value: Any, least: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def _is_number(value: Any, least: float = -math.inf, below: float = math.inf) -> bool:
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    return math.isfinite(value) and least <= float(value) < below


def _is_word(value: Any, words: tuple[str, ...]) -> bool:
    return isinstance(value, str) and value in words


def _is_random_state(value: Any) -> bool:
    try:
        check_random_state(value)
    except ValueError:
        return False
    return True


def _quoted(words: tuple[str, ...]) -> str:
    return ", ".join(f'"{word}"' for word in words)


# Accepted values, for the message, and a test of a value.
_VALID: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "n_components": ("None or an int from 1", lambda value: value is None or _is_int(value, 1)),
    "kernel": (f"{_quoted(KERNELS)} or a callable", lambda value: callable(value) or _is_word(value, KERNELS)),
    "gamma": ("None or a number from 0", lambda value: value is None or _is_number(value, 0)),
    "degree": ("a number from 0", lambda value: _is_number(value, 0)),
    "coef0": ("a number", _is_number),
    "center": ("True or False", lambda value: isinstance(value, (bool, np.bool_))),
    "budget": ("None or an int from 1", lambda value: value is None or _is_int(value, 1)),
    "tolerance": ("a number from 0 and below 1", lambda value: _is_number(value, 0, 1)),
    "oversampling": ('"auto" or an int from 0', lambda value: _is_word(value, ("auto",)) or _is_int(value, 0)),
    "method": (_quoted(METHODS), lambda value: _is_word(value, METHODS)),
    "map_size": ("an int from 1", lambda value: _is_int(value, 1)),
    "random_state": ("None, an int or a RandomState", _is_random_state),
}


def check_kernel_parameters(parameters: dict[str, Any]) -> None:
    """Raise a ValueError that names the first parameter whose value is not valid."""
    for name, value in parameters.items():
        accepted, is_valid = _VALID[name]
        if not is_valid(value):
            raise ValueError(f"The {name!r} parameter of OnlineKernelPCA must be {accepted}. Got {value!r} instead.")
