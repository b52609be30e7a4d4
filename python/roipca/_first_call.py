"""Lets threads share an estimator from its first rows on, and processes fork while they do."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

from . import _core

_ATTRIBUTE = "_first_call"


class FirstCall:
    """The lock of an estimator that has not seen rows yet. Copies and unpickled estimators have their own."""

    def __init__(self) -> None:
        self.renew()
        _ALL.add(self)

    def __reduce__(self) -> tuple:
        return FirstCall, ()

    def renew(self) -> None:
        """Forgets who holds the lock."""
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()


_ALL: weakref.WeakSet[FirstCall] = weakref.WeakSet()


def first_call(estimator: Any) -> FirstCall:
    """Returns the estimator's lock. Its holder must check again whether the estimator has seen rows."""
    return vars(estimator).setdefault(_ATTRIBUTE, FirstCall())


def has_seen_rows(estimator: Any) -> None:
    """Drops the lock: from now on the C++ estimator lets in one thread at a time."""
    vars(estimator).pop(_ATTRIBUTE, None)


def _after_fork_in_child() -> None:
    """The threads that held the locks of first calls do not exist in the forked process."""
    _core.after_fork()
    for call in _ALL:
        call.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_core.before_fork,
        after_in_parent=_core.after_fork,
        after_in_child=_after_fork_in_child,
    )
