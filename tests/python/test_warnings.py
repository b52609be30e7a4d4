"""Warnings name the line of the user, whichever way led to them."""

from __future__ import annotations

import pickle
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.pipeline import make_pipeline

from roipca import OnlinePCA

ROWS = np.random.default_rng(0).standard_normal((400, 2000))
NAMED = pa.table({f"x{j}": ROWS[:, j] for j in range(30)})
SPOILT = ROWS[:200].copy()
SPOILT[7, 3] = np.nan


def named_at_length() -> OnlinePCA:
    return OnlinePCA(1).fit(pd.DataFrame(np.eye(2), columns=["a", "b" * 1_000_000]))


def skipping(pca: OnlinePCA, **options: Any) -> OnlinePCA:
    return pca.fit_stream(SPOILT, on_bad_row="skip", progress=False, **options)


WAYS = {
    "explain .* less than n_components=0.95": [
        lambda pca, folder: pca.fit(ROWS).n_components_,
        lambda pca, folder: pca.fit(ROWS).components_,
        lambda pca, folder: pca.fit(ROWS).transform(ROWS[:2]),
        lambda pca, folder: pca.fit_transform(ROWS),
        lambda pca, folder: make_pipeline(pca).fit_transform(ROWS),
        lambda pca, folder: pca.fit(ROWS).transform_stream(ROWS, folder / "scores.npy"),
        lambda pca, folder: pca.fit(ROWS).t2_limit(),
        lambda pca, folder: pickle.loads(pickle.dumps(pca.fit(ROWS))).spe(ROWS[:2]),
    ],
    "X has feature names, but OnlinePCA was fitted without": [
        lambda pca, folder: pca.fit(ROWS[:, :30]).partial_fit(NAMED),
        lambda pca, folder: pca.fit(ROWS[:, :30]).set_params(n_components=2).transform(NAMED),
        lambda pca, folder: pca.fit(ROWS[:, :30]).set_params(n_components=2).spe(NAMED),
        lambda pca, folder: pca.fit(ROWS[:, :30]).fit_stream(NAMED, progress=False, resume=True),
    ],
    "Skipped 1 of 200 rows": [
        lambda pca, folder: skipping(pca),
        lambda pca, folder: skipping(pca, passes=2),
        lambda pca, folder: skipping(pca, resume=True),
    ],
    "names are too long for a model file": [
        lambda pca, folder: named_at_length().save(folder / "model.safetensors"),
    ],
}


@pytest.mark.parametrize("message, way", [(message, way) for message, ways in WAYS.items() for way in ways])
def test_a_warning_names_the_line_of_the_user(message, way, tmp_path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        way(OnlinePCA(0.95), tmp_path)
    files = [warning.filename for warning in caught if re.search(message, str(warning.message))]
    assert files and set(files) == {__file__}
