"""What the result pane is given, and the rows that it draws, as data; `studio.tui.panes.sections` makes the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.evaluation.events import Failed
from engine.record import Record
from engine.scoring import to_fixed
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation
from engine.text import Span

if TYPE_CHECKING:
    from engine.closest_sentence import Closest
    from engine.evaluation.headline import Headline
    from engine.judging.agreement import Agreement
    from engine.judging.judgement import Judgement
    from engine.tool_use import Finding, ToolUse


@dataclass(frozen=True, slots=True)
class CandidateScore:
    """How one of several candidates did: its key and name, its headline, and what is to be said beside or instead."""

    key: str
    label: str
    headline: Headline | None
    state: str
    shown: bool


@dataclass(frozen=True, slots=True)
class ResultView:
    """The result of one prompt with one answer source, as far as it has come.

    `answers` names the source as the screen does ("the ideal"). `running` says what is being done, None when nothing
    is. `stale` tells that the prompt or its rubric changed since. `assessments` are in the order of `Prompt.points()`.
    `fixable` are the places in the blueprint for which there is a fix. `judgements` is what judges said so far, by
    place in `Prompt.points()`, `waiting` the places they still have to speak of, `agreement` how far they agree
    and `judges_cost` what they cost, "" where that is nothing or not known.
    `beside` are all candidates where there are several. `closest` are the closest sentences, None where they
    are not found; `is_searching` tells that the answer is being searched for them. `tools` is what the answer does with
    tools, None where nothing has to do with any. `headline` is that of the run, which knows its answer; without it, the
    explanation has its own.
    """

    prompt: Prompt
    answers: str
    explanation: Explanation | None = None
    assessments: tuple[Assessment, ...] = ()
    failed: Failed | None = None
    running: str | None = None
    stale: bool = False
    fixable: tuple[Span, ...] = ()
    judgements: Mapping[int, tuple[Judgement, ...]] = field(default_factory=dict[int, "tuple[Judgement, ...]"])
    waiting: frozenset[int] = frozenset()
    agreement: Agreement | None = None
    judges_cost: str = ""
    beside: tuple[CandidateScore, ...] = ()
    notice: str = ""
    closest: Closest | None = None
    is_searching: bool = False
    tools: ToolUse | None = None
    headline: Headline | None = None

    def is_for_judges(self, place: int) -> bool:
        """Whether judges were asked about the point at `place`, or are being asked."""
        return place in self.waiting or bool(self.judgements.get(place))


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
    `candidate` the key of the one it shows, `prompt` the number of the prompt, from 1, `rule` what it tells of the
    policy of tools, `target` where Enter goes, `mendable` whether `f` mends what is there. `told` is what is shown
    below the list while the row is selected, or what makes it then: there may be hundreds of rows, and one is selected.
    `prose` is Markdown to show there. `evidence` is lit up in the answer: what a row rests on that is no point. Enter
    goes there where a row has nothing else to go to.
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
    mendable: bool = False
    told: tuple[Cell, ...] | Callable[[], tuple[Cell, ...]] = ()
    prose: str = ""
    evidence: tuple[Span, ...] = ()
    selectable: bool = True

    @property
    def detail(self) -> tuple[Cell, ...]:
        """What is shown below the list while the row is selected."""
        return self.told() if callable(self.told) else self.told


def hundred(score: float) -> str:
    """A score of 0–1 as the screen prints it: of 100, with one decimal."""
    return to_fixed(score * 100, 1)
