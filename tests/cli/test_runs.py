"""Options that say how much a run reads and what it prints."""

import json
import os
import pty

import numpy as np
import pytest
from numpy_oracle import batch, write_csv


@pytest.fixture
def files(tmp_path, rows):
    for i, part in enumerate(np.split(rows, 3)):
        np.save(tmp_path / f"part {i}.npy", part)
    np.save(tmp_path / "all.npy", rows)


def test_a_quiet_run_prints_nothing_but_results(roipca, tmp_path, rows, files):
    (tmp_path / "bad.csv").write_text("1,2\nno,3\n3,4\n5,7\n")
    skip = ["--on-bad-row", "skip"]
    assert roipca("fit", "bad.csv", "-k", 1, "-o", "m", "-q", *skip) == ""
    assert roipca("score", "m", "bad.csv", "--quiet", *skip).startswith("t2,spe\n")
    assert roipca("refine", "m", "bad.csv", "--quiet", *skip) == ""
    assert roipca("merge", "m", "m", "-o", "m2", "--quiet") == ""
    assert roipca("report", "m", "--quiet") == ""
    assert json.loads(roipca("fit", "all.npy", "-k", 1, "-o", "m", "-q", "--json"))["rows"] == 300
    master, terminal = pty.openpty()
    assert roipca.start("fit", "all.npy", "-k", 3, "-o", "m", "-q", stdout=terminal, stderr=terminal).wait() == 0
    os.write(terminal, b"end")
    assert os.read(master, 1000) == b"end"
    os.close(terminal)
    os.close(master)
    assert "no such file" in roipca.refuse("fit", "none.npy", "-k", 1, "-o", "m", "--quiet").lower()


def test_a_dry_run_says_what_it_would_do_and_writes_nothing(roipca, tmp_path, rows, files):
    roipca("fit", "all.npy", "-k", 3, "-o", "m")
    write_csv(tmp_path / "a.csv", rows, [f"x{i}" for i in range(40)])
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    said = roipca("fit", "part 0.npy", "part 1.npy", "-k", 3, "--dry-run", "--scores", "s.npy")
    assert said == (
        "part 0.npy: 100 rows of 40 columns\npart 1.npy: 100 rows of 40 columns\n"
        "would learn 3 components and write model.safetensors\n"
    )
    said = roipca("transform", "m", "a.csv", "--columns", "1-40", "--dry-run", "-o", "s.csv")
    assert said == "a.csv: rows of 40 columns\nwould write s.csv\n"
    assert "would write standard output" in roipca("score", "m", "all.npy", "--dry-run")
    assert "300 rows" in roipca("refine", "m", "all.npy", "--dry-run")
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == before


def test_a_dry_run_finds_what_a_run_would_fail_for(roipca, tmp_path, files):
    np.save(tmp_path / "other.npy", np.ones((3, 4)))
    roipca("fit", "other.npy", "-k", 1, "-o", "m")
    dry = "--dry-run"
    assert "4 columns" in roipca.refuse("fit", "all.npy", "other.npy", "-k", 1, dry)
    assert "No such file" in roipca.refuse("fit", "all.npy", "none.npy", "-k", 1, dry)
    assert "folder" in roipca.refuse("fit", "all.npy", "-k", 1, "-o", "none/m", dry)
    assert "has only 4" in roipca.refuse("fit", "other.npy", "-k", 9, dry, code=2).replace("have", "has")
    assert "4 features" in roipca.refuse("score", "m", "all.npy", dry)


@pytest.mark.parametrize("limit", [1, 100, 150, 299, 300, 1000])
def test_a_run_stops_after_the_rows_it_may_read(roipca, tmp_path, rows, files, limit):
    names = ["part 0.npy", "part 1.npy", "part 2.npy"]
    said = json.loads(roipca("fit", *names, "-k", 2, "-o", "m", "--max-rows", limit, "--json"))
    used = rows[:limit]
    assert said["rows"] == len(used)
    if limit == 1:
        return
    _, variances = batch(used, 2)
    found = json.loads(roipca("info", "m", "--json"))["explained_variance"]
    np.testing.assert_allclose(found, variances[:2], rtol=1e-10)
    ids = roipca("transform", "m", "all.npy", "--number-rows", "--max-rows", limit).splitlines()[1:]
    assert len(ids) == len(used) and ids[-1].startswith(f"{len(used) - 1},")


def test_bad_rows_beyond_the_last_row_to_read_do_not_matter(roipca, tmp_path):
    (tmp_path / "a.csv").write_text("1,2\n2,5\nno,no\n3,4\nbad\n")
    assert json.loads(roipca("fit", "a.csv", "-k", 1, "-o", "m", "--max-rows", 2, "--json"))["skipped"] == 0
    done = roipca.run("fit", "a.csv", "-k", 1, "-o", "m", "--max-rows", 3, "--json", "--on-bad-row", "skip")
    assert json.loads(done.stdout)["rows"] == 3 and json.loads(done.stdout)["skipped"] == 1


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\0"])
def test_files_come_from_a_list(roipca, tmp_path, files, separator):
    names = [f"part {i}.npy" for i in range(3)]
    (tmp_path / "list").write_text(separator.join([*names[1:], ""]), newline="")
    roipca("fit", "all.npy", "-k", 3, "-o", "whole")
    roipca("fit", names[0], "--files-from", "list", "-k", 3, "-o", "m")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()
    listed = separator.join(names).encode()
    roipca("fit", "--files-from", "-", "-k", 3, "-o", "m", data=listed)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()
    assert roipca("transform", "m", "--files-from", "-", data=listed) == roipca("transform", "m", "all.npy")


def test_lists_of_files_that_make_no_sense_are_refused(roipca, tmp_path, files):
    (tmp_path / "empty").write_text("\n\n")
    assert "the list has no files" in roipca.refuse("fit", "--files-from", "empty", "-k", 1)
    assert "only once" in roipca.refuse("fit", "-", "--files-from", "-", "-k", 1, code=2)
    assert "--files-from" in roipca.refuse("fit", "-k", 1, code=2)
    (tmp_path / "list").write_text("all.npy\n")
    assert "is an input" in roipca.refuse("fit", "--files-from", "list", "-k", 1, "-o", "all.npy", code=2)


def table(text):
    lines = [line.split(",") for line in text.splitlines()]
    return lines[0], [line[0] for line in lines[1:]], np.array([line[1:] for line in lines[1:]], dtype=float)


def test_a_model_is_exported_as_tables(roipca, tmp_path, rows):
    names = [f"x{i}" for i in range(39)] + ["the last"]
    write_csv(tmp_path / "a.csv", rows, names)
    roipca("fit", "a.csv", "-k", 3, "-o", "m")
    components, variances = batch(rows, 3)
    heading, features, numbers = table(roipca("export", "m"))
    assert heading == ["feature", "pc1", "pc2", "pc3"] and features == names
    np.testing.assert_allclose(np.abs(np.sum(numbers.T * components, axis=1)), 1, rtol=1e-12)
    heading, features, numbers = table(roipca("export", "m", "--table", "mean"))
    assert heading == ["feature", "mean"] and features == names
    np.testing.assert_allclose(numbers[:, 0], rows.mean(axis=0), rtol=1e-13)
    heading, kinds, numbers = table(roipca("export", "m", "--table", "spectrum"))
    assert heading == ["component", "variance", "ratio", "cumulative"] and kinds == ["pc1", "pc2", "pc3"]
    parts = variances[:3] / variances.sum()
    np.testing.assert_allclose(numbers, np.transpose([variances[:3], parts, np.cumsum(parts)]), rtol=1e-10)


def test_exports_of_standardized_models_and_checkpoints(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 3, "--standardize", "-o", "m", "--checkpoint", "c", "--every", 1)
    heading, features, numbers = table(roipca("export", "c", "--table", "mean"))
    assert heading == ["feature", "mean", "scale"] and features[:2] == ["x1", "x2"]
    np.testing.assert_allclose(numbers[:, 1], rows.std(axis=0, ddof=1), rtol=1e-10)
    roipca("export", "m", "-o", "loadings.npy")
    assert np.load(tmp_path / "loadings.npy").shape == (40, 3)
    roipca("export", "m", "-o", "loadings.tsv")
    assert (tmp_path / "loadings.tsv").read_text().startswith("feature\tpc1\t")


def checkpoint_of_the_first(roipca, tmp_path, rows, number, files, *options):
    """Leaves in `c` the checkpoint of a run that has seen the first rows of the files."""
    roipca("fit", *files, "-k", 2, "-o", "part", "--checkpoint", "c", "--every", 1, "--max-rows", number, *options)


@pytest.mark.parametrize("kind", ["c.npy", "fortran.npy", "a.bin", "a.h5", "chosen"])
def test_resuming_does_not_read_the_rows_that_were_seen(roipca, tmp_path, kind):
    h5py = pytest.importorskip("h5py")
    rows = np.random.default_rng(0).standard_normal((60_000, 8)) * np.arange(1, 9)
    options = {"a.bin": ["--format", "raw:f64:8"], "chosen": ["--exclude", "3"]}.get(kind, [])

    def write(data):
        np.save(tmp_path / "c.npy", data)
        np.save(tmp_path / "chosen", data)
        os.replace(tmp_path / "chosen.npy", tmp_path / "chosen")
        np.save(tmp_path / "fortran.npy", np.asfortranarray(data))
        (tmp_path / "a.bin").write_bytes(data.tobytes())
        with h5py.File(tmp_path / "a.h5", "w") as file:
            file.create_dataset("rows", data=data, chunks=(1000, 8))

    write(rows)
    roipca("fit", kind, "-k", 2, "-o", "whole", *options)
    checkpoint_of_the_first(roipca, tmp_path, rows, 50_000, [kind], *options)
    rows[40_000:50_000] = np.nan  # which a run that reads them refuses
    write(rows)
    assert "NaN" in roipca.refuse("fit", kind, "-k", 2, *options)
    roipca("fit", kind, "-k", 2, "-o", "m", "--resume", "c", "--checkpoint", "c2", "--every", 1, *options)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()
    roipca("fit", kind, "-k", 2, "-o", "m", "--resume", "c2", *options)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize("seen", [35_000, 40_000, 60_000, 65_000])
def test_a_run_over_several_files_resumes_in_any_of_them(roipca, tmp_path, seen):
    rows = np.random.default_rng(0).standard_normal((70_000, 8)) * np.arange(1, 9)
    np.save(tmp_path / "a.npy", rows[:40_000])
    write_csv(tmp_path / "b.csv", rows[40_000:60_000], [f"x{i}" for i in range(8)])
    np.save(tmp_path / "c.npy", rows[60_000:])
    files = ["a.npy", "b.csv", "c.npy"]
    roipca("fit", *files, "-k", 2, "-o", "whole")
    checkpoint_of_the_first(roipca, tmp_path, rows, seen, files)
    roipca("fit", *files, "-k", 2, "-o", "m", "--resume", "c")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()


def test_resuming_reads_rows_again_where_bad_ones_are_skipped(roipca, tmp_path):
    rows = np.random.default_rng(0).standard_normal((60_000, 8)) * np.arange(1, 9)
    rows[::100, 3] = np.nan
    np.save(tmp_path / "a.npy", rows)
    skip = ["--on-bad-row", "skip", "--quiet"]
    roipca("fit", "a.npy", "-k", 2, "-o", "whole", *skip)
    checkpoint_of_the_first(roipca, tmp_path, rows, 50_000, ["a.npy"], *skip)
    roipca("fit", "a.npy", "-k", 2, "-o", "m", "--resume", "c", *skip)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()
