"""Bad data and wrong usage: the exit code, one line that says what is wrong, and no file left behind."""

import gzip
import io
import json
import os
import re
import resource
import struct
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.sparse

NPY_HEADER = b"\x93NUMPY\x01\x00\x76\x00"


@pytest.fixture
def model(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 3, "-o", "m")
    return tmp_path / "m"


def npy(dictionary):
    return NPY_HEADER + dictionary.encode().ljust(0x75) + b"\n"


def hdf5(written, shape):
    """The bytes of a file whose only dataset claims another shape than was written."""
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
    "huge.npy": (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 9999999999), }"), "2^63 bytes"),
    "cut.npy": (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }") + bytes(40), "row 2: "),
    "object.npy": (npy("{'descr': '|O', 'fortran_order': False, 'shape': (3, 2), }"), "Python objects"),
    "junk.npy": (NPY_HEADER + b"junk", "npy header is cut off"),
    "cut.idx": (b"\0\0\x08\x02\0\0\0\x02\0\0\0\x02abc", "row 1: "),
    "cut.csv.gz": (gzip.compress(b"1,2\n" * 1000)[:-9], "gzip file is cut off"),
    "damaged.h5": (b"\x89HDF\r\n\x1a\n" + bytes(50), "HDF5"),
    "short.h5": (hdf5((3, 2), (2000, 2)), "row 0: HDF5 cannot read this row and the next 1999"),
    "wide.h5": (hdf5((3, 2), (3, 2**50)), "the shape is too large"),
    "crash.h5": (found_by_fuzzing("crash.h5"), "HDF5"),
    "precision.h5": (found_by_fuzzing("precision.h5"), "no dataset of numbers"),
    "unreadable.h5": (hdf5((3, 2), (2**63, 2)), 'cannot read the header of the dataset "rows"'),
    "empty": (b"", "empty"),
    "binary": (b"\1\0\2\0\3", "unknown format"),
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
    assert roipca.refuse("fit", "none.npy", "-k", 1) == ("roipca: none.npy: cannot open: No such file or directory\n")
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
    assert "a roipca model, but rows of data are needed" in roipca.refuse("fit", "m", "-k", 1)
    assert roipca.refuse("info", "a.npy").startswith("roipca: a.npy: byte 0: not a roipca model")


@pytest.mark.parametrize(
    "arguments, reason",
    [
        ([], "a command is needed"),
        (["frobnicate"], 'no command "frobnicate"; commands: fit, '),
        (["fit"], "--components is required"),
        (["fit", "-k", "1"], "no input"),
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
    "arguments, said",
    [
        (["fit", "a.csv", "--standardise"], "there is no option --standardise: did you mean --standardize?"),
        (["fit", "a.csv", "--component", "2"], "there is no option --component: did you mean --components?"),
        (["fit", "a.csv", "--mising=impute"], "there is no option --mising: did you mean --missing?"),
        (["watch", "a.csv", "--conifdence", "0.9"], "there is no option --conifdence: did you mean --confidence?"),
        (["fit", "a.csv", "--frobnicate"], "there is no option --frobnicate"),
        (["fit", "a.csv", "--foo"], "there is no option --foo"),
        (["fti", "a.csv"], 'there is no command "fti": did you mean fit?'),
        (["trasform", "a.csv"], 'there is no command "trasform": did you mean transform?'),
        (["fit", "a.csv", "-k", "1", "-k", "2"], "--components is given 2 times"),
        (
            ["fit", "a.csv", "-k", "1", "--method", "ipca", "--method", "gha", "--method", "oja"],
            "--method is given 3 times",
        ),
        (["fit", "a.csv", "-k"], "--components needs a value"),
    ],
)
def test_misspelt_and_repeated_options_are_told_in_plain_english(roipca, tmp_path, arguments, said):
    (tmp_path / "a.csv").write_text("1,2\n3,4\n")
    command = "" if arguments[0] in ("fti", "trasform") else f"{arguments[0]} "
    assert roipca.refuse(*arguments, code=2) == f"roipca: {said} (see roipca {command}--help)\n"


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
        ["merge", "m", "other", "-o", "m"],
        ["merge", "other", "model.safetensors"],
    ],
)
def test_no_command_overwrites_its_input(roipca, tmp_path, model, arguments):
    (tmp_path / "link.npy").symlink_to("a.npy")
    for copy in ("other", "model.safetensors"):
        (tmp_path / copy).write_bytes(model.read_bytes())
    before = (tmp_path / "a.npy").read_bytes(), model.read_bytes()
    assert "is an input" in roipca.refuse(*arguments, code=2)
    assert before == ((tmp_path / "a.npy").read_bytes(), model.read_bytes())


def test_two_outputs_do_not_go_to_one_file(roipca, model):
    assert "two outputs" in roipca.refuse("fit", "a.npy", "-k", 3, "-o", "s.npy", "--scores", "s.npy", code=2)


def test_standard_input_that_is_the_output_is_not_overwritten(roipca, tmp_path, model):
    before = (tmp_path / "a.npy").read_bytes()
    for arguments in (["transform", "m", "-", "-o", "a.npy"], ["fit", "-", "-k", "3", "-o", "a.npy"]):
        with open(tmp_path / "a.npy", "rb") as file:
            done = roipca.start(*arguments, stdin=file)
            assert b"is an input" in done.communicate()[1]
        assert done.returncode == 2
        assert (tmp_path / "a.npy").read_bytes() == before


def test_standard_output_that_is_the_input_does_not_grow(roipca, tmp_path, model, rows):
    np.savetxt(tmp_path / "a.csv", rows, delimiter=",")
    before = (tmp_path / "a.csv").read_bytes()
    with open(tmp_path / "a.csv", "ab") as file:
        done = roipca.start("transform", "m", "a.csv", stdout=file)
        assert b"is an input" in done.communicate()[1]
    assert (tmp_path / "a.csv").read_bytes() == before


def test_outputs_that_cannot_be_written_are_refused_before_the_input_is_read(roipca, tmp_path, model):
    (tmp_path / "folder").mkdir()
    for option in ("-o", "--checkpoint", "--scores"):
        said = roipca.refuse("fit", "a.npy", "-k", 3, option, "nowhere/s.csv")
        assert "nowhere/s.csv: cannot create a temporary file in its folder" in said
    # The input is a pipe that never ends: only a check before the pass can end these.
    for arguments in (["-o", "nowhere/m"], ["-o", "folder"], ["--checkpoint", "nowhere/c"]):
        process = roipca.start("fit", "-", "-k", "1", *arguments, stdin=subprocess.PIPE)
        try:
            assert process.wait(10) == 1
        finally:
            process.kill()


def test_scores_are_not_left_behind_if_the_model_cannot_be_written(roipca, tmp_path, model):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    # 300 scores take 2,528 bytes, the 40 components that are held 12,800.
    said = roipca.refuse("fit", "a.npy", "-k", 1, "-o", "m2", "--scores", "s.npy", preexec_fn=limit)
    assert "m2: cannot write: File too large" in said


def test_arguments_beside_a_model_to_compare_with_are_refused(roipca, model):
    assert "without nonexistent" in roipca.refuse("compare", "m", "m", "nonexistent", code=2)


def test_a_comparison_too_large_for_a_batch_pca_points_to_what_tells_the_error(roipca, tmp_path):
    np.save(tmp_path / "wide.npy", np.random.default_rng(0).standard_normal((20, 3000)))
    roipca("fit", "wide.npy", "-k", 2, "-o", "m")
    said = roipca.refuse("compare", "m", "wide.npy", "--max-memory", "300M")
    assert "a batch PCA of 3000 features takes about 0.6 GB of memory, and 0.3 GB are available: " in said
    assert "roipca refine m wide.npy -o FILE" in said and "--passes 2" in said and "--probes 10" in said
    for options in (("--passes", 2), ("--probes", 10)):
        assert "subspace error after" in roipca("fit", "wide.npy", "-k", 2, "-o", "other", *options)
    assert "subspace error about" in roipca("refine", "m", "wide.npy", "-o", "better")


def test_a_first_row_with_a_missing_value_is_no_header(roipca, tmp_path):
    (tmp_path / "a.csv").write_text("1,NA,3\n4,5,6\n7,8,10\n")
    said = roipca.refuse("fit", "a.csv", "-k", 1)
    assert 'a.csv: line 1: column 2: "NA" is not a number (if this line has column names, use --header yes)' in said
    roipca("fit", "a.csv", "-k", 1, "--header", "yes")


def test_too_many_columns_are_refused_in_little_memory(roipca, tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (400 << 20, 400 << 20))

    (tmp_path / "wide.csv.gz").write_bytes(gzip.compress(b"0," * 16_000_000 + b"0\n"))
    said = roipca.refuse("fit", "wide.csv.gz", "-k", 1, preexec_fn=limit)
    assert "wide.csv.gz: line 1: more columns than --max-columns 1000000" in said
    np.save(tmp_path / "a.npy", np.ones((3, 5)))
    assert "a.npy: 5 columns, more than --max-columns 4" in roipca.refuse("fit", "a.npy", "-k", 1, "--max-columns", 4)
    roipca("fit", "a.npy", "-k", 1, "--max-columns", 5)


def test_memory_can_be_limited(roipca, tmp_path):
    np.save(tmp_path / "a.npy", np.ones((8, 200_000)))
    assert "not enough memory within 60 MB" in roipca.refuse("fit", "a.npy", "-k", 8, "--max-memory", "60M")
    roipca("fit", "a.npy", "-k", 2, "--max-memory", "2G")
    for wrong in ("0", "-1", "60MB", "much", "99999999999999T"):
        assert "--max-memory" in roipca.refuse("fit", "a.npy", "-k", 2, "--max-memory", wrong, code=2)


@pytest.mark.parametrize("features", [700, 1500])
@pytest.mark.parametrize("options", [[], ["--float32"]])
def test_the_exact_method_says_how_much_memory_would_do(roipca, tmp_path, features, options):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).standard_normal((features, features)))
    command = ["fit", "a.npy", "-k", 8, "--method", "exact", *options, "--max-memory"]
    said = roipca.refuse(*command, "16M")
    found = re.fullmatch(
        r"roipca: not enough memory within 16 MB \(see --max-memory\): the exact method takes about (\d+)M for (\d+) "
        r"features\n",
        said,
    )
    assert found and int(found[2]) == features
    roipca(*command, f"{found[1]}M", "-o", "m")


def test_a_limit_too_low_for_the_program_itself_is_refused_with_the_lowest_that_will_do(roipca, tmp_path):
    np.save(tmp_path / "a.npy", np.arange(6.0).reshape(3, 2))
    said = roipca.refuse("fit", "a.npy", "-k", 1, "--max-memory", "1M", code=2)
    least = re.search(r"--max-memory 1M: must be at least (\d+)M", said)[1]
    roipca("fit", "a.npy", "-k", 1, "--max-memory", f"{least}M")
    assert "must be at least" in roipca.refuse("fit", "a.npy", "-k", 1, "--max-memory", f"{int(least) - 1}M", code=2)


def test_the_lowest_limit_is_enough_for_rows_of_hundreds_of_features(roipca, tmp_path):
    rows = np.random.default_rng(0).standard_normal((3000, 300))
    np.save(tmp_path / "a.npy", rows)
    np.savetxt(tmp_path / "a.csv", rows, delimiter=",", fmt="%.5g")
    for name in ("a.npy", "a.csv"):
        roipca("fit", name, "-k", 10, "-o", "m", "--max-memory", "16M")


def test_a_model_that_nobody_named_is_not_replaced(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 3)
    said = roipca.refuse("fit", "a.npy", "-k", 2, code=2)
    assert "model.safetensors exists already: give -o model.safetensors to replace it" in said
    roipca("fit", "a.npy", "-k", 2, "-o", "model.safetensors")
    assert json.loads(roipca("info", "model.safetensors", "--json"))["components"] == 2


def test_a_checkpoint_that_was_never_written_is_explained(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    said = roipca.refuse("fit", "a.npy", "-k", 3, "--resume", "none.checkpoint")
    assert "none.checkpoint: there is no such checkpoint" in said and "fit without --resume" in said


def test_text_of_cells_cannot_control_the_terminal(roipca, tmp_path):
    evil = "\x1b]0;title\x07\x1b[2Jx\u009b31m"
    (tmp_path / "a.csv").write_text(f"x,y\n1,2\n3,{evil}\n4,5\n", encoding="utf-8")
    skipping = roipca.run("fit", "a.csv", "-k", 1, "-o", "m", "--on-bad-row", "skip").stderr
    for said in (skipping, roipca.refuse("fit", "a.csv", "-k", 1, "-o", "m").encode()):
        assert b"\\x1b]0;title\\x07\\x1b[2Jx\\xc2\\x9b31m" in said
        assert not any(c < 32 and c != 10 for c in said)


def write_hdf5_with_outside_data(folder, secret):
    """Datasets whose numbers are those of another file."""
    with h5py.File(folder / "external.h5", "w") as file:
        size = secret.stat().st_size // 8 * 8
        file.create_dataset("rows", (size // 8, 8), np.uint8, external=[(str(secret), 0, size)])
    with h5py.File(folder / "inner.h5", "w") as file:
        file["rows"] = np.ones((4, 3))
    with h5py.File(folder / "virtual.h5", "w") as file:
        layout = h5py.VirtualLayout((4, 3), np.float64)
        layout[:] = h5py.VirtualSource(str(folder / "inner.h5"), "rows", (4, 3))
        file.create_virtual_dataset("rows", layout)
    with h5py.File(folder / "linked.h5", "w") as file:
        file["rows"] = h5py.ExternalLink(str(folder / "inner.h5"), "rows")


@pytest.mark.parametrize("name", ["external.h5", "virtual.h5", "linked.h5"])
def test_hdf5_reads_no_other_file_unless_asked(roipca, tmp_path, name):
    (tmp_path / "secret").write_bytes(bytes(range(1, 81)))
    write_hdf5_with_outside_data(tmp_path, tmp_path / "secret")
    said = roipca.refuse("fit", name, "-k", 1, "--dataset", "rows")
    assert f'{name}: dataset "rows" takes its data from other files: use --allow-external' in said
    roipca("fit", name, "-k", 1, "--dataset", "rows", "--allow-external")


def test_hdf5_output_beyond_the_largest_file_is_an_error(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", np.tile(rows, (100, 1)))

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))

    assert "s.h5: HDF5 cannot" in roipca.refuse("fit", "a.npy", "-k", 3, "--scores", "s.h5", preexec_fn=limit)


def test_a_damaged_chunk_index_far_into_an_hdf5_file_is_an_error(roipca, tmp_path):
    whole = io.BytesIO()
    with h5py.File(whole, "w", libver="earliest") as file:
        file.create_dataset("rows", data=np.ones((1000, 8000), np.uint8), chunks=(125, 8000))
    damaged = bytearray(whole.getvalue())
    # Entry 1 of the B-tree: the chunk of row 125 claims to have 128 bytes. HDF5 reads 1 MB from a buffer of that size.
    entry = damaged.rfind(b"TREE") + 24 + 40
    assert damaged[entry : entry + 4] == (1_000_000).to_bytes(4, "little")
    damaged[entry : entry + 4] = (128).to_bytes(4, "little")
    (tmp_path / "a.h5").write_bytes(damaged)
    said = roipca.refuse("fit", "a.h5", "-k", 1)
    assert 'a.h5: the chunk index of dataset "rows" is damaged: it says that 8 chunks of 1000000 bytes take' in said


PACKED = {"compression": "gzip"}
CHECKED = {"compression": "gzip", "fletcher32": True}
SHUFFLED = {"compression": "gzip", "shuffle": True}


@pytest.mark.parametrize(
    "filters, size, mask, reason",
    [
        ({}, 0, 0, "it says that 10 chunks of 1600 bytes take 14400 bytes"),
        ({}, 1599, 0, "it says that 10 chunks of 1600 bytes take 15999 bytes"),
        ({}, 2**32 - 1, 0, "it says that the chunks take 4294981695 bytes, but the file has "),
        (PACKED, 0, 0, "HDF5 cannot read this row and the next 199"),
        (PACKED, 2**32 - 1, 0, "bytes, but the file has "),
        (PACKED, None, 1, "the chunk of row 60 has "),
        (PACKED, None, 2**32 - 1, " bytes, but 1600 are needed"),
        (CHECKED, 3, 0, "the chunk of row 60 has 3 bytes, but at least 5 are needed"),
        (SHUFFLED, None, 2, " bytes, but 1600 are needed"),
    ],
)
def test_wrong_sizes_and_filters_of_hdf5_chunks_are_refused(roipca, tmp_path, filters, size, mask, reason):
    whole = io.BytesIO()
    with h5py.File(whole, "w", libver="earliest") as file:
        rows = np.random.default_rng(0).integers(0, 100, (200, 80), np.uint8)
        chunks = file.create_dataset("rows", data=rows, chunks=(20, 80), **filters).id
        file.flush()
        chunk = chunks.get_chunk_info(3)
    damaged = bytearray(whole.getvalue())
    key = struct.pack("<IIQQQ", chunk.size, 0, *chunk.chunk_offset, 0)
    assert damaged.count(key) == 1
    entry = damaged.find(key)
    (tmp_path / "a.h5").write_bytes(damaged)
    roipca("fit", "a.h5", "-k", 1, "-o", "m")
    damaged[entry : entry + 8] = struct.pack("<II", chunk.size if size is None else size, mask)
    (tmp_path / "a.h5").write_bytes(damaged)
    said = roipca.refuse("fit", "a.h5", "-k", 1, "-o", "m", "--max-memory", "64M")
    assert said.startswith("roipca: a.h5: ") and 'dataset "rows"' in said and reason in said


def test_chunks_that_a_filter_left_as_they_are_can_be_read(roipca, tmp_path):
    rows = np.random.default_rng(0).integers(0, 256, (200, 80), np.uint8)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        dataset = file.create_dataset("rows", rows.shape, np.uint8, chunks=(20, 80), shuffle=True, compression="gzip")
        for first in range(0, 200, 20):
            dataset.id.write_direct_chunk((first, 0), rows[first : first + 20].tobytes(), filter_mask=3)
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.h5", "-k", 2, "-o", "h5")
    roipca("fit", "a.npy", "-k", 2, "-o", "npy")
    assert (tmp_path / "h5").read_bytes() == (tmp_path / "npy").read_bytes()


def test_wrong_sizes_of_the_chunks_of_a_sparse_matrix_are_refused(roipca, tmp_path):
    whole = io.BytesIO()
    with h5py.File(whole, "w", libver="earliest") as file:
        group = file.create_group("m")
        group.attrs["encoding-type"], group.attrs["shape"] = "csr_matrix", (1000, 3)
        group["indptr"], group["indices"] = np.arange(1001), np.arange(1000) % 3
        group.create_dataset("data", data=np.ones(1000), chunks=(100,))
    damaged = bytearray(whole.getvalue())
    key = struct.pack("<IIQQ", 800, 0, 300, 0)
    assert damaged.count(key) == 1
    damaged[damaged.find(key)] ^= 1
    (tmp_path / "a.h5").write_bytes(damaged)
    assert 'a.h5: the chunk index of dataset "m/data" is damaged' in roipca.refuse("fit", "a.h5", "-k", 1)


def test_compare_refuses_a_batch_pca_that_would_exhaust_the_machine(roipca, tmp_path):
    features = 200_000  # 9 matrices of them take 2.9 TB
    rows = scipy.sparse.random_array((20, features), density=1e-4, format="csr", rng=np.random.default_rng(0))
    scipy.sparse.save_npz(tmp_path / "a.npz", rows)
    roipca("fit", "a.npz", "-k", 2, "-o", "m")
    message = roipca.refuse("compare", "m", "a.npz")
    assert "a batch PCA of 200000 features takes about 2880 GB of memory" in message


def test_compare_refuses_a_batch_pca_beyond_a_limit_of_the_process(roipca, tmp_path):
    features = 6000  # 9 matrices of them take 2.6 GB
    rows = scipy.sparse.random_array((20, features), density=1e-3, format="csr", rng=np.random.default_rng(0))
    scipy.sparse.save_npz(tmp_path / "a.npz", rows)
    roipca("fit", "a.npz", "-k", 2, "-o", "m")

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

    message = roipca.refuse("compare", "m", "a.npz", preexec_fn=limit)
    assert "a batch PCA of 6000 features takes about 2.6 GB of memory, and " in message
    assert float(re.search(r"and ([\d.]+) GB are available", message)[1]) <= 2.1
