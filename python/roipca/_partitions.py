"""The tasks of a cluster: fit a partition, merge models, and make an estimator of the last one.

A model travels as the bytes of a model file or, where scatter matrices are added, as the state of an estimator
(docs/format.md). None is the model of a partition without rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_array

from . import _core
from ._errors import DataError, within
from ._fitted import Fitted, merge_parts
from ._parameters import check_parameters, core_parameters
from ._passes import add_rows, more_passes, refinement_of
from ._rows import as_weights, unmasked
from ._sources import count_rows
from .online_pca import OnlinePCA

_MOST = 16  # maximum number of models that one task merges
_MERGED_BYTES = 1 << 27  # maximum size of the models that one task merges

_MODELS: dict[np.dtype, Any] = {np.dtype(np.float32): _core.ModelF32, np.dtype(np.float64): _core.ModelF64}
_ESTIMATORS: dict[np.dtype, Any] = {
    np.dtype(np.float32): _core.EstimatorF32,
    np.dtype(np.float64): _core.EstimatorF64,
}
_STATE = b"roipca-state"  # first bytes of the state of an estimator


def group_size(model_bytes: int) -> int:
    """Returns the number of models of this size that one task merges.

    It is a power of two, so that the trees of the tasks are branches of the tree of pairs, whatever it is.
    """
    group = _MOST
    while group > 2 and group * model_bytes > _MERGED_BYTES:
        group //= 2
    return group


@dataclass(frozen=True)
class Recipe:
    """How to fit every partition alike: the estimator's parameters, the type of its numbers, how often it is read."""

    parameters: dict[str, Any]
    dtype: np.dtype
    has_more_passes: bool  # over dense rows

    @classmethod
    def of(cls, parameters: dict[str, Any], is_float32: bool, has_more_passes: bool = False) -> Recipe:
        """Raises ValueError for parameters that a cluster cannot use, before it starts to work."""
        pca = OnlinePCA(**parameters)
        parameters = pca.get_params(deep=False)
        check_parameters(parameters)
        if pca.forgetting != 1.0:
            raise ValueError("forgetting needs rows in one order, and partitions have none: leave it at 1.0")
        if pca.window is not None:
            raise ValueError("window needs rows in one order, and partitions have none: leave it at None")
        return cls(parameters, np.dtype(np.float32 if is_float32 else np.float64), has_more_passes)

    def fit(self, number: int, blocks: Iterable[tuple[Any, Any]]) -> bytes | None:
        """Returns the model of a partition, from its blocks of rows and their weights (or None)."""
        pca = None
        rows = 0
        try:
            for X, weights in blocks:
                if count_rows(X) > 0:
                    X = check_array(
                        unmasked(X), dtype=self.dtype, order="C", accept_sparse="csr", ensure_all_finite=False
                    )
                    pca = pca or OnlinePCA(**self._for_a_partition(X.shape[1]))
                    pca.partial_fit(X, sample_weight=weights)
                rows += count_rows(X)
        except DataError as error:
            raise within(error, f"In partition {number}", rows) from error
        except ValueError as error:
            raise ValueError(f"In partition {number}: {error}") from error
        return None if pca is None or pca._fitted is None else pca._fitted.part().to_bytes()

    def merge(self, models: Sequence[bytes | None]) -> bytes | None:
        """Returns the merged model of neighbouring partitions."""
        merged = merge_parts(None if model is None else self._part(model) for model in models)
        return None if merged is None else merged.to_bytes()

    def _part(self, sent: bytes) -> Any:
        kind = _ESTIMATORS if sent[: len(_STATE)] == _STATE else _MODELS
        return kind[self.dtype].from_bytes(sent)

    def model_bytes(self, features: int) -> int:
        """Returns the size in bytes of the model of a partition with many rows."""
        method, _, held = _core.plan(core_parameters(self._for_a_partition(features), None, features), features)
        size = 8 if method == "exact" else self.dtype.itemsize  # a scatter matrix is in double
        return (held * size + (3 + self.parameters["probes"]) * 8) * features

    def finish(self, model: bytes | None, names: Sequence[str] | None) -> OnlinePCA:
        """Returns the estimator of all rows."""
        if model is None:
            raise ValueError("Found partitions of 0 sample(s) while a minimum of 1 is required by OnlinePCA.")
        return OnlinePCA(**self.parameters)._begin_with(self._part(model), names)

    def refine(self, number: int, model: bytes, blocks: Iterable[tuple[Any, Any]]) -> bytes:
        """Returns the state of the refinement of a model after one more pass over a partition."""
        refinement = refinement_of(_MODELS[self.dtype].from_bytes(model))
        rows = 0
        try:
            for X, weights in blocks:
                if count_rows(X) > 0:
                    X = check_array(
                        unmasked(X), dtype=self.dtype, order="C", accept_sparse="csr", ensure_all_finite=False
                    )
                    add_rows(refinement, X, as_weights(weights, X.shape[0]))
                rows += count_rows(X)
        except DataError as error:
            raise within(error, f"In partition {number}", rows) from error
        except ValueError as error:
            raise ValueError(f"In partition {number}: {error}") from error
        return refinement.state()

    def merge_refinements(self, model: bytes, states: Sequence[bytes | None]) -> bytes:
        """Returns the merged state of the refinements of neighbouring partitions."""
        core = _MODELS[self.dtype].from_bytes(model)
        merged = refinement_of(core)
        for state in states:
            if state is not None:
                merged.merge(refinement_of(core, state))
        return merged.state()

    def finish_refinement(self, model: bytes, state: bytes) -> bytes:
        """Returns the refined model, from the state of the refinement of all partitions."""
        return refinement_of(_MODELS[self.dtype].from_bytes(model), state).finish().to_bytes()

    def more_passes(
        self, pca: OnlinePCA, passes: int | Literal["auto"], tol: float, refine: Callable[[bytes, int], bytes]
    ) -> OnlinePCA:
        """Returns the estimator after `passes` passes. `refine(model, number)` returns the model of pass `number`."""

        def read_again() -> None:
            model = refine(pca._learned.core.model().to_bytes(), pca.n_passes_ + 1)
            pca._fitted = Fitted.from_model(_MODELS[self.dtype].from_bytes(model), self.parameters)

        more_passes(pca, passes, tol, read_again)
        return pca

    def _for_a_partition(self, features: int) -> dict[str, Any]:
        """Returns the parameters, with three quarters more components held than one pass over all rows would hold.

        Directions that a partition does not hold are lost to the merged model, and few rows tell less well which
        directions matter. The additional components make up for it, and a model is less than twice as large.
        """
        options = core_parameters(self.parameters, None, features, self.has_more_passes)
        method, _, held_for_passes = _core.plan(options, features)
        if method == "exact":
            return {**self.parameters, "method": "exact"}
        method, reported, held = _core.plan(core_parameters(self.parameters, None, features), features)
        if self.parameters["oversampling"] != "auto" or held == reported:
            return self.parameters
        most = max(held + 3 * held // 4, held_for_passes)
        return {**self.parameters, "method": method, "oversampling": most - reported}
