"""Checks of the tools that the response calls: which, how often, in which order and with which arguments.

A call is a line `TOOL_CALL {"name": …, "arguments": {…}}` of the response.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from engine.blueprint import ABSENT, Absent
from engine.functions.function_text import expected, listed, quoted, times, written
from engine.functions.point_function import DESCRIBED, Args, Checked, CheckError, Result, Subject, described
from engine.functions.response_checks import JAVASCRIPT_SPACE
from engine.functions.tasks import JsError, Killed, Matches, Outcome, ScriptTask, Task, TimedOut, Value
from engine.text import Record, Span, count, lazy
from engine.text.record import DEEPEST, is_deeper
from engine.yaml.nodes import Data, is_truthy

_MARK = "TOOL_CALL "
_LINE = lazy(r"\r?\n")
_SPACES = lazy(f"[{JAVASCRIPT_SPACE}]+")
_EDGES = lazy(f"^[{JAVASCRIPT_SPACE}]+|[{JAVASCRIPT_SPACE}]+\\Z")
_LARGEST = 1.7976931348623157e308


class ToolCall(Record):
    """A call, and its line in the response; `arguments` are ABSENT if it has none."""

    name: str
    arguments: Data | Absent
    line: Span


@lru_cache(maxsize=4)
def calls_in(response: str) -> tuple[ToolCall, ...]:
    """The tool calls of a response, as the platform reads them (platform A27).

    A call is one line: optional white space, `TOOL_CALL`, a space, and a JSON object with a string as `name`, which may
    be empty. Other lines are ignored, and so are objects that are nested more deeply than a blueprint. Cached, since
    every tool function of a rubric needs them.
    """
    calls: list[ToolCall] = []
    start = 0
    for line in _LINE.split(response) if _MARK in response else ():
        place = response.index(line, start)
        start = place + len(line)
        text = _EDGES.sub("", line) if _MARK in line else ""
        if text.startswith(_MARK):
            calls += _call(text.removeprefix(_MARK), Span(0, len(text)).shifted(place + line.index(text)))
    return tuple(calls)


def _call(text: str, line: Span) -> Iterator[ToolCall]:
    """The call that `text` is; nothing where it is none."""
    try:
        data: Data = json.loads(
            _EDGES.sub("", text), parse_int=_number, parse_float=_number, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError):
        return
    name = data.get("name") if isinstance(data, dict) and not is_deeper(data, DEEPEST) else None
    if isinstance(data, dict) and isinstance(name, str):
        yield ToolCall(name, data.get("arguments", ABSENT), line)


def _number(text: str) -> float:
    """A number as a float; infinite ones become the largest number, since V8 gets them as JSON."""
    return min(max(float(text), -_LARGEST), _LARGEST)


def _refuse_constant(name: str) -> Data:
    raise ValueError(name)


_OF_OBJECTS = """
    constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf __proto__
    __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__
"""
_OF_ARRAYS = """
    at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach includes
    indexOf join keys lastIndexOf length map pop push reduce reduceRight reverse shift slice some sort splice
    toReversed toSorted toSpliced unshift values with
"""
_OBJECT_NAMES = frozenset(_OF_OBJECTS.split())
_ARRAY_NAMES = frozenset((*_OF_OBJECTS.split(), *_OF_ARRAYS.split()))


class _Inherited:
    """The inherited member that JavaScript finds under a name that all objects have: equal to no written value."""


class Difference(Record):
    """A part of the wanted arguments that a call does not have so: its path, and what there is; ABSENT for nothing."""

    path: tuple[str, ...]
    wanted: Data
    given: Args

    @property
    def is_flat(self) -> bool:
        """Whether parts are wanted of what has none: the comparison fails there on the platform."""
        return bool(parts_of(self.wanted)) and not isinstance(self.given, dict | list | Absent)


def differences(args: Args, seen: ToolCall) -> Iterator[Difference]:
    """How the arguments of a call differ from `where` of `args`, those of a `tool_args_match`, in their order.

    As on the platform: what is not wanted is ignored, lists are compared from their start, numbers and strings exactly
    (with `normalizeWhitespace`, strings without their white space), and a date is equal to everything.
    """
    options = args if isinstance(args, dict) else {}
    any_space = is_truthy(options.get("normalizeWhitespace"))
    return _differences(options.get("where"), seen.arguments, (), any_space)


def _differences(
    wanted: Data, found: Args | _Inherited, path: tuple[str, ...], any_space: bool
) -> Iterator[Difference]:
    parts = parts_of(wanted)
    if parts and isinstance(found, dict | list):
        for name, part in parts:
            yield from _differences(part, _member(found, name), (*path, name), any_space)
    elif parts or found is ABSENT or not _equal(wanted, found, any_space=any_space):
        yield Difference(path, wanted, ABSENT if isinstance(found, _Inherited) else found)


def parts_of(wanted: Data) -> Sequence[tuple[str, Data]]:
    """The members of an object or a list, by name or index; none for another value."""
    match wanted:
        case dict():
            return list(wanted.items())
        case list():
            return [(str(index), part) for index, part in enumerate(wanted)]
        case _:
            return ()


def _member(value: dict[str, Data] | list[Data], name: str) -> Args | _Inherited:
    if isinstance(value, dict):
        return value[name] if name in value else _Inherited() if name in _OBJECT_NAMES else ABSENT
    if name.isdecimal() and str(int(name)) == name:
        return value[int(name)] if int(name) < len(value) else ABSENT
    return len(value) if name == "length" else _Inherited() if name in _ARRAY_NAMES else ABSENT


def _equal(wanted: Data, value: Args | _Inherited, *, any_space: bool) -> bool:
    if isinstance(wanted, dict | list | datetime):
        return True
    if isinstance(wanted, str) and isinstance(value, str):
        return _SPACES.sub("", wanted) == _SPACES.sub("", value) if any_space else wanted == value
    if isinstance(wanted, bool) or isinstance(value, bool) or wanted is None or value is None:
        return wanted is value
    if isinstance(wanted, int | float) and isinstance(value, int | float):
        return float(wanted) == float(value)
    return False


def names_of(seen: Sequence[ToolCall]) -> list[str]:
    """The names of the called tools, in order."""
    return [each.name for each in seen]


_CALLED_EXAMPLE = DESCRIBED["tool_called"].example
_ARGS_EXAMPLE = DESCRIBED["tool_args_match"].example
_ARGS_SHAPE = "{name, where}, the tool's name and what its arguments must hold"
_COUNT_EXAMPLE = DESCRIBED["tool_call_count_between"].example
_COUNT_SHAPE = "[low, high] or [low, high, name], two numbers and a tool's name"
_ORDER_EXAMPLE = DESCRIBED["tool_call_order"].example
_ORDER_SHAPE = "a list of tool names"


def _lines(seen: Sequence[ToolCall]) -> tuple[Span, ...]:
    return tuple(each.line for each in seen)


def _calls_text(seen: Sequence[ToolCall]) -> str:
    names = list(dict.fromkeys(names_of(seen)))
    return f"the response calls {listed(names)}" if names else "the response calls no tool"


def _called_problem(args: Args) -> str | None:
    return None if isinstance(args, str) and args else expected("a tool's name", args, _CALLED_EXAMPLE)


def _called(args: Args, subject: Subject, _outcomes: Sequence[Outcome]) -> Result:
    if not isinstance(args, str) or not args:
        return CheckError(expected("a tool's name", args, _CALLED_EXAMPLE))
    seen = calls_in(subject.response)
    calls = [each for each in seen if each.name == args]
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
    calls = calls_in(subject.response)
    found = count(len(calls), "tool call")
    if isinstance(name, str) and name:
        calls = [each for each in calls if each.name == name]
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
    seen = calls_in(subject.response)
    steps: list[ToolCall] = []
    for each in seen:
        if len(steps) < len(names) and each.name == names[len(steps)]:
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
    if isinstance(value, datetime):
        return name
    form = "{}[{}]" if isinstance(value, list) else "{}.{}"
    found = (_date_within(part, form.format(name, at)) for at, part in parts_of(value))
    return next(filter(None, found), None)


def with_arguments(args: Args, subject: Subject) -> list[ToolCall]:
    """The calls of the tool that `args` names, without those that have no arguments."""
    name = args.get("name") if isinstance(args, dict) else ABSENT
    return [each for each in calls_in(subject.response) if each.name == name and each.arguments not in (ABSENT, None)]


def _args_plan(args: Args, subject: Subject) -> Sequence[Task]:
    where = args.get("where") if isinstance(args, dict) else None
    if not isinstance(where, str) or not where:
        return ()
    source = f"!!new Function('args', {json.dumps(f'return ({where})')})(args)"
    given = (each.arguments for each in with_arguments(args, subject))
    return tuple(ScriptTask(source, (("args", None if isinstance(each, Absent) else each),)) for each in given)


def _args_matched(args: Args, subject: Subject, outcomes: Sequence[Outcome]) -> Result:
    if not isinstance(args, dict) or not is_truthy(args.get("name")):
        return CheckError(expected(_ARGS_SHAPE, args, _ARGS_EXAMPLE))
    where, name = args.get("where"), args["name"]
    calls = with_arguments(args, subject)
    if not calls:
        return Checked(0.0, f"no call of {quoted(str(name))} with arguments: {_calls_text(calls_in(subject.response))}")
    if isinstance(where, str):
        return _by_script(where, calls, outcomes)
    if not isinstance(where, dict | list | datetime):
        return Checked(0.0, "`where` describes no arguments, so no call matches")
    for each in calls:
        first = next(differences(args, each), None)
        if first is None:
            return Checked(1.0, f"a call of {quoted(str(name))} matches", (each.line,))
        if first.is_flat:
            at, part = ".".join(("arguments", *first.path)), parts_of(first.wanted)[0][0]
            return CheckError(f"`where` expects `{part}` in `{at}`, but the call has no object or list there.")
    called = f"{quoted(str(name))} is called {times(len(calls))}"
    return Checked(0.0, f"{called}, {_none_matches(calls)}", _lines(calls))


def _none_matches(calls: Sequence[ToolCall]) -> str:
    return "which does not match `where`" if len(calls) == 1 else "none of which matches `where`"


def _by_script(where: str, calls: Sequence[ToolCall], outcomes: Sequence[Outcome]) -> Result:
    failure = ""
    for each, outcome in zip(calls, outcomes, strict=False):
        match outcome:
            case Value(_, True):
                return Checked(1.0, f"a call matches {quoted(where)}", (each.line,))
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


OF_TOOL_CALLS = (
    described("tool_called", _called, problem=_called_problem),
    described("tool_args_match", _args_matched, plan=_args_plan, problem=_args_problem),
    described("tool_call_count_between", _counted, problem=_count_problem),
    described("tool_call_order", _ordered, problem=_order_problem),
)
