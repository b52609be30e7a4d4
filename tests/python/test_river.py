"""river: dictionaries whose keys come and go, and river's own checks."""

import doctest
import math
import pickle

import numpy as np
import pytest
from oracle import batch_components, subspace_error

pd = pytest.importorskip("pandas")
river = pytest.importorskip("river", reason="river is not installed: pip install 'roipca[river]'")
from river import checks, compose, datasets, linear_model, preprocessing  # noqa: E402

import roipca.river  # noqa: E402
from roipca.river import OnlinePCA  # noqa: E402

NAMES = [f"x{j}" for j in range(30)]


def dictionaries(rows):
    return [dict(zip(NAMES, row.tolist(), strict=True)) for row in rows]


def axes(pca, names=NAMES):
    return np.stack([pca.loadings_[name] for name in names], axis=1)


@pytest.mark.parametrize("check", list(checks.yield_checks(OnlinePCA())), ids=lambda check: check.__name__)
def test_rivers_own_checks_pass(check):
    check(OnlinePCA())


def test_one_row_at_a_time_and_frames_give_the_components_of_batch_pca(rows):
    one, many = OnlinePCA(4), OnlinePCA(4)
    for x in dictionaries(rows):
        one.learn_one(x)
    for part in np.array_split(rows, 7):
        many.learn_many(pd.DataFrame(part, columns=NAMES))
    truth = batch_components(rows, 4)
    assert subspace_error(truth, axes(one)) < 1e-20 and subspace_error(truth, axes(many)) < 1e-20
    frame = pd.DataFrame(rows, columns=NAMES, index=np.arange(500) * 2)
    scores = many.transform_many(frame)
    assert scores.index.equals(frame.index) and list(scores.columns) == [0, 1, 2, 3]
    found = np.array([list(one.transform_one(x).values()) for x in dictionaries(rows[:20])])
    np.testing.assert_allclose(np.abs(found), np.abs((rows[:20] - rows.mean(axis=0)) @ truth.T), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(scores[:20], found, rtol=1e-6, atol=1e-9)


def test_a_missing_feature_is_filled_by_the_others(rows):
    """Two thirds of a feature are enough: beside means, the error is nothing."""
    pca, means = OnlinePCA(3), OnlinePCA(3, method="froipca")
    for i, x in enumerate(dictionaries(rows)):
        without = {name: value for name, value in x.items() if name != "x5"}
        given = [{**x, "x5": None}, {**x, "x5": math.nan}, without][i % 9 // 3] if i % 3 == 1 else x
        pca.learn_one(given)
        means.learn_one(given)
    truth = batch_components(rows, 3)
    assert 10 * subspace_error(truth, axes(pca)) < subspace_error(truth, axes(means))


def test_frames_with_missing_values_are_learned_like_dictionaries(rows):
    gaps = np.where(np.random.default_rng(0).random(rows.shape) < 0.2, np.nan, rows)
    gaps[7] = np.nan
    one, many = OnlinePCA(3), OnlinePCA(3)
    for x in dictionaries(gaps):
        one.learn_one(x)
    for part in np.array_split(gaps, 5):
        many.learn_many(pd.DataFrame(part, columns=NAMES))
    np.testing.assert_allclose(axes(one), axes(many), atol=1e-9)
    frame = pd.DataFrame(gaps[:20], columns=NAMES)
    expected = [list(one.transform_one(x).values()) for x in dictionaries(gaps[:20])]
    np.testing.assert_allclose(many.transform_many(frame), expected, atol=1e-9)


def test_a_feature_that_comes_later_has_the_mean_of_its_values(rows):
    pca = OnlinePCA(3)
    for i, x in enumerate(dictionaries(rows)):
        pca.learn_one(x if i >= 200 else {k: v for k, v in x.items() if k != "x7"})
    column = pca._columns["x7"]
    np.testing.assert_allclose(pca._pca.mean_[column], rows[200:, 7].mean())


def test_without_imputing_a_missing_feature_counts_as_its_mean_in_the_rows_before(rows):
    pca = OnlinePCA(3, method="fd")
    filled = rows.copy()
    for i, x in enumerate(dictionaries(rows)):
        if i % 3 == 1:
            filled[i, 5] = filled[:i, 5].mean()
        pca.learn_one({**x, "x5": None} if i % 3 == 1 else x)
    full = OnlinePCA(3, method="fd")
    for x in dictionaries(filled):
        full.learn_one(x)
    np.testing.assert_allclose(np.abs(axes(pca)), np.abs(axes(full)), atol=1e-9)


def test_without_imputing_a_feature_that_comes_later_counts_as_its_first_value_before(rows):
    pca, full = OnlinePCA(3, method="fd"), OnlinePCA(3, method="fd")
    filled = rows.copy()
    filled[:200, 7] = rows[200, 7]
    for i, x in enumerate(dictionaries(rows)):
        pca.learn_one(x if i >= 200 else {k: v for k, v in x.items() if k != "x7"})
    for x in dictionaries(filled):
        full.learn_one(x)
    np.testing.assert_allclose(np.abs(axes(pca)), np.abs(axes(full)), atol=1e-9)


def test_there_is_room_for_max_features():
    pca = OnlinePCA(1, max_features=3)
    pca.learn_one({"a": 1.0, "b": 2.0})
    with pytest.raises(ValueError, match="4 different features, but there is room for 3"):
        pca.learn_one({"c": 1.0, "d": 2.0})
    pca.learn_one({"c": 1.0})
    assert list(pca.loadings_) == ["a", "b", "c"]


def test_a_pickle_resumes_with_the_same_scores(rows):
    pca = OnlinePCA(3)
    for x in dictionaries(rows[:100]):
        pca.learn_one(x)
    copy = pickle.loads(pickle.dumps(pca))
    for x in dictionaries(rows[100:200]):
        pca.learn_one(x)
        copy.learn_one(x)
    assert pca.transform_one(dictionaries(rows)[300]) == copy.transform_one(dictionaries(rows)[300])


def test_it_works_in_pipelines_and_unions():
    model = preprocessing.StandardScaler() | (compose.Select("gallup") + OnlinePCA(2)) | linear_model.LinearRegression()
    for x, y in datasets.TrumpApproval().take(100):
        model.predict_one(x)
        model.learn_one(x, y)
    assert {"gallup", 0, 1} <= set(model["LinearRegression"].weights)


def test_examples_in_docstrings_run():
    result = doctest.testmod(roipca.river)
    assert result.attempted > 0 and result.failed == 0
