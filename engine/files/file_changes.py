"""Which files other programs change, each time that some did and stand still."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from engine.text.record import Record

QUIET_MS = 200
"""Without news for so long, what has changed stands still."""
LONGEST_SECONDS = 0.6
"""How long a file that is gone, empty or being written is waited for: many programs write in two steps."""
_REST, _REST_AFTER_EVENTS = 100, 20
"""A look is followed by a pause of so many times its own time: it takes 1% of a processor, with events 5% at most."""


class Stamp(Record):
    """What tells that a file is another one, where no event does: a disk of another machine sends none."""

    modified_ns: int
    size: int
    inode: int


Stamps: TypeAlias = dict[Path, Stamp | None]


def changes(
    find: Callable[[], Iterable[Path]], stop: threading.Event, since: float = math.inf
) -> Iterator[frozenset[Path]]:
    """The files among those of `find` that appeared, went or were written, until `stop`.

    At first, at once, those written after `since`, in nanoseconds of the epoch: nobody watched then.
    """
    seen: Stamps = {path: _stamp(path) for path in find()}
    news = frozenset(path for path, stamp in seen.items() if stamp is not None and stamp.modified_ns > since)
    while not stop.is_set():
        yield news
        seen, news = _next(find, seen, stop)


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return Stamp(status.st_mtime_ns, status.st_size, status.st_ino)


def _next(find: Callable[[], Iterable[Path]], seen: Stamps, stop: threading.Event) -> tuple[Stamps, frozenset[Path]]:
    """What is there after the next change, and what changed; nothing did after `stop`."""
    before, first, looked, cost = seen, 0.0, 0.0, 0.0
    touched = set[Path]()
    for latest in _touched(seen, stop):
        start = time.monotonic()
        touched |= latest
        named = touched & seen.keys()
        if not named and not first and start < looked + cost * (_REST_AFTER_EVENTS if touched else _REST):
            continue
        now = {path: _stamp(path) for path in find()}
        looked, cost, touched = time.monotonic(), time.monotonic() - start, named
        news = named | {path for path in seen.keys() | now.keys() if seen.get(path) != now.get(path)}
        first = (first or start) if news else 0.0
        stands_still = (
            latest.isdisjoint(news) and now == before and all(found and found.size for found in map(now.get, news))
        )
        if news and (stands_still or start - first >= LONGEST_SECONDS):
            return now, frozenset(news)
        before = now
    return seen, frozenset()


def _touched(files: Iterable[Path], stop: threading.Event) -> Iterator[set[Path]]:
    """What something happened to in the folders of `files`, again and again; none where nothing did for a while."""
    from watchfiles import watch  # loads much

    while not stop.is_set():
        names = {Path(os.path.realpath(path.parent), path.name): path for path in files}
        names |= {Path(os.path.realpath(path)): path for path in files}
        folders = {folder for folder in {name.parent for name in names} if os.access(folder, os.R_OK)}
        try:
            for events in watch(
                *folders,
                watch_filter=None,
                debounce=QUIET_MS,
                stop_event=stop,
                rust_timeout=QUIET_MS,
                yield_on_timeout=True,
                recursive=False,
            ):
                paths = {Path(path) for _, path in events}
                yield {names.get(path, path) for path in paths}
                if paths & folders:  # one that comes back is not watched any more
                    break
        except (OSError, RuntimeError):  # one is gone meanwhile, or the system watches no more of them
            stop.wait(QUIET_MS / 1000)
            yield set()
