"""How the arguments of a tool call differ from those that a check wants."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime

from engine.blueprint import ABSENT, FunctionCall
from engine.functions.point_function import Args, Subject
from engine.functions.traces import Mismatch, SeenCall, calls_of, matches
from engine.record import Record
from engine.text import Span
from engine.yaml_nodes.nodes import Data

_MOST = 20
_DEEPEST = 30


class ArgumentDifference(Record):
    """One argument that differs: its `path` such as `filters.year`, what is wanted, and what the call has as JSON.

    `found` is None where the call does not have it. `line` is the line of the call in the answer; `leaves` is how many
    values are wanted there.
    """

    path: str
    wanted: str
    found: str | None
    line: tuple[Span, ...]
    leaves: int = 1


def argument_differences(call: FunctionCall, subject: Subject) -> tuple[ArgumentDifference, ...]:
    """The differences of the call that comes nearest to `where` of `call`, a `tool_args_match`; at most 20.

    Empty if a call matches, if the tool is not called with arguments, and for a `where` in JavaScript.
    """
    args = call.args
    where = args.get("where") if isinstance(args, dict) else None
    if not isinstance(args, dict) or not isinstance(where, dict | list):
        return ()
    any_space = bool(args.get("normalizeWhitespace"))
    each: list[list[ArgumentDifference]] = [
        list(_differences(where, seen, any_space=any_space))
        for seen in calls_of(subject)
        if seen.call.name == args.get("name") and seen.call.arguments not in (ABSENT, None)
    ]
    return tuple(min(each, key=_leaves)[:_MOST]) if each else ()


def _leaves(differences: Sequence[ArgumentDifference]) -> int:
    """How many values differ: all of an object that is missing."""
    return sum(each.leaves for each in differences)


def _leaves_of(wanted: Data) -> int:
    return sum(_leaves_of(part) for _, part in _parts(wanted)) or 1


def _differences(where: Data, seen: SeenCall, *, any_space: bool) -> Iterator[ArgumentDifference]:
    waiting: list[tuple[str, Data, Args, int]] = [("", where, seen.call.arguments, 0)]
    while waiting:
        path, wanted, found, depth = waiting.pop()
        parts = _parts(wanted)
        if parts and isinstance(found, dict | list) and depth < _DEEPEST:
            waiting += [
                (f"{path}.{name}" if path else name, part, _member(found, name), depth + 1)
                for name, part in reversed(parts)
            ]
        elif found is ABSENT or not _equal(wanted, found, any_space=any_space):
            shown = _shown(wanted), _shown_or_none(found)
            yield ArgumentDifference(path or "arguments", *shown, seen.line, _leaves_of(wanted))


def _parts(wanted: Data) -> Sequence[tuple[str, Data]]:
    match wanted:
        case dict():
            return list(wanted.items())
        case list():
            return [(str(place), part) for place, part in enumerate(wanted)]
        case _:
            return ()


def _member(value: Data, name: str) -> Args:
    match value:
        case dict():
            return value.get(name, ABSENT)
        case list() if name.isdecimal() and int(name) < len(value):
            return value[int(name)]
        case _:
            return ABSENT


def _equal(wanted: Data, found: Args, *, any_space: bool) -> bool:
    try:
        return isinstance(wanted, datetime) or matches(wanted, found, any_space=any_space)
    except Mismatch:
        return False


def _shown_or_none(value: Args) -> str | None:
    return None if value is ABSENT else _shown(value)


def _shown(value: Data) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False, default=str)
