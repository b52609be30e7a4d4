"""What rows may be: types, layouts, weights; and that nothing is copied."""

import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from oracle import batch_components, subspace_error

from roipca import OnlinePCA


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_type_of_the_first_rows_stays(rows, dtype):
    pca = OnlinePCA(4).fit(rows.astype(dtype)).partial_fit(rows)
    assert pca.components_.dtype == dtype
    for X in (rows, rows.astype(np.float32), rows.tolist()):
        assert pca.transform(X).dtype == dtype
        assert pca.inverse_transform(pca.transform(X)).dtype == dtype


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.int64, np.uint8, bool, object])
def test_other_types_become_float64(dtype):
    X = np.random.default_rng(0).integers(0, 2, (20, 3)).astype(dtype)
    pca = OnlinePCA(2).fit(X)
    assert pca.components_.dtype == np.float64
    assert np.array_equal(pca.components_, OnlinePCA(2).fit(X.astype(np.float64)).components_)


class Tensor:
    """As torch's: an array whose type is no NumPy type."""

    class Type:
        pass

    def __init__(self, X, dtype):
        self._X = X.astype(dtype)
        self.dtype, self.shape, self.ndim = Tensor.Type(), X.shape, X.ndim

    def __len__(self):
        return len(self._X)

    def __getitem__(self, key):
        return Tensor(self._X[key], self._X.dtype)

    def __array__(self, dtype=None, copy=None):
        return self._X if dtype is None else self._X.astype(dtype)


class Exchanged(Tensor):
    """As Tensor, for exchange by DLPack alone."""

    __array__ = None  # type: ignore[assignment]

    def __dlpack__(self, **options):
        return self._X.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._X.__dlpack_device__()


del Exchanged.__array__


@pytest.mark.parametrize("kind", [Tensor, Exchanged])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tensors_keep_their_type(rows, kind, dtype):
    want = OnlinePCA(4).partial_fit(rows.astype(dtype))
    pca = OnlinePCA(4).partial_fit(kind(rows, dtype))
    assert pca.components_.dtype == dtype
    assert np.array_equal(pca.components_, want.components_)
    assert np.array_equal(pca.transform(kind(rows, dtype)), want.transform(rows.astype(dtype)))
    stream = OnlinePCA(4).fit_stream(kind(rows, dtype), batch_size=100, progress=False)
    assert np.array_equal(stream.components_, want.components_)


@pytest.mark.parametrize(
    "types",
    [
        ["float16", "float16"],
        ["float16", "float32"],
        ["float32", "float32"],
        ["float32", "float64"],
        ["int8", "float32"],
        ["int32", "float32"],
        ["int64", "uint8"],
    ],
    ids="-".join,
)
def test_arrow_tables_and_frames_follow_one_rule_of_types(types):
    columns = {f"x{j}": np.array([0, 1, 1, 0], dtype=kind) for j, kind in enumerate(types)}
    table = pa.table(columns)
    want = OnlinePCA(1).partial_fit(pd.DataFrame(columns)).components_.dtype
    assert OnlinePCA(1).partial_fit(table).components_.dtype == want
    assert OnlinePCA(1).fit_stream(table, progress=False).components_.dtype == want


def test_record_batches_keep_their_names(rows):
    names = [f"x{j}" for j in range(30)]
    batches = pa.table(dict(zip(names, rows.T, strict=True))).to_batches(100)
    pca = OnlinePCA(4)
    for batch in batches:
        pca.partial_fit(batch)
    assert list(pca.feature_names_in_) == names
    assert np.array_equal(pca.components_, OnlinePCA(4).partial_fit(rows).components_)
    assert np.array_equal(pca.transform(batches[0]), pca.transform(pd.DataFrame(rows[:100], columns=names)))
    with pytest.raises(ValueError, match=r"feature names should match.*\nunexpected: 'y'; missing: 'x0'"):
        pca.partial_fit(batches[0].rename_columns(["y", *names[1:]]))
    with pytest.raises(ValueError, match=r"feature names should match.*\nThey are in another order"):
        pca.transform(batches[0].select(names[::-1]))
    with pytest.warns(UserWarning, match="X has feature names, but OnlinePCA was fitted without"):
        OnlinePCA(4).partial_fit(rows).partial_fit(batches[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["auto", "roipca"])
def test_rows_are_not_copied(dtype, method):
    X = np.random.default_rng(0).standard_normal((20_000, 50)).astype(dtype)
    pca = OnlinePCA(3, method=method).fit(X)

    def peak(call):
        tracemalloc.start()
        call()
        result = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return result

    assert peak(lambda: pca.fit(X)) < X.nbytes / 20
    assert peak(lambda: pca.partial_fit(X)) < X.nbytes / 20
    assert peak(lambda: pca.transform(X)) < X.nbytes / 5  # the scores
    assert peak(lambda: pca.spe(X)) < X.nbytes / 5


def test_read_only_and_strided_rows_are_accepted(rows):
    want = OnlinePCA(4).fit(rows).components_
    locked = rows.copy()
    locked.setflags(write=False)
    for X in (locked, np.asfortranarray(rows), rows[::-1][::-1], np.repeat(rows, 2, axis=1)[:, ::2]):
        assert np.array_equal(OnlinePCA(4).fit(X).components_, want)


def test_however_rows_are_cut_the_result_is_the_same_to_the_last_bit(rows):
    whole = OnlinePCA(4).partial_fit(rows)
    parts = OnlinePCA(4)
    for part in np.split(rows, [1, 2, 5, 100, 101, 333]):
        parts.partial_fit(part)
    one_by_one = OnlinePCA(4)
    for x in rows:
        one_by_one.update(x)
    assert np.array_equal(whole.components_, parts.components_)
    assert np.array_equal(whole.components_, one_by_one.components_)


def test_whole_weights_count_rows(rows):
    weights = np.random.default_rng(0).integers(0, 4, len(rows))
    pca = OnlinePCA(4).fit(rows, sample_weight=weights)
    repeated = np.repeat(rows, weights, axis=0)
    assert subspace_error(batch_components(repeated, 4), pca.components_) < 1e-20
    np.testing.assert_allclose(pca.mean_, repeated.mean(axis=0))
    assert pca.n_samples_seen_ == np.count_nonzero(weights)


def test_weights_may_be_a_number_or_given_to_partial_fit(rows):
    weights = np.random.default_rng(0).uniform(0.1, 2, len(rows))
    pca = OnlinePCA(4).partial_fit(rows[:200], sample_weight=weights[:200])
    pca.partial_fit(rows[200:], sample_weight=list(weights[200:]))
    assert subspace_error(batch_components(rows, 4, weights), pca.components_) < 1e-20
    np.testing.assert_allclose(
        OnlinePCA(4).fit(rows, sample_weight=3).components_, OnlinePCA(4).fit(rows).components_, atol=1e-12
    )


def test_rows_of_weight_zero_leave_no_trace(rows):
    pca = OnlinePCA(4).partial_fit(np.ones((2, 7)), sample_weight=0.0)
    assert not hasattr(pca, "n_features_in_")
    assert pca.partial_fit(rows).n_samples_seen_ == len(rows)


def test_forgetting_follows_a_change():
    rng = np.random.default_rng(0)
    before, after = (
        rng.standard_normal((2000, 5)) * [9, 1, 1, 1, 1],
        rng.standard_normal((500, 5)) * [1, 9, 1, 1, 1],
    )
    remembers = OnlinePCA(1).fit(before).partial_fit(after)
    forgets = OnlinePCA(1, forgetting=0.98).fit(before).partial_fit(after)
    assert np.argmax(remembers.components_) == 0
    assert np.argmax(forgets.components_) == 1


def test_whitened_scores_have_unit_variance(rows):
    pca = OnlinePCA(4, whiten=True).fit(rows)
    scores = pca.transform(rows)
    np.testing.assert_allclose(np.cov(scores.T), np.eye(4), atol=1e-8)
    plain = OnlinePCA(4).fit(rows)
    np.testing.assert_allclose(
        pca.inverse_transform(scores), plain.inverse_transform(plain.transform(rows)), atol=1e-10
    )


def test_whitening_gives_zero_where_there_is_no_variance():
    assert np.array_equal(OnlinePCA(2, whiten=True).fit_transform(np.ones((5, 3))), np.zeros((5, 2)))


def test_without_centring_the_mean_is_not_subtracted(rows):
    pca = OnlinePCA(1, center=False).fit(rows)
    axes = np.linalg.svd(rows, full_matrices=False)[2][:1]
    assert subspace_error(axes, pca.components_) < 1e-20
    assert not pca.mean_.any()
