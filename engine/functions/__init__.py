"""The point functions: a registry, and one small module per family.

To add a function, add an entry to the table of its family: its `not_` twin, its reference page and its argument
checks are derived from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from engine.blueprint import FunctionCall
from engine.functions.function_text import quoted
from engine.functions.point_function import (
    REGISTERED,
    CheckError,
    PointFunction,
    Result,
    SearchTraits,
    Subject,
    describe,
    negated,
    point_text,
)
from engine.functions.response_checks import OF_FORMAT, OF_LENGTH, OF_SCRIPTS, OF_SERVICES
from engine.functions.searches import OF_SEARCHES
from engine.functions.tasks import Outcome, TaskRunner
from engine.functions.tool_call_checks import OF_TOOL_CALLS

_POSITIVE = (*OF_SEARCHES, *OF_LENGTH, *OF_FORMAT, *OF_SCRIPTS, *OF_TOOL_CALLS, *OF_SERVICES)
ALL: tuple[PointFunction, ...] = (*_POSITIVE, *map(negated, _POSITIVE))
"""All point functions of the documents and of the platform, the `not_` twins last."""

_BY_NAME = {name: function for function in ALL for name in function.names}


def find(name: str) -> PointFunction | None:
    """The function with the name or alias `name` (without `$`, case-sensitive), or None."""
    return _BY_NAME.get(name)


def search_of(call: FunctionCall) -> SearchTraits | None:
    """How a call searches the answer; None if it does not, or if its argument is wrong."""
    function = find(call.name)
    return None if function is None or function.problem(call.args) is not None else function.search


def known_to_weval(name: str) -> bool:
    """Whether Weval's program has a function with exactly this name."""
    return name in REGISTERED


def run(calls: Sequence[FunctionCall], subject: Subject, javascript: TaskRunner) -> list[Result]:
    """The results of `calls` on `subject`, in their order. Blocks; all JavaScript is run in one batch.

    Never raises for what an author wrote: a call that cannot run gives a `CheckError` with the reason.
    """
    return run_pairs([(call, subject) for call in calls], javascript)


def run_pairs(pairs: Sequence[tuple[FunctionCall, Subject]], javascript: TaskRunner) -> list[Result]:
    """As `run`, for calls that each have a subject of their own. All pairs with the same subject stand together."""
    functions = [find(call.name) for call, _ in pairs]
    plans = [
        () if function is None else function.plan(call.args, subject)
        for (call, subject), function in zip(pairs, functions, strict=True)
    ]
    results: dict[int, Result] = {}

    def conclude(outcomes: Iterator[Outcome], *, with_javascript: bool) -> None:
        for place, ((call, subject), function, plan) in enumerate(zip(pairs, functions, plans, strict=True)):
            if function is None:
                results[place] = CheckError(f"There is no function {quoted(call.name)}.")
            elif bool(plan) is with_javascript:
                results[place] = function.conclude(call.args, subject, tuple(islice(outcomes, len(plan))))

    def conclude_without_javascript() -> None:
        conclude(iter(()), with_javascript=False)

    outcomes = javascript.run([task for plan in plans for task in plan], meanwhile=conclude_without_javascript)
    conclude(iter(outcomes), with_javascript=True)
    return [results[place] for place in range(len(pairs))]


__all__ = ["ALL", "PointFunction", "describe", "find", "known_to_weval", "point_text", "run", "run_pairs", "search_of"]
