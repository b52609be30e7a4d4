"""Bad input: a ValueError in scikit-learn's words, and the estimator as before."""

import pickle

import h5py
import numpy as np
import pandas as pd
import polars as pl
import pytest
from oracle import state
from scipy import sparse
from sklearn.exceptions import NotFittedError

from roipca import DataError, OnlinePCA, prepare_rows
from roipca._errors import within

NAMES = [f"x{j}" for j in range(30)]


def with_value(X, value):
    X = X.copy()
    X[-2, 3] = value
    return X


BAD_ROWS = {
    "Input X contains NaN": lambda X: with_value(X, np.nan),
    "Input X contains infinity": lambda X: with_value(X, np.inf),
    "a value too large": lambda X: with_value(X, 1e200),
    "X has 29 features, but OnlinePCA is expecting 30 features": lambda X: X[:, :29],
    r"Found array with 0 sample\(s\)": lambda X: X[:0],
    "Expected 2D array, got 1D array": lambda X: X[0],
    "Expected a 2-dimensional|Found array with dim 3": lambda X: X[None],
    "Complex data not supported": lambda X: X.astype(complex),
    "could not convert string": lambda X: X.astype(str).astype(object) + "x",
    "Input X contains NaN|contains NaN": lambda X: sparse.csr_array(with_value(X, np.nan)),
}


@pytest.mark.parametrize("message", BAD_ROWS)
def test_bad_rows_are_refused_and_nothing_is_lost(rows, message):
    pca = OnlinePCA(4).fit(rows)
    before = state(pca)
    with pytest.raises(ValueError, match=message):
        pca.partial_fit(BAD_ROWS[message](rows))
    assert state(pca) == before
    if "features" not in message:  # `fit` may take another width
        with pytest.raises(ValueError, match=message):
            pca.fit(BAD_ROWS[message](rows))
        assert state(pca) == before


@pytest.mark.parametrize("made", [np.array, list, tuple, pd.Series])
def test_one_row_is_sent_to_update(rows, made):
    for pca in (OnlinePCA(4), OnlinePCA(4).fit(rows)):
        with pytest.raises(ValueError, match=r"Expected 2D array, got 1D array instead: update\(x\) adds"):
            pca.partial_fit(made(rows[0]))


HINT = ' (OnlinePCA(missing="impute") fills missing values)'


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("value, said", [(np.nan, "NaN"), (-np.inf, "-infinity (inf)")])
def test_readers_name_the_bad_row(rows, container, value, said):
    pca = OnlinePCA(4).fit(rows)
    bad = container(with_value(rows, value))
    for read in (pca.transform, pca.score_samples, pca.t2, pca.spe, pca.contributions):
        with pytest.raises(DataError) as caught:
            read(bad)
        assert (caught.value.row, caught.value.reason) == (498, f"{said} in column 3")
        assert str(caught.value).endswith(HINT) == (said == "NaN" and container is np.asarray)


def test_readers_take_rows_whose_sum_is_beyond_the_range():
    X = np.random.default_rng(0).standard_normal((20, 3)).astype(np.float32)
    huge = np.full((8, 3), 1e38, np.float32)
    assert OnlinePCA(1).fit(X).transform(huge).shape == (8, 1)


def test_the_bad_row_is_named(rows):
    with pytest.raises(ValueError, match="row 498: NaN in column 3"):
        OnlinePCA(4).fit(with_value(rows, np.nan))


def test_the_error_has_row_and_reason_apart_and_can_be_pickled(rows):
    with pytest.raises(DataError) as caught:
        OnlinePCA(4).fit(with_value(rows, np.nan))
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert (error.row, error.reason) == (498, "NaN in column 3")
        assert str(error) == f"Input X contains NaN.\nrow 498: NaN in column 3{HINT}"
    assert str(within(error, "In partition 2", 1000)) == (
        f"In partition 2: Input X contains NaN.\nrow 1498: NaN in column 3{HINT}"
    )


def test_a_bad_number_late_in_sparse_rows_changes_nothing():
    X = sparse.random_array((5000, 100), density=0.1, rng=np.random.default_rng(0), format="csr")
    pca = OnlinePCA(4).fit(X)
    before = state(pca)
    X.data[-1] = 1e200
    row = np.flatnonzero(np.diff(X.indptr))[-1]
    with pytest.raises(ValueError, match=f"row {row}: 1e.200 .too large"):
        pca.partial_fit(X)
    assert state(pca) == before


def test_a_failed_fit_of_a_frame_keeps_the_names(rows):
    pca = OnlinePCA(2).fit(pd.DataFrame(rows[:, :2], columns=["a", "b"]))
    before = state(pca)
    with pytest.raises(ValueError, match="NaN"):
        pca.fit(pd.DataFrame({"c": [np.nan], "d": [1.0], "e": [2.0]}))
    assert state(pca) == before


@pytest.mark.parametrize(
    "weight, message",
    [
        ([1.0, 2.0], r"sample_weight.shape == \(2,\), expected \(500,\)!"),
        (np.ones((500, 1)), "sample_weight.shape == "),
        (np.full(500, np.nan), "Input sample_weight contains NaN"),
        (np.ma.masked_array(np.ones(500), np.arange(500) == 7), "Input sample_weight contains NaN"),
        (np.full(500, -1.0), "Negative values in data passed to `sample_weight`"),
        (np.full(500, 1e-200), "weights must be 0, or from"),
    ],
)
def test_bad_weights_are_refused_and_nothing_is_lost(rows, weight, message):
    pca = OnlinePCA(4).fit(rows)
    before = state(pca)
    for learn in (pca.fit, pca.partial_fit):
        with pytest.raises(ValueError, match=message):
            learn(rows, sample_weight=weight)
    assert state(pca) == before


def test_a_fit_without_any_weight_is_refused(rows):
    with pytest.raises(ValueError, match="at least one non-zero number"):
        OnlinePCA(4).fit(rows, sample_weight=np.zeros(len(rows)))


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_components": 0},
        {"n_components": 1.0},
        {"n_components": -0.5},
        {"n_components": "mle"},
        {"method": "svd"},
        {"mu": -1.0},
        {"tau": "none"},
        {"oversampling": -1},
        {"update_every": "batch"},
        {"block_size": 0},
        {"center": "yes"},
        {"forgetting": 0.0},
        {"forgetting": 1.5},
        {"learning_rate": 0.0},
        {"n_jobs": 1.5},
    ],
    ids=str,
)
def test_bad_parameters_are_named(rows, parameters):
    (name,) = parameters
    for learn in ("fit", "partial_fit"):
        pca = OnlinePCA(**parameters)
        with pytest.raises(ValueError, match=f"'{name}' parameter of OnlinePCA must be"):
            getattr(pca, learn)(rows)
        assert not hasattr(pca, "components_")


@pytest.mark.parametrize("name", OnlinePCA().get_params())
@pytest.mark.parametrize(
    "value",
    [object(), [1], "", "none", np.nan, np.inf, -1.5],
    ids=["object", "list", "empty", "none", "nan", "inf", "negative"],
)
def test_a_value_of_the_wrong_kind_is_refused_by_name(rows, name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of OnlinePCA must be .* Got .* instead"):
        OnlinePCA().set_params(**{name: value}).fit(rows)


def test_a_refusal_says_what_is_accepted(rows):
    with pytest.raises(ValueError, match=r'must be "auto" or an integer from 1 to 4096\. Got 0 instead'):
        OnlinePCA(block_size=0).fit(rows)
    with pytest.raises(ValueError, match=r'must be None, "auto" or a number above 0\. Got -1 instead'):
        OnlinePCA(learning_rate=-1).fit(rows)
    with pytest.raises(ValueError, match=r"must be True or False\. Got 1 instead"):
        OnlinePCA(center=1).fit(rows)


def test_more_components_than_features_are_refused(rows):
    with pytest.raises(ValueError, match="n_components is 31, but the rows have only 30 features"):
        OnlinePCA(31).fit(rows)


@pytest.mark.parametrize(
    "read",
    [
        lambda pca: pca.components_,
        lambda pca: pca.transform(np.eye(3)),
        lambda pca: pca.get_covariance(),
        lambda pca: pca.score(np.eye(3)),
        lambda pca: pca.save("nowhere"),
        lambda pca: pca.merge(pca),
    ],
)
def test_an_estimator_without_rows_says_so(read):
    with pytest.raises(NotFittedError, match="This OnlinePCA instance is not fitted yet"):
        read(OnlinePCA(2))


@pytest.mark.parametrize(
    "X, message", [(np.full((1, 30), np.nan), "Input X contains NaN"), (np.ones((1, 29)), "X has 29 features, but")]
)
def test_readers_refuse_bad_rows(rows, X, message):
    pca = OnlinePCA(4).fit(rows)
    for read in (pca.transform, pca.score_samples, pca.t2, pca.spe):
        with pytest.raises(ValueError, match=message):
            read(X)
    for whiten in (False, True):
        pca.set_params(whiten=whiten)
        for width in (1, 5):
            with pytest.raises(ValueError, match=f"X has {width} columns, but the estimator reports 4 components"):
                pca.inverse_transform(np.ones((2, width)))
    with pytest.raises(ValueError, match="NaN"):
        pca.inverse_transform(np.full((1, 4), np.nan))


def learning_and_scoring(pca):
    return pca.fit, pca.partial_fit, pca.transform, pca.t2, pca.score_samples


@pytest.mark.parametrize("missing", ["error", "impute"])
def test_nan_in_sparse_rows_is_not_said_to_be_filled(rows, missing):
    hint = r"\(NaN in sparse rows cannot be filled: make the rows dense, or drop them\)$"
    bad = sparse.csr_array(with_value(np.abs(rows), np.nan))
    pca = OnlinePCA(4, missing=missing).fit(rows)
    before = state(pca)
    for call in (
        *learning_and_scoring(pca),
        lambda X: pca.fit_stream(X, resume=True, batch_size=100, progress=False),
        lambda X: list(pca.transform_stream(X)),
        lambda X: prepare_rows(X, log1p=True),
    ):
        with pytest.raises(DataError, match=f"row 498: NaN in column 3 {hint}") as caught:
            call(bad)
        pickled = pickle.loads(pickle.dumps(caught.value))
        assert (pickled.row, pickled.reason, str(pickled)) == (498, "NaN in column 3", str(caught.value))
    pca.fit(rows)
    assert state(pca) == before
    if missing == "error":
        refined = OnlinePCA(4, method="roipca").fit(rows)
        with pytest.raises(DataError, match=hint):
            refined.refine(bad)


NOT_SPARSE = "Input X is not a valid sparse matrix.\n"


def test_a_damaged_sparse_matrix_is_called_so(rows):
    damaged = sparse.csr_array(rows)
    damaged.indices[70] = 9999
    pca = OnlinePCA(4).fit(rows)
    message = f"{NOT_SPARSE}row 2: column index 9999 is out of range: the rows have 30 columns"
    for call in (pca.fit, pca.partial_fit, pca.transform, pca.spe, lambda X: prepare_rows(X, target_sum=1.0)):
        with pytest.raises(DataError) as caught:
            call(damaged)
        assert str(caught.value) == message
    with pytest.raises(ValueError, match="indices must be < 30"):  # and does not write outside of an array
        pca.contributions(damaged)


def test_entries_before_the_first_row_are_refused_everywhere_in_the_same_words(rows):
    damaged = sparse.csr_array(rows)
    damaged.indptr[0] = 3
    pca = OnlinePCA(4).fit(rows)
    before = state(pca)
    for call in (
        *learning_and_scoring(pca),
        pca.contributions,
        lambda X: pca.fit_stream(X, progress=False),
        lambda X: pca.fit_stream(iter([X]), progress=False),
        lambda X: list(pca.transform_stream(X)),
        lambda X: prepare_rows(X, target_sum=1.0),
    ):
        with pytest.raises(DataError) as caught:
            call(damaged)
        assert str(caught.value).endswith(f"{NOT_SPARSE}row 0: indptr begins with 3, not with 0")
    assert state(pca) == before
    with pytest.raises(DataError, match="row 500: indptr begins with 3"):
        OnlinePCA(4).fit_stream([rows, damaged], progress=False)


FRAMES = {
    "pandas": lambda rows, text: pd.DataFrame(rows, columns=NAMES).astype({"x3": object}).replace({"x3": {7.5: text}}),
    "polars": lambda rows, text: pl.DataFrame(rows, schema=NAMES).with_columns(
        pl.Series("x3", [text if x == 7.5 else str(x) for x in rows[:, 3]])
    ),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_text_in_a_frame_is_named_with_row_and_column(rows, kind):
    rows[41, 3] = 7.5
    frame = FRAMES[kind](rows, "n/a?")
    pca = OnlinePCA(4).fit(rows)
    for call in (
        pca.fit,
        lambda X: OnlinePCA(4).partial_fit(X),
        lambda X: OnlinePCA(4).fit_stream(X, batch_size=30, progress=False),
        lambda X: OnlinePCA(4).fit_stream(X, batch_size=30, on_bad_row="skip", progress=False),
        lambda X: prepare_rows(X, feature_weights=np.ones(30)),
    ):
        with pytest.raises(ValueError, match=r"could not convert string to float: 'n/a\?' \(row 41, column 'x3'\)$"):
            call(frame)


ARRAYS = {"list": list, "lists": lambda X: [list(x) for x in X], "object": np.array, "text": lambda X: X.astype(str)}


@pytest.mark.parametrize("kind", ARRAYS)
def test_text_in_lists_and_arrays_is_named_with_row_and_column(rows, kind):
    objects = rows.astype(object)
    objects[41, 3] = "n/a?"
    bad = ARRAYS[kind](objects)
    pca = OnlinePCA(4).fit(rows)
    for call in (
        pca.fit,
        pca.transform,
        pca.spe,
        lambda X: OnlinePCA(4).fit_stream(iter([X[:30], X[30:]]), progress=False),
        lambda X: OnlinePCA(4).fit_stream(iter([X[:30], X[30:]]), on_bad_row="skip", progress=False),
        lambda X: prepare_rows(X, feature_weights=np.ones(30)),
    ):
        with pytest.raises(ValueError, match=r"could not convert string to float: 'n/a\?' \(row 41, column 3\)$"):
            call(bad)
    for call in (pca.update, pca.monitor):
        with pytest.raises(ValueError, match=r"could not convert string to float: 'n/a\?' \(column 3\)$"):
            call(bad[41])


def test_a_column_of_times_is_named():
    frame = pd.DataFrame({"power": [1.0, 2.0, 3.0], "at": pd.date_range("2024-01-01", periods=3)})
    with pytest.raises(TypeError, match=r"^Column 'at' holds datetime64\[.*\], not numbers$"):
        OnlinePCA(1).fit(frame)


def test_rows_in_a_file_name_the_functions_for_streams(rows, tmp_path):
    with h5py.File(tmp_path / "rows.h5", "w") as file:
        file["data"] = rows
        pca = OnlinePCA(4).fit(rows)
        for call in (pca.fit, pca.partial_fit, pca.transform, prepare_rows):
            with pytest.raises(TypeError, match=r"^File is read by fit_stream, transform_stream .*\[:\]$"):
                call(file)
        assert np.array_equal(pca.transform(file["data"]), pca.transform(rows))


@pytest.mark.parametrize(
    "row, message",
    [
        (np.full(30, np.nan), "Input X contains NaN"),
        (np.ones(29), "29 features, but the model has 30"),
        (np.ones((1, 30)), "Expected 1D array, got 2D"),
        (1.0, "Expected 1D array, got 0D"),
        (["a"] * 30, "could not convert string"),
        ([1j] * 30, "Complex data not supported"),
    ],
)
def test_update_refuses_bad_rows_and_nothing_is_lost(rows, row, message):
    pca = OnlinePCA(4).fit(rows)
    before = state(pca)
    with pytest.raises(ValueError, match=message):
        pca.update(row)
    assert state(pca) == before


def test_none_for_components_of_very_wide_rows_says_what_it_asks_for():
    X = np.ones((2, 2_000_000))
    for learn in (
        lambda: OnlinePCA().partial_fit(X),
        lambda: OnlinePCA().update(X[0]),
        lambda: OnlinePCA().fit_stream(iter([X]), progress=False),
    ):
        with pytest.raises(ValueError, match=r"2000000 x 2000000 numbers, 29802 GiB\. Give n_components"):
            learn()
