"""Dask: every partition fitted where it lies, on clusters of several processes that the tests start."""

import doctest
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from oracle import batch_components, decaying_rows, parts_that_differ, state, subspace_error

from roipca import OnlinePCA, merge_all

dask = pytest.importorskip("dask", reason="dask is not installed: pip install 'roipca[dask]'")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")

import roipca.dask  # noqa: E402

GUIDE = Path(__file__).parents[2] / "docs" / "clusters.md"


@pytest.fixture(scope="module")
def client():
    """Of a cluster of three worker processes."""
    with (
        distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def alone():
    """Everything in this process, in turn."""
    with dask.config.set(scheduler="synchronous"):
        yield


def cut(X, *sizes):
    """X as a Dask array of partitions of these sizes."""
    return da.from_array(X, chunks=(sizes, X.shape[1]))


def fitted(parts, *arguments, **options):
    return [OnlinePCA(*arguments, **options).partial_fit(part) for part in parts]


def made_here(numbers, features, marks=None, rows=500, pause=0.0):
    """The rows of a partition, made by the worker that has it; a file tells that it was made."""
    if marks is not None:
        time.sleep(pause)
        open(f"{marks}/{numbers[0, 0]}-{time.time_ns()}", "w").close()
    rng = np.random.default_rng(int(numbers[0, 0]))
    return rng.standard_normal((rows, features)) * np.linspace(3, 1, features) + numbers[0, 0]


def made_by_workers(partitions, features, rows=500, **options):
    numbers = da.arange(partitions, chunks=1)[:, None]
    return numbers.map_blocks(
        made_here, features, rows=rows, dtype=float, chunks=((rows,) * partitions, (features,)), **options
    )


@pytest.mark.parametrize("options", [{"oversampling": 9}, {"method": "exact"}], ids=str)
def test_the_bits_do_not_depend_on_which_worker_does_the_work(client, options):
    X = made_by_workers(21, 200)
    on_cluster = roipca.dask.fit(X, 4, **options)
    for scheduler in ("threads", "synchronous"):
        with dask.config.set(scheduler=scheduler):
            assert state(roipca.dask.fit(X, 4, **options)) == state(on_cluster)
    parts = [made_here(np.array([[number]]), 200) for number in range(21)]
    assert state(merge_all(fitted(parts, 4, **options))) == state(on_cluster)


def test_a_killed_worker_changes_no_bit(client, tmp_path):
    partitions = 24
    with dask.config.set(scheduler="synchronous"):
        expected = roipca.dask.fit(made_by_workers(partitions, 200), 4)
    X = made_by_workers(partitions, 200, marks=str(tmp_path), pause=0.1)
    victim = next(iter(client.run(os.getpid).values()))
    job = client.compute(roipca.dask.fit(X, 4, compute=False))
    while len(os.listdir(tmp_path)) < partitions // 2:
        time.sleep(0.01)
    os.kill(victim, signal.SIGKILL)
    pca = job.result(timeout=120)
    made = [name.partition("-")[0] for name in os.listdir(tmp_path)]
    assert len(set(made)) == partitions and len(made) > partitions  # models were lost and made again
    assert state(pca) == state(expected)


def test_few_bytes_are_sent_and_they_do_not_grow_with_the_rows(client):
    partitions, d, m, held = 40, 2000, 5, 15

    def received():
        logs = client.run(
            lambda dask_worker: sum(move["total"] for move in dask_worker.transfer_incoming_log)
        )
        return sum(logs.values())

    moved = []
    for rows in (50, 800):
        before = received()
        pca = roipca.dask.fit(made_by_workers(partitions, d, rows), m)
        moved.append(received() - before + len(pickle.dumps(pca)))
        assert pca.n_samples_seen_ == partitions * rows
    assert 0 < max(moved) <= 2 * partitions * (held + 2) * d * 8
    # What moves depends on who merges, but even all models would be less than a tenth of the rows.
    assert max(moved) < partitions * 800 * d * 8 / 10


def test_tasks_have_names_on_the_dashboard(client):
    roipca.dask.fit(made_by_workers(4, 30).persist(), 3)
    prefixes = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes))
    assert {"roipca-fit", "roipca-merge"} <= set(prefixes)


def test_progress_can_be_watched(client, capsys):
    job = client.compute(roipca.dask.fit(made_by_workers(5, 30), 3, compute=False))
    distributed.progress(job, notebook=False)
    assert "Completed" in capsys.readouterr().out and job.result().n_samples_seen_ == 2500


@pytest.fixture(scope="module", params=["shuffled", "sorted"])
def in_order(request):
    """Rows, their five leading components by batch PCA, and the error of one pass."""
    X = decaying_rows(3000, 200)
    if request.param == "sorted":
        X = parts_that_differ(X)
    truth = batch_components(X, 5)
    return X, truth, subspace_error(truth, OnlinePCA(5).partial_fit(X).components_)


@pytest.mark.parametrize("partitions", [2, 8, 25])
def test_the_error_is_at_most_twice_that_of_one_pass(alone, in_order, partitions):
    X, truth, one_pass = in_order
    pca = roipca.dask.fit(da.from_array(X, chunks=(3000 // partitions, 200)), 5)
    assert subspace_error(truth, pca.components_) <= 2 * one_pass


def test_components_are_exact_where_one_pass_is(alone, rows):
    pca = roipca.dask.fit(cut(rows, 100, 37, 263, 100), 4)
    assert subspace_error(batch_components(rows, 4), pca.components_) < 1e-20
    np.testing.assert_allclose(pca.mean_, rows.mean(axis=0))
    np.testing.assert_allclose(pca.var_, rows.var(axis=0, ddof=1))


def test_partitions_may_be_empty_or_have_fewer_rows_than_components(alone, rows):
    pca = roipca.dask.fit(cut(rows, 0, 1, 480, 0, 0, 2, 17, 0), 4)
    assert pca.n_samples_seen_ == 500
    assert subspace_error(batch_components(rows, 4), pca.components_) < 1e-20
    filled = merge_all(fitted([rows[:1], rows[1:481]], 4)).merge(
        merge_all(fitted([rows[481:483], rows[483:]], 4))
    )
    assert state(pca) == state(filled)


def test_no_rows_at_all_are_refused(alone, rows):
    with pytest.raises(ValueError, match="0 sample"):
        roipca.dask.fit(cut(rows[:0], 0, 0), 2)


def test_chunks_of_columns_are_rechunked(alone, rows):
    whole = roipca.dask.fit(da.from_array(rows, chunks=(100, 30)), 3)
    assert state(roipca.dask.fit(da.from_array(rows, chunks=(100, 7)), 3)) == state(whole)


def test_chunk_sizes_need_not_be_known(alone, rows):
    X = da.from_array(rows, chunks=(100, 30))
    chosen = X[X[:, 0] > 3]
    assert np.isnan(chosen.shape[0])
    pca = roipca.dask.fit(chosen, 3, sample_weight=chosen[:, 1] ** 2)
    kept = rows[rows[:, 0] > 3]
    assert subspace_error(batch_components(kept, 3, kept[:, 1] ** 2), pca.components_) < 1e-20
    scores = roipca.dask.transform(pca, chosen).compute()
    np.testing.assert_allclose(scores, pca.transform(kept), rtol=1e-12, atol=1e-12)


def test_means_may_differ_from_partition_to_partition(alone, rows):
    X = rows + 100 * np.arange(5).repeat(100)[:, None]
    pca = roipca.dask.fit(cut(X, *[100] * 5), 4)
    assert subspace_error(batch_components(X, 4), pca.components_) < 1e-18


def test_float32_stays_float32(alone, rows):
    pca = roipca.dask.fit(cut(rows.astype(np.float32), 200, 300), 4)
    assert pca.components_.dtype == np.float32
    assert subspace_error(batch_components(rows, 4), pca.components_) < 1e-9  # 30 features, squared roundings
    assert roipca.dask.transform(pca, cut(rows.astype(np.float32), 500)).compute().dtype == np.float32


def test_weights_are_used(alone, rows):
    weights = np.random.default_rng(1).integers(0, 3, 500).astype(float)
    weights[:100] = 0
    pca = roipca.dask.fit(cut(rows, 100, 250, 150), 4, sample_weight=da.from_array(weights, chunks=60))
    assert pca.n_samples_seen_ == np.count_nonzero(weights)
    assert subspace_error(batch_components(rows, 4, weights), pca.components_) < 1e-20
    with pytest.raises(ValueError, match=r"partition 1.*weight"):
        roipca.dask.fit(cut(rows, 100, 400), 4, sample_weight=da.from_array(weights - 1, chunks=500)[::-1])


@pytest.mark.parametrize("n_components", [0.9, None])
def test_the_number_of_components_is_decided_at_the_end(alone, rows, n_components):
    pca = roipca.dask.fit(cut(rows, 3, 297, 200), n_components, whiten=True)
    whole = OnlinePCA(n_components).partial_fit(rows)
    assert pca.n_components_ == whole.n_components_
    assert pca.get_params() == OnlinePCA(n_components, whiten=True).get_params()


def test_names_and_index_of_a_dataframe_are_kept(alone, rows):
    frame = pd.DataFrame(rows[:, :5], columns=list("abcde"), index=np.arange(500) * 3)
    X = dd.from_pandas(frame, npartitions=4)
    pca = roipca.dask.fit(X, 2, sample_weight=X["a"].abs())
    assert list(pca.feature_names_in_) == list("abcde")
    assert subspace_error(batch_components(rows[:, :5], 2, np.abs(rows[:, 0])), pca.components_) < 1e-20
    scores = roipca.dask.transform(pca, X)
    assert isinstance(scores, dd.DataFrame)
    expected = pd.DataFrame(pca.transform(frame), index=frame.index, columns=pca.get_feature_names_out())
    pd.testing.assert_frame_equal(scores.compute(), expected)
    assert roipca.dask.fit(X.astype(np.float32), 2).components_.dtype == np.float32


def test_statistics_and_reconstructions_are_those_of_the_estimator(alone, rows):
    X = cut(rows, 100, 0, 400)
    pca = roipca.dask.fit(X, 3)
    frame = dd.from_pandas(pd.DataFrame(rows, index=np.arange(500) * 2).add_prefix("x"), npartitions=3)
    of_frame = roipca.dask.fit(frame, 3)
    for name in ("t2", "spe", "score_samples"):
        lazy = getattr(roipca.dask, name)(pca, X)
        assert lazy.chunks == ((100, 0, 400),)
        np.testing.assert_array_equal(lazy.compute(), getattr(pca, name)(rows))
        series = getattr(roipca.dask, name)(of_frame, frame).compute()
        assert series.name == name and series.index.equals(frame.index.compute())
        np.testing.assert_allclose(series, getattr(of_frame, name)(frame.compute()), rtol=1e-9)
    again = roipca.dask.inverse_transform(pca, roipca.dask.transform(pca, X))
    assert again.chunks == ((100, 0, 400), (30,))
    np.testing.assert_allclose(again.compute(), pca.inverse_transform(pca.transform(rows)), rtol=1e-12, atol=1e-12)
    named = roipca.dask.inverse_transform(of_frame, roipca.dask.transform(of_frame, frame))
    assert list(named.columns) == list(of_frame.feature_names_in_)


def test_the_graph_has_one_task_for_a_partition_and_is_built_in_linear_time(alone):
    def built(partitions):
        X = da.zeros((partitions, 2), chunks=(1, 2))
        start = time.process_time()
        graph = roipca.dask.fit(X, 1, compute=False).dask
        tasks = [task for task in graph.values() if type(task).__name__ != "Alias"]  # a second name of another
        return time.process_time() - start, len(tasks)

    (short, few), (long, many) = built(500), built(4000)
    assert few == 500 + 32 + 2 + 1 + 1 and many == 4000 + 250 + 16 + 1 + 1  # fits with their reads, merges, the end
    assert long < 32 * short  # quadratic would be 64 times as long


def test_masked_numbers_are_missing(alone, rows):
    masked = da.ma.masked_where(da.from_array(rows, chunks=(250, 30)) > 1e9, da.from_array(rows, chunks=(250, 30)))
    assert state(roipca.dask.fit(masked, 3)) == state(roipca.dask.fit(cut(rows, 250, 250), 3))
    holes = da.from_array(np.ma.masked_array(rows, np.arange(rows.size).reshape(rows.shape) == 9123), chunks=(250, 30))
    with pytest.raises(ValueError, match=r"In partition 1: .*NaN[^$]*row 54: NaN in column 3"):
        roipca.dask.fit(holes, 3)


def test_scores_are_lazy_and_use_the_model_at_the_time_of_the_call(alone, rows):
    pca = roipca.dask.fit(cut(rows, 250, 250), 3)
    expected = pca.transform(rows)
    scores = roipca.dask.transform(pca, cut(rows, 100, 0, 400))
    pca.partial_fit(100 * rows)
    assert scores.chunks == ((100, 0, 400), (3,))
    np.testing.assert_array_equal(scores.compute(), expected)


def test_rows_can_be_added_to_the_result(alone, rows):
    pca = roipca.dask.fit(cut(rows[:400], 200, 200), 4).partial_fit(rows[400:])
    assert subspace_error(batch_components(rows, 4), pca.components_) < 1e-20


@pytest.mark.parametrize("bad, what", [(np.nan, "NaN"), (np.inf, "infinity")])
def test_a_bad_row_fails_the_job_and_is_named(client, rows, bad, what):
    rows[333, 3] = bad
    with pytest.raises(
        ValueError, match=rf"In partition 2: Input X contains {what}[^$]*row 133: .* in column 3"
    ):
        roipca.dask.fit(cut(rows, 100, 100, 300), 3)


def test_examples_in_docstrings_run(alone):
    result = doctest.testmod(roipca.dask)
    assert result.attempted > 0 and result.failed == 0


def test_the_guide_runs(alone):
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert len(blocks) == 4
    namespace = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), namespace)
    assert namespace["pca"].n_samples_seen_ == 5_000


def test_what_cannot_be_fitted_is_refused_before_anything_runs(rows):
    X = cut(rows, 500)
    with pytest.raises(ValueError, match="forgetting"):
        roipca.dask.fit(X, 3, forgetting=0.99)
    with pytest.raises(ValueError, match="window needs rows in one order"):
        roipca.dask.fit(X, 3, window=100)
    with pytest.raises(ValueError, match="method"):
        roipca.dask.fit(X, 3, method="magic")
    with pytest.raises(TypeError, match="Dask array or dataframe"):
        roipca.dask.fit(rows, 3)
    with pytest.raises(TypeError, match="sample_weight"):
        roipca.dask.fit(X, 3, sample_weight=rows[:, 0])


@pytest.mark.parametrize("module, missing", [("dask", "dask"), ("spark", "pyspark"), ("spark", "pyarrow")])
def test_without_its_library_a_module_says_how_to_get_it(module, missing):
    code = f"import sys; sys.modules[{missing!r}] = None; import roipca; roipca.{module}.fit"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr
    assert f"ImportError: This needs {missing}: pip install 'roipca[{module}]'" in shown


def test_another_pass_reads_all_partitions_and_reduces_the_error(alone):
    X = decaying_rows(2000, 60)
    options = {"method": "roipca", "oversampling": 5}
    rows = da.from_array(X, chunks=((0, 700, 3, 1297), 60))
    truth = batch_components(X, 4)
    errors = []
    for passes in (1, 2, 3):
        pca = roipca.dask.fit(rows, 4, passes=passes, **options)
        assert pca.n_passes_ == passes
        errors.append(subspace_error(truth, pca.components_))
    assert errors[1] < errors[0] / 5 and errors[2] < errors[1] / 5
    assert pca.error_estimate_ < pca.error_bound()
    for passes in (2, "auto"):
        with pytest.raises(ValueError, match="compute=False"):
            roipca.dask.fit(rows, 4, passes=passes, compute=False)


def test_more_passes_over_up_to_1024_features_add_scatter_matrices_once(alone):
    X = decaying_rows(2000, 300)
    rows = da.from_array(X, chunks=((0, 700, 3, 1297), 300))
    pca = roipca.dask.fit(rows, 4, passes=2)
    assert (pca.method_, pca.n_components_held_, pca.n_passes_) == ("exact", 300, 1)
    assert subspace_error(batch_components(X, 4), pca.components_) < 1e-24
    sparse = rows.map_blocks(scipy.sparse.csr_array)
    assert roipca.dask.fit(sparse, 4, passes=2).n_passes_ == 2


def test_more_passes_over_partitions_of_more_features_hold_more_components(alone):
    X = decaying_rows(600, 1100)
    pca = roipca.dask.fit(da.from_array(X, chunks=(200, 1100)), 4, passes=2)
    assert (pca.method_, pca.n_components_held_, pca.n_passes_) == ("roipca", 64, 2)
    many = roipca.dask.fit(da.from_array(X, chunks=(200, 1100)), 40, passes=2)
    assert many.n_components_held_ == roipca.dask.fit(da.from_array(X, chunks=(200, 1100)), 40).n_components_held_


def test_two_passes_over_standardized_partitions_are_pca_of_the_correlation_matrix(alone):
    X = decaying_rows(2000, 60) * np.geomspace(1e-4, 1e4, 60)
    X[:700] *= np.linspace(0.5, 1, 60)  # partitions have different scales
    rows = da.from_array(X, chunks=((700, 1300), 60))
    truth = batch_components((X - X.mean(axis=0)) / X.std(axis=0, ddof=1), 4)
    options = {"method": "roipca", "oversampling": 5, "standardize": True, "first_rows": 100}
    errors = []
    for passes in (1, 2, 3):
        pca = roipca.dask.fit(rows, 4, passes=passes, **options)
        np.testing.assert_allclose(pca.scale_ratio_, 1, rtol=1e-6)
        errors.append(subspace_error(truth, pca.components_))
    assert errors[1] < errors[0] / 3 and errors[2] < errors[1] / 3
    assert np.isnan(pca.change_score_)


def test_missing_values_are_filled_and_another_pass_fills_them_better(alone):
    X = decaying_rows(2000, 30)
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.4, np.nan, X)
    rows = da.from_array(gaps, chunks=((700, 1300), 30))
    truth = batch_components(X, 3)
    errors = [
        subspace_error(truth, roipca.dask.fit(rows, 3, passes=passes, missing="impute").components_)
        for passes in (1, 3)
    ]
    assert errors[1] < errors[0] < 0.02


def test_passes_end_when_the_bound_is_below_the_tolerance(alone):
    X = decaying_rows(2000, 60)
    rows = da.from_array(X, chunks=(700, 60))
    options = {"method": "roipca", "oversampling": 5}
    pca = roipca.dask.fit(rows, 4, passes="auto", tol=1e-8, **options)
    before = roipca.dask.fit(rows, 4, passes=pca.n_passes_ - 1, **options)
    assert subspace_error(batch_components(X, 4), pca.components_) <= pca.error_bound() <= 1e-8 < before.error_bound()
    assert roipca.dask.fit(rows, 4, passes="auto", method="exact").n_passes_ == 1
    for wrong, what in (({"passes": "all"}, "passes must be 'auto'"), ({"passes": "auto", "tol": 0}, "tol must be")):
        with pytest.raises(ValueError, match=what):
            roipca.dask.fit(rows, 4, **wrong)
