"""Which skips pytest accepts, and signals as at a terminal.

Not in tests/, which pytest would add to the path of imports: there the folder `sparse` would pass for a package.
"""

from __future__ import annotations

import os
import signal

import pytest

# A shell that starts pytest in the background lets it ignore these, and so would every program that a test starts.
for number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

# Reasons that depend on the machine or its Python. `make test` installs everything else that a test needs.
ALLOWED = (
    "this machine has no such instruction set",
    "nanobind has the stable ABI from Python 3.12 on",
    "its data is missing",
)


def _forbid_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if "ROIPCA_NO_SKIPS" not in os.environ or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
    if not any(allowed in reason for allowed in ALLOWED):
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid}: {reason} (skips are failures: ROIPCA_NO_SKIPS)"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Turn a skip of a test into a failure."""
    report = yield
    _forbid_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Turn a skip of a module into a failure."""
    report = yield
    _forbid_skip(report)
    return report
