"""A score with the arithmetic that led to it, as data that can be drawn, printed or exported."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.record import Record
from engine.scoring.assessment import Assessment
from engine.text import Span


class Bounds(Record, gc=False):
    """The lowest and the highest score still possible, 0–1; equal once every point is assessed."""

    low: float
    high: float

    @property
    def closed(self) -> bool:
        """Whether nothing is open any more."""
        return self.low == self.high


class PointScore(Record, gc=False):
    """One point in its group.

    `weight_share` is its part of the group's assessed weight (0–1; 0 where not assessed). `costs` is by how much the
    whole score (0–1) would rise if this point alone were fully met; 0 where that changes nothing. `met` are the bounds
    of the whole score then.
    """

    assessment: Assessment
    weight_share: float
    costs: float
    met: Bounds


class GroupScore(Record, gc=False):
    """The required points (`path_id` None) or one alternative path, with its weighted mean over assessed points.

    `score` is None where no point of it is assessed: it then takes no part. `costs` is by how much the whole score
    would rise if all of the group were met, and `met` are the bounds of the whole score then.
    """

    path_id: str | None
    span: Span | None
    points: tuple[PointScore, ...]
    score: float | None
    bounds: Bounds
    costs: float
    met: Bounds


class StepKind(StrEnum):
    """The steps of the documented algorithm (002, "Understanding the Aggregation Formula") in their order."""

    REQUIRED_MEAN = "required-mean"
    PATH_MEAN = "path-mean"
    BEST_PATH = "best-path"
    COMBINED = "combined"
    STORED = "stored"


class Step(Record, gc=False):
    """One line of the arithmetic: what was computed, from what, and the result (0–1)."""

    kind: StepKind
    label: str
    working: str
    result: float


@dataclass(frozen=True, slots=True)
class WevalScore:
    """What Weval would store (two decimals, None where nothing is scored) and why it differs from ours, if it does."""

    stored: float | None
    unrounded: float | None
    reasons: tuple[str, ...] = ()


class Advice(Record, gc=False):
    """One thing to do about a low score: `gain` is what acting would add to it (0–1), `after` the score then.

    Both are over what is judged; `bounds` are those of the score then.
    """

    text: str
    gain: float
    after: float
    bounds: Bounds
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class IdealScore:
    """What the prompt's ideal scores on the same rubric, with all grades and verdicts on it.

    `bounds` (0–1) are what it can still come to; `judged` counts its assessed points. `figure` is how it is written,
    `20–100`, and `details` what is to be known of that, "" where that is nothing.
    """

    bounds: Bounds
    judged: int
    figure: str
    details: str = ""


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """What was published of the answer that is scored.

    `score` is that of then (0–1), None where none was published. `reasons` says in sentences where it came from,
    `since` what counts otherwise now; `gone` are the verdicts on points that are no longer asked.
    """

    score: float | None
    reasons: tuple[str, ...] = ()
    since: tuple[str, ...] = ()
    gone: tuple[Assessment, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a prompt's score is what it is. All scores are 0–1 and unrounded.

    `score` is None where no point is assessed. `best_path_id` names the path that counted. `advice` ranks by gain.
    `against_ideal` says, where the ideal's score was given, whether to fix the rubric or the answer. `published` is
    what was published of the same answer, where it was. `is_partial`: a YAML error hides points of the prompt, so the
    bounds are 0 and 1, of the score and of each group, whatever is assessed.
    """

    score: float | None
    bounds: Bounds
    required: GroupScore | None
    paths: tuple[GroupScore, ...]
    best_path_id: str | None
    steps: tuple[Step, ...]
    weval: WevalScore
    notes: tuple[str, ...] = ()
    advice: tuple[Advice, ...] = ()
    against_ideal: str | None = None
    published: PublishedScore | None = None
    is_partial: bool = False

    def certain_gain(self, after: Bounds, gain: float) -> float:
        """What something adds to the score (0–1): `gain`, and while points are open the rise of the lowest score still
        possible to that of `after`."""
        return gain if self.bounds.closed else max(after.low - self.bounds.low, 0.0)

    def groups(self) -> tuple[GroupScore, ...]:
        """The required group, where there is one, then the paths."""
        return (*(() if self.required is None else (self.required,)), *self.paths)

    @property
    def carried_over(self) -> int:
        """How many of the verdicts in the score are carried over: their judges saw something else than is there now."""
        return sum(bool(point.assessment.carried_over) for group in self.groups() for point in group.points)
