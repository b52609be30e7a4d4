"""Structured streams: every micro-batch counts once, whatever happens to the process."""

import doctest
import os
import re
import shutil
import signal
import subprocess
import sys
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
from oracle import batch_components, state, subspace_error

pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install 'roipca[spark]'")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java, which is not installed", allow_module_level=True)

import killed_stream
from killed_stream import FEATURES, OPTIONS, learner, rows_of, write
from test_spark import session

import roipca.spark
from roipca import OnlinePCA, _spark_streaming

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")


@pytest.fixture(scope="module")
def spark():
    spark = session("local[2]")
    yield spark
    spark.stop()


def run(spark, folder, learn):
    killed_stream.stream(spark, folder, learn).trigger(availableNow=True).start().awaitTermination()


def merged(parts):
    """Returns the estimator of parts that are merged one after the other."""
    return reduce(OnlinePCA.merge, [OnlinePCA(2, **OPTIONS).partial_fit(part) for part in parts])


def test_a_batch_that_is_delivered_twice_counts_once(spark, tmp_path):
    learn = learner(tmp_path)
    parts = [rows_of(number) for number in range(3)]
    for number in (0, 0, 1, 0, 1, 2, 2):
        learn(cut_arrays(spark, parts[number]), number)
    assert learn.last_batch == 2
    assert state(learn.pca) == state(merged(parts))


def cut_arrays(spark, rows):
    return spark.createDataFrame([(row,) for row in rows.tolist()], "x array<double>").coalesce(1)


def test_the_model_survives_the_end_of_the_stream_and_of_the_learner(spark, tmp_path):
    for first in (0, 3):
        for number in range(first, first + 3):
            write(tmp_path, number, rows_of(number))
        run(spark, tmp_path, learner(tmp_path))
    pca = learner(tmp_path).pca
    assert state(pca) == state(merged([rows_of(number) for number in range(6)]))
    assert pca.n_samples_seen_ == 6 * 40
    truth = batch_components(np.concatenate([rows_of(number) for number in range(6)]), 2)
    assert subspace_error(truth, pca.components_) < 1e-2


def test_an_empty_batch_is_no_error(spark, tmp_path):
    learn = learner(tmp_path)
    write(tmp_path, 0, [])
    run(spark, tmp_path, learn)
    assert learn.pca is None and learn.last_batch is None
    write(tmp_path, 1, rows_of(1))
    write(tmp_path, 2, [])
    write(tmp_path, 3, rows_of(3))
    run(spark, tmp_path, learn)
    assert learn.last_batch == 3
    assert state(learn.pca) == state(merged([rows_of(1), rows_of(3)]))


def test_a_killed_stream_counts_every_batch_once(spark, tmp_path):
    """Killed when a batch is in the model and Spark does not know it. `make soak` kills it at other moments, too."""
    for number in range(2):
        write(tmp_path, number, rows_of(number))
    command = [sys.executable, killed_stream.__file__, tmp_path, "0"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True) as program:
        assert program.wait(timeout=600) == -signal.SIGKILL
    learn = learner(tmp_path)
    assert learn.last_batch == 0
    delivered = []

    def watched(batch, batch_id):
        delivered.append(batch_id)
        learn(batch, batch_id)

    run(spark, tmp_path, watched)
    assert delivered == [0, 1]
    assert state(learn.pca) == state(merged([rows_of(0), rows_of(1)]))


def test_a_bad_row_leaves_the_model_as_it_was(spark, tmp_path):
    learn = learner(tmp_path)
    learn(cut_arrays(spark, rows_of(0)), 0)
    before = (tmp_path / "model.safetensors").read_bytes()
    bad = rows_of(1)
    bad[7, 3] = np.nan
    with pytest.raises(ValueError, match="row 7: NaN in column 3"):
        learn(cut_arrays(spark, bad), 1)
    assert (tmp_path / "model.safetensors").read_bytes() == before


def test_names_and_weights_are_those_of_columns(spark, tmp_path):
    X = np.abs(rows_of(0))
    names = [f"s{j}" for j in range(FEATURES)]
    learn = roipca.spark.StreamingPCA(tmp_path / "m", names[1:], 2, sample_weight="s0", method="exact")
    for number, part in enumerate(np.split(X, 2)):
        learn(spark.createDataFrame(part.tolist(), names).coalesce(1), number)
    assert list(learn.pca.feature_names_in_) == names[1:]
    assert subspace_error(batch_components(X[:, 1:], 2, X[:, 0]), learn.pca.components_) < 1e-20


def test_another_stream_is_refused(spark, tmp_path):
    write(tmp_path, 0, rows_of(0))
    run(spark, tmp_path, learner(tmp_path))
    shutil.rmtree(tmp_path / "checkpoint")
    with pytest.raises(Exception, match=r"was learned from the stream [0-9a-f-]+, and this is [0-9a-f-]+: begin with"):
        run(spark, tmp_path, learner(tmp_path))


def test_missing_batches_are_refused(spark, tmp_path):
    learn = learner(tmp_path)
    learn(cut_arrays(spark, rows_of(0)), 4)
    with pytest.raises(ValueError, match="ends with batch 4, and this is batch 6"):
        learn(cut_arrays(spark, rows_of(1)), 6)


def test_other_parameters_and_other_models_are_refused(spark, tmp_path):
    path = tmp_path / "model.safetensors"
    learner(tmp_path)(cut_arrays(spark, rows_of(0)), 0)
    other = roipca.spark.StreamingPCA(path, "x", 3, **OPTIONS)
    with pytest.raises(ValueError, match="was learned with n_components=2, not 3"):
        other(cut_arrays(spark, rows_of(1)), 1)
    learner(tmp_path).pca.save(path)
    with pytest.raises(ValueError, match="not that of a stream"):
        learner(tmp_path)(cut_arrays(spark, rows_of(1)), 1)
    with pytest.raises(ValueError, match="forgetting"):
        roipca.spark.StreamingPCA(path, "x", 2, forgetting=0.9)


def test_examples_in_docstrings_run(spark):
    result = doctest.testmod(_spark_streaming)
    assert result.attempted > 0 and result.failed == 0


def test_the_guide_runs(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    guide = Path(__file__).parents[2] / "docs" / "guides" / "spark-streaming.md"
    blocks = re.findall(r"^```python spark\n(.*?)^```", guide.read_text(), flags=re.DOTALL | re.MULTILINE)
    namespace = {}
    for block in blocks:
        exec(compile(block, guide.name, "exec"), namespace)
    assert namespace["learner"].pca.n_samples_seen_ > 0
