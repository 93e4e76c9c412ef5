"""Servers' answers that are held back: what ends before they are let go has not waited for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from werkzeug import Request, Response

_LONGEST = 60.0


class Held:
    """A handler that answers once `release` was called; `arrived` is set with its first request."""

    def __init__(self, answer: Callable[[], Response]) -> None:
        self.arrived = threading.Event()
        self._answer = answer
        self._released = threading.Event()

    def __call__(self, request: Request) -> Response:
        del request
        self.arrived.set()
        self._released.wait(_LONGEST)
        return self._answer()

    def release(self) -> None:
        """Let all requests be answered."""
        self._released.set()


@contextmanager
def held(answer: Callable[[], Response]) -> Iterator[Held]:
    """A handler that holds its answers until the end of the block."""
    holding = Held(answer)
    try:
        yield holding
    finally:
        holding.release()
