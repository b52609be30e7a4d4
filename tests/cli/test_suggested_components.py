"""How many components the rows support, on the command line."""

import json

import numpy as np
import pytest

from roipca import OnlinePCA


@pytest.fixture
def factors(tmp_path):
    rng = np.random.default_rng(0)
    rows = 3 * rng.standard_normal((400, 4)) @ rng.standard_normal((4, 30)) + rng.standard_normal((400, 30))
    np.save(tmp_path / "a.npy", rows)
    return rows


@pytest.mark.parametrize("precision", [[], ["--float32"]])
def test_auto_reports_the_factors(roipca, factors, precision):
    assert json.loads(roipca("fit", "a.npy", "-k", "auto", "--json", *precision))["components"] == 4
    said = json.loads(roipca("info", "model.safetensors", "--json"))["suggested_components"]
    rules = ("gavish_donoho", "marchenko_pastur", "tracy_widom", "minka", "consensus")
    assert [said[rule] for rule in rules] == [4] * 5
    assert said["cautions"] == []
    assert abs(said["noise_variance"] - 1) < 0.05


def test_info_and_report_have_a_line_per_rule(roipca, tmp_path, factors):
    roipca("fit", "a.npy", "-k", 2)
    assert "Tracy-Widom       4\n" in roipca("info", "model.safetensors")
    roipca("report", "model.safetensors", "-o", "r.html")
    page = (tmp_path / "r.html").read_text()
    for rule in ("Gavish-Donoho", "Marchenko-Pastur", "Tracy-Widom", "Minka", "consensus"):
        assert f"<tr><th>{rule}</th><td>4</td></tr>" in page


def test_auto_says_when_not_to_trust_it(roipca, tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).standard_normal((8, 20)))
    done = roipca.run("fit", "a.npy", "-k", "auto", "-o", "model.safetensors")
    assert done.returncode == 0
    assert b"roipca: -k auto: There are only 8 rows.\n" in done.stderr
    roipca("fit", "a.npy", "-k", 2, "-o", "model.safetensors")
    text = roipca("info", "model.safetensors")
    assert "Minka             not defined\n" in text and "There are only 8 rows.\n" in text


def test_auto_excludes_scores_in_the_same_pass(roipca, factors):
    done = roipca.run("fit", "a.npy", "-k", "auto", "--scores", "s.npy")
    assert done.returncode == 2 and b"--scores needs -k as a number" in done.stderr


@pytest.mark.parametrize("n_components", [0.5, 0.95, "auto"])
def test_the_commands_report_as_many_components_of_a_python_model_as_python(roipca, tmp_path, factors, n_components):
    pca = OnlinePCA(n_components).fit(factors)
    pca.save(tmp_path / "model.safetensors")
    roipca("transform", "model.safetensors", "a.npy", "-o", "scores.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "scores.npy"), pca.transform(factors))
    facts = json.loads(roipca("info", "model.safetensors", "--json"))
    assert facts["components"] == pca.n_components_
    np.savetxt(tmp_path / "a.csv", factors, delimiter=",")
    options = ("--start", "model.safetensors", "-o", "watched", "--no-follow", "--port", 0)
    assert roipca.run("watch", "a.csv", *options).returncode == 0
    assert json.loads(roipca("info", "watched", "--json"))["components"] == pca.n_components_


def test_the_commands_report_no_more_components_of_a_python_model_than_rows(roipca, tmp_path, factors):
    pca = OnlinePCA().partial_fit(factors[:5])
    pca.save(tmp_path / "model.safetensors")
    facts = json.loads(roipca("info", "model.safetensors", "--json"))
    assert facts["components"] == pca.n_components_ == 5
