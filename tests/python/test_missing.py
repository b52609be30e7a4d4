"""missing="impute": NaN are missing values."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from roipca import OnlinePCA


def factors(rows=3000, features=40, count=5, seed=0):
    random = np.random.default_rng(seed)
    loadings = random.standard_normal((count, features)) * np.linspace(3, 1, count)[:, None]
    return random.standard_normal((rows, count)) @ loadings + random.standard_normal((rows, features)) + 5


def mean_filled(gaps):
    return np.where(np.isnan(gaps), np.nanmean(gaps, axis=0), gaps)


def with_gaps(rows, part, seed=1):
    return np.where(np.random.default_rng(seed).random(rows.shape) < part, np.nan, rows)


def batch(rows, count):
    values, vectors = np.linalg.eigh(np.cov(rows.T))
    return values[::-1][:count], vectors.T[::-1][:count]


def subspace_error(components, truth):
    return 1 - np.linalg.norm(components @ truth.T) ** 2 / len(truth)


@pytest.mark.parametrize("part", [0.1, 0.3, 0.5])
def test_three_times_better_than_means_and_variances_within_five_percent(part):
    rows = factors(features=120, count=15)
    gaps = with_gaps(rows, part)
    values, vectors = batch(rows, 15)
    means = batch(mean_filled(gaps), 15)
    pca = OnlinePCA(15, missing="impute").fit(gaps)
    assert 3 * subspace_error(pca.components_, vectors) < subspace_error(means[1], vectors)
    np.testing.assert_allclose(pca.explained_variance_, values, rtol=0.05)
    np.testing.assert_allclose(pca.mean_, np.nanmean(gaps, axis=0), rtol=1e-10)
    np.testing.assert_array_equal(pca.feature_weight_, (~np.isnan(gaps)).sum(axis=0))


def test_sensors_that_are_off_for_a_while():
    rows = factors()
    gaps = rows.copy()
    for j in range(20):
        gaps[100 * j : 100 * j + 800, j] = np.nan
    values, vectors = batch(rows, 5)
    means = batch(mean_filled(gaps), 5)
    pca = OnlinePCA(5, missing="impute").fit(gaps)
    assert 3 * subspace_error(pca.components_, vectors) < subspace_error(means[1], vectors)
    np.testing.assert_allclose(pca.explained_variance_, values, rtol=0.05)


def test_imputed_rows_are_nearer_than_means_and_keep_what_is_there():
    rows = factors()
    gaps = with_gaps(rows, 0.3)
    holes = np.isnan(gaps)
    pca = OnlinePCA(5, missing="impute").fit(gaps)
    filled = pca.impute(gaps)
    np.testing.assert_array_equal(filled[~holes], rows[~holes])
    # The noise has variance 1, and the coordinates on five factors are known well from 28 values.
    assert np.mean((filled - rows)[holes] ** 2) < 1.4
    np.testing.assert_allclose(pca.transform(gaps), pca.transform(filled), atol=1e-9)
    np.testing.assert_allclose(pca.t2(gaps), pca.t2(filled), rtol=1e-9)
    residuals = np.where(holes, 0, filled - pca.inverse_transform(pca.transform(gaps)))
    np.testing.assert_allclose(pca.spe(gaps), (residuals**2).sum(axis=1) * 40 / (~holes).sum(axis=1), rtol=1e-9)
    np.testing.assert_allclose(pca.contributions(gaps), residuals**2, atol=1e-9)


def test_the_likelihood_is_that_of_the_values_that_are_there():
    rows = factors(500)
    pca = OnlinePCA(5, missing="impute").fit(rows)
    gaps = with_gaps(rows[:20], 0.4)
    covariance = pca.get_covariance()
    for x, density in zip(gaps, pca.score_samples(gaps), strict=True):
        there = ~np.isnan(x)
        of_these = covariance[np.ix_(there, there)]
        centred = (x - pca.mean_)[there]
        distance = centred @ np.linalg.solve(of_these, centred)
        truth = -0.5 * (there.sum() * np.log(2 * np.pi) + np.linalg.slogdet(of_these)[1] + distance)
        assert density == pytest.approx(truth, rel=1e-6)


def test_rows_without_values_are_counted_and_left_out():
    rows = with_gaps(factors(200), 0.2)
    rows[[3, 150]] = np.nan
    pca = OnlinePCA(2, missing="impute").fit(rows)
    assert (pca.n_samples_seen_, pca.n_empty_rows_) == (198, 2)
    np.testing.assert_array_equal(pca.transform(rows)[[3, 150]], 0)
    np.testing.assert_array_equal(pca.spe(rows)[[3, 150]], 0)
    np.testing.assert_allclose(pca.impute(rows)[3], pca.mean_)
    with pytest.raises(ValueError, match="no row has a value"):
        OnlinePCA(2, missing="impute").fit(np.full((5, 3), np.nan))


def test_errors_name_the_row():
    gaps = with_gaps(factors(50), 0.2)
    first = int(np.isnan(gaps).any(axis=1).argmax())
    with pytest.raises(ValueError, match=f"row {first}"):
        OnlinePCA(2).fit(gaps)
    gaps[7, 3] = np.inf
    with pytest.raises(ValueError, match="row 7"):
        OnlinePCA(2, missing="impute").fit(gaps)
    with pytest.raises(ValueError, match="by blocks"):
        OnlinePCA(2, missing="impute", method="oja").fit(factors(50))
    with pytest.raises(TypeError, match="dense"):
        OnlinePCA(2, missing="impute").fit(factors(50)).impute(csr_matrix(np.eye(40)))


def test_cuts_pickles_and_files_keep_everything(tmp_path):
    gaps = with_gaps(factors(1500), 0.3)
    whole = OnlinePCA(3, missing="impute").partial_fit(gaps)
    parts = OnlinePCA(3, missing="impute")
    for part in np.array_split(gaps, 11):
        parts = pickle.loads(pickle.dumps(parts.partial_fit(part)))
    np.testing.assert_array_equal(parts.components_, whole.components_)
    whole.save(tmp_path / "model.safetensors")
    loaded = OnlinePCA.load(tmp_path / "model.safetensors")
    assert loaded.missing == "impute"
    np.testing.assert_array_equal(loaded.impute(gaps), whole.impute(gaps))
    np.testing.assert_array_equal(loaded.feature_weight_, whole.feature_weight_)


def test_parts_merge():
    rows = factors()
    gaps = with_gaps(rows, 0.3)
    one, two = (OnlinePCA(5, missing="impute").fit(part) for part in np.split(gaps, 2))
    merged = one.merge(two)
    np.testing.assert_allclose(merged.mean_, np.nanmean(gaps, axis=0), rtol=1e-10)
    np.testing.assert_allclose(merged.explained_variance_, batch(rows, 5)[0], rtol=0.05)


def test_with_standardize():
    rows = factors() * 10.0 ** np.random.default_rng(3).uniform(-6, 6, 40)
    gaps = with_gaps(rows, 0.3)
    pca = OnlinePCA(5, missing="impute", standardize=True).fit(gaps)
    values, vectors = np.linalg.eigh(np.corrcoef(rows.T))
    np.testing.assert_allclose(pca.explained_variance_, values[::-1][:5], rtol=0.1)
    assert subspace_error(pca.components_, vectors.T[::-1][:5]) < 0.01


def test_another_pass_improves_what_the_first_rows_did_not_know():
    rows = factors()
    gaps = with_gaps(rows, 0.2)
    gaps[:1000, 7] = np.nan
    _, vectors = batch(rows, 5)
    once = OnlinePCA(5, missing="impute").fit(gaps)
    more = OnlinePCA(5, missing="impute").fit(gaps)
    for _ in range(4):
        more.refine(gaps)
    assert subspace_error(more.components_, vectors) < 0.5 * subspace_error(once.components_, vectors)
    # A third of the rows count as if it had been at its mean. Each pass makes up for half of what is left.
    assert once.var_[7] / rows[:, 7].var() < 0.75
    assert abs(more.var_[7] / rows[:, 7].var() - 1) < 0.06
    gaps[0, 0] = np.nan if np.isfinite(gaps[0, 0]) else 1.0
    with pytest.raises(ValueError, match="not the rows of the model"):
        once.refine(gaps)


def test_threads_weights_and_single_precision():
    rows = factors(4000)
    gaps = with_gaps(rows, 0.3)
    values, _ = batch(rows, 5)
    alone = OnlinePCA(5, missing="impute").fit(gaps)
    for pca in (
        OnlinePCA(5, missing="impute", n_jobs=2).fit(gaps),
        OnlinePCA(5, missing="impute").fit(gaps.astype(np.float32)),
        OnlinePCA(5, missing="impute").fit(gaps, sample_weight=np.full(4000, 2.0)),
    ):
        np.testing.assert_allclose(pca.explained_variance_, values, rtol=0.05)
        np.testing.assert_allclose(pca.mean_, alone.mean_, rtol=1e-6)
    heavy = np.where(np.arange(4000) % 2 == 0, 3.0, 1.0)
    weighted = OnlinePCA(5, missing="impute").fit(gaps, sample_weight=heavy)
    there = ~np.isnan(gaps)
    np.testing.assert_allclose(weighted.feature_weight_, heavy @ there)
    np.testing.assert_allclose(weighted.mean_, heavy @ np.where(there, gaps, 0) / (heavy @ there))


def test_a_monitor_takes_rows_with_gaps():
    gaps = with_gaps(factors(600), 0.2)
    pca = OnlinePCA(5, missing="impute").fit(gaps)
    for x, t2, spe in zip(gaps[:20], pca.t2(gaps[:20]), pca.spe(gaps[:20]), strict=True):
        reading = pca.monitor(x, learn="none")
        assert (reading.t2, reading.spe) == pytest.approx((t2, spe))
    with pytest.raises(ValueError, match="NaN"):
        OnlinePCA(5).fit(factors(600)).monitor(gaps[0], learn="none")


def test_what_does_not_combine_is_refused():
    with pytest.raises(ValueError, match="blocks"):
        OnlinePCA(2, missing="impute", method="froipca").fit(factors(50))
    sparse = csr_matrix(np.where(np.arange(40) == 3, np.nan, 1.0))
    with pytest.raises(ValueError, match="NaN"):
        OnlinePCA(2, missing="impute").fit(sparse)


def test_streams_skip_only_what_is_no_missing_value():
    gaps = with_gaps(factors(600), 0.2)
    whole = OnlinePCA(3, missing="impute").fit(gaps)
    spoilt = np.insert(gaps, 5, np.inf, axis=0)
    with pytest.warns(UserWarning, match="Skipped 1 of 601 rows"):
        pca = OnlinePCA(3, missing="impute").fit_stream([spoilt], on_bad_row="skip", progress=False)
    assert pca.n_samples_seen_ == 600
    np.testing.assert_allclose(pca.explained_variance_, whole.explained_variance_)


def test_nulls_of_tables_are_missing_values(tmp_path):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    gaps = with_gaps(factors(600, features=6, count=2), 0.2)
    table = pa.table({f"x{j}": pa.array(gaps[:, j], mask=np.isnan(gaps[:, j])) for j in range(6)})
    parquet.write_table(table, tmp_path / "rows.parquet")
    whole = OnlinePCA(2, missing="impute").fit(gaps)
    for pca in (
        OnlinePCA(2, missing="impute").fit(table),
        OnlinePCA(2, missing="impute").fit_stream(tmp_path / "rows.parquet", progress=False),
        OnlinePCA(2, missing="impute").fit_stream(tmp_path / "rows.parquet", on_bad_row="skip", progress=False),
    ):
        np.testing.assert_array_equal(pca.components_, whole.components_)
        np.testing.assert_array_equal(pca.transform(table), whole.transform(gaps))
    with pytest.raises(ValueError, match="null in column"):
        OnlinePCA(2).fit(table)


def test_partitions_of_dask():
    array = pytest.importorskip("dask.array")
    import roipca.dask

    rows = factors(4000)
    gaps = array.from_array(with_gaps(rows, 0.3), chunks=(1000, 40))
    pca = roipca.dask.fit(gaps, 5, missing="impute", passes=2)
    np.testing.assert_allclose(pca.explained_variance_, batch(rows, 5)[0], rtol=0.05)
    assert np.isfinite(roipca.dask.transform(pca, gaps).compute()).all()
