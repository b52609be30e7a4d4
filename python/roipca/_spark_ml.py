"""An Estimator and a Model of `pyspark.ml`, for pipelines. `roipca.spark` shows them as PCA and PCAModel."""

from __future__ import annotations

import base64
import os
import tempfile
from typing import Any

import numpy as np

from . import spark
from ._sources import optional
from .online_pca import OnlinePCA

ml: Any = optional("pyspark.ml", "spark")
functions: Any = optional("pyspark.ml.functions", "spark")
linalg: Any = optional("pyspark.ml.linalg", "spark")
param: Any = optional("pyspark.ml.param", "spark")
shared: Any = optional("pyspark.ml.param.shared", "spark")
util: Any = optional("pyspark.ml.util", "spark")
keyword_only: Any = optional("pyspark", "spark").keyword_only

_TO = param.TypeConverters


class _Columns(shared.HasInputCol, shared.HasOutputCol):
    def setInputCol(self, value: str) -> Any:
        """Sets the column of vectors or arrays to read."""
        return self._set(inputCol=value)

    def setOutputCol(self, value: str) -> Any:
        """Sets the name of the column of scores, which are vectors."""
        return self._set(outputCol=value)


class PCA(ml.Estimator, _Columns, shared.HasWeightCol, util.DefaultParamsReadable, util.DefaultParamsWritable):
    """Principal components as a stage of a `pyspark.ml` pipeline, in the place of `pyspark.ml.feature.PCA`.

    Each partition is fitted where it is stored, and the models are merged, as `roipca.spark.fit` does. Unlike MLlib,
    `transform` subtracts the mean: scores differ from MLlib's by a constant (and perhaps by signs).

    Parameters
    ----------
    k : int
        Number of components.
    inputCol : str
        Column of vectors or arrays that contains all features.
    outputCol : str
        Name of the new column, which contains vectors of k scores.
    weightCol : str, default=None
        Column with the weights of the rows. None means 1 for each row.
    whiten : bool, default=False
        Scale the scores to unit variance.
    method : str, default="auto"
        As in `OnlinePCA`.

    Examples
    --------
    >>> from pyspark.ml.feature import VectorAssembler
    >>> from pyspark.sql import SparkSession
    >>> import roipca.spark
    >>> spark = SparkSession.builder.getOrCreate()
    >>> df = spark.range(100).selectExpr("double(id) AS x", "double(-2 * id) AS y")
    >>> df = VectorAssembler(inputCols=["x", "y"], outputCol="features").transform(df)
    >>> model = roipca.spark.PCA(k=1, inputCol="features", outputCol="scores").fit(df)
    >>> model.explainedVariance
    DenseVector([1.0])

    Setters do the same as arguments:

    >>> pca = roipca.spark.PCA().setK(1).setInputCol("features").setOutputCol("scores")
    >>> pca.fit(df).explainedVariance
    DenseVector([1.0])
    """

    k = param.Param(param.Params._dummy(), "k", "number of components", typeConverter=_TO.toInt)
    whiten = param.Param(param.Params._dummy(), "whiten", "scores of unit variance", typeConverter=_TO.toBoolean)
    method = param.Param(param.Params._dummy(), "method", "as in OnlinePCA", typeConverter=_TO.toString)

    @keyword_only
    def __init__(
        self,
        *,
        k: int | None = None,
        inputCol: str | None = None,
        outputCol: str | None = None,
        weightCol: str | None = None,
        whiten: bool = False,
        method: str = "auto",
    ) -> None:
        super().__init__()
        self._setDefault(whiten=False, method="auto")
        self._set(**{name: value for name, value in self._input_kwargs.items() if value is not None})

    def setK(self, value: int) -> PCA:
        """Sets the number of components."""
        return self._set(k=value)

    def _fit(self, dataset: Any) -> PCAModel:
        for name in ("k", "inputCol"):
            if not self.isDefined(name):
                raise ValueError(f"{name} is not set: pass it to PCA, or call set{name[0].upper()}{name[1:]}")
        weights = self.getOrDefault(self.weightCol) if self.isDefined(self.weightCol) else None
        pca = spark.fit(
            dataset,
            self.getInputCol(),
            self.getOrDefault(self.k),
            sample_weight=weights,
            whiten=self.getOrDefault(self.whiten),
            method=self.getOrDefault(self.method),
        )
        return self._copyValues(PCAModel()._set(model=_to_text(pca)))


class PCAModel(ml.Model, _Columns, util.DefaultParamsReadable, util.DefaultParamsWritable):
    """The result of `PCA.fit`: a transformer that adds a column of scores. It is saved with its components.

    Examples
    --------
    >>> from pyspark.ml.feature import VectorAssembler
    >>> from pyspark.sql import SparkSession
    >>> import roipca.spark
    >>> spark = SparkSession.builder.getOrCreate()
    >>> df = spark.range(100).selectExpr("double(id) AS x", "double(-2 * id) AS y")
    >>> df = VectorAssembler(inputCols=["x", "y"], outputCol="features").transform(df)
    >>> model = roipca.spark.PCA(k=1).setInputCol("features").setOutputCol("scores").fit(df)
    >>> model.transform(df).columns
    ['x', 'y', 'features', 'scores']
    >>> model.setInputCol("features").setOutputCol("position").transform(df).columns[-1]
    'position'
    >>> model.explainedVariance
    DenseVector([1.0])
    >>> model.pc.numRows, model.pc.numCols, model.pca.n_samples_seen_
    (2, 1, 100)
    """

    model = param.Param(
        param.Params._dummy(), "model", "model file, in base64", typeConverter=_TO.toString
    )

    @property
    def pca(self) -> OnlinePCA:
        """The estimator, for everything that `OnlinePCA` can do."""
        return _from_text(self.getOrDefault(self.model))

    @property
    def pc(self) -> Any:
        """The components, one per column, as MLlib's `PCAModel.pc`."""
        components = np.asarray(self.pca.components_, np.float64)
        return linalg.DenseMatrix(components.shape[1], components.shape[0], components.ravel().tolist())

    @property
    def explainedVariance(self) -> Any:
        """The fraction of the variance that each component explains, as MLlib's `PCAModel.explainedVariance`."""
        return linalg.DenseVector(self.pca.explained_variance_ratio_)

    def _transform(self, dataset: Any) -> Any:
        output = self.getOutputCol()
        scored = spark.transform(self.pca, dataset, self.getInputCol(), output)
        return scored.withColumn(output, functions.array_to_vector(scored[f"`{output}`"]))


def _to_text(pca: OnlinePCA) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        pca.save(path)
        with open(path, "rb") as file:
            return base64.b64encode(file.read()).decode()


def _from_text(text: str) -> OnlinePCA:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        with open(path, "wb") as file:
            file.write(base64.b64decode(text))
        return OnlinePCA.load(path)
