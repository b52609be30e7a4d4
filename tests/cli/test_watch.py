"""The live page: what it serves, to whom, and what a browser shows of it."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import browser
import numpy as np
import pytest

SENSORS = [f"sensor_{i}" for i in range(12)]


def sensor_rows(n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    mixing = np.random.default_rng(99).standard_normal((3, len(SENSORS)))
    return 20 + rng.standard_normal((n, 3)) @ mixing + 0.3 * rng.standard_normal((n, len(SENSORS)))


def as_csv(rows: np.ndarray, *, header: bool = False) -> bytes:
    lines = [",".join(SENSORS)] if header else []
    lines += [",".join(f"{number:.6g}" for number in row) for row in rows]
    return "".join(line + "\n" for line in lines).encode()


class Watched:
    """A running command, and its page."""

    def __init__(self, process: subprocess.Popen) -> None:
        self.process = process
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        found = re.search(r"at (http://\S+) ", line)
        assert found, line + process.stderr.read().decode()
        self.url = found[1]
        self.port = urlsplit(self.url).port

    def feed(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def get(self, path: str, *, host: str = "127.0.0.1", method: str = "GET") -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, headers={"Host": host})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def state(self) -> dict:
        """Everything, as a page that is opened gets it."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as client:
            client.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            text = b""
            while b"\n\n" not in text.split(b"\r\n\r\n", 1)[-1]:
                text += client.recv(1 << 16)
        data = next(line for line in text.decode().split("\n") if line.startswith("data: "))
        return json.loads(data[len("data: ") :])

    def wait_for(self, rows: int) -> dict:
        for _ in range(200):
            state = self.state()
            if state["rows"] >= rows:
                return state
            time.sleep(0.05)
        raise AssertionError(state)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.wait(20)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


@pytest.fixture
def watch(roipca) -> Iterator:
    running = []

    def start(*arguments: object) -> Watched:
        watched = Watched(roipca.start("watch", *arguments, stdin=subprocess.PIPE))
        running.append(watched)
        return watched

    yield start
    for watched in running:
        watched.stop()


def broken(sensor: int, n: int = 40) -> np.ndarray:
    rows = sensor_rows(n, seed=5)
    rows[:, sensor] += 15
    return rows


def test_a_fault_raises_an_alarm_that_names_its_sensor(watch):
    watched = watch("-", "-k", 3, "--port", 0, "--confidence", "0.9999", "--alarm", "3/5", "--hold", 10)
    watched.feed(as_csv(sensor_rows(2000), header=True))
    calm = watched.wait_for(2000)
    assert not calm["alarm"] and calm["alarms"] == []
    assert calm["t2Limit"] > 0 and calm["speLimit"] > 0
    watched.feed(as_csv(broken(7)))
    state = watched.wait_for(2040)
    assert state["alarm"]
    (alarm,) = state["alarms"]
    assert alarm["first"] == 2003 and alarm["open"]
    assert alarm["features"][0] == "sensor_7"
    assert state["learned"] == 2002  # not the rows in alarm
    watched.feed(as_csv(sensor_rows(200, seed=6)))
    state = watched.wait_for(2240)
    assert not state["alarm"] and not state["alarms"][0]["open"]
    status, text = watched.get("/alarms.csv")
    assert status == 200
    assert text.splitlines()[0] == "alarm,begin,first_row,last_row,is_open,statistic,times_limit,features"
    assert "sensor_7" in text.splitlines()[1]


def test_rows_are_shown_as_they_come_and_counted_to_the_last(watch):
    watched = watch("-", "-k", 3, "--port", 0)
    watched.feed(as_csv(sensor_rows(1), header=True))
    assert watched.wait_for(1)["rows"] == 1
    watched.feed(as_csv(sensor_rows(20000)))
    state = watched.wait_for(20001)
    assert state["rows"] == 20001
    assert sum(bucket["last"] - bucket["first"] + 1 for bucket in state["buckets"]) <= 20001
    assert len(state["points"]) <= 400


def test_bad_rows_are_skipped_and_counted(watch):
    watched = watch("-", "-k", 3, "--port", 0)
    watched.feed(as_csv(sensor_rows(500), header=True) + b"1,2,x\n" + as_csv(sensor_rows(500)))
    assert watched.wait_for(1000)["rows"] == 1000
    time.sleep(0.3)
    assert watched.state()["skipped"] == 1


class Fifo:
    """A named pipe whose other side is open, so that nobody waits for it."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.descriptor = os.open(path, os.O_RDWR)

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.descriptor, data) :]


def test_a_named_pipe_may_lose_its_writer_and_find_another(watch, tmp_path):
    fifo = Fifo(tmp_path / "pipe")
    fifo.write(as_csv(sensor_rows(300), header=True))
    watched = watch("pipe", "-k", 3, "--port", 0)
    watched.wait_for(300)
    os.close(fifo.descriptor)
    time.sleep(0.3)
    with (tmp_path / "pipe").open("wb") as another:
        another.write(as_csv(sensor_rows(300), header=True))  # its names are a bad row
    state = watched.wait_for(600)
    assert state["rows"] == 600 and state["status"] == "live"


def test_a_growing_file_is_followed(watch, tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(as_csv(sensor_rows(300), header=True))
    watched = watch(path, "-k", 3, "--port", 0)
    watched.wait_for(300)
    with path.open("ab") as file:
        file.write(as_csv(sensor_rows(50)))
    assert watched.wait_for(350)["rows"] == 350


def test_a_run_that_was_killed_resumes_from_its_checkpoint(watch, roipca, tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(as_csv(sensor_rows(3000), header=True))
    watched = watch(path, "-k", 3, "--port", 0, "--checkpoint", "kept", "--every", 500, "--learn", "all")
    watched.wait_for(3000)
    for _ in range(100):
        if (tmp_path / "kept").exists():
            break
        time.sleep(0.05)
    watched.process.kill()
    watched.process.wait(20)
    again = watch(path, "-k", 3, "--port", 0, "--resume", "kept", "--learn", "all", "-o", "model")
    state = again.wait_for(3000)
    assert state["rows"] == 3000
    assert state["learned"] < 3000  # the others were in the checkpoint
    again.stop()
    info = json.loads(roipca("info", "model", "--json"))
    assert info["rows"] == 3000


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


def test_wrong_usage_is_refused(roipca):
    for option in ("--alarm 3/2", "--alarm x", "--confidence 99", "--learn some", "--port -1"):
        roipca.refuse("watch", "-", "-k", 3, *option.split(), code=2, data=b"1,2,3,4\n")
    assert "there is no such file" in roipca.refuse("watch", "missing.csv", "-k", 3)


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
        page.point_at("#spe svg", 0.9)
        wait("!document.getElementById('tooltip').hidden")

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
