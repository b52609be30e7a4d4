"""fit --passes and refine: the rows read again, from a file that stayed the same, with a stop in any pass."""

import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest
import scipy.sparse

from roipca import OnlinePCA

METHOD = ("-k", 3, "--method", "roipca", "--oversampling", 3)


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return rng.standard_normal((2000, 50)) * 0.93 ** np.arange(50) + 1.0


def same_model(path, pca):
    loaded = OnlinePCA.load(path)
    assert loaded.n_passes_ == pca.n_passes_
    np.testing.assert_array_equal(loaded.components_, pca.components_)


@pytest.mark.parametrize("passes", [1, 2, 3])
def test_passes_are_those_of_python(roipca, tmp_path, X, passes):
    np.save(tmp_path / "x.npy", X)
    said = roipca("fit", "x.npy", *METHOD, "--passes", passes, "-o", "m")
    assert ("subspace error" in said) == (passes > 1)
    pca = OnlinePCA(3, method="roipca", oversampling=3).fit(X, passes=passes)
    same_model(tmp_path / "m", pca)
    roipca("refine", "m", "x.npy", "-o", "better")
    same_model(tmp_path / "better", pca.refine(X))
    roipca("refine", "m", "x.npy")  # in place
    same_model(tmp_path / "m", pca)


def test_more_passes_choose_as_in_python(roipca, tmp_path):
    rng = np.random.default_rng(2)
    for features, held in ((300, 300), (1030, 63)):
        X = rng.standard_normal((1500, features)) / np.arange(1, features + 1)
        np.save(tmp_path / "x.npy", X)
        said = roipca("fit", "x.npy", "-k", 3, "--passes", 2, "--checkpoint", "c", "--every", 700, "-o", "m")
        assert ("3 components (exact)" in said) == (features == held)
        assert ("exact after the first pass: no further pass was made\n" in said) == (features == held)
        loaded, pca = OnlinePCA.load(tmp_path / "m"), OnlinePCA(3).fit(X, passes=2)
        assert (loaded.n_passes_, loaded.n_components_held_) == (pca.n_passes_, held)
        np.testing.assert_allclose(np.abs(np.sum(loaded.components_ * pca.components_, axis=1)), 1, rtol=1e-12)
        again = ("fit", "x.npy", "-k", 3, "--resume", "c")
        roipca(*again, "--passes", 2, "-o", "resumed")
        assert (tmp_path / "resumed").read_bytes() == (tmp_path / "m").read_bytes()
        assert "other options for components, method or passes" in roipca.refuse(*again, "-o", "one", code=2)


def test_more_passes_over_sparse_rows_choose_as_one_pass(roipca, tmp_path):
    rows = scipy.sparse.random_array((500, 300), density=0.05, format="csr", rng=np.random.default_rng(3))
    scipy.sparse.save_npz(tmp_path / "x.npz", rows)
    roipca("fit", "x.npz", "-k", 3, "--passes", 2, "-o", "m")
    assert (OnlinePCA.load(tmp_path / "m").n_passes_, OnlinePCA.load(tmp_path / "m").n_components_held_) == (2, 13)


def test_auto_stops_below_the_tolerance(roipca, tmp_path, X):
    np.save(tmp_path / "x.npy", X)
    summary = json.loads(roipca("fit", "x.npy", *METHOD, "--passes", "auto", "--tol", "1e-8", "--json", "-o", "m"))
    assert summary["error_bound"] <= 1e-8
    assert summary["error_estimate"] <= summary["error_bound"]
    assert 2 < summary["passes"] < 12
    said = roipca("info", "m")
    assert f"after {summary['passes']} passes" in said
    facts = json.loads(roipca("info", "m", "--json"))
    assert facts["passes"] == summary["passes"]
    assert len(facts["component_errors"]) == 3


def test_refine_reads_standard_input_once(roipca, tmp_path, X):
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", fmt="%.17g")
    roipca("fit", "x.csv", *METHOD, "-o", "m")
    roipca("refine", "m", "-", "-o", "better", data=(tmp_path / "x.csv").read_bytes())
    assert OnlinePCA.load(tmp_path / "better").n_passes_ == 2
    assert "only once" in roipca.refuse("refine", "m", "-", "--passes", 2, code=2)
    assert "only once" in roipca.refuse("fit", "-", *METHOD, "--passes", "auto", code=2)


def test_other_rows_and_wrong_words_are_refused(roipca, tmp_path, X):
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "fewer.npy", X[:-1])
    np.save(tmp_path / "narrow.npy", X[:, 1:])
    roipca("fit", "x.npy", *METHOD, "-o", "m")
    before = (tmp_path / "m").read_bytes()
    assert "its number of rows is 2000, but this pass has 1999" in roipca.refuse("refine", "m", "fewer.npy")
    assert "rows of 49 numbers" in roipca.refuse("refine", "m", "narrow.npy")
    assert (tmp_path / "m").read_bytes() == before
    assert "--passes" in roipca.refuse("fit", "x.npy", *METHOD, "--passes", "some", code=2)
    assert "--tol" in roipca.refuse("fit", "x.npy", *METHOD, "--tol", "-1", code=2)
    for option, value in (("--forgetting", 0.99), ("--window", 500)):
        said = roipca.refuse("fit", "x.npy", *METHOD, "--passes", 2, option, value, "-o", "other", code=2)
        assert f"--passes 2 excludes {option}: another pass does not know" in said
    assert "transform" in roipca.refuse("fit", "x.npy", *METHOD, "--passes", 2, "--scores", "s.npy", code=2)


def test_refine_of_an_exact_model_checks_the_rows_too(roipca, tmp_path, X):
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "other.npy", X + 0.01)
    roipca("fit", "x.npy", "-k", 3, "--method", "exact", "-o", "m")
    before = (tmp_path / "m").read_bytes()
    for passes in (1, "auto"):
        said = roipca.refuse("refine", "m", "other.npy", "--passes", passes)
        assert "other.npy: not the rows of the model: its mean of feature 0 is" in said
    assert (tmp_path / "m").read_bytes() == before
    assert "2 passes over 2000 rows: subspace error about 0.0e+00" in roipca("refine", "m", "x.npy")
    np.testing.assert_array_equal(
        OnlinePCA.load(tmp_path / "m").components_, OnlinePCA(3, method="exact").fit(X).components_
    )


def test_probes_tell_the_error_after_one_pass(roipca, tmp_path, X):
    np.save(tmp_path / "x.npy", X)
    said = roipca("fit", "x.npy", *METHOD, "--probes", 8, "-o", "m")
    assert "subspace error after 1 pass: about" in said
    pca = OnlinePCA(3, method="roipca", oversampling=3, probes=8).fit(X)
    same_model(tmp_path / "m", pca)
    facts = json.loads(roipca("info", "m", "--json"))
    assert facts["probes"] == 8
    assert facts["error_estimate"] == pca.error_estimate_
    assert facts["error_bound"] == pca.error_bound()
    assert sum(facts["component_groups"]) == 3
    assert "after 1 pass" in roipca("info", "m")
    roipca("report", "m", "-o", "r.html")
    assert "analysis of all rows at once" in (tmp_path / "r.html").read_text()
    # A checkpoint keeps them.
    command = ("fit", "x.npy", *METHOD, "--probes", 8, "--checkpoint", "c", "--every", 700)
    roipca(*command, "-o", "whole")
    roipca(*command, "-o", "resumed", "--resume", "c")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_checkpoint_of_any_pass_resumes_to_the_same_bits(roipca, tmp_path):
    X = np.random.default_rng(1).standard_normal((60_000, 30)) * 0.93 ** np.arange(30)
    np.save(tmp_path / "x.npy", X)
    command = ("fit", "x.npy", *METHOD, "--passes", 4, "--checkpoint", "c", "--every", 20_000)
    roipca(*command, "-o", "whole")
    # The last checkpoint of the run is one of its fourth pass.
    assert (tmp_path / "c").read_bytes().startswith(b"roipca-pass1")
    roipca(*command, "-o", "resumed", "--resume", "c")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()
    damaged = bytearray((tmp_path / "c").read_bytes())
    for place in (12, 26, 60, len(damaged) // 2, len(damaged) - 1):
        damaged[place] ^= 1
        (tmp_path / "bad").write_bytes(damaged)
        roipca.refuse("fit", "x.npy", *METHOD, "--passes", 4, "--resume", "bad")
        damaged[place] ^= 1
    np.save(tmp_path / "x.npy", X[::-1])
    assert "differ" in roipca.refuse(*command, "-o", "other", "--resume", "c")


def test_an_interrupt_in_a_later_pass_leaves_a_checkpoint(roipca, tmp_path):
    X = np.random.default_rng(1).standard_normal((100_000, 60)) * 0.93 ** np.arange(60)
    np.save(tmp_path / "x.npy", X)
    command = ("fit", "x.npy", *METHOD, "--passes", 1000)
    process = roipca.start(*command, "--checkpoint", "c", "--every", 50_000, stderr=subprocess.PIPE)
    end = time.monotonic() + 60
    while not (tmp_path / "c").exists() or not (tmp_path / "c").read_bytes().startswith(b"roipca-pass1"):
        assert time.monotonic() < end, "no later pass began"
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == -signal.SIGINT
    said = process.stderr.read()
    assert b"--resume c" in said or said == b""  # at the very beginning of a pass there is nothing new to keep
    assert sorted(os.listdir(tmp_path)) == ["c", "x.npy"]
    roipca("fit", "x.npy", *METHOD, "--passes", 2, "--resume", "c", "-o", "m")
    assert OnlinePCA.load(tmp_path / "m").n_passes_ >= 2


@pytest.mark.parametrize("megabytes", [350, 450, 600])
def test_a_pass_that_lacks_memory_leaves_the_model_of_the_pass_before(roipca, tmp_path, megabytes):
    rng = np.random.default_rng(0)
    rows = scipy.sparse.random_array((2000, 100_000), density=6e-4, format="csr", rng=rng)
    scipy.sparse.save_npz(tmp_path / "a.npz", rows)
    # The second pass keeps products beside the components, which take 80 MB.
    done = roipca.run("fit", "a.npz", "-k", 50, "--passes", 2, "-o", "m", "--max-memory", f"{megabytes}M")
    assert done.returncode == 1
    said = f"pass 2 failed: not enough memory within {megabytes} MB (see --max-memory); m has the model of pass 1\n"
    assert f"model of 2000 rows in m\nroipca: {said}" in done.stderr.decode()
    facts = json.loads(roipca("info", "m", "--json"))
    assert (facts["rows"], facts["passes"]) == (2000, 1)
