"""Headless Chromium, driven through its debugging pipe: what a user sees and does, without a network."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]


class Page:
    """One page. Chromium reads commands from descriptor 3 and writes answers to 4, each ended by a zero byte."""

    def __init__(
        self, place: Path | str, profile: Path, *, width: int = 1200, height: int = 900, dark: bool = False
    ) -> None:
        assert CHROMIUM is not None
        self.messages: list[str] = []
        self.requests: list[str] = []
        self._number = 0
        self._pending = b""
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        # Out of the way of 3 and 4.
        high_commands, high_answers = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (commands, answers))
        flags = [*FLAGS, f"--user-data-dir={profile}"]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{high_commands} 4>&{high_answers}', "bash", CHROMIUM, *flags],
            pass_fds=(high_commands, high_answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(high_commands)
        os.close(high_answers)
        os.close(commands)
        os.close(answers)
        self._session: str | None = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.resize(width, height)
        self.emulate(dark=dark)
        self.send("Page.navigate", url=place if isinstance(place, str) else place.as_uri())
        self.run("new Promise((done) => document.readyState === 'complete' ? done() : (onload = done))")
        self.settle()

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._commands)
        os.close(self._answers)
        self._process.terminate()
        self._process.wait(30)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Returns the answer to a command, and collects the events that come before it."""
        self._number += 1
        command: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self._collect(answer.get("method"), answer.get("params", {}))

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._pending:
            part = os.read(self._answers, 1 << 16)
            assert part, "Chromium ended"
            self._pending += part
        answer, self._pending = self._pending.split(b"\0", 1)
        return json.loads(answer)

    def _collect(self, event: str | None, parameters: dict[str, Any]) -> None:
        if event in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.messages.append(json.dumps(parameters))
        elif event == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def run(self, script: str) -> Any:
        """Returns the value of an expression in the page."""
        result = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def settle(self) -> None:
        """Waits until sizes were observed and drawn."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def resize(self, width: int, height: int) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def emulate(self, *, dark: bool = False, media: str = "") -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def point_at(self, selector: str, x: float = 0.5, y: float = 0.5) -> None:
        """Moves the mouse to a place in an element, given as parts of its width and height."""
        self.send("Input.dispatchMouseEvent", type="mouseMoved", **self._place(selector, x, y))
        self.settle()

    def touch(self, selector: str, x: float = 0.5, y: float = 0.5) -> None:
        """Puts a finger on a place in an element, and lifts it."""
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[self._place(selector, x, y)])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.settle()

    def _place(self, selector: str, x: float, y: float) -> dict[str, float]:
        element = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{element}.scrollIntoView({{block: 'center'}})")
        box = self.run(f"{element}.getBoundingClientRect().toJSON()")
        self.settle()
        return {"x": box["x"] + x * box["width"], "y": box["y"] + y * box["height"]}

    def screenshot(self) -> bytes:
        """Returns all of the page as PNG."""
        return base64.b64decode(self.send("Page.captureScreenshot", captureBeyondViewport=True)["data"])

    def pdf(self) -> bytes:
        return base64.b64decode(self.send("Page.printToPDF", printBackground=False, preferCSSPageSize=True)["data"])
