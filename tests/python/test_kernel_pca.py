"""Online kernel PCA beside scikit-learn's KernelPCA, with all rows, with a budget and by features."""

import copy
import gc
import inspect
import pickle
import re
import weakref

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_circles, make_moons
from sklearn.decomposition import KernelPCA
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

from roipca import OnlineKernelPCA, OnlinePCA

KERNELS = [
    {"kernel": "rbf", "gamma": 0.3},
    {"kernel": "rbf"},
    {"kernel": "poly", "degree": 2, "coef0": 0.5},
    {"kernel": "linear"},
]


@pytest.fixture
def points():
    return np.random.default_rng(0).standard_normal((90, 4)) * [2.0, 1.4, 1.0, 0.6]


def product(x, y):
    return float(np.exp(-0.3 * np.sum((x - y) ** 2)))


def aligned(scores, like):
    """The scores with the sign of each column that fits."""
    return scores * np.where((scores * like).sum(axis=0) < 0, -1.0, 1.0)


def state(kpca):
    """Everything a failed call must leave as it was."""
    return pickle.dumps(kpca._learned.core) if kpca.method == "kernel" else pickle.dumps(kpca._learned)


@pytest.mark.parametrize("parameters", KERNELS, ids=str)
def test_equals_kernel_pca_to_rounding_if_all_eigenpairs_are_held(points, parameters):
    kpca = OnlineKernelPCA(**parameters)
    for n, x in enumerate(points, start=1):
        kpca.partial_fit([x])
        if n % 30:
            continue
        batch = KernelPCA(**parameters).fit(points[:n])
        m = min(len(batch.eigenvalues_), kpca.n_components_)
        largest = batch.eigenvalues_[0]
        assert np.abs(kpca.eigenvalues_[:m] - batch.eigenvalues_[:m]).max() < 1e-12 * largest
        # Both drop what is below 1e-12 of the largest, and rounding decides there.
        assert np.all(batch.eigenvalues_[m:] < 1e-11 * largest)
        expected = batch.transform(points)[:, :6]
        assert np.abs(aligned(kpca.transform(points)[:, :6], expected) - expected).max() < 1e-9


def test_has_the_eigenvectors_of_kernel_pca(points):
    kpca, batch = OnlineKernelPCA(3, gamma=0.3, oversampling=90), KernelPCA(3, kernel="rbf", gamma=0.3)
    kpca.fit(points), batch.fit(points)
    expected = batch.eigenvectors_
    assert kpca.eigenvectors_.shape == expected.shape == (90, 3)
    assert np.abs(aligned(kpca.eigenvectors_, expected) - expected).max() < 1e-10
    largest = np.abs(kpca.eigenvectors_).argmax(axis=0)
    assert np.all(kpca.eigenvectors_[largest, range(3)] > 0)


@pytest.mark.parametrize("center", [True, False])
def test_without_centring_is_the_kernel_matrix_itself(points, center):
    kpca = OnlineKernelPCA(5, gamma=0.3, center=center, oversampling=90).fit(points)
    K = rbf_kernel(points, gamma=0.3)
    if center:
        K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    assert np.allclose(kpca.eigenvalues_, np.linalg.eigvalsh(K)[::-1][:5], rtol=1e-12)


PICTURES = {
    "moons": (make_moons(300, noise=0.05, random_state=0)[0], 5.0),
    "circles": (make_circles(300, factor=0.3, noise=0.05, random_state=0)[0], 3.0),
    "digits": (load_digits().data[:250], 0.001),
}


# A few held of many: the picture is the same, though not to rounding.
@pytest.mark.parametrize("name", PICTURES)
def test_scores_look_like_those_of_kernel_pca(name):
    X, gamma = PICTURES[name]
    expected = KernelPCA(2, kernel="rbf", gamma=gamma).fit_transform(X)
    exact = OnlineKernelPCA(2, gamma=gamma, oversampling=len(X)).fit(X).transform(X)
    assert np.abs(aligned(exact, expected) - expected).max() < 1e-8
    few = OnlineKernelPCA(2, gamma=gamma).fit(X).transform(X)
    assert np.abs(aligned(few, expected) - expected).max() < 0.02 * np.abs(expected).max()
    budget = 150 if name == "digits" else 50  # in 64 dimensions few rows stand for no others
    bounded = OnlineKernelPCA(2, gamma=gamma, budget=budget).fit(X).transform(X)
    assert np.abs(aligned(bounded, expected) - expected).max() < 0.1 * np.abs(expected).max()


@pytest.mark.parametrize("options", [{}, {"budget": 20}, {"method": "features", "map_size": 30}], ids=str)
def test_with_the_linear_kernel_has_the_scores_of_online_pca(points, options):
    kpca = OnlineKernelPCA(3, kernel="linear", **options).fit(points)
    expected = OnlinePCA(3).fit(points).transform(points)
    rounding = 1e-7 if "method" in options else 1e-10  # Nystroem's takes roots of eigenvalues that are 0
    assert np.abs(aligned(kpca.transform(points), expected) - expected).max() < rounding


def test_a_budget_bounds_the_rows_kept_and_says_what_it_cost(points):
    stream = np.random.default_rng(1).standard_normal((3000, 4)) * [2.0, 1.4, 1.0, 0.6]
    exact = KernelPCA(4, kernel="rbf", gamma=0.05).fit(stream)
    errors, lost = [], []
    for budget in (10, 30, 90):
        kpca = OnlineKernelPCA(4, gamma=0.05, budget=budget).fit(stream)
        assert len(kpca.X_fit_) == len(kpca.kept_indices_) == len(kpca.eigenvectors_) <= budget
        assert np.array_equal(kpca.X_fit_, stream[kpca.kept_indices_])
        errors.append(np.abs(kpca.eigenvalues_ / exact.eigenvalues_ - 1).max())
        lost.append(kpca.representation_error_)
    assert errors[0] > errors[1] > errors[2] and lost[0] > lost[1] > lost[2]
    assert errors[2] < 1e-3 and lost[2] < 5e-3


@pytest.mark.parametrize(
    "parameters", [{"kernel": "rbf", "gamma": 0.05}, {"kernel": "poly", "degree": 2}], ids=str
)
def test_features_are_near_the_kernel(points, parameters):
    stream = np.random.default_rng(1).standard_normal((1500, 4)) * [2.0, 1.4, 1.0, 0.6]
    exact = KernelPCA(3, **parameters).fit(stream)
    kpca = OnlineKernelPCA(3, method="features", random_state=0, **parameters).fit(stream)
    assert np.abs(kpca.eigenvalues_ / exact.eigenvalues_ - 1).max() < 1 / np.sqrt(kpca.map_size)
    scores, expected = kpca.transform(points), exact.transform(points)
    for j in range(2):  # the third eigenvalue and the fourth are near each other
        assert np.corrcoef(scores[:, j], expected[:, j])[0, 1] ** 2 > 0.99


@pytest.mark.parametrize("options", [{"method": "features", "map_size": 50}, {"budget": 30}], ids=str)
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_memory_does_not_grow_with_the_stream(options, kernel):
    random = np.random.default_rng(1)
    kpca = OnlineKernelPCA(3, kernel=kernel, gamma=0.05, **options)
    for _ in range(20):
        kpca.partial_fit(random.standard_normal((500, 8)))
        assert len(pickle.dumps(kpca)) < 100_000  # the rows alone come to 640,000


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_features_start_from_the_first_row_and_do_not_depend_on_the_cuts(points, kernel):
    whole = OnlineKernelPCA(2, kernel=kernel, method="features", map_size=40, random_state=0)
    single = copy.deepcopy(whole)
    whole.fit(points)
    for n, x in enumerate(points, start=1):
        assert single.partial_fit([x]).n_samples_seen_ == n
        if n in (1, 2, 39):
            assert np.isfinite(single.transform(points)).all()
    assert np.allclose(whole.eigenvalues_, single.eigenvalues_, rtol=1e-9)  # BLAS rounds as the sizes are
    assert not hasattr(whole, "eigenvectors_")


@pytest.mark.parametrize("options", [{}, {"budget": 15}, {"method": "features", "map_size": 40}], ids=str)
def test_a_callable_is_the_kernel_it_computes(points, options):
    named = OnlineKernelPCA(3, kernel="poly", degree=2, gamma=0.3, random_state=0, **options).fit(points[:60])
    called = OnlineKernelPCA(
        3, kernel=lambda x, y: (0.3 * (x @ y) + 1) ** 2, random_state=0, **options
    ).fit(points[:60])
    assert np.allclose(named.eigenvalues_, called.eigenvalues_, rtol=1e-9)


def broken(x, y):
    return np.nan if min(x[0], y[0]) < -1.5 else float(x @ y)


def lopsided(x, y):
    return float(x @ y) * (1.0 + (x[0] > y[0]))


def angry(x, y):
    raise KeyError("no such kernel")


NO_KERNELS = {
    "NaN": (broken, ValueError, "NaN"),
    "not symmetric": (lopsided, ValueError, r"kernel is not symmetric: k\(x, y\) = .*, k\(y, x\) = "),
    "raises": (angry, KeyError, "no such kernel"),
    "no number": (lambda x, y: "seven", ValueError, "kernel must return a number|could not convert"),
}


@pytest.mark.parametrize(
    "options, name",
    [
        *((options, name) for options in ({}, {"budget": 8}) for name in NO_KERNELS),
        # Once the landmarks are there, k(y, x) is not asked for.
        *(({"method": "features", "map_size": 8}, name) for name in NO_KERNELS if name != "not symmetric"),
    ],
    ids=str,
)
def test_a_callable_that_is_no_kernel_is_refused_and_nothing_is_lost(points, options, name):
    kernel, error, words = NO_KERNELS[name]
    turned = []

    def good_at_first(x, y):
        return kernel(x, y) if turned else float(x @ y)

    kpca = OnlineKernelPCA(2, kernel=good_at_first, **options).fit(points[points[:, 0] > 0][:20])
    before = kpca.n_samples_seen_, kpca.eigenvalues_, kpca.transform(points)
    turned.append(True)
    with pytest.raises(error, match=words):
        kpca.partial_fit(points)
    turned.clear()
    after = kpca.n_samples_seen_, kpca.eigenvalues_, kpca.transform(points)
    assert before[0] == after[0]
    assert np.array_equal(before[1], after[1]) and np.array_equal(before[2], after[2])


def test_features_refuse_a_callable_that_is_not_symmetric(points):
    with pytest.raises(ValueError, match="not symmetric"):
        OnlineKernelPCA(2, kernel=lopsided, method="features").partial_fit(points)


def test_a_kernel_that_holds_its_estimator_can_be_collected(points):
    class Held:
        def __call__(self, x, y):
            return float(x @ y)

    kernel = Held()
    kernel.estimator = OnlineKernelPCA(2, kernel=kernel).fit(points[:5])
    gone = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"n_components": 5, "budget": 4}, r"n_components \(5\) exceeds budget \(4\)"),
        ({"method": "features", "budget": 4}, "keeps no rows"),
        ({"method": "features", "n_components": 5, "map_size": 4}, "exceeds map_size"),
    ],
    ids=str,
)
def test_incompatible_parameters_are_refused(points, parameters, words):
    with pytest.raises(ValueError, match=words):
        OnlineKernelPCA(**parameters).fit(points)


def test_a_bad_row_changes_nothing(points):
    kpca = OnlineKernelPCA(2).fit(points)
    before = state(kpca)
    for bad, message in (
        (np.array([[1.0, np.nan, 0.0, 0.0]]), "Input X contains NaN"),
        (np.ones((2, 3)), "X has 3 features, but OnlineKernelPCA is expecting 4"),
    ):
        for call in (kpca.partial_fit, kpca.fit):
            if call == kpca.fit and bad.shape[1] == 3:
                continue
            with pytest.raises(ValueError, match=message):
                call(bad)
    assert state(kpca) == before


def test_repeated_rows_count_each_time(points):
    rows = points[np.arange(80) % 5]
    batch = KernelPCA(4, kernel="rbf").fit(rows)
    for options in ({}, {"budget": 5}):
        kpca = OnlineKernelPCA(4, **options).fit(rows)
        assert np.allclose(kpca.eigenvalues_, batch.eigenvalues_, rtol=1e-12)
        expected = batch.transform(points)
        assert np.abs(aligned(kpca.transform(points), expected) - expected).max() < 1e-10


@pytest.mark.parametrize("options", [{}, {"budget": 12}, {"method": "features", "map_size": 30}], ids=str)
@pytest.mark.parametrize("kernel", ["rbf", product])
def test_a_pickle_resumes_with_the_same_bits(points, options, kernel):
    kpca = OnlineKernelPCA(2, kernel=kernel, random_state=0, **options).partial_fit(points[:20])
    later = pickle.loads(pickle.dumps(kpca)).partial_fit(points[20:])
    assert np.array_equal(later.transform(points), kpca.partial_fit(points[20:]).transform(points))


def test_float32_stays_float32(points):
    kpca = OnlineKernelPCA(2, gamma=0.3).fit(points.astype(np.float32))
    expected = OnlineKernelPCA(2, gamma=0.3).fit(points).transform(points)
    scores = kpca.transform(points.astype(np.float32))
    assert scores.dtype == np.float32 and kpca.X_fit_.dtype == np.float32
    assert np.abs(scores - expected).max() < 1e-5


def test_a_kernel_that_is_not_positive_gives_its_leading_components_or_an_error(points):
    parameters = {"kernel": "sigmoid", "gamma": 1.0, "coef0": -1.0}
    batch = KernelPCA(2, **parameters).fit(points)
    leading = OnlineKernelPCA(2, oversampling=90, **parameters).fit(points)
    assert np.allclose(leading.eigenvalues_, batch.eigenvalues_, rtol=1e-12)
    everything = OnlineKernelPCA(**parameters).fit(points)
    with pytest.raises(ValueError, match="not positive semi-definite"):
        _ = everything.eigenvalues_
    with pytest.raises(ValueError, match="not positive semi-definite"):
        OnlineKernelPCA(2, budget=50, **parameters).fit(points)


@parametrize_with_checks(
    [
        OnlineKernelPCA(),
        OnlineKernelPCA(2),
        OnlineKernelPCA(2, kernel="poly"),
        OnlineKernelPCA(2, budget=20),
        OnlineKernelPCA(2, method="features", map_size=50, random_state=0),
        OnlineKernelPCA(2, kernel="linear", method="features", map_size=50),
    ]
)
def test_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


def test_every_parameter_and_attribute_is_described():
    text = inspect.getdoc(OnlineKernelPCA)
    attributes = [name for name in dir(OnlineKernelPCA) if name.endswith("_") and not name.startswith("_")]
    for name in [*inspect.signature(OnlineKernelPCA).parameters, *attributes, "gamma_", "feature_names_in_"]:
        assert re.search(rf"^{name} : ", text, flags=re.MULTILINE), name
