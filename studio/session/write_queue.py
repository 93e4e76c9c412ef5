"""Writes of one file: one after another, each to its end, whoever waits for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class WriteQueue:
    """Lets one write begin when those before it have ended. Use it on one event loop."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def is_busy(self) -> bool:
        """Whether a write has not ended, be it that it has not begun."""
        return bool(self._tasks)

    async def write(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The result of `work`, which begins in its turn and goes on to its end even if the caller is cancelled."""
        task = asyncio.get_running_loop().create_task(self._in_turn(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def _in_turn(self, work: Coroutine[Any, Any, Result]) -> Result:
        async with self._turn:
            return await work

    async def settled(self, seconds: float) -> bool:
        """Wait up to `seconds` until no write is under way; whether that is so."""
        end = time.monotonic() + seconds
        while self._tasks and (left := end - time.monotonic()) > 0:
            await asyncio.wait(self._tasks, timeout=left)
        return not self._tasks
