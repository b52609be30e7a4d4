"""Features in different units: one that has nearly all of the variance is named, unless --standardize is used."""

from __future__ import annotations

import json

import numpy as np
import pytest

NOTE = 'roipca: note: feature "press_pa" has {} % of the variance; if units differ, {}\n'


def plant(scale: float, n: int = 500) -> np.ndarray:
    """Rows of four features of unit variance, in which the second one is in a small unit."""
    rows = np.random.default_rng(0).standard_normal((n, 4))
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    rows[:, 1] *= scale
    return rows


def write(path, rows: np.ndarray) -> None:
    np.savetxt(path, rows, delimiter=",", header="temp,press_pa,flow,level", comments="")


def note_of(roipca, *arguments: object) -> str:
    done = roipca.run(*arguments)
    assert done.returncode == 0, done.stderr.decode()
    return done.stderr.decode()


# A feature of variance v beside three of variance 1 has v / (v + 3) of it.
@pytest.mark.parametrize("variance, share", [(300, "99.01"), (15_000, "99.98"), (3e7, "99.99999"), (3e9, "99.9999999")])
def test_fit_names_a_feature_that_has_nearly_all_of_the_variance(roipca, tmp_path, variance, share):
    write(tmp_path / "a.csv", plant(np.sqrt(variance)))
    assert note_of(roipca, "fit", "a.csv", "-k", 2, "-o", "m") == NOTE.format(share, "use --standardize")


def test_fit_says_nothing_of_features_that_may_be_in_one_unit(roipca, tmp_path):
    write(tmp_path / "a.csv", plant(np.sqrt(290)))  # 98.98 %
    assert note_of(roipca, "fit", "a.csv", "-k", 2, "-o", "m") == ""


def test_the_note_needs_three_features_that_vary(roipca, tmp_path):
    rows = plant(1000)
    rows[:, 2:] = 1.0
    write(tmp_path / "a.csv", rows)
    assert note_of(roipca, "fit", "a.csv", "-k", 2, "-o", "m") == ""


@pytest.mark.parametrize("option", ["--standardize", "--quiet"])
def test_an_option_silences_the_note(roipca, tmp_path, option):
    write(tmp_path / "a.csv", plant(1000))
    assert note_of(roipca, "fit", "a.csv", "-k", 2, "-o", "m", option) == ""


def test_a_feature_without_a_name_is_named_by_its_number(roipca, tmp_path):
    np.save(tmp_path / "a.npy", plant(1000))
    assert "note: feature 2 has 99.9997 % of the variance" in note_of(roipca, "fit", "a.npy", "-k", 2, "-o", "m")


WATCH = ("--port", 0, "--no-follow")


def test_watch_names_the_feature_at_the_end_of_its_warm_up(roipca, tmp_path):
    write(tmp_path / "a.csv", plant(1000, n=99))
    assert "note:" not in note_of(roipca, "watch", "a.csv", "-k", 2, *WATCH)
    write(tmp_path / "a.csv", plant(1000, n=101))
    said = note_of(roipca, "watch", "a.csv", "-k", 2, *WATCH)
    assert said.count("note:") == 1
    assert 'note: feature "press_pa" has 99.9997 % of the variance; if units differ, use --standardize\n' in said
    assert "note:" not in note_of(roipca, "watch", "a.csv", "-k", 2, "--standardize", *WATCH)


def test_watch_says_that_a_model_to_start_with_lacks_the_option(roipca, tmp_path):
    write(tmp_path / "a.csv", plant(1000))
    note_of(roipca, "fit", "a.csv", "-k", 2, "-o", "m", "--missing", "impute")
    said = note_of(roipca, "watch", "a.csv", "--start", "m", *WATCH)
    assert said.count(NOTE.format("99.9997", "fit with --standardize")) == 1


@pytest.mark.parametrize("scale, text", [(1000, "0.999998"), (1e5, "0.9999999998")])
def test_a_share_of_the_variance_is_not_rounded_up_to_1(roipca, tmp_path, scale, text):
    np.save(tmp_path / "a.npy", plant(scale))
    roipca("fit", "a.npy", "-k", 2, "-o", "m", "--quiet")
    said = roipca.run("fit", "a.npy", "-k", 2, "-o", "m").stdout.decode()
    share = json.loads(roipca("info", "m", "--json"))["explained_variance_ratio"]
    assert f"{sum(share):.{len(text) - 2}f}" == text
    assert f"explain {text} of the variance" in said
    assert f"{text} of the variance" in roipca("info", "m")


def test_all_of_the_variance_is_1_and_one_component_explains_it(roipca, tmp_path):
    np.save(tmp_path / "a.npy", np.outer(np.arange(20.0), [1.0, 2.0, 3.0]))
    assert "1 component (exact) explains 1 of the variance\n" in roipca("fit", "a.npy", "-k", 1, "-o", "m")


@pytest.mark.parametrize("command", ["fit", "watch"])
def test_a_feature_that_varies_after_the_first_rows_is_named(roipca, tmp_path, command):
    rows = plant(1.0, 4000)
    rows[:1200, 1] = 0.0
    rows[1200:, 1] *= 1e4
    write(tmp_path / "a.csv", rows)
    of_command = (*WATCH, "--learn", "all") if command == "watch" else ("-o", "m")
    options = ("-k", 2, "--standardize", "--method", "roipca", *of_command)
    said = note_of(roipca, command, "a.csv", *options)
    start = 'roipca: note: the standard deviation of feature "press_pa" is '
    end = " times the number from the first rows by which it is divided; "
    end += "let more rows determine the scales (--first-rows)"
    assert said.count(start) == said.count(end) == 1
    # fit looks at all rows, and watch whenever they have doubled.
    deviations = [rows[:n, 1].std(ddof=1) for n in ([4000] if command == "fit" else [1600, 3200])]
    assert any(f"{start}{deviation:.2g}{end}\n" in said for deviation in deviations)
    assert "note:" not in note_of(roipca, command, "a.csv", *options, "--first-rows", 4000)


def test_watch_resumes_files_or_one_pipe(roipca, tmp_path):
    write(tmp_path / "a.csv", plant(1.0))
    note_of(roipca, "watch", "a.csv", "-k", 2, *WATCH, "--checkpoint", "c")
    done = roipca.run("watch", "a.csv", "-", *WATCH, "--resume", "c")
    assert done.returncode == 2
    assert b"--resume reads files again or continues one pipe, but not both" in done.stderr
