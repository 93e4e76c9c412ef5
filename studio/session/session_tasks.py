"""The background tasks of a session: asyncio tasks in named groups."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from typing import Any


class Tasks:
    """The tasks of one session. `failed` is called with every exception of a task."""

    def __init__(self, failed: Callable[[BaseException], None]) -> None:
        self._failed = failed
        self._context = copy_context()
        self._groups: dict[str, set[asyncio.Task[None]]] = {}

    def start(self, group: str, work: Coroutine[Any, Any, None], *, exclusive: bool = False) -> asyncio.Task[None]:
        """Start `work` as a task; if `exclusive`, cancel the other tasks of its group first."""
        if exclusive:
            self.cancel(group)
        task = asyncio.get_running_loop().create_task(work, name=group, context=self._context.copy())
        self._groups.setdefault(group, set()).add(task)
        task.add_done_callback(self._ended)
        return task

    def cancel(self, group: str) -> None:
        """Cancel the tasks of `group`."""
        for task in self._groups.get(group, ()):
            task.cancel()

    def close(self) -> None:
        """Cancel all tasks; `settle` waits for their end."""
        for group in tuple(self._groups):
            self.cancel(group)

    @property
    def busy(self) -> frozenset[str]:
        """The groups with unfinished tasks."""
        return frozenset(name for name, tasks in self._groups.items() if any(not task.done() for task in tasks))

    async def settle(self) -> None:
        """Wait until all tasks have ended."""
        while tasks := [task for group in self._groups.values() for task in group if not task.done()]:
            await asyncio.wait(tasks)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._groups.get(task.get_name(), set()).discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._failed(error)
