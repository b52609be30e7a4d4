"""Bad data and wrong usage: the exit code, one line that says what is wrong, and no file left behind."""

import gzip
import io
import os
import resource
from pathlib import Path

import h5py
import numpy as np
import pytest

NPY_HEADER = b"\x93NUMPY\x01\x00\x76\x00"


@pytest.fixture
def model(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 3, "-o", "m")
    return tmp_path / "m"


def npy(dictionary):
    return NPY_HEADER + dictionary.encode().ljust(0x75) + b"\n"


def hdf5(written, shape):
    """The bytes of a file whose only dataset says to have another shape than was written."""
    whole = io.BytesIO()
    with h5py.File(whole, "w") as file:
        file["rows"] = np.ones(written)
    was, said = (np.array(s, "<u8").tobytes() for s in (written, shape))
    assert was in whole.getvalue()
    return whole.getvalue().replace(was, said)


def found_by_fuzzing(name):
    return Path(__file__).parents[1].joinpath("fuzz/corpus/hdf5", name).read_bytes()


MALFORMED = {
    "ragged.csv": (b"1,2\n3,4\n5\n", "line 3: 1 fields where the first line has 2"),
    "text.csv": (b"x,y\n1,2\n3,oops\n", 'line 3: column 2 (y): "oops" is not a number'),
    "hole.csv": (b"x,y\n1,\n", "line 2: column 2 (y) is empty"),
    "quote.csv": (b'1,2\n"3,4\n', "line 2: a quoted field never ends"),
    "nan.csv": (b"1,2\nnan,3\n", "line 2: NaN in column 1"),
    "header.csv": (b"x,y\n", "no rows"),
    "absurd.npy": (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 9999999999), }"), "absurd"),
    "cut.npy": (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }") + bytes(40), "row 2: "),
    "object.npy": (npy("{'descr': '|O', 'fortran_order': False, 'shape': (3, 2), }"), "Python objects"),
    "junk.npy": (NPY_HEADER + b"junk", "npy header is cut off"),
    "cut.idx": (b"\0\0\x08\x02\0\0\0\x02\0\0\0\x02abc", "row 1: "),
    "cut.csv.gz": (gzip.compress(b"1,2\n" * 1000)[:-9], "gzip file is cut off"),
    "damaged.h5": (b"\x89HDF\r\n\x1a\n" + bytes(50), "HDF5"),
    "short.h5": (hdf5((3, 2), (2000, 2)), "row 0: HDF5 cannot read this and the 1999 that follow"),
    "wide.h5": (hdf5((3, 2), (3, 2**50)), "the shape is absurd"),
    "crash.h5": (found_by_fuzzing("crash.h5"), "HDF5"),
    "precision.h5": (found_by_fuzzing("precision.h5"), "no dataset of numbers"),
    "unreadable.h5": (hdf5((3, 2), (2**63, 2)), 'cannot read the header of the dataset "rows"'),
    "empty": (b"", "empty"),
    "binary": (b"\1\0\2\0\3", "no known format"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_errors_for_malformed_data_name_file_position_and_reason(roipca, tmp_path, name):
    content, reason = MALFORMED[name]
    (tmp_path / name).write_bytes(content)
    said = roipca.refuse("fit", name, "-k", 1, "-o", "m", "--scores", "s.csv")
    assert said.startswith(f"roipca: {name}: ") and reason in said
    if not name.endswith(".h5"):
        said = roipca.refuse("fit", "-", "-k", 1, "-o", "m", data=content)
        assert said.startswith("roipca: standard input: ")


def test_files_that_cannot_be_read_are_named(roipca, tmp_path):
    assert roipca.refuse("fit", "none.npy", "-k", 1) == (
        "roipca: none.npy: cannot open: No such file or directory\n"
    )
    (tmp_path / "folder").mkdir()
    assert roipca.refuse("fit", "folder", "-k", 1) == "roipca: folder: Is a directory\n"
    if os.geteuid() != 0:
        (tmp_path / "secret.npy").touch(mode=0)
        assert "Permission denied" in roipca.refuse("fit", "secret.npy", "-k", 1)


def test_a_full_disk_leaves_nothing(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", np.tile(rows, (100, 1)))

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    said = roipca.refuse("fit", "a.npy", "-k", 3, "--scores", "s.npy", preexec_fn=limit)
    assert "s.npy: cannot write: File too large" in said
    said = roipca.refuse("fit", "a.npy", "-k", 40, "-o", "m", preexec_fn=limit)
    assert "m: cannot write: File too large" in said
    with open("/dev/full", "wb") as full:
        done = roipca.start("fit", "a.npy", "-k", 3, "-o", "/dev/full", stdout=full)
        assert done.wait() == 1


def test_a_model_with_any_byte_changed_or_missing_is_refused(roipca, tmp_path, model):
    whole = model.read_bytes()
    rng = np.random.default_rng(0)
    damaged = tmp_path / "damaged"
    damaged.touch()
    for place in rng.integers(0, len(whole), 25):
        damaged.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        assert roipca.refuse("info", "damaged").startswith("roipca: damaged: ")
        damaged.write_bytes(whole[:place])
        assert roipca.refuse("transform", "damaged", "a.npy", "-o", "s.npy").startswith("roipca: damaged: ")


def test_a_model_of_another_width_is_refused(roipca, tmp_path, model):
    (tmp_path / "b.csv").write_text("1,2\n")
    for command in ("transform", "score", "compare"):
        said = roipca.refuse(command, "m", "b.csv")
        assert said == "roipca: b.csv: rows of 2 numbers, but the model has 40 features\n"
    said = roipca.refuse("inverse", "m", "b.csv")
    assert said == "roipca: b.csv: rows of 2 numbers, but the model has 3 components\n"


def test_data_and_models_are_not_confused(roipca, model):
    assert "a roipca model, where rows of data are needed" in roipca.refuse("fit", "m", "-k", 1)
    assert roipca.refuse("info", "a.npy").startswith("roipca: a.npy: byte ")


@pytest.mark.parametrize(
    "arguments, reason",
    [
        ([], "a command is needed"),
        (["frobnicate"], 'no command "frobnicate"; commands: fit, '),
        (["fit"], "INPUT is required"),
        (["fit", "a.csv"], "--components is required"),
        (["fit", "a.csv", "-k", "0"], "-k"),
        (["fit", "a.csv", "-k", "1.5"], "-k"),
        (["fit", "a.csv", "-k", "many"], "-k"),
        (["fit", "a.csv", "-k", "3"], "only 2 columns"),
        (["fit", "a.csv", "-k", "0.9", "--scores", "s.npy"], "--scores"),
        (["fit", "a.csv", "-k", "1", "--scores", "s.doc"], ".npy, .csv"),
        (["fit", "a.csv", "-k", "1", "--method", "magic"], "roipca, froipca"),
        (["fit", "a.csv", "-k", "1", "--mu", "x"], "--mu"),
        (["fit", "a.csv", "-k", "1", "--forgetting", "2"], "forgetting"),
        (["fit", "a.csv", "-k", "1", "--threads", "0"], "threads"),
        (["fit", "a.csv", "-k", "1", "--format", "doc"], "--format"),
        (["fit", "a.csv", "-k", "1", "--format", "raw:f31:2"], "raw:f32:784"),
        (["fit", "a.csv", "-k", "1", "--delimiter", "ab"], "--delimiter"),
        (["fit", "-", "-", "-k", "1"], "only once"),
        (["fit", "a.csv", "-k", "1", "--wrong"], "--wrong"),
        (["fit", "--foo"], "there is no option --foo"),
        (["fit", "a.csv", "--component", "2"], "there is no option --component"),
        (["merge", "m", "--foo", "--bar"], "there is no option --foo"),
        (["transform", "m", "a.csv", "-o", "s.doc"], ".npy, .csv"),
        (["merge", "m"], "MODEL"),
        (["report", "m", "--image", "28"], "--image"),
        (["report", "m", "--image", "28x28", "--loadings", "bars"], "--loadings"),
        (["fit", "a.csv", "-k", "1", "--sample", "s.doc"], ".npy, .csv"),
        (["demo", "--features", "3", "-k", "4"], "--components"),
    ],
)
def test_wrong_usage_is_reported_in_one_line(roipca, tmp_path, arguments, reason):
    (tmp_path / "a.csv").write_text("1,2\n3,4\n")
    assert reason in roipca.refuse(*arguments, code=2)


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "a.npy", "-k", "3", "-o", "a.npy"],
        ["fit", "a.npy", "-k", "3", "-o", "./a.npy"],
        ["fit", "a.npy", "-k", "3", "-o", "link.npy"],
        ["fit", "a.npy", "-k", "3", "--scores", "a.npy"],
        ["fit", "a.npy", "-k", "3", "--checkpoint", "a.npy"],
        ["transform", "m", "a.npy", "-o", "a.npy"],
        ["inverse", "m", "a.npy", "-o", "a.npy"],
        ["score", "m", "a.npy", "-o", "a.npy"],
        ["report", "m", "-o", "m"],
        ["report", "m", "a.npy", "-o", "a.npy"],
        ["fit", "a.npy", "-k", "3", "--sample", "a.npy"],
    ],
)
def test_no_command_overwrites_its_input(roipca, tmp_path, model, arguments):
    (tmp_path / "link.npy").symlink_to("a.npy")
    before = (tmp_path / "a.npy").read_bytes(), model.read_bytes()
    assert "is an input" in roipca.refuse(*arguments, code=2)
    assert before == ((tmp_path / "a.npy").read_bytes(), model.read_bytes())


def test_two_outputs_do_not_go_to_one_file(roipca, model):
    assert "two outputs" in roipca.refuse("fit", "a.npy", "-k", 3, "-o", "s.npy", "--scores", "s.npy", code=2)
