"""Checks by the author's own JavaScript."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.functions.function_text import expected, quoted, written
from engine.functions.point_function import Args, Checked, CheckError, PointFunction, Result, Subject
from engine.javascript.tasks import JsError, Killed, Matches, Outcome, ScriptTask, Task, TimedOut, Value
from engine.yaml.nodes import Data

_EXAMPLE = '$js: "r.length > 100"'
_SHAPE = "JavaScript as text"
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


def _plan(args: Args, subject: Subject) -> Sequence[Task]:
    if not isinstance(args, str):
        return ()
    context: dict[str, Data] = {"messages": list(subject.messages), "modelId": subject.model_id}
    return (ScriptTask(args, (("r", subject.response), ("response", subject.response), ("context", context))),)


def _conclude(args: Args, _subject: Subject, outcomes: Sequence[Outcome]) -> Result:
    if not isinstance(args, str):
        return CheckError(expected(_SHAPE, args, _EXAMPLE))
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


def _problem(args: Args) -> str | None:
    return None if isinstance(args, str) else expected(_SHAPE, args, _EXAMPLE)


FUNCTIONS = (
    PointFunction(
        "js",
        "The result of this JavaScript with the response in `r`: true, false, or part marks as a number from 0 to 1.",
        "JavaScript",
        _EXAMPLE,
        _conclude,
        _plan,
        _problem,
        aliases=("expr",),
        graded=True,
    ),
)
