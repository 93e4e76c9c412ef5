"""A process-wide cache of V8 outcomes: the same task has the same outcome and runs once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from engine.functions.tasks import (
    Budget,
    BudgetedRunner,
    Killed,
    Outcome,
    OutOfTime,
    RegexTask,
    ScriptTask,
    Task,
    TaskRunner,
    TimedOut,
    is_heavy,
)
from engine.functions.v8 import CHECK_MILLISECONDS
from engine.text.record import Record, field

_CAPACITY = 20_000

_Key: TypeAlias = Task | str
_cache: dict[_Key, Outcome] = {}


CHECKING_SECONDS = 0.6
"""The processor time that V8 may use for one checking of a file. No file of the corpus needs half of it."""


class CachedRunner(Record):
    """V8 with a cache: `runner` runs only the tasks that are not cached, as long as the budget lasts.

    Without a runner, the tasks that it would run are `asked`: so V8 can run those of many rules in one batch.
    """

    runner: BudgetedRunner | None
    budget: Budget = field(default_factory=lambda: Budget(CHECKING_SECONDS))
    asked: list[Task] = field(default_factory=list["Task"])

    def run(self, tasks: Sequence[Task], meanwhile: Callable[[], None] | None = None) -> list[Outcome]:
        """The outcomes of `tasks`, in their order; the new ones run in one batch.

        Raises `OutOfTime` if the budget does not cover all, a pattern would take V8 too long to compile, or there is no
        runner. The outcomes of those that ran are cached.
        """
        keys = [_key(task) for task in tasks]
        outcomes = {key: _cache[key] for key in keys if key in _cache}
        missing = {key: task for key, task in zip(keys, tasks, strict=True) if key not in outcomes}
        new = {key: task for key, task in missing.items() if not _is_too_heavy(task)}
        if new:
            if self.runner is None:
                self.asked.extend(new.values())
            if self.runner is None or self.budget.seconds <= 0:
                raise OutOfTime
            ran = zip(new, self.runner.run_within(list(new.values()), self.budget, meanwhile), strict=True)
            found = {key: outcome for key, outcome in ran if outcome is not None}
            if len(_cache) > _CAPACITY:
                _cache.clear()
            _cache.update((key, outcome) for key, outcome in found.items() if _is_repeatable(outcome))
            outcomes |= found
        elif meanwhile is not None:
            meanwhile()
        if len(outcomes) < len(set(keys)):
            raise OutOfTime
        return [outcomes[key] for key in keys]


def outcomes_of(javascript: TaskRunner | None, tasks: Sequence[Task]) -> list[Outcome | None]:
    """The outcomes of `tasks`, in their order; without `javascript` only the cached ones, None for the others.

    Raises `OutOfTime` as `CachedRunner.run` does.
    """
    if javascript is None:
        return [_cache.get(_key(task)) for task in tasks]
    return [*javascript.run(tasks)]


def _key(task: Task) -> _Key:
    """Everything that the outcome of `task` depends on. The scope of a script holds mappings, which are not hashable.

    The whole scope counts, whether the script names its parts or not: `\\u0072` is `r`, and `["con" + "text"]` works.
    """
    return f"{task.source}\0{task.scope!r}" if isinstance(task, ScriptTask) else task


def _is_too_heavy(task: Task) -> bool:
    """Whether `task` runs a pattern whose compilation no budget would end."""
    return isinstance(task, RegexTask) and is_heavy(task.pattern)


def _is_repeatable(outcome: Outcome) -> bool:
    """Whether another run would have the same outcome: not if the process was killed or ran over a longer limit."""
    match outcome:
        case Killed():
            return False
        case TimedOut(milliseconds):
            return milliseconds <= CHECK_MILLISECONDS
        case _:
            return True
