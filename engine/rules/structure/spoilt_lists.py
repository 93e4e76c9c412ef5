"""Lists whose dashes are spoilt, so that YAML reads one text: bullets, `-` without a space, a missing dash."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.record import Record
from engine.text import Span, TextEdit
from engine.yaml_nodes import load
from engine.yaml_nodes.line_slips import BULLET
from engine.yaml_nodes.nodes import MappingNode, SequenceNode

_DASH = re.compile(r"(?P<margin> *)-(?P<gap>[ \t]+)(?=\S)")
_NO_SPACE = re.compile(r"(?P<margin> *)(?P<sign>-)(?=[^\s-])")
_MOST_LINES = 300


class SpoiltList(Record):
    """What spoils a list, in words for its author, and the edits that make it a list."""

    message: str
    title: str
    edits: tuple[TextEdit, ...]


def spoilt_list(text: str, span: Span, key: str) -> SpoiltList | None:
    """The list that the plain text at `span`, the value of `key`, was meant as; None if it was meant as none."""
    start = text.rfind("\n", 0, span.start) + 1
    if text[start : span.start].strip():
        return None
    lines = list(_lines(text, Span(start, span.end)))
    if len(lines) > _MOST_LINES:
        return None
    for found in (_bullets(text, lines, key), _first_dash(text, lines, key)):
        if found is not None and _is_list(text, Span(start, span.end), found.edits):
            return found
    return None


def _lines(text: str, span: Span) -> Iterator[Span]:
    start = span.start
    while start < span.end:
        end = text.find("\n", start, span.end)
        end = span.end if end < 0 else end
        yield Span(start, end)
        start = end + 1


def _bullets(text: str, lines: list[Span], key: str) -> SpoiltList | None:
    edits: list[TextEdit] = []
    signs: list[str] = []
    for line in lines:
        written = line.of(text)
        sign = _NO_SPACE.match(written) or BULLET.match(written)
        if sign is not None:
            edits.append(TextEdit(Span(*sign.span("sign")).shifted(line.start), "- "))
            signs.append(sign["sign"].strip())
    first = lines[0].of(text).strip() if lines else ""
    if not signs or not first.startswith(signs[0]):
        return None
    if signs[0] == "-":
        message = f"put a space after `-`: without it, `{key}` is not a list and no points are read"
        return SpoiltList(message, "add the space", tuple(edits))
    message = f"lists use `-`, not `{signs[0]}`: as it stands, no points are read from `{key}`"
    return SpoiltList(message, "write `-`", tuple(edits))


def _first_dash(text: str, lines: list[Span], key: str) -> SpoiltList | None:
    dashes = [dash for line in lines[1:] if (dash := _DASH.match(line.of(text))) is not None]
    if not dashes:
        return None
    first = lines[0]
    column = len(first.of(text)) - len(first.of(text).lstrip(" "))
    edit = TextEdit(Span(first.start, first.start + column), f"{dashes[0]['margin']}- ")
    message = f"put `- ` before this: without it, `{key}` is not a list and no points are read"
    return SpoiltList(message, "add the dash", (edit,))


def _is_list(text: str, span: Span, edits: tuple[TextEdit, ...]) -> bool:
    """Whether the lines of `span` are a list of texts once `edits` are made."""
    pieces: list[str] = []
    at = span.start
    for edit in edits:
        pieces += (text[at : edit.span.start], edit.text)
        at = edit.span.end
    tree = load("".join(("k:\n", *pieces, text[at : span.end], "\n")))
    root = tree.documents[0].root if tree.error is None and tree.documents else None
    return isinstance(root, MappingNode) and isinstance(root.pairs[0].value, SequenceNode)
