"""scikit-learn's own checks of what an estimator must be, for each method and both precisions."""

from typing import get_args

import numpy as np
import pytest
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    check_set_output_transform_pandas,
    check_set_output_transform_polars,
    check_transformer_get_feature_names_out,
    check_transformer_get_feature_names_out_pandas,
    parametrize_with_checks,
)

from roipca import OnlinePCA, _rows
from roipca._types import Method

METHODS = get_args(Method)

DENSE_WEIGHTS = "check_sample_weight_equivalence_on_dense_data"
SPARSE_WEIGHTS = "check_sample_weight_equivalence_on_sparse_data"

COUNTS_ROWS = "None reports min(rows, features) components, and repeated rows are more rows"
ROUNDING = "the check's tolerance of 1e-7 is below float32's rounding"
ALL_FLOAT32 = "here everything is made float32, also what came as float64"


def expected_failures(pca):
    return {DENSE_WEIGHTS: COUNTS_ROWS, SPARSE_WEIGHTS: COUNTS_ROWS} if pca.n_components is None else {}


def expected_failures_in_float32(pca):
    failures = {"check_transformer_preserve_dtypes": ALL_FLOAT32}
    if pca.method in ("auto", "exact", "roipca", "ipca"):
        failures.update({DENSE_WEIGHTS: ROUNDING, SPARSE_WEIGHTS: ROUNDING})
    return failures


@parametrize_with_checks(
    [OnlinePCA(), *(OnlinePCA(2, method=method) for method in METHODS)],
    expected_failed_checks=expected_failures,
)
def test_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [OnlinePCA(2, method=method) for method in METHODS], expected_failed_checks=expected_failures_in_float32
)
def test_is_a_scikit_learn_estimator_of_float32(estimator, check, monkeypatch):
    monkeypatch.setattr(_rows, "_KEPT", (np.float32,))
    check(estimator)


# What scikit-learn asks of its own estimators only.
@pytest.mark.filterwarnings("ignore:X (does not have valid|has) feature names")
@pytest.mark.parametrize(
    "check",
    [
        check_dataframe_column_names_consistency,
        check_set_output_transform_pandas,
        check_set_output_transform_polars,
        check_transformer_get_feature_names_out,
        check_transformer_get_feature_names_out_pandas,
    ],
    ids=lambda check: check.__name__,
)
def test_is_like_scikit_learns_own_estimators(check):
    check("OnlinePCA", OnlinePCA())
