"""The learned part of an estimator: the C++ estimator, and how many of its components readers see."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable
from numbers import Integral
from operator import itemgetter
from typing import Any

import numpy as np
from scipy.sparse import issparse

from . import _core
from ._caller import caller_level
from ._errors import of_sparse_rows
from ._parameters import core_parameters

# Parameters that may change at any time: they say how results are read, not how rows are learned.
AT_READING: tuple[str, ...] = ("n_components", "whiten")

_ESTIMATORS = {np.dtype(np.float32): _core.EstimatorF32, np.dtype(np.float64): _core.EstimatorF64}
_DTYPES: dict[type, np.dtype] = {
    _core.EstimatorF32: np.dtype(np.float32),
    _core.EstimatorF64: np.dtype(np.float64),
    _core.ModelF32: np.dtype(np.float32),
    _core.ModelF64: np.dtype(np.float64),
}


class Fitted:
    """The state of an estimator that has seen rows.

    Threads may share it: calls run one at a time, change all or nothing, and release the GIL.

    `parameters` are those of the estimator at its first rows: parameters that are changed later do not change it.
    """

    def __init__(self, core: Any, parameters: dict[str, Any], options: dict[str, Any] | None = None) -> None:
        self.core = core
        self.parameters = parameters
        self._options = options  # those of the core; None if they are not known without reading it
        # `learning` returns `fixed` for the attributes of the estimator, unless a parameter was changed.
        self.learning = itemgetter(*(name for name in parameters if name not in AT_READING))
        self.fixed = self.learning(parameters)
        self.dtype = _DTYPES[type(core)]
        self._seen: tuple[Any, Any, Any] = (None, None, None)  # the core's model, a request, and the model for it
        self._warned: set[str] = set()

    @classmethod
    def empty(
        cls, parameters: dict[str, Any], dtype: Any, rows: int | None, features: int, more_passes: bool
    ) -> Fitted:
        """Starts a stream of `rows` rows, or None if the number is unknown, to be read more than once or not."""
        if rows is None and parameters["n_components"] is None:
            _require_memory(features, np.dtype(dtype))
        options = core_parameters(parameters, rows, features, more_passes)
        return cls(_ESTIMATORS[np.dtype(dtype)](options), parameters, options)

    @classmethod
    def from_part(cls, part: Any, parameters: dict[str, Any]) -> Fitted:
        """Resumes from the result of a tree of merges: an estimator or a model of the core."""
        is_estimator = isinstance(part, (_core.EstimatorF32, _core.EstimatorF64))
        if not is_estimator:
            return cls.from_model(part, parameters)
        depends_on_rows = parameters["n_components"] is None
        return cls(part, parameters, None if depends_on_rows else part.options)

    @classmethod
    def from_model(cls, model: Any, parameters: dict[str, Any]) -> Fitted:
        """Resumes where the model stopped."""
        return cls(_ESTIMATORS[_DTYPES[type(model)]](model), parameters, model.options)

    def __reduce__(self) -> tuple:
        return Fitted, (self.core, self.parameters, self._options)

    def plan(self) -> tuple[str, int]:
        """Returns the method in use, and the number of components that it holds once there are enough rows."""
        features = self.core.features
        if self._options is None:  # the number of components depends on the number of rows
            self._options = self.core.reported().options
        method, _, held = _core.plan(self._options, features)
        return method, held

    def part(self) -> Any:
        """Returns the part to merge: the core if scatter matrices are added, otherwise its model."""
        return self.core if self.core.adds_scatters else self.core.model()

    def fit(self, X: Any, weights: np.ndarray | None) -> None:
        """Replaces all rows by the rows X, dense or CSR."""
        if issparse(X):
            with of_sparse_rows():
                self.core.fit_csr(X.data, X.indices, X.indptr, X.shape[1], weights)
        else:
            self.core.fit(X, weights)

    def add(self, X: Any, weights: np.ndarray | None, first_row: int = 0) -> None:
        """Adds the rows X, dense or CSR. Errors count them from `first_row`."""
        if issparse(X):
            with of_sparse_rows():
                self.core.partial_fit_csr(X.data, X.indices, X.indptr, X.shape[1], weights, first_row)
        else:
            self.core.partial_fit(X, weights, first_row)

    def model(self, n_components: Any) -> Any:
        """Returns the model of all rows so far, reporting `n_components`; the same object until the next rows."""
        model = self.core.model()
        seen, request, reported = self._seen
        if seen is not model or request is not n_components:
            count = self._reported(model, n_components)
            reported = model if count == model.n_components else model.reporting(count)
            self._seen = (model, n_components, reported)
        self._warn_of_scales(model)
        return reported

    def reported(self, n_components: Any) -> Any:
        """Returns a model for results along the components: the same one, perhaps without those not reported."""
        if isinstance(n_components, Integral) and n_components == self.parameters["n_components"]:
            model = self.core.reported()
            if model.n_components == n_components:
                self._warn_of_scales(model)
                return model
        return self.model(n_components)

    def _reported(self, model: Any, n_components: Any) -> int:
        if n_components is None and self.parameters["n_components"] is None:
            return min(model.rows, model.n_components)
        if n_components is None:
            count = min(model.rows, model.features)
        elif isinstance(n_components, Integral):
            count = int(n_components)
        elif n_components == "auto":
            counts = model.suggest_components()
            self._warn(counts["cautions"])
            return max(1, counts["consensus"])
        else:
            return _explaining(model, float(n_components))
        held = len(model.eigenvalues)
        if not 1 <= count <= held:
            raise ValueError(
                f"n_components was set to {n_components} after the first rows, but {held} components are held: "
                "set no more, or learn all rows again with fit"
            )
        return count

    def warn_of_few_rows(self) -> None:
        """Warns if more components were asked for than have variance after so few rows."""
        wanted, rows = self.parameters["n_components"], self.core.rows_seen
        most = rows - 1 if self.parameters["center"] else rows
        if not isinstance(wanted, Integral) or wanted <= most or self.parameters["missing"] == "impute":
            return
        have, what = "row has" if rows == 1 else "rows have", "component" if most == 1 else "components"
        warnings.warn(
            f"{rows} {have} at most {most} {what} with variance, but n_components is {wanted}",
            stacklevel=caller_level(),
        )

    def _warn_of_scales(self, model: Any) -> None:
        """Warns, once, if the first rows did not show how much a feature varies."""
        off = model.worst_scale if self.parameters["standardize"] and "scales" not in self._warned else None
        if off is None:
            return
        self._warned.add("scales")
        feature, ratio, count = off
        others = f" ({count} features are off by a factor of three or more)" if count > 1 else ""
        warnings.warn(
            f"the standard deviation of feature {feature} is {ratio:.2g} times the number from the first rows by "
            f"which it is divided{others}; let more rows determine the scales: see first_rows",
            stacklevel=caller_level(),
        )

    def _warn(self, cautions: list[str]) -> None:
        """Warns of reasons to doubt `n_components="auto"`, once of each, though its numbers change with the rows."""
        for caution in cautions:
            kind = re.sub(r"\d+", "", caution)
            if kind not in self._warned:
                self._warned.add(kind)
                warnings.warn(f'n_components="auto": {caution}', stacklevel=caller_level())


_TREES: dict[type, Any] = {
    _core.EstimatorF32: _core.MergeTreeF32,
    _core.EstimatorF64: _core.MergeTreeF64,
    _core.ModelF32: _core.MergeTreeF32,
    _core.ModelF64: _core.MergeTreeF64,
}


def merge_parts(parts: Iterable[Any], decay: float | None = None) -> Any:
    """Returns many parts merged into one, in the library's tree of pairs.

    None stands for a part without rows, and keeps its place in the tree. The result is None if there is nothing else.
    """
    tree, skipped = None, 0
    for part in parts:
        if tree is None and part is None:
            skipped += 1
            continue
        if tree is None:
            tree = _TREES[type(part)](decay)
            for _ in range(skipped):
                tree.add(None)
        tree.add(part)
    return None if tree is None else tree.part()


class Moment:
    """Stands in for a Fitted with a model that does not change, to read several results of one moment."""

    def __init__(self, model: Any) -> None:
        self.dtype = _DTYPES[type(model)]
        self._model = model

    def model(self, n_components: Any) -> Any:
        """Returns the model."""
        return self._model

    reported = model


def _require_memory(features: int, dtype: np.dtype) -> None:
    """Raises ValueError if the machine does not have the memory for as many components as features."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # unknown on this system
        return
    needed = features**2 * dtype.itemsize
    if needed > memory:
        raise ValueError(
            f"n_components=None holds as many components as features if the number of rows is unknown: {features} x "
            f"{features} numbers, {needed / 2**30:.0f} GiB. Give n_components, or pass all rows to fit"
        )


def _explaining(model: Any, fraction: float) -> int:
    """Returns how many components explain more than the fraction of the variance."""
    if not 0 < fraction < 1:
        raise ValueError(f"n_components must be an int, a float in (0, 1), \"auto\" or None, not {fraction}")
    enough = model.components_explaining(fraction)
    if enough is not None:
        return enough
    held = len(model.eigenvalues)
    warnings.warn(
        f"The {held} components held explain {np.sum(model.eigenvalues) / model.trace:.3g} of the variance, less than "
        f"n_components={fraction}: give n_components as a larger number",
        stacklevel=caller_level(),
    )
    return held
