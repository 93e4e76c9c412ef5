"""A cache of what V8 answered: the same task has the same outcome, and runs once for all keys and prompts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine.javascript.process import CHECK_MILLISECONDS
from engine.javascript.tasks import Killed, Outcome, ScriptTask, Task, TaskRunner, TimedOut

_MOST = 20_000

_Key: TypeAlias = Task | str
_known: dict[_Key, Outcome] = {}


@dataclass(frozen=True, slots=True)
class CachedRunner:
    """V8 with a cache: `behind` runs only the tasks that have not run before."""

    behind: TaskRunner

    def run(self, tasks: Sequence[Task], meanwhile: Callable[[], None] | None = None) -> list[Outcome]:
        """The outcomes of `tasks`, in their order; those that are new go over in one batch."""
        keys = [_key(task) for task in tasks]
        outcomes = {key: _known[key] for key in keys if key in _known}
        new = {key: task for key, task in zip(keys, tasks, strict=True) if key not in outcomes}
        if new:
            outcomes |= zip(new, self.behind.run(list(new.values()), meanwhile), strict=True)
            if len(_known) > _MOST:
                _known.clear()
            _known.update((key, outcomes[key]) for key in new if _holds(outcomes[key]))
        elif meanwhile is not None:
            meanwhile()
        return [outcomes[key] for key in keys]


def ask(javascript: TaskRunner | None, tasks: Sequence[Task]) -> list[Outcome | None]:
    """The outcomes of `tasks` in their order; without `javascript` those that are known, None for the others."""
    if javascript is None:
        return [_known.get(_key(task)) for task in tasks]
    return [*CachedRunner(javascript).run(tasks)]


def _key(task: Task) -> _Key:
    """What the answer to `task` depends on. A script is given mappings, which cannot be looked up by themselves.

    All that a script is given counts, whether its text names it or not: `\\u0072` is `r`, and `["con" + "text"]` works.
    """
    return f"{task.source}\0{task.scope!r}" if isinstance(task, ScriptTask) else task


def _holds(outcome: Outcome) -> bool:
    """Whether the same question would be answered so again: not where the process or the machine failed it."""
    match outcome:
        case Killed():
            return False
        case TimedOut(milliseconds):
            return milliseconds <= CHECK_MILLISECONDS
        case _:
            return True
