"""`roipca compare` against PCA by NumPy of the rows as the model treats them."""

import json

import numpy as np
import pytest
from safetensors import safe_open


@pytest.fixture
def sensors(tmp_path):
    rng = np.random.default_rng(2)
    rows = rng.standard_normal((900, 4)) @ rng.standard_normal((4, 12)) + 0.2 * rng.standard_normal((900, 12))
    rows *= 10.0 ** rng.uniform(-3, 3, 12)
    np.save(tmp_path / "rows.npy", rows)
    return rows


def error_against(rows, weights, components):
    mean = weights @ rows / weights.sum()
    vectors = np.linalg.svd((rows - mean) * np.sqrt(weights)[:, None], full_matrices=False)[2][: len(components)]
    return np.linalg.norm(vectors.T @ vectors - components.T @ components) ** 2 / len(components)


def test_standardized_models_are_compared_with_pca_of_standardized_rows(roipca, sensors, tmp_path):
    roipca("fit", "rows.npy", "-k", 3, "--standardize", "-o", "exact")
    assert json.loads(roipca("compare", "exact", "rows.npy", "--json"))["subspace_error"] < 1e-20
    roipca("fit", "rows.npy", "-k", 3, "--standardize", "--method", "ccipca", "-o", "m")
    said = json.loads(roipca("compare", "m", "rows.npy", "--json"))["subspace_error"]
    with safe_open(tmp_path / "m", framework="np") as model:
        components = model.get_tensor("components")[:3]
    divided = sensors / sensors.std(axis=0, ddof=1)
    assert said == pytest.approx(error_against(divided, np.ones(len(divided)), components), rel=1e-6)


def test_models_that_forget_are_compared_with_pca_that_forgets(roipca, sensors):
    roipca("fit", "rows.npy", "-k", 3, "--forgetting", 0.99, "--method", "exact", "-o", "m")
    assert json.loads(roipca("compare", "m", "rows.npy", "--json"))["subspace_error"] < 1e-20


def test_models_of_the_latest_rows_are_not_compared_with_all(roipca, sensors):
    roipca("fit", "rows.npy", "-k", 3, "--window", 200, "-o", "m")
    assert "a model of the latest rows cannot be compared with a batch PCA" in roipca.refuse("compare", "m", "rows.npy")


def test_a_standardized_model_is_not_compared_with_one_that_is_not(roipca, sensors):
    roipca("fit", "rows.npy", "-k", 3, "-o", "plain")
    roipca("fit", "rows.npy", "-k", 3, "--standardize", "-o", "divided")
    for pair in (("plain", "divided"), ("divided", "plain")):
        assert "divided was fitted with --standardize, and plain was not" in roipca.refuse("compare", *pair)
