"""The worked example of docs/monitoring.md. Needs the data in the package bibmon (`pip install --no-deps bibmon`)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "bench" / "tennessee_eastman.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("tennessee_eastman", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tennessee_eastman"] = module
    spec.loader.exec_module(module)
    folder = module.find_data()
    if folder is None:
        pytest.skip("bibmon, which has the data, is not installed")
    return module, folder


@pytest.fixture(scope="module")
def watcher(example):
    module, folder = example
    return module.Roipca(module.load(folder, "d00.dat"))


@pytest.mark.parametrize("confidence", [0.95, 0.99, 0.999])
def test_false_alarms_are_within_a_factor_of_two_of_nominal(example, watcher, confidence):
    module, folder = example
    normal = module.normal_rows(folder)
    assert len(normal) == 4160
    for beyond in watcher.beyond(normal, confidence).values():
        # Four rows are expected at 99.9 %: what their number leaves open counts for the limit.
        low, high = module.counting_interval(int(beyond.sum()), len(normal))
        assert low <= 2 * (1 - confidence) and high >= (1 - confidence) / 2


def test_textbook_limits_of_spe_raise_several_times_as_many(example, watcher):
    module, folder = example
    beyond = watcher.beyond_by_each_limit(module.normal_rows(folder), 0.99)
    assert beyond["SPE Box"].mean() > 0.03 and beyond["SPE Jackson-Mudholkar"].mean() > 0.03


@pytest.mark.parametrize("fault", [1, 2, 6, 7, 8, 12, 13, 14, 17, 18])
def test_large_faults_are_found(example, watcher, fault):
    module, folder = example
    found = module.detect(watcher, module.load(folder, f"d{fault:02}_te.dat"))
    assert found.found_by_any > 0.8
    assert found.delay is not None and found.delay <= 6 * 60


def test_published_figures_are_found_again_with_their_limits(example, watcher):
    module, folder = example
    published_limits = module.AsPublished(watcher, folder)
    for number, published in module.PUBLISHED.items():
        fault = module.detect(published_limits, module.load(folder, f"d{number:02}_te.dat"))
        # 10 and 20 of 800 rows: a limit that is one row of 960 changes a little with the scale of the variables.
        assert abs(1 - fault.found["T²"] - published.missed_by_t2) < 10.5 / 800
        assert abs(1 - fault.found["SPE"] - published.missed_by_spe) < 20.5 / 800
        assert (fault.delay is None) == (published.delay is None)
        assert fault.delay is None or abs(fault.delay - published.delay) <= module.MINUTES


def test_faults_are_found_no_later_than_published(example, watcher):
    module, folder = example
    for number, published in module.PUBLISHED.items():
        fault = module.detect(watcher, module.load(folder, f"d{number:02}_te.dat"))
        assert fault.found["T²"] > 1 - published.missed_by_t2 - 1 / 800
        assert fault.found["SPE"] > 1 - published.missed_by_spe - 1 / 800
        assert published.delay is None or (fault.delay is not None and fault.delay <= published.delay)
