"""Comments to paste into a review: each problem with its lines, and the lines that would replace them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.diagnostics import Diagnostic, Fix, Severity
from engine.record import Record
from engine.text import LineIndex, Position, Span, TextEdit, apply_edits


class Suggestion(Record):
    """One comment on the lines `first` to `last`, from 1. `lines` replace them; None where there is no one fix."""

    diagnostic: Diagnostic
    first: int
    last: int
    title: str
    lines: tuple[str, ...] | None


def suggestions(text: str, diagnostics: Iterable[Diagnostic]) -> Iterator[Suggestion]:
    """A comment for each error and warning, in the order of the text.

    Its replacement is that of its fix, where there is one safe fix or only one.
    """
    index = LineIndex(text)
    for diagnostic in diagnostics:
        if diagnostic.severity is Severity.HINT:
            continue
        fix = _fix(diagnostic)
        if fix is None or not fix.edits:
            place = index.position(diagnostic.span.start).line + 1
            yield Suggestion(diagnostic, place, place, "", None)
        else:
            yield _replacement(text, index, diagnostic, fix)


def _fix(diagnostic: Diagnostic) -> Fix | None:
    safe = [fix for fix in diagnostic.fixes if fix.safe]
    if len(safe) == 1:
        return safe[0]
    return diagnostic.fixes[0] if len(diagnostic.fixes) == 1 else None


def _replacement(text: str, index: LineIndex, diagnostic: Diagnostic, fix: Fix) -> Suggestion:
    first = index.position(min(edit.span.start for edit in fix.edits)).line
    if first and first == index.line_count - 1 and not index.line(first):
        first -= 1  # what is added at the end of a file belongs to its last line
    last = max(first, _last_line(index, max(fix.edits, key=lambda edit: edit.span.end)))
    start, end = index.offset(Position(first, 0)), index.line_span(last).end
    end = max(end, max(edit.span.end for edit in fix.edits))
    within = [TextEdit(Span(edit.span.start - start, edit.span.end - start), edit.text) for edit in fix.edits]
    changed = apply_edits(text[start:end], within)
    return Suggestion(diagnostic, first + 1, last + 1, fix.title, tuple(changed.splitlines()))


def _last_line(index: LineIndex, edit: TextEdit) -> int:
    """The last line that `edit` touches: one that ends between two lines, and leaves a line end there, touches none."""
    end, start = index.position(edit.span.end), index.position(edit.span.start)
    ends_a_line = edit.text.endswith("\n") or (edit.text == "" and start.column == 0)
    return end.line - 1 if end.column == 0 and end.line and ends_a_line else end.line
