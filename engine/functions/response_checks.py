"""Checks of the length and the format of a response, by the author's own JavaScript, and by services over HTTP.

This module is pure: `engine.models` sends the requests to services, `engine.evaluation.prompt_evaluation` assesses the
replies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from engine.blueprint import ABSENT
from engine.functions.function_text import expected, quoted, written
from engine.functions.point_function import DESCRIBED, Args, Checked, CheckError, NotCalled, Result, Subject, described
from engine.functions.tasks import JsError, JsonTask, Killed, Matches, Outcome, ScriptTask, Task, TimedOut, Value
from engine.text import Span, count, lazy
from engine.yaml.nodes import Data

JAVASCRIPT_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""JavaScript's `\\s`, for a character class. Unlike Python's, it has U+FEFF, but not U+0085 and U+001C-1F."""

_DIFFERENT_SPACES = "\u0085\ufeff\x1c\x1d\x1e\x1f"
"""Characters that are a space only for JavaScript, or only for Python's `split`, which takes a tenth of the time."""
_WORD = lazy(f"[^{JAVASCRIPT_SPACE}]+")
_LENGTH_EXAMPLE = DESCRIBED["word_count_between"].example
_LENGTH_SHAPE = "[low, high], two numbers of words"


def _bounds(args: Args) -> tuple[float, float] | None:
    if not isinstance(args, list) or len(args) != 2:
        return None
    low, high = args
    if isinstance(low, bool) or isinstance(high, bool):
        return None
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return None
    return float(low), float(high)


def _unusable(args: Args) -> str | None:
    bounds = _bounds(args)
    if bounds is None or bounds[0] < 0 or (bounds[1] < 0 and not math.isnan(bounds[0])):
        return expected(_LENGTH_SHAPE, args, _LENGTH_EXAMPLE)
    low, high = bounds
    if low > high:
        return f"{written(low)} is more than {written(high)}, so no length passes. Example: {_LENGTH_EXAMPLE}"
    return None


def _length_problem(args: Args) -> str | None:
    bounds = _bounds(args)
    if bounds is not None and any(map(math.isnan, bounds)):
        return expected(_LENGTH_SHAPE, args, _LENGTH_EXAMPLE)
    return _unusable(args)


@lru_cache(maxsize=4)
def words_in(response: str) -> int:
    """The number of words in `response`, separated by the characters that JavaScript counts as spaces."""
    if any(space in response for space in _DIFFERENT_SPACES):
        return sum(1 for _ in _WORD.finditer(response))
    return len(response.split())


def _length(args: Args, subject: Subject, _outcomes: Sequence[Outcome]) -> Result:
    bounds, problem = _bounds(args), _unusable(args)
    if bounds is None or problem is not None:
        return CheckError(problem or "")
    low, high = bounds
    words = words_in(subject.response)
    detail = f"{count(words, 'word')}; expected {written(low)}–{written(high)}"
    if words < low:
        return Checked(words / low, detail)
    if words > high:
        return Checked(high / words if words else -math.inf, detail)  # `high` is below 0 only if the other bound is NaN
    return Checked(1.0, detail)


OF_LENGTH = (described("word_count_between", _length, problem=_length_problem),)


_FORMAT_EXAMPLE = DESCRIBED["is_json"].example
_KIND_NAMES = {"null": "null", "number": "a number", "string": "a string", "boolean": "true or false"}


def _format_plan(_args: Args, subject: Subject) -> Sequence[Task]:
    return (JsonTask(subject.response),)


def _format(_args: Args, subject: Subject, outcomes: Sequence[Outcome]) -> Result:
    match outcomes[0]:
        case Value("object" | "array" as kind):
            noun = "object" if kind == "object" else "list"
            return Checked(1.0, f"the whole response is a JSON {noun}", (Span(0, len(subject.response)),))
        case Value(kind):
            return Checked(0.0, f"the response is only {_KIND_NAMES[kind]}, not a JSON object or list")
        case JsError(_, message):
            return Checked(0.0, f"the response is not JSON: {message}")
        case _:
            return CheckError("Reading the response as JSON took longer than a check may take.")


def _format_problem(args: Args) -> str | None:
    if args is False:
        return f"The argument is ignored, so false requires JSON as well. Example: {_FORMAT_EXAMPLE}"
    return (
        None if args is True or args is None or args is ABSENT else expected("the argument true", args, _FORMAT_EXAMPLE)
    )


OF_FORMAT = (described("is_json", _format, plan=_format_plan, problem=_format_problem),)


_SCRIPT_EXAMPLE = DESCRIBED["js"].example
_SCRIPT_SHAPE = "JavaScript as text"
_ALLOWED = "It must return true, false, a number from 0 to 1, or {score, explain}."
_KINDS = {
    "string": "a string",
    "null": "null",
    "array": "a list",
    "object": "an object without a score",
    "function": "a function",
    "symbol": "a symbol",
    "bigint": "a bigint",
}


def _script_plan(args: Args, subject: Subject) -> Sequence[Task]:
    if not isinstance(args, str):
        return ()
    context: dict[str, Data] = {"messages": list(subject.messages), "modelId": subject.model_id}
    return (ScriptTask(args, (("r", subject.response), ("response", subject.response), ("context", context))),)


def _script(args: Args, _subject: Subject, outcomes: Sequence[Outcome]) -> Result:
    if not isinstance(args, str):
        return CheckError(expected(_SCRIPT_SHAPE, args, _SCRIPT_EXAMPLE))
    match outcomes[0]:
        case Value(kind, value):
            return _returned(kind, value)
        case JsError(name, message):
            return CheckError(f"The script failed: {f'{name}: {message}' if name else f'it threw {quoted(message)}'}.")
        case TimedOut(milliseconds):
            return CheckError(f"The script took longer than {milliseconds} ms and was stopped.")
        case Killed(reason):
            return CheckError(f"The script was stopped: {reason}.")
        case Matches():
            raise TypeError("the outcome of a script is a value")


def _returned(kind: str, value: Data) -> Result:
    match kind:
        case "boolean" | "number" | "nan" if isinstance(value, int | float):
            return _scored(value, "returned", None)
        case "undefined":
            return Checked(0.0, "returned nothing (undefined), which counts as false")
        case "object" if isinstance(value, dict) and "error" in value:
            error = value["error"]
            return CheckError(
                f"The script reports an error: {error if isinstance(error, str) and error else 'no reason given'}"
            )
        case "object" if isinstance(value, dict) and "score" in value:
            score, explain = value["score"], value.get("explain")
            if not isinstance(score, int | float):
                return CheckError(f"The script returned a score that is neither a number nor true or false. {_ALLOWED}")
            return _scored(score, "returned a score of", explain if isinstance(explain, str) and explain else None)
        case _:
            return CheckError(f"The script returned {_KINDS.get(kind, kind)}. {_ALLOWED}")


def _scored(value: float, verb: str, explain: str | None) -> Checked:
    shown = str(value).lower() if isinstance(value, bool) else written(value)
    extent = value if math.isnan(value) else float(min(max(value, 0), 1))
    detail = f"{verb} {shown}"
    if extent != value and not math.isnan(value):
        detail += f", counted as {written(extent)}"
    return Checked(extent, detail if explain is None else f"{detail}: {explain}", reflection=explain)


def _script_problem(args: Args) -> str | None:
    return None if isinstance(args, str) else expected(_SCRIPT_SHAPE, args, _SCRIPT_EXAMPLE)


OF_SCRIPTS = (described("js", _script, plan=_script_plan, problem=_script_problem),)


_CALL_EXAMPLE = DESCRIBED["call"].example
_CALL_SHAPE = "a mapping with `service` or `url`"
_FACTCHECK_EXAMPLE = DESCRIBED["factcheck"].example


def _not_called(_args: Args, _subject: Subject, _outcomes: Sequence[Outcome]) -> Result:
    return NotCalled("not called: this check needs a service, and this run calls none")


def _call_problem(args: Args) -> str | None:
    named = isinstance(args, dict) and ("service" in args or "url" in args)
    return None if named else expected(_CALL_SHAPE, args, _CALL_EXAMPLE)


def _factcheck_problem(args: Args) -> str | None:
    is_sound = isinstance(args, str) or args is ABSENT or args is None
    return None if is_sound else expected("an instruction as text", args, _FACTCHECK_EXAMPLE)


OF_SERVICES = (
    described("call", _not_called, problem=_call_problem),
    described("factcheck", _not_called, problem=_factcheck_problem),
)
