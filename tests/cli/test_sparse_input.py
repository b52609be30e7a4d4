"""Files of sparse rows: the command learns from them what it learns from the same rows written densely."""

import gzip
import io
import json
from pathlib import Path

import numpy as np
import pytest
from numpy_oracle import batch
from safetensors import safe_open
from scipy import sparse
from scipy.io import mmwrite
from sklearn.datasets import dump_svmlight_file

ROWS, FEATURES = 400, 60
WIDE = 3000  # features beyond which roipca works by blocks


def counts(features=FEATURES, rows=ROWS):
    X = sparse.random_array((rows, features), density=0.1, rng=np.random.default_rng(0), format="csr")
    X.data = np.ceil(9 * X.data)
    X.data[X.indptr[5] : X.indptr[6]] = 0  # a row of explicit zeros
    X[7] = 0  # and an empty one
    X.eliminate_zeros()
    return X


def arrays(path):
    with safe_open(path, framework="np") as model:
        return {key: model.get_tensor(key) for key in model.keys()}  # noqa: SIM118


def matrix_market(X, transpose=False):
    text = io.BytesIO()
    mmwrite(text, (X.tocsc() if transpose else X).tocoo(), precision=17)
    return text.getvalue()


def write_sources(folder, X):
    """Files of the same rows, with the options that they need."""
    h5py = pytest.importorskip("h5py")
    sparse.save_npz(folder / "a.npz", X)
    sparse.save_npz(folder / "stored.npz", X, compressed=False)
    (folder / "a.mtx").write_bytes(matrix_market(X))
    (folder / "a.mtx.gz").write_bytes(gzip.compress(matrix_market(X)))
    (folder / "t.mtx").write_bytes(matrix_market(X.T.tocsc(), transpose=True))
    dump_svmlight_file(X, np.arange(X.shape[0]), str(folder / "zero.svm"), zero_based=True)
    dump_svmlight_file(X, np.arange(X.shape[0]), str(folder / "one.svm"), zero_based=False)
    with h5py.File(folder / "a.h5ad", "w") as file:
        for name in ("X", "layers/twice"):
            group = file.create_group(name)
            group.attrs["encoding-type"] = "csr_matrix"
            group.attrs["shape"] = X.shape
            group.create_dataset("data", data=X.data * (2 if "twice" in name else 1), chunks=(100,), compression="gzip")
            group.create_dataset("indices", data=X.indices.astype(np.int32), chunks=(77,), compression="gzip")
            group["indptr"] = X.indptr
        file["var/_index"] = [f"gene{j}" for j in range(X.shape[1])]
        file["var"].attrs["_index"] = "_index"
        file["obsm/X_pca"] = np.zeros((X.shape[0], 2))
    return {
        "a.npz": [],
        "stored.npz": [],
        "a.mtx": [],
        "a.mtx.gz": [],
        "t.mtx": ["--transpose"],
        "zero.svm": ["--format", "svmlight0"],
        "one.svm": [],
        "a.h5ad": [],
    }


@pytest.mark.parametrize("features", [FEATURES, WIDE])
def test_every_sparse_format_gives_the_same_model_to_the_last_bit(roipca, tmp_path, features):
    X = counts(features)
    expected = None
    for file, options in write_sources(tmp_path, X).items():
        roipca("fit", file, "-k", 3, "-o", "m", *options)
        found = arrays(tmp_path / "m")
        expected = expected or found
        assert all(np.array_equal(found[key], expected[key]) for key in expected), file
    np.testing.assert_allclose(expected["mean"], X.toarray().mean(axis=0), rtol=1e-12)
    dense = X.toarray()
    np.save(tmp_path / "dense.npy", dense)
    roipca("fit", "dense.npy", "-k", 3, "-o", "m")
    np.testing.assert_allclose(arrays(tmp_path / "m")["eigenvalues"][:3], expected["eigenvalues"][:3], rtol=1e-8)


def test_pipes_carry_sparse_rows(roipca, tmp_path):
    X = counts()
    sources = write_sources(tmp_path, X)
    roipca("fit", "a.npz", "-k", 3, "-o", "expected")
    for file in ("a.mtx", "a.mtx.gz", "t.mtx", "one.svm"):
        features = ["--features", FEATURES] if file == "one.svm" else []
        roipca("fit", "-", "-k", 3, "-o", "m", *sources[file], *features, data=(tmp_path / file).read_bytes())
        assert (tmp_path / "m").read_bytes() == (tmp_path / "expected").read_bytes(), file
    said = roipca.refuse("fit", "-", "-k", 3, data=(tmp_path / "one.svm").read_bytes())
    assert "give it with --features" in said
    said = roipca.refuse("fit", "-", "-k", 3, data=(tmp_path / "a.npz").read_bytes())
    assert "cannot be read from a pipe" in said


def test_scores_of_sparse_rows_are_those_of_batch_pca(roipca, tmp_path):
    X = counts()
    sources = write_sources(tmp_path, X)
    roipca("fit", "a.npz", "-k", 3, "-o", "m")
    dense = X.toarray()
    components, variances = batch(dense, 3)
    scores = (dense - dense.mean(axis=0)) @ components.T
    rest = dense - dense.mean(axis=0) - scores @ components
    for file, options in sources.items():
        roipca("transform", "m", file, *options, "-o", "s.npy")
        np.testing.assert_allclose(np.load(tmp_path / "s.npy"), scores, atol=1e-9)
        roipca("score", "m", file, *options, "-o", "u.npy")
        t2, spe = np.load(tmp_path / "u.npy").T
        np.testing.assert_allclose(t2, np.sum(scores**2 / variances[:3], axis=1), rtol=1e-8)
        np.testing.assert_allclose(spe, np.sum(rest**2, axis=1), rtol=1e-8)


def test_a_layer_is_chosen_by_its_path_and_features_keep_their_names(roipca, tmp_path):
    X = counts()
    write_sources(tmp_path, X)
    roipca("fit", "a.h5ad", "-k", 2, "-o", "m", "--dataset", "layers/twice")
    np.testing.assert_allclose(arrays(tmp_path / "m")["mean"], 2 * X.toarray().mean(axis=0), rtol=1e-12)
    roipca("inverse", "m", "-", "-o", "back.csv", data=b"0,0\n")
    assert (tmp_path / "back.csv").read_text().startswith("gene0,gene1,")
    assert "not a sparse matrix" in roipca.refuse("fit", "a.h5ad", "-k", 2, "--dataset", "layers")


def prepared(X, weights, mask):
    X = np.log1p(X * (1e4 / np.maximum(X.sum(axis=1, keepdims=True), 1)))
    return (X * weights)[:, mask]


@pytest.mark.parametrize("make_files", ["text", "npy"])
def test_rows_are_prepared_as_the_formulas_say(roipca, tmp_path, make_files):
    X = counts()
    sources = write_sources(tmp_path, X)
    np.save(tmp_path / "dense.npy", X.toarray())
    weights, mask = np.linspace(0.5, 2, FEATURES), np.arange(FEATURES) % 3 != 0
    if make_files == "npy":
        np.save(tmp_path / "w", weights)
        np.save(tmp_path / "k", mask)
        names = ("w.npy", "k.npy")
    else:
        np.savetxt(tmp_path / "w", weights, fmt="%.17g")
        (tmp_path / "k").write_text("\n".join(str(bool(m)) for m in mask))
        names = ("w", "k")
    recipe = ["--target-sum", "1e4", "--log1p", "--feature-weights", names[0], "--feature-mask", names[1]]
    want = prepared(X.toarray(), weights, mask)
    components, variances = batch(want, 2)
    for file, options in {**sources, "dense.npy": []}.items():
        roipca("fit", file, "-k", 2, "-o", "m", *options, *recipe)
        found = arrays(tmp_path / "m")
        np.testing.assert_allclose(found["mean"], want.mean(axis=0), rtol=1e-11, atol=1e-14)
        np.testing.assert_allclose(found["eigenvalues"][:2], variances[:2] * (ROWS - 1), rtol=1e-9)
        roipca("transform", "m", file, "-o", "s.npy", *options, *recipe)
        np.testing.assert_allclose(np.load(tmp_path / "s.npy"), (want - want.mean(axis=0)) @ components.T, atol=1e-8)


def test_features_are_kept_by_name(roipca, tmp_path):
    X = counts()
    write_sources(tmp_path, X)
    (tmp_path / "genes").write_text("gene7\ngene2\n")
    roipca("fit", "a.h5ad", "-k", 1, "-o", "m", "--feature-mask", "genes")
    np.testing.assert_allclose(arrays(tmp_path / "m")["mean"], X.toarray()[:, [2, 7]].mean(axis=0), rtol=1e-12)
    (tmp_path / "genes").write_text("gene7\nactin\n")
    said = roipca.refuse("fit", "a.h5ad", "-k", 1, "--feature-mask", "genes")
    assert 'the feature mask names "actin", which is not a column' in said
    assert "the columns of the file have none" in roipca.refuse("fit", "a.npz", "-k", 1, "--feature-mask", "genes")


@pytest.mark.parametrize(
    "options, message",
    [
        (["--target-sum", "0"], '--target-sum must be a number above 0, not "0"'),
        (["--target-sum", "x"], '--target-sum must be a number above 0, not "x"'),
    ],
)
def test_wrong_preparation_is_wrong_usage(roipca, tmp_path, options, message):
    write_sources(tmp_path, counts())
    assert message in roipca.refuse("fit", "a.npz", "-k", 1, *options, code=2)


def test_files_for_other_features_are_refused(roipca, tmp_path):
    write_sources(tmp_path, counts())
    (tmp_path / "w").write_text("1\n2\n")
    said = roipca.refuse("fit", "a.npz", "-k", 1, "--feature-weights", "w")
    assert "feature_weights has 2 entries; the rows have 60 features" in said
    (tmp_path / "w").write_text("1\noops\n")
    assert 'w: line 2: "oops" is not a number' in roipca.refuse("fit", "a.npz", "-k", 1, "--feature-weights", "w")


HEADER = "%%MatrixMarket matrix coordinate real general\n% a comment\n"
BAD = {
    "unsorted.mtx": (HEADER + "3 2 3\n1 1 1\n3 1 1\n2 2 1\n", "line 6: row 2 after row 3: entries must be sorted"),
    "range.mtx": (HEADER + "3 2 2\n1 1 1\n2 3 1\n", 'row 1: line 5: "3" is not a column from 1 to 2'),
    "rows.mtx": (HEADER + "3 2 2\n1 1 1\n4 1 1\n", 'line 5: "4" is not a row from 1 to 3'),
    "text.mtx": (HEADER + "3 2 2\n1 1 1\n2 1 x\n", 'row 1: line 5: "x" is not a number'),
    "nan.mtx": (HEADER + "3 2 2\n1 1 1\n2 1 nan\n", "row 1: NaN in column 1"),
    "cut.mtx": (
        HEADER + "3 2 9\n1 1 1\n2 1 5\n",
        "row 1: the file is cut off: 9 entries are expected, but there are 2",
    ),
    "more.mtx": (HEADER + "3 2 1\n1 1 1\n2 1 5\n", "line 5: more than the 1 entries"),
    "sizes.mtx": (HEADER + "3 2\n", "line 3: not the sizes of a matrix"),
    "half.mtx": ("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 1 1\n", "a symmetric matrix"),
    "array.mtx": ("%%MatrixMarket matrix array real general\n1 1\n1\n", 'only "matrix coordinate" can be read'),
    "zero.svm": ("1 1:2\n1 0:1 2:3\n", "line 2: index 0, but indices begin with 1: for indices from 0, use"),
    "text.svm": ("1 1:2\n1 1:x\n", 'line 2: "1:x" is not index:value'),
    "label.svm": ("1 1:2\none 1:2\n", 'line 2: "one" is not a label'),
    "inf.svm": ("1 1:2\n1 1:2 2:inf\n", "line 2: infinity in column 2"),
}


@pytest.mark.parametrize("name", BAD)
def test_malformed_text_is_refused_with_its_line(roipca, tmp_path, name):
    content, reason = BAD[name]
    (tmp_path / name).write_text(content)
    said = roipca.refuse("fit", name, "-k", 1, "-o", "m")
    assert said.startswith(f"roipca: {name}: ") and reason in said


def test_bad_rows_are_skipped_where_that_is_asked_for(roipca, tmp_path):
    for name in ("range.mtx", "text.mtx", "nan.mtx", "text.svm", "label.svm", "inf.svm"):
        content = BAD[name][0]
        (tmp_path / name).write_text(content + "0 1:4\n" if name.endswith("svm") else content)
        done = roipca.run("fit", name, "-k", 1, "-o", "m", "--on-bad-row", "skip", "--json")
        assert done.returncode == 0 and json.loads(done.stdout)["skipped"] == 1, (name, done.stderr)
        assert json.loads(done.stdout)["rows"] == 2
        assert b"roipca: skipped 1 bad row" in done.stderr


def test_numbers_that_cannot_be_prepared_make_a_row_bad(roipca, tmp_path):
    X = counts()
    X.data[X.indptr[12]] = -3
    column = X.indices[X.indptr[12]] + 1
    sparse.save_npz(tmp_path / "a.npz", X)
    said = roipca.refuse("fit", "a.npz", "-k", 1, "--log1p")
    assert f"a.npz: row 12: -3 in column {column}; log1p needs numbers above -1" in said
    X.data[X.indptr[12]] = -99
    sparse.save_npz(tmp_path / "a.npz", X)
    assert "row 12: the sum is -" in roipca.refuse("fit", "a.npz", "-k", 1, "--target-sum", 1)
    done = roipca.run("fit", "a.npz", "-k", 1, "--target-sum", 1, "--on-bad-row", "skip", "--json")
    assert json.loads(done.stdout)["rows"] == ROWS - 1


def test_damaged_matrices_are_refused(roipca, tmp_path):
    X = counts()

    def refusal(**changes):
        parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape, "format": b"csr"}
        np.savez(tmp_path / "a.npz", **{**parts, **changes})
        return roipca.refuse("fit", "a.npz", "-k", 1)

    outside = X.indices.copy()
    outside[X.indptr[12]] = FEATURES
    assert f"row 12: column index {FEATURES} is out of range" in refusal(indices=outside)
    back = X.indptr.copy()
    back[13] = 0
    assert "row 12: indptr is damaged: from entry" in refusal(indptr=back)
    assert "401 numbers, but 500 rows" in refusal(shape=(500, FEATURES))
    assert "indptr ends at entry" in refusal(data=np.append(X.data, 1.0), indices=np.append(X.indices, 1))
    assert 'in the form "csc"' in refusal(format=b"csc")
    assert "indices.npy: it does not hold whole numbers" in refusal(indices=X.indices.astype(float))
    np.savez(tmp_path / "other.npz", rows=X.toarray())
    assert "not a matrix of scipy.sparse.save_npz: it has rows.npy" in roipca.refuse("fit", "other.npz", "-k", 1)

    sparse.save_npz(tmp_path / "a.npz", X, compressed=False)
    whole = (tmp_path / "a.npz").read_bytes()
    place = whole.index(X.data.tobytes()[:200]) + 90
    (tmp_path / "a.npz").write_bytes(whole[:place] + b"\1" + whole[place + 1 :])
    assert "data.npy: data.npy is damaged at byte" in roipca.refuse("fit", "a.npz", "-k", 1)
    (tmp_path / "a.npz").write_bytes(whole[:-100])
    assert "the zip directory is damaged, or the file is cut off" in roipca.refuse("fit", "a.npz", "-k", 1)


def test_a_resumed_fit_of_sparse_rows_ends_with_the_same_bits(roipca, tmp_path):
    X = counts(WIDE, 3000)
    sparse.save_npz(tmp_path / "a.npz", X)
    sparse.save_npz(tmp_path / "half.npz", X[:1500])
    roipca("fit", "a.npz", "-k", 3, "-o", "expected")
    roipca("fit", "half.npz", "-k", 3, "-o", "m", "--checkpoint", "c", "--every", 1)
    roipca("fit", "a.npz", "-k", 3, "-o", "m", "--resume", "c")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "expected").read_bytes()
    sparse.save_npz(tmp_path / "other.npz", 2 * X)
    said = roipca.refuse("fit", "other.npz", "-k", 3, "-o", "m", "--resume", "c")
    assert "the first 1000 rows of the input differ" in said


def test_sparse_and_dense_files_follow_each_other(roipca, tmp_path):
    X = counts()
    sparse.save_npz(tmp_path / "a.npz", X[:200])
    np.save(tmp_path / "b.npy", X[200:].toarray())
    roipca("fit", "a.npz", "b.npy", "-k", 2, "-o", "m")
    found = arrays(tmp_path / "m")
    np.testing.assert_allclose(found["mean"], X.toarray().mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found["eigenvalues"][:2], batch(X.toarray(), 2)[1][:2] * (ROWS - 1), rtol=1e-10)


def test_wide_rows_take_memory_for_the_components_alone(roipca, tmp_path):
    """20,000 rows of 400,000 features are 64 GB of numbers; 8 components and their oversampling are 51 MB."""
    rng = np.random.default_rng(0)
    lines = (" ".join(f"{j}:1" for j in np.unique(rng.integers(1, 400_001, 4))) for _ in range(20_000))
    (tmp_path / "a.svm").write_text("\n".join(f"1 {line}" for line in lines))
    said = roipca("fit", "a.svm", "-k", 8, "-o", "m", "--features", 400_000, "--max-memory", "500M", "--json")
    assert json.loads(said)["rows"] == 20_000


# Written by anndata 0.12: see write.py there.
ANNDATA = Path(__file__).parents[1] / "support" / "anndata" / "cells.h5ad"


@pytest.mark.parametrize("dataset, factor", [(None, 1), ("layers/doubled", 2), ("layers/dense", 1)])
def test_files_of_the_anndata_package_are_read(roipca, tmp_path, dataset, factor):
    i, j = np.indices((50, 30))
    rows = factor * np.where((i * 7 + j * 13) % 5 == 0, (i * 3 + j * 11) % 17, 0)
    roipca("fit", ANNDATA, "-k", 2, "-o", "m", *([] if dataset is None else ["--dataset", dataset]))
    found = arrays(tmp_path / "m")
    np.testing.assert_allclose(found["mean"], rows.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(found["eigenvalues"][:2], batch(rows, 2)[1][:2] * 49, rtol=1e-12)
    roipca("inverse", "m", "-", "-o", "back.csv", data=b"0,0\n")
    assert (tmp_path / "back.csv").read_text().startswith("gene0,gene1,")


def test_a_matrix_stored_by_columns_is_refused(roipca):
    assert "stored by columns (CSC)" in roipca.refuse("fit", ANNDATA, "-k", 2, "--dataset", "layers/columns")
