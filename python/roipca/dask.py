"""PCA of Dask arrays and dataframes: fits every partition where it is stored, and merges the models."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._merging import settled
from ._partitions import GROUP, Recipe
from ._sources import count_rows, optional
from ._types import ComponentNumber
from .online_pca import OnlinePCA

dask = optional("dask", "dask")


def fit(
    X: Any,
    n_components: ComponentNumber = None,
    *,
    sample_weight: Any = None,
    compute: bool = True,
    **options: Any,
) -> Any:
    """Fit an estimator to all rows of a Dask collection.

    Partitions may have any number of rows, even none. The result depends on how the rows are divided into
    partitions, but not on the number of workers, on the schedule, or on work that was lost and repeated. Tasks
    are named `roipca-fit` and `roipca-merge` on the dashboard.

    Parameters
    ----------
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features)
        Rows. Chunk sizes need not be known.
    n_components : int, float, "auto" or None, default=None
        As in `OnlinePCA`. None means min(n_samples, n_features).
    sample_weight : dask.array.Array or dask.dataframe.Series of shape (n_samples,), default=None
        Weights of the rows, with the same partitions as X. None means 1 for each row.
    compute : bool, default=True
        If False, return a `dask.delayed.Delayed` of the estimator, to compute later or to watch with
        `distributed.progress`.
    **options
        Other parameters of `OnlinePCA`, except `forgetting`.

    Returns
    -------
    pca : OnlinePCA
        Or a `Delayed` of it, if `compute` is False.

    Examples
    --------
    >>> import dask.array, roipca.dask
    >>> X = dask.array.random.default_rng(0).standard_normal((1000, 50), chunks=(300, 50))
    >>> pca = roipca.dask.fit(X, 3)
    >>> pca.n_samples_seen_, pca.components_.shape
    (1000, (3, 50))
    """
    recipe = Recipe.of({"n_components": n_components, **options}, _is_float32(X))
    token = dask.base.tokenize(X, sample_weight, recipe)
    X = _whole_rows(X)
    blocks = _partitions(X)
    task = dask.delayed(_fit_partition)
    weights = _weights(sample_weight, X, len(blocks))
    models = [
        task(recipe, number, block, of_block, dask_key_name=(f"roipca-fit-{token}", number))
        for number, (block, of_block) in enumerate(zip(blocks, weights, strict=True))
    ]
    # Fuses the task that reads or computes a partition with its fit, so that its rows are never sent.
    with dask.config.set({"optimization.fuse.delayed": True}):
        models = list(dask.optimize(*models))
    merged = _merged(recipe, models, token)
    pca = dask.delayed(_finish)(recipe, merged, _names(X), dask_key_name=f"roipca-finish-{token}")
    return pca.compute() if compute else pca


def transform(pca: OnlinePCA, X: Any) -> Any:
    """Return the scores of the rows of a Dask collection, computed lazily for each partition.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator. Rows that it learns later do not change the result.
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    scores : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_components_)
        The same type as X. A dataframe has the index of X and the columns of `get_feature_names_out`.

    Examples
    --------
    >>> import dask.array, roipca.dask
    >>> X = dask.array.random.default_rng(0).standard_normal((1000, 50), chunks=(300, 50))
    >>> roipca.dask.transform(roipca.dask.fit(X, 3), X).compute().shape
    (1000, 3)
    """
    pca = settled(pca)
    dtype, width = pca._learned.dtype, pca.n_components_
    shared = dask.delayed(pca)
    if hasattr(X, "columns"):
        return X.map_partitions(_frame_scores, shared, meta=_frame_scores(X._meta, pca))
    X = _whole_rows(X)
    return X.map_blocks(
        _scores, shared, dtype=dtype, chunks=(X.chunks[0], (width,)), meta=np.empty((0, width), dtype)
    )


def _whole_rows(X: Any) -> Any:
    """Return X with all features of a row in one chunk."""
    if not dask.is_dask_collection(X) or len(getattr(X, "shape", ())) != 2:
        raise TypeError(f"X must be a two-dimensional Dask array or dataframe, not {type(X).__name__}")
    return X if hasattr(X, "columns") or X.numblocks[1] == 1 else X.rechunk({1: -1})


def _is_float32(X: Any) -> bool:
    if hasattr(X, "columns"):
        return all(dtype == np.float32 for dtype in X.dtypes)
    return getattr(X, "dtype", None) == np.float32


def _names(X: Any) -> list[str] | None:
    names = list(getattr(X, "columns", ()))
    return names if names and all(isinstance(name, str) for name in names) else None


def _partitions(X: Any) -> list[Any]:
    return list(np.ravel(X.to_delayed()))


def _weights(weights: Any, X: Any, count: int) -> list[Any]:
    """Return the weights of each of the `count` partitions of X."""
    if weights is None:
        return [None] * count
    if not dask.is_dask_collection(weights) or getattr(weights, "ndim", 0) != 1:
        raise TypeError("sample_weight must be a one-dimensional Dask array or series")
    chunks, wanted = getattr(weights, "chunks", None), getattr(X, "chunks", None)
    if chunks is not None and wanted is not None and not math.isnan(sum(chunks[0]) + sum(wanted[0])):
        weights = weights.rechunk((wanted[0],))
    parts = _partitions(weights)
    if len(parts) != count:
        raise ValueError(f"sample_weight has {len(parts)} partitions, but X has {count}")
    return parts


def _merged(recipe: Recipe, models: list[Any], token: str) -> Any:
    task = dask.delayed(_merge_models)
    level = 0
    while level == 0 or len(models) > 1:
        models = [
            task(recipe, models[first : first + GROUP], dask_key_name=(f"roipca-merge-{token}", level, first))
            for first in range(0, len(models), GROUP)
        ]
        level += 1
    return models[0]


def _fit_partition(recipe: Recipe, number: int, X: Any, weights: Any) -> bytes | None:
    return recipe.fit(number, [(X, weights)])


def _merge_models(recipe: Recipe, models: list[bytes | None]) -> bytes | None:
    return recipe.merge(models)


def _finish(recipe: Recipe, model: bytes | None, names: list[str] | None) -> OnlinePCA:
    return recipe.finish(model, names)


def _scores(X: Any, pca: OnlinePCA) -> np.ndarray:
    if count_rows(X) == 0:
        return np.empty((0, pca.n_components_), pca._learned.dtype)
    return np.asarray(pca.transform(X))


def _frame_scores(X: Any, pca: OnlinePCA) -> Any:
    return type(X)(_scores(X, pca), index=X.index, columns=pca.get_feature_names_out())
