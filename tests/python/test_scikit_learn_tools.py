"""Pipelines, searches, frames and clones."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from roipca import OnlinePCA


def test_works_in_a_pipeline():
    X, y = load_digits(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), OnlinePCA(30), LogisticRegression(max_iter=500)).fit(
        X[:1500], y[:1500]
    )
    assert pipeline.score(X[1500:], y[1500:]) > 0.85


def test_grid_search_finds_the_number_of_components_by_likelihood():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3)) * 5 @ rng.standard_normal((3, 12)) + rng.standard_normal((400, 12))
    choices = {"n_components": [1, 2, 3, 4, 6], "update_every": ["block", "row"]}
    search = GridSearchCV(OnlinePCA(), choices).fit(X)
    assert search.best_params_["n_components"] == 3


def test_transforms_some_columns_of_a_frame():
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((50, 4)), columns=list("abcd"))
    columns = ColumnTransformer([("pca", OnlinePCA(2), ["a", "b", "c"])], remainder="passthrough")
    columns.set_output(transform="pandas")
    assert list(columns.fit_transform(frame).columns) == [
        "pca__onlinepca0",
        "pca__onlinepca1",
        "remainder__d",
    ]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_are_accepted_and_returned(kind):
    numbers = np.random.default_rng(0).standard_normal((50, 3))
    library = {"pandas": pd, "polars": pl}[kind]
    frame = library.DataFrame({name: numbers[:, j] for j, name in enumerate("abc")})
    pca = OnlinePCA(2).set_output(transform=kind).partial_fit(frame[:20]).partial_fit(frame[20:])
    assert list(pca.feature_names_in_) == ["a", "b", "c"]
    scores = pca.transform(frame)
    assert isinstance(scores, library.DataFrame)
    assert list(scores.columns) == list(pca.get_feature_names_out()) == ["onlinepca0", "onlinepca1"]
    assert np.array_equal(scores.to_numpy(), OnlinePCA(2).partial_fit(numbers).transform(numbers))


def test_a_frame_with_other_names_is_refused():
    frame = pd.DataFrame(np.eye(3), columns=list("abc"))
    pca = OnlinePCA(2).fit(frame)
    with pytest.raises(ValueError, match="feature names should match"):
        pca.partial_fit(frame.rename(columns={"a": "z"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        pca.partial_fit(np.eye(3))


def test_a_subclass_with_its_own_init_can_be_cloned():
    class Whitened(OnlinePCA):
        def __init__(self, n_components=2, *, update_every="row"):
            super().__init__(n_components, update_every=update_every, whiten=True)

    pca = Whitened(3, update_every="block")
    assert pca.get_params() == {"n_components": 3, "update_every": "block"}
    assert clone(pca.set_params(update_every="row")).update_every == "row"


def test_parameters_may_be_numpy_scalars():
    pca = OnlinePCA(np.int64(2), oversampling=np.int32(3), center=np.bool_(True), forgetting=np.float32(0.5))
    assert pca.fit(np.eye(5)).n_components_ == 2


def test_a_clone_has_learned_nothing(rows):
    assert not hasattr(clone(OnlinePCA(2).fit(rows)), "components_")
