"""Messages about the database: each cause once, until the database works again."""

from __future__ import annotations

import asyncio
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from studio.session.host import Host, Severity

if TYPE_CHECKING:
    from engine.store import StoreUnavailable


class DatabaseMessages:
    """Tells the author why the database cannot be used. May be called from any thread."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._loop = asyncio.get_running_loop()
        self._reported: set[str] = set()
        self._guard = Lock()

    def report(self, error: StoreUnavailable) -> None:
        """Tell the author of `error`, unless they know of this cause."""
        message = str(error)
        with self._guard:
            if message in self._reported or self._loop.is_closed():
                return
            self._reported.add(message)
        self._loop.call_soon_threadsafe(partial(self._host.notify, message, Severity.WARNING))

    def works(self) -> None:
        """Something was saved: the next error is another one."""
        with self._guard:
            self._reported.clear()
