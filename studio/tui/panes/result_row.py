"""The rows of a result as they are drawn, as data; `studio.tui.panes.sections` makes them."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.record import Record
from engine.scoring import to_fixed
from engine.text import Span

if TYPE_CHECKING:
    from engine.tool_use import Finding


class Ink(StrEnum):
    """What a piece of a row means; each has a component class of the same name."""

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


class Cell(Record, gc=False):
    """A short text of fixed width within a row."""

    text: str
    ink: Ink = Ink.PLAIN


class ResultRow(Record):
    """One row: what stands left, the text that gets the room between, and what is aligned right.

    `key` says which row it is across refreshes. `point` is the index in `Prompt.points()` of the point it shows,
    `candidate` the key of the one it shows, `prompt` the number of the prompt, from 1, `rule` the finding on the
    policy of tools, `target` where Enter goes, `fixable` whether `f` fixes what is there. `detail_source` makes the
    detail below the list, or holds it where it costs little: there may be hundreds of rows, and one is selected.
    `prose` is Markdown to show there. `evidence` is highlighted in the answer, for rows that are no point. Enter goes
    there where a row has no `target`.
    """

    key: str
    text: str
    lead: tuple[Cell, ...] = ()
    tail: tuple[Cell, ...] = ()
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
        """What is shown below the list while the row is selected."""
        return self.detail_source() if callable(self.detail_source) else self.detail_source

    @property
    def has_destination(self) -> bool:
        """Whether Enter goes anywhere."""
        return any((self.candidate, self.prompt, self.target, self.rule, self.evidence))


def hundred(score: float) -> str:
    """A score of 0–1 as the screen prints it: of 100, with one decimal."""
    return to_fixed(score * 100, 1)
