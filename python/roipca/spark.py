"""PCA of Spark dataframes: fits every partition where it is stored, and merges the models."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ._errors import DataError, missing_value
from ._merging import settled
from ._partitions import GROUP, Recipe
from ._rows import check_names
from ._sources import optional
from ._types import ComponentNumber
from .online_pca import OnlinePCA

pa = optional("pyarrow", "spark")
pd = optional("pandas", "spark")
F = optional("pyspark.sql.functions", "spark")
types = optional("pyspark.sql.types", "spark")

# A partition has a model or, if its rows are bad, the exception as pickle stores it.
_MODELS = "partition int, model binary, error binary"


def fit(
    df: Any,
    columns: str | Sequence[str],
    n_components: ComponentNumber = None,
    *,
    sample_weight: str | None = None,
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
    **options
        Other parameters of `OnlinePCA`, except `forgetting`.

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
    rows, is_float32 = _rows(df, columns)
    recipe = Recipe.of({"n_components": n_components, **options}, is_float32)
    weights = [] if sample_weight is None else [_column(df, sample_weight).cast("double").alias("weight")]
    models = df.select(rows.alias("row"), *weights).mapInArrow(_fit_partition(recipe), _MODELS)
    groups = models.groupBy((F.col("partition") / GROUP).cast("int"))
    found = _collect(groups.applyInPandas(_merge_group(recipe), _MODELS))
    in_order = [found.get(number) for number in range(max(found, default=-1) + 1)]
    return recipe.finish(recipe.merge(in_order), None if isinstance(columns, str) else list(columns))


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
    pca = settled(pca)
    if not isinstance(columns, str):
        check_names(pca, columns)
    pca.__dict__.pop("feature_names_in_", None)  # the rows have no names
    number = types.FloatType() if pca._learned.dtype == np.float32 else types.DoubleType()

    def scores(rows: pd.Series) -> pd.Series:  # type: ignore[name-defined]
        return pd.Series(list(pca.transform(np.stack(rows))))

    return df.withColumn(output, F.pandas_udf(scores, types.ArrayType(number))(_rows(df, columns)[0]))


def _rows(df: Any, columns: str | Sequence[str]) -> tuple[Any, bool]:
    """Return the features as one column of arrays, and whether they are float32."""
    if not isinstance(columns, str):
        chosen = [_column(df, name) for name in columns]
        is_float32 = all(isinstance(df.schema[name].dataType, types.FloatType) for name in columns)
        return F.array(*(column.cast(_number(is_float32)) for column in chosen)), is_float32
    column, kind = _column(df, columns), df.schema[columns].dataType
    if isinstance(kind, types.ArrayType):
        is_float32 = isinstance(kind.elementType, types.FloatType)
        return column.cast(f"array<{_number(is_float32)}>"), is_float32
    if kind.typeName() == "vectorudt":
        return optional("pyspark.ml.functions", "spark").vector_to_array(column), False
    raise ValueError(
        f"Column {columns!r} contains {kind.simpleString()}, not arrays or vectors; "
        "pass columns of numbers as a list"
    )


def _number(is_float32: bool) -> str:
    return "float" if is_float32 else "double"


def _column(df: Any, name: str) -> Any:
    if name not in df.columns:
        raise ValueError(f"There is no column {name!r}; the columns are {', '.join(map(repr, df.columns))}")
    return df["`" + name.replace("`", "``") + "`"]


def _fit_partition(recipe: Recipe) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        task: Any = TaskContext.get()
        number = task.partitionId()
        model = error = None
        try:
            model = recipe.fit(number, (_arrays(*batch.columns) for batch in batches))
        except ValueError as bad:
            error = pickle.dumps(bad)
        if model is not None or error is not None:
            columns = [pa.array([number], pa.int32()), pa.array([model], pa.binary()), pa.array([error], pa.binary())]
            yield pa.RecordBatch.from_arrays(columns, ["partition", "model", "error"])

    return run


def _arrays(rows: Any, weights: Any = None) -> tuple[np.ndarray, np.ndarray | None]:
    """Return a batch's column of lists as one array, without a copy."""
    if len(rows) == 0:
        return np.empty((0, 0)), None
    lengths = rows.value_lengths().to_numpy(zero_copy_only=False)  # a null row has NaN
    odd = np.flatnonzero(lengths != lengths[0])
    if rows.null_count > 0:
        raise missing_value(int(np.flatnonzero(np.isnan(lengths))[0]), "null")
    if len(odd) > 0:
        raise DataError(int(odd[0]), f"{lengths[odd[0]]} features, but {lengths[0]} were expected")
    X = rows.flatten().to_numpy(zero_copy_only=False).reshape(len(rows), -1)
    return X, None if weights is None else weights.to_numpy(zero_copy_only=False)


def _merge_group(recipe: Recipe) -> Callable[[Any], Any]:
    def run(models: Any) -> Any:
        group = int(models["partition"].iloc[0]) // GROUP
        bad = models[models["error"].notna()].sort_values("partition")
        if len(bad) > 0:
            return pd.DataFrame({"partition": [group], "model": [None], "error": [bad["error"].iloc[0]]})
        found = dict(zip(models["partition"] - group * GROUP, models["model"], strict=True))
        merged = recipe.merge([found.get(place) for place in range(GROUP)])
        return pd.DataFrame({"partition": [group], "model": [merged], "error": [None]})

    return run


def _collect(models: Any) -> dict[int, bytes]:
    """Return number -> model. Raises the error of the first partition whose rows are bad."""
    groups = sorted(models.collect(), key=lambda group: group["partition"])
    for group in groups:
        if group["error"] is not None:
            raise pickle.loads(group["error"])
    return {group["partition"]: bytes(group["model"]) for group in groups}
