"""What a process holds: resident memory, threads, child processes, descriptors, asyncio tasks. Read from /proc."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

MEGABYTE = 1_000_000
POOL = min(32, (os.cpu_count() or 1) + 4)
"""How many threads asyncio's pool grows to."""
OWN_DESCRIPTORS = 6
"""Of a process that runs an event loop: three streams, its selector, and two sockets that wake it."""
_PR_SET_CHILD_SUBREAPER = 36
"""From <linux/prctl.h>."""


@dataclass(frozen=True, slots=True)
class Held:
    """`memory` in bytes; the others are counts. `tasks` are those of the event loop, 0 for another process."""

    memory: int
    threads: int
    children: int
    descriptors: int
    tasks: int = 0

    def more_than(self, before: Held) -> str:
        """The counts, not the memory, in which this is more than `before`, in words; "" if in none."""
        counts = [field.name for field in fields(self) if field.name != "memory"]
        grown = [(name, getattr(before, name), getattr(self, name)) for name in counts]
        return ", ".join(f"{name} {old} → {new}" for name, old, new in grown if new > old)


def of_process(pid: int) -> Held:
    """What the process `pid` holds now, without its tasks. Raises `OSError` if it is gone."""
    place = Path(f"/proc/{pid}")
    resident = int((place / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    threads = list((place / "task").iterdir())
    return Held(resident, len(threads), len(children_of(pid)), len(list((place / "fd").iterdir())))


def children_of(pid: int) -> tuple[int, ...]:
    """The child processes of `pid`, of whichever of its threads; () once it is gone."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return tuple(int(child) for each in lists for child in each.read_text().split())


def adopt() -> None:
    """Become the parent of processes that those below this one leave behind: they count as its children then."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the system cannot make this process a reaper")


def of_this_process() -> Held:
    """What this process holds now, after all garbage is given back to the system. Call it on the event loop."""
    for _ in range(2):
        gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    held = of_process(os.getpid())
    # Listing a folder takes a descriptor of its own.
    return Held(held.memory, held.threads, held.children, held.descriptors - 1, len(asyncio.all_tasks()))


def described() -> str:
    """The descriptors and tasks of this process by kind, for a report of what was left."""
    descriptors = Counter(_kind(each) for each in Path("/proc/self/fd").iterdir())
    tasks = Counter(_name(task) for task in asyncio.all_tasks())
    return f"descriptors {dict(descriptors)}, tasks {dict(tasks)}"


def _kind(descriptor: Path) -> str:
    try:
        return str(descriptor.readlink()).partition(":[")[0]
    except FileNotFoundError:
        return "the list of descriptors"


def _name(task: asyncio.Task[Any]) -> str:
    return str(getattr(task.get_coro(), "__qualname__", "?"))
