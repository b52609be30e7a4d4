"""Sensors to watch, and a running `roipca watch`."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

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

    def wait_for(self, rows: int, seconds: float = 10.0) -> dict:
        end = time.monotonic() + seconds
        while True:
            state = self.state()
            if state["rows"] >= rows:
                return state
            assert time.monotonic() < end, state
            time.sleep(0.05)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.wait(20)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


def broken(sensor: int, n: int = 40) -> np.ndarray:
    """Returns rows in which one sensor is far off."""
    rows = sensor_rows(n, seed=5)
    rows[:, sensor] += 15
    return rows


class Fifo:
    """A named pipe whose other side is open, so that nobody waits for it."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.descriptor = os.open(path, os.O_RDWR)

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.descriptor, data) :]
