"""Whether a check misses an answer only because capitals and small letters differ."""

from __future__ import annotations

from engine import functions
from engine.blueprint import FunctionCall, Point
from engine.functions.point_function import Checked, Subject
from engine.javascript.tasks import TaskRunner


def twin_of(name: str) -> str | None:
    """The function that does the same whatever the case, by the name that Weval knows; None where there is none."""
    function = functions.find(name)
    if function is None or function.negates is not None or name.startswith("i"):
        return None
    twin = functions.find(f"i{function.name}")
    return None if twin is None else twin.weval_name


def missed_by_case(point: Point, answer: str, javascript: TaskRunner) -> str | None:
    """The twin of the point's function that `answer` passes in full, where the function itself fails it."""
    call = point.function
    twin = None if call is None else twin_of(call.name)
    if call is None or twin is None:
        return None
    calls = [call, FunctionCall(twin, call.args)]
    own, other = functions.run(calls, Subject(answer), javascript)
    is_missed = isinstance(own, Checked) and isinstance(other, Checked) and own.extent < 1 <= other.extent
    return twin if is_missed else None
