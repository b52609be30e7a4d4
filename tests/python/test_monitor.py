"""Limits are exceeded as often as they say, contributions add up, and one row at a time says the same."""

from __future__ import annotations

import pickle
import re
import time

import numpy as np
import pandas as pd
import pytest

from roipca import DataError, OnlinePCA

CONFIDENCES = (0.95, 0.99, 0.999)


def process(n: int, kind: str, seed: int = 0) -> np.ndarray:
    """40 sensors that five hidden causes move, with noise."""
    rng = np.random.default_rng(seed)
    mixing = np.random.default_rng(99).standard_normal((5, 40))
    if kind == "heavy":
        causes, noise = rng.standard_t(5, (n, 5)), rng.standard_t(5, (n, 40))
    else:
        causes, noise = rng.standard_normal((n, 5)), rng.standard_normal((n, 40))
    if kind == "autocorrelated":
        for i in range(1, n):
            causes[i] = 0.9 * causes[i - 1] + np.sqrt(1 - 0.9**2) * causes[i]
    return 10 + causes @ mixing + 0.5 * noise


@pytest.mark.parametrize("kind", ["gaussian", "autocorrelated"])
@pytest.mark.parametrize("method", ["roipca", "exact"])
def test_new_rows_exceed_the_limits_as_often_as_they_say(kind, method):
    pca = OnlinePCA(5, method=method).fit(process(3000, kind))
    rows = process(40000, kind, seed=1)
    for confidence in CONFIDENCES:
        expected = 1 - confidence
        for values, limit in ((pca.t2(rows), pca.t2_limit), (pca.spe(rows), pca.spe_limit)):
            # 40 of 40,000 rows at the last.
            rate = np.mean(values > limit(confidence))
            assert expected / (4 if kind == "autocorrelated" else 2) <= rate <= expected * 2, confidence


def test_few_rows_for_the_features_have_limits_that_hold_where_textbooks_fail():
    pca = OnlinePCA(15).fit(process(200, "gaussian"))
    spe = pca.spe(process(20000, "gaussian", seed=1))
    assert np.mean(spe > pca.spe_limit(0.99)) <= 0.02
    assert np.mean(spe > pca.spe_limit(0.99, method="box")) > 0.05


@pytest.mark.parametrize("n", [3000, 20000])
def test_heavy_tails_raise_at_most_twice_as_many_alarms_where_textbooks_raise_several_times_as_many(n):
    pca = OnlinePCA(5).fit(process(n, "heavy"))
    spe = pca.spe(process(40000, "heavy", seed=1))
    for confidence in CONFIDENCES:
        expected = 1 - confidence
        # 40 rows of 40,000 are expected at the last: three deviations more.
        assert np.mean(spe > pca.spe_limit(confidence)) <= 2 * expected + 3 * np.sqrt(expected / 40000)
    assert np.mean(spe > pca.spe_limit(0.99, method="box")) > 0.03


@pytest.mark.parametrize("method", ["roipca", "exact"])
def test_limits_are_there_for_any_number_of_components(method):
    rows = process(3000, "gaussian")
    pca = OnlinePCA(0.9, method=method).fit(rows)
    held = OnlinePCA(8, method=method).fit(rows)
    assert held.set_params(n_components=pca.n_components_).t2_limit(0.99) == pytest.approx(pca.t2_limit(0.99), rel=0.05)
    new = process(20000, "gaussian", seed=1)
    assert 0.005 <= np.mean(pca.spe(new) > pca.spe_limit(0.99)) <= 0.02


def test_limits_forget_with_the_rows():
    rows = np.concatenate([process(5000, "gaussian"), 3 * process(5000, "gaussian", seed=1)])
    # 25 times the rows that count: third powers of the jump take long to be forgotten.
    pca = OnlinePCA(5, forgetting=0.995).fit(rows)
    alone = OnlinePCA(5, forgetting=0.995).fit(rows[5000:])
    assert pca.spe_limit(0.99) == pytest.approx(alone.spe_limit(0.99), rel=0.2)


def test_limits_of_merged_parts_are_those_of_the_whole():
    rows = process(8000, "gaussian")
    whole = OnlinePCA(5).fit(rows)
    parts = OnlinePCA(5).fit(rows[:4000]).merge(OnlinePCA(5).fit(rows[4000:]))
    assert parts.t2_limit(0.99) == pytest.approx(whole.t2_limit(0.99), rel=0.05)
    assert parts.spe_limit(0.99) == pytest.approx(whole.spe_limit(0.99), rel=0.05)


def test_limits_survive_saving_and_pickling(tmp_path):
    pca = OnlinePCA(5).fit(process(1000, "gaussian"))
    pca.save(tmp_path / "model.safetensors")
    for copy in (OnlinePCA.load(tmp_path / "model.safetensors"), pickle.loads(pickle.dumps(pca))):
        assert copy.t2_limit(0.99) == pca.t2_limit(0.99)
        assert copy.spe_limit(0.99) == pca.spe_limit(0.99)


@pytest.mark.parametrize("kind", ["gaussian", "heavy"])
@pytest.mark.parametrize(
    "options",
    [{"method": name} for name in ("froipca", "ccipca", "gha", "oja", "fd")]
    + [{"method": name, "update_every": "row"} for name in ("roipca", "ipca")],
    ids=str,
)
def test_new_rows_exceed_the_limits_of_methods_row_by_row_as_often_as_they_say(options, kind):
    pca = OnlinePCA(5, **options).fit(process(5000, kind))
    rows = process(40000, kind, seed=1)
    for confidence in CONFIDENCES:
        expected = 1 - confidence
        for values, limit in ((pca.t2(rows), pca.t2_limit), (pca.spe(rows), pca.spe_limit)):
            rate = np.mean(values > limit(confidence))
            # 40 rows of 40,000 are expected at the last: three deviations more.
            assert rate <= 2 * expected + 3 * np.sqrt(expected / 40000), confidence
            # Moments of heavy tails give limits that are too high for a small confidence.
            assert rate >= expected / (2 if kind == "gaussian" else 4), confidence


@pytest.mark.parametrize("method", ["roipca", "exact"])
@pytest.mark.parametrize("kind", ["gaussian", "heavy"])
def test_rows_with_gaps_exceed_the_limits_as_often_as_they_say(kind, method):
    learned, rows = process(5000, kind), process(40000, kind, seed=1)
    for seed, of in enumerate((learned, rows)):
        of[np.random.default_rng(seed).random(of.shape) < 0.1] = np.nan  # one row in seventy is complete
    pca = OnlinePCA(5, method=method, missing="impute").fit(learned)
    for confidence in CONFIDENCES:
        expected = 1 - confidence
        for values, limit in ((pca.t2(rows), pca.t2_limit), (pca.spe(rows), pca.spe_limit)):
            # Three deviations more than twice the nominal number, as above.
            assert np.mean(values > limit(confidence)) <= 2 * expected + 3 * np.sqrt(expected / 40000), confidence
            assert np.mean(values > limit(confidence)) >= expected / 4, confidence


def test_few_rows_have_the_limits_of_textbooks():
    pca = OnlinePCA(5, method="froipca").fit(process(18, "gaussian"))  # none scored before 3 (5 + 1) rows
    assert pca.t2_limit(0.99) == pca.t2_limit(0.99, method="f")
    assert pca.spe_limit(0.99) == pca.spe_limit(0.99, method="box")
    with pytest.raises(RuntimeError, match="no row was scored"):
        pca.t2_limit(0.99, method="prequential")


def test_wrong_arguments_of_limits_are_refused():
    pca = OnlinePCA(5).fit(process(1000, "gaussian"))
    with pytest.raises(ValueError, match="confidence"):
        pca.t2_limit(99)
    with pytest.raises(ValueError, match=r"confidence must be a number between 0 and 1, not '0\.99'"):
        pca.spe_limit("0.99")
    with pytest.raises(ValueError, match="box"):
        pca.t2_limit(0.99, method="box")
    with pytest.raises(ValueError, match="of must be"):
        pca.contributions(process(3, "gaussian"), of="q")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_contributions_add_up(dtype):
    rows = process(500, "gaussian").astype(dtype)
    pca = OnlinePCA(5).fit(rows)
    tolerance = 1000 * np.finfo(dtype).eps
    spe, t2 = pca.contributions(rows), pca.contributions(rows, of="t2")
    np.testing.assert_allclose(spe.sum(axis=1), pca.spe(rows), rtol=tolerance)
    np.testing.assert_allclose(t2.sum(axis=1), pca.t2(rows), rtol=tolerance, atol=tolerance * 100)
    residual = rows - pca.inverse_transform(pca.transform(rows))
    np.testing.assert_allclose(spe, residual**2, rtol=0, atol=100 * tolerance)


def test_monitor_says_what_the_model_says_and_learns_normal_rows():
    rows = process(2000, "gaussian")
    pca = OnlinePCA(5).fit(rows)
    model = pickle.loads(pickle.dumps(pca))
    odd = rows[3].copy()
    odd[17] += 30
    reading = pca.monitor(rows[5])
    assert reading.t2 == pytest.approx(model.t2(rows[5:6])[0])
    assert reading.spe == pytest.approx(model.spe(rows[5:6])[0])
    assert reading.spe_limit == model.spe_limit(0.99)
    assert reading.is_learned and not reading.alarm
    reading = pca.monitor(odd)
    assert reading.alarm and not reading.is_learned
    assert reading.statistic == "spe" and reading.features[0] == 17
    assert len(reading.contributions) == 3 and reading.contributions[0] == max(reading.contributions)
    assert pca.n_samples_seen_ == 2001
    assert "alarm=True" in repr(reading)


def test_monitor_counts_rows_and_holds_alarms():
    rows = process(2000, "gaussian")
    pca = OnlinePCA(5).fit(rows)
    odd = rows[3].copy()
    odd[17] += 30
    rule = {"confidence": 0.999999, "alarm_rows": (2, 3), "hold": 2, "learn": "none"}
    alarms = [pca.monitor(odd if kind == "b" else rows[5], **rule).alarm for kind in "b..b.b....."]
    assert alarms == [letter == "A" for letter in "-----AA----"]
    assert pca.n_samples_seen_ == 2000


def test_monitor_learns_a_single_row_beyond_a_limit_late_and_the_first_rows_of_a_fault_never():
    rows = process(2000, "gaussian")
    pca = OnlinePCA(5).fit(rows)
    odd = rows[3].copy()
    odd[17] += 30
    rule = {"confidence": 0.999999, "alarm_rows": (3, 5), "hold": 5}
    readings = [pca.monitor(row, **rule) for row in (odd, *rows[5:8])]
    assert pca.n_samples_seen_ == 2003
    before = pca.mean_[17]
    reading = pca.monitor(odd, **rule)
    assert [r.n_learned_late for r in (*readings, reading)] == [0, 0, 0, 0, 1]
    assert not reading.is_learned and pca.n_samples_seen_ == 2004
    assert pca.mean_[17] == pytest.approx(before + (odd[17] - before) / 2004)
    # Two more: with the one that waits, three of five rows.
    assert [pca.monitor(odd, **rule).alarm for _ in range(2)] == [False, True]
    for row in rows[10:30]:
        assert pca.monitor(row, **rule).n_learned_late == 0
    assert pca.n_samples_seen_ == 2004 + 20 - 4  # the alarm ends at the fifth row within the limits


def test_monitor_of_a_stream_from_its_first_row():
    rows = process(600, "gaussian")
    pca = OnlinePCA(5)
    alarms = [pca.monitor(row, confidence=0.9999).alarm for row in rows]
    assert pca.n_samples_seen_ == 600 - sum(alarms)
    assert sum(alarms) <= 3
    odd = rows[3].copy()
    odd[2] -= 40
    assert pca.monitor(odd, confidence=0.9999).features[0] == 2


@pytest.mark.parametrize("n_components", [0.9, "auto", None])
def test_monitor_from_the_first_row_chooses_its_components_when_the_warm_up_ends(n_components):
    X = process(1200, "gaussian")
    chosen = OnlinePCA(OnlinePCA(n_components).fit(X[:200]).n_components_)
    pca = OnlinePCA(n_components)
    for row in X:
        reading = pca.monitor(row, warm_up=200, learn="all")
        same = chosen.monitor(row, warm_up=200, learn="all")
    assert chosen.n_components > 1
    # The monitors read their limits at rows up to a sixteenth apart. The limit of one component is less than half.
    assert reading.t2_limit == pytest.approx(same.t2_limit, rel=0.05)
    faulty = X[0].copy()
    faulty[7] += 20
    assert pca.monitor(faulty, warm_up=200, learn="all").alarm


def test_monitor_accepts_what_update_accepts_and_refuses_bad_rows():
    rows = process(500, "gaussian")
    pca = OnlinePCA(5).fit(rows)
    assert pca.monitor(list(rows[0]), learn="none").t2 == pca.monitor(rows[0], learn="none").t2
    bad = rows[0].copy()
    bad[3] = np.nan
    with pytest.raises(DataError):
        pca.monitor(bad)


@pytest.mark.parametrize(
    "name, value, valid",
    [
        *(("confidence", value, "a number between 0 and 1") for value in (99, 0, 1.0, np.nan, "0.99", None)),
        *(
            ("alarm_rows", value, r"two integers \(m, n\), with 1 <= m <= n <= 64")
            for value in ((5, 3), (0, 3), (1, 65), (1.5, 3), (1, 2, 3), "3/5", 3)
        ),
        *(("hold", value, "an integer of at least 0") for value in (-1, 1.5, None, True)),
        *(("warm_up", value, "an integer of at least 0") for value in (-1, 1.5, "all")),
        *(("learn", value, '"none", "normal" or "all"') for value in (False, None, "some")),
    ],
)
def test_a_wrong_argument_of_monitor_is_named_with_its_value(name, value, valid):
    rows = process(500, "gaussian")
    for pca in (OnlinePCA(5), OnlinePCA(5).fit(rows)):
        before = pickle.dumps(pca)
        with pytest.raises(ValueError, match=f"^{name} must be {valid}, not {re.escape(repr(value))}$"):
            pca.monitor(rows[0], **{name: value})
        assert pickle.dumps(pca) == before


def test_monitor_takes_numbers_of_numpy_as_arguments():
    rows = process(500, "gaussian")
    pca = OnlinePCA(5).fit(rows)
    usual = pca.monitor(rows[0], confidence=0.95, alarm_rows=(2, 3), learn="none")
    for alarm_rows in ([2, 3], (np.int64(2), np.int32(3))):
        reading = pca.monitor(rows[0], confidence=np.float64(0.95), alarm_rows=alarm_rows, learn="none")
        assert reading.t2_limit == usual.t2_limit


def test_the_names_of_a_series_are_those_of_the_features():
    frame = pd.DataFrame(process(500, "gaussian"), columns=[f"sensor{j}" for j in range(40)])
    row = frame.iloc[0]
    pca = OnlinePCA(5).fit(frame)
    expected = pca.monitor(row.to_numpy(), learn="none")
    reading = pca.monitor(row, learn="none")
    assert (reading.t2, reading.spe) == (expected.t2, expected.spe)
    with pytest.raises(ValueError, match=r"feature names should match.*\nThey are in another order"):
        pca.monitor(row[::-1])
    with pytest.raises(ValueError, match=r"feature names should match.*\nunexpected: 'x'; missing: 'sensor3'"):
        pca.monitor(row.rename({"sensor3": "x"}))
    assert pca.n_samples_seen_ == 500
    assert pca.monitor(row.reset_index(drop=True), learn="none").t2 == expected.t2  # numbers are no names


def _keep_by_pickle(pca, folder):
    return pickle.loads(pickle.dumps(pca))


def _keep_by_file(pca, folder):
    pca.save(folder / "model.safetensors")
    return OnlinePCA.load(folder / "model.safetensors")


@pytest.mark.parametrize("keep", [_keep_by_pickle, _keep_by_file])
@pytest.mark.parametrize("begin", [lambda pca, folder: pca, _keep_by_file], ids=["fitted", "loaded"])
@pytest.mark.parametrize("learn, counted", [("none", 0), ("normal", 1), ("all", 1)])
def test_rows_without_values_that_the_monitor_counts_are_kept(begin, keep, learn, counted, tmp_path):
    pca = begin(OnlinePCA(3, missing="impute").fit(process(500, "gaussian")), tmp_path)
    assert pca.n_empty_rows_ == 0
    keep(pca, tmp_path)  # a model was read before the row
    assert pca.monitor(np.full(40, np.nan), learn=learn).is_empty
    assert pca.n_empty_rows_ == counted
    assert keep(pca, tmp_path).n_empty_rows_ == counted


def test_monitor_takes_microseconds():
    rows = process(2000, "gaussian")
    pca = OnlinePCA(5).fit(rows)
    best = np.inf
    for _ in range(5):
        start = time.thread_time()
        for row in rows[:1000]:
            pca.monitor(row)
        best = min(best, (time.thread_time() - start) / 1000)
    # Measured: a few microseconds. A hundred would be transform's cost, which is checking arrays.
    assert best < 50e-6
