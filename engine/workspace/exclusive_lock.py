"""Blocks of code that only one studio of the user is in at a time: locks by name, dropped when their process ends."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from zlib import crc32

from engine.file_lock import HAS_LOCKS, is_held_elsewhere
from engine.own_files import make_private_folder
from engine.places import state_dir

FILES = 64
"""How many files there are for all names. None is ever removed, so each name has one file for good."""
_POLL_SECONDS = 0.01


class HeldElsewhere(TimeoutError):
    """Another studio held a lock for too long."""


@contextmanager
def exclusively(name: str, *, seconds: float = 5.0) -> Generator[None]:
    """Let no other process or thread of the user into a block of the same `name`; wait up to `seconds` for that.

    Raises `HeldElsewhere`. Where there can be no locks nothing is waited for. A few names share a lock. Blocks.
    """
    descriptor = _lock_file(name)
    try:
        if descriptor is not None:
            _lock_within(descriptor, seconds)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _lock_file(name: str) -> int | None:
    """An open file for the lock of `name`; None if there can be none."""
    if not HAS_LOCKS:
        return None
    folder = state_dir() / "locks"
    number = crc32(name.encode("utf-8", "surrogateescape")) % FILES
    try:
        make_private_folder(folder)
        return os.open(folder / f"{number}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    except OSError:
        return None


def _lock_within(descriptor: int, seconds: float) -> None:
    end = time.monotonic() + seconds
    while is_held_elsewhere(descriptor):
        if time.monotonic() >= end:
            raise HeldElsewhere(errno.ETIMEDOUT, "another studio is at it and does not answer")
        time.sleep(_POLL_SECONDS)
