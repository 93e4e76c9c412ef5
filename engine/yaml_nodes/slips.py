"""Common mistakes of layout that make a text unreadable, recognised by the lines where reading stopped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.text import Span, TextEdit
from engine.yaml_nodes.line_spans import content_span, line_span

_FALSE_SPACES = "\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff"
_FALSE_SPACE = re.compile(rf"(?:(?<=^)|(?<=[ \-:])|(?<=[{_FALSE_SPACES}]))[{_FALSE_SPACES}]", re.MULTILINE)
_KEY_WITHOUT_SPACE = re.compile(r"[ \t]*(?:-[ \t]+)*(?P<name>[A-Za-z_$][\w$-]*):(?=[^\s:/])")
_DASH_WITHOUT_SPACE = re.compile(r"[ \t]*-(?=[^\s-])")
_LONE_WORD = re.compile(r"[ \t]*(?:-[ \t]+)*(?P<name>[A-Za-z_$][\w$-]*)[ \t]*$")
_SHORT_SEPARATOR = re.compile(r"--[ \t]*$")
_STRUCTURE = re.compile(r"(?P<margin> *)(?P<sign>-(?=[ \t\r\n]|$)|[\w$\"'][^:#\n]*:(?=[ \t\r\n]|$))")
_POINT_KEY = re.compile(r" *(?P<name>weight|multiplier|citation)[ \t]*:")
_PLAIN_ITEM = re.compile(r"(?P<dash> *-[ ]+)(?P<text>[^\s:\[\]{}\"'#&*!|>%@`$][^\n]*)$")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*[ \t]*$")


@dataclass(frozen=True, slots=True)
class Slip:
    """One mistake: where, the message, and the edits that correct it where only one correction is possible."""

    span: Span
    message: str
    title: str = ""
    edits: tuple[TextEdit, ...] = ()


def slips(text: str, piece: Span, reason: str, node_start: int, offset: int) -> Iterator[Slip]:
    """The mistakes that may be why `piece` cannot be read beyond `offset`, the likeliest first.

    `reason` is js-yaml's; `node_start` is where the last node before `offset` begins.
    """
    first = line_span(text, piece, min(node_start, offset))
    last = line_span(text, piece, offset)
    yield from _false_spaces(text, Span(first.start, last.end))
    for line in (last,) if first == last else (first, last):
        yield from _missing_space(text, line)
    if reason.startswith("can not read"):
        yield _not_a_key(text, piece, first)
    if reason.startswith("bad indentation"):
        yield from _misaligned(text, piece, last)


def _false_spaces(text: str, span: Span) -> Iterator[Slip]:
    found = [each.start() for each in _FALSE_SPACE.finditer(text, span.start, span.end)]
    if found:
        message = "this character only looks like a space (it is non-breaking, or has no width): type a space instead"
        edits = tuple(TextEdit(Span(at, at + 1), "" if text[at] in "\ufeff\u200b" else " ") for at in found)
        yield Slip(Span(found[0], found[0] + 1), message, "use plain spaces", edits)


def _missing_space(text: str, line: Span) -> Iterator[Slip]:
    key = _KEY_WITHOUT_SPACE.match(text, line.start, line.end)
    if key is not None:
        edits = (TextEdit(Span(key.end(), key.end()), " "),)
        place = content_span(text, Span(key.start("name"), line.end))
        yield Slip(place, f"put a space after `{key['name']}:`", "add the space", edits)
    dash = _DASH_WITHOUT_SPACE.match(text, line.start, line.end)
    if dash is not None:
        edits = (TextEdit(Span(dash.end(), dash.end()), " "),)
        yield Slip(content_span(text, line), "put a space after `-`", "add the space", edits)


def _not_a_key(text: str, piece: Span, line: Span) -> Slip:
    """The line that js-yaml took for a key until it found no `:` on it."""
    place = content_span(text, line)
    word = _LONE_WORD.match(text, line.start, line.end)
    above = text[piece.start : line.start].rstrip()
    if text.startswith("//", place.start):
        return Slip(place, "comments start with `#`, not with `//`")
    if _SHORT_SEPARATOR.match(text, line.start, line.end) is not None:
        edits = (TextEdit(place, "---"),)
        return Slip(place, "a separator has three dashes: `---`", "write `---`", edits)
    if _BLOCK_HEADER.search(above) is not None:
        return Slip(place, "this is the text of the `|` or `>` above: indent it deeper than its key")
    if word is not None:
        return Slip(place, f"put a `:` after `{word['name']}`")
    return Slip(place, "this line is not `key: value`: if it belongs to the text above, indent it deeper than its key")


def _misaligned(text: str, piece: Span, line: Span) -> Iterator[Slip]:
    """A key or a dash that lines up with nothing above it, or with something that cannot hold it."""
    here = _STRUCTURE.match(text, line.start, line.end)
    if here is None or line.start <= piece.start:
        return
    yield from _point_without_text(text, piece, line)
    kind = "`-`" if here["sign"] == "-" else "key"
    widths = [
        len(each["margin"]) + (2 if each["sign"] == "-" and kind == "key" else 0)
        for above in text[piece.start : line.start].splitlines()
        if (each := _STRUCTURE.match(above)) is not None and (kind == "key" or each["sign"] == "-")
    ]
    width = len(here["margin"])
    place = content_span(text, line)
    if widths and width not in widths:
        near = min(reversed(widths), key=lambda each: abs(each - width))
        indented = f"it is indented by {_spaces(width)}, the nearest {kind} by {near}"
        yield Slip(place, f"this {kind} lines up with nothing above: {indented}")
    elif kind == "`-`":
        yield Slip(place, "this `-` cannot start a list here: the lines above are complete, or indented differently")
    else:
        yield Slip(place, "this key cannot go here: the line above has its value already, or is indented differently")


def _point_without_text(text: str, piece: Span, line: Span) -> Iterator[Slip]:
    """A key of a point below a point that is plain text: `- Names Nairobi` and then `weight: 2`."""
    key = _POINT_KEY.match(text, line.start, line.end)
    above = line_span(text, piece, line.start - 1)
    item = _PLAIN_ITEM.match(text, above.start, above.end)
    if key is None or item is None or key.start("name") - line.start != len(item["dash"]):
        return
    at = item.start("text")
    edits = (TextEdit(Span(at, at), "text: "),)
    yield Slip(content_span(text, line), f"a point with a `{key['name']}` needs `text:`", "write `text:`", edits)


def _spaces(count: int) -> str:
    return "1 space" if count == 1 else f"{count} spaces"
