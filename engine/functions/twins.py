"""The `not_` twin of a function: the same check, inverted."""

from __future__ import annotations

from collections.abc import Sequence

from engine.functions.point_function import Args, Checked, PointFunction, Result, Subject
from engine.javascript.tasks import Outcome
from engine.record import replace

PREFIX = "not_"


def negated(function: PointFunction) -> PointFunction:
    """The twin of `function`, with twins of all its names. An error stays an error; evidence is what must not occur."""

    def conclude(args: Args, subject: Subject, outcomes: Sequence[Outcome]) -> Result:
        result = function.conclude(args, subject, outcomes)
        return replace(result, extent=1 - result.extent) if isinstance(result, Checked) else result

    opening = f"The opposite of ${function.name}{', 1 minus its mark' if function.graded else ''}"
    return replace(
        function,
        name=PREFIX + function.name,
        summary=f"{opening}: {function.summary[0].lower()}{function.summary[1:]}",
        example=function.example.replace(f"${function.name}:", f"${PREFIX}{function.name}:"),
        conclude=conclude,
        aliases=tuple(PREFIX + alias for alias in function.aliases),
        negates=function.name,
    )
