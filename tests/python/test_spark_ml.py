"""PCA as a stage of pyspark.ml pipelines."""

import doctest
import os
import shutil

import numpy as np
import pytest
from oracle import batch_components, subspace_error

pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install 'roipca[spark]'")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java, which is not installed", allow_module_level=True)

from test_spark import cut, session

import roipca.spark
from roipca import _spark_ml

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")


@pytest.fixture(scope="module")
def spark():
    spark = session("local[2]")
    yield spark
    spark.stop()


@pytest.fixture(scope="module")
def df(spark):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 4)) * [4.0, 2.0, 1.0, 0.5] + 3
    return cut(spark, np.column_stack([X, X @ [1.0, -1.0, 0.5, 0.0]]), 120, 80, names=[*"abcd", "label"]), X


def test_it_takes_mllibs_place_in_a_pipeline_that_is_saved_and_loaded(df, tmp_path):
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.feature import VectorAssembler
    from pyspark.ml.regression import LinearRegression

    rows, X = df
    stages = [
        VectorAssembler(inputCols=list("abcd"), outputCol="features"),
        roipca.spark.PCA(k=3, inputCol="features", outputCol="scores"),
        LinearRegression(featuresCol="scores", labelCol="label"),
    ]
    pipeline = Pipeline(stages=stages)
    pipeline.write().overwrite().save(str(tmp_path / "pipeline"))
    model = Pipeline.load(str(tmp_path / "pipeline")).fit(rows)
    model.write().overwrite().save(str(tmp_path / "model"))
    loaded = PipelineModel.load(str(tmp_path / "model"))

    stage = loaded.stages[1]
    truth = batch_components(X, 3)
    assert subspace_error(truth, stage.pc.toArray().T) < 1e-20
    variance = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    np.testing.assert_allclose(stage.explainedVariance.toArray(), (variance / variance.sum())[:3], rtol=1e-9)
    found = loaded.transform(rows).toPandas()
    scores = np.stack([row.toArray() for row in found["scores"]])
    np.testing.assert_allclose(scores, (X - X.mean(axis=0)) @ stage.pc.toArray(), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found["prediction"], found["label"], atol=0.5)  # the fourth direction is left out


def test_a_cross_validator_chooses_the_number_of_components(df):
    from pyspark.ml import Pipeline
    from pyspark.ml.evaluation import RegressionEvaluator
    from pyspark.ml.feature import VectorAssembler
    from pyspark.ml.regression import LinearRegression
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    rows, _ = df
    pca = roipca.spark.PCA(inputCol="features", outputCol="scores")
    stages = [VectorAssembler(inputCols=list("abcd"), outputCol="features"), pca]
    pipeline = Pipeline(stages=[*stages, LinearRegression(featuresCol="scores", labelCol="label")])
    grid = ParamGridBuilder().addGrid(pca.k, [1, 3]).build()
    chosen = CrossValidator(
        estimator=pipeline, estimatorParamMaps=grid, evaluator=RegressionEvaluator(), numFolds=2, seed=1
    ).fit(rows)
    assert chosen.bestModel.stages[1].pca.n_components_ == 3


def test_parameters_that_are_not_set_are_named(df):
    rows, _ = df
    with pytest.raises(ValueError, match="k is not set"):
        roipca.spark.PCA(inputCol="a").fit(rows)
    with pytest.raises(ValueError, match="inputCol is not set: pass it to PCA, or call setInputCol"):
        roipca.spark.PCA(k=2).fit(rows)


def test_examples_in_docstrings_run(spark):
    result = doctest.testmod(_spark_ml)
    assert result.attempted > 0 and result.failed == 0
