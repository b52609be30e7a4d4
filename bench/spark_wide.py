#!/usr/bin/env python3
"""Fits very wide rows in many partitions on Spark, with its default limits, and checks the components.

    python bench/spark_wide.py                       # 1,000 partitions of 4 rows of 100,000 features: some minutes
    python bench/spark_wide.py --partitions 20       # to check that it runs

Spark runs in local mode with two threads. `spark.driver.memory` (1 GB) and `spark.driver.maxResultSize` (1 GB) are not
set. The components are compared with those of batch PCA and of one pass by OnlinePCA over the same rows here.
"""

import argparse
import os
import re
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
from pyspark.sql import SparkSession
from scipy.sparse.linalg import LinearOperator, eigsh

import roipca.spark
from roipca import OnlinePCA


def rows_of(partition, rows, features, components):
    """Returns the rows of a partition: twice as many factors as components, each 0.8 times the one before, and noise.

    The factors are orthogonal waves, so that a worker need not keep or receive them.
    """
    rng = np.random.default_rng(partition)
    strength = 5 * 0.8 ** np.arange(2 * components)
    places = np.arange(features) + 0.5
    X = 1 + 0.3 * rng.standard_normal((rows, features))
    for number, scores in enumerate(np.sqrt(2) * strength[:, None] * rng.standard_normal((2 * components, rows))):
        X += np.outer(scores, np.cos(np.pi * (number + 1) / features * places))
    return X


def made_by_executors(spark, partitions, *shape):
    def make(batches):
        for batch in batches:
            for number in batch.column(0).to_pylist():
                X = rows_of(number, *shape)
                lists = pa.FixedSizeListArray.from_arrays(X.ravel(), X.shape[1]).cast(pa.list_(pa.float64()))
                yield pa.RecordBatch.from_arrays([lists], ["x"])

    return spark.range(0, partitions, 1, partitions).mapInArrow(make, "x array<double>")


def batch_components(X, count):
    """Returns the eigenvectors of the covariance matrix, which is never formed. Centres X in place."""
    X -= X.mean(axis=0)
    covariance = LinearOperator((X.shape[1],) * 2, matvec=lambda v: X.T @ (X @ v), dtype=X.dtype)
    return eigsh(covariance, count, tol=1e-9)[1].T


def subspace_error(truth, found):
    """Returns |UU' - VV'|^2 / |UU'|^2 for orthonormal rows, without forming a matrix of features^2 numbers."""
    rest = found - (found @ truth.T) @ truth
    return 2 * float((rest**2).sum()) / len(truth)


def peak_megabytes(process):
    """Returns the peak of the memory of a process so far (Linux only)."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


def cpu_seconds():
    me = psutil.Process()
    return sum(sum(process.cpu_times()[:4]) for process in [me, *me.children(recursive=True)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--partitions", type=int, default=1_000)
    parser.add_argument("--rows", type=int, default=4, help="rows per partition")
    parser.add_argument("--features", type=int, default=100_000)
    parser.add_argument("--components", type=int, default=5)
    parser.add_argument("--no-check", action="store_true", help="only fit: the check holds all rows in memory")
    args = parser.parse_args()
    shape = (args.rows, args.features, args.components)

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master("local[2]").config("spark.ui.showConsoleProgress", "false")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    df = made_by_executors(spark, args.partitions, *shape)
    print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    start, cpu = time.perf_counter(), cpu_seconds()
    pca = roipca.spark.fit(df, "x", args.components)
    seconds, cpu = time.perf_counter() - start, cpu_seconds() - cpu
    java = [child for child in psutil.Process().children(recursive=True) if child.name() == "java"]
    print(
        f"{pca.n_samples_seen_:,} rows of {args.features:,} features in {args.partitions:,} partitions, "
        f"{args.components} components: {seconds:.0f} s, {cpu:.0f} s of CPU time of all processes; "
        f"peak memory {peak_megabytes(psutil.Process()):,.0f} MiB of the driver's Python and "
        f"{peak_megabytes(java[0]):,.0f} MiB of its Java, which in local mode is also the executor",
        flush=True,
    )
    spark.stop()
    if args.no_check:
        return

    local = OnlinePCA(args.components)
    X = np.empty((args.partitions * args.rows, args.features))
    start = time.process_time()
    for number, part in enumerate(np.split(X, args.partitions)):
        part[:] = rows_of(number, *shape)
        local.partial_fit(part)
    print(f"one pass here: {time.process_time() - start:.0f} s of CPU time, with making the rows", flush=True)
    np.testing.assert_allclose(pca.mean_, X.mean(axis=0), atol=1e-11)  # values are of order 10
    truth = batch_components(X, args.components)
    print(f"subspace error against batch PCA: {subspace_error(truth, pca.components_):.0e} on Spark, "
          f"{subspace_error(truth, local.components_):.0e} by one pass here")


if __name__ == "__main__":
    main()
