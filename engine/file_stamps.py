"""The state of files on disk, to find out which of them changed since, and when."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

from engine.record import Record, replace
from engine.regular_files import read_regular
from engine.text_limits import FILE_BYTES

_FRESH_NS = 2_000_000_000
"""A file may change again without a new time: file systems count in ticks, some in seconds."""
SETTLED_SECONDS = 0.2
LOOKS_TO_SETTLE = 3
"""How often a file that is gone, empty or being written is looked at again: many programs write in two steps."""


class Stamp(Record):
    """The identity of a file's content. `digest` is known for a file that changed in the last two seconds."""

    modified_ns: int
    size: int
    inode: int
    digest: str | None = None


Stamps: TypeAlias = dict[Path, Stamp | None]


def stamp(path: Path) -> Stamp | None:
    """The stamp of the file or folder at `path`; None if there is none that can be looked at."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    is_fresh = abs(time.time_ns() - status.st_mtime_ns) < _FRESH_NS
    return Stamp(status.st_mtime_ns, status.st_size, status.st_ino, _digest(path) if is_fresh else None)


def _digest(path: Path) -> str | None:
    try:
        return hashlib.sha256(read_regular(path, FILE_BYTES)).hexdigest()
    except OSError:  # a folder, or a file that is too long or just removed
        return None


def stamps(paths: Iterable[Path]) -> Stamps:
    """The stamps of all `paths`."""
    return {path: stamp(path) for path in paths}


def changed(before: Stamps, now: Stamps) -> frozenset[Path]:
    """The paths that appeared, disappeared or have another content."""
    return frozenset(path for path in before.keys() | now.keys() if not _is_same(before.get(path), now.get(path)))


def _is_same(before: Stamp | None, now: Stamp | None) -> bool:
    """Whether nothing shows that the content differs."""
    if before is None or now is None or None not in (before.digest, now.digest):
        return before == now
    return replace(before, digest=None) == replace(now, digest=None)


def next_change(
    seen: Stamps, look: Callable[[], Stamps], pause: Callable[[], float], wait: Callable[[float], object]
) -> Stamps | None:
    """What `look` finds once it differs from `seen` and stands still; None as soon as `wait` returns something true.

    `pause` is the time between two looks in seconds, which `wait` waits for.
    """
    while not wait(pause()):
        now = look()
        if not changed(seen, now):
            continue
        for _ in range(LOOKS_TO_SETTLE):
            if wait(SETTLED_SECONDS):
                return None
            before, now = now, look()
            if not changed(before, now) and all(found and found.size for found in map(now.get, changed(seen, now))):
                break
        return now
    return None
