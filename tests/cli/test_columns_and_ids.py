"""Columns that are features, and those that identify rows."""

import json

import numpy as np
import pytest
from numpy_oracle import write_csv


@pytest.fixture
def model(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 2, "-o", "m")
    return "m"


def numbers(text, skipped=1):
    return np.array([line.split(",")[skipped:] for line in text.splitlines()[1:]], dtype=float)


def test_scores_carry_the_ids_of_their_rows_where_bad_rows_are_skipped(roipca, tmp_path, rows, model):
    expected = numbers(roipca("transform", model, "a.npy"), 0)
    lines = [f'"row, {i}",' + ",".join(map(repr, row.tolist())) for i, row in enumerate(rows)]
    lines[3] = "bad,1,2"
    lines[7] = lines[7].replace(",", ",nan,", 1).rsplit(",", 1)[0]
    (tmp_path / "a.csv").write_text("who," + ",".join(f"x{i}" for i in range(40)) + "\n" + "\n".join(lines) + "\n")
    done = roipca.run("transform", model, "a.csv", "--id", "who", "--on-bad-row", "skip")
    assert done.returncode == 0 and b"skipped 2 bad rows" in done.stderr
    written = done.stdout.decode().splitlines()
    assert written[0] == "who,pc1,pc2"
    kept = [i for i in range(300) if i not in (3, 7)]
    assert [line.split('"')[1] for line in written[1:]] == [f"row, {i}" for i in kept]
    np.testing.assert_array_equal([np.fromstring(w.split('",')[1], sep=",") for w in written[1:]], expected[kept])


def test_ids_reach_every_output(roipca, tmp_path, rows, model):
    h5py = pytest.importorskip("h5py")
    lines = [f"r{i}\t" + "\t".join(map(repr, row.tolist())) for i, row in enumerate(rows)]
    (tmp_path / "a.tsv").write_text("\n".join(lines) + "\n")
    roipca("score", model, "a.tsv", "--id", 1, "--confidence", 0.99, "-o", "s.tsv")
    table = [line.split("\t") for line in (tmp_path / "s.tsv").read_text().splitlines()]
    assert table[0] == ["id", "t2", "spe", "t2_limit", "spe_limit", "beyond"]
    assert [row[0] for row in table[1:]] == [f"r{i}" for i in range(300)]
    roipca("fit", "a.tsv", "--id", 1, "-k", 2, "-o", "m2", "--scores", "s.h5")
    with h5py.File(tmp_path / "s.h5") as file:
        assert [text.decode() for text in file["id"]] == [f"r{i}" for i in range(300)]
        assert file["data"].shape == (300, 2)
    assert (tmp_path / "m2").read_bytes() == (tmp_path / "m").read_bytes()
    assert "cannot hold ids" in roipca.refuse("score", model, "a.tsv", "--id", 1, "-o", "s.npy", code=2)


def test_rows_are_numbered_as_in_their_file(roipca, tmp_path, rows, model):
    holed = rows.copy()
    holed[4, 5] = np.nan
    np.save(tmp_path / "b.npy", holed)
    done = roipca.run("score", model, "b.npy", "--number-rows", "--on-bad-row", "skip")
    written = done.stdout.decode().splitlines()
    assert written[0] == "row,t2,spe"
    assert [int(line.split(",")[0]) for line in written[1:]] == [i for i in range(300) if i != 4]
    write_csv(tmp_path / "b.csv", rows, [f"x{i}" for i in range(40)])
    written = roipca("score", model, "b.csv", "--number-rows").splitlines()
    assert written[0] == "line,t2,spe" and written[1].startswith("2,")
    assert "exclude each other" in roipca.refuse("score", model, "b.csv", "--number-rows", "--id", "1", code=2)


@pytest.mark.parametrize("dtype", ["<f8", "<i8"])
def test_ids_of_numeric_files_keep_their_digits_in_single_precision(roipca, tmp_path, dtype):
    data = np.random.default_rng(0).integers(0, 100, (20, 4)).astype(dtype)
    data[:, 2] = np.arange(20) + 1_000_000_007
    np.save(tmp_path / "a.npy", data)
    roipca("fit", "a.npy", "-k", 1, "--float32", "--exclude", "3", "-o", "m")
    written = roipca("transform", "m", "a.npy", "--id", 3).splitlines()
    assert written[0] == "id,pc1"
    assert [line.split(",")[0] for line in written[1:]] == [str(1_000_000_007 + i) for i in range(20)]


def test_columns_are_chosen_in_every_format(roipca, tmp_path, rows):
    h5py = pytest.importorskip("h5py")
    names = [f"x{i}" if i < 30 else f"y{i}" for i in range(40)]
    write_csv(tmp_path / "a.csv", rows, names)
    np.save(tmp_path / "a.npy", rows)
    np.save(tmp_path / "chosen.npy", rows[:, [0, 1, 2, 10, 11]])
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["rows"] = rows
    roipca("fit", "chosen.npy", "-k", 2, "-o", "expected")
    expected = json.loads(roipca("info", "expected", "--json"))["explained_variance"]
    for file, choice in {
        "a.csv": ["--columns", r"/^x[012]$/,/^x1[0-2]$/", "--exclude", "x12"],
        "a.npy": ["--columns", "1-3,11-20", "--exclude", "13-"],
        "a.h5": ["--exclude", "4-10,13-"],
    }.items():
        roipca("fit", file, "-k", 2, "-o", "m", *choice)
        info = json.loads(roipca("info", "m", "--json"))
        assert info["explained_variance"] == expected, file
        roipca("transform", "m", file, *choice)
    assert "no names" in roipca.refuse("fit", "a.npy", "-k", 2, "--columns", "/x/")
    assert "not a regular expression" in roipca.refuse("fit", "a.csv", "-k", 2, "--exclude", "/[/", code=2)


def test_names_of_an_anndata_file_choose_columns(roipca, tmp_path):
    anndata = pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")
    sparse = pytest.importorskip("scipy.sparse")
    counts = sparse.random(50, 6, density=0.5, random_state=0, format="csr")
    names = ["MT-1", "A", "MT-2", "B", "C", "D"]
    anndata.AnnData(counts, var=pandas.DataFrame(index=names)).write_h5ad(tmp_path / "a.h5ad")
    roipca("fit", "a.h5ad", "-k", 2, "--exclude", "/^MT-/", "-o", "m")
    info = json.loads(roipca("info", "m", "--json"))
    assert info["feature_names"] == ["A", "B", "C", "D"]
    dense = counts.toarray()[:, [1, 3, 4, 5]]
    values = np.linalg.eigvalsh(np.cov(dense.T))[::-1]
    np.testing.assert_allclose(info["explained_variance"], values[:2], rtol=1e-10)


def test_contributions_carry_the_names_of_the_features(roipca, tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((500, 2)) @ rng.standard_normal((2, 5)) + 0.1 * rng.standard_normal((500, 5))
    names = ["flow", "level", "power", "speed", "heat"]
    np.savetxt(tmp_path / "a.csv", rows, delimiter=",", header=",".join(names), comments="")
    roipca("fit", "a.csv", "-k", 2, "-o", "m")
    np.save(tmp_path / "a.npy", rows)  # has no names: those of the model count
    for name in ("a.csv", "a.npy"):
        for of in ("t2", "spe"):
            head, *lines = roipca("score", "m", name, "--contributions", of).splitlines()
            assert head.split(",") == ["t2", "spe", *(f"{of} {feature}" for feature in names)]
            numbers = np.array([line.split(",") for line in lines], dtype=float)
            np.testing.assert_allclose(numbers[:, 2:].sum(axis=1), numbers[:, int(of == "spe")], rtol=1e-9)
    assert "--contributions" in roipca.refuse("score", "m", "a.npy", "--contributions", "x", code=2)
