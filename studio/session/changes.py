"""What changed in a session, published once for all that changed in one turn of the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import Enum, auto
from typing import TypeAlias


class Change(Enum):
    """What became another; a listener asks the session for the views that show it."""

    FILE = auto()
    """The open file, its place on disk, or whether its text is saved."""
    ANALYSIS = auto()
    """What is known of the text."""
    CURSOR = auto()
    """Where the cursor stands."""
    CONFIGURATION = auto()
    """Where answers come from, who judges, or what is remembered of the look."""
    RUNS = auto()
    """A run, or which run is shown."""
    STREAM = auto()
    """More of an answer has arrived; nothing else of its run is another."""
    HISTORY = auto()
    """The earlier runs of the prompt under the cursor."""


Listener: TypeAlias = "Callable[[frozenset[Change]], None]"


class ChangeStream:
    """Collects changes and publishes them to its listeners together, on the event loop."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._changed: set[Change] = set()
        self._timer: asyncio.TimerHandle | asyncio.Handle | None = None
        self._due = 0.0

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with what changed, until the function that is returned is called."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish(self, change: Change, *, within: float = 0.0) -> None:
        """Tell of `change` after this turn of the loop, or within so many seconds, together with what else changes."""
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
        """Tell nobody any more."""
        self._listeners.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _publish(self) -> None:
        self._timer = None
        changed, self._changed = frozenset(self._changed), set()
        for listener in tuple(self._listeners):
            listener(changed)
