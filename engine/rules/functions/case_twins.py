"""Whether an answer fails a check only because upper and lower case differ."""

from __future__ import annotations

from engine import functions
from engine.blueprint import FunctionCall, Point
from engine.functions.point_function import Checked, Subject
from engine.javascript.tasks import TaskRunner


def twin_of(name: str) -> str | None:
    """The function that does the same but ignores case, by the name that Weval knows; None if there is none."""
    function = functions.find(name)
    if function is None or function.negates is not None or function.search is None or function.search.ignores_case:
        return None
    twin = functions.find(f"i{function.name}")
    return None if twin is None else twin.weval_name


def missed_by_case(point: Point, answer: str, javascript: TaskRunner) -> str | None:
    """The twin of the point's function, if `answer` fails the function but passes the twin in full; else None."""
    call = point.function
    twin = None if call is None else twin_of(call.name)
    if call is None or twin is None:
        return None
    calls = [call, FunctionCall(twin, call.args)]
    own, other = functions.run(calls, Subject(answer), javascript)
    is_missed = isinstance(own, Checked) and isinstance(other, Checked) and own.extent < 1 <= other.extent
    return twin if is_missed else None
