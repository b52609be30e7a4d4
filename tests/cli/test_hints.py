"""Messages that name the data, what is wrong with it, and what to do."""

from __future__ import annotations

import gzip
import lzma

import numpy as np
import pytest
import scipy.sparse

WATCH = ("--port", 0, "--no-follow")
NAMES = ["a", "b", "c", "d"]


def table(path, names: list[str], *, time: bool = False, n: int = 30) -> None:
    """Random numbers, after a column of times."""
    rng = np.random.default_rng(0)
    lines = [",".join((["time"] if time else []) + names)]
    for i in range(n):
        numbers = [f"{x:.6f}" for x in rng.standard_normal(len(names))]
        lines.append(",".join(([f"2026-01-01 00:00:{i:02}"] if time else []) + numbers))
    path.write_text("\n".join(lines) + "\n")


def last_line(done) -> str:
    assert done.returncode == 1, (done.returncode, done.stderr)
    return done.stderr.decode().splitlines()[-1]


@pytest.fixture
def plant(roipca, tmp_path):
    table(tmp_path / "plant.csv", NAMES)
    roipca("fit", "plant.csv", "-k", 2, "-o", "plant.safetensors")


def test_watch_names_the_data_that_does_not_fit_its_model_and_the_remedy(roipca, tmp_path, plant):
    table(tmp_path / "today.csv", NAMES, time=True)
    wanted = (
        "roipca: today.csv: rows of 5 numbers, but the model has 4 features"
        '; it has no feature "time" (leave columns out with --id or --exclude)'
    )
    assert last_line(roipca.run("watch", "today.csv", "--start", "plant.safetensors", *WATCH)) == wanted
    assert last_line(roipca.run("score", "plant.safetensors", "today.csv")) == wanted


TIME = (
    'times.csv: line 2: column 1 (time): "2026-01-01 00:00:00" is not a number '
    "(if the column is a time or a name, use --id time or --exclude time)"
)


def test_a_column_of_times_is_refused_with_the_remedy(roipca, tmp_path):
    table(tmp_path / "times.csv", NAMES, time=True)
    assert roipca.refuse("fit", "times.csv", "-k", 3) == f"roipca: {TIME}\n"
    for option in ("--id", "--exclude"):
        roipca("fit", "times.csv", "-k", 3, "-o", "m", option, "time")


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_if_all_rows_were_skipped_the_error_says_why(roipca, tmp_path, quiet):
    table(tmp_path / "times.csv", NAMES, time=True)
    wanted = f"roipca: no rows are left: 30 bad rows were skipped; the first: {TIME}"
    assert last_line(roipca.run("fit", "times.csv", "-k", 3, "--on-bad-row", "skip", *quiet)) == wanted
    assert last_line(roipca.run("watch", "times.csv", "-k", 3, *WATCH, *quiet)) == wanted


def test_the_remedy_names_a_column_as_an_option_takes_it(roipca, tmp_path):
    rest = "is not a number (if the column is a time or a name, use"
    (tmp_path / "a.csv").write_text("a,the time\n1,x\n2,y\n")
    assert f"{rest} --id 2 or --exclude 2)" in roipca.refuse("fit", "a.csv", "-k", 1)
    (tmp_path / "a.csv").write_text("a,x\n1,x\n2,y\n")
    assert f"{rest} --id x or --exclude x)" in roipca.refuse("fit", "a.csv", "-k", 1)
    (tmp_path / "a.csv").write_text("10:30,1.5,2.5\n10:40,1,2\n")
    said = roipca.refuse("fit", "a.csv", "-k", 1)
    assert (
        'line 1: column 1: "10:30" is not a number (if this line has column names, use --header yes; '
        "if the column is a time or a name, use --id 1 or --exclude 1)\n"
    ) in said


def test_a_bad_number_after_good_ones_is_no_column_of_names(roipca, tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n3,oops\n")
    assert roipca.refuse("fit", "a.csv", "-k", 1).endswith('column 2 (b): "oops" is not a number\n')


def test_missing_values_are_refused_with_the_option_that_takes_them(roipca, tmp_path, plant):
    rows = np.random.default_rng(0).standard_normal((50, 4))
    rows[7, 3] = np.nan
    np.save(tmp_path / "a.npy", rows)
    wanted = "a.npy: row 7: NaN in column 4 (to fill gaps, {} --missing impute)"
    assert wanted.format("fit with") in roipca.refuse("fit", "a.npy", "-k", 2)
    assert wanted.format("fit with") in roipca.refuse("score", "plant.safetensors", "a.npy")
    strict = (*WATCH, "--on-bad-row", "error")
    assert wanted.format("give") in last_line(roipca.run("watch", "a.npy", "-k", 2, *strict))
    # The model decides about gaps.
    said = last_line(roipca.run("watch", "a.npy", "--start", "plant.safetensors", *strict))
    assert wanted.format("fit with") in said
    for field in ("", "NA", "nan"):
        (tmp_path / "a.csv").write_text(f"a,b\n1,2\n2,{field}\n3,5\n")
        assert "(to fill gaps, fit with --missing impute)" in roipca.refuse("fit", "a.csv", "-k", 1), field
        said = last_line(roipca.run("watch", "a.csv", "-k", 1, *strict))
        assert "(to fill gaps, give --missing impute)" in said, field


def test_sparse_rows_get_no_hint_at_missing_values_which_they_cannot_have(roipca, tmp_path):
    rows = scipy.sparse.csr_matrix(np.array([[1.0, 0.0], [np.nan, 2.0]]))
    scipy.sparse.save_npz(tmp_path / "a.npz", rows)
    assert roipca.refuse("fit", "a.npz", "-k", 1).endswith("row 1: NaN in column 1\n")


@pytest.mark.parametrize(
    "names, difference",
    [
        (["a", "c", "b", "d"], 'only the order differs: feature 2 is "c" instead of "b"'),
        (["a", "b", "x", "d"], 'it has no feature "x"'),
        (["a", "b", "c", "d", "e"], 'it has no feature "e" (leave columns out with --id or --exclude)'),
        (["a", "b", "d"], 'its feature "c" is missing'),
        (["a", "b", "d", "d"], 'its feature "c" is missing'),
    ],
)
def test_columns_that_are_not_those_of_the_model_are_named(roipca, tmp_path, plant, names, difference):
    table(tmp_path / "new.csv", names)
    for command in (
        ("score", "plant.safetensors", "new.csv"),
        ("transform", "plant.safetensors", "new.csv"),
        ("watch", "new.csv", "--start", "plant.safetensors", *WATCH),
    ):
        said = last_line(roipca.run(*command))
        assert said.startswith("roipca: new.csv: ")
        assert said.endswith(f"; {difference}"), command


def test_a_second_file_with_other_columns_is_told_from_the_first(roipca, tmp_path):
    table(tmp_path / "one.csv", NAMES)
    for names, difference in (
        (["a", "c", "b", "d"], 'only the order differs: feature 2 is "c" instead of "b"'),
        (["a", "b", "x", "d"], 'feature 3 is "x" instead of "c"'),
    ):
        table(tmp_path / "two.csv", names)
        said = roipca.refuse("fit", "one.csv", "two.csv", "-k", 1)
        assert said == f"roipca: two.csv: its column names are not those of one.csv; {difference}\n"


@pytest.mark.parametrize("pack, cut", [(gzip.compress, "gzip"), (lzma.compress, "xz")])
def test_a_packed_file_that_is_cut_off_says_how_far_it_goes(roipca, tmp_path, pack, cut):
    text = "".join(f"{a:.17f},{b:.17f}\n" for a, b in np.random.default_rng(0).random((50_000, 2))).encode()
    (tmp_path / "a.csv").write_bytes(pack(text)[:-100])
    said = roipca.refuse("fit", "a.csv", "-k", 1)
    there = int(said.removeprefix(f"roipca: a.csv: the {cut} file is cut off after ").removesuffix(" unpacked bytes\n"))
    assert len(text) - 1000 < there < len(text)
    (tmp_path / "a.csv").write_bytes(pack(text)[:40])
    assert f"the {cut} file is cut off" in roipca.refuse("fit", "a.csv", "-k", 1)
