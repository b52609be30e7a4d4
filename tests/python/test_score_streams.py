"""Scores of files and streams, block by block."""

import os
import tracemalloc

import h5py
import numpy as np
import pandas as pd
import pyarrow.dataset
import pytest
from scipy import sparse

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


def test_streams_are_scored_by_the_reading_of_the_components():
    # For so many features, the reported components are computed without the others, and equal to rounding.
    rows = np.random.default_rng(0).standard_normal((300, 1100)) * 0.99 ** np.arange(1100)
    pca = OnlinePCA(3, method="exact").fit(rows)
    scores, t2 = pca.transform(rows), pca.t2(rows)
    assert np.array_equal(np.concatenate(list(pca.transform_stream(rows))), scores)
    assert np.array_equal(np.concatenate(list(pca.score_stream(rows)))[:, 0], t2)


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


def npy(rows):
    np.save("in.npy", rows)
    return "in.npy"


def parquet(rows):
    os.mkdir("parts")
    for i, part in enumerate(np.array_split(rows, 3)):
        pd.DataFrame(part).add_prefix("x").to_parquet(f"parts/{i}.parquet")
    return "parts/1.parquet"


def linked(rows):
    os.symlink(npy(rows), "link.npy")
    return "link.npy"


def mapped(rows):
    return np.load(npy(rows), mmap_mode="r")


def hdf5(rows):
    with h5py.File("in.npy", "w") as file:  # whatever its name says
        file["rows"] = rows
    return h5py.File("in.npy")["rows"]


# The source, and the file of it that would be lost.
INPUTS = {
    "the file": (npy, "in.npy"),
    "its absolute path": (lambda rows: os.path.abspath(npy(rows)), "in.npy"),
    "an absolute path to write": (npy, lambda: os.path.abspath("in.npy")),
    "a link to the file": (linked, "in.npy"),
    "a link to write": (lambda rows: linked(rows) and "in.npy", "link.npy"),
    "a list of files": (lambda rows: [npy(rows), "in.npy"], "in.npy"),
    "a pattern": (lambda rows: parquet(rows) and "parts/*.parquet", "parts/1.parquet"),
    "a folder": (lambda rows: parquet(rows) and "parts", "parts/1.parquet"),
    "a dataset": (lambda rows: parquet(rows) and pyarrow.dataset.dataset("parts"), "parts/2.parquet"),
    "a memory map": (mapped, "in.npy"),
    "a part of a memory map": (lambda rows: np.asarray(mapped(rows))[10:], "in.npy"),
    "a list of parts of one": (lambda rows: np.array_split(mapped(rows), 3), "in.npy"),
    "a frame of a memory map": (lambda rows: pd.DataFrame(mapped(rows), copy=False), "in.npy"),
    "a sparse matrix of one": (
        lambda rows: sparse.csr_array(
            (mapped(rows).reshape(-1), np.tile(np.arange(30), 500), np.arange(0, 15001, 30)), shape=(500, 30)
        ),
        "in.npy",
    ),
    "a dataset of h5py": (hdf5, "in.npy"),
}


@pytest.mark.parametrize("method", ["transform_stream", "score_stream"])
@pytest.mark.parametrize("kind", INPUTS)
def test_results_do_not_replace_an_input(pca, rows, tmp_path, monkeypatch, kind, method):
    monkeypatch.chdir(tmp_path)
    make, out = INPUTS[kind]
    source = make(rows)
    out = out if isinstance(out, str) else out()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match=f"^{out} is an input, and would be lost: give another output$"):
        getattr(pca, method)(source, out)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_results_beside_the_inputs_replace_other_files(pca, rows, tmp_path):
    source = tmp_path / "in.npy"
    np.save(source, rows)
    for _ in range(2):
        assert pca.transform_stream(source, tmp_path / "out.npy") == 500
    assert np.array_equal(np.load(source), rows) and np.load(tmp_path / "out.npy").shape == (500, 3)


@pytest.mark.parametrize("name", ["scores.npy", "scores.parquet"])
def test_a_folder_that_does_not_exist_is_named(pca, rows, tmp_path, name):
    out = tmp_path / "nowhere" / name
    with pytest.raises(FileNotFoundError, match=f"^{out}: there is no folder {out.parent}$"):
        pca.transform_stream(rows, out)


def test_an_argument_that_does_not_fit_names_no_rows(pca, rows):
    with pytest.raises(ValueError, match=r"^feature_mask has shape \(29,\); the rows have 30 features$"):
        list(pca.transform_stream(rows, feature_mask=np.ones(29, bool)))
