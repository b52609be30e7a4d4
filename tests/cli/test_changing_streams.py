"""Windows and steady axes on the command line."""

import json

import numpy as np
import pytest
from numpy_oracle import batch


@pytest.fixture
def rows(tmp_path):
    rng = np.random.default_rng(0)
    parts = [4 * rng.standard_normal((900, 3)) @ np.linalg.qr(rng.standard_normal((20, 3)))[0].T for _ in range(2)]
    rows = np.concatenate(parts) + 0.1 * rng.standard_normal((1800, 20))
    np.save(tmp_path / "a.npy", rows)
    return rows


@pytest.mark.parametrize("window", [100, 800])
def test_a_window_covers_the_last_rows_and_says_which(roipca, rows, window):
    said = json.loads(roipca("fit", "a.npy", "-k", 3, "--window", window, "--json"))
    assert said["rows"] == 1800
    assert window <= said["rows_covered"] < window + 180
    info = json.loads(roipca("info", "model.safetensors", "--json"))
    assert info["rows"] == said["rows_covered"] and info["rows_before"] == 1800 - info["rows"]
    _, variances = batch(rows[info["rows_before"] :], 3)
    np.testing.assert_allclose(info["explained_variance"], variances[:3], rtol=1e-4)
    assert f"covers rows {info['rows_before']} to 1799\n" in roipca("info", "model.safetensors")


def test_a_run_with_a_window_resumes_to_the_same_bits(roipca, tmp_path, rows):
    np.save(tmp_path / "first.npy", rows[:1000])
    options = ("-k", 3, "--window", 800)
    roipca("fit", "first.npy", *options, "-o", "part", "--checkpoint", "c", "--every", 1)
    roipca("fit", "a.npy", *options, "-o", "resumed", "--resume", "c")
    roipca("fit", "a.npy", *options, "-o", "whole")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_window_excludes_forgetting(roipca, rows):
    done = roipca.run("fit", "a.npy", "-k", 3, "--window", 10, "--forgetting", 0.9)
    assert done.returncode == 2 and b"window and forgetting exclude each other" in done.stderr


def test_steady_axes_survive_the_model_file(roipca, tmp_path, rows):
    roipca("fit", "a.npy", "-k", 3, "--align", "previous-order", "--scores", "s.npy", "-o", "m")
    roipca("transform", "m", "a.npy", "-o", "t.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "s.npy")[-1], np.load(tmp_path / "t.npy")[-1])


def test_fit_and_info_tell_that_the_rows_have_changed(roipca, tmp_path):
    rng = np.random.default_rng(1)
    rows = 3 * rng.standard_normal((5000, 3)) @ rng.standard_normal((3, 20)) + rng.standard_normal((5000, 20))
    rows[4000:] += rng.choice([-2, 2], 20)
    np.save(tmp_path / "b.npy", rows)
    np.save(tmp_path / "same.npy", rows[:4000])
    said = roipca("fit", "b.npy", "-k", 3, "-o", "model.safetensors")
    assert "changes of the rows: 1, the latest began at about row " in said
    info = json.loads(roipca("info", "model.safetensors", "--json"))
    assert info["changes"] == 1 and abs(info["change_row"] - 4000) < 250 and info["change_score"] >= 0
    assert "changes" in roipca("info", "model.safetensors")
    said = json.loads(roipca("fit", "same.npy", "-k", 3, "-o", "model.safetensors", "--json"))
    assert said["changes"] == 0 and said["change_score"] < 1 and "change_row" not in said


def test_a_window_with_missing_values(roipca, tmp_path, rows):
    gaps = np.where(np.random.default_rng(2).random(rows.shape) < 0.1, np.nan, rows)
    np.save(tmp_path / "gaps.npy", gaps)
    roipca("fit", "gaps.npy", "-k", 3, "--window", 800, "--missing", "impute")
    info = json.loads(roipca("info", "model.safetensors", "--json"))
    _, variances = batch(rows[info["rows_before"] :], 3)
    np.testing.assert_allclose(info["explained_variance"], variances[:3], rtol=0.05)


def test_another_pass_divides_by_the_deviations_of_all_rows(roipca, tmp_path, rows):
    np.save(tmp_path / "units.npy", rows * np.geomspace(1e-6, 1e6, 20))
    options = ("-k", 3, "--method", "roipca", "--standardize", "--first-rows", 100)
    roipca("fit", "units.npy", *options, "-o", "one")
    roipca("fit", "units.npy", *options, "--passes", 2, "-o", "two")
    roipca("refine", "one", "units.npy", "-o", "refined")
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0, ddof=1)
    _, variances = batch(scaled, 3)
    for model in ("two", "refined"):
        info = json.loads(roipca("info", model, "--json"))
        np.testing.assert_allclose(info["scale_ratio"], 1, rtol=1e-9)
        np.testing.assert_allclose(info["explained_variance"], variances[:3], rtol=1e-6)
