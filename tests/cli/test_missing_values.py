"""Missing values and units in the command."""

import json

import numpy as np
import pytest


@pytest.fixture
def gaps():
    random = np.random.default_rng(0)
    rows = random.standard_normal((800, 3)) @ random.standard_normal((3, 12)) + 0.1 * random.standard_normal((800, 12))
    return np.where(random.random(rows.shape) < 0.2, np.nan, rows), rows


def write(path, rows, mark):
    lines = [",".join(mark if np.isnan(x) else repr(float(x)) for x in row) for row in rows]
    path.write_text("\n".join([",".join(f"x{j}" for j in range(rows.shape[1])), *lines, ""]))


@pytest.mark.parametrize("mark, words", [("", ()), ("NA", ()), ("nan", ()), ("-999", ("--missing-words=-999,x",))])
def test_every_mark_gives_the_model_of_the_array(roipca, tmp_path, gaps, mark, words):
    np.save(tmp_path / "a.npy", gaps[0])
    write(tmp_path / "a.csv", gaps[0], mark)
    roipca("fit", "a.npy", "-k", 3, "--missing", "impute", "-o", "npy")
    roipca("fit", "a.csv", "-k", 3, "--missing", "impute", "-o", "csv", *words)
    roipca("transform", "npy", "a.npy", "-o", "npy.npy")
    roipca("transform", "csv", "a.csv", "-o", "csv.npy", *words)
    np.testing.assert_array_equal(np.load(tmp_path / "npy.npy"), np.load(tmp_path / "csv.npy"))


def test_impute_fills_the_gaps(roipca, tmp_path, gaps):
    np.save(tmp_path / "a.npy", gaps[0])
    roipca("fit", "a.npy", "-k", 3, "--missing", "impute", "-o", "m")
    roipca("impute", "m", "a.npy", "-o", "filled.npy")
    filled = np.load(tmp_path / "filled.npy")
    holes = np.isnan(gaps[0])
    np.testing.assert_array_equal(filled[~holes], gaps[0][~holes])
    assert np.sqrt(np.mean((filled - gaps[1])[holes] ** 2)) < 0.2  # the noise is 0.1
    assert f"imputed; {100 * holes.mean():.6g} % of the values" in roipca("info", "m")
    assert json.loads(roipca("info", "m", "--json"))["missing"] == "impute"


def test_a_gap_is_a_bad_row_by_default_and_infinity_always(roipca, tmp_path, gaps):
    write(tmp_path / "a.csv", gaps[0], "NA")
    assert "not a number" in roipca.refuse("fit", "a.csv", "-k", 3)
    rows = gaps[0].copy()
    rows[5, 2] = np.inf
    np.save(tmp_path / "b.npy", rows)
    assert "row 5" in roipca.refuse("fit", "b.npy", "-k", 3, "--missing", "impute")


def test_standardize_is_pca_of_the_correlation_matrix(roipca, tmp_path, gaps):
    rows = gaps[1] * np.logspace(-5, 5, 12)
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 3, "--standardize", "-o", "m")
    facts = json.loads(roipca("info", "m", "--json"))
    truth = np.linalg.eigvalsh(np.corrcoef(rows.T))[::-1][:3]
    np.testing.assert_allclose(facts["explained_variance"], truth, rtol=1e-9)
    np.testing.assert_allclose(facts["scale_ratio"], 1, rtol=1e-9)


def test_more_passes_read_the_gaps_again(roipca, tmp_path, gaps):
    write(tmp_path / "a.csv", gaps[0], "NA")
    roipca("fit", "a.csv", "-k", 3, "--missing", "impute", "--passes", 2, "-o", "twice")
    roipca("fit", "a.csv", "-k", 3, "--missing", "impute", "-o", "once")
    roipca("refine", "once", "a.csv")
    once, twice = (json.loads(roipca("info", name, "--json")) for name in ("once", "twice"))
    assert once["explained_variance"] == twice["explained_variance"]


def test_words_in_the_first_line_are_no_header(roipca, tmp_path):
    (tmp_path / "a.csv").write_text("off,1,2\n3,4,NA\n,7,8\n2,off,1\n")
    roipca("fit", "a.csv", "-k", 1, "--missing", "impute", "--missing-words", "off", "-o", "m")
    assert json.loads(roipca("info", "m", "--json"))["rows"] == 4


def test_rows_without_any_value_are_counted(roipca, tmp_path, gaps):
    rows = gaps[0].copy()
    rows[[0, 300]] = np.nan
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 3, "--missing", "impute", "-o", "m")
    facts = json.loads(roipca("info", "m", "--json"))
    assert (facts["rows"], facts["empty_rows"]) == (798, 2)
