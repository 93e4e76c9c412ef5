"""Checks of the format of the response."""

from __future__ import annotations

from collections.abc import Sequence

from engine.blueprint import ABSENT
from engine.functions.function_text import expected
from engine.functions.point_function import Args, Checked, CheckError, PointFunction, Result, Subject
from engine.javascript.tasks import JsError, JsonTask, Outcome, Task, Value
from engine.text.spans import Span

_EXAMPLE = "$is_json: true"
_KIND_NAMES = {"null": "null", "number": "a number", "string": "a string", "boolean": "true or false"}


def _plan(_args: Args, subject: Subject) -> Sequence[Task]:
    return (JsonTask(subject.response),)


def _conclude(_args: Args, subject: Subject, outcomes: Sequence[Outcome]) -> Result:
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


def _problem(args: Args) -> str | None:
    if args is False:
        return f"The argument is ignored, so false requires JSON as well. Example: {_EXAMPLE}"
    return None if args is True or args is None or args is ABSENT else expected("the argument true", args, _EXAMPLE)


FUNCTIONS = (
    PointFunction(
        "is_json",
        "The whole response is one JSON object or list, with nothing around it.",
        "true",
        _EXAMPLE,
        _conclude,
        _plan,
        _problem,
    ),
)
