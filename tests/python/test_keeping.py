"""Saving, loading, pickling, copying and merging."""

import copy
import gzip
import pickle
import subprocess
import sysconfig
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from oracle import batch_components, state, subspace_error
from safetensors.numpy import save_file

from roipca import OnlinePCA
from roipca._parameters import METHODS

GOLDEN = Path(__file__).parents[1] / "io" / "golden"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", METHODS)
def test_a_loaded_model_reads_the_same(rows, tmp_path, dtype, method):
    pca = OnlinePCA(3, method=method, update_every="row", oversampling=2, mu="zero").fit(rows.astype(dtype))
    pca.save(tmp_path / "model.safetensors")
    loaded = OnlinePCA.load(str(tmp_path / "model.safetensors"))
    assert state(loaded) == state(pca)
    assert loaded.get_params() == pca.get_params()
    assert loaded.partial_fit(rows).n_samples_seen_ == 2 * len(rows)


@pytest.mark.parametrize("n_components", [3, np.int64(3), 0.9, np.float64(0.75), None])
def test_a_loaded_estimator_has_the_parameters_that_it_was_saved_with(rows, tmp_path, n_components):
    pca = OnlinePCA(n_components, whiten=True, n_jobs=-1).fit(rows)
    pca.save(tmp_path / "model")
    loaded = OnlinePCA.load(tmp_path / "model")
    assert loaded.get_params() == pca.get_params()
    assert state(loaded) == state(pca)
    assert np.array_equal(loaded.transform(rows), pca.transform(rows))
    # and the number of components goes on being found anew
    more = 10 * rows @ np.random.default_rng(1).standard_normal((30, 30))
    assert loaded.partial_fit(more).n_components_ == pca.partial_fit(more).n_components_


@pytest.mark.parametrize("n_components", [3, 0.9, None])
def test_estimators_merge_after_loading_as_before(rows, tmp_path, n_components):
    for method in ("roipca", "exact"):
        parts = (rows[:100], rows[100:] * np.arange(30))
        halves = [OnlinePCA(n_components, method=method, oversampling=9).partial_fit(part) for part in parts]
        loaded = []
        for half in halves:
            half.save(tmp_path / "model")
            loaded.append(OnlinePCA.load(tmp_path / "model"))
        merged, expected = loaded[0].merge(loaded[1]), halves[0].merge(halves[1])
        if method == "roipca":
            assert state(merged) == state(expected)
        # Estimators add their scatter matrices, which a file has as eigenvectors: rounded, relative to the largest.
        rounding = 100 * np.finfo(float).eps * expected.explained_variance_[0]
        np.testing.assert_allclose(merged.explained_variance_, expected.explained_variance_, rtol=0, atol=rounding)
        assert subspace_error(expected.components_, merged.components_) < 1e-24
        assert (merged.mean_ == expected.mean_).all() and merged.n_samples_seen_ == 500


def test_a_model_file_without_parameters_loads_with_what_made_it(rows, tmp_path):
    model = OnlinePCA(3, whiten=True).fit(rows)._model
    for parameters in ("", "from somewhere else", "[1, 2]"):
        model.save(tmp_path / "model", [], parameters)
        loaded = OnlinePCA.load(tmp_path / "model")
        assert loaded.get_params() == OnlinePCA(3, n_jobs=1).get_params()
        assert not hasattr(loaded, "feature_names_in_")


def test_parameters_of_a_later_version_are_ignored(rows, tmp_path):
    OnlinePCA(3).fit(rows)._model.save(tmp_path / "model", [], '{"whiten": true, "colour": "blue"}')
    assert OnlinePCA.load(tmp_path / "model").whiten is True


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("writer", ["", "-python"])
def test_files_of_every_format_load_and_take_more_rows(dtype, writer):
    """Four rows whose PCA can be done by hand: see tests/io/golden_test.cpp."""
    pca = OnlinePCA.load(GOLDEN / f"format1-{'float' if dtype is np.float32 else 'double'}{writer}.safetensors")
    assert pca.components_.dtype == dtype and pca.whiten is (writer == "-python")
    np.testing.assert_allclose(pca.components_, np.eye(2, 3), atol=16 * np.finfo(dtype).eps)
    np.testing.assert_allclose(pca.explained_variance_, [32 / 3, 8 / 3], rtol=64 * np.finfo(dtype).eps)
    pca.partial_fit(pd.DataFrame({"length": [6.0], "width": [2.0], "height": [3.0]}))
    assert pca.mean_.tolist() == [2.0, 2.0, 3.0]


def test_feature_names_are_saved_and_loaded(rows, tmp_path):
    frame = pd.DataFrame(rows, columns=["", 'a "quoted" name', "Länge", *(f"x{j}" for j in range(27))])
    OnlinePCA(2).fit(frame).save(tmp_path / "model")
    loaded = OnlinePCA.load(tmp_path / "model")
    assert list(loaded.feature_names_in_) == list(frame.columns)
    loaded.partial_fit(frame)
    with pytest.raises(ValueError, match="feature names should match"):
        loaded.partial_fit(frame.rename(columns={"x3": "other"}))


def test_feature_names_too_long_for_a_file_are_left_out_with_a_warning(tmp_path):
    pca = OnlinePCA(1).fit(pd.DataFrame(np.eye(2), columns=["a", "b" * 1_000_000]))
    with pytest.warns(UserWarning, match="too long"):
        pca.save(tmp_path / "model")
    assert not hasattr(OnlinePCA.load(tmp_path / "model"), "feature_names_in_")


def test_column_names_of_the_command_reach_python(tmp_path):
    (tmp_path / "rows.csv").write_text("height,weight\n1,2\n3,5\n4,4\n")
    command = Path(sysconfig.get_path("scripts"), "roipca")
    subprocess.run([command, "fit", "rows.csv", "-k", "1"], cwd=tmp_path, check=True, capture_output=True)
    pca = OnlinePCA.load(tmp_path / "model.safetensors")
    assert list(pca.feature_names_in_) == ["height", "weight"]
    pca.save(tmp_path / "again")
    assert list(OnlinePCA.load(tmp_path / "again").feature_names_in_) == ["height", "weight"]


def test_a_file_that_is_not_a_model_is_refused(tmp_path):
    path = tmp_path / "model"
    with pytest.raises(FileNotFoundError):
        OnlinePCA.load(path)
    path.write_bytes(b"not a model")
    with pytest.raises(OSError, match="model"):
        OnlinePCA.load(path)


def _npy(path):
    with open(path, "wb") as file:
        np.save(file, np.eye(3))


NO_MODELS = {
    "an empty file": lambda path: path.touch(),
    "NumPy array": _npy,
    "text, such as CSV": lambda path: path.write_text("height,weight\n1,2\n"),
    "gzip": lambda path: path.write_bytes(gzip.compress(b"1,2\n")),
    "a pickle: load it with pickle": lambda path: joblib.dump(OnlinePCA(1), path),
    "safetensors file of something else": lambda path: save_file({"weights": np.eye(3)}, path),
    "data of another kind": lambda path: path.write_bytes(bytes(range(7)) * 100),
}


@pytest.mark.parametrize("kind", NO_MODELS)
def test_the_error_for_another_kind_of_file_names_its_kind(tmp_path, kind):
    NO_MODELS[kind](tmp_path / "file")
    with pytest.raises(OSError, match=rf"file: not a model: it seems to be .*{kind}.* that OnlinePCA\.save"):
        OnlinePCA.load(tmp_path / "file")


def test_a_damaged_model_is_not_taken_for_something_else(tmp_path):
    path = tmp_path / "model"
    OnlinePCA(1).fit(np.eye(3)).save(path)
    path.write_bytes(path.read_bytes()[:30])
    with pytest.raises(OSError, match=r"model: byte 8: the header: need .* have 22"):
        OnlinePCA.load(path)


@pytest.mark.parametrize("n_components", [3, 0.9, None])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_copy_reads_the_same_and_keeps_parameters_and_names(rows, tmp_path, n_components, dtype):
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
@pytest.mark.parametrize("update_every", ["block", "row"])
@pytest.mark.parametrize("method", METHODS)
def test_a_copy_in_mid_stream_resumes_with_the_same_bits(rows, tmp_path, method, update_every, dtype):
    rows = rows.astype(dtype)
    pca = OnlinePCA(3, method=method, update_every=update_every, oversampling=2).partial_fit(rows[:133])
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
def test_a_copy_resumes_with_the_same_bits_whatever_the_options(rows, tmp_path, options):
    pca = OnlinePCA(**{"n_components": 3, "method": "roipca", **options}).partial_fit(rows[:133])
    others = list(_revivals(pca, tmp_path / "pca"))
    pca.partial_fit(rows[133:])
    for other in others:
        assert state(other.partial_fit(rows[133:])) == state(pca)


@pytest.mark.parametrize("method", METHODS)
def test_a_copy_of_a_loaded_estimator_reads_the_same_and_resumes_with_the_same_bits(rows, tmp_path, method):
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
    assert pickle.loads(pickle.dumps(OnlinePCA(3, update_every="row"))).get_params()["update_every"] == "row"


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


def test_incompatible_models_are_not_merged(rows):
    pca = OnlinePCA(4).fit(rows)
    for other, message in (
        (OnlinePCA(4).fit(rows.astype(np.float32)), "cannot merge a float32 estimator with a float64 one"),
        (OnlinePCA(3).fit(rows), "cannot merge models with 4 and 3 components"),
        (OnlinePCA(4).fit(rows[:, :9]), "and 9 features"),
    ):
        with pytest.raises(ValueError, match=message):
            pca.merge(other)
    for other in (3, None, "model.safetensors", pca.components_):
        with pytest.raises(TypeError, match=f"merge takes another OnlinePCA, not {type(other).__name__}"):
            pca.merge(other)
    named = [OnlinePCA(1).fit(pd.DataFrame(np.eye(2), columns=list(names))) for names in ("ab", "cd")]
    with pytest.raises(ValueError, match="feature names should match"):
        named[0].merge(named[1])
