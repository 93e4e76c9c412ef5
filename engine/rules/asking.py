"""What V8 has said already: the same question has the same answer, so neither a key nor another prompt asks twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine.javascript.tasks import Outcome, ScriptTask, Task, TaskRunner

_MOST = 20_000
_REACHES_ROUND = re.compile(r"\b(?:eval|Function|globalThis|this|arguments)\b")
"""By these a script can get at a name without writing it."""

_Key: TypeAlias = Task | str
_known: dict[_Key, Outcome] = {}


@dataclass(frozen=True, slots=True)
class Remembering:
    """V8 as rules ask it: `behind` is asked only for what nobody has asked before."""

    behind: TaskRunner

    def run(self, tasks: Sequence[Task], meanwhile: Callable[[], None] | None = None) -> list[Outcome]:
        """The outcomes of `tasks`, in their order; those that are new go over in one batch."""
        keys = [_key(task) for task in tasks]
        new = {key: task for key, task in zip(keys, tasks, strict=True) if key not in _known}
        if new:
            if len(_known) > _MOST:
                _known.clear()
                new = dict(zip(keys, tasks, strict=True))
            _known.update(zip(new, self.behind.run(list(new.values()), meanwhile), strict=True))
        elif meanwhile is not None:
            meanwhile()
        return [_known[key] for key in keys]


def ask(javascript: TaskRunner | None, tasks: Sequence[Task]) -> list[Outcome | None]:
    """The outcomes of `tasks` in their order; without `javascript` those that are known, None for the others."""
    if javascript is None:
        return [_known.get(_key(task)) for task in tasks]
    return [*Remembering(javascript).run(tasks)]


def _key(task: Task) -> _Key:
    """What the answer to `task` depends on. A script is given mappings, which cannot be looked up by themselves."""
    if not isinstance(task, ScriptTask):
        return task
    source = task.source
    reaches_round = _REACHES_ROUND.search(source) is not None
    scope = [(name, value) for name, value in task.scope if reaches_round or name in source]
    return f"{source}\0{scope!r}"
