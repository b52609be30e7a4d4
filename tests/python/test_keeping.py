"""Saving, loading, pickling, copying and merging."""

import copy
import pickle

import joblib
import numpy as np
import pytest
from oracle import batch_components, state, subspace_error

from roipca import OnlinePCA
from roipca._parameters import METHODS


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", METHODS)
def test_a_loaded_model_reads_the_same(rows, tmp_path, dtype, method):
    pca = OnlinePCA(3, method=method, update="sample", oversampling=2, mu="zero").fit(rows.astype(dtype))
    pca.save(tmp_path / "model.safetensors")
    loaded = OnlinePCA.load(str(tmp_path / "model.safetensors"))
    assert state(loaded) == state(pca)
    resolved = "exact" if method == "auto" else method  # a model says what made it
    assert loaded.get_params() == {**pca.get_params(), "method": resolved, "n_jobs": 1}
    assert loaded.partial_fit(rows).n_samples_seen_ == 2 * len(rows)


def test_a_file_that_is_no_model_is_refused(tmp_path):
    path = tmp_path / "model"
    with pytest.raises(OSError):
        OnlinePCA.load(path)
    path.write_bytes(b"not a model")
    with pytest.raises(OSError, match="model"):
        OnlinePCA.load(path)


@pytest.mark.parametrize("n_components", [3, 0.9, None])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_copy_reads_the_same_and_keeps_parameters_and_names(rows, tmp_path, n_components, dtype):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rows.astype(dtype), columns=[f"x{j}" for j in range(30)])
    pca = OnlinePCA(n_components, whiten=True).set_output(transform="pandas").fit(frame)
    joblib.dump(pca, tmp_path / "pca")
    for other in (pickle.loads(pickle.dumps(pca)), copy.deepcopy(pca), joblib.load(tmp_path / "pca")):
        assert state(other) == state(pca)
        assert other.get_params() == pca.get_params()
        assert other.transform(frame).equals(pca.transform(frame))
        other.partial_fit(frame)
        assert pca.n_samples_seen_ == len(rows)


def _revivals(pca, path):
    """The estimator by each way that Python has to keep it."""
    joblib.dump(pca, path)
    yield joblib.load(path)
    yield copy.deepcopy(pca)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(pca, protocol))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("update", ["block", "sample"])
@pytest.mark.parametrize("method", METHODS)
def test_a_copy_in_mid_stream_goes_on_to_the_same_bits(rows, tmp_path, method, update, dtype):
    rows = rows.astype(dtype)
    pca = OnlinePCA(3, method=method, update=update, oversampling=2).partial_fit(rows[:133])
    others = list(_revivals(pca, tmp_path / "pca"))
    pca.partial_fit(rows[133:])
    for other in others:
        assert state(other.partial_fit(rows[133:])) == state(pca)


@pytest.mark.parametrize(
    "options",
    [
        {"n_jobs": 2},
        {"forgetting": 0.98},
        {"method": "gha", "learning_rate": "auto"},
        {"n_components": 0.9},
        {"n_components": None},
    ],
)
def test_a_copy_goes_on_to_the_same_bits_whatever_the_options(rows, tmp_path, options):
    pca = OnlinePCA(**{"n_components": 3, "method": "roipca", **options}).partial_fit(rows[:133])
    others = list(_revivals(pca, tmp_path / "pca"))
    pca.partial_fit(rows[133:])
    for other in others:
        assert state(other.partial_fit(rows[133:])) == state(pca)


@pytest.mark.parametrize("method", METHODS)
def test_a_copy_of_a_loaded_estimator_reads_the_same_and_goes_on_to_the_same_bits(rows, tmp_path, method):
    OnlinePCA(3, method=method).fit(rows[:133]).save(tmp_path / "model")
    pca = OnlinePCA.load(tmp_path / "model")
    others = list(_revivals(pca, tmp_path / "pca"))
    assert all(state(other) == state(pca) for other in others)
    pca.partial_fit(rows[133:])
    for other in others:
        assert state(other.partial_fit(rows[133:])) == state(pca)


def test_a_damaged_pickle_is_refused(rows):
    kind, (learned, model) = OnlinePCA(3).fit(rows)._fitted.core.__reduce__()
    for bytes_ in (b"", learned[:-1], learned[:100] + b"\xff" + learned[101:]):
        with pytest.raises(ValueError, match="state"):
            kind(bytes_, model)


def test_an_estimator_without_rows_can_be_pickled():
    assert pickle.loads(pickle.dumps(OnlinePCA(3, update="sample"))).get_params()["update"] == "sample"


def test_two_halves_merge_into_the_whole(rows):
    rows[250:] += 3.0
    merged = OnlinePCA(4).fit(rows[:250]).merge(OnlinePCA(4).fit(rows[250:]))
    assert merged.n_samples_seen_ == 500
    np.testing.assert_allclose(merged.mean_, rows.mean(axis=0))
    assert subspace_error(batch_components(rows, 4), merged.components_) < 1e-20
    assert merged.partial_fit(rows).n_samples_seen_ == 1000


def test_merging_leaves_both_as_they_were(rows):
    a, b = OnlinePCA(4).fit(rows[:250]), OnlinePCA(4).fit(rows[250:])
    before = state(a), state(b)
    a.merge(b).partial_fit(rows)
    assert (state(a), state(b)) == before


def test_models_that_do_not_fit_together_are_not_merged(rows):
    pd = pytest.importorskip("pandas")
    pca = OnlinePCA(4).fit(rows)
    for other in (
        OnlinePCA(4).fit(rows.astype(np.float32)),
        OnlinePCA(3).fit(rows),
        OnlinePCA(4).fit(rows[:, :9]),
    ):
        with pytest.raises(ValueError):
            pca.merge(other)
    named = [OnlinePCA(1).fit(pd.DataFrame(np.eye(2), columns=list(names))) for names in ("ab", "cd")]
    with pytest.raises(ValueError, match="feature names should match"):
        named[0].merge(named[1])
