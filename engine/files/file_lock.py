"""Locks on files that the system drops when the process ends, where the file system has them."""

from __future__ import annotations

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None

HAS_LOCKS = fcntl is not None
"""Whether the system has these locks; a file system may lack them all the same."""


def lock(descriptor: int, *, wait: bool = False) -> bool | None:
    """Lock an open file for this process alone, until it is closed, also by the end of the process.

    False if another process holds the lock and `wait` is not set, None if the file system has no locks.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def is_locked(path: Path) -> bool:
    """Whether a process holds a lock on the file that `path` leads to. Raises `FileNotFoundError`.

    Asks for a shared lock, so two that ask at once do not take each other for the owner. An owner that replaces its
    file closes the older one after that: a lock that is free counts only if the path still leads to the file.
    """
    if fcntl is None:
        return False
    while True:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return False
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
