"""One point of one response, assessed or not: what scoring takes in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.blueprint import Block, Point, Rubric
from engine.text import Span


class AssessedBy(StrEnum):
    """Who assessed it."""

    FUNCTION = "function"
    HUMAN = "human"
    JUDGE = "judge"


class OnWeval(StrEnum):
    """What Weval makes of a check that is assessed here: the same, an error, or NaN, which spoils the whole score.

    `NO_LIMIT`: it was stopped for time here, and Weval waits until it has found something or not.
    """

    SAME = "same"
    ERROR = "error"
    NAN = "nan"
    NO_LIMIT = "no-limit"


class ChangedPart(StrEnum):
    """What a judge saw when it gave its verdict, and what is another now; unknown where it was not noted."""

    CRITERIA = "criteria"
    DESCRIPTION = "description"
    TRANSCRIPT = "transcript"
    UNKNOWN = "unknown"


class Grade(StrEnum):
    """The five classes of the documented scale, by which an author grades a text point (000, step 4)."""

    ABSENT = "CLASS_ABSENT"
    SLIGHTLY_PRESENT = "CLASS_SLIGHTLY_PRESENT"
    PARTIALLY_PRESENT = "CLASS_PARTIALLY_PRESENT"
    MAJORLY_PRESENT = "CLASS_MAJORLY_PRESENT"
    FULLY_PRESENT = "CLASS_FULLY_PRESENT"

    @property
    def extent(self) -> float:
        """0, 0.25, 0.5, 0.75 or 1."""
        return list(Grade).index(self) / 4

    @property
    def label(self) -> str:
        """The class as an author reads it: `partially present`."""
        return self.value.removeprefix("CLASS_").replace("_", " ").lower()


@dataclass(frozen=True, slots=True)
class Criterion:
    """A text point as grades know it: its text, and whether it stands in `should` or `should_not`."""

    block: Block
    text: str


@dataclass(frozen=True, slots=True)
class PlacedPoint:
    """A point and where it counts: in which rubric, and on which path (`path_id` None where it is required)."""

    point: Point
    rubric: Rubric
    path_id: str | None = None

    @property
    def inverted(self) -> bool:
        """Whether what it names lowers the score."""
        return self.rubric.block.inverted


@dataclass(frozen=True, slots=True)
class StoredJudgement:
    """One judge's verdict on a point: `extent` is 0–1 before inversion, None where the file does not say."""

    judge: str
    extent: float | None
    reflection: str


@dataclass(frozen=True, slots=True)
class Assessment:
    """What became of one point.

    `extent` is 0–1 *after* inversion, None while the point is not judged. A check that errored has `error` set and
    counts as assessed with extent 0 (after inversion, in `should_not` and `$not_*` too); Weval leaves it out. A judge
    that failed has `error` set and no extent. `detail` says in an author's words how the verdict came about; `evidence`
    are the spans of the *response* that it rests on. `on_weval` tells where Weval makes something else of a check, and
    `extent_on_weval` what one that was stopped for time counts there if it finds nothing, None where that is not known.
    `published` are earlier verdicts on it, where it comes from a result file. `carried_over` names what has
    changed of what a judge saw, where its verdict is from before that: empty for a verdict on what is there now.
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

    @property
    def point(self) -> Point:
        """The criterion."""
        return self.placed.point

    @property
    def assessed(self) -> bool:
        """Whether it takes part in the score."""
        return self.extent is not None
