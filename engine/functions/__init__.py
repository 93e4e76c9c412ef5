"""The point functions: a registry, and one small module per family.

Adding a function means adding a row to the `FUNCTIONS` of its family; its `not_` twin, its page and its checks follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.blueprint import FunctionCall
from engine.functions import counts, lists, literals, scripts, services, structure, tools
from engine.functions.describing import describe
from engine.functions.registry import CheckError, PointFunction, Result, Subject
from engine.functions.twins import negated
from engine.functions.weval import REGISTERED
from engine.functions.wording import quoted
from engine.javascript.tasks import Task, TaskRunner


def _all() -> tuple[PointFunction, ...]:
    families = (literals, lists, counts, structure, scripts, tools, services)
    positive = [function for family in families for function in family.FUNCTIONS]
    both = [*positive, *map(negated, positive)]
    return tuple(replace(each, unknown_to_weval=frozenset(each.names) - REGISTERED) for each in both)


ALL: tuple[PointFunction, ...] = _all()
"""Every point function of the documents and of the platform, the `not_` twins last."""

_BY_NAME = {name: function for function in ALL for name in function.names}


def find(name: str) -> PointFunction | None:
    """The function that is called `name` (no `$`, capitals count), by whichever of its names; None where none is."""
    return _BY_NAME.get(name)


def known_to_weval(name: str) -> bool:
    """Whether Weval's program has a function by this very name."""
    return name in REGISTERED


def run(calls: Sequence[FunctionCall], subject: Subject, javascript: TaskRunner) -> list[Result]:
    """The results of `calls` on `subject`, in their order. Blocks; all JavaScript they need goes over in one batch.

    Never raises for what an author wrote: what cannot run is a `CheckError` that says why.
    """
    functions = [find(call.name) for call in calls]
    tasks: list[Task] = []
    shares: list[slice] = []
    for call, function in zip(calls, functions, strict=True):
        start = len(tasks)
        if function is not None:
            tasks.extend(function.plan(call.args, subject))
        shares.append(slice(start, len(tasks)))
    outcomes = javascript.run(tasks)
    return [
        CheckError(f"There is no function {quoted(call.name)}.")
        if function is None
        else function.conclude(call.args, subject, outcomes[share])
        for call, function, share in zip(calls, functions, shares, strict=True)
    ]


__all__ = ["ALL", "PointFunction", "describe", "find", "known_to_weval", "run"]
