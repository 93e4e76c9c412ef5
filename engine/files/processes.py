"""Other processes: the environment of those that are started, what tells one from another, and who is in a block alone.

A child process gets the variables that it needs, and never a key: every child is started with `child_environment`. To
start another program, add a member to `Child`. A process is known by its id, its start and its host. Blocks of code
that only one studio of the user is in at a time have locks by name, dropped when their process ends.
"""

from __future__ import annotations

import errno
import functools
import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from zlib import crc32

from engine.files.atomic import HAS_LOCKS, lock
from engine.files.own_files import (
    CannotSetAside,
    identity,
    is_unusable,
    make_private_folder,
    reason,
    report,
    set_aside,
    state_dir,
)
from engine.text.record import Record

_LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_DEVICES = ("CUDA_", "GGML_", "HIP_", "OMP_", "ROCR_", "VK_")
"""How variables begin that native code reads for its devices and threads."""
_NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
_USUAL = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP")


class Child(Enum):
    """The programs that are started. The values are the variables that each gets; an `_` ends those of a family."""

    PYTHON = (*_USUAL, *_LIBRARIES, *_DEVICES)
    """Python with the packages of this one."""
    JAVASCRIPT = _LIBRARIES
    """The same for code of authors, which is told nothing of the machine."""
    PIP = (*_USUAL, "HOME", "XDG_", "PIP_", *_LIBRARIES, *_NETWORK, *map(str.lower, _NETWORK))
    GIT = (*_USUAL, "HOME", "XDG_CONFIG_HOME")
    """Which files git ignores is told in the author's home, too."""
    CHROMIUM = (*_USUAL, "HOME", "XDG_", *_LIBRARIES)
    PS = _USUAL


def child_environment(child: Child) -> dict[str, str]:
    """The variables for a child process. All others may hold keys."""
    families = tuple(name for name in child.value if name.endswith("_"))
    passed = {name: value for name, value in os.environ.items() if name in child.value or name.startswith(families)}
    if child in (Child.PYTHON, Child.JAVASCRIPT):
        passed["PYTHONPATH"] = os.pathsep.join(str(Path(path).absolute()) for path in sys.path if path)
    return passed


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
