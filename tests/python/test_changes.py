"""An estimator tells that its rows have changed."""

import math
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from roipca import OnlinePCA, merge_all

AT = 5000


@pytest.fixture(scope="module")
def rows():
    """Rows of three factors and noise, whose noise doubles at row AT."""
    rng = np.random.default_rng(0)
    noise = np.where(np.arange(7000) < AT, 1.0, 2.0)[:, None] * rng.standard_normal((7000, 30))
    return 3 * rng.standard_normal((7000, 3)) @ rng.standard_normal((3, 30)) + noise


@pytest.mark.parametrize("method", ["auto", "roipca", "exact", "froipca", "oja"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_change_is_found_where_it_began(rows, method, dtype):
    X = rows.astype(dtype)
    pca = OnlinePCA(3, method=method).fit(X[:AT])
    assert pca.n_changes_ == 0 and pca.change_row_ is None and pca.change_score_ < 1
    pca.partial_fit(X[AT : AT + 500])
    assert pca.n_changes_ == 1
    assert abs(pca.change_row_ - AT) < 300


@pytest.mark.parametrize("options", [{"window": 400}, {"window": 2000}, {"forgetting": 0.998}, {"n_jobs": 2}])
def test_with_every_memory_and_in_any_cuts(rows, options):
    whole = OnlinePCA(3, **options).partial_fit(rows)
    assert whole.n_changes_ == 1 and abs(whole.change_row_ - AT) < 300
    cut = OnlinePCA(3, **options)
    for part in np.array_split(rows, 91):
        cut.partial_fit(part)
    assert (cut.change_row_, cut.change_score_) == (whole.change_row_, whole.change_score_)


def test_rows_with_gaps_and_sparse_rows(rows):
    gaps = np.where(np.random.default_rng(1).random(rows.shape) < 0.1, np.nan, rows)
    pca = OnlinePCA(3, missing="impute").partial_fit(gaps)
    assert pca.n_changes_ == 1 and abs(pca.change_row_ - AT) < 400
    sparse = OnlinePCA(3, method="roipca").partial_fit(csr_matrix(rows))
    dense = OnlinePCA(3, method="roipca").partial_fit(rows)
    assert sparse.change_row_ == dense.change_row_


def test_too_few_rows_have_no_score(rows):
    assert math.isnan(OnlinePCA(3).partial_fit(rows[:5]).change_score_)
    assert math.isnan(OnlinePCA(3, window=3).partial_fit(rows).change_score_)


def test_pickles_and_files_keep_it_and_merging_forgets_it(rows, tmp_path):
    pca = OnlinePCA(3).partial_fit(rows[: AT + 600])
    loaded = OnlinePCA.load(pca.save(tmp_path / "m.safetensors") or tmp_path / "m.safetensors")
    for kept in (pickle.loads(pickle.dumps(pca)), loaded):
        assert (kept.n_changes_, kept.change_row_, kept.change_score_) == (1, pca.change_row_, pca.change_score_)
    revived = pickle.loads(pickle.dumps(pca)).partial_fit(rows[AT + 600 :])
    assert revived.change_score_ == pca.partial_fit(rows[AT + 600 :]).change_score_
    merged = merge_all([pca, pca])
    assert merged.n_changes_ == 0 and math.isnan(merged.change_score_)
    assert pca.fit(rows[:2000]).n_changes_ == 0


def test_another_pass_keeps_what_the_first_one_found(rows):
    assert OnlinePCA(3, method="roipca").fit(rows, passes=2).n_changes_ == 1
