"""The rows of a result as data. `studio.tui.panes.sections` makes them, `ResultRows` draws them."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.text.record import Record
from engine.text.spans import Span

if TYPE_CHECKING:
    from engine.evaluation.tool_use import Finding


class Ink(StrEnum):
    """The meaning of a piece of a row. Its value is the component class that styles it."""

    PLAIN = ""
    DIM = "rows--dim"
    STRONG = "rows--strong"
    ERROR = "rows--error"
    WARNING = "rows--warning"
    MET = "result--met"
    PARTLY = "result--partly"
    UNMET = "result--unmet"
    YOURS = "result--yours"
    CLOSEST = "result--closest"
    COST = "result--cost"
    LEFT = "result--left"
    EDGE = "result--edge"


class Cell(Record, gc=False):
    """A short string within a row."""

    text: str
    ink: Ink = Ink.PLAIN


class ResultRow(Record):
    """One row: `lead` at the left, `text` in the space between, `tail` at the right.

    Where the list is narrow, `short_tail` stands in place of `tail`, and where it is wide, `wide_tail`; None for the
    same.

    `key` identifies the row across refreshes. A row may show a point (`point`, its index in `Prompt.points()`), a
    candidate (`candidate`, its key), a prompt (`prompt`, its number from 1) or a finding on the tool policy (`rule`).
    `target` is the place in the blueprint that Enter goes to; `fixable` tells whether `f` fixes a problem there.
    `evidence` is highlighted in the answer for rows that are not points; Enter goes there without a `target`. The
    detail is shown below the list while the row is selected: the cells of `detail_source`, or of the function that
    makes them where that is costly, then the Markdown of `prose`.
    """

    key: str
    text: str
    lead: tuple[Cell, ...] = ()
    tail: tuple[Cell, ...] = ()
    short_tail: tuple[Cell, ...] | None = None
    wide_tail: tuple[Cell, ...] | None = None
    ink: Ink = Ink.PLAIN
    point: int | None = None
    candidate: str | None = None
    prompt: int | None = None
    rule: Finding | None = None
    gradeable: bool = False
    target: Span | None = None
    fixable: bool = False
    detail_source: tuple[Cell, ...] | Callable[[], tuple[Cell, ...]] = ()
    prose: str = ""
    evidence: tuple[Span, ...] = ()
    selectable: bool = True

    @property
    def detail(self) -> tuple[Cell, ...]:
        """The cells shown below the list while the row is selected."""
        return self.detail_source() if callable(self.detail_source) else self.detail_source

    @property
    def has_destination(self) -> bool:
        """Whether Enter goes anywhere."""
        return any((self.candidate, self.prompt, self.target, self.rule, self.evidence))
