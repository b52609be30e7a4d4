"""The report as a browser sees it. Left out where there is no Chromium."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium here")


def browse(page, *options):
    """What a browser that must not use the network prints about a page."""
    profile = page.parent / "profile"
    quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    command = [BROWSER, *quiet, f"--user-data-dir={profile}", *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, timeout=120, check=True).stdout.decode()


@pytest.mark.parametrize("options, expected", [([], "svg"), (["--image", "5x8"], "img")])
def test_the_plots_are_drawn_and_the_page_makes_no_request(roipca, tmp_path, rows, options, expected):
    names = ["<img src=http://example.com/a.png>", *(f"x{i}" for i in range(39))]
    np.savetxt(tmp_path / "a.csv", rows, delimiter=",", header=",".join(names), comments="")
    roipca("fit", "a.csv", "-k", 3, "-o", "m")
    roipca("report", "m", "-o", "page.html", *options)
    page = tmp_path / "page.html"
    log = tmp_path / "net.json"
    dom = browse(page, f"--log-net-log={log}", "--dump-dom")
    assert len(re.findall(f"<{expected}", dom)) == (5 if expected == "svg" else 3)
    requests = [event.get("params", {}).get("url", "") for event in json.loads(log.read_text())["events"]]
    assert not [url for url in requests if "example.com" in url]

    # Drawn, and not only written: the page has colours that only the plots have.
    browse(page, f"--screenshot={tmp_path / 'page.png'}", "--window-size=800,2400")
    assert (tmp_path / "page.png").stat().st_size > 10000
