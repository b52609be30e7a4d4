"""What `fit` and `info` print about a model, in words that stand for themselves."""

from __future__ import annotations

import re

import numpy as np

CONFIDENCE = "(with 99.9 % confidence)"


def line_of(text: str, label: str) -> str:
    found = re.search(rf"^ *{label} +(.*)$", text, flags=re.MULTILINE)
    assert found is not None, f"no line {label} in {text}"
    return found[1]


def test_a_bound_that_probes_give_names_its_confidence(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    said = roipca("fit", "a.npy", "-k", 3, "--method", "roipca", "--probes", 10, "-o", "m")
    assert re.search(r"subspace error after 1 pass: about \S+, at most \S+ \(with 99\.9 % confidence\)\n", said)
    assert re.search(r"about \S+, at most \S+ \(with 99\.9 % confidence\), after 1 pass", roipca("info", "m"))
    said = roipca("refine", "m", "a.npy", "-o", "better")
    assert re.search(r"subspace error about \S+, at most \S+ \(with 99\.9 % confidence\)\n", said)


def test_a_bound_without_probes_does_not_depend_on_a_confidence(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    said = roipca("fit", "a.npy", "-k", 3, "--method", "roipca", "--passes", 2, "-o", "m")
    assert re.search(r"subspace error after 2 passes: about \S+, at most \S+\n", said)
    assert CONFIDENCE not in roipca("info", "m")


def test_info_says_what_its_numbers_are(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", np.tile(rows, (10, 1)))
    roipca("fit", "a.npy", "-k", 3, "--method", "roipca", "-o", "m")
    said = roipca("info", "m")
    assert re.fullmatch(r"\S+: mean variance along the other 37 directions", line_of(said, "noise"))
    assert re.fullmatch(r"none; the score is \S+ \(a change from 1 on\)", line_of(said, "changes"))
    assert line_of(said, "method") == "roipca, update by block"
    assert line_of(said, "mu, tau")


def test_info_shows_no_rule_of_updates_for_the_exact_method(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 3, "--method", "exact", "-o", "m")
    said = roipca("info", "m")
    assert line_of(said, "method") == "exact"
    assert "mu, tau" not in said
