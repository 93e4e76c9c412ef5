"""Spans of lines in a source text: where a line ends, its indentation, and the part of it that holds content."""

from __future__ import annotations

import re

from engine.text.spans import Span

_MARGIN = re.compile(r"(?:[ \t]|-(?=[ \t]))*")


def line_start(text: str, offset: int) -> int:
    """The offset of the first character of the line that holds `offset`."""
    return text.rfind("\n", 0, offset) + 1


def line_end(text: str, offset: int) -> int:
    """The offset of the line break after `offset`, or the end of the text."""
    end = text.find("\n", offset)
    return len(text) if end < 0 else end


def line_span(text: str, piece: Span, offset: int) -> Span:
    """The line that holds `offset`, without its line break and cut at the end of `piece`."""
    start = line_start(text, offset)
    return Span(start, max(start, min(line_end(text, start), piece.end)))


def content_span(text: str, line: Span) -> Span:
    """`line` without the white space around it."""
    written = line.of(text)
    start = line.start + len(written) - len(written.lstrip())
    return Span(start, max(start, line.start + len(written.rstrip())))


def first_line(text: str, start: int, end: int) -> Span:
    """The first line of `text[start:end]` without trailing white space; at least one character."""
    end = min(end, line_end(text, start))
    return Span(start, max(start + len(text[start:end].rstrip()), min(start + 1, len(text))))


def margin(text: str, offset: int) -> str:
    """The white space and list dashes at the start of the line that holds `offset`."""
    found = _MARGIN.match(text, line_start(text, offset))
    assert found is not None
    return found[0]
