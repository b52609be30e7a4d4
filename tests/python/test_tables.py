"""Tables of Arrow and others: lists, files of many kinds, patterns, weights in a column, rows to skip."""

import numpy as np
import pytest
from oracle import batch_components, state, subspace_error

from roipca import OnlinePCA

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
feather = pytest.importorskip("pyarrow.feather")
pq = pytest.importorskip("pyarrow.parquet")

NAMES = [f"x{j}" for j in range(30)]


def table(rows, **more):
    return pa.table({**dict(zip(NAMES, rows.T, strict=True)), **more})


def streamed(source, **options):
    return OnlinePCA(3).fit_stream(source, progress=False, **options)


def lists(rows, kind):
    values = pa.array(rows.ravel())
    if kind == "fixed":
        return pa.FixedSizeListArray.from_arrays(values, rows.shape[1])
    offsets = np.arange(0, rows.size + 1, rows.shape[1])
    if kind == "large":
        return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), values)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)


@pytest.mark.parametrize("kind", ["list", "large", "fixed"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_column_of_lists_contains_all_features(rows, kind, dtype, tmp_path):
    rows = rows.astype(dtype)
    embeddings = pa.table({"id": np.arange(500), "embedding": lists(rows, kind)})
    pq.write_table(embeddings, tmp_path / "rows.parquet")
    whole = OnlinePCA(3).partial_fit(rows)
    for source in (embeddings, tmp_path / "rows.parquet"):
        pca = streamed(source, columns=["embedding"], batch_size=70)
        assert state(pca) == state(whole) and pca.components_.dtype == dtype
    alone = embeddings.select(["embedding"])
    np.testing.assert_array_equal(whole.transform(alone), whole.transform(rows))
    with pytest.raises(ValueError, match=r"all features of a row: choose it with columns=\['embedding'\]"):
        streamed(embeddings)


def test_lists_of_another_length_and_nulls_are_named(rows):
    for column, what in (
        ([[1.0, 2.0], [1.0], [2.0, 3.0]], "row 1: 1 features, but 2 were expected"),
        ([[1.0, 2.0], [3.0, 5.0], None], "row 2: null"),
        ([[1.0, 2.0], [3.0, 5.0], [1.0, None]], "row 2: null in column 1"),
    ):
        with pytest.raises(ValueError, match=what):
            OnlinePCA(1).fit_stream(pa.table({"x": column}), progress=False)


@pytest.mark.parametrize("name, options", [("rows.feather", {}), ("rows.arrow", {"compression": "uncompressed"})])
def test_feather_and_ipc_files_are_streamed(rows, tmp_path, name, options):
    feather.write_feather(table(rows), tmp_path / name, chunksize=64, **options)
    pca = streamed(tmp_path / name)
    assert list(pca.feature_names_in_) == NAMES
    assert pca.components_.tobytes() == OnlinePCA(3).partial_fit(rows).components_.tobytes()


def test_patterns_and_lists_of_files_are_read_in_order(rows, tmp_path):
    for number, part in enumerate(np.split(rows, 5)):
        pq.write_table(table(part), tmp_path / f"rows-{number}.parquet")
    np.save(tmp_path / "last.npy", rows)
    whole = streamed(table(rows))
    assert state(streamed(f"{tmp_path}/rows-*.parquet")) == state(whole)
    paths = [tmp_path / f"rows-{number}.parquet" for number in range(5)]
    assert state(streamed(paths)) == state(whole)
    assert streamed([str(tmp_path / "last.npy"), tmp_path / "last.npy"]).n_samples_seen_ == 1000
    with pytest.raises(FileNotFoundError, match="no file matches"):
        streamed(f"{tmp_path}/*.feather")


def test_relations_of_duckdb_and_lazy_frames_of_polars_are_streams(rows):
    duckdb = pytest.importorskip("duckdb")
    expected = OnlinePCA(3).partial_fit(rows).components_.tobytes()
    connection = duckdb.connect()
    connection.register("t", table(rows))
    assert streamed(connection.sql("SELECT * FROM t")).components_.tobytes() == expected
    frame = pl.DataFrame(rows, schema=NAMES).lazy()
    pca = streamed(frame)
    assert pca.components_.tobytes() == expected and list(pca.feature_names_in_) == NAMES
    chosen = streamed(frame.with_columns(pl.col("x0") * 2), columns=NAMES[:4], batch_size=100)
    doubled = rows[:, :4] * [2, 1, 1, 1]
    assert subspace_error(batch_components(doubled, 3), chosen.components_) < 1e-20


def test_weights_may_be_a_column(rows, tmp_path):
    weights = np.random.default_rng(1).uniform(0.5, 2, 500)
    expected = OnlinePCA(3).partial_fit(rows, sample_weight=weights).components_.tobytes()
    weighted = table(rows, w=weights)
    pq.write_table(weighted, tmp_path / "rows.parquet")
    for source in (weighted, tmp_path / "rows.parquet", weighted.to_pandas(), pl.from_arrow(weighted)):
        pca = streamed(source, sample_weight="w", batch_size=90)
        assert pca.components_.tobytes() == expected and list(pca.feature_names_in_) == NAMES
    some = streamed(weighted, sample_weight="w", columns=NAMES[:5])
    assert list(some.feature_names_in_) == NAMES[:5]
    embeddings = pa.table({"w": weights, "embedding": lists(rows, "fixed")})
    assert streamed(embeddings, sample_weight="w").components_.tobytes() == expected
    assert streamed(rows, sample_weight=weights, batch_size=90).components_.tobytes() == expected
    with pytest.raises(ValueError, match="no column 'v' for sample_weight"):
        streamed(weighted, sample_weight="v")


@pytest.mark.parametrize("kind", ["array", "sparse", "pandas", "polars", "arrow"])
def test_bad_rows_are_skipped_if_you_say_so(rows, kind):
    from scipy import sparse

    X = rows.copy()
    X[7, 3], X[8, 0], X[150, 2], X[499, 29] = np.nan, np.inf, 1e200, np.nan
    good = np.delete(rows, [7, 8, 150, 499], axis=0)
    weights = np.arange(500) + 1.0
    source = {
        "array": lambda: X,
        "sparse": lambda: sparse.csr_array(X),
        "pandas": lambda: pd.DataFrame(X, columns=NAMES),
        "polars": lambda: pl.DataFrame(X, schema=NAMES),
        "arrow": lambda: pa.table({name: pa.array(x, from_pandas=True) for name, x in zip(NAMES, X.T, strict=True)}),
    }[kind]()
    with pytest.warns(UserWarning, match="Skipped 4 of 500 rows"):
        pca = streamed(source, on_bad_row="skip", batch_size=100, sample_weight=weights)
    expected = OnlinePCA(3).partial_fit(good, sample_weight=np.delete(weights, [7, 8, 150, 499]))
    assert pca.n_samples_seen_ == 496
    assert subspace_error(expected.components_, pca.components_) < 1e-20
    with pytest.raises(ValueError, match="row 7"):
        streamed(source, batch_size=100)


def test_a_stream_of_bad_rows_alone_is_refused():
    with pytest.raises(ValueError, match="0 sample"):
        streamed(np.full((5, 2), np.nan), on_bad_row="skip")
    with pytest.raises(ValueError, match="on_bad_row must be 'error' or 'skip'"):
        streamed(np.ones((5, 2)), on_bad_row="ignore")
