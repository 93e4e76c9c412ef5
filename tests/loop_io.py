"""Watching the event loop: what of SQLite, files, processes and V8 the product touches on it, which is nothing.

Only what the engine or the studio does counts; a test may read its files where it likes, and an import its modules.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from engine.functions.v8 import JavaScript

ROOT = Path(__file__).parents[1]
PRODUCT = tuple(str(ROOT / name) + os.sep for name in ("engine", "studio"))
TESTS = str(ROOT / "tests") + os.sep
AUDITED = {
    "open",
    "os.listdir",
    "os.scandir",
    "os.mkdir",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.chmod",
    "os.utime",
    "subprocess.Popen",
}
_USES = "execute", "executemany", "executescript", "cursor", "commit", "rollback", "close"
CALLED = "stat", "lstat", "access", "readlink", "fsync", "replace", "makedirs"

_seen: list[str] | None = None


@contextmanager
def watched_loop() -> Iterator[list[str]]:
    """What is touched on a running event loop within: the call, and the line of the product that makes it."""
    global _seen  # an audit hook cannot be taken away again
    seen = _seen = []
    real = {name: getattr(os, name) for name in CALLED}
    connect, run = sqlite3.connect, JavaScript.run
    for name, function in real.items():
        setattr(os, name, _noting(f"os.{name}", function))
    sqlite3.connect = lambda *given, **named: connect(*given, **{**named, "factory": _noted(named.get("factory"))})
    JavaScript.run = _noting("V8", run)
    try:
        yield seen
    finally:
        _seen = None
        JavaScript.run = run
        sqlite3.connect = connect
        for name, function in real.items():
            setattr(os, name, function)


def _noting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def noted(*given: Any, **named: Any) -> Any:
        _note(name, given[0] if given else "")
        return function(*given, **named)

    return noted


def _noted(factory: type[sqlite3.Connection] | None) -> type[sqlite3.Connection]:
    """A connection as of the `factory`, of which every use is noted."""
    kind = factory or sqlite3.Connection
    noted: Any = type("Noted", (kind,), {name: _noting_method(kind, name) for name in _USES})
    return noted


def _noting_method(kind: type[sqlite3.Connection], name: str) -> Callable[..., Any]:
    function = getattr(kind, name)

    def noted(self: sqlite3.Connection, *given: Any) -> Any:
        _note(f"sqlite3 {name}", given[0] if given else "")
        return function(self, *given)

    return noted


def _audit(event: str, given: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(given[0], int):  # wraps a descriptor, whose own opening is noted
        return
    if _seen is not None and (event in AUDITED or event == "sqlite3.connect"):
        _note(event, given[0] if given else "")


sys.addaudithook(_audit)


def _note(what: str, about: object) -> None:
    if _seen is None or asyncio._get_running_loop() is None:  # None in any other thread
        return
    frame = _line_of_product(sys._getframe(1))
    if frame is not None:
        place = Path(frame.f_code.co_filename).relative_to(ROOT)
        _seen.append(f"{place}:{frame.f_lineno} {frame.f_code.co_name}: {what} {about}")


def _line_of_product(frame: FrameType | None) -> FrameType | None:
    """The innermost line of the product; None where a test or an import is further in."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith("<frozen importlib") or (file.startswith(TESTS) and file != __file__):
            return None
        if file.startswith(PRODUCT):
            return frame
        frame = frame.f_back
    return None
