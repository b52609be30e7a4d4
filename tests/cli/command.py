"""Runs of the command in a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any


class Command:
    # Beside the interpreter, where the wheel puts it, unless another is to be tested.
    path = os.environ.get("ROIPCA_COMMAND", str(Path(sys.executable).parent / "roipca"))

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def start(self, *arguments: object, **options: Any) -> subprocess.Popen:
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.folder}
        return subprocess.Popen([self.path, *map(str, arguments)], **{**pipes, **options})

    def run(self, *arguments: object, data: bytes | None = None, **options: Any) -> subprocess.CompletedProcess:
        """Whatever the outcome."""
        return subprocess.run(
            [self.path, *map(str, arguments)],
            input=data,
            stdin=subprocess.DEVNULL if data is None else None,
            capture_output=True,
            cwd=self.folder,
            timeout=120,
            check=False,
            **options,
        )

    def __call__(self, *arguments: object, data: bytes | None = None) -> str:
        """Standard output of a run that must succeed and warn of nothing."""
        done = self.run(*arguments, data=data)
        assert done.returncode == 0, done.stderr.decode()
        assert done.stderr == b"", done.stderr.decode()
        return done.stdout.decode()

    def refuse(self, *arguments: object, code: int = 1, data: bytes | None = None, **options: object) -> str:
        """The one line that a run says which must fail and leave no file behind."""
        before = sorted(os.listdir(self.folder))
        done = self.run(*arguments, data=data, **options)
        message = done.stderr.decode()
        assert done.returncode == code, (done.returncode, message)
        assert message.startswith("roipca: ") and message.count("\n") == 1 and message.endswith("\n"), message
        assert sorted(os.listdir(self.folder)) == before
        return message
