"""Spark: every partition fitted where it lies, in local mode and with executors in processes of their own."""

import doctest
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from oracle import batch_components, decaying_rows, parts_that_differ, state, subspace_error

from roipca import OnlinePCA, merge_all

sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install 'roipca[spark]'")
pd = pytest.importorskip("pandas")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java, which is not installed", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")

import roipca.spark  # noqa: E402
from roipca._partitions import group_size  # noqa: E402

BATCH = 50  # rows that reach Python at a time


def session(master, **settings):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = sql.SparkSession.builder.master(master)
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.execution.arrow.maxRecordsPerBatch": BATCH,
        **settings,
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


@pytest.fixture(scope="module")
def spark():
    spark = session("local[2]")
    yield spark
    spark.stop()


def cut(spark, X, *sizes, names=None):
    """X as a dataframe whose partitions have these sizes."""
    ends = np.cumsum(sizes)
    parts = [X[end - size : end].tolist() for size, end in zip(sizes, ends, strict=True)]
    names = names or [f"x{j}" for j in range(X.shape[1])]
    number = "float" if X.dtype == np.float32 else "double"
    rows = spark.sparkContext.parallelize(parts, len(parts)).flatMap(lambda part: part)
    schema = sql.types.StructType()
    for name in names:
        schema.add(name, number)
    return spark.createDataFrame(rows, schema, verifySchema=False)


def fitted(parts, *arguments, **options):
    return [OnlinePCA(*arguments, **options).partial_fit(part) for part in parts]


def test_partitions_are_merged_in_their_order(spark, rows):
    df = cut(spark, rows, 0, 130, 3, 0, 300, 67)
    pca = roipca.spark.fit(df, df.columns, 4, method="roipca", oversampling=9)
    a, b, c, d = fitted(np.split(rows, [130, 133, 433]), 4, method="roipca", oversampling=9)
    assert state(pca)[3:] == state(a.merge(b).merge(c.merge(d)))[3:]
    assert list(pca.feature_names_in_) == df.columns
    assert subspace_error(batch_components(rows, 4), pca.components_) < 1e-6


def test_many_partitions_are_merged_by_the_executors_to_the_same_bits(spark, rows):
    df = cut(spark, rows, *[10] * 50)
    assert (
        state(roipca.spark.fit(df, df.columns, 4))[3:] == state(merge_all(fitted(np.split(rows, 50), 4)))[3:]
    )


def test_columns_arrays_and_vectors_are_the_same_rows(spark, rows):
    from pyspark.ml.feature import VectorAssembler
    from pyspark.sql import functions as F

    names = ["a.b", "c`d", "e f"]
    df = cut(spark, rows[:, :3], 200, 300, names=names)
    quoted = [F.col("`" + name.replace("`", "``") + "`") for name in names]
    plain = df.select(F.array(*quoted).alias("array"), *(c.alias(f"x{j}") for j, c in enumerate(quoted)))
    both = VectorAssembler(inputCols=["x0", "x1", "x2"], outputCol="vector").transform(plain)
    found = [
        roipca.spark.fit(df, names, 2),
        *(roipca.spark.fit(both, name, 2) for name in ("array", "vector")),
    ]
    assert len({pca.components_.tobytes() for pca in found}) == 1
    assert list(found[0].feature_names_in_) == names and not hasattr(found[1], "feature_names_in_")
    scores = roipca.spark.transform(found[2], both, "vector").toPandas()["scores"]
    np.testing.assert_allclose(np.stack(scores), found[2].transform(rows[:, :3]), rtol=1e-12, atol=1e-12)


def test_scores_are_a_column_beside_the_others(spark, rows):
    df = cut(spark, rows[:, :5].astype(np.float32), 120, 0, 380)
    pca = roipca.spark.fit(df, df.columns, 2)
    assert pca.components_.dtype == np.float32
    scored = roipca.spark.transform(pca, df, df.columns, output="z")
    assert (
        scored.columns == [*df.columns, "z"] and scored.schema["z"].dataType.simpleString() == "array<float>"
    )
    expected = pca.transform(pd.DataFrame(rows[:, :5].astype(np.float32), columns=df.columns))
    np.testing.assert_allclose(np.stack(scored.toPandas()["z"]), expected, rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match="feature names"):
        roipca.spark.transform(pca, df, df.columns[::-1])


def test_statistics_and_reconstructions_are_those_of_the_estimator(spark, rows):
    X = rows[:, :5]
    df = cut(spark, X, 120, 0, 380)
    pca = roipca.spark.fit(df, df.columns, 2)
    scored = roipca.spark.transform(pca, df, df.columns)
    scored = roipca.spark.inverse_transform(pca, scored)
    for function in (roipca.spark.t2, roipca.spark.spe, roipca.spark.score_samples):
        scored = function(pca, scored, df.columns)
    assert scored.schema["scores"].dataType.containsNull is False  # as MLlib's array_to_vector requires
    found = scored.toPandas()
    frame = pd.DataFrame(X, columns=df.columns)
    for name, expected in (
        ("t2", pca.t2(frame)),
        ("spe", pca.spe(frame)),
        ("log_likelihood", pca.score_samples(frame)),
        ("rows", pca.inverse_transform(pca.transform(frame))),
    ):
        values = np.stack(found[name]) if name == "rows" else found[name]
        np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-9)


def test_columns_may_be_nested_or_written_in_another_case(spark):
    df = spark.range(9).selectExpr("struct(double(id) AS x) AS a", "double(id * id) AS Y").coalesce(1)
    pca = roipca.spark.fit(df, ["a.x", "y"], 1)
    x = np.arange(9.0)
    assert subspace_error(batch_components(np.column_stack([x, x * x]), 1), pca.components_) < 1e-20


def test_a_null_vector_is_named(spark):
    from pyspark.ml.linalg import Vectors, VectorUDT

    schema = sql.types.StructType().add("v", VectorUDT())
    df = spark.createDataFrame([(Vectors.dense(1.0, 2.0),), (None,)], schema).coalesce(1)
    with pytest.raises(ValueError, match=r"In partition 0: [^$]*row 1: null"):
        roipca.spark.fit(df, "v", 1)


@pytest.mark.parametrize("size, group", [(1, 16), (1 << 23, 16), (1 << 24, 8), (1 << 30, 2)])
def test_one_task_merges_fewer_models_if_they_are_large(size, group):
    assert group_size(size) == group


def test_models_of_few_rows_are_merged_by_tasks_that_can_hold_the_merged_ones(spark, rows, monkeypatch):
    sizes = []
    monkeypatch.setattr(roipca.spark, "group_size", lambda size: sizes.append(size) or 4)
    df = cut(spark, rows, *[2] * 40)
    roipca.spark.fit(df, df.columns, 4, method="roipca", oversampling=9)
    assert sizes.pop() >= (4 + 9 + 3) * 30 * 8  # as docs/clusters.md says; a partition's model has (2 + 3) * 30 numbers
    roipca.spark.fit(df.limit(2), df.columns, 4, method="roipca", oversampling=9)
    assert sizes.pop() < (4 + 9 + 3) * 30 * 8


def test_weights_are_a_column(spark, rows):
    X = np.abs(rows[:, :6])
    df = cut(spark, X, 250, 250)
    pca = roipca.spark.fit(df, df.columns[1:], 3, sample_weight="x0")
    assert subspace_error(batch_components(X[:, 1:], 3, X[:, 0]), pca.components_) < 1e-20


@pytest.mark.parametrize("order", ["shuffled", "sorted"])
def test_the_error_is_at_most_twice_that_of_one_pass(spark, order):
    X = decaying_rows(1200, 130)
    if order == "sorted":
        X = parts_that_differ(X)
    truth = batch_components(X, 5)
    one_pass = subspace_error(truth, OnlinePCA(5).partial_fit(X).components_)
    df = cut(spark, X, *[150] * 8)
    assert subspace_error(truth, roipca.spark.fit(df, df.columns, 5).components_) <= 2 * one_pass


def test_missing_values_are_filled(spark):
    X = decaying_rows(600, 8, 1)
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    df = cut(spark, gaps, 400, 200)
    pca = roipca.spark.fit(df, df.columns, 2, missing="impute")
    parts = [OnlinePCA(2, missing="impute").fit(part) for part in (gaps[:400], gaps[400:])]
    np.testing.assert_allclose(pca.explained_variance_, merge_all(parts).explained_variance_)
    np.testing.assert_allclose(pca.feature_weight_, (~np.isnan(gaps)).sum(axis=0))


@pytest.mark.parametrize("bad, what", [(np.nan, "NaN"), (None, "NaN"), (np.inf, "infinity")])
def test_a_bad_row_fails_the_job_and_is_named(spark, rows, bad, what):
    X = rows[:, :3].astype(object)
    X[333, 1] = bad
    df = cut(spark, X, 100, 100, 300)
    with pytest.raises(
        ValueError, match=rf"In partition 2: Input X contains {what}[^$]*row 133: .* in column 1"
    ):
        roipca.spark.fit(df, df.columns, 2)


def test_arrays_that_are_missing_or_of_another_length_are_named(spark):
    for row, what in ((None, "row 2: null"), ([1.0], "row 2: 1 features, but 2 were expected")):
        df = spark.createDataFrame([([1.0, 2.0],), ([3.0, 5.0],), (row,)], "x array<double>").coalesce(1)
        with pytest.raises(ValueError, match=f"In partition 0: [^$]*{what}"):
            roipca.spark.fit(df, "x", 1)
        pca = roipca.spark.fit(df.limit(2), "x", 1)
        for score in (roipca.spark.transform, roipca.spark.spe):
            with pytest.raises(Exception, match=what):
                score(pca, df, "x").collect()


def test_examples_in_docstrings_run(spark):
    result = doctest.testmod(roipca.spark)
    assert result.attempted > 0 and result.failed == 0


def test_the_guide_runs(spark):
    guide = Path(__file__).parents[2] / "docs" / "clusters.md"
    blocks = re.findall(r"^```python spark\n(.*?)^```", guide.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    exec(compile("\n".join(blocks), str(guide), "exec"), {})


def test_what_cannot_be_fitted_is_refused_before_anything_runs(spark, rows):
    df = cut(spark, rows[:, :2], 500)
    for columns, options, what in (
        (["x0", "y"], {}, "There is no column 'y'; the columns are 'x0', 'x1'"),
        ("x0", {}, "contains double, not arrays or vectors"),
        (["x0", "x1"], {"forgetting": 0.9}, "forgetting"),
        (["x0", "x1"], {"window": 10}, "window needs rows in one order"),
        (["x0", "x1"], {"sample_weight": "w"}, "no column 'w'"),
    ):
        with pytest.raises(ValueError, match=what):
            roipca.spark.fit(df, columns, 1, **options)
    with pytest.raises(ValueError, match="0 sample"):
        roipca.spark.fit(df.filter("x0 > 1e9"), ["x0", "x1"], 1)


def test_few_bytes_are_sent_and_they_do_not_grow_with_the_rows(spark):
    partitions, d, m, held = 20, 1600, 5, 15  # wide enough that what Spark sends for each task hardly counts
    store = spark.sparkContext._jsc.sc().statusStore()

    def moved():
        """Bytes that tasks wrote for other tasks, and that they sent to the driver."""
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        stages = store.stageList(
            None, False, False, spark.sparkContext._gateway.new_array(spark._jvm.double, 0), None
        )
        found = [stages.apply(i) for i in range(stages.size())]
        return sum(stage.shuffleWriteBytes() + stage.resultSize() for stage in found)

    found = []
    for rows in (40, 200):
        before = moved()
        df = spark.range(partitions * rows, numPartitions=partitions)
        df = df.selectExpr(f"transform(sequence(1, {d}), j -> sin(double(id * j) + j)) AS x")
        assert roipca.spark.fit(df, "x", m).n_samples_seen_ == partitions * rows
        found.append(moved() - before)
    bound = 2 * partitions * (held + 2) * d * 8
    assert 0 < found[0] <= bound and 0 < found[1] <= bound
    assert abs(found[1] - found[0]) < 0.01 * found[0]


LOST_EXECUTOR = """
import hashlib, os, sys
sys.path.insert(0, {folder!r})
from test_spark import session
import roipca.spark

spark = session("local-cluster[2,1,1024]")

def made_here(batches):
    import numpy as np, psutil, pyarrow as pa
    from pyspark import TaskContext
    task = TaskContext.get()
    if task.partitionId() == 5 and task.attemptNumber() == 0:
        executor = next(p for p in psutil.Process().parents() if "java" in p.name())
        executor.kill()
    for batch in batches:
        X = np.random.default_rng(task.partitionId()).standard_normal((batch.num_rows, 40))
        yield pa.RecordBatch.from_arrays([pa.array(list(X))], ["x"])

df = spark.range(1200, numPartitions=8).mapInArrow(made_here, "x array<double>")
pca = roipca.spark.fit(df, "x", 3)
print(pca.n_samples_seen_, hashlib.sha256(pca.components_.tobytes()).hexdigest())
spark.stop()
"""


@pytest.mark.soak
def test_a_lost_executor_changes_no_bit(tmp_path):
    """Two executors in processes of their own, one of them killed in the middle of the job."""
    pytest.importorskip("psutil")
    parts = [
        np.concatenate([np.random.default_rng(i).standard_normal((BATCH, 40)) for _ in range(3)])
        for i in range(8)
    ]
    program = tmp_path / "program.py"
    program.write_text(LOST_EXECUTOR.format(folder=os.path.dirname(__file__)))
    shown = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False, timeout=300)
    assert shown.returncode == 0, shown.stderr
    rows, digest = re.search(r"^(\d+) ([0-9a-f]{64})$", shown.stdout, re.MULTILINE).groups()
    expected = merge_all(fitted(parts, 3))
    assert int(rows) == 1200 and digest == hashlib.sha256(expected.components_.tobytes()).hexdigest()


def test_another_pass_reads_all_partitions_and_reduces_the_error(spark, rows):
    df = cut(spark, rows, 0, 130, 3, 300, 67)
    truth = batch_components(rows, 2)
    options = {"method": "roipca", "oversampling": 2}
    once, twice = (roipca.spark.fit(df, df.columns, 2, passes=passes, **options) for passes in (1, 2))
    assert (once.n_passes_, twice.n_passes_) == (1, 2)
    assert subspace_error(truth, twice.components_) < subspace_error(truth, once.components_) / 5
    until = roipca.spark.fit(df, df.columns, 2, passes="auto", tol=twice.error_bound(), **options)
    assert state(until) == state(twice)


def test_more_passes_over_up_to_1024_features_add_scatter_matrices_once(spark):
    X = decaying_rows(500, 250)
    df = cut(spark, X, 130, 303, 67)
    pca = roipca.spark.fit(df, df.columns, 4, passes=2)
    assert (pca.method_, pca.n_passes_) == ("exact", 1)
    assert subspace_error(batch_components(X, 4), pca.components_) < 1e-24


def test_two_passes_over_standardized_partitions_are_pca_of_the_correlation_matrix(spark, rows):
    X = rows * np.geomspace(1e-4, 1e4, rows.shape[1])
    df = cut(spark, X, 130, 303, 67)
    truth = batch_components((X - X.mean(axis=0)) / X.std(axis=0, ddof=1), 2)
    options = {"method": "roipca", "oversampling": 2, "standardize": True, "first_rows": 50}
    once, twice = (roipca.spark.fit(df, df.columns, 2, passes=passes, **options) for passes in (1, 2))
    np.testing.assert_allclose(twice.scale_, X.std(axis=0, ddof=1), rtol=1e-9)
    assert subspace_error(truth, twice.components_) < subspace_error(truth, once.components_) / 2
