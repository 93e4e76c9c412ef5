"""Reads the tool calls in a response: lines `TOOL_CALL {"name": …, "arguments": {…}}`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from engine.blueprint import ABSENT
from engine.functions.counts import JAVASCRIPT_SPACE
from engine.functions.point_function import Args, Subject, ToolCall
from engine.json_text import DEEPEST, is_deeper
from engine.patterns import lazy
from engine.record import Record
from engine.text import Span
from engine.yaml_nodes.nodes import Data

_MARK = "TOOL_CALL "
_LINE = lazy(r"\r?\n")
_SPACES = lazy(f"[{JAVASCRIPT_SPACE}]+")
_EDGES = lazy(f"^[{JAVASCRIPT_SPACE}]+|[{JAVASCRIPT_SPACE}]+\\Z")
_LARGEST = 1.7976931348623157e308


class SeenCall(Record):
    """A call, and the span of its line in the response; no span if the caller supplied the calls."""

    call: ToolCall
    line: tuple[Span, ...]


def calls_of(subject: Subject) -> list[SeenCall]:
    """The tool calls of a response, as the platform reads them (platform A27).

    A call is one line: optional white space, `TOOL_CALL`, a space, and a JSON object with a string as `name`, which may
    be empty. Other lines are ignored, and so are objects that are nested more deeply than a blueprint.
    """
    if subject.tool_calls is not None:
        return [SeenCall(call, ()) for call in subject.tool_calls]
    return list(_seen(subject.response))


@lru_cache(maxsize=4)
def _seen(response: str) -> tuple[SeenCall, ...]:
    """The calls in a response. Cached, since every tool function of a rubric needs them."""
    seen: list[SeenCall] = []
    start = 0
    for line in _LINE.split(response) if _MARK in response else ():
        place = response.index(line, start)
        start = place + len(line)
        text = _EDGES.sub("", line) if _MARK in line else ""
        call = _call(text.removeprefix(_MARK)) if text.startswith(_MARK) else None
        if call is not None:
            indent = line.index(text)
            seen.append(SeenCall(call, (Span(place + indent, place + indent + len(text)),)))
    return tuple(seen)


def _call(text: str) -> ToolCall | None:
    try:
        data: Data = json.loads(
            _EDGES.sub("", text), parse_int=_number, parse_float=_number, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or is_deeper(data, DEEPEST):
        return None
    name = data.get("name")
    return ToolCall(name, data.get("arguments", ABSENT)) if isinstance(name, str) else None


def _number(text: str) -> float:
    """A number as a float; infinite ones become the largest number, since V8 gets them as JSON."""
    return min(max(float(text), -_LARGEST), _LARGEST)


def _refuse_constant(name: str) -> Data:
    raise ValueError(name)


class Mismatch(Exception):
    """A pattern that is nested deeper than the argument it is compared with. The message is for authors."""


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


def matches(pattern: Data, value: Args | _Inherited, *, any_space: bool = False, at: str = "arguments") -> bool:
    """Whether `value` contains everything in `pattern`; other content is ignored.

    As on the platform: lists are compared from their start, numbers and strings exactly (with `any_space`, strings
    without their white space). Raises `Mismatch` if the pattern has keys where `value` has neither object nor list.
    """
    if isinstance(pattern, dict):
        wanted = list(pattern.items())
    elif isinstance(pattern, list):
        wanted = [(str(index), item) for index, item in enumerate(pattern)]
    elif isinstance(pattern, datetime):
        return True
    else:
        return _equal(pattern, value, any_space=any_space)
    for name, part in wanted:
        found = _member(value, name, at)
        if found is ABSENT or not matches(part, found, any_space=any_space, at=f"{at}.{name}"):
            return False
    return True


def _member(value: Args | _Inherited, name: str, at: str) -> Args | _Inherited:
    match value:
        case dict():
            return value[name] if name in value else _Inherited() if name in _OBJECT_NAMES else ABSENT
        case list():
            if name.isdecimal() and str(int(name)) == name:
                return value[int(name)] if int(name) < len(value) else ABSENT
            if name == "length":
                return len(value)
            return _Inherited() if name in _ARRAY_NAMES else ABSENT
        case _Inherited():
            return ABSENT
        case _:
            raise Mismatch(f"`where` expects `{name}` in `{at}`, but the call has no object or list there")


def _equal(wanted: Data, value: Args | _Inherited, *, any_space: bool) -> bool:
    if isinstance(wanted, str) and isinstance(value, str):
        return _SPACES.sub("", wanted) == _SPACES.sub("", value) if any_space else wanted == value
    if isinstance(wanted, bool) or isinstance(value, bool) or wanted is None or value is None:
        return wanted is value
    if isinstance(wanted, int | float) and isinstance(value, int | float):
        return float(wanted) == float(value)
    return False


def names_of(seen: Sequence[SeenCall]) -> list[str]:
    """The names of the called tools, in order."""
    return [each.call.name for each in seen]
