"""Compares roipca.spark with MLlib's PCA, on Spark in local mode with two threads."""

import os
import sys
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from measure import subspace_error
from memory import timed
from pyspark.ml.feature import PCA
from pyspark.ml.functions import array_to_vector
from pyspark.sql import SparkSession

import roipca.spark


def session():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g")
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _write(X, folder, partitions):
    for number, part in enumerate(np.array_split(X, partitions)):
        lists = pa.FixedSizeListArray.from_arrays(part.ravel(), X.shape[1]).cast(pa.list_(pa.float64()))
        pq.write_table(pa.table({"x": lists}), f"{folder}/{number}.parquet")


def contest(X, m, truth, partitions=12):
    """Returns [(label, seconds, CPU seconds, bytes, error)] for the same rows, cached as vectors."""
    with tempfile.TemporaryDirectory() as folder:
        _write(X, folder, partitions)
        spark = session()
        df = spark.read.parquet(folder).select(array_to_vector("x").alias("x")).repartition(partitions).cache()
        df.count()
        roipca.spark.fit(df.limit(100), "x", m)  # starts the Python workers
        found = []
        for label, fit in (
            ("roipca.spark", lambda: roipca.spark.fit(df, "x", m).components_.T),
            ("MLlib PCA", lambda: PCA(k=m, inputCol="x", outputCol="z").fit(df).pc.toArray()),  # noqa: PLW0108 (fits)
        ):
            components, *costs = timed(fit)
            found.append((label, *costs, subspace_error(truth, components)))
        spark.stop()
    return found
