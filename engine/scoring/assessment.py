"""The assessment of one point of one response: the input of scoring."""

from __future__ import annotations

from enum import StrEnum

from engine.blueprint import Block, Point, Rubric
from engine.text.record import Record, replace
from engine.text.spans import Span


class Bounds(Record, gc=False):
    """The lowest and the highest score, or extent, that is still possible, 0–1; equal where no verdict is missing."""

    low: float
    high: float

    @property
    def closed(self) -> bool:
        """Whether no verdict is missing."""
        return self.low == self.high


ANY_EXTENT = Bounds(0.0, 1.0)


class AssessedBy(StrEnum):
    """The kind of assessor."""

    FUNCTION = "function"
    HUMAN = "human"
    JUDGE = "judge"


class OnWeval(StrEnum):
    """Weval's result of a check that is assessed here: the same, an error, or NaN, which makes the whole score NaN.

    `NO_LIMIT`: the check was stopped for time here; Weval has no limit and waits for its result. `READS`: Weval reads
    another verdict in a judge's reply.
    """

    SAME = "same"
    ERROR = "error"
    NAN = "nan"
    NO_LIMIT = "no-limit"
    READS = "reads"


class ChangedPart(StrEnum):
    """The part of a judge's prompt that has changed since its verdict; unknown if it was not recorded."""

    CRITERIA = "criteria"
    DESCRIPTION = "description"
    TRANSCRIPT = "transcript"
    UNKNOWN = "unknown"


class Grade(StrEnum):
    """The five classes of the documented scale, with which an author grades a text point (000, step 4)."""

    ABSENT = "CLASS_ABSENT"
    SLIGHTLY_PRESENT = "CLASS_SLIGHTLY_PRESENT"
    PARTIALLY_PRESENT = "CLASS_PARTIALLY_PRESENT"
    MAJORLY_PRESENT = "CLASS_MAJORLY_PRESENT"
    FULLY_PRESENT = "CLASS_FULLY_PRESENT"

    @property
    def extent(self) -> float:
        """The extent of the class: 0, 0.25, 0.5, 0.75 or 1."""
        return list(Grade).index(self) / 4

    @property
    def label(self) -> str:
        """The class in words: `partially present`."""
        return self.value.removeprefix("CLASS_").replace("_", " ").lower()


class Criterion(Record):
    """The identity of a text point for grades: its text and its block."""

    block: Block
    text: str


class PlacedPoint(Record):
    """A point with its rubric and its path (`path_id` None for a required point)."""

    point: Point
    rubric: Rubric
    path_id: str | None = None

    @property
    def inverted(self) -> bool:
        """Whether meeting the point lowers the score."""
        return self.rubric.block.inverted


class StoredJudgement(Record):
    """One judge's verdict on a point: `extent` is 0–1 before inversion, None if there is none.

    `judge` is the `judgeModelId` of result JSON: the judge's id, usually with its model in brackets.
    """

    judge: str
    extent: float | None
    reflection: str = ""


class OtherJudge(Record, gc=False):
    """A judge that is not on the panel of a score: its model, its approach, and on how many criteria it has a verdict.

    `judges_as` is the choice of judges that it is on, as in settings; "" if it is on none.
    """

    model: str
    approach: str
    judges_as: str
    criteria: int


class Assessment(Record):
    """The assessment of one point.

    `extent` is 0–1 *after* inversion. A check that errored is `broken`: it counts as assessed with extent 0 (after
    inversion, in `should_not` and `$not_*` too); Weval leaves it out. Without an extent, a point is `failed` where `by`
    names who was asked in vain, else `open`. `possible` are the extents that verdicts which are missing leave, where
    they are fewer than all: those of judges not asked yet, or of `failed_judges`, which were asked in vain (their
    `judgeModelId`s). `error` says why the check, or these judges, failed. `detail` explains the verdict in an author's
    words; `evidence` are the spans of the *response* that support it. `on_weval` says how Weval's result differs;
    `extent_on_weval` is the extent there by its own reading, or of a check stopped for time, if it finds nothing (None
    if unknown).
    `published` are the verdicts of a result file. `carried_over` names the parts that changed since the judge gave its
    verdict; empty for a verdict on the present text.
    """

    placed: PlacedPoint
    extent: float | None = None
    by: AssessedBy | None = None
    error: str | None = None
    detail: str = ""
    reflection: str | None = None
    evidence: tuple[Span, ...] = ()
    on_weval: OnWeval = OnWeval.SAME
    extent_on_weval: float | None = None
    published: tuple[StoredJudgement, ...] = ()
    carried_over: tuple[ChangedPart, ...] = ()
    possible: Bounds | None = None
    failed_judges: tuple[str, ...] = ()

    @property
    def point(self) -> Point:
        """The criterion."""
        return self.placed.point

    def moved_to(self, placed: PlacedPoint) -> Assessment:
        """The same verdict where the criterion is now: inverted if that is in the other block."""
        extent, possible = self.extent, self.possible
        if placed.inverted is not self.placed.inverted and not self.broken:
            extent = None if extent is None else 1 - extent
            possible = None if possible is None else Bounds(1 - possible.high, 1 - possible.low)
        return replace(self, placed=placed, extent=extent, possible=possible)

    @property
    def assessed(self) -> bool:
        """Whether it counts in the score."""
        return self.extent is not None

    @property
    def broken(self) -> bool:
        """Whether it is a check that could not run, which counts 0."""
        return self.error is not None and self.by is AssessedBy.FUNCTION

    @property
    def errs(self) -> bool:
        """Whether its error stands in the place of a verdict."""
        return self.error is not None and (self.broken or not self.assessed)

    @property
    def failed(self) -> bool:
        """Whether all judges were asked in vain: it is left out of the score."""
        return self.extent is None and self.by is not None

    @property
    def open(self) -> bool:
        """Whether it waits for a verdict: the score is not known yet."""
        return self.extent is None and self.by is None

    @property
    def unjudged_text(self) -> str:
        """Why it has no extent."""
        return "not judged yet" if self.open else "no judge could judge it"

    @property
    def for_machines(self) -> Assessment:
        """The assessment as machines read it: open if its verdict is from before an edit."""
        return replace(self, extent=None, by=None, possible=None) if self.carried_over else self
