"""Scores of sources of any size: block by block, to an iterator or to a file, in bounded memory."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from ._errors import in_rows
from ._fitted import Moment
from ._preparation import Preparation
from ._reader import Reader
from ._row_writers import row_writer
from ._source_files import refuse_input
from ._sources import Stream, count_rows, open_source, progress_bar
from ._types import FloatArray, MatrixLike

Source = str | os.PathLike[str] | MatrixLike | Iterable[MatrixLike]


class ScoreStreams:
    """`transform_stream` and `score_stream` of OnlinePCA."""

    def transform_stream(
        self,
        source: Source,
        out: str | os.PathLike[str] | None = None,
        *,
        batch_size: int | None = None,
        columns: Sequence[str] | None = None,
        layer: str | None = None,
        target_sum: float | None = None,
        log1p: bool = False,
        feature_weights: ArrayLike | None = None,
        feature_mask: ArrayLike | Sequence[str] | None = None,
        progress: bool = False,
    ) -> Iterator[FloatArray] | int:
        """Return the scores of rows that do not fit in memory, one block at a time.

        All blocks are scored by the components at the time of the call.

        Parameters
        ----------
        source : str, path or object
            Rows, as in `fit_stream`.
        out : str or path, default=None
            A `.npy` or `.parquet` file to write. It is replaced as a whole or not at all. None means an iterator.
        batch_size : int, default=None
            Number of rows to read at a time, as in `fit_stream`.
        columns : list of str, default=None
            Names of the columns to read, if the source is a table with names. None means all.
        layer : str, default=None
            Name of the layer of an AnnData file or store to read. None means its matrix `X`.
        target_sum : float, default=None
            This and the next three prepare counts, as in `fit_stream`.
        log1p : bool, default=False
            Replace each number x by log(1 + x).
        feature_weights : array-like of shape (n_features,), default=None
            Multiply each feature of the source by its weight.
        feature_mask : array-like of bool of shape (n_features,), or list of str, default=None
            Keep the features of the source for which this is true, or those of these names.
        progress : bool, default=False
            Show a progress bar.

        Returns
        -------
        scores : iterator of ndarray of shape (rows of the block, n_components_)
            Or the number of rows written, if `out` is given. The columns of a Parquet file have the names of
            `get_feature_names_out`.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.random.default_rng(0).standard_normal((1000, 5))
        >>> pca = OnlinePCA(2).fit(X)
        >>> [block.shape for block in pca.transform_stream(X, batch_size=400)]
        [(400, 2), (400, 2), (200, 2)]
        """
        moment = _moment(self)
        stream = open_source(source, batch_size, columns, layer)
        preparation = Preparation(target_sum, log1p, feature_weights, feature_mask)
        blocks = _results(stream, preparation, lambda X: np.asarray(moment.transform(X)), progress)
        if out is None:
            return blocks
        names = [str(name) for name in moment.get_feature_names_out()]
        return _write(out, source, blocks, names, moment._learned.dtype)

    def score_stream(
        self,
        source: Source,
        out: str | os.PathLike[str] | None = None,
        *,
        batch_size: int | None = None,
        columns: Sequence[str] | None = None,
        layer: str | None = None,
        target_sum: float | None = None,
        log1p: bool = False,
        feature_weights: ArrayLike | None = None,
        feature_mask: ArrayLike | Sequence[str] | None = None,
        progress: bool = False,
    ) -> Iterator[np.ndarray] | int:
        """Return T^2 and the squared prediction error of rows that do not fit in memory, one block at a time.

        All blocks are scored by the components at the time of the call.

        Parameters
        ----------
        source : str, path or object
            Rows, as in `fit_stream`.
        out : str or path, default=None
            A `.npy` or `.parquet` file to write. It is replaced as a whole or not at all. None means an iterator.
        batch_size : int, default=None
            Number of rows to read at a time, as in `fit_stream`.
        columns : list of str, default=None
            Names of the columns to read, if the source is a table with names. None means all.
        layer : str, default=None
            Name of the layer of an AnnData file or store to read. None means its matrix `X`.
        target_sum : float, default=None
            This and the next three prepare counts, as in `fit_stream`.
        log1p : bool, default=False
            Replace each number x by log(1 + x).
        feature_weights : array-like of shape (n_features,), default=None
            Multiply each feature of the source by its weight.
        feature_mask : array-like of bool of shape (n_features,), or list of str, default=None
            Keep the features of the source for which this is true, or those of these names.
        progress : bool, default=False
            Show a progress bar.

        Returns
        -------
        statistics : iterator of ndarray of shape (rows of the block, 2)
            `t2` and `spe` of each row. Or the number of rows written, if `out` is given. The columns of a Parquet file
            are named `t2` and `spe`.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.random.default_rng(0).standard_normal((1000, 5))
        >>> pca = OnlinePCA(2).fit(X)
        >>> [block.shape for block in pca.score_stream(X, batch_size=400)]
        [(400, 2), (400, 2), (200, 2)]
        """
        moment = _moment(self)
        stream = open_source(source, batch_size, columns, layer)
        preparation = Preparation(target_sum, log1p, feature_weights, feature_mask)
        blocks = _results(stream, preparation, lambda X: np.column_stack([moment.t2(X), moment.spe(X)]), progress)
        return blocks if out is None else _write(out, source, blocks, ["t2", "spe"], np.dtype(np.float64))


def _moment(estimator: Any) -> Reader:
    """Returns a copy that rows learned later do not change."""
    moment = copy.copy(cast(Reader, estimator))
    moment._fitted = Moment(estimator._shown)
    return moment.set_output(transform="default")


def _results(
    stream: Stream, preparation: Preparation, function: Callable[[Any], np.ndarray], progress: bool
) -> Iterator[np.ndarray]:
    rows = 0
    with progress_bar(stream.rows, progress) as bar:
        for block in stream.blocks:
            count = count_rows(block)
            if count == 0:
                continue
            with in_rows(rows, count):
                result = function(preparation.apply(block, rows) if preparation else block)
            yield result
            rows += count
            bar.update(count)


def _write(
    out: str | os.PathLike[str], source: Source, blocks: Iterator[np.ndarray], names: Sequence[str], dtype: np.dtype
) -> int:
    refuse_input(out, source)
    with row_writer(Path(out), names, dtype) as writer:
        for block in blocks:
            writer.write(block)
        return writer.rows
