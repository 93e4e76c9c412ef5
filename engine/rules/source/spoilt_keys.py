"""A header, a prompt or a point whose keys have a wide colon, or no space after it, so that YAML reads one text."""

from __future__ import annotations

from collections.abc import Iterator

from engine.record import Record
from engine.rules.source.written_values import value_below
from engine.text import Span, TextEdit, apply_edits
from engine.yaml_nodes.key_names import POINT_KEYS
from engine.yaml_nodes.line_slips import KEYS, spoilt_key
from engine.yaml_nodes.line_spans import line_start
from engine.yaml_nodes.nodes import MappingNode
from engine.yaml_nodes.slips import Line, Slip

_MOST_LINES = 300
"""How many lines a text may have that was meant as a header or a prompt."""


class SpoiltKeys(Record):
    """The slips of the keys of a mapping that YAML reads as one text, and the edits that make it a mapping."""

    slips: tuple[Slip, ...]
    edits: tuple[TextEdit, ...]


def spoilt_keys(text: str, span: Span) -> SpoiltKeys | None:
    """What spoils the header or the prompt that the plain text at `span` was meant as; None if it was not.

    The first line has to be such a key.
    """
    lines = _lines(text, span)
    found = [slip for line in lines if _is_in_column(line, lines[0]) and (slip := spoilt_key(line, KEYS)) is not None]
    return _as_mapping(text, lines, found, ()) if found and _has(lines[0], found[0]) else None


def spoilt_point_keys(text: str, span: Span) -> SpoiltKeys | None:
    """The same for a point: `text:Names the fee`, or a plain text above `weight:2`."""
    lines = _lines(text, span)
    found = [slip for line in lines if (slip := spoilt_key(line, POINT_KEYS)) is not None]
    if not found:
        return None
    if _has(lines[0], found[0]):
        return _as_mapping(text, lines, found, ())
    if len(found) != len(lines) - 1:
        return None
    start, column = span.start, lines[0].column
    before = TextEdit(Span(start, start), "text: ")
    moved = (TextEdit(Span(line.start, line.start + line.column), " " * column) for line in lines[1:])
    return _as_mapping(
        text, lines, found, (before, *(edit for edit in moved if edit.span.end - edit.span.start != column))
    )


def _lines(text: str, span: Span) -> list[Line]:
    """The lines of `span`, the first without what stands before it; none of a text that is too long."""
    start = line_start(text, span.start)
    lines = text[span.start : span.end].split("\n")[: _MOST_LINES + 1]
    lines[0] = " " * (span.start - start) + lines[0]
    return list(_placed(lines, start)) if len(lines) <= _MOST_LINES else []


def _placed(lines: list[str], at: int) -> Iterator[Line]:
    for written in lines:
        column = len(written) - len(written.lstrip(" ")) if written.strip() else -1
        yield Line(Span(at, at + len(written)), column, written)
        at += len(written) + 1


def _is_in_column(line: Line, first: Line) -> bool:
    return line.column == first.column


def _has(line: Line, slip: Slip) -> bool:
    return line.start <= slip.span.start <= line.span.end


def _as_mapping(text: str, lines: list[Line], found: list[Slip], others: tuple[TextEdit, ...]) -> SpoiltKeys | None:
    """The slips with the edits for all of them, if the lines are a mapping then."""
    edits = (*others, *(edit for slip in found for edit in slip.edits))
    start = lines[0].start
    source = "\n".join(line.written for line in lines)
    fixed = apply_edits(source, sorted((edit.shifted(-start) for edit in edits), key=lambda edit: edit.span.start))
    meant = value_below("\n" + "\n".join(f" {line}" for line in fixed.split("\n")) + "\n")
    return SpoiltKeys(tuple(found), edits) if isinstance(meant, MappingNode) else None
