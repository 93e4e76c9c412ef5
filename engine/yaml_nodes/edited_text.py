"""A text with edits applied in thought, and where each place of it is in the author's text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import final

from engine.diagnostics import Diagnostic, Fix, Related
from engine.record import Record, replace
from engine.text import Span, TextEdit, apply_edits


class _Run(Record, gc=False):
    """A stretch of the author's text that is unchanged: where it begins in the edited text, and in the author's."""

    start: int
    origin: int
    length: int


@final
class EditedText:
    """A part of the author's text after some edits. `text` is the edited text."""

    __slots__ = ("_runs", "_starts", "end", "text")

    def __init__(self, text: str, runs: Sequence[_Run], end: int) -> None:
        self.text = text
        self._runs = runs
        self._starts = [run.start for run in runs]
        self.end = end
        """The end of the part in the author's text."""

    @staticmethod
    def of(text: str, piece: Span) -> EditedText:
        """`piece` of the author's `text`, without edits."""
        return EditedText(piece.of(text), (_Run(0, piece.start, piece.end - piece.start),), piece.end)

    def edited(self, edits: Iterable[TextEdit]) -> EditedText:
        """This text after `edits`, whose spans refer to it. Raises `ValueError` if they overlap."""
        minimal = sorted((small for edit in edits for small in _minimal(edit, self.text)), key=lambda edit: edit.span)
        runs: list[_Run] = []
        done = grown = 0
        for edit in minimal:
            runs += self._between(done, edit.span.start, grown)
            grown += len(edit.text) - (edit.span.end - edit.span.start)
            done = edit.span.end
        runs += self._between(done, len(self.text), grown)
        return EditedText(apply_edits(self.text, minimal), tuple(runs), self.end)

    def _between(self, start: int, end: int, grown: int) -> Iterator[_Run]:
        """The runs of this text between two offsets, moved by `grown`."""
        for run in self._runs:
            first, last = max(run.start, start), min(run.start + run.length, end)
            if first < last:
                yield _Run(first + grown, run.origin + first - run.start, last - first)

    def origin(self, offset: int) -> int:
        """The offset in the author's text of `offset`; text that is not the author's counts as where it was put in."""
        at = bisect_right(self._starts, offset) - 1
        if at < 0:
            return self._runs[0].origin if self._runs else self.end
        run = self._runs[at]
        following = self._runs[at + 1].origin if at + 1 < len(self._runs) else self.end
        within = offset - run.start
        if within < run.length:
            return run.origin + within
        return min(run.origin + within, following)

    def span(self, span: Span) -> Span:
        """The span in the author's text of a `span` of this text."""
        start = self.origin(span.start)
        return Span(start, max(start, self.origin(span.end)))

    def diagnostic(self, diagnostic: Diagnostic) -> Diagnostic:
        """`diagnostic`, on this text, as one on the author's text; without the fixes that only fit this text."""
        related = tuple(Related(self.span(each.span), each.message) for each in diagnostic.related)
        fixes = tuple(fix for each in diagnostic.fixes if (fix := self._fix(each)) is not None)
        return replace(diagnostic, span=self.span(diagnostic.span), related=related, fixes=fixes)

    def _fix(self, fix: Fix) -> Fix | None:
        edits: list[TextEdit] = []
        for edit in fix.edits:
            span = self.span(edit.span)
            if span.end - span.start != edit.span.end - edit.span.start or not self._is_unchanged(edit.span):
                return None
            edits.append(TextEdit(span, edit.text))
        return Fix(fix.title, fix.safe, tuple(edits))

    def _is_unchanged(self, span: Span) -> bool:
        """Whether `span` is the author's own text."""
        return any(run.start <= span.start and span.end <= run.start + run.length for run in self._runs)


def _minimal(edit: TextEdit, text: str) -> Iterator[TextEdit]:
    """`edit` as insertions around the text that it keeps, so that the kept text still has its place."""
    start, end = edit.span.start, edit.span.end
    old = text[start:end]
    at = edit.text.find(old) if old else -1
    if at < 0:
        yield edit
        return
    if at:
        yield TextEdit(Span(start, start), edit.text[:at])
    if rest := edit.text[at + len(old) :]:
        yield TextEdit(Span(end, end), rest)
