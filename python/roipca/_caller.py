"""Where the user called: the line that a warning names."""

from __future__ import annotations

import sys


def caller_level() -> int:
    """Return the stacklevel, for a warning of the function that calls this one, of the nearest code of the user."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("roipca", "sklearn"):
        frame = frame.f_back
        level += 1
    return level
