"""Slips of the hand that make a text unreadable, recognised by the look of the lines where the reader gave up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.text import Span, TextEdit

_FALSE_BLANKS = "\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff"
_FALSE_BLANK = re.compile(rf"(?:(?<=^)|(?<=[ \-:])|(?<=[{_FALSE_BLANKS}]))[{_FALSE_BLANKS}]", re.MULTILINE)
_TIGHT_KEY = re.compile(r"[ \t]*(?:-[ \t]+)*(?P<name>[A-Za-z_$][\w$-]*):(?=[^\s:/])")
_TIGHT_DASH = re.compile(r"[ \t]*-(?=[^\s-])")
_LONE_WORD = re.compile(r"[ \t]*(?:-[ \t]+)*(?P<name>[A-Za-z_$][\w$-]*)[ \t]*$")
_STRUCTURE = re.compile(r"(?P<margin> *)(?P<sign>-(?=[ \t\r\n]|$)|[\w$\"'][^:#\n]*:(?=[ \t\r\n]|$))")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*[ \t]*$")


@dataclass(frozen=True, slots=True)
class Slip:
    """What was done: where, in an author's words, and the edits that undo it where it can only mean one thing."""

    span: Span
    message: str
    title: str = ""
    edits: tuple[TextEdit, ...] = ()


def slips(text: str, piece: Span, reason: str, began: int, offset: int) -> Iterator[Slip]:
    """The slips that may be why `piece` cannot be read on at `offset`, the likeliest first.

    `reason` is js-yaml's; `began` is where the latest node begins that was met before.
    """
    first = _line(text, piece, min(began, offset))
    last = _line(text, piece, offset)
    yield from _false_blanks(text, Span(first.start, last.end))
    for line in (last,) if first == last else (first, last):
        yield from _tight(text, line)
    if reason.startswith("can not read"):
        yield _no_key(text, piece, first)
    if reason.startswith("bad indentation"):
        yield from _out_of_line(text, piece, last)


def _line(text: str, piece: Span, offset: int) -> Span:
    """The line of `offset`, no further than `piece`, without its line break."""
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", start)
    end = min(len(text) if end < 0 else end, piece.end)
    return Span(start, max(start, end))


def _content(text: str, line: Span) -> Span:
    """`line` without the blanks around it."""
    written = line.of(text)
    start = line.start + len(written) - len(written.lstrip())
    return Span(start, max(start, line.start + len(written.rstrip())))


def _false_blanks(text: str, span: Span) -> Iterator[Slip]:
    found = [each.start() for each in _FALSE_BLANK.finditer(text, span.start, span.end)]
    if found:
        what = "a blank that only looks like a space (it cannot be broken, or has no width); type a space in its place"
        edits = tuple(TextEdit(Span(at, at + 1), "" if text[at] in "\ufeff\u200b" else " ") for at in found)
        yield Slip(Span(found[0], found[0] + 1), f"here stands {what}", "Put plain spaces", edits)


def _tight(text: str, line: Span) -> Iterator[Slip]:
    key = _TIGHT_KEY.match(text, line.start, line.end)
    if key is not None:
        edits = (TextEdit(Span(key.end(), key.end()), " "),)
        message = f"behind the `:` of `{key['name']}` a blank is missing"
        yield Slip(_content(text, Span(key.start("name"), line.end)), message, "Put a blank behind the `:`", edits)
    dash = _TIGHT_DASH.match(text, line.start, line.end)
    if dash is not None:
        edits = (TextEdit(Span(dash.end(), dash.end()), " "),)
        yield Slip(_content(text, line), "behind the `-` a blank is missing", "Put a blank behind the `-`", edits)


def _no_key(text: str, piece: Span, line: Span) -> Slip:
    """The line that was taken for a key, which js-yaml finds out only at the next one."""
    place = _content(text, line)
    word = _LONE_WORD.match(text, line.start, line.end)
    above = text[piece.start : line.start].rstrip()
    if text.startswith("//", place.start):
        return Slip(place, "a remark begins with `#`, not with `//`")
    if _BLOCK_HEADER.search(above) is not None:
        return Slip(place, "the text of the `|` or `>` above begins here; it must be indented deeper than its key")
    if word is not None:
        return Slip(place, f"behind `{word['name']}` a `:` is missing")
    return Slip(place, "this line is no `key: value`; if it belongs to the text above, indent it deeper than its key")


def _out_of_line(text: str, piece: Span, line: Span) -> Iterator[Slip]:
    here = _STRUCTURE.match(text, line.start, line.end)
    if here is None or line.start <= piece.start:
        return
    kind = "`-`" if here["sign"] == "-" else "key"
    widths = [
        len(each["margin"]) + (2 if each["sign"] == "-" and kind == "key" else 0)
        for above in text[piece.start : line.start].splitlines()
        if (each := _STRUCTURE.match(above)) is not None and (kind == "key" or each["sign"] == "-")
    ]
    width = len(here["margin"])
    if widths and width not in widths:
        near = min(reversed(widths), key=lambda each: abs(each - width))
        message = f"this {kind} is in line with nothing above: {width} columns from the left, the nearest {near}"
        yield Slip(_content(text, line), message)
    else:
        what = "a list does not begin here" if kind == "`-`" else "this key does not belong here"
        yield Slip(_content(text, line), f"{what}: what stands above has its value already, or is indented otherwise")
