"""PCA of Spark dataframes: fits every partition where it is stored, and merges the models."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ._errors import DataError, missing_value
from ._merging import settled
from ._partitions import Recipe, group_size
from ._passes import check_passes
from ._rows import check_names
from ._sources import optional
from ._types import ComponentNumber
from .online_pca import OnlinePCA

if TYPE_CHECKING:
    from ._spark_ml import PCA, PCAModel
    from ._spark_streaming import StreamingPCA

__all__ = [
    "PCA",
    "PCAModel",
    "StreamingPCA",
    "fit",
    "inverse_transform",
    "score_samples",
    "spe",
    "t2",
    "transform",
]

pa = optional("pyarrow", "spark")
pd = optional("pandas", "spark")
F = optional("pyspark.sql.functions", "spark")
types = optional("pyspark.sql.types", "spark")

# A partition has a model or, if its rows are bad, the exception as pickle stores it. The size is that of a model of
# many rows: models of few rows are smaller, and grow when they are merged.
_MODELS = "partition int, model binary, error binary, size long"


def fit(
    df: Any,
    columns: str | Sequence[str],
    n_components: ComponentNumber = None,
    *,
    sample_weight: str | None = None,
    passes: int | Literal["auto"] = 1,
    tol: float = 1e-6,
    **options: Any,
) -> OnlinePCA:
    """Fit an estimator to all rows of a Spark dataframe.

    Rows reach Python as Arrow batches. Partitions may have any number of rows, even none. The result depends
    on how the rows are divided into partitions, but not on the schedule. Bad rows raise the ValueError of
    `OnlinePCA.partial_fit`, which names the partition and the row in it.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        Rows.
    columns : list of str, or str
        The columns of numbers that are the features, or one column of arrays or vectors
        (`pyspark.ml.linalg`) that contains all features.
    n_components : int, float, "auto" or None, default=None
        As in `OnlinePCA`. None means min(rows, features).
    sample_weight : str, default=None
        The column with the weights of the rows. None means 1 for each row.
    passes : int or "auto", default=1
        Number of passes over the dataframe. After the first, each is a `refine` of the merged model, in a Spark job of
        its own, which computes the dataframe again unless it is cached. "auto" as in `OnlinePCA.fit_stream`, where
        `method="auto"` is exact, in one pass, for up to 1,024 features.
    tol : float, default=1e-6
        Subspace error at which `passes="auto"` stops.
    **options
        Other parameters of `OnlinePCA`, except `forgetting` and `window`.

    Returns
    -------
    pca : OnlinePCA

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> import roipca.spark
    >>> spark = SparkSession.builder.getOrCreate()
    >>> df = spark.range(100).selectExpr("double(id) AS x", "double(-2 * id) AS y")
    >>> roipca.spark.fit(df, ["x", "y"], 1).mean_
    array([ 49.5, -99. ])
    """
    check_passes(passes, tol)
    chosen, is_float32 = chosen_rows(df, columns, sample_weight)
    recipe = Recipe.of({"n_components": n_components, **options}, is_float32, passes != 1)
    pca = recipe.finish(fitted(chosen, recipe), None if isinstance(columns, str) else list(columns))
    return recipe.more_passes(pca, passes, tol, lambda model, _: _refined(chosen, recipe, model))


def transform(pca: OnlinePCA, df: Any, columns: str | Sequence[str], output: str = "scores") -> Any:
    """Return a Spark dataframe with the scores of its rows, computed lazily for each partition.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator. Rows that it learns later do not change the result.
    df : pyspark.sql.DataFrame
        Rows.
    columns : list of str, or str
        As for `fit`.
    output : str, default="scores"
        Name of the new column, which contains arrays of n_components_ numbers.

    Returns
    -------
    df : pyspark.sql.DataFrame
        With all columns of the input and the scores.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> import roipca.spark
    >>> spark = SparkSession.builder.getOrCreate()
    >>> df = spark.range(3).selectExpr("double(id) AS x", "double(-2 * id) AS y")
    >>> pca = roipca.spark.fit(df, ["x", "y"], 1)
    >>> roipca.spark.transform(pca, df, ["x", "y"]).columns
    ['x', 'y', 'scores']
    """
    return _with_arrays(df, _rows(df, columns)[0], output, _nameless(pca, columns), "transform")


def inverse_transform(pca: OnlinePCA, df: Any, scores: str = "scores", output: str = "rows") -> Any:
    """Return a Spark dataframe with the rows that have these scores, computed lazily for each partition.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator. Rows that it learns later do not change the result.
    df : pyspark.sql.DataFrame
        Scores.
    scores : str, default="scores"
        The column of arrays or vectors that contains the scores, as `transform` returns them.
    output : str, default="rows"
        Name of the new column, which contains arrays of n_features_in_ numbers.

    Returns
    -------
    df : pyspark.sql.DataFrame
        With all columns of the input and the rows.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> import roipca.spark
    >>> spark = SparkSession.builder.getOrCreate()
    >>> df = spark.range(3).selectExpr("double(id) AS x", "double(-2 * id) AS y")
    >>> pca = roipca.spark.fit(df, ["x", "y"], 1)
    >>> scored = roipca.spark.transform(pca, df, ["x", "y"])
    >>> roipca.spark.inverse_transform(pca, scored).columns
    ['x', 'y', 'scores', 'rows']
    """
    return _with_arrays(df, _rows(df, scores)[0], output, _nameless(pca, scores), "inverse_transform")


def t2(pca: OnlinePCA, df: Any, columns: str | Sequence[str], output: str = "t2") -> Any:
    """Return a Spark dataframe with Hotelling's T^2 of its rows, computed lazily for each partition.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator. Rows that it learns later do not change the result.
    df : pyspark.sql.DataFrame
        Rows.
    columns : list of str, or str
        As for `fit`.
    output : str, default="t2"
        Name of the new column, which contains the numbers that `OnlinePCA.t2` returns.

    Returns
    -------
    df : pyspark.sql.DataFrame
        With all columns of the input and the new one.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> import roipca.spark
    >>> spark = SparkSession.builder.getOrCreate()
    >>> df = spark.range(3).selectExpr("double(id) AS x", "double(-2 * id) AS y")
    >>> roipca.spark.t2(roipca.spark.fit(df, ["x", "y"], 1), df, ["x", "y"]).columns
    ['x', 'y', 't2']
    """
    return _with_numbers(df, _rows(df, columns)[0], output, _nameless(pca, columns), "t2")


def spe(pca: OnlinePCA, df: Any, columns: str | Sequence[str], output: str = "spe") -> Any:
    """Return a Spark dataframe with the squared prediction errors of its rows, computed lazily for each partition.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator. Rows that it learns later do not change the result.
    df : pyspark.sql.DataFrame
        Rows.
    columns : list of str, or str
        As for `fit`.
    output : str, default="spe"
        Name of the new column, which contains the numbers that `OnlinePCA.spe` returns.

    Returns
    -------
    df : pyspark.sql.DataFrame
        With all columns of the input and the new one.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> import roipca.spark
    >>> spark = SparkSession.builder.getOrCreate()
    >>> df = spark.range(3).selectExpr("double(id) AS x", "double(-2 * id) AS y")
    >>> roipca.spark.spe(roipca.spark.fit(df, ["x", "y"], 1), df, ["x", "y"]).columns
    ['x', 'y', 'spe']
    """
    return _with_numbers(df, _rows(df, columns)[0], output, _nameless(pca, columns), "spe")


def score_samples(
    pca: OnlinePCA, df: Any, columns: str | Sequence[str], output: str = "log_likelihood"
) -> Any:
    """Return a Spark dataframe with the log-likelihoods of its rows, computed lazily for each partition.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator. Rows that it learns later do not change the result.
    df : pyspark.sql.DataFrame
        Rows.
    columns : list of str, or str
        As for `fit`.
    output : str, default="log_likelihood"
        Name of the new column, which contains the numbers that `OnlinePCA.score_samples` returns.

    Returns
    -------
    df : pyspark.sql.DataFrame
        With all columns of the input and the new one.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> import roipca.spark
    >>> spark = SparkSession.builder.getOrCreate()
    >>> df = spark.range(3).selectExpr("double(id) AS x", "double(-2 * id) AS y")
    >>> roipca.spark.score_samples(roipca.spark.fit(df, ["x", "y"], 1), df, ["x", "y"]).columns
    ['x', 'y', 'log_likelihood']
    """
    return _with_numbers(df, _rows(df, columns)[0], output, _nameless(pca, columns), "score_samples")


def chosen_rows(df: Any, columns: str | Sequence[str], sample_weight: str | None) -> tuple[Any, bool]:
    """Return the rows, as one column of arrays, with their weights if there are any, and whether they are float32."""
    rows, is_float32 = _rows(df, columns)
    weights = [] if sample_weight is None else [_column(df, sample_weight)[0].cast("double").alias("weight")]
    return df.select(rows.alias("row"), *weights), is_float32


def fitted(chosen: Any, recipe: Recipe) -> bytes | None:
    """Return the model of the rows that `chosen_rows` returned, or None if there are none."""
    return _merged(chosen, recipe.fit, recipe.merge, recipe.model_bytes)


def _nameless(pca: OnlinePCA, columns: str | Sequence[str]) -> OnlinePCA:
    """Return the model of this moment for rows without names, after a check that the columns are its features."""
    pca = settled(pca)
    if not isinstance(columns, str):
        check_names(pca, columns)
    pca.__dict__.pop("feature_names_in_", None)
    return pca


def _with_arrays(df: Any, rows: Any, output: str, pca: OnlinePCA, method: str) -> Any:
    """Adds a column of arrays. None of them contains a null, which MLlib's functions for arrays require."""
    number = types.FloatType() if pca._learned.dtype == np.float32 else types.DoubleType()

    def function(rows: pd.Series) -> pd.Series:  # type: ignore[name-defined]
        return pd.Series(list(getattr(pca, method)(_stacked(rows)))) if len(rows) else pd.Series([], dtype=object)

    return df.withColumn(output, F.pandas_udf(function, types.ArrayType(number, containsNull=False))(rows))


def _with_numbers(df: Any, rows: Any, output: str, pca: OnlinePCA, method: str) -> Any:
    def function(rows: pd.Series) -> pd.Series:  # type: ignore[name-defined]
        return pd.Series(getattr(pca, method)(_stacked(rows)) if len(rows) else [], dtype=np.float64)

    return df.withColumn(output, F.pandas_udf(function, types.DoubleType())(rows))


def _stacked(rows: Any) -> np.ndarray:
    """Return a batch's series of arrays as one array."""
    _check_lengths(np.array([np.nan if row is None else len(row) for row in rows]))
    return np.stack(rows)


def _rows(df: Any, columns: str | Sequence[str]) -> tuple[Any, bool]:
    """Return the features as one column of arrays, and whether they are float32."""
    if not isinstance(columns, str):
        chosen = [_column(df, name) for name in columns]
        is_float32 = all(isinstance(kind, types.FloatType) for _, kind in chosen)
        return F.array(*(column.cast(_number(is_float32)) for column, _ in chosen)), is_float32
    column, kind = _column(df, columns)
    if isinstance(kind, types.ArrayType):
        is_float32 = isinstance(kind.elementType, types.FloatType)
        return column.cast(f"array<{_number(is_float32)}>"), is_float32
    if kind.typeName() == "vectorudt":
        as_array = optional("pyspark.ml.functions", "spark").vector_to_array
        return F.when(column.isNotNull(), as_array(column)), False
    raise ValueError(
        f"Column {columns!r} contains {kind.simpleString()}, not arrays or vectors; "
        "pass columns of numbers as a list"
    )


def _number(is_float32: bool) -> str:
    return "float" if is_float32 else "double"


def _column(df: Any, name: str) -> tuple[Any, Any]:
    """Return the column of this name, or else the one that Spark finds (in a struct, in another case), and its type."""
    column = F.col("`" + name.replace("`", "``") + "`" if name in df.columns else name)
    try:
        return column, df.select(column).schema[0].dataType
    except optional("pyspark.errors", "spark").AnalysisException as error:
        known = ", ".join(map(repr, df.columns))
        raise ValueError(f"There is no column {name!r}; the columns are {known}") from error


def _refined(chosen: Any, recipe: Recipe, model: bytes) -> bytes:
    """Return the model after one more pass over all partitions."""

    def refine(number: int, blocks: Iterator[Any]) -> bytes:
        return recipe.refine(number, model, blocks)

    def merge(states: Sequence[bytes | None]) -> bytes:
        return recipe.merge_refinements(model, states)

    state = _merged(chosen, refine, merge, lambda _: 0)  # the states of all partitions have the same size
    return model if state is None else recipe.finish_refinement(model, state)


def _for_each_partition(
    work: Callable[..., bytes | None], size_of: Callable[[int], int]
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        task: Any = TaskContext.get()
        number = task.partitionId()
        model = error = None
        features = 0

        def blocks() -> Iterator[Any]:
            nonlocal features
            for batch in batches:
                block = _arrays(*batch.columns)
                features = max(features, block[0].shape[1])
                yield block

        try:
            model = work(number, blocks())
        except ValueError as bad:
            error = pickle.dumps(bad)
        if model is not None or error is not None:
            size = 0 if model is None else max(len(model), size_of(features))
            columns = [[number], [model], [error], [size]]
            kinds = [pa.int32(), pa.binary(), pa.binary(), pa.int64()]
            arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, ["partition", "model", "error", "size"])

    return run


def _arrays(rows: Any, weights: Any = None) -> tuple[np.ndarray, np.ndarray | None]:
    """Return a batch's column of lists as one array, without a copy."""
    if len(rows) == 0:
        return np.empty((0, 0)), None
    _check_lengths(rows.value_lengths().to_numpy(zero_copy_only=False))
    X = rows.flatten().to_numpy(zero_copy_only=False).reshape(len(rows), -1)
    return X, None if weights is None else weights.to_numpy(zero_copy_only=False)


def _check_lengths(lengths: np.ndarray) -> None:
    """Raises DataError unless all rows have the same number of features. NaN is the length of a row that is null."""
    missing = np.flatnonzero(np.isnan(lengths))
    if len(missing) > 0:
        raise missing_value(int(missing[0]), "null")
    odd = np.flatnonzero(lengths != lengths[0])
    if len(odd) > 0:
        raise DataError(int(odd[0]), f"{lengths[odd[0]]:.0f} features, but {lengths[0]:.0f} were expected")


def _merged(
    chosen: Any,
    work: Callable[..., bytes | None],
    merge: Callable[[Sequence[bytes | None]], bytes | None],
    size_of: Callable[[int], int],
) -> bytes | None:
    """Return the merged results of `work`, such as the model of all partitions.

    The executors merge groups of models until the driver can merge the rest.

    The models of the partitions are kept on the executors, so that nothing is fitted twice: their number and size
    say how many levels there are, and how many models one task can hold. `size_of` returns the bytes of a model
    of many rows from its number of features.
    """
    # On disk, because each is read once, and memory would be taken from the merges and from rows that are cached.
    disk = optional("pyspark", "spark").StorageLevel.DISK_ONLY
    models = chosen.mapInArrow(_for_each_partition(work, size_of), _MODELS).persist(disk)
    try:
        bad = F.when(F.col("error").isNotNull(), F.col("partition"))
        sizes = F.least(F.max("size"), F.sum(F.length("model")))  # a merged model is never longer than its parts
        [(last, size, error)] = models.agg(F.max("partition"), sizes, F.min_by("error", bad)).collect()
        if error is not None:
            raise pickle.loads(error)
        if last is None:
            return None
        group = group_size(size)
        level = models
        while last >= group:
            level = level.groupBy((F.col("partition") / group).cast("int")).applyInPandas(
                _merge_group(merge, group), _MODELS
            )
            last //= group
        found = {part["partition"]: bytes(part["model"]) for part in level.collect()}
        return merge([found.get(number) for number in range(last + 1)])
    finally:
        models.unpersist()


def _merge_group(merge: Callable[[Sequence[bytes | None]], bytes | None], size: int) -> Callable[[Any], Any]:
    def run(models: Any) -> Any:
        group = int(models["partition"].iloc[0]) // size
        found = dict(zip(models["partition"] - group * size, models["model"], strict=True))
        merged = merge([found.get(place) for place in range(size)])
        return pd.DataFrame({"partition": [group], "model": [merged], "error": [None], "size": [0]})

    return run


def __getattr__(name: str) -> Any:
    # Imported when first used, because pyspark.ml takes a while, and functions above are used there.
    if name in ("PCA", "PCAModel"):
        return getattr(importlib.import_module("._spark_ml", __package__), name)
    if name == "StreamingPCA":
        return importlib.import_module("._spark_streaming", __package__).StreamingPCA
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
