"""What the parts of a session are made of: tasks, commands, follows, and selectors that remember by identity."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextvars import copy_context
from functools import wraps
from operator import is_
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from engine.text.record import replace
from studio.session.state import State

if TYPE_CHECKING:
    from studio.session.analysis import Analysis
    from studio.session.runs import Runs
    from studio.session.session import Session

Command: TypeAlias = Callable[[State], State]
"""What the author, or something that came, makes of the state."""
Follow: TypeAlias = Callable[[State, State], object]
"""Is told the state before and the one now, once a turn of the loop."""
Value = TypeVar("Value")
Of = TypeVar("Of")


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


def remembered(
    session: Session, name: object, parts: Sequence[object], make: Callable[[], Value], *, is_view: bool = True
) -> Value:
    """What `make` returns; the value before if all `parts` are the same objects. Without parts it is made at each call.

    A view that equals the one before is the one before, so that a pane that gets it has nothing to draw.
    """
    before = session.seen.get(name)
    if parts and before is not None and all(map(is_, before[0], parts)):
        return before[1]
    value = make()
    if is_view and before is not None and before[1] == value:
        value = before[1]
    session.seen[name] = parts, value
    return value


def selector(*parts: Callable[[Any], object]) -> Callable[[Callable[[Of], Value]], Callable[[Of], Value]]:
    """A method of a session, or of a part of it, that shows the state and is remembered by its `parts`."""

    def of(make: Callable[[Of], Value]) -> Callable[[Of], Value]:
        @wraps(make)
        def see(self: Any) -> Value:
            return remembered(self.session, see, [part(self) for part in parts], lambda: make(self))

        return see

    return of


class Part:
    """Commands and views of one part of a session. What it knows stands in the state."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.host = session.host
        """Asks and tells the author."""
        self.resources = session.resources
        """What all sessions of the program share."""
        self.effect = session.tasks.start

    @property
    def state(self) -> State:
        """The newest state."""
        return self.session.state

    @property
    def analysis(self) -> Analysis:
        """The newest analysis, which is there."""
        assert self.state.analysis is not None
        return self.state.analysis

    @property
    def runs(self) -> Runs:
        """The runs, which are loaded."""
        assert self.session.runs is not None
        return self.session.runs

    def change(self, *, within: float = 0.0, **fields: object) -> None:
        """Set fields of the state; the change is told within so many seconds."""
        self.session.do(lambda state: replace(state, **fields), within=within)

    # --- What is worked out beside

    def find(
        self, name: str, key: object, of: object, work: Callable[[], Awaitable[object]], *, rest: float = 0.0
    ) -> None:
        """Work out by `work`, once `of` rests, what is found of it under `key`, unless that is known or under way.

        Of one name, the newest alone is worked out. None is not kept.
        """
        wanted = (key, of)
        if self.session.sought.get(name) == wanted or self.beside(name, key, of) is not None:
            return
        self.session.sought[name] = wanted
        self.effect(name, self._find(name, key, of, work, rest), exclusive=True)

    async def _find(
        self, name: str, key: object, of: object, work: Callable[[], Awaitable[object]], rest: float
    ) -> None:
        try:
            await asyncio.sleep(rest)
            value = await work()
        finally:
            if self.session.sought.get(name) == (key, of):
                del self.session.sought[name]
        if value is not None:
            self.change(found={**self.state.found, (name, key): (of, value)})

    def beside(self, name: str, key: object, of: object) -> Any:
        """What was found of `of` under `key`; None before."""
        found = self.state.found.get((name, key))
        return found[1] if found is not None and found[0] == of else None
