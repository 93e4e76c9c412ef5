"""One studio process as the harness knows it: what it was ordered, what it told, and what its author has on screen."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator

from engine.text.record import replace
from tests.fire import studio_process
from tests.fire.deaths import NO_DEATH, Death
from tests.fire.studio_process import Event, Flushed, Order, Shown, Typed

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.fire.studio_process", "studio.session.runs", "engine.asking.planner"])
"""Processes that begin with the studio imported, so that each costs no start of Python."""

SECONDS_VISIBLE = 2.0
"""A text that was on the screen for this time outlives its studio."""
SECONDS_TO_ANSWER = 60.0


class Silent(Exception):
    """A studio did not finish its order in time."""


class Handle:
    """A process, started at once. `shown` is what it showed last, with the newest text of its author.

    `death` is how it dies in its last order, if it gets one.
    """

    def __init__(self, death: Death = NO_DEATH) -> None:
        self._connection, other = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(target=studio_process.serve, args=(other, death), daemon=True)
        self.process.start()
        other.close()
        self.shown = Shown()
        self.flushed = ""
        """The newest text that the journal or the file is known to have."""
        self.is_busy = False
        self.is_stopped = False
        self._typed_at = 0.0

    @property
    def pid(self) -> int:
        """The id of the process."""
        assert self.process.pid is not None
        return self.process.pid

    def send(self, order: Order) -> None:
        """Have it begin `order`."""
        self._connection.send(order)
        self.is_busy = True

    def events(self, seconds: float = 0.0) -> Iterator[Event]:
        """What it tells within `seconds`, and no longer than to the end of its order."""
        end = time.monotonic() + seconds
        while self._connection.poll(max(0.0, end - time.monotonic())):
            try:
                event: Event = self._connection.recv()
            except (EOFError, ConnectionError):
                return
            self._note(event)
            yield event
            if isinstance(event, Shown):
                return

    def answers(self) -> Iterator[Event]:
        """What it tells until its order is done. Raises `Silent`."""
        yield from self.events(SECONDS_TO_ANSWER)
        if self.is_busy:
            raise Silent

    def _note(self, event: Event) -> None:
        match event:
            case Typed(text):
                self.shown = replace(self.shown, text=text)
                self._typed_at = time.monotonic()
            case Flushed(text):
                self.flushed = text
            case Shown():
                self.shown = event
                self.is_busy = False
                if not event.unsaved:
                    self.flushed = event.text
            case _:
                pass

    @property
    def was_visible(self) -> bool:
        """Whether its text was there long enough to outlive it. The time in which it was stopped does not count."""
        return time.monotonic() - self._typed_at >= SECONDS_VISIBLE

    def stop(self) -> None:
        """SIGSTOP."""
        os.kill(self.pid, signal.SIGSTOP)
        self.is_stopped = True

    def go_on(self) -> None:
        """SIGCONT."""
        os.kill(self.pid, signal.SIGCONT)
        self.is_stopped = False
        self._typed_at = time.monotonic()

    def kill(self) -> None:
        """SIGKILL, and wait for the end; `events` has what it told before."""
        self.process.kill()
        self.process.join()
        self.is_busy = self.is_stopped = False

    def close(self) -> None:
        """End it."""
        self.kill()
        self._connection.close()
