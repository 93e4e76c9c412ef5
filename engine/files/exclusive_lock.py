"""Blocks of code that only one studio of the user is in at a time: locks by name, dropped when their process ends.

A process is known by its id, its start and its host.
"""

from __future__ import annotations

import errno
import functools
import os
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from zlib import crc32

from engine.files.child_environment import Child, child_environment
from engine.files.file_lock import HAS_LOCKS, lock
from engine.files.own_files import CannotSetAside, identity, is_unusable, make_private_folder, reason, report, set_aside
from engine.files.places import state_dir
from engine.text.record import Record


class ProcessIdentity(Record):
    """A process that no other is mistaken for: a process id is used again, but not with the same start.

    `started` is compared and never read; "" if the system does not tell.
    """

    pid: int
    started: str
    host: str


def this_process() -> ProcessIdentity:
    """The identity of this process. May start a program, so call it off the event loop."""
    return _identity_of(os.getpid())


@functools.lru_cache(maxsize=1)
def _identity_of(pid: int) -> ProcessIdentity:
    return ProcessIdentity(pid, _start_of(pid), this_host())


def this_host() -> str:
    """The name of this host."""
    return socket.gethostname()


def still_runs(process: ProcessIdentity) -> bool:
    """Whether `process`, of this host, still runs. A process whose start the system does not tell counts by its id."""
    if process.pid <= 0:
        return False
    try:
        os.kill(process.pid, 0)
    except PermissionError:
        pass
    except (OSError, OverflowError):
        return False
    return not process.started or _start_of(process.pid) == process.started


def _start_of(pid: int) -> str:
    """The start of a process: on Linux the boot and the clock ticks since it, elsewhere the time as `ps` prints it."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return f"{boot} {fields[19]}"
    except (OSError, IndexError):
        pass
    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    try:
        found = subprocess.run(
            command, capture_output=True, text=True, timeout=5, check=False, env=child_environment(Child.PS)
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return found.stdout.strip()


FILES = 64
"""How many files there are for all names. None is ever removed, so each name has one file for good."""
_POLL_SECONDS = 0.01
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_ALL = os.R_OK | os.W_OK | os.X_OK
_NO_LOCKS = "Until that is fixed, studios that save or change settings at the same time do not wait for each other."


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
        _prepare(folder)
        return _open(folder / f"{number}.lock")
    except CannotSetAside as error:
        report(f"{error.filename} cannot be used: {error.strerror}. {_NO_LOCKS}")
    except OSError:  # the state folder cannot be written: the journal reports that
        pass
    return None


def _prepare(folder: Path) -> None:
    """Make the folder usable; one that cannot be is set aside. Raises `OSError`."""
    make_private_folder(folder)
    if not os.access(folder, _ALL) and os.access(folder.parent, _ALL):
        set_aside(folder, "it is no folder that you can read and write", identity(folder))
        make_private_folder(folder)


def _open(path: Path) -> int:
    """An open lock file; what cannot be one is set aside. Raises `OSError`."""
    seen = identity(path)
    try:
        return os.open(path, _FLAGS, 0o600)
    except OSError as error:
        if seen is None or not (is_unusable(error) or isinstance(error, IsADirectoryError)):
            raise
        set_aside(path, reason(error), seen)
    return os.open(path, _FLAGS, 0o600)


def _lock_within(descriptor: int, seconds: float) -> None:
    end = time.monotonic() + seconds
    while lock(descriptor) is False:
        if time.monotonic() >= end:
            raise HeldElsewhere(errno.ETIMEDOUT, "another studio is at it and does not answer")
        time.sleep(_POLL_SECONDS)
