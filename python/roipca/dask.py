"""PCA of Dask arrays and dataframes: fits every partition where it is stored, and merges the models."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from scipy.sparse import issparse

from ._merging import settled
from ._partitions import Recipe, group_size
from ._passes import check_passes
from ._sources import count_rows, optional
from ._types import ComponentNumber
from .online_pca import OnlinePCA

if TYPE_CHECKING:
    from dask.delayed import Delayed

__all__ = ["fit", "inverse_transform", "score_samples", "spe", "t2", "transform"]

dask = optional("dask", "dask")


@overload
def fit(
    X: Any,
    n_components: int | float | None = None,
    *,
    sample_weight: Any = None,
    compute: Literal[True] = True,
    passes: int | Literal["auto"] = 1,
    tol: float = 1e-6,
    **options: Any,
) -> OnlinePCA: ...


@overload
def fit(
    X: Any,
    n_components: int | float | None = None,
    *,
    sample_weight: Any = None,
    compute: Literal[False],
    passes: int | Literal["auto"] = 1,
    tol: float = 1e-6,
    **options: Any,
) -> Delayed: ...


def fit(
    X: Any,
    n_components: ComponentNumber = None,
    *,
    sample_weight: Any = None,
    compute: bool = True,
    passes: int | Literal["auto"] = 1,
    tol: float = 1e-6,
    **options: Any,
) -> OnlinePCA | Delayed:
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
        `distributed.progress`. For one pass only.
    passes : int or "auto", default=1
        Number of passes over all partitions. After the first, each is a `refine` of the merged model, in tasks named
        `roipca-refine`, and reads or computes the partitions again, unless they are persisted. "auto" as in
        `OnlinePCA.fit_stream`, where `method="auto"` is exact, in one pass, for up to 1,024 features.
    tol : float, default=1e-6
        Subspace error at which `passes="auto"` stops.
    **options
        Other parameters of `OnlinePCA`, except `forgetting` and `window`.

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
    check_passes(passes, tol)
    if passes != 1 and not compute:
        raise ValueError("compute=False is for one pass: leave passes at 1")
    has_more_passes = passes != 1 and not issparse(getattr(X, "_meta", None))
    recipe = Recipe.of({"n_components": n_components, **options}, _is_float32(X), has_more_passes)
    token = dask.base.tokenize(X, sample_weight, recipe)
    X = _whole_rows(X)
    pca = _fit_lazily(recipe, X, sample_weight, token)
    if not compute:
        return pca

    def refine(model: bytes, number: int) -> bytes:
        return _refine_lazily(recipe, model, X, sample_weight, f"{token}-{number}").compute()

    return recipe.more_passes(pca.compute(), passes, tol, refine)


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
    return _rows_from_rows(pca, X, _scores, list(pca.get_feature_names_out()))


def inverse_transform(pca: OnlinePCA, X: Any) -> Any:
    """Return rows from their scores, computed lazily for each partition.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator. Rows that it learns later do not change the result.
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_components_)
        Scores, as `transform` returns them.

    Returns
    -------
    rows : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features_in_)
        The same type as X. A dataframe has the index of X and the names of the features.

    Examples
    --------
    >>> import dask.array, roipca.dask
    >>> X = dask.array.random.default_rng(0).standard_normal((1000, 50), chunks=(300, 50))
    >>> pca = roipca.dask.fit(X, 3)
    >>> roipca.dask.inverse_transform(pca, roipca.dask.transform(pca, X)).shape
    (1000, 50)
    """
    pca = settled(pca)
    names = getattr(pca, "feature_names_in_", [f"x{j}" for j in range(pca.n_features_in_)])
    return _rows_from_rows(pca, X, _reconstructed, list(names))


def t2(pca: OnlinePCA, X: Any) -> Any:
    """Return Hotelling's T^2 of each row of a Dask collection, computed lazily for each partition.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator. Rows that it learns later do not change the result.
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    t2 : dask.array.Array or dask.dataframe.Series of shape (n_samples,)
        As `OnlinePCA.t2` returns it. A series has the index of X.

    Examples
    --------
    >>> import dask.array, roipca.dask
    >>> X = dask.array.random.default_rng(0).standard_normal((1000, 50), chunks=(300, 50))
    >>> roipca.dask.t2(roipca.dask.fit(X, 3), X).shape
    (1000,)
    """
    return _number_per_row(pca, X, "t2")


def spe(pca: OnlinePCA, X: Any) -> Any:
    """Return the squared prediction error of each row of a Dask collection, computed lazily for each partition.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator. Rows that it learns later do not change the result.
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    spe : dask.array.Array or dask.dataframe.Series of shape (n_samples,)
        As `OnlinePCA.spe` returns it. A series has the index of X.

    Examples
    --------
    >>> import dask.array, roipca.dask
    >>> X = dask.array.random.default_rng(0).standard_normal((1000, 50), chunks=(300, 50))
    >>> roipca.dask.spe(roipca.dask.fit(X, 3), X).shape
    (1000,)
    """
    return _number_per_row(pca, X, "spe")


def score_samples(pca: OnlinePCA, X: Any) -> Any:
    """Return the log-likelihood of each row of a Dask collection, computed lazily for each partition.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator. Rows that it learns later do not change the result.
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    log_likelihood : dask.array.Array or dask.dataframe.Series of shape (n_samples,)
        As `OnlinePCA.score_samples` returns it. A series has the index of X.

    Examples
    --------
    >>> import dask.array, roipca.dask
    >>> X = dask.array.random.default_rng(0).standard_normal((1000, 50), chunks=(300, 50))
    >>> roipca.dask.score_samples(roipca.dask.fit(X, 3), X).shape
    (1000,)
    """
    return _number_per_row(pca, X, "score_samples")


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


def _fit_lazily(recipe: Recipe, X: Any, weights: Any, token: str) -> Delayed:
    """Return the estimator of all rows: one graph made by hand, because `dask.delayed` joins graphs at each call."""
    spec = optional("dask._task_spec", "dask")
    graph, blocks = _blocks(X)
    of_weights, weight_of = _weights(weights, X, len(blocks))
    graph.update(of_weights)
    models: list[Any] = [(f"roipca-fit-{token}", number) for number in range(len(blocks))]
    for number, (model, block, weight) in enumerate(zip(models, blocks, weight_of, strict=True)):
        of_block = None if weight is None else spec.TaskRef(weight)
        graph[model] = spec.Task(model, _fit_partition, recipe, number, spec.TaskRef(block), of_block)
    graph = _fused(graph, models)
    group = group_size(recipe.model_bytes(X.shape[1]))
    merged = _add_merges(graph, models, f"roipca-merge-{token}", group, _merge_models, recipe)
    last = f"roipca-finish-{token}"
    graph[last] = spec.Task(last, _finish, recipe, spec.TaskRef(merged), _names(X))
    return optional("dask.delayed", "dask").Delayed(last, graph)


def _refine_lazily(recipe: Recipe, model: bytes, X: Any, weights: Any, token: str) -> Delayed:
    """Return the model after one more pass over all rows, as bytes."""
    spec = optional("dask._task_spec", "dask")
    graph, blocks = _blocks(X)
    of_weights, weight_of = _weights(weights, X, len(blocks))
    graph.update(of_weights)
    shared = f"roipca-model-{token}"
    graph[shared] = spec.DataNode(shared, model)
    states: list[Any] = [(f"roipca-refine-{token}", number) for number in range(len(blocks))]
    for number, (state, block, weight) in enumerate(zip(states, blocks, weight_of, strict=True)):
        of_block = None if weight is None else spec.TaskRef(weight)
        arguments = (recipe, spec.TaskRef(shared), number, spec.TaskRef(block), of_block)
        graph[state] = spec.Task(state, _refine_partition, *arguments)
    graph = _fused(graph, states)
    group = group_size(2 * recipe.model_bytes(X.shape[1]))
    merged = _add_merges(
        graph, states, f"roipca-merge-{token}", group, _merge_refinements, recipe, spec.TaskRef(shared)
    )
    last = f"roipca-finish-{token}"
    graph[last] = spec.Task(last, _finish_refinement, recipe, spec.TaskRef(shared), spec.TaskRef(merged))
    return optional("dask.delayed", "dask").Delayed(last, graph)


def _add_merges(
    graph: dict[Any, Any], parts: list[Any], name: str, group: int, merge: Any, *arguments: Any
) -> Any:
    """Adds tasks that merge groups of neighbours until one is left, and returns its key."""
    spec = optional("dask._task_spec", "dask")
    level = 0
    while level == 0 or len(parts) > 1:
        merged = [(name, level, first) for first in range(0, len(parts), group)]
        for key in merged:
            of_group = spec.List(*map(spec.TaskRef, parts[key[2] : key[2] + group]))
            graph[key] = spec.Task(key, merge, *arguments, of_group)
        parts = merged
        level += 1
    return parts[0]


def _fused(graph: dict[Any, Any], wanted: list[Any]) -> dict[Any, Any]:
    """Joins the task that reads or computes a partition with its fit, so that its rows are never sent."""
    with dask.config.set({"optimization.fuse.delayed": True}):
        return dict(optional("dask.delayed", "dask").optimize(graph, wanted))


def _blocks(X: Any) -> tuple[dict[Any, Any], list[Any]]:
    """Return the tasks of a collection, optimized, and the keys of its partitions."""
    parts = list(np.ravel(X.to_delayed()))  # all share one graph
    return dict(parts[0].dask), [part.key for part in parts]


def _weights(weights: Any, X: Any, count: int) -> tuple[dict[Any, Any], list[Any]]:
    """Return the tasks of the weights, and their keys for each of the `count` partitions of X."""
    if weights is None:
        return {}, [None] * count
    if not dask.is_dask_collection(weights) or getattr(weights, "ndim", 0) != 1:
        raise TypeError("sample_weight must be a one-dimensional Dask array or series")
    chunks, wanted = getattr(weights, "chunks", None), getattr(X, "chunks", None)
    if chunks is not None and wanted is not None and not math.isnan(sum(chunks[0]) + sum(wanted[0])):
        weights = weights.rechunk((wanted[0],))
    graph, parts = _blocks(weights)
    if len(parts) != count:
        raise ValueError(f"sample_weight has {len(parts)} partitions, but X has {count}")
    return graph, parts


def _refine_partition(recipe: Recipe, model: bytes, number: int, X: Any, weights: Any) -> bytes:
    return recipe.refine(number, model, [(X, weights)])


def _merge_refinements(recipe: Recipe, model: bytes, states: list[bytes]) -> bytes:
    return recipe.merge_refinements(model, states)


def _finish_refinement(recipe: Recipe, model: bytes, state: bytes) -> bytes:
    return recipe.finish_refinement(model, state)


def _fit_partition(recipe: Recipe, number: int, X: Any, weights: Any) -> bytes | None:
    return recipe.fit(number, [(X, weights)])


def _merge_models(recipe: Recipe, models: list[bytes | None]) -> bytes | None:
    return recipe.merge(models)


def _finish(recipe: Recipe, model: bytes | None, names: list[str] | None) -> OnlinePCA:
    return recipe.finish(model, names)


def _rows_from_rows(pca: OnlinePCA, X: Any, function: Any, names: list[str]) -> Any:
    """Applies a function that returns one row of these names for each row."""
    shared = dask.delayed(pca)
    if hasattr(X, "columns"):
        meta = _frame(X._meta, pca, function, names)
        return X.map_partitions(_frame, shared, function, names, meta=meta)
    X = _whole_rows(X)
    dtype, width = pca._learned.dtype, len(names)
    return X.map_blocks(
        function, shared, dtype=dtype, chunks=(X.chunks[0], (width,)), meta=np.empty((0, width), dtype)
    )


def _number_per_row(pca: OnlinePCA, X: Any, name: str) -> Any:
    pca = settled(pca)
    shared = dask.delayed(pca)
    if hasattr(X, "columns"):
        return X.map_partitions(_series, shared, name, meta=_series(X._meta, pca, name))
    X = _whole_rows(X)
    return X.map_blocks(
        _numbers, shared, name, drop_axis=1, dtype=np.float64, chunks=(X.chunks[0],), meta=np.empty(0)
    )


def _scores(X: Any, pca: OnlinePCA) -> np.ndarray:
    if count_rows(X) == 0:
        return np.empty((0, pca.n_components_), pca._learned.dtype)
    return np.asarray(pca.transform(X))


def _reconstructed(X: Any, pca: OnlinePCA) -> np.ndarray:
    if count_rows(X) == 0:
        return np.empty((0, pca.n_features_in_), pca._learned.dtype)
    return np.asarray(pca.inverse_transform(X))


def _numbers(X: Any, pca: OnlinePCA, name: str) -> np.ndarray:
    return np.empty(0) if count_rows(X) == 0 else getattr(pca, name)(X)


def _frame(X: Any, pca: OnlinePCA, function: Any, names: list[str]) -> Any:
    return type(X)(function(X, pca), index=X.index, columns=names)


def _series(X: Any, pca: OnlinePCA, name: str) -> Any:
    return X._constructor_sliced(_numbers(X, pca, name), index=X.index, name=name)
