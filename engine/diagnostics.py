"""Problems of a blueprint: diagnostics with exact spans, and fixes that are text edits."""

from __future__ import annotations

from enum import StrEnum

from engine.record import Record, replace
from engine.text import Span, TextEdit


class Severity(StrEnum):
    """How much a diagnostic matters; the order of declaration is the order of weight."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"

    @property
    def rank(self) -> int:
        """0 for an error, 1 for a warning, 2 for a hint: sorts the worst first."""
        return list(Severity).index(self)


class Related(Record, gc=False):
    """Another place that a diagnostic speaks of, such as the first of two duplicates."""

    span: Span
    message: str


class Fix(Record, gc=False):
    """A way out, as text edits on the text that the diagnostic was made from.

    A safe fix leaves the normalised form as it is, or repairs it to the only thing that it can mean. An unsafe one
    changes what is scored or said, so its diff is shown first.
    """

    title: str
    safe: bool
    edits: tuple[TextEdit, ...]


class Diagnostic(Record, gc=False):
    """One finding: `message` names in one sentence what is wrong here, `why` says why it matters for the score.

    `flagged` marks the class *works here, refused or read otherwise by Weval*: a warning, an error under `--for weval`.
    Safe fixes come first.
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

    def shifted(self, by: int) -> Diagnostic:
        """The same finding in a text where everything it speaks of stands `by` code points further on."""
        if by == 0:
            return self
        return replace(
            self,
            span=self.span.shifted(by),
            related=tuple(replace(related, span=related.span.shifted(by)) for related in self.related),
            fixes=tuple(replace(fix, edits=tuple(edit.shifted(by) for edit in fix.edits)) for fix in self.fixes),
        )
