"""What each command does, held against NumPy."""

import gzip
import json
import os
import pty
import re
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from numpy_oracle import batch, write_csv
from safetensors import safe_open


def test_a_fit_is_batch_pca_where_features_are_few(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    said = json.loads(roipca("fit", "a.npy", "-k", 3, "-o", "m", "--json"))
    components, variances = batch(rows, 3)
    assert (said["rows"], said["features"], said["components"]) == (300, 40, 3)
    assert said["explained"] == pytest.approx(variances[:3].sum() / variances.sum(), rel=1e-12)
    with safe_open(tmp_path / "m", framework="np") as model:
        held = model.get_tensor("components")[:3]
        np.testing.assert_allclose(model.get_tensor("mean"), rows.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(np.abs(np.sum(held * components, axis=1)), 1.0, rtol=1e-12)


def sources(tmp_path, rows):
    """Files of the same rows, with the options that they need."""
    names = [f"x{i}" for i in range(rows.shape[1])]
    np.save(tmp_path / "c.npy", rows)
    np.save(tmp_path / "fortran.npy", np.asfortranarray(rows))
    np.save(tmp_path / "big.npy", rows.astype(">f8"))
    write_csv(tmp_path / "a.csv", rows, names)
    np.savetxt(tmp_path / "a.tsv", rows, delimiter="\t", fmt="%.17g")
    np.savetxt(tmp_path / "spaces.txt", rows, fmt="%.17g")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress((tmp_path / "a.csv").read_bytes()))
    shape = b"".join(int(n).to_bytes(4, "big") for n in rows.shape)
    idx = b"\0\0\x0e\x02" + shape + rows.astype(">f8").tobytes()
    (tmp_path / "a.idx").write_bytes(idx)
    (tmp_path / "a.idx.gz").write_bytes(gzip.compress(idx))
    (tmp_path / "a.bin").write_bytes(rows.tobytes())
    return {
        **{f: [] for f in ("c.npy", "fortran.npy", "big.npy", "a.csv", "a.tsv", "spaces.txt", "a.csv.gz")},
        "a.idx": [],
        "a.idx.gz": [],
        "a.bin": ["--format", "raw:f64:40"],
    }


def test_every_format_gives_the_same_model_to_the_last_bit(roipca, tmp_path, rows):
    def arrays(path):
        with safe_open(tmp_path / path, framework="np") as model:
            return [model.get_tensor(key).tobytes() for key in sorted(model.keys())]

    files = sources(tmp_path, rows)
    roipca("fit", "c.npy", "-k", 3, "-o", "expected")
    expected = arrays("expected")
    for file, options in files.items():
        roipca("fit", file, "-k", 3, "-o", "m", *options)
        assert arrays("m") == expected, file
        if file != "fortran.npy":
            roipca("fit", "-", "-k", 3, "-o", "m", *options, data=(tmp_path / file).read_bytes())
            assert arrays("m") == expected, file


def test_hdf5_is_read_by_path_and_written(roipca, tmp_path, rows):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("deep/rows", data=rows.astype(np.float32), chunks=(7, 40), compression="gzip")
        file["labels"] = np.arange(300)
    done = roipca.run("fit", "a.h5", "-k", 3, "-o", "m")
    if b"built without HDF5" in done.stderr:
        pytest.skip("this roipca was built without HDF5")
    assert done.returncode == 0, done.stderr
    roipca("fit", "a.h5", "-k", 3, "-o", "m", "--dataset", "deep/rows", "--scores", "s.h5")
    with h5py.File(tmp_path / "s.h5") as file:
        assert file["data"].shape == (300, 3)
    assert "labels" in roipca.refuse("fit", "a.h5", "-k", 3, "-o", "m", "--dataset", "labels")
    assert "none" in roipca.refuse("fit", "a.h5", "-k", 3, "-o", "m", "--dataset", "none")


def test_transform_inverse_and_score_are_those_of_batch_pca(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 3, "-o", "m")
    roipca("transform", "m", "a.npy", "-o", "scores.npy")
    roipca("inverse", "m", "scores.npy", "-o", "back.npy")
    roipca("score", "m", "a.npy", "-o", "unusual.npy")
    components, variances = batch(rows, 3)
    scores = (rows - rows.mean(axis=0)) @ components.T
    back = scores @ components + rows.mean(axis=0)
    np.testing.assert_allclose(np.load(tmp_path / "scores.npy"), scores, atol=1e-9)
    np.testing.assert_allclose(np.load(tmp_path / "back.npy"), back, atol=1e-9)
    t2, spe = np.load(tmp_path / "unusual.npy").T
    np.testing.assert_allclose(t2, np.sum(scores**2 / variances[:3], axis=1), rtol=1e-8)
    np.testing.assert_allclose(spe, np.sum((rows - back) ** 2, axis=1), rtol=1e-8)


def test_scores_go_to_standard_output_as_csv(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 2, "-o", "m")
    roipca("transform", "m", "a.npy", "-o", "s.npy")
    text = roipca("transform", "m", "a.npy")
    assert text.startswith("pc1,pc2\n")
    np.testing.assert_array_equal(np.loadtxt(text.splitlines()[1:], delimiter=","), np.load(tmp_path / "s.npy"))


def test_the_last_scores_of_a_fit_are_those_of_its_model(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 3, "-o", "m", "--scores", "s.npy", "--float32")
    roipca("transform", "m", "a.npy", "-o", "t.npy")
    scores = np.load(tmp_path / "s.npy")
    assert scores.dtype == np.float32 and scores.shape == (300, 3)
    np.testing.assert_array_equal(scores[-1], np.load(tmp_path / "t.npy")[-1])


@pytest.mark.parametrize("fraction", [0.5, 0.9, 0.999])
def test_a_fraction_takes_as_few_components_as_reach_it(roipca, tmp_path, rows, fraction):
    np.save(tmp_path / "a.npy", rows)
    said = json.loads(roipca("fit", "a.npy", "-k", fraction, "--json"))
    _, variances = batch(rows, 1)
    parts = np.cumsum(variances) / variances.sum()
    assert said["components"] == np.searchsorted(parts, fraction, side="right") + 1
    assert json.loads(roipca("info", "model.safetensors", "--json"))["components"] == said["components"]


def test_a_fraction_out_of_reach_says_so(roipca, tmp_path):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "a.npy", rng.standard_normal((300, 1700)))
    done = roipca.run("fit", "a.npy", "-k", 0.99)
    assert done.returncode == 0 and b"give -k as a larger number" in done.stderr
    roipca("info", "model.safetensors")


def test_column_names_travel_into_the_model(roipca, tmp_path, rows):
    evil = "<script>alert(1)</script>"
    names = [evil, "it's", *(f"x{i}" for i in range(38))]
    write_csv(tmp_path / "a.csv", rows, names)
    roipca("fit", "a.csv", "-k", 3, "-o", "m")
    assert json.loads(roipca("info", "m", "--json"))["feature_names"] == names
    text = roipca("inverse", "m", "-", data=b"0,0,0\n")
    assert text.startswith(",".join(names))


def test_rows_with_other_names_are_refused(roipca, tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n3,5\n")
    (tmp_path / "b.csv").write_text("y,x\n1,2\n3,5\n")
    roipca("fit", "a.csv", "-k", 1, "-o", "m")
    assert "names are not those of the model" in roipca.refuse("transform", "m", "b.csv")


def test_models_of_two_halves_merge_into_that_of_all(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows[:100])
    np.save(tmp_path / "b.npy", rows[100:] + 1)
    np.save(tmp_path / "all.npy", np.concatenate([rows[:100], rows[100:] + 1]))
    roipca("fit", "a.npy", "-k", 3, "-o", "a")
    roipca("fit", "b.npy", "-k", 3, "-o", "b")
    assert roipca("merge", "a", "b", "-o", "both") == "300 rows in both\n"
    assert json.loads(roipca("compare", "both", "all.npy", "--json"))["subspace_error"] < 1e-20
    roipca("fit", "a.npy", "-k", 2, "-o", "other")
    assert "cannot merge" in roipca.refuse("merge", "a", "other", "-o", "both2")


def test_merge_lets_the_rows_of_earlier_models_fade(roipca, tmp_path, rows):
    days = np.split(rows, 3)
    for day, part in zip("abc", days, strict=True):
        np.save(tmp_path / f"{day}.npy", part + ord(day))
        roipca("fit", f"{day}.npy", "-k", 3, "--forgetting", 0.99, "-o", day)
    assert "unless decay is given" in roipca.refuse("merge", "a", "b", "c", "-o", "all")
    for wrong in ("0", "1.5", "x", "nan"):
        assert "--decay" in roipca.refuse("merge", "a", "b", "c", "--decay", wrong, "-o", "all", code=2)
    roipca("merge", "a", "b", "c", "--decay", 0.5, "-o", "all")
    X = np.concatenate([part + ord(day) for day, part in zip("abc", days, strict=True)])
    faded = 0.99 ** np.arange(99, -1, -1)
    weights = np.concatenate([0.25 * faded, 0.5 * faded, faded])
    spectrum = np.linalg.eigvalsh(np.cov(X.T, aweights=weights))[::-1]
    shown = json.loads(roipca("info", "all", "--json"))
    np.testing.assert_allclose(shown["explained_variance"], spectrum[:3], rtol=1e-6)


def test_compare_shows_angles(roipca, tmp_path):
    np.save(tmp_path / "a.npy", np.array([[1.0, 0.0], [-1.0, 0.0]]))
    np.save(tmp_path / "b.npy", np.array([[1.0, 1.0], [-1.0, -1.0]]))
    roipca("fit", "a.npy", "-k", 1, "-o", "a")
    roipca("fit", "b.npy", "-k", 1, "-o", "b")
    said = json.loads(roipca("compare", "a", "b", "--json"))
    assert said["principal_angles_degrees"] == pytest.approx([45.0])
    assert said["subspace_error"] == pytest.approx(1.0)


@pytest.mark.parametrize("header", ["0,1,2", "2001,2002,2003,2004", "7 8 9"])
def test_a_first_line_that_counts_columns_is_read_as_data_with_a_warning(roipca, tmp_path, header):
    (tmp_path / "a.csv").write_text(f"# years\n{header}\n" + 2 * (header.replace("2", "5") + "\n"))
    done = roipca.run("fit", "a.csv", "-k", 1, "-o", "m", "--passes", 2, "--json")
    assert json.loads(done.stdout)["rows"] == 3
    assert done.stderr.decode() == (
        "roipca: a.csv: line 2 was read as a row of data: use --header yes if it has column names, or --header no\n"
    )
    assert json.loads(roipca("fit", "a.csv", "-k", 1, "-o", "m", "--header", "yes", "--json"))["rows"] == 2
    assert json.loads(roipca("fit", "a.csv", "-k", 1, "-o", "m", "--header", "no", "--json"))["rows"] == 3


@pytest.mark.parametrize(
    "first",
    ["1,2", "1,2,4", "3,2,1", "1.0,2.0,3.0", "-1,0,1", "5,5,5", "a,b,c", f"{2**63 - 1},{2**63 - 1},1"],
)
def test_a_first_line_that_does_not_count_columns_needs_no_warning(roipca, tmp_path, first):
    columns = first.count(",") + 1
    (tmp_path / "a.csv").write_text(first + "\n" + ",".join(["4", "7", "1"][:columns]) + "\n")
    roipca("fit", "a.csv", "-k", 1)


def test_bad_rows_are_skipped_on_request_and_counted(roipca, tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\nnan,3\n3,4\nfour,5\n6\n7,7\n")
    assert "a.csv: line 3: NaN in column 1 (x)" in roipca.refuse("fit", "a.csv", "-k", 1)
    done = roipca.run("fit", "a.csv", "-k", 1, "--on-bad-row", "skip", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["rows"] == 3 and json.loads(done.stdout)["skipped"] == 3
    assert b"skipped 3 bad rows" in done.stderr and b"line 6: 1 fields" in done.stderr


@pytest.mark.parametrize("options", [[], ["--passes", 2], ["--threads", 2], ["--standardize"]])
def test_bad_rows_of_several_blocks_make_no_difference_to_the_model(roipca, tmp_path, options):
    rows = np.random.default_rng(0).standard_normal((60000, 20))
    np.save(tmp_path / "good.npy", rows)
    places = [0, 777, 20000, 20001, 59999, 60004]
    bad = np.insert(rows, np.array(places) - np.arange(6), 1.0, axis=0)
    bad[places, 3] = [np.nan, np.inf, -np.inf, 1e200, np.nan, np.nan]
    np.save(tmp_path / "bad.npy", bad)
    fit = ["-k", 3, "--method", "roipca", *options, "-o"]
    roipca("fit", "good.npy", *fit, "good")
    done = roipca.run("fit", "bad.npy", *fit, "bad", "--on-bad-row", "skip", "--json")
    assert json.loads(done.stdout)["skipped"] == 6
    assert b"bad.npy: row 777: infinity in column 4" in done.stderr
    assert (tmp_path / "bad").read_bytes() == (tmp_path / "good").read_bytes()
    np.save(tmp_path / "late.npy", bad[1:777 + 30000])
    assert "late.npy: row 776: infinity in column 4" in roipca.refuse("fit", "late.npy", *fit, "bad")


def test_scores_have_the_numbers_of_their_rows_where_bad_rows_are_skipped(roipca, tmp_path):
    rows = np.random.default_rng(0).standard_normal((100, 5))
    rows[[3, 50], 1] = np.nan
    np.save(tmp_path / "a.npy", rows)
    done = roipca.run("fit", "a.npy", "-k", 2, "--on-bad-row", "skip", "--scores", "s.csv", "--number-rows")
    assert done.returncode == 0
    numbers = [int(line.split(",")[0]) for line in (tmp_path / "s.csv").read_text().splitlines()[1:]]
    assert numbers == [i for i in range(100) if i not in (3, 50)]


def test_options_reach_the_library(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    method = ["--method", "froipca", "--mu", "0.5", "--tau", "optimal", "--forgetting", "0.99", "--no-center"]
    roipca("fit", "a.npy", "-k", 3, "--float32", "--threads", 1, *method)
    info = json.loads(roipca("info", "model.safetensors", "--json"))
    expected = {"method": "froipca", "mu": "0.5", "tau": "optimal", "forgetting": 0.99, "center": False}
    assert expected.items() <= info.items() and info["dtype"] == "float32"
    assert "froipca" in roipca("info", "model.safetensors")


COMMANDS = (
    *("fit", "refine", "transform", "inverse", "impute", "score", "info", "export", "merge", "compare"),
    *("report", "watch", "demo", "completions", "manual"),
)


@pytest.mark.parametrize("command", [[], *([command] for command in COMMANDS)])
def test_help_fits_a_terminal_of_80_columns_and_24_lines_per_group(roipca, command):
    text = roipca(*command, "--help")
    assert max(map(len, text.splitlines())) <= 80
    assert max(group.count("\n") + 1 for group in text.split("\n\n")) <= 24
    assert not command or "Example: " in text


def test_the_demo_runs_its_commands_in_little_memory_and_leaves_a_report(roipca):
    text = roipca("demo", "--features", 20, "-k", 2, "--rows", 200, "--megabytes", 80, "--folder", "shown")
    for command in ("ulimit -d 65536", "roipca fit shown/frames.npy", "roipca info shown/", "roipca report shown/"):
        assert f"$ {command}" in text, text
    assert "roipca by blocks" in text
    peaks = [float(peak) for peak in re.findall(r"s, (\d+) MB of memory at most", text)]
    assert len(peaks) == 3 and max(peaks) <= 64, text
    page = Path(text.splitlines()[-1].split("report page: ")[1])
    assert page == roipca.folder / "shown" / "frames.html" and page.stat().st_size > 10_000
    assert sorted(os.listdir(roipca.folder / "shown")) == ["frames.html", "frames.safetensors"]

    # Waves of 100 / n^(3/2), and noise: 20,480 frames tell a variance to about 1 %, four times that at most.
    variance = json.loads(roipca("info", "shown/frames.safetensors", "--json"))["explained_variance"]
    np.testing.assert_allclose(variance, 100 / np.arange(1, 10) ** 1.5, rtol=0.04)


def test_progress_is_for_terminals_only(roipca, tmp_path):
    def feed(process):
        for _ in range(3):
            process.stdin.write(b"1,2\n3,5\n" * 200000)
            process.stdin.flush()
            time.sleep(0.3)
        process.stdin.close()

    process = roipca.start("fit", "-", "-k", 1, "-o", "m", stdin=subprocess.PIPE)
    feed(process)
    assert process.stderr.read() == b"" and process.wait() == 0
    master, terminal = pty.openpty()
    process = roipca.start("fit", "-", "-k", 1, "-o", "m", stdin=subprocess.PIPE, stderr=terminal)
    feed(process)
    assert process.wait() == 0
    os.close(terminal)
    assert b"rows/s" in os.read(master, 10000)
    os.close(master)


@pytest.mark.parametrize("arguments", [["fit", "a.npy", "-k", "3"], ["merge", "m", "m2"]])
def test_a_model_goes_to_standard_output(roipca, tmp_path, rows, arguments):
    np.save(tmp_path / "a.npy", rows)
    for model in ("m", "m2"):
        roipca("fit", "a.npy", "-k", 3, "-o", model)
    roipca(*arguments, "-o", "file")
    done = roipca.run(*arguments, "-o", "-")
    assert done.returncode == 0 and done.stdout == (tmp_path / "file").read_bytes()
    assert not (tmp_path / "-").exists()
    assert "two outputs" in roipca.refuse("fit", "a.npy", "-k", 3, "-o", "-", "--scores", "-", code=2)
    master, terminal = pty.openpty()
    assert roipca.start(*arguments, "-o", "-", stdout=terminal).wait() == 2
    os.close(terminal)
    os.close(master)


def cpu_seconds_of_a_slow_fit(roipca, stderr):
    """Processor time of a fit whose rows arrive over four seconds."""
    command = ["fit", "-", "-k", 3, "-o", "m", "--method", "exact", "--format", "raw:f64:700"]
    process = roipca.start(*command, stdin=subprocess.PIPE, stderr=stderr)
    block = np.random.default_rng(0).standard_normal((400, 700)).tobytes()
    for _ in range(20):
        process.stdin.write(block)
        process.stdin.flush()
        time.sleep(0.2)
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    assert status == 0
    return usage.ru_utime + usage.ru_stime


def test_the_progress_line_costs_next_to_nothing(roipca):
    plain = cpu_seconds_of_a_slow_fit(roipca, subprocess.DEVNULL)
    master, terminal = pty.openpty()
    shown = cpu_seconds_of_a_slow_fit(roipca, terminal)
    os.close(terminal)
    assert b"rows/s" in os.read(master, 10000)
    os.close(master)
    # A model of 700 features takes about as long as the rest of the run; one per second would be four of them.
    assert shown < 1.5 * plain + 0.2, (shown, plain)


def cpu_seconds(roipca, *arguments):
    """Processor time of a run, with its child processes."""
    process = roipca.start(*arguments)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    assert status == 0
    return usage.ru_utime + usage.ru_stime


def test_hdf5_chunks_of_whole_columns_are_decompressed_once(roipca, tmp_path):
    h5py = pytest.importorskip("h5py")
    rows = np.random.default_rng(0).standard_normal((100_000, 40))
    np.save(tmp_path / "a.npy", rows)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("rows", data=rows, chunks=(100_000, 1), compression="gzip", compression_opts=1)
    began = time.process_time()
    with h5py.File(tmp_path / "a.h5") as file:
        assert file["rows"][:].shape == rows.shape
    decompression = time.process_time() - began
    plain = cpu_seconds(roipca, "fit", "a.npy", "-k", 2, "-o", "m")
    chunked = cpu_seconds(roipca, "fit", "a.h5", "-k", 2, "-o", "m2")
    # Block by block it would be 16 times.
    assert chunked < plain + 4 * decompression + 0.3, (chunked, plain, decompression)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "m2").read_bytes()


def test_score_writes_limits_and_flags(roipca, tmp_path, rows):
    odd = rows.copy()
    odd[7, 3] += 100
    np.save(tmp_path / "a.npy", rows)
    np.save(tmp_path / "odd.npy", odd)
    roipca("fit", "a.npy", "-k", 6, "-o", "m")
    lines = roipca("score", "m", "odd.npy", "--confidence", "0.999").splitlines()
    assert lines[0] == "t2,spe,t2_limit,spe_limit,beyond"
    table = np.array([[float(field) for field in line.split(",")] for line in lines[1:]])
    t2, spe, t2_limit, spe_limit, beyond = table.T
    np.testing.assert_array_equal(beyond, (t2 > t2_limit) | (spe > spe_limit))
    assert beyond[7] == 1 and beyond.mean() < 0.05
    box = roipca("score", "m", "odd.npy", "--confidence", "0.999", "--spe-limit", "box").splitlines()
    assert float(box[1].split(",")[3]) != spe_limit[0]
    for wrong in (
        "--confidence 99",
        "--confidence 0.99 --t2-limit box",
        "--confidence 0.9 --spe-limit x",
        "--follow -o s.csv",
    ):
        roipca.refuse("score", "m", "odd.npy", *wrong.split(), code=2)


def test_score_writes_each_row_as_it_comes(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 6, "-o", "m")
    process = roipca.start("score", "m", "-", "--follow", stdin=subprocess.PIPE)
    line = (",".join(map(str, rows[0])) + "\n").encode()
    process.stdin.write(line)
    process.stdin.flush()
    assert process.stdout.readline() == b"t2,spe\n"
    first = process.stdout.readline()  # while the pipe is open
    process.stdin.write(line)
    process.stdin.flush()
    assert process.stdout.readline() == first
    process.stdin.close()
    assert process.wait(10) == 0
    process.stdout.close()
    process.stderr.close()
