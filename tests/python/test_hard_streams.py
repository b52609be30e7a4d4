"""Streams on which components are easily lost and eigenvalues easily diverge, beside a dense solver."""

import numpy as np
import pytest

from roipca import DataError, OnlineKernelPCA, OnlinePCA

PRECISIONS = [np.float32, np.float64]
BY_BLOCKS = [{}, {"method": "roipca"}, {"method": "ipca"}, {"method": "exact"}]
BY_ROWS = [{"method": "roipca", "update_every": "row"}, {"method": "ipca", "update_every": "row"}]
ESTIMATES = [
    {"method": "froipca"},
    {"method": "froipca", "tau": "optimal"},
    {"method": "ccipca"},
    {"method": "gha"},
    {"method": "oja"},
    {"method": "fd"},
]
EVERY_METHOD = BY_BLOCKS + BY_ROWS + ESTIMATES


def variances(X, m, weights=None, center=True, forgetting=1.0):
    """Returns the m largest variances by a dense decomposition of the rows as they are in their own precision."""
    X = np.asarray(X, np.float64)
    w = (np.ones(len(X)) if weights is None else weights) * forgetting ** np.arange(len(X))[::-1]
    if center:
        X = X - X[w.argmax()]
        X = X - w @ X / w.sum()
    # Twice the sum of w_i w_j over pairs: no difference of nearly equal numbers.
    divisor = 2 * (w * (np.cumsum(w) - w)).sum() / w.sum() if center else w.sum()
    rows = X * np.sqrt(w)[:, None]
    return np.linalg.svd(np.linalg.qr(rows, mode="r"), compute_uv=False)[:m] ** 2 / divisor


def eps_of(pca):
    return float(np.finfo(pca.components_.dtype).eps)


def check_form(pca):
    """Checks what holds for any method: finite, descending, never more than there is, orthonormal."""
    components = pca.components_.astype(np.float64)
    assert np.isfinite(components).all() and np.isfinite(pca.explained_variance_).all()
    assert (np.diff(pca.explained_variance_) <= 0).all() and (pca.explained_variance_ >= 0).all()
    assert pca.explained_variance_ratio_.sum() <= 1 + 16 * eps_of(pca)
    assert np.abs(components @ components.T - np.eye(len(components))).max() <= 512 * eps_of(pca)


# Components that are small beside what earlier rows add up to.


def normal_rows(n, d, seed=0):
    """Standard deviations of 4, 3, 2.5, 2 and 1.5 in noise of 0.1."""
    s = np.full(d, 0.1)
    s[:5] = [4, 3, 2.5, 2, 1.5]
    return np.random.default_rng(seed).standard_normal((n, d)) * s


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_an_early_outlier_hides_no_component_of_a_long_stream(dtype):
    X = normal_rows(100_000, 400).astype(dtype)
    X[10] = 3e4 / 20
    pca = OnlinePCA(5).partial_fit(X)
    np.testing.assert_allclose(pca.explained_variance_, [9000, 16, 8.96, 6.18, 4.00], rtol=5e-3)
    check_form(pca)


def early_outlier(X, size):
    X[10] = size / np.sqrt(X.shape[1])
    return X


def late_outlier(X, size):
    X[-3] = size / np.sqrt(X.shape[1])
    return X


def large_unit(X, size):
    X[:, 7] *= 10 * size
    return X


def late_direction(X, size):
    X[:, 0] *= size / 4
    X[:1000, 1] *= 0.03
    return X


def timestamps(X, size):
    X[:, 7] = size + 60.0 * np.arange(len(X))
    return X


def sentinels(X, size):
    X[::97, 7] = -size
    return X


# With sizes beside which float32 and float64 find the other components. The scatter matrix of `exact` finds fewer
# beside a row that is large in all features: see "Dynamic range" in docs/algorithm.md.
CHANGES = [
    (early_outlier, {"float32": 1e5, "float64": 1e10, "exact": 3e7}),
    (late_outlier, {"float32": 1e5, "float64": 1e10, "exact": 3e7}),
    (large_unit, {"float32": 1e4, "float64": 1e8}),
    (late_direction, {"float32": 13, "float64": 1e4}),
    (timestamps, {"float32": 1.7e9, "float64": 1.7e9}),
    (sentinels, {"float32": 1e5, "float64": 1e8}),
]
KINDS = [{}, {"center": False, "forgetting": 0.9999, "weighted": True}]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("options", BY_BLOCKS, ids=str)
@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("change,sizes", CHANGES)
def test_small_components_are_not_lost_beside_a_large_one(change, sizes, dtype, options, kind):
    size = sizes[np.dtype(dtype).name]
    if options.get("method", "exact") == "exact":  # the default, with so few features
        size = min(size, sizes.get("exact", size))
    if change is timestamps and dtype == np.float32 and "center" in kind:
        size = 1e5  # about the origin, the numbers themselves count, not their deviations
    X = change(normal_rows(2000, 60), size).astype(dtype)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(X)) if "weighted" in kind else None
    center, forgetting = kind.get("center", True), kind.get("forgetting", 1.0)
    pca = OnlinePCA(5, center=center, forgetting=forgetting, **options).partial_fit(X, sample_weight=weights)
    want = variances(X, 5, weights, center, forgetting)
    # What leaves the 15 components that are held, and a direction that is held only when it appears.
    np.testing.assert_allclose(pca.explained_variance_, want, rtol=1e-2 if change is late_direction else 2e-3)
    check_form(pca)


@pytest.mark.parametrize("change", [large_unit, sentinels])
def test_exact_tells_variances_apart_beside_one_of_1e14(change):
    X = change(normal_rows(5000, 20), 1e7)
    pca = OnlinePCA(5, method="exact").partial_fit(X)
    # Entries of the scatter are right relative to the variances of their two features.
    np.testing.assert_allclose(pca.explained_variance_, variances(X, 5), rtol=1e-7)


# Rows of deficient rank, row by row.


def low_rank_rows(seed, kind):
    rng = np.random.default_rng(seed)
    if kind == "rank 20":
        return rng.standard_normal((1500, 20)) @ rng.standard_normal((20, 60)) + 1000
    rows = rng.standard_normal((1500, 3)) @ rng.standard_normal((3, 60))
    return rows + 2e-15 * rng.standard_normal((1500, 60))


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("options", BY_ROWS, ids=str)
@pytest.mark.parametrize("kind,rank,m", [("rank 20", 20, 20), ("rank 3", 3, 5)])
def test_eigenvalues_of_deficient_rank_do_not_diverge(kind, rank, m, options, dtype):
    for seed in range(25):
        X = low_rank_rows(seed, kind).astype(dtype)
        pca = OnlinePCA(m, **options).partial_fit(X)
        want = variances(X, m)
        # Components may be 512 roundings from orthonormal, which changes what every row adds by as much.
        assert np.abs(pca.explained_variance_ - want)[:rank].max() <= 512 * eps_of(pca) * want[0], seed
        assert not pca.explained_variance_[rank:].any()
        check_form(pca)


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("tau", ["zero", "optimal"])
def test_froipca_keeps_the_trace_of_rows_of_deficient_rank(tau, dtype):
    for seed in range(10):
        X = low_rank_rows(seed, "rank 20").astype(dtype)
        pca = OnlinePCA(20, method="froipca", tau=tau).partial_fit(X)
        # All directions are held, so that nothing of the trace may be lost; their variances are estimates.
        assert abs(pca.explained_variance_ratio_.sum() - 1) <= 512 * eps_of(pca), seed
        check_form(pca)


# Kernels.


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("tolerance", [1e-3, 1e-5, 1e-6, 1e-8, 1e-12, 0.0])
def test_kernel_pca_accepts_rbf_streams_at_every_tolerance(tolerance, dtype):
    for seed in range(5):
        X = np.random.default_rng(seed).standard_normal((400, 2)).astype(dtype)
        kpca = OnlineKernelPCA(3, kernel="rbf", gamma=0.1, budget=80, tolerance=tolerance).partial_fit(X)
        K = np.exp(-0.1 * ((X[:, None].astype(float) - X[None]) ** 2).sum(axis=2))
        centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
        want = np.linalg.eigvalsh(centred)[::-1][:3]
        # What the projections have lost (Weyl), and rounding of the distances from the kept rows.
        slack = np.sqrt(kpca.representation_error_ * len(X)) + 1e-6 * np.sqrt(len(X))
        assert np.abs(np.sqrt(kpca.eigenvalues_) - np.sqrt(want)).max() <= slack


# Weights.


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("place", [0, 20, 49])
@pytest.mark.parametrize("options", EVERY_METHOD, ids=str)
def test_one_weight_of_1e16_among_50_leaves_the_variances(options, place, dtype):
    rng = np.random.default_rng(3)
    X = (rng.standard_normal((50, 3)) @ rng.standard_normal((3, 6))).astype(dtype)
    weights = np.ones(50)
    weights[place] = 1e16
    pca = OnlinePCA(3, **options).partial_fit(X, sample_weight=weights)
    # The scatter is sum_(i<j) w_i w_j (x_i - x_j)^2 / W, of which pairs with the heavy row are all but 1e-14.
    far = X.astype(np.float64) - X[place].astype(np.float64)
    np.testing.assert_allclose(pca.var_, (far**2).sum(axis=0) / (2 * 49), rtol=200 * eps_of(pca))
    check_form(pca)
    if options in BY_BLOCKS + BY_ROWS:
        want = np.linalg.svd(far, compute_uv=False)[:3] ** 2 / (2 * 49)
        np.testing.assert_allclose(pca.explained_variance_, want, rtol=800 * eps_of(pca))


@pytest.mark.parametrize("options", EVERY_METHOD, ids=str)
def test_weights_of_1e90_and_rows_of_1e120_are_refused_and_nothing_is_lost(options):
    X = np.random.default_rng(4).standard_normal((50, 6))
    pca = OnlinePCA(3, **options).partial_fit(X)
    before = pca.explained_variance_.copy()
    with pytest.raises(DataError, match="too large"):
        pca.partial_fit(1e120 * X, sample_weight=np.full(50, 1e90))
    assert pca.n_samples_seen_ == 50 and np.array_equal(pca.explained_variance_, before)
    # Just within the range that the message names.
    pca = OnlinePCA(3, **options).partial_fit(1e105 * X, sample_weight=np.full(50, 1e90))
    check_form(pca)
    np.testing.assert_allclose(pca.var_ / 1e210, X.var(axis=0, ddof=1), rtol=1e-13)


# Variance that is rounding, and estimates.


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("options", BY_BLOCKS + BY_ROWS + ESTIMATES, ids=str)
def test_rounding_does_not_count_in_t2_and_whitening(options, dtype):
    rng = np.random.default_rng(5)
    X = (rng.standard_normal((600, 4)) @ rng.standard_normal((4, 30))).astype(dtype)
    pca = OnlinePCA(8, **options).partial_fit(X)
    assert (pca.explained_variance_ > 0).sum() == 4
    pca.set_params(whiten=True)
    scores = pca.transform(X).astype(np.float64)
    assert not scores[:, 4:].any()
    np.testing.assert_allclose(pca.t2(X), (scores**2).sum(axis=1), rtol=1e-3)
    if options in BY_BLOCKS + BY_ROWS:
        far = X.astype(np.float64) - X.astype(np.float64).mean(axis=0)
        want = 599 * (np.linalg.svd(far, full_matrices=False)[0][:, :4] ** 2).sum(axis=1)
        np.testing.assert_allclose(pca.t2(X), want, rtol=5e3 * eps_of(pca))


def jump(X):
    X[1500:] += 30 * np.random.default_rng(7).standard_normal(20)
    return X


STREAMS = {
    "steady": lambda X: X,
    "the mean jumps": jump,
    "rows grow": lambda X: X * (1 + 0.01 * np.arange(3000))[:, None],
    "directions change": lambda X: np.vstack([X[:1500], 3 * X[1500:, ::-1]]),
}


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("options", EVERY_METHOD, ids=str)
def test_variances_descend_and_never_exceed_the_trace(options, stream, dtype, kind):
    rng = np.random.default_rng(6)
    X = STREAMS[stream](rng.standard_normal((3000, 20)) * 0.7 ** np.arange(20)).astype(dtype)
    weights = rng.uniform(0.5, 2, len(X)) if "weighted" in kind else None
    center, forgetting = kind.get("center", True), kind.get("forgetting", 1.0)
    check_form(OnlinePCA(5, center=center, forgetting=forgetting, **options).partial_fit(X, sample_weight=weights))
