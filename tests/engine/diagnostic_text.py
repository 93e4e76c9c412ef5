"""Diagnostics as text, for snapshots: place, level, words, the source underlined, and what each fix changes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from engine.text.diagnostics import Diagnostic, Fix
from engine.text.spans import LineIndex, Span, apply_edits, visible


def full_text(text: str, diagnostics: Iterable[Diagnostic]) -> str:
    """What is said of `text`, one paragraph each."""
    lines = LineIndex(text)
    return "\n".join("\n".join(_diagnostic(text, lines, each)) + "\n" for each in diagnostics) or "nothing is told\n"


def _diagnostic(text: str, lines: LineIndex, diagnostic: Diagnostic) -> Iterator[str]:
    flagged = ", flagged" if diagnostic.flagged else ""
    yield f"{_place(lines, diagnostic.span)} {diagnostic.slug} ({diagnostic.severity}{flagged})"
    yield from _source(text, lines, diagnostic.span)
    yield f"  {visible(diagnostic.message)}"
    yield f"  {visible(diagnostic.why)}"
    for related in diagnostic.related:
        yield f"  see {_place(lines, related.span)}: {visible(related.message)}"
    for fix in diagnostic.fixes:
        yield from _fix(text, fix)


def _place(lines: LineIndex, span: Span) -> str:
    start, end = lines.position(span.start), lines.position(span.end)
    last = f"{end.column + 1}" if end.line == start.line else f"{end.line + 1}:{end.column + 1}"
    return f"{start.line + 1}:{start.column + 1}-{last}"


def _source(text: str, lines: LineIndex, span: Span) -> Iterator[str]:
    place = lines.position(span.start)
    line = lines.line_span(place.line)
    yield f"  | {visible(line.of(text)).rstrip()}"
    yield f"  | {' ' * place.column}{'^' * max(1, min(span.end, line.end) - span.start)}"


def _fix(text: str, fix: Fix) -> Iterator[str]:
    yield f"  {'safe' if fix.safe else 'unsafe'}: {visible(fix.title)}"
    changed = difflib.unified_diff(text.splitlines(), apply_edits(text, fix.edits).splitlines(), n=0, lineterm="")
    yield from (f"    {visible(line)}" for line in list(changed)[2:] if not line.startswith("@@"))


def briefly(text: str, diagnostics: Iterable[Diagnostic]) -> str:
    """What else is said of `text`: place and slug, one line each."""
    lines = LineIndex(text)
    return "".join(f"beside it: {_place(lines, each.span)} {each.slug}\n" for each in diagnostics)
