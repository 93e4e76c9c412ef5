"""The point functions: a registry, and one small module per family.

Adding a function means adding a row to the `FUNCTIONS` of its family; its `not_` twin, its page and its checks follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from engine.blueprint import FunctionCall
from engine.functions import counts, format_checks, lists, literals, script_checks, service_checks, tool_call_checks
from engine.functions.call_description import describe
from engine.functions.function_text import quoted
from engine.functions.point_function import CheckError, PointFunction, Result, Subject
from engine.functions.twins import negated
from engine.functions.weval_names import REGISTERED
from engine.javascript.tasks import Outcome, TaskRunner


def _all() -> tuple[PointFunction, ...]:
    families = (literals, lists, counts, format_checks, script_checks, tool_call_checks, service_checks)
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
    plans = [
        () if function is None else function.plan(call.args, subject)
        for call, function in zip(calls, functions, strict=True)
    ]
    results: dict[int, Result] = {}

    def conclude(outcomes: Iterator[Outcome], *, asked: bool) -> None:
        for place, (call, function, plan) in enumerate(zip(calls, functions, plans, strict=True)):
            if function is None:
                results[place] = CheckError(f"There is no function {quoted(call.name)}.")
            elif bool(plan) is asked:
                results[place] = function.conclude(call.args, subject, tuple(islice(outcomes, len(plan))))

    def unasked() -> None:
        conclude(iter(()), asked=False)

    outcomes = javascript.run([task for plan in plans for task in plan], meanwhile=unasked)
    conclude(iter(outcomes), asked=True)
    return [results[place] for place in range(len(calls))]


__all__ = ["ALL", "PointFunction", "describe", "find", "known_to_weval", "run"]
