"""The most that any answer can get for a point, and why that may be less than all of it."""

from __future__ import annotations

from engine import functions
from engine.blueprint import FunctionCall
from engine.functions.function_text import count
from engine.functions.point_function import Args, Quantifier, Target
from engine.record import Record
from engine.scoring.assessment import Assessment, OnWeval

_SYNTAX_ERROR = "The script failed: SyntaxError"
_EMPTY = "its list is empty, so nothing can be found"


class Attainable(Record, gc=False):
    """The highest extent (0–1, after inversion) of a point over all answers; `why` it is below 1, or ""."""

    extent: float
    why: str = ""


_ALL = Attainable(1.0)


def attainable(assessment: Assessment) -> Attainable:
    """The most that an answer can get for the point of `assessment`.

    Less than 1 for a check that runs on no answer, and for a list check that needs more texts than it lists. A script,
    a pattern that was stopped, or arguments of another shape may be fine with another answer.
    """
    call = assessment.point.function
    if call is None:
        return _ALL
    function = functions.find(call.name)
    if assessment.broken and _fails_always(call, assessment):
        return Attainable(assessment.extent or 0.0, f"its check cannot run: {assessment.error}")
    if function is None or (function.negates is not None) is not assessment.placed.inverted:
        return _ALL  # it is met by finding nothing, which some answer does
    if function.search is None:
        return _ALL
    return _by_number(call.args, function.search.quantifier)


def _fails_always(call: FunctionCall, assessment: Assessment) -> bool:
    function = functions.find(call.name)
    if function is None or function.problem(call.args) is not None:
        return True
    is_pattern = function.search is not None and function.search.target is Target.PATTERN
    if is_pattern:
        return assessment.on_weval is not OnWeval.NO_LIMIT
    return (assessment.error or "").startswith(_SYNTAX_ERROR)


def _by_number(args: Args, quantifier: Quantifier) -> Attainable:
    match quantifier, args:
        case Quantifier.ANY, []:
            return Attainable(0.0, _EMPTY)
        case Quantifier.AT_LEAST_N, [int() | float() as number, list(texts)] if number > max(len(texts), 0):
            why = f"it asks for {number:g} of only {count(len(texts), 'text')}" if texts else _EMPTY
            return Attainable(len(texts) / number, why)
        case _:
            return _ALL
