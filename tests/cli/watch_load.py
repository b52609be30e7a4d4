"""`roipca watch` under load: all rows that a pipe takes, many clients, bad ones among them, and a crash."""

from __future__ import annotations

import os
import selectors
import socket
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import browser
import numpy as np
from watching import SENSORS, Watched, sensor_rows

CLIENTS = 50
REQUEST = b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
ARGUMENTS = ["-", "-k", 3, "--port", 0, "--format", f"raw:f64:{len(SENSORS)}", "--alarm", "3/5", "--checkpoint", "kept"]
ROWS = 20_000  # of a block that is fed again and again
SILENT_SECONDS = 240  # after which the buffers of the system are full, too
EVERY = 100_000  # learned rows between two checkpoints: the default


class Feeder(threading.Thread):
    """Writes rows as fast as they are taken, with a fault now and then, and counts them."""

    def __init__(self, watched: Watched) -> None:
        super().__init__(daemon=True)
        rows = sensor_rows(ROWS)
        rows[ROWS // 2 : ROWS // 2 + 20, 7] += 15
        self.block = rows.tobytes()
        self.watched = watched
        self.rows = 0
        self.stopping = threading.Event()

    def run(self) -> None:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
        while not self.stopping.is_set():
            self.watched.feed(self.block)
            self.rows += ROWS

    def stop(self) -> int:
        """Returns the number of rows written."""
        self.stopping.set()
        self.join(60)
        assert not self.is_alive()
        return self.rows


class Clients(threading.Thread):
    """Clients that read what comes, others that never read, and garbage."""

    def __init__(self, watched: Watched) -> None:
        super().__init__(daemon=True)
        self.address = ("127.0.0.1", watched.port)
        self.events = [0] * CLIENTS
        self.dropped = 0  # of those that never read
        self.garbage = 0
        self.failures: list[str] = []
        self.stopping = threading.Event()

    def run(self) -> None:
        try:
            self.read_all()
        except Exception as error:
            self.failures.append(repr(error))

    def read_all(self) -> None:
        rng = np.random.default_rng(1)
        chooser = selectors.DefaultSelector()
        for i in range(CLIENTS):
            client = self.connect()
            client.sendall(REQUEST)
            client.setblocking(False)
            chooser.register(client, selectors.EVENT_READ, i)
        silent = self.connect_silent()
        next_bad, next_silent = time.monotonic(), time.monotonic() + SILENT_SECONDS
        while not self.stopping.is_set():
            for key, _ in chooser.select(0.1):
                assert isinstance(key.fileobj, socket.socket)
                data = key.fileobj.recv(1 << 20)
                assert data, f"client {key.data} lost its connection"
                self.events[key.data] += data.count(b"event: ")
            now = time.monotonic()
            if now >= next_bad:
                next_bad = now + 0.2
                self.send_garbage(rng)
            if now >= next_silent:
                next_silent = now + SILENT_SECONDS
                self.dropped += is_dropped(silent)
                silent.close()
                silent = self.connect_silent()
        for key in list(chooser.get_map().values()):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.close()
        silent.close()

    def connect(self) -> socket.socket:
        return socket.create_connection(self.address, timeout=60)

    def connect_silent(self) -> socket.socket:
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(60)
        client.connect(self.address)
        client.sendall(REQUEST)
        return client

    def send_garbage(self, rng: np.random.Generator) -> None:
        pieces = (rng.bytes(int(rng.integers(1, 3000))), b"GET / HTTP/1.1\r\n", b"GET " + b"/" * 9000, b"\r\n\r\n")
        with self.connect() as client:
            try:
                for place in rng.integers(len(pieces), size=3):
                    client.sendall(pieces[int(place)])
            except OSError:
                pass  # closed already, which is right
        self.garbage += 1

    def stop(self) -> None:
        self.stopping.set()
        self.join(60)
        assert self.failures == [] and not self.is_alive()


class Delays(threading.Thread):
    """Measures how late the machine wakes a program, to tell its delays from those of the page."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.late: list[float] = []  # ms
        self.stopping = threading.Event()

    def run(self) -> None:
        while True:
            begin = time.monotonic()
            if self.stopping.wait(0.05):
                return
            self.late.append(1000 * (time.monotonic() - begin - 0.05))

    def stop(self) -> None:
        self.stopping.set()
        self.join(60)


def is_dropped(client: socket.socket) -> bool:
    """Whether the server has closed the connection of a client that did not read: what is left ends."""
    client.settimeout(0.1)
    end = time.monotonic() + 1
    try:
        while client.recv(1 << 20):
            if time.monotonic() > end:
                return False
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


@dataclass
class Figures:
    """What was measured."""

    seconds: float = 0.0
    rows: int = 0
    alarms: int = 0
    resident: list[float] = field(default_factory=list)  # MB, once per second
    frames: list[float] = field(default_factory=list)  # ms between two frames of the page
    clicks: list[float] = field(default_factory=list)  # ms from a click until the page shows it
    updates: list[float] = field(default_factory=list)  # ms between two numbers of rows on the page
    heap: list[float] = field(default_factory=list)  # MB of the page
    delays: list[float] = field(default_factory=list)  # ms by which the machine was late for a timer
    events: list[int] = field(default_factory=list)  # of each client
    dropped: int = 0
    garbage: int = 0

    def summary(self) -> dict[str, Any]:
        tell = {
            "seconds": round(self.seconds),
            "rows": self.rows,
            "rows per second": round(self.rows / self.seconds),
            "alarms": self.alarms,
            "MB at first": self.early(),
            "MB at last": self.late(),
            "events per client": f"{min(self.events)} to {max(self.events)}",
            "clients dropped that never read": self.dropped,
            "garbage requests": self.garbage,
        }
        for name, values in (
            ("frame", self.frames),
            ("update", self.updates),
            ("click", self.clicks),
            ("late timer", self.delays),
        ):
            if values:
                middle, most, largest = np.percentile(values, [50, 99, 100])
                tell[f"ms per {name}: median, 99 %, largest"] = f"{middle:.0f}, {most:.0f}, {largest:.0f}"
        if self.heap:
            tell["MB of the page at first, at last"] = f"{self.heap[0]:.0f}, {self.heap[-1]:.0f}"
        return tell

    def early(self) -> float:
        """The largest resident memory in the second quarter; in the first one, it grows to what is bounded."""
        return round(max(self.resident[len(self.resident) // 4 : len(self.resident) // 2 + 1]), 1)

    def late(self) -> float:
        return round(max(self.resident[-(len(self.resident) // 4 + 1) :]), 1)


def resident_megabytes(process: int) -> float:
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("the process has ended")


# Frames and updates for a second, then a click.
MEASURE = """new Promise((done) => {
  const frames = [], updates = [], rows = document.getElementById('rows');
  let last = performance.now(), text = rows.textContent, changed = null;
  const begin = last;
  const frame = () => {
    const now = performance.now();
    frames.push(now - last);
    last = now;
    if (rows.textContent !== text) {
      if (changed !== null) updates.push(now - changed);
      changed = now;
      text = rows.textContent;
    }
    if (now - begin < 1000) return requestAnimationFrame(frame);
    const pause = document.getElementById('pause'), state = document.getElementById('state');
    const clicked = performance.now();
    setTimeout(() => {
      pause.click();
      requestAnimationFrame(() => requestAnimationFrame(() => {
        const click = performance.now() - clicked, shown = state.textContent;
        pause.click();
        done({frames, updates, click, shown, heap: performance.memory ? performance.memory.usedJSHeapSize / 1e6 : 0});
      }));
    });
  };
  requestAnimationFrame(frame);
})"""


def measure_page(page: browser.Page, figures: Figures) -> None:
    measured = page.run(MEASURE)
    assert measured["shown"] == "paused"
    figures.frames += measured["frames"]
    figures.updates += measured["updates"]
    figures.clicks.append(measured["click"])
    figures.heap.append(measured["heap"])


def run(roipca: Any, folder: Path, seconds: float) -> Figures:
    """Watches for so long at the highest rate, is killed, and resumes."""
    figures = Figures()
    watched = Watched(roipca.start("watch", *ARGUMENTS, stdin=subprocess.PIPE))
    feeder, clients, delays = Feeder(watched), Clients(watched), Delays()
    page = None
    try:
        feeder.start()
        watched.wait_for(1)
        clients.start()
        delays.start()
        page = browser.Page(watched.url, folder / "profile") if browser.CHROMIUM else None
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            figures.resident.append(resident_megabytes(watched.process.pid))
            if page is not None:
                measure_page(page, figures)
            time.sleep(1)
        delays.stop()
        figures.delays = delays.late
        figures.rows = feeder.stop()
        figures.seconds = time.monotonic() - begin
        state = watched.wait_for(figures.rows, seconds=60)
        # Not one row more or less, and none skipped.
        assert (state["rows"], state["skipped"]) == (figures.rows, 0)
        figures.alarms = state["alarms"][-1]["number"]
        clients.stop()
        figures.events, figures.dropped, figures.garbage = clients.events, clients.dropped, clients.garbage
    finally:
        if page is not None:
            page.__exit__()
        watched.process.kill()
        watched.stop()
    check_resumption(roipca, figures)
    return figures


def check_resumption(roipca: Any, figures: Figures) -> None:
    """The last checkpoint before kill -9 lacks fewer rows than lie between two; more rows are counted on top."""
    again = Watched(roipca.start("watch", *ARGUMENTS, "--resume", "kept", stdin=subprocess.PIPE))
    try:
        rows = sensor_rows(1000, seed=3)
        again.feed(rows[:1].tobytes())
        before = again.wait_for(1)["rows"] - 1
        unlearned = 25 * figures.alarms  # rows in alarm come on top of those between two checkpoints
        assert figures.rows - EVERY - 2 * ROWS - unlearned <= before <= figures.rows
        again.feed(rows[1:].tobytes())
        assert again.wait_for(before + 1000)["rows"] == before + 1000
    finally:
        again.stop()
