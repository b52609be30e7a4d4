"""Sums, logarithms, weights and masks of counts in the pass that learns them, against the same in NumPy."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

from roipca import DataError, OnlinePCA, prepare_rows

ROWS, FEATURES = 300, 40
NAMES = [f"gene{j}" for j in range(FEATURES)]
MASK = np.arange(FEATURES) % 3 != 0
WEIGHTS = np.linspace(0.5, 2, FEATURES)
EVERYTHING = {"target_sum": 1e4, "log1p": True, "feature_weights": WEIGHTS, "feature_mask": MASK}


@pytest.fixture
def counts():
    X = np.random.default_rng(0).poisson(0.3, (ROWS, FEATURES)).astype(float)
    X[5] = 0
    return X


def expected(X, target_sum=None, log1p=False, feature_weights=None, feature_mask=None):
    if target_sum is not None:
        sums = X.sum(axis=1, keepdims=True)
        X = X * target_sum / np.where(sums == 0, 1, sums)
    if log1p:
        X = np.log(1 + X)
    if feature_weights is not None:
        X = X * feature_weights
    return X if feature_mask is None else X[:, feature_mask]


CHOICES = [{name: value} for name, value in EVERYTHING.items()] + [EVERYTHING]


def identity(options):
    return "+".join(options)


@pytest.mark.parametrize("options", CHOICES, ids=identity)
@pytest.mark.parametrize("make", [np.array, sparse.csr_array, sparse.csc_matrix, pd.DataFrame])
def test_prepared_rows_are_those_of_the_formulas(counts, make, options):
    prepared = prepare_rows(make(counts), **options)
    assert sparse.issparse(prepared) == sparse.issparse(make(counts))
    dense = prepared.toarray() if sparse.issparse(prepared) else prepared
    np.testing.assert_allclose(dense, expected(counts, **options), rtol=1e-14)


@pytest.mark.parametrize("options", CHOICES, ids=identity)
@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
def test_a_stream_learns_prepared_rows(counts, make, options):
    X = make(counts)
    pca = OnlinePCA(3).fit_stream(X, batch_size=70, progress=False, **options)
    want = expected(counts, **options)
    np.testing.assert_allclose(pca.mean_, want.mean(axis=0), rtol=1e-12)
    variance = np.linalg.eigvalsh(np.cov(want.T))[::-1][:3]
    np.testing.assert_allclose(pca.explained_variance_, variance, rtol=1e-10)  # 40 features: method exact
    centred = want - want.mean(axis=0)
    np.testing.assert_allclose(pca.transform(prepare_rows(X, **options)), centred @ pca.components_.T, atol=1e-9)


def test_float32_stays_float32(counts):
    for make in (np.array, sparse.csr_array):
        assert prepare_rows(make(counts).astype(np.float32), **EVERYTHING).dtype == np.float32
        assert prepare_rows(make(counts).astype(np.int16), **EVERYTHING).dtype == np.float64


@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
def test_the_callers_rows_are_not_changed(counts, make):
    X = make(counts)
    prepare_rows(X, **EVERYTHING)
    assert np.array_equal(X if make is np.array else X.toarray(), counts)


def test_entries_of_one_place_add_up_before_the_logarithm():
    twice = sparse.csr_array((np.array([1.0, 2.0, 4.0]), np.array([3, 3, 0]), np.array([0, 3])), shape=(1, 5))
    np.testing.assert_allclose(prepare_rows(twice, log1p=True).toarray(), np.log1p([[4, 0, 0, 3, 0]]))
    assert twice.nnz == 3


@pytest.mark.parametrize("table", [pd.DataFrame, lambda X, columns: pa.table(dict(zip(columns, X.T, strict=True)))])
def test_features_are_chosen_by_name(counts, table):
    names = ["gene7", "gene2"]  # the order is that of the source
    pca = OnlinePCA(2).fit_stream(table(counts, columns=NAMES), feature_mask=names, progress=False)
    assert list(pca.feature_names_in_) == ["gene2", "gene7"]
    np.testing.assert_allclose(pca.mean_, counts[:, [2, 7]].mean(axis=0))


@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
@pytest.mark.parametrize(
    "value, options, message",
    [
        (-3, {"log1p": True}, "row 217: -3 in column 4; log1p needs numbers above -1"),
        (-3, {"log1p": True, "feature_mask": np.arange(FEATURES) > 3}, "row 217: -3 in column 4; log1p needs"),
        (-99, {"target_sum": 1.0}, "row 217: the sum is -.*; target_sum needs rows of counts"),
        (np.nan, {"target_sum": 1.0}, "row 217: NaN in column 4"),
        (np.nan, {"log1p": True}, "row 217: NaN in column 4"),
        (np.nan, {"feature_weights": WEIGHTS}, "row 217: NaN in column 4"),
        (np.inf, {"target_sum": 1.0}, r"row 217: infinity \(inf\) in column 4"),
        (np.inf, {"log1p": True}, r"row 217: infinity \(inf\) in column 4"),
    ],
)
def test_a_number_that_cannot_be_prepared_is_refused_with_its_row(counts, make, value, options, message):
    counts[217, 4] = value
    pca = OnlinePCA(2)
    with pytest.raises(DataError, match=message) as caught:
        pca.fit_stream(make(counts), batch_size=100, progress=False, **options)
    assert caught.value.row == 217
    assert pca.n_samples_seen_ == 200


@pytest.mark.parametrize("make", [np.array, np.asfortranarray, sparse.csr_array, sparse.csc_array, pd.DataFrame])
@pytest.mark.parametrize(
    "value, said", [(np.inf, r"infinity \(inf\)"), (-np.inf, r"-infinity \(inf\)"), (np.nan, "NaN")]
)
def test_prepare_rows_with_log1p_refuses_what_is_no_number(counts, make, value, said):
    counts[217, 4] = value
    for options in ({}, {"feature_mask": MASK}, {"feature_weights": np.where(np.arange(FEATURES) == 4, 0, WEIGHTS)}):
        with pytest.raises(DataError, match=f"row 217: {said} in column 4"):
            prepare_rows(make(counts), log1p=True, **options)


@pytest.mark.parametrize(
    "value, options, summary",
    [
        (-3.0, {"log1p": True}, "a number that log1p cannot take."),
        (-999.0, {"target_sum": 1.0}, "a row that target_sum cannot scale."),
        (np.inf, {"log1p": True}, "infinity or a value too large"),
        (np.nan, {"log1p": True}, "NaN."),
    ],
)
def test_the_first_line_says_what_is_wrong(counts, value, options, summary):
    counts[217, 4] = value
    with pytest.raises(DataError) as caught:
        prepare_rows(counts, **options)
    assert str(caught.value).startswith(f"Input X contains {summary}")


def test_missing_values_are_not_said_to_be_filled_where_they_are_not(counts):
    counts[217, 4] = np.nan
    with pytest.raises(DataError, match=r"NaN in column 4 \(target_sum and log1p take no missing values: .*\)$"):
        OnlinePCA(2, missing="impute").fit_stream(counts, log1p=True, progress=False)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_bad_number_in_a_feature_that_is_dropped_does_no_harm(counts, value):
    want = expected(counts, log1p=True, feature_mask=MASK)
    counts[217, 3] = value
    for make in (np.array, sparse.csr_array):
        pca = OnlinePCA(2).fit_stream(make(counts), log1p=True, feature_mask=MASK, progress=False)
        np.testing.assert_allclose(pca.mean_, want.mean(axis=0), rtol=1e-12)


@pytest.mark.parametrize("index", [-1, FEATURES])
def test_indices_out_of_range_are_refused_before_they_are_used(counts, index):
    X = sparse.csr_array(counts)
    X.indices[X.indptr[217]] = index
    with pytest.raises(DataError, match=f"row 217: column index {index} is out of range: the rows have 40 columns"):
        OnlinePCA(2).fit_stream(X, batch_size=100, feature_mask=MASK, progress=False)
    broken = sparse.csr_array(counts)
    broken.indptr[-1] += 1000
    with pytest.raises(ValueError, match="not a CSR matrix: indptr points beyond the data"):
        prepare_rows(broken, feature_mask=MASK)


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"target_sum": 0}, ValueError, "target_sum must be a number above 0, got 0"),
        ({"target_sum": np.nan}, ValueError, "target_sum must be a number above 0"),
        ({"feature_weights": WEIGHTS[:-1]}, ValueError, r"feature_weights has shape \(39,\); the rows have 40"),
        ({"feature_weights": WEIGHTS * np.inf}, ValueError, "feature_weights must be finite"),
        ({"feature_mask": MASK[:-1]}, ValueError, r"feature_mask has shape \(39,\); the rows have 40 features"),
        ({"feature_mask": ~MASK & MASK}, ValueError, "feature_mask keeps no feature"),
        ({"feature_mask": [1, 2]}, TypeError, "feature_mask must hold bools or names, not int64"),
        ({"feature_mask": "gene1"}, TypeError, r"write feature_mask=\['gene1'\]"),
        ({"feature_mask": ["gene1"]}, ValueError, "feature_mask holds names, but the features have none"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(counts, options, error, message):
    with pytest.raises(error, match=message):
        prepare_rows(counts, **options)
    with pytest.raises(ValueError, match="feature_mask names 'x', which is not a feature of the rows"):
        prepare_rows(pd.DataFrame(counts, columns=NAMES), feature_mask=["gene1", "x"])
