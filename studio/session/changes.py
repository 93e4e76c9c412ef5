"""Changes of a session, published together for each turn of the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import Enum, auto
from typing import TypeAlias


class Change(Enum):
    """What changed; a listener asks the session for the views that show it."""

    FILE = auto()
    """The open file, its path, or whether its text is saved."""
    ANALYSIS = auto()
    """The analysis of the text."""
    CURSOR = auto()
    """The position of the cursor."""
    CONFIGURATION = auto()
    """The sources of answers, the judges, or settings of the look."""
    RUNS = auto()
    """A run, or the choice of the run that is shown."""
    STREAM = auto()
    """More of an answer has arrived; its run has not changed otherwise."""
    HISTORY = auto()
    """The earlier runs of the prompt under the cursor."""
    CRITERION = auto()
    """The criterion that is run by itself."""


Listener: TypeAlias = "Callable[[frozenset[Change]], None]"


class ChangeStream:
    """Collects changes and publishes them to its listeners together, on the event loop."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._changed: set[Change] = set()
        self._timer: asyncio.TimerHandle | asyncio.Handle | None = None
        self._due = 0.0

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with each set of changes, until the returned function is called."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish(self, change: Change, *, within: float = 0.0) -> None:
        """Publish `change` after this turn of the loop, or within so many seconds, together with other changes."""
        self._changed.add(change)
        loop = asyncio.get_running_loop()
        due = loop.time() + within
        if self._timer is not None and self._due <= due:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._due = due
        self._timer = loop.call_later(within, self._publish) if within else loop.call_soon(self._publish)

    def close(self) -> None:
        """Publish nothing more."""
        self._listeners.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _publish(self) -> None:
        self._timer = None
        changed, self._changed = frozenset(self._changed), set()
        for listener in tuple(self._listeners):
            listener(changed)
