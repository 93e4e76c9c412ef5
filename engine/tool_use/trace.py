"""The trace in a response: its calls, and lines that look like calls but are not (002, "How it works")."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache

from engine.functions.point_function import Subject
from engine.functions.traces import SeenCall, calls_of
from engine.json_text import TooDeep, read_json
from engine.patterns import lazy
from engine.record import Record
from engine.text import LineIndex, Span

_LINE = lazy(r"[^\r\n]+")
_LIKE_A_CALL = lazy(r"(?P<before>[^\w\r\n]*(?:\d+[.)]\s*)?)(?P<mark>tool[_ -]?call)(?P<rest>[^\w].*)?", re.I)
_MARKS = "tool_call", "toolcall", "tool call", "tool-call"
"""A response without any of these has no calls, and no lines that look like calls."""
_MOST_SLIPS = 50


class Slip(Record):
    """A line of the response that looks like a call but is not one, with the `reason` in an author's words.

    `line` counts from 1; `text` is untrusted.
    """

    span: Span
    line: int
    text: str
    reason: str


class Trace(Record):
    """The calls of a response, in order, with the line of each, from 1, and at most 50 slips."""

    calls: tuple[SeenCall, ...]
    lines: tuple[int, ...]
    slips: tuple[Slip, ...]


@lru_cache(maxsize=4)
def read_trace(response: str) -> Trace:
    """The trace of `response`, with the calls that the tool functions read (platform.md, A27)."""
    lowered = response.lower()
    if not any(mark in lowered for mark in _MARKS):
        return Trace((), (), ())
    calls = tuple(calls_of(Subject(response)))
    starts = [call.line[0].start for call in calls if call.line]
    index = LineIndex(response)
    lines = tuple(index.position(start).line + 1 for start in starts)
    return Trace(calls, lines, tuple(_slips(response, set(starts), index)))


def _slips(response: str, calls: set[int], index: LineIndex) -> Iterator[Slip]:
    found = 0
    for match in _LINE.finditer(response):
        text = match[0].strip()
        start = match.start() + match[0].index(text)
        reason = None if start in calls or found == _MOST_SLIPS else _why_not_a_call(text)
        if reason is not None:
            found += 1
            yield Slip(Span(start, start + len(text)), index.position(start).line + 1, text, reason)


def _why_not_a_call(text: str) -> str | None:
    """Why a line that looks like a call is not one; None for any other line."""
    match = _LIKE_A_CALL.fullmatch(text)
    if match is None:
        return None
    rest = match["rest"] or ""
    is_plain = not match["before"] and match["mark"] == "TOOL_CALL"
    if "{" not in rest and not (is_plain and rest[:1] in (" ", ":")):
        return None
    if match["before"]:
        return f"the line begins with {match['before'].strip() or 'something else'}, not with TOOL_CALL"
    if match["mark"] != "TOOL_CALL":
        return f"it says {match['mark']}, not TOOL_CALL"
    if not rest.startswith(" "):
        return "TOOL_CALL is not followed by a space"
    return _why_not_an_object(rest.strip())


def _why_not_an_object(text: str) -> str:
    if not text.startswith("{"):
        return "the text after TOOL_CALL is not a JSON object"
    try:
        data = read_json(text)
    except TooDeep:
        return "its JSON is nested too deeply"
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            return "there is text after the JSON object"
        unfinished = text.count("{") > text.count("}")
        return "its JSON object does not end on this line" if unfinished else "the JSON after TOOL_CALL is invalid"
    if not isinstance(data.get("name"), str) or not data["name"]:
        return "its JSON object has no `name` in quotes"
    return "its JSON contains NaN or Infinity, which are not JSON"
