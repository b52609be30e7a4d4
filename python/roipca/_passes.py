"""More passes over the same rows, which bring the components closer to those of batch PCA."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from . import _core
from ._errors import in_rows, of_sparse_rows
from ._fitted import Fitted
from ._preparation import Preparation
from ._rows import as_rows
from ._sources import Stream, count_rows, open_source, progress_bar
from ._stream_blocks import StreamBlocks
from ._types import Float64Array, MatrixLike

if TYPE_CHECKING:
    from typing_extensions import Self

MOST_PASSES = 30  # maximum for "auto"

_REFINEMENTS: dict[type, Any] = {_core.ModelF32: _core.RefinementF32, _core.ModelF64: _core.RefinementF64}


def refinement_of(model: Any, state: bytes | None = None) -> Any:
    """Returns a refinement of a model of the core, empty or from its state."""
    kind = _REFINEMENTS[type(model)]
    return kind(model) if state is None else kind.from_state(model, state)


def add_rows(refinement: Any, X: Any, weights: np.ndarray | None, first_row: int = 0) -> None:
    """Adds the rows X, dense or CSR. Errors count them from `first_row`."""
    if issparse(X):
        with of_sparse_rows():
            refinement.add_csr(X.data, X.indices, X.indptr, X.shape[1], weights, first_row)
    else:
        refinement.add(X, weights, first_row)


def check_passes(passes: Any, tol: float) -> None:
    """Raises ValueError for invalid numbers of passes or tolerances."""
    is_number = isinstance(passes, (int, np.integer)) and not isinstance(passes, bool) and passes >= 1
    if not is_number and not (isinstance(passes, str) and passes == "auto"):
        raise ValueError(f"passes must be 'auto' or an int of at least 1, got {passes!r}")
    if not tol > 0:
        raise ValueError(f"tol must be positive, got {tol!r}")


def require_equal_rows(pca: Any) -> None:
    """Raises ValueError, before the first pass, if another pass would not know how much each row counts."""
    if pca.forgetting != 1.0:
        raise ValueError("More passes exclude forgetting: another pass does not know the age of a row")
    if pca.window is not None:
        raise ValueError("More passes exclude window: another pass does not know which rows it covers")


def require_readable_again(source: Any) -> None:
    """Raises ValueError for a source that is used up by one pass."""
    if isinstance(source, Iterator):
        raise ValueError(
            f"More passes need a source that can be read again, not {type(source).__name__}: pass a path, an array, a "
            "table, or an object whose __iter__ begins anew"
        )


def more_passes(pca: Any, passes: Any, tol: float, read_again: Callable[[], None]) -> None:
    """Calls `read_again`, which refines the estimator once, as often as `passes` asks for after the first pass."""
    most = MOST_PASSES if passes == "auto" else int(passes)
    tolerance = tol if passes == "auto" else 0.0
    before = None
    if pca.method_ == "exact":  # needs no eigenproblem, as the model does
        return
    for _ in range(1, most):
        model = pca._model
        if not model.is_worth_another_pass(tolerance, before if passes == "auto" else None):
            return
        before = model.error_estimate
        read_again()


def for_each_block(
    stream: Stream, blocks: StreamBlocks, progress: bool, use: Callable[[Any, Any, int], None]
) -> int:
    """Calls use(rows, weights, first_row) for each block of a stream, and returns the number of rows.

    Errors say where in the stream a block is.
    """
    rows = 0
    if stream.rows is not None:
        blocks.check_weights(stream.rows)
    with progress_bar(stream.rows, progress) as bar:
        for block in stream.blocks:
            count = count_rows(block)
            if count == 0:
                continue
            with in_rows(rows, count):
                blocks.use(block, rows, use)
            rows += count
            bar.update(count)
    blocks.check_weights(rows)
    return rows


def refine_once(pca: Any, stream: Stream, blocks: StreamBlocks, progress: bool) -> None:
    """Replaces the fitted state of the estimator by its refinement with the rows of a stream."""
    fitted = pca._unchanged()
    refinement = refinement_of(fitted.core.model())

    def add(block: Any, weights: Any, first_row: int) -> None:
        X = as_rows(pca, block, fitted.dtype, first_row=first_row)
        add_rows(refinement, X, weights, first_row)

    for_each_block(stream, blocks, progress, add)
    pca._fitted = Fitted.from_model(refinement.finish(), fitted.parameters)


class Refining:
    """The part of the estimator that reads rows again, and knows its error."""

    if TYPE_CHECKING:
        _model: Any
        _shown: Any

    def refine(
        self,
        source: str | os.PathLike[str] | MatrixLike | Iterable[MatrixLike],
        *,
        sample_weight: ArrayLike | None = None,
        batch_size: int | None = None,
        columns: Sequence[str] | None = None,
        layer: str | None = None,
        target_sum: float | None = None,
        log1p: bool = False,
        feature_weights: ArrayLike | None = None,
        feature_mask: ArrayLike | Sequence[str] | None = None,
        progress: bool = False,
    ) -> Self:
        """Read all rows once more, and bring the components closer to those of batch PCA.

        One pass usually divides the subspace error by ten or more. Afterwards `error_estimate_` says how large it
        still is. The rows must be those that the estimator has seen, in any order and with the same weights: their
        number, weight, means and total variance are compared. If a call fails, the estimator remains as it was.

        Parameters
        ----------
        source : str, path or object
            The rows, as in `fit_stream`.
        sample_weight : array-like of shape (n_samples,) or float, default=None
            Weights of the rows, if they were learned with weights.
        batch_size : int, default=None
            Number of rows to read at a time, as in `fit_stream`.
        columns : list of str, default=None
            Names of the columns to read, as they were in `fit_stream`.
        layer : str, default=None
            Name of the layer to read, as it was in `fit_stream`.
        target_sum : float, default=None
            As it was in `fit_stream`.
        log1p : bool, default=False
            As it was in `fit_stream`.
        feature_weights : array-like of shape (n_features,), default=None
            As they were in `fit_stream`.
        feature_mask : array-like of bool of shape (n_features,), or list of str, default=None
            As it was in `fit_stream`.
        progress : bool, default=False
            Show a progress bar.

        Returns
        -------
        self : OnlinePCA

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.random.default_rng(0).standard_normal((2000, 80)) * 0.9 ** np.arange(80)
        >>> pca = OnlinePCA(3, method="roipca").fit(X)
        >>> pca.refine(X).n_passes_
        2
        >>> bool(pca.error_estimate_ < 1e-6)
        True
        """
        stream = open_source(source, batch_size, columns, layer)
        preparation = Preparation(target_sum, log1p, feature_weights, feature_mask)
        refine_once(self, stream, StreamBlocks(preparation, sample_weight, "error"), progress)
        return self

    @property
    def n_passes_(self) -> int:
        """Number of passes over all rows: 1, and one more for each `refine` since the last new rows."""
        return self._shown.passes

    @property
    def error_estimate_(self) -> float:
        """Estimate of the subspace error against batch PCA of all rows; see docs/accuracy.md."""
        return self._known(self._model.error_estimate)

    def error_bound(self, confidence: float = 0.999) -> float:
        """Return a bound on the subspace error against batch PCA of all rows so far.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.999
            Probability with which the bound holds, if it comes from random probes.

        Returns
        -------
        bound : float
            At most 2, the error of an orthogonal subspace.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.random.default_rng(0).standard_normal((2000, 80)) * 0.9 ** np.arange(80)
        >>> pca = OnlinePCA(3, method="roipca").fit(X).refine(X)
        >>> pca.error_estimate_ <= pca.error_bound()
        True
        """
        return self._known(self._model.error_bound(confidence))

    @property
    def component_errors_(self) -> Float64Array:
        """Error of each component (n_components_,), on the safe side: squared sine of its angle to the true one."""
        return self._known(self._model.component_errors)

    @property
    def component_groups_(self) -> list[list[int]]:
        """Groups of components that cannot be told apart from each other: of these only the subspace is known."""
        sizes = self._known(self._model.component_groups)
        ends = np.cumsum(sizes)
        return [list(range(end - size, end)) for size, end in zip(sizes, ends.tolist(), strict=True)]

    @staticmethod
    def _known(value: Any) -> Any:
        if value is None:
            raise AttributeError(
                "The error is unknown after one pass without probes: give OnlinePCA probes=10, fit with passes=2, or "
                "call refine(source)."
            )
        return value
