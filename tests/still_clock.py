"""A clock of the event loop that stands still: what ends meanwhile has waited for no time, on a slow machine too."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LONGEST = 30.0


@contextmanager
def standing_still() -> Iterator[None]:
    """No timer of the running loop fires within. Fails if that is needed to come to the end."""
    loop: Any = asyncio.get_running_loop()
    now = loop.time()
    goes_on = threading.Event()

    def go_on() -> None:
        goes_on.set()
        loop.time = type(loop).time.__get__(loop)

    loop.time = lambda: now
    watch = threading.Timer(_LONGEST, loop.call_soon_threadsafe, [go_on])
    watch.start()
    try:
        yield
    finally:
        watch.cancel()
        del loop.time
    assert not goes_on.is_set(), "it ended only once time went on"
