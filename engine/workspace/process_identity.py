"""Which process wrote something, on which host, and whether that process still runs."""

from __future__ import annotations

import functools
import os
import socket
import subprocess
from pathlib import Path

from engine.child_environment import Child, child_environment
from engine.record import Record


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
