"""More passes: closer to batch PCA each time, from the same rows only, with a number that says how close."""

import threading

import numpy as np
import pytest
import scipy.sparse
from oracle import batch_components, decaying_rows, state, subspace_error
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
