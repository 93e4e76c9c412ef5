"""Ways in which a process ends itself in the midst of writing, and counting the moments for that.

A moment is the beginning or the end of a call of Python into the system: opening, writing, flushing, locking, renaming,
a statement of SQLite. A profile function sees all of them, whichever module makes the call.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from dataclasses import dataclass
from enum import StrEnum
from types import FrameType
from typing import Any

_CALLS_OF_FILES = ("open", "close", "write", "flush", "truncate", "ftruncate", "fsync", "fchmod", "fchown", "flock")
_CALLS_OF_NAMES = ("replace", "rename", "unlink", "mkdir", "chmod")
_STATEMENTS = ("execute", "executemany", "executescript")
_CALLS = frozenset([*_CALLS_OF_FILES, *_CALLS_OF_NAMES, *_STATEMENTS])
_MODULES = frozenset(["posix", "fcntl"])
_OBJECTS = frozenset(["_io", "sqlite3"])


class Way(StrEnum):
    """How a process dies."""

    COUNT = "count"
    """Not at all: the moments are counted."""
    AT_MOMENT = "at moment"
    """At the beginning or the end of a call."""
    AT_BYTE = "at byte"
    """By the system, within a write: no file may grow beyond a number of bytes."""
    TIMED = "timed"
    """By another process, after a time."""


@dataclass(frozen=True, slots=True)
class Death:
    """`at` is the number of the moment (from 1), the largest size of a file in bytes, or a time in seconds."""

    way: Way
    at: float = 0


NO_DEATH = Death(Way.COUNT)


class Dying:
    """Lets this process die as `death` says, once it is armed. `armed` is called at that moment."""

    def __init__(self, death: Death) -> None:
        self._death = death
        self._is_armed = False
        self._guard = threading.Lock()
        self.moments = 0
        """The moments so far, since it was armed."""

    def watch(self) -> None:
        """Count the moments of this thread and of those that start from now on."""
        if self._death.way in (Way.COUNT, Way.AT_MOMENT):
            threading.setprofile(self._profile)
            sys.setprofile(self._profile)

    def arm(self) -> None:
        """Die as soon as it is time."""
        if self._death.way is Way.AT_BYTE:
            import resource

            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(self._death.at), int(self._death.at)))
        self._is_armed = True

    def _profile(self, frame: FrameType, event: str, function: Any) -> None:
        if self._is_armed and event in ("c_call", "c_return", "c_exception") and _is_moment(function):
            with self._guard:
                self.moments += 1
                if self._death.way is Way.AT_MOMENT and self.moments == int(self._death.at):
                    die()


def die() -> None:
    """End this process as `kill -9` does."""
    os.kill(os.getpid(), signal.SIGKILL)


def _is_moment(function: Any) -> bool:
    if function.__name__ not in _CALLS:
        return False
    return function.__module__ in _MODULES or type(function.__self__).__module__ in _OBJECTS or function is open
