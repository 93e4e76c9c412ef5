"""`# studio: ignore[slug] reason`: what an author has looked at and means as written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.diagnostics import Diagnostic
from engine.text import LineIndex, Span

_COMMENT = re.compile(r"#[ \t]*studio:[ \t]*ignore\[([^\]\n]*)\]")


@dataclass(frozen=True, slots=True)
class Suppression:
    """The slugs that are not to be told of where they begin within `span`."""

    slugs: frozenset[str]
    span: Span


def suppressions(text: str) -> tuple[Suppression, ...]:
    """Every such comment of `text`, with the place that it speaks of.

    Behind something it speaks of its own line; on a line of its own, of the item or key that follows, with all that is
    indented below it.
    """
    if "studio:" not in text:
        return ()
    lines = LineIndex(text)
    return tuple(_suppression(match, lines, text) for match in _COMMENT.finditer(text))


def without_suppressed(diagnostics: Iterable[Diagnostic], text: str) -> Iterable[Diagnostic]:
    """`diagnostics` without those that a comment in `text` silences."""
    silenced = suppressions(text)
    if not silenced:
        return diagnostics
    return (item for item in diagnostics if not _is_silenced(item, silenced))


def _is_silenced(diagnostic: Diagnostic, silenced: Iterable[Suppression]) -> bool:
    return any(
        diagnostic.slug in one.slugs and one.span.start <= diagnostic.span.start <= one.span.end for one in silenced
    )


def _suppression(match: re.Match[str], lines: LineIndex, text: str) -> Suppression:
    slugs = frozenset(slug.strip() for slug in match[1].split(","))
    line = lines.position(match.start()).line
    own = lines.line_span(line)
    if text[own.start : match.start()].strip():
        return Suppression(slugs, own)
    return Suppression(slugs, _following_item(line, lines))


def _following_item(line: int, lines: LineIndex) -> Span:
    first = next(_lines_of_substance(line + 1, lines), None)
    if first is None:
        return lines.line_span(line)
    content = lines.line(first)
    indent = _indent(content)
    is_key = not content.lstrip().startswith("-")
    last = first
    for number in _lines_of_substance(first + 1, lines):
        below = lines.line(number)
        inside = _indent(below) > indent or (is_key and _indent(below) == indent and below.lstrip().startswith("- "))
        if not inside:
            break
        last = number
    return Span(lines.line_span(first).start, lines.line_span(last).end)


def _lines_of_substance(start: int, lines: LineIndex) -> Iterator[int]:
    for number in range(start, lines.line_count):
        content = lines.line(number).strip()
        if content and not content.startswith("#"):
            yield number


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
