"""Diagnostics: problems of a blueprint with their exact spans, and fixes as text edits."""

from __future__ import annotations

from enum import StrEnum

from engine.text.record import Record, replace
from engine.text.spans import Span, TextEdit


class Severity(StrEnum):
    """The severity of a diagnostic, declared from worst to mildest."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"

    @property
    def rank(self) -> int:
        """A sort key, worst first: 0 for an error, 1 for a warning, 2 for a hint."""
        return list(Severity).index(self)


class Related(Record, gc=False):
    """Another place that belongs to a diagnostic, such as the first of two duplicates."""

    span: Span
    message: str


class Fix(Record, gc=False):
    """A correction, as edits on the text that was diagnosed.

    A safe fix keeps the normalised form, or corrects it to its only possible meaning. An unsafe fix changes what is
    scored or what a text says, so its diff is shown before it is applied.
    """

    title: str
    safe: bool
    edits: tuple[TextEdit, ...]


class Diagnostic(Record, gc=False):
    """One problem: `message` says in one sentence what is wrong, `why` what it does to the score.

    `flagged` marks text that works here and that Weval refuses or reads differently: a warning, and an error under
    `--for weval`. Safe fixes come first. `off` marks a report that a checker leaves out unless its rule is selected by
    name.
    """

    code: str
    slug: str
    severity: Severity
    span: Span
    message: str
    why: str
    flagged: bool = False
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    off: bool = False

    def shifted(self, by: int) -> Diagnostic:
        """The same problem in a text in which its places have moved `by` code points further on."""
        if by == 0:
            return self
        return replace(
            self,
            span=self.span.shifted(by),
            related=tuple(replace(related, span=related.span.shifted(by)) for related in self.related),
            fixes=tuple(replace(fix, edits=tuple(edit.shifted(by) for edit in fix.edits)) for fix in self.fixes),
        )
