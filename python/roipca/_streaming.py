"""Rows that come in parts: blocks, single rows, and sources that do not fit in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ._first_call import first_call
from ._fitted import Fitted
from ._passes import check_passes, for_each_block, more_passes, refine_once, require_equal_rows, require_readable_again
from ._preparation import Preparation
from ._rows import ONE_ROW, are_rows, as_row, as_rows, as_weights, imputes, is_one_row
from ._sources import open_source
from ._stream_blocks import StreamBlocks
from ._types import MatrixLike

if TYPE_CHECKING:
    from typing_extensions import Self


class Streaming:
    """`partial_fit`, `update` and `fit_stream` of OnlinePCA."""

    _fitted: Fitted | None = None

    if TYPE_CHECKING:
        n_features_in_: int

        def _without_rows(self) -> Self: ...
        def _empty(self, X: Any, rows: int | None, passes: int | Literal["auto"]) -> Fitted: ...
        def _learn_from(self, learner: Any, fitted: Fitted) -> Self: ...
        def _unchanged(self) -> Fitted: ...

    def partial_fit(self, X: MatrixLike, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Add one row or more.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows. Sparse rows cost their nonzeros if the method updates by blocks. Other methods convert them to dense
            ones, a few at a time.
        y : Ignored
        sample_weight : array-like of shape (n_samples,) or float, default=None
            Weights of the rows, as in `fit`. Rows of weight 0 are skipped.

        Returns
        -------
        self : OnlinePCA

        Examples
        --------
        >>> from roipca import OnlinePCA
        >>> pca = OnlinePCA(1).partial_fit([[1.0, 1.0]]).partial_fit([[2.0, 2.0], [3.0, 3.0]])
        >>> pca.n_samples_seen_
        3
        """
        return self._add(X, sample_weight)

    def _add(
        self,
        X: Any,
        sample_weight: Any = None,
        *,
        stream_rows: int | None = None,
        first_row: int = 0,
        passes: int | Literal["auto"] = 1,
    ) -> Self:
        """Adds rows, which begin at row `first_row` of a stream of `stream_rows` rows (None: unknown).

        `passes` is how often the stream will be read.
        """
        if is_one_row(X):
            raise ValueError(ONE_ROW)
        if self._fitted is None:
            with first_call(self):
                if self._fitted is None:
                    return self._add_first(X, sample_weight, stream_rows, first_row, passes)
        fitted = self._unchanged()
        if "feature_names_in_" in vars(self) or not are_rows(X, fitted.dtype, self.n_features_in_):
            X = as_rows(self, X, fitted.dtype, first_row=first_row)
        fitted.add(X, as_weights(sample_weight, X.shape[0]), first_row)
        return self

    def _add_first(
        self,
        X: Any,
        sample_weight: Any,
        stream_rows: int | None,
        first_row: int,
        passes: int | Literal["auto"],
    ) -> Self:
        learner = self._without_rows()
        X = as_rows(learner, X, first_row=first_row)
        fitted = learner._empty(X, stream_rows, passes)
        fitted.add(X, as_weights(sample_weight, X.shape[0]), first_row)
        return self._learn_from(learner, fitted) if fitted.core.rows_seen > 0 else self

    def update(self, x: ArrayLike) -> Self:
        """Add one row, for streams that come row by row.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            One row. A contiguous array of the estimator's own type, float32 or float64, is fastest. The names of a
            pandas series must be those of the features.

        Returns
        -------
        self : OnlinePCA

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> pca = OnlinePCA(1)
        >>> for x in np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]):
        ...     pca = pca.update(x)
        >>> pca.mean_
        array([2., 2.])
        """
        fitted = self._fitted
        if fitted is None:
            return self.partial_fit(as_row(self, x)[np.newaxis])
        if fitted.learning(self.__dict__) != fitted.fixed:  # here and not only in _unchanged, because calls take time
            self._unchanged()
        try:
            fitted.core.update(x)
        except TypeError:
            fitted.core.update(as_row(self, x, fitted.dtype))
        return self

    def fit_stream(
        self,
        source: str | os.PathLike[str] | MatrixLike | Iterable[MatrixLike],
        *,
        batch_size: int | None = None,
        columns: Sequence[str] | None = None,
        layer: str | None = None,
        target_sum: float | None = None,
        log1p: bool = False,
        feature_weights: ArrayLike | None = None,
        feature_mask: ArrayLike | Sequence[str] | None = None,
        sample_weight: str | ArrayLike | None = None,
        on_bad_row: Literal["error", "skip"] = "error",
        progress: bool = True,
        resume: bool = False,
        passes: int | Literal["auto"] = 1,
        tol: float = 1e-6,
    ) -> Self:
        """Fit the model to rows that do not fit in memory, one block at a time.

        The result of one pass is that of `partial_fit` with all rows, however the source is divided into blocks. If a
        block is bad, or cannot be read, the rows of the blocks before it are kept; in a later pass, the result of the
        pass before it.

        Parameters
        ----------
        source : str, path or object
            - a path to a `.npy` file, a `.parquet` file or folder of them, a `.feather`, `.arrow` or `.ipc` file, or a
              `.zarr` array; a pattern such as `"rows-*.parquet"`, whose files are read in the order of their names; or
              a list of paths;
            - a path to sparse rows: a `.npz` file of `scipy.sparse.save_npz`, a `.h5ad` file of AnnData, or a `.zarr`
              store of it; or a group of h5py or zarr with data, indices and indptr. Only CSR matrices are read in
              parts: a `.npz` of another form is read whole, and a group of another form is refused;
            - an array of two dimensions that can be sliced: NumPy, memory maps, h5py datasets, zarr arrays;
            - a pandas or polars frame, a polars LazyFrame, or a scipy sparse matrix. CSC and COO are converted an
              eighth of the rows at a time, and other forms at once;
            - a pyarrow table, dataset, scanner, record batch reader or Parquet file, or anything else with
              `__arrow_c_stream__`, such as a relation of DuckDB. A column of lists of equal length, such as embeddings,
              contains all features: choose it with `columns`, unless it is the only one;
            - an iterable of blocks that `partial_fit` accepts.
        batch_size : int, default=None
            Number of rows to read at a time. None means about a million numbers (of sparse rows, those that are
            stored), rounded to whole chunks if the source has chunks. The blocks of an iterable are used as they are.
        columns : list of str, default=None
            Names of the columns to read, if the source is a table with names. None means all.
        layer : str, default=None
            Name of the layer of an AnnData file or store to read. None means its matrix `X`.
        target_sum : float, default=None
            Multiply each row by a number such that its sum is this. This and the next three are for counts. They are
            applied in this order; zeros remain zeros. `transform` and other methods do not repeat them: pass them the
            rows that `prepare_rows` returns for the same arguments.
        log1p : bool, default=False
            Replace each number x by log(1 + x).
        feature_weights : array-like of shape (n_features,), default=None
            Multiply each feature of the source by its weight, such as the inverse document frequency of a word.
        feature_mask : array-like of bool of shape (n_features,), or list of str, default=None
            Keep the features of the source for which this is true, or those of these names. They are the features of
            the estimator.
        sample_weight : str or array-like of shape (n_samples,), default=None
            The column of the source that contains the weights of the rows, or the weights. None means 1 for each row.
        on_bad_row : {"error", "skip"}, default="error"
            What to do with a row that has a NaN, an infinity, a null or a number that is too large: stop, or skip the
            row. The number of rows that were skipped is in a warning at the end. With `missing="impute"`, NaN and nulls
            are missing values.
        progress : bool, default=True
            Show a progress bar with the rows per second and, if the source has a known length, the time left.
        resume : bool, default=False
            Add to the rows already seen instead of discarding them.
        passes : int or "auto", default=1
            Number of times to read the source. After the first pass, each is a `refine`, and usually divides the
            subspace error against batch PCA by ten or more. "auto" reads until the bound on the error is below `tol`,
            or until the error no longer falls. If the method is exact, one pass is enough, and no more are made: with
            `method="auto"` and more than one pass, this is so for up to 1,024 features (unless rows are sparse).
        tol : float, default=1e-6
            Subspace error at which `passes="auto"` stops.

        Returns
        -------
        self : OnlinePCA

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> blocks = (np.random.default_rng(i).standard_normal((100, 5)) for i in range(10))
        >>> OnlinePCA(2).fit_stream(blocks, progress=False).n_samples_seen_
        1000
        """
        check_passes(passes, tol)
        if passes != 1 and resume:
            raise ValueError("passes needs a source of all rows: with resume=True, call refine with all of them later")
        if passes != 1:
            require_equal_rows(self)
            require_readable_again(source)
        preparation = Preparation(target_sum, log1p, feature_weights, feature_mask)
        blocks = StreamBlocks(preparation, sample_weight, on_bad_row, gaps=imputes(self))
        stream = open_source(source, batch_size, blocks.columns(columns), layer)
        learner = self if resume else self._without_rows()

        def add(block: Any, weights: Any, first_row: int) -> None:
            nonlocal learner
            learner._add(block, weights, stream_rows=stream.rows, first_row=first_row, passes=passes)
            if learner is not self and learner._fitted is not None:
                learner = self._learn_from(learner, learner._fitted)

        rows = for_each_block(stream, blocks, progress, add)
        if rows == blocks.skipped:
            raise ValueError("Found a stream of 0 sample(s) while a minimum of 1 is required by OnlinePCA.")
        blocks.warn_of_skipped(rows)

        def read_again() -> None:
            again = StreamBlocks(preparation, sample_weight, on_bad_row, gaps=imputes(self))
            refine_once(self, open_source(source, batch_size, again.columns(columns), layer), again, progress)

        if self._fitted is not None:  # unless all weights are 0
            more_passes(self, passes, tol, read_again)
            self._fitted.warn_of_few_rows()
        return self
