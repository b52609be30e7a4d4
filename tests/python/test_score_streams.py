"""Scores of files and streams, block by block."""

import tracemalloc

import numpy as np
import pytest

from roipca import OnlinePCA

pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def pca(rows):
    return OnlinePCA(3).fit(rows)


def test_blocks_are_those_of_the_methods(pca, rows):
    scores = list(pca.transform_stream(iter(np.array_split(rows, 7))))
    assert [len(block) for block in scores] == [len(part) for part in np.array_split(rows, 7)]
    np.testing.assert_allclose(np.concatenate(scores), pca.transform(rows), rtol=1e-12, atol=1e-12)
    statistics = np.concatenate(list(pca.score_stream(rows, batch_size=64)))
    np.testing.assert_allclose(statistics, np.column_stack([pca.t2(rows), pca.spe(rows)]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_files_have_the_rows_of_the_iterator(rows, tmp_path, dtype):
    rows = rows.astype(dtype)
    pca = OnlinePCA(3, whiten=True).fit(rows)
    blocks = list(pca.transform_stream(rows, batch_size=90))
    for name in ("scores.npy", "scores.parquet"):
        assert pca.transform_stream((part for part in np.split(rows, 5)), tmp_path / name) == 500
    written = np.load(tmp_path / "scores.npy")
    assert written.dtype == dtype
    np.testing.assert_allclose(written, np.concatenate(blocks), rtol=1e-5, atol=1e-5)
    table = pq.read_table(tmp_path / "scores.parquet")
    assert table.column_names == ["onlinepca0", "onlinepca1", "onlinepca2"]
    np.testing.assert_array_equal(np.column_stack([column.to_numpy() for column in table.columns]), written)
    assert pca.score_stream(rows, tmp_path / "odd.parquet") == 500
    assert pq.read_schema(tmp_path / "odd.parquet").names == ["t2", "spe"]


def test_later_rows_do_not_change_the_scores(pca, rows):
    expected = pca.transform(rows)
    blocks = pca.transform_stream(rows, batch_size=100)
    first = next(blocks)
    pca.partial_fit(100 * rows)
    np.testing.assert_allclose(np.concatenate([first, *blocks]), expected, rtol=1e-12, atol=1e-12)


def test_a_bad_row_is_named_and_leaves_the_old_file(pca, rows, tmp_path):
    out = tmp_path / "scores.npy"
    pca.transform_stream(rows[:10], out)
    rows[333, 3] = np.nan
    with pytest.raises(ValueError, match="In rows 300 to 399 of the stream: Input X contains NaN"):
        pca.transform_stream(rows, out, batch_size=100)
    assert np.load(out).shape == (10, 3) and [path.name for path in tmp_path.iterdir()] == ["scores.npy"]


def test_counts_are_prepared_as_in_fit_stream():
    counts = np.random.default_rng(0).poisson(3.0, (200, 8)).astype(float)
    recipe = {"target_sum": 10.0, "log1p": True, "feature_mask": np.arange(8) < 6}
    pca = OnlinePCA(2).fit_stream(counts, **recipe, progress=False)
    scores = np.concatenate(list(pca.transform_stream(counts, **recipe)))
    logs = np.log1p(10.0 * counts / counts.sum(axis=1, keepdims=True))[:, :6]
    np.testing.assert_allclose(scores, (logs - logs.mean(axis=0)) @ pca.components_.T, rtol=1e-9, atol=1e-9)


def test_memory_does_not_grow_with_the_rows(tmp_path):
    pca = OnlinePCA(2).fit(np.random.default_rng(0).standard_normal((100, 50)))
    block = np.ones((1000, 50))

    def peak(count):
        tracemalloc.start()
        pca.transform_stream((block for _ in range(count)), tmp_path / "scores.npy")
        try:
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(5)
    assert peak(200) < 2 * peak(20)


def test_other_files_are_refused(pca, rows, tmp_path):
    with pytest.raises(ValueError, match=r"scores.csv: a .npy or .parquet file was expected"):
        pca.transform_stream(rows, tmp_path / "scores.csv")
