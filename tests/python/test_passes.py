"""More passes: closer to batch PCA each time, from the same rows only, with a number that says how close."""

import pickle
import threading

import numpy as np
import pytest
import scipy.sparse
from oracle import batch_components, decaying_rows, state, subspace_error
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from roipca import OnlinePCA

X = decaying_rows(3000, 60) * 0.3 + np.random.default_rng(1).standard_normal((3000, 60)) * 0.05
TRUTH = batch_components(X, 4)


def learner(**options):
    return OnlinePCA(4, method="roipca", oversampling=4, **options)


def error(pca):
    return subspace_error(pca.components_, TRUTH)


def test_each_pass_divides_the_error_by_five():
    pca = learner().fit(X)
    before = error(pca)
    for number in (2, 3, 4):
        pca.refine(X)
        assert pca.n_passes_ == number
        assert error(pca) < before / 5
        assert 0.1 * error(pca) < pca.error_estimate_ < 10 * error(pca)
        assert error(pca) < pca.error_bound()
        before = error(pca)


@pytest.mark.parametrize("passes", [1, 2, 3])
def test_fit_and_fit_stream_make_the_same_passes(tmp_path, passes):
    np.save(tmp_path / "x.npy", X)
    refined = learner().fit(X)
    for _ in range(1, passes):
        refined.refine(X)
    blocks = np.array_split(X, 7)
    for pca in (
        learner().fit(X, passes=passes),
        learner().fit_stream(tmp_path / "x.npy", passes=passes, progress=False),
        learner().fit_stream(blocks, passes=passes, progress=False),
    ):
        assert pca.n_passes_ == passes
        assert state(pca) == state(refined)


def test_auto_stops_below_the_tolerance():
    pca = learner().fit(X, passes="auto", tol=1e-9)
    assert error(pca) <= pca.error_bound() <= 1e-9
    assert pca.n_passes_ < 12
    rough = learner().fit(X, passes="auto", tol=0.5)
    assert rough.n_passes_ == 2


def test_auto_stops_when_the_error_no_longer_falls():
    pca = learner().fit(X.astype(np.float32), passes="auto", tol=1e-30)
    assert pca.n_passes_ < 20
    assert subspace_error(pca.components_, TRUTH) < 1e-9


def test_four_passes_are_more_accurate_than_the_sixteen_of_randomized_pca():
    randomized = PCA(4, svd_solver="randomized", random_state=0).fit(X)  # seven iterations of two products
    pca = OnlinePCA(4, method="roipca").fit(X, passes=4)
    assert error(pca) < subspace_error(randomized.components_, TRUTH)


def slowly_falling_rows(n, d):
    """Rows with variance 1 / i along direction i, in an order of directions that no method knows."""
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((n, d)) / np.sqrt(np.arange(1, d + 1))
    for mirror in rng.standard_normal((3, d)):
        rows -= np.outer(rows @ mirror, 2 * mirror / (mirror @ mirror))
    return rows


@pytest.mark.parametrize(
    "rows, components",
    [
        (decaying_rows(2000, 300), 5),
        (slowly_falling_rows(2000, 300), 5),
        (slowly_falling_rows(2000, 1100), 10),
        (decaying_rows(2000, 1100), 20),
    ],
)
def test_two_passes_by_default_are_more_accurate_than_the_sixteen_of_randomized_pca(rows, components):
    truth = batch_components(rows, components)
    randomized = PCA(components, svd_solver="randomized", random_state=0).fit(rows)
    pca = OnlinePCA(components).fit(rows, passes=2)
    assert subspace_error(pca.components_, truth) < subspace_error(randomized.components_, truth)


@pytest.mark.parametrize("passes", [2, "auto"])
@pytest.mark.parametrize("dtype, rounding", [(np.float64, 1e-24), (np.float32, 1e-12)])
def test_more_passes_over_up_to_1024_features_are_one_exact_pass(passes, dtype, rounding):
    rows = decaying_rows(1500, 400).astype(dtype)
    assert OnlinePCA(5).fit(rows).method_ == "roipca"
    pca = OnlinePCA(5).fit(rows, passes=passes)
    assert (pca.method_, pca.method, pca.n_passes_) == ("exact", "auto", 1)
    assert subspace_error(pca.components_, batch_components(rows, 5)) < rounding
    streamed = OnlinePCA(5).fit_stream(np.array_split(rows, 7), passes=passes, progress=False)
    assert state(streamed) == state(pca)
    assert pca.error_bound() == 0.0


def test_more_passes_over_more_features_hold_60_components_beyond_those_reported():
    rows = decaying_rows(400, 1025)
    pca = OnlinePCA(5).fit(rows, passes=2)
    assert (pca.method_, pca.n_components_held_, pca.n_passes_) == ("roipca", 65, 2)
    assert state(pca) == state(OnlinePCA(5, oversampling=60).fit(rows, passes=2))
    assert OnlinePCA(5, oversampling=7).fit(rows, passes=2).n_components_held_ == 12


def test_more_passes_choose_for_dense_rows_only_and_where_the_choice_is_open():
    rows = decaying_rows(300, 400)
    for options in ({"method": "roipca"}, {"missing": "impute"}):
        pca = OnlinePCA(3, **options).fit(rows, passes=2)
        assert (pca.method_, pca.n_components_held_, pca.n_passes_) == ("roipca", 13, 2)
    sparse = scipy.sparse.csr_array(np.where(rows > 0, rows, 0.0))
    for pca in (OnlinePCA(3).fit(sparse, passes=2), OnlinePCA(3).fit_stream(sparse, passes=2, progress=False)):
        assert (pca.method_, pca.n_components_held_, pca.n_passes_) == ("roipca", 13, 2)


def test_what_more_passes_chose_lasts_as_long_as_the_rows(tmp_path):
    rows, more = np.split(decaying_rows(1200, 400), [900])
    pca = OnlinePCA(3).fit(rows, passes=2)
    assert clone(pca).fit(rows).method_ == "roipca"
    pca.save(tmp_path / "m.safetensors")
    both = batch_components(np.concatenate([rows, more]), 3)
    for goes_on in (pickle.loads(pickle.dumps(pca)), OnlinePCA.load(tmp_path / "m.safetensors"), pca):
        assert (goes_on.method_, goes_on.method, goes_on.n_components_held_) == ("exact", "auto", 400)
        assert subspace_error(goes_on.partial_fit(more).components_, both) < 1e-24
    merged = OnlinePCA(3).fit(rows, passes=2).merge(OnlinePCA(3).fit(more, passes=2))
    assert (merged.method_, merged.n_components_held_) == ("exact", 400)
    assert subspace_error(merged.components_, both) < 1e-24
    mixed = OnlinePCA(3).fit(rows, passes=2).merge(OnlinePCA(3).fit(more))
    assert subspace_error(mixed.components_, both) < 1e-3
    assert pca.fit(rows).method_ == "roipca"


def test_sparse_rows_weights_and_float32():
    rng = np.random.default_rng(2)
    sparse = scipy.sparse.random(800, 120, 0.1, format="csr", rng=rng)
    sparse = (sparse @ scipy.sparse.diags_array(1.0 / np.arange(1, 121))).tocsr()
    weights = rng.integers(0, 3, 800).astype(float)
    truth = batch_components(sparse.toarray(), 3, weights)
    for rows, tolerance in ((sparse, 1e-12), (sparse.astype(np.float32), 1e-7)):
        pca = OnlinePCA(3, method="roipca").fit(rows, sample_weight=weights, passes=8)
        assert subspace_error(pca.components_, truth) < tolerance
        one = OnlinePCA(3, method="roipca").fit(rows, sample_weight=weights)
        two = one.refine(rows, sample_weight=weights)
        assert two.n_passes_ == 2 and two.components_.dtype == rows.dtype


@pytest.mark.parametrize(
    "source, said",
    [
        (X[:-1], "its number of rows is 3000, but this pass has 2999"),
        (X + np.eye(60)[7] * 0.01, "its mean of feature 7 is"),
        (X[:, :-1], "59 features"),
        (np.where(np.arange(3000)[:, None] == 5, np.nan, X), "NaN"),
    ],
)
def test_other_rows_are_refused_and_change_nothing(source, said):
    pca = learner().fit(X)
    before = state(pca)
    with pytest.raises(ValueError, match=said):
        pca.refine(source)
    assert state(pca) == before
    assert pca.n_passes_ == 1


def test_rows_without_weight_need_no_other_pass():
    pca = learner().fit_stream([X], sample_weight=np.zeros(3000), passes=2, progress=False)
    assert not hasattr(pca, "components_")


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="passes must be 'auto' or an int of at least 1, got 0"):
        learner().fit(X, passes=0)
    with pytest.raises(ValueError, match="tol must be positive"):
        learner().fit(X, passes="auto", tol=0.0)
    with pytest.raises(ValueError, match="read again, not generator"):
        learner().fit_stream((block for block in [X]), passes=2)
    with pytest.raises(ValueError, match="resume=True"):
        learner().fit_stream([X], passes=2, resume=True)
    with pytest.raises(ValueError, match="forgetting"):
        learner(forgetting=0.99).fit(X).refine(X)
    for options in ({"forgetting": 0.99}, {"window": 1000}):
        for again in (lambda pca: pca.fit(X, passes=2), lambda pca: pca.fit_stream([X], passes="auto", progress=False)):
            pca = OnlinePCA(4, **options)
            with pytest.raises(ValueError, match=f"More passes exclude {next(iter(options))}"):
                again(pca)
            assert not hasattr(pca, "n_features_in_")
    with pytest.raises(ValueError, match="sample_weight has 3000 weights, but the source has 2999 rows"):
        learner().fit(X).refine(iter([X[:-1]]), sample_weight=np.ones(3000))
    with pytest.raises(ValueError, match="confidence"):
        learner().fit(X, passes=2).error_bound(1.0)


def test_the_error_is_unknown_after_one_pass_and_none_for_exact():
    pca = learner().fit(X)
    assert not hasattr(pca, "error_estimate_")
    with pytest.raises(AttributeError, match="refine"):
        pca.error_bound()
    exact = OnlinePCA(4, method="exact").fit(X, passes=5)
    assert exact.n_passes_ == 1
    assert exact.error_estimate_ == 0.0
    assert exact.component_groups_ == [[0], [1], [2], [3]]


def test_components_that_cannot_be_told_apart_are_in_one_group():
    rng = np.random.default_rng(3)
    spread = np.concatenate([[30.0, 10.0, 10.0], np.linspace(5, 1, 57)])
    turn = np.linalg.qr(rng.standard_normal((2000, 60)))[0]  # with exactly these singular values
    rows = turn * spread
    pca = OnlinePCA(3, method="roipca", center=False).fit(rows, passes=2)
    assert pca.component_groups_ == [[0], [1, 2]]
    assert pca.component_errors_[0] < 1e-6 < 0.1 < pca.component_errors_[1]


def test_a_refined_estimator_is_kept_and_goes_on(tmp_path):
    pca = learner().fit(X, passes=2)
    pca.save(tmp_path / "m.safetensors")
    loaded = OnlinePCA.load(tmp_path / "m.safetensors")
    assert loaded.n_passes_ == 2
    assert loaded.error_estimate_ == pca.error_estimate_
    assert state(loaded.refine(X)) == state(pca.refine(X))
    pca.partial_fit(X[:100])
    assert pca.n_passes_ == 1 and pca.n_samples_seen_ == 3100


def test_named_features_and_pipelines():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(60)])
    pca = learner().fit(frame).refine(frame)
    assert pca.n_passes_ == 2
    with pytest.raises(ValueError, match="feature names"):
        pca.refine(frame.rename(columns={"x3": "y"}))
    pipe = make_pipeline(StandardScaler(), learner()).fit(X, onlinepca__passes=2)
    assert pipe[-1].n_passes_ == 2


def test_threads_may_read_while_another_refines():
    pca = learner().fit(X)
    stop = threading.Event()
    failures = []

    def read():
        while not stop.is_set():
            if pca.components_.shape != (4, 60):
                failures.append(pca.components_.shape)

    thread = threading.Thread(target=read)
    thread.start()
    for _ in range(3):
        pca.refine(X)
    stop.set()
    thread.join()
    assert not failures and pca.n_passes_ == 4
