"""What V8 has said already: the same question has the same answer, so no key asks it twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.javascript.tasks import Outcome, ScriptTask, Task

if TYPE_CHECKING:
    from engine.javascript import JavaScript

_MOST = 20_000
_known: dict[Task | str, Outcome] = {}


def ask(javascript: JavaScript | None, tasks: Sequence[Task]) -> list[Outcome | None]:
    """The outcomes of `tasks` in their order; without `javascript` those that are known, None for the others.

    What is not known goes over in one batch.
    """
    new = list({_key(task): task for task in tasks if _key(task) not in _known}.values())
    if new and javascript is not None:
        if len(_known) > _MOST:
            _known.clear()
        for task, outcome in zip(new, javascript.run(new), strict=True):
            _known[_key(task)] = outcome
    return [_known.get(_key(task)) for task in tasks]


def _key(task: Task) -> Task | str:
    """A script is given mappings, which cannot be looked up by themselves."""
    return repr(task) if isinstance(task, ScriptTask) else task
