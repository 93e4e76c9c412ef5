"""Checks of the tools that the response calls: which, how often, in which order and with which arguments."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import datetime

from engine.blueprint import ABSENT
from engine.functions.function_text import count, expected, listed, quoted, times, written
from engine.functions.point_function import Args, Checked, CheckError, PointFunction, Result, Subject
from engine.functions.traces import Mismatch, SeenCall, calls_of, matches, names_of
from engine.javascript.tasks import JsError, Killed, Matches, Outcome, ScriptTask, Task, TimedOut, Value
from engine.text import Span
from engine.yaml_nodes.nodes import Data

_CALLED_EXAMPLE = '$tool_called: "calculator"'
_ARGS_EXAMPLE = '$tool_args_match: { name: "calculator", where: { expression: "(312*49)-777" } }'
_ARGS_SHAPE = "{name, where}, the tool's name and what its arguments must hold"
_COUNT_EXAMPLE = '$tool_call_count_between: [1, 1, "calculator"]'
_COUNT_SHAPE = "[low, high] or [low, high, name], two numbers and a tool's name"
_ORDER_EXAMPLE = '$tool_call_order: ["search", "retrieve"]'
_ORDER_SHAPE = "a list of tool names"


def _lines(seen: Sequence[SeenCall]) -> tuple[Span, ...]:
    return tuple(span for each in seen for span in each.line)


def _calls_text(seen: Sequence[SeenCall]) -> str:
    names = list(dict.fromkeys(names_of(seen)))
    return f"the response calls {listed(names)}" if names else "the response calls no tool"


def _called_problem(args: Args) -> str | None:
    return None if isinstance(args, str) and args else expected("a tool's name", args, _CALLED_EXAMPLE)


def _called(args: Args, subject: Subject, _outcomes: Sequence[Outcome]) -> Result:
    if not isinstance(args, str) or not args:
        return CheckError(expected("a tool's name", args, _CALLED_EXAMPLE))
    seen = calls_of(subject)
    calls = [each for each in seen if each.call.name == args]
    if calls:
        return Checked(1.0, f"{quoted(args)} is called {times(len(calls))}", _lines(calls))
    return Checked(0.0, f"{quoted(args)} is not called: {_calls_text(seen)}")


def _count_problem(args: Args) -> str | None:
    wrong = expected(_COUNT_SHAPE, args, _COUNT_EXAMPLE)
    if not isinstance(args, list) or len(args) not in (2, 3):
        return wrong
    low, high = _bound(args, 0, math.nan), _bound(args, 1, math.nan)
    if math.isnan(low) or math.isnan(high) or not all(isinstance(name, str) for name in args[2:]):
        return wrong
    if low > high:
        return f"{written(low)} is more than {written(high)}, so no count passes. Example: {_COUNT_EXAMPLE}"
    return None


def _bound(args: Args, index: int, otherwise: float) -> float:
    if not isinstance(args, list) or index >= len(args):
        return otherwise
    bound = args[index]
    return bound if isinstance(bound, int | float) and not isinstance(bound, bool) else otherwise


def _counted(args: Args, subject: Subject, _outcomes: Sequence[Outcome]) -> Result:
    # As on the platform, a bound that is not a number is ignored, and so is an argument that is not a list.
    low, high = _bound(args, 0, 0), _bound(args, 1, math.inf)
    name = args[2] if isinstance(args, list) and len(args) > 2 else None
    calls = calls_of(subject)
    found = count(len(calls), "tool call")
    if isinstance(name, str) and name:
        calls = [each for each in calls if each.call.name == name]
        found = f"{count(len(calls), 'call')} of {quoted(name)}"
    bounds = f"at least {written(low)}" if math.isinf(high) else f"{written(low)}–{written(high)}"
    return Checked(float(low <= len(calls) <= high), f"{found}; expected {bounds}", _lines(calls))


def _order_names(args: Args) -> list[str] | None:
    names = [name for name in args if isinstance(name, str)] if isinstance(args, list) else []
    return names or None


def _order_problem(args: Args) -> str | None:
    names = _order_names(args)
    if names is None or not isinstance(args, list) or len(names) != len(args) or "" in names:
        return expected(_ORDER_SHAPE, args, _ORDER_EXAMPLE)
    return None


def _ordered(args: Args, subject: Subject, _outcomes: Sequence[Outcome]) -> Result:
    names = _order_names(args)
    if names is None:
        return CheckError(expected(_ORDER_SHAPE, args, _ORDER_EXAMPLE))
    seen = calls_of(subject)
    steps: list[SeenCall] = []
    for each in seen:
        if len(steps) < len(names) and each.call.name == names[len(steps)]:
            steps.append(each)
    if len(steps) == len(names):
        return Checked(1.0, f"{listed(names)} are called in this order", _lines(steps))
    before = f" after {quoted(names[len(steps) - 1])}" if steps else ""
    return Checked(0.0, f"{quoted(names[len(steps)])} is not called{before}: {_calls_text(seen)}", _lines(steps))


def _args_problem(args: Args) -> str | None:
    wrong = expected(_ARGS_SHAPE, args, _ARGS_EXAMPLE)
    if not isinstance(args, dict) or not isinstance(args.get("name"), str) or not args["name"]:
        return wrong
    where = args.get("where")
    if (name := _date_within(where, "where")) is not None:
        return f"YAML reads `{name}` as a date, which matches anything: put it in quotes. Example: {_ARGS_EXAMPLE}"
    return None if isinstance(where, dict | str) and where != "" else wrong


def _date_within(value: Data, name: str) -> str | None:
    """The name of the first date in `value`, or of `value` itself; None if there is none."""
    match value:
        case datetime():
            return name
        case dict():
            parts = [(f"{name}.{key}", part) for key, part in value.items()]
        case list():
            parts = [(f"{name}[{index}]", part) for index, part in enumerate(value)]
        case _:
            return None
    return next((found for at, part in parts if (found := _date_within(part, at)) is not None), None)


def _with_arguments(args: Args, subject: Subject) -> list[SeenCall]:
    """The calls of the tool that `args` names, without those that have no arguments."""
    if not isinstance(args, dict):
        return []
    return [
        each
        for each in calls_of(subject)
        if each.call.name == args.get("name") and each.call.arguments is not ABSENT and each.call.arguments is not None
    ]


def _args_plan(args: Args, subject: Subject) -> Sequence[Task]:
    where = args.get("where") if isinstance(args, dict) else None
    if not isinstance(where, str) or not where:
        return ()
    source = f"!!new Function('args', {json.dumps(f'return ({where})')})(args)"
    return tuple(ScriptTask(source, (("args", _data(each.call.arguments)),)) for each in _with_arguments(args, subject))


def _data(args: Args) -> Data:
    return None if args is ABSENT else args


def _args_matched(args: Args, subject: Subject, outcomes: Sequence[Outcome]) -> Result:
    if not isinstance(args, dict) or not _truthy(args.get("name")):
        return CheckError(expected(_ARGS_SHAPE, args, _ARGS_EXAMPLE))
    where, name = args.get("where"), args["name"]
    calls = _with_arguments(args, subject)
    if not calls:
        return Checked(0.0, f"no call of {quoted(str(name))} with arguments: {_calls_text(calls_of(subject))}")
    if isinstance(where, str):
        return _by_script(where, calls, outcomes)
    if not isinstance(where, dict | list | datetime):
        return Checked(0.0, "`where` describes no arguments, so no call matches")
    try:
        for each in calls:
            if matches(where, each.call.arguments, any_space=_truthy(args.get("normalizeWhitespace"))):
                return Checked(1.0, f"a call of {quoted(str(name))} matches", each.line)
    except Mismatch as error:
        return CheckError(f"{error}.")
    return Checked(0.0, f"{_called_text(name, calls)} {_none_matches(calls)}", _lines(calls))


def _none_matches(calls: Sequence[SeenCall]) -> str:
    return "which does not match `where`" if len(calls) == 1 else "none of which matches `where`"


def _called_text(name: Data, calls: Sequence[SeenCall]) -> str:
    return f"{quoted(str(name))} is called {times(len(calls))},"


def _by_script(where: str, calls: Sequence[SeenCall], outcomes: Sequence[Outcome]) -> Result:
    failure = ""
    for each, outcome in zip(calls, outcomes, strict=False):
        match outcome:
            case Value(_, True):
                return Checked(1.0, f"a call matches {quoted(where)}", each.line)
            case Value():
                pass
            case JsError(_, message):
                failure = f"; {quoted(where)} failed: {message}"
            case TimedOut(milliseconds):
                return CheckError(f"The `where` script took longer than {milliseconds} ms and was stopped.")
            case Killed(reason):
                return CheckError(f"The `where` script was stopped: {reason}.")
            case Matches():
                raise TypeError("the outcome of a script is a value")
    return Checked(0.0, f"{count(len(calls), 'call')}, {_none_matches(calls)}{failure}", _lines(calls))


def _truthy(value: Data) -> bool:
    return isinstance(value, dict | list) or (value is not None and value == value and bool(value))


FUNCTIONS = (
    PointFunction(
        "tool_called",
        "The response calls this tool.",
        "tool name",
        _CALLED_EXAMPLE,
        _called,
        problem=_called_problem,
    ),
    PointFunction(
        "tool_args_match",
        "The response calls this tool with these arguments, or with ones for which the JavaScript `where` is true.",
        "{name, where}",
        _ARGS_EXAMPLE,
        _args_matched,
        _args_plan,
        _args_problem,
    ),
    PointFunction(
        "tool_call_count_between",
        "The response calls tools, or this tool, at least low and at most high times.",
        "[low, high, name]",
        _COUNT_EXAMPLE,
        _counted,
        problem=_count_problem,
    ),
    PointFunction(
        "tool_call_order",
        "The response calls these tools in this order; other calls may come between them.",
        "[tool name, …]",
        _ORDER_EXAMPLE,
        _ordered,
        problem=_order_problem,
    ),
)
