"""Compressed files, JSON lines, Parquet and Arrow."""

import gzip
import json
import lzma
import os
import sys

import numpy as np
import pytest
from numpy_oracle import write_csv


def model_bytes(roipca, tmp_path, *arguments, **options):
    roipca("fit", *arguments, "-k", 3, "-o", "m", **options)
    return (tmp_path / "m").read_bytes()


@pytest.fixture
def zstd():
    """Compresses as zstd does."""
    pa = pytest.importorskip("pyarrow")
    return lambda data: pa.compress(data, codec="zstd", asbytes=True)


def unless_built_without(roipca, name):
    done = roipca.run("fit", name, "-k", 1, "-o", "tried")
    if b"built without" in done.stderr:
        pytest.skip("this roipca was built without the library")


@pytest.mark.parametrize("packing", ["xz", "zst"])
def test_compressed_rows_are_the_same_rows(roipca, tmp_path, rows, request, packing):
    pack = lzma.compress if packing == "xz" else request.getfixturevalue("zstd")
    np.save(tmp_path / "a.npy", rows)
    whole = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "packed").write_bytes(pack(whole))
    unless_built_without(roipca, "packed")
    expected = model_bytes(roipca, tmp_path, "a.npy")
    assert model_bytes(roipca, tmp_path, "packed") == expected
    two = pack(whole[:1000]) + pack(whole[1000:])
    assert model_bytes(roipca, tmp_path, "-", data=two) == expected  # as `cat` joins them


@pytest.mark.parametrize("packing", ["xz", "zst"])
def test_damaged_compressed_files_are_refused(roipca, tmp_path, rows, request, packing):
    pack = lzma.compress if packing == "xz" else request.getfixturevalue("zstd")
    write_csv(tmp_path / "a.csv", rows, [f"x{i}" for i in range(40)])
    packed = pack((tmp_path / "a.csv").read_bytes())
    (tmp_path / "packed").write_bytes(packed)
    unless_built_without(roipca, "packed")
    for size in (7, 20, len(packed) // 2, len(packed) - 1):
        (tmp_path / "packed").write_bytes(packed[:size])
        assert "cut off" in roipca.refuse("fit", "packed", "-k", 1), size
    (tmp_path / "packed").write_bytes(packed[:30] + bytes([packed[30] ^ 255]) + packed[31:])
    roipca.refuse("fit", "packed", "-k", 1)


def test_text_output_is_compressed_by_its_ending(roipca, tmp_path, rows):
    pa = pytest.importorskip("pyarrow")
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 3, "-o", "m")
    expected = roipca("transform", "m", "a.npy", "--number-rows")
    roipca("transform", "m", "a.npy", "--number-rows", "-o", "s.csv.gz")
    assert gzip.decompress((tmp_path / "s.csv.gz").read_bytes()).decode() == expected
    roipca("transform", "m", "a.npy", "--number-rows", "-o", "s.tsv.gz")
    assert gzip.decompress((tmp_path / "s.tsv.gz").read_bytes()).decode() == expected.replace(",", "\t")
    done = roipca.run("transform", "m", "a.npy", "--number-rows", "-o", "s.csv.zst")
    if b"built without" not in done.stderr:
        with pa.input_stream(tmp_path / "s.csv.zst", compression="zstd") as file:
            assert file.read().decode() == expected
    for wrong in ("s.npy.gz", "s.gz", "s.csv.xz"):
        assert ".gz or .zst after .csv" in roipca.refuse("transform", "m", "a.npy", "-o", wrong, code=2)


def test_json_lines_are_rows(roipca, tmp_path, rows):
    names = [f"x{i}" for i in range(40)]
    write_csv(tmp_path / "a.csv", rows, names)
    objects = [dict(zip(names, row.tolist(), strict=True)) for row in rows]
    backwards = [dict(reversed(item.items())) | {"more": "text"} for item in objects[1:]]
    lines = [json.dumps(item) for item in [objects[0], *backwards]]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    expected = model_bytes(roipca, tmp_path, "a.csv")
    assert model_bytes(roipca, tmp_path, "a.jsonl") == expected
    assert model_bytes(roipca, tmp_path, "-", data=(tmp_path / "a.jsonl").read_bytes()) == expected
    np.save(tmp_path / "a.npy", rows)
    (tmp_path / "arrays.jsonl").write_text("".join(json.dumps(row.tolist()) + "\n" for row in rows))
    assert model_bytes(roipca, tmp_path, "arrays.jsonl") == model_bytes(roipca, tmp_path, "a.npy")


def test_json_lines_with_ids_and_embeddings(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 2, "-o", "m")
    expected = roipca("transform", "m", "a.npy").splitlines()
    lines = [json.dumps({"who": f"Ann, {i}", "note": None, "v": row.tolist()}) for i, row in enumerate(rows)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    written = roipca("transform", "m", "a.jsonl", "--id", "who", "--exclude", "note").splitlines()
    assert written[0] == "who,pc1,pc2"
    assert written[1:] == [f'"Ann, {i}",{line}' for i, line in enumerate(expected[1:])]
    roipca("fit", "a.jsonl", "-k", 2, "-o", "m2", "--columns", "/^v_/")
    assert json.loads(roipca("info", "m2", "--json"))["feature_names"] == [f"v_{i}" for i in range(40)]


def test_lines_that_are_no_rows_are_bad(roipca, tmp_path):
    bad = {
        '{"a": 1}': 'there is no "b"',
        '{"a": 1, "b": null}': '"b" is not a number',
        '{"a": 1, "b": "2"}': '"b" is not a number',
        '{"a": 1, "b": NaN}': "not JSON",
        '{"a": 1, "b": 1e999}': "line 2",
        "[1, 2]": "not a JSON object",
        "nonsense": "not JSON",
    }
    for line, reason in bad.items():
        (tmp_path / "a.jsonl").write_text(f'{{"a": 1, "b": 2}}\n{line}\n{{"a": 3, "b": 5}}\n')
        message = roipca.refuse("fit", "a.jsonl", "-k", 1, "-o", "m")
        assert "a.jsonl: line 2: " in message and reason in message, message
    done = roipca.run("fit", "a.jsonl", "-k", 1, "-o", "m", "--on-bad-row", "skip", "--json")
    assert json.loads(done.stdout)["skipped"] == 1
    (tmp_path / "b.jsonl").write_text("[1, 2]\n[1, 2, 3]\n")
    assert "3 numbers where the first line has 2" in roipca.refuse("fit", "b.jsonl", "-k", 1, "-o", "m")


def test_nulls_of_json_lines_are_missing_values_where_these_are_filled(roipca, tmp_path, rows):
    holed = rows.copy()
    holed[::7, 3] = np.nan
    np.save(tmp_path / "a.npy", holed)
    names = [f"x{i}" for i in range(40)]
    lines = []
    for i, row in enumerate(holed.tolist()):
        values = {name: None if np.isnan(value) else value for name, value in zip(names, row, strict=True)}
        if i == 14:
            del values["x3"]
        lines.append(json.dumps(values))
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    scores = []
    for name in ("a.npy", "a.jsonl"):
        roipca("fit", name, "-k", 3, "--missing", "impute", "-o", "m")
        scores.append(roipca("transform", "m", name))
    assert scores[0] == scores[1]


@pytest.fixture
def arrow_files(tmp_path, rows):
    """The same rows as CSV, Parquet and Feather, with a text column and an index of pandas."""
    pytest.importorskip("roipca")
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    names = [f"x{i}" for i in range(40)]
    frame = pandas.DataFrame(rows, columns=names, index=np.arange(300) + 5)
    frame.insert(3, "who", [f"r{i}" for i in range(300)])
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet", row_group_size=70)
    frame.reset_index(drop=True).to_feather(tmp_path / "a.feather")
    return names


@pytest.fixture
def with_python(monkeypatch):
    monkeypatch.setenv("ROIPCA_PYTHON", sys.executable)


@pytest.mark.parametrize("name", ["a.parquet", "a.feather"])
def test_arrow_files_are_read_where_the_python_package_is(roipca, tmp_path, arrow_files, with_python, name):
    expected = model_bytes(roipca, tmp_path, "a.csv", "--exclude", "who")
    assert model_bytes(roipca, tmp_path, name, "--exclude", "who") == expected
    assert json.loads(roipca("info", "m", "--json"))["feature_names"] == arrow_files
    by_csv = roipca("score", "m", "a.csv", "--id", "who")
    assert roipca("score", "m", name, "--id", "who") == by_csv
    assert roipca("score", "m", name, "--id", "who", "--max-rows", 99).splitlines() == by_csv.splitlines()[:100]
    assert "'who' holds" in roipca.refuse("fit", name, "-k", 1)
    assert "300 rows of 40 columns" in roipca("fit", name, "-k", 1, "--id", "who", "--dry-run")


def test_nulls_of_parquet_files_make_bad_rows_and_lists_are_features(roipca, tmp_path, with_python):
    pytest.importorskip("roipca")
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"a": [1.0, None, 3.0, 4.0], "b": [1, 2, None, 7]}), tmp_path / "a.parquet")
    assert "row 1: NaN in column 1 (a)" in roipca.refuse("fit", "a.parquet", "-k", 1)
    done = roipca.run("fit", "a.parquet", "-k", 1, "--on-bad-row", "skip", "--json")
    assert json.loads(done.stdout)["rows"] == 2
    vectors = np.random.default_rng(0).standard_normal((50, 4)).astype(np.float32)
    table = pa.table({"v": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), 4)})
    parquet.write_table(table, tmp_path / "v.parquet")
    np.save(tmp_path / "v.npy", vectors)
    roipca("fit", "v.npy", "-k", 2, "-o", "m")
    assert roipca("transform", "m", "v.parquet") == roipca("transform", "m", "v.npy")


def test_parquet_without_python_says_what_to_install(roipca, tmp_path, arrow_files, monkeypatch):
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:2000])
    monkeypatch.setenv("ROIPCA_PYTHON", "/nonexistent/python")
    assert "pip install 'roipca[parquet]'" in roipca.refuse("fit", "a.parquet", "-k", 1)
    (tmp_path / "python").write_text("#!/bin/sh\nexit 3\n")
    os.chmod(tmp_path / "python", 0o755)
    monkeypatch.setenv("ROIPCA_PYTHON", str(tmp_path / "python"))
    assert "pip install 'roipca[parquet]'" in roipca.refuse("fit", "a.parquet", "-k", 1)
    assert "pip install 'roipca[parquet]'" in roipca.refuse("fit", "a.parquet", "-k", 1, "--max-memory", "16M")
    monkeypatch.setenv("ROIPCA_PYTHON", sys.executable)
    assert roipca.refuse("fit", "cut.parquet", "-k", 1).startswith("roipca: cut.parquet: ")
    data = (tmp_path / "a.parquet").read_bytes()
    assert "cannot be read from a pipe" in roipca.refuse("fit", "-", "-k", 1, data=data)


def test_too_little_memory_for_python_is_not_taken_for_a_missing_package(roipca, arrow_files, with_python):
    needs = "Python did not start within 16 MB: with pyarrow, it needs about 350 MB (see --max-memory)"
    assert f"a.parquet: {needs}" in roipca.refuse("fit", "a.parquet", "-k", 1, "--max-memory", "16M")
    roipca("fit", "a.csv", "-k", 3, "--exclude", "who", "-o", "m")
    said = roipca.refuse("transform", "m", "a.csv", "--id", "who", "-o", "s.parquet", "--max-memory", "16M")
    assert f"s.parquet: {needs}" in said


@pytest.mark.parametrize("float32", [False, True])
def test_scores_are_written_to_parquet_where_the_python_package_is(roipca, tmp_path, arrow_files, with_python, float32):
    pandas = pytest.importorskip("pandas")
    roipca("fit", "a.csv", "-k", 3, "--exclude", "who", "-o", "m", *(["--float32"] if float32 else []))
    roipca("transform", "m", "a.csv", "--id", "who", "-o", "scores.parquet")
    roipca("transform", "m", "a.csv", "--id", "who", "-o", "scores.csv")
    scores = pandas.read_parquet(tmp_path / "scores.parquet")
    text = pandas.read_csv(tmp_path / "scores.csv", float_precision="round_trip")
    assert list(scores.columns) == list(text.columns) and list(scores["who"]) == list(text["who"])
    assert set(scores.dtypes[1:]) == {np.dtype(np.float32 if float32 else np.float64)}
    numbers = text.drop(columns="who").to_numpy().astype(scores.dtypes.iloc[1])
    assert (scores.drop(columns="who").to_numpy() == numbers).all()
    # And read back, as any other file of rows.
    roipca("score", "m", "a.parquet", "--id", "who", "-o", "t2.pq")
    roipca("transform", "m", "a.csv", "--id", "who", "-o", "plain.parquet", "--max-rows", 10)
    assert len(pandas.read_parquet(tmp_path / "plain.parquet")) == 10
    assert list(pandas.read_parquet(tmp_path / "t2.pq").columns) == ["who", "t2", "spe"]
    roipca("fit", "scores.parquet", "--exclude", "who", "-k", 2, "-o", "m2")


def test_parquet_output_has_row_groups_of_bounded_size(roipca, tmp_path, with_python):
    parquet = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("roipca")
    rows = np.random.default_rng(0).standard_normal((300_000, 8))
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 8, "-o", "m")
    roipca("transform", "m", "a.npy", "-o", "s.parquet")
    roipca("transform", "m", "a.npy", "-o", "s.npy")
    file = parquet.ParquetFile(tmp_path / "s.parquet")
    sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    assert sum(sizes) == 300_000 and len(sizes) > 1 and max(sizes) < 150_000
    table = file.read()
    assert (np.column_stack([column.to_numpy() for column in table.columns]) == np.load(tmp_path / "s.npy")).all()


def test_parquet_output_that_cannot_be_written_leaves_nothing(roipca, tmp_path, arrow_files, monkeypatch):
    roipca("fit", "a.csv", "-k", 3, "--exclude", "who", "-o", "m")
    monkeypatch.setenv("ROIPCA_PYTHON", "/nonexistent/python")
    message = roipca.refuse("transform", "m", "a.csv", "--id", "who", "-o", "s.parquet")
    assert "s.parquet: writing Parquet files needs the Python package: pip install 'roipca[parquet]'" in message
    # A Python that says that it is ready, and dies.
    (tmp_path / "python").write_text("#!/bin/sh\nprintf '\\002\\0\\0\\0\\0\\0\\0\\0{}'\n")
    os.chmod(tmp_path / "python", 0o755)
    monkeypatch.setenv("ROIPCA_PYTHON", str(tmp_path / "python"))
    message = roipca.refuse("transform", "m", "a.csv", "--id", "who", "-o", "s.parquet")
    assert "the Python process ended early" in message
    # An error of Python's is told.
    (tmp_path / "python").write_text(
        f"#!{sys.executable}\nimport struct, sys\nout = sys.stdout.buffer\n"
        "for text in (b'{}', b'{\"error\": \"no space\"}'): out.write(struct.pack('<Q', len(text)) + text)\n"
    )
    assert "s.parquet: no space" in roipca.refuse("transform", "m", "a.csv", "--id", "who", "-o", "s.parquet")
