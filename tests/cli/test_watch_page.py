"""The page that `roipca watch` serves: who may see it, garbage requests, and what it shows in a browser."""

from __future__ import annotations

import re
import socket
import time
from urllib.parse import urlsplit

import browser
import pytest
from test_signals import wait_until
from watching import Fifo, as_csv, broken, sensor_rows


def test_the_page_is_for_this_machine_alone(watch):
    watched = watch("-", "-k", 3, "--port", 0, "--no-follow")
    watched.feed(as_csv(sensor_rows(200), header=True))
    assert watched.get("/")[0] == 200
    assert watched.get("/", host="localhost")[0] == 200
    assert watched.get("/", host="evil.example")[0] == 403
    assert watched.get("/missing")[0] == 404
    assert watched.get("/", method="POST")[0] == 405


def test_a_page_for_others_needs_its_token(watch):
    watched = watch("-", "-k", 3, "--port", 0, "--host", "0.0.0.0")
    watched.feed(as_csv(sensor_rows(200), header=True))
    token = urlsplit(watched.url).query
    assert re.fullmatch(r"token=[0-9a-f]{32}", token)
    assert watched.get("/", host="other.example")[0] == 403
    assert watched.get("/?token=" + "0" * 32)[0] == 403
    assert watched.get("/?" + token, host="other.example")[0] == 200


def test_garbage_and_clients_that_never_read_do_no_harm(watch):
    watched = watch("-", "-k", 3, "--port", 0)
    watched.feed(as_csv(sensor_rows(200), header=True))
    address = ("127.0.0.1", watched.port)
    for garbage in (b"\r\n\r\n", b"GET\r\n\r\n", b"\x00\xff" * 50 + b"\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"A" * 20000):
        with socket.create_connection(address, timeout=20) as client:
            client.sendall(garbage)
            assert client.recv(100).startswith(b"HTTP/1.1 400")
    silent = [socket.create_connection(address, timeout=20) for _ in range(50)]
    for client in silent:
        client.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    watched.feed(as_csv(sensor_rows(2000)))
    assert watched.wait_for(2200)["rows"] == 2200
    for client in silent:
        client.close()


def assert_contributions_of_the_row_pointed_at(page: browser.Page) -> None:
    def row() -> int:
        return int(page.run("document.getElementById('parts-note').textContent.replace(/\\D/g, '')"))

    latest = row()
    page.point_at("#spe svg", 0.99)
    assert not page.run("document.getElementById('tooltip').hidden")
    wait_until(lambda: row() > 2080)
    page.point_at("#spe svg", 0.1)
    wait_until(lambda: row() <= 2000)
    page.point_at("h1")
    wait_until(lambda: row() == latest)
    page.touch("#t2 svg", 0.99)
    wait_until(lambda: row() > 2080)  # the finger is lifted, and would hide what it touches
    page.touch("#t2 svg", 0.1)
    wait_until(lambda: row() <= 2000)
    page.touch("h1")
    wait_until(lambda: row() == latest)


@pytest.mark.skipif(browser.CHROMIUM is None, reason="no Chromium here")
def test_the_page_is_alive(watch, tmp_path):
    fifo = Fifo(tmp_path / "pipe")
    fifo.write(as_csv(sensor_rows(1), header=True))
    arguments = ("pipe", "-k", 3, "--confidence", "0.9999", "--alarm", "3/5")
    watched = watch(*arguments, "--port", 0)
    fifo.write(as_csv(sensor_rows(1999)))
    with browser.Page(watched.url, tmp_path / "profile") as page:

        def wait(condition: str) -> None:
            for _ in range(100):
                if page.run(condition):
                    return
                time.sleep(0.1)
            raise AssertionError(page.run("document.body.innerText"))

        for seed in range(5):
            fifo.write(as_csv(sensor_rows(20, seed=10 + seed)))
            time.sleep(0.25)
        wait("document.getElementById('rows').textContent === '2,100'")
        for chart in ("t2", "spe", "scores"):
            wait(f"document.querySelector('#{chart} svg path.line, #{chart} svg path.points') !== null")
        wait("document.querySelectorAll('#parts .loading').length > 0")
        assert page.run("document.getElementById('state').textContent") == "live"
        wait("known.buckets.at(-1).last === 2100")  # a point of the charts closes after the number of rows
        assert_contributions_of_the_row_pointed_at(page)

        fifo.write(as_csv(broken(7)))
        wait("document.getElementById('state').textContent === 'ALARM'")
        wait("document.querySelector('#log tbody td:last-child').textContent.startsWith('sensor_7')")

        page.run("document.getElementById('pause').click()")
        assert page.run("document.getElementById('state').textContent") == "paused"
        page.run("document.getElementById('pause').click()")

        # The command ends, and comes back: so does the page.
        watched.stop()
        wait("document.getElementById('state').textContent === 'no connection'")
        fifo.write(as_csv(sensor_rows(1), header=True))
        watch(*arguments, "--port", watched.port)
        fifo.write(as_csv(sensor_rows(1999)))
        wait("document.getElementById('rows').textContent === '2,000'")
        wait("document.getElementById('state').textContent === 'live'")

        page.resize(380, 800)
        page.settle()
        assert page.run("document.documentElement.scrollWidth") <= 380
        assert all(url.startswith(f"http://127.0.0.1:{watched.port}/") for url in page.requests)
