"""Random probes: the error after one pass, and the confidence of its bound."""

import numpy as np
import pytest
import scipy.sparse
from oracle import batch_components, decaying_rows, state, subspace_error

from roipca import OnlinePCA, merge_all

X = decaying_rows(3000, 60) * 0.3 + np.random.default_rng(1).standard_normal((3000, 60)) * 0.05
TRUTH = batch_components(X, 4)


def learner(probes=10, **options):
    return OnlinePCA(4, method="roipca", oversampling=4, probes=probes, **options)


def error(pca):
    return subspace_error(pca.components_, TRUTH)


def expect_known(pca, truth=TRUTH):
    found = subspace_error(pca.components_, truth)
    assert 0.1 * found < pca.error_estimate_ < 10 * found
    assert found < pca.error_bound() <= pca.error_bound(0.99999)
    assert pca.component_errors_.shape == (4,)
    assert sum(map(len, pca.component_groups_)) == 4


def test_one_pass_tells_its_error_in_any_call_of_fit(tmp_path):
    pca = learner().fit(X)
    expect_known(pca)
    assert pca.n_passes_ == 1
    parts = learner()
    for part in np.array_split(X, 7):
        parts.partial_fit(part)
        assert parts.error_estimate_ >= 0.0  # at any time
    assert state(parts) == state(pca)
    pca.save(tmp_path / "m.safetensors")
    loaded = OnlinePCA.load(tmp_path / "m.safetensors")
    assert loaded.probes == 10
    assert loaded.error_bound(0.9) == pca.error_bound(0.9)
    again = np.vstack([X, X[:100]])
    expect_known(loaded.partial_fit(X[:100]), batch_components(again, 4))
    expect_known(loaded.refine(again), batch_components(again, 4))


@pytest.mark.parametrize(
    "method", ["roipca", "froipca", "ipca", "fd", pytest.param("oja", id="no component beyond those reported")]
)
def test_every_method_tells_its_error(method):
    pca = OnlinePCA(4, method=method, probes=10).fit(X)
    assert error(pca) < pca.error_bound()
    assert 0.1 * error(pca) < pca.error_estimate_


def test_the_probes_change_no_component():
    np.testing.assert_array_equal(learner(0).fit(X).components_, learner(7).fit(X).components_)


def test_sparse_rows_threads_and_float32_tell_it_too():
    sparse = scipy.sparse.random(3000, 120, 0.1, format="csr", rng=np.random.default_rng(2))
    sparse = (sparse @ scipy.sparse.diags_array(1.0 / np.arange(1, 121))).tocsr()
    truth = batch_components(sparse.toarray(), 4)
    for rows in (sparse, sparse.astype(np.float32), sparse.toarray()):
        expect_known(OnlinePCA(4, method="roipca", probes=10).fit(rows), truth)
    expect_known(learner(n_jobs=2).fit(X))


def test_merging_keeps_it():
    parts = [learner().fit(part) for part in np.array_split(X, 3)]
    expect_known(merge_all(parts))
    mixed = parts[0].merge(learner(0).fit(X[1000:]))
    assert not hasattr(mixed, "error_estimate_")


def test_a_window_tells_the_error_of_its_rows():
    pca = OnlinePCA(4, method="roipca", oversampling=4, probes=10, window=1500).fit(X)
    covered = X[pca.rows_covered_.start : pca.rows_covered_.stop]
    expect_known(pca, batch_components(covered, 4))


def test_later_passes_keep_the_probes():
    pca = learner().fit(X, passes=3)
    expect_known(pca)
    without = learner(0).fit(X, passes=3)
    np.testing.assert_array_equal(pca.components_, without.components_)
    assert pca.error_bound() <= without.error_bound()


def test_auto_stops_after_one_pass_that_is_good_enough():
    assert learner().fit(X, passes="auto", tol=1.9).n_passes_ == 1
    assert learner().fit(X, passes="auto", tol=1e-9).n_passes_ > 2


# Streams of one kind, so that the bound fails as often as it may: the residuals are those of one component, and
# the next eigenvalue is far away and known.
def test_the_bound_fails_as_rarely_as_it_says():
    rng = np.random.default_rng(5)
    failures = 0
    count = 400
    for _ in range(count):
        rows = rng.standard_normal((60, 12)) * np.r_[6.0, np.ones(11)]
        pca = OnlinePCA(1, method="roipca", oversampling=2, probes=2).fit(rows)
        failures += subspace_error(pca.components_, batch_components(rows, 1)) > pca.error_bound(0.9)
    assert failures <= 0.1 * count + 3 * np.sqrt(0.09 * count)


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match="probes"):
        learner(-1).fit(X)
    with pytest.raises(ValueError, match="probes"):
        learner(2.5).fit(X)
    with pytest.raises(ValueError, match=r"impute.*probes"):
        learner(missing="impute").fit(X)
