"""A score with its arithmetic, as data that can be drawn, printed or exported."""

from __future__ import annotations

from enum import StrEnum

from engine.scoring.assessment import Assessment, Bounds, OtherJudge
from engine.scoring.explanation_text import points_text, stored_text
from engine.text.record import Record
from engine.text.spans import Span


class PointScore(Record, gc=False):
    """One point in its group.

    `weight_share` is its part of the group's assessed weight (0–1; 0 if not assessed). `cost` is what it takes from the
    score (0–1): the costs of all points and the score add up to 1. `gain` is by how much the score would rise if this
    point alone were fully met; gains need not add up. While other points are open, the costs are those of the highest
    score that is possible, the gain that of the lowest (`Explanation.settled`); both are None without an extent. `met`
    is `settled` with the point fully met. `severity` is the score with this point at 0 and all
    others at 1, whatever is assessed: None if no point counts, or a YAML error hides points. `same_as` names the other
    points with the same text, to which the same verdicts belong, by their numbers in the order of the groups from 1.
    """

    assessment: Assessment
    weight_share: float
    cost: float | None
    gain: float | None
    met: Bounds
    severity: float | None = None
    same_as: str = ""


class GroupScore(Record, gc=False):
    """The required points (`path_id` None) or one alternative path, with its weighted mean over assessed points.

    `score` is None if none of its points is assessed: it is then left out. `cost` is that of its points together, 0
    for a path that is not the best. `gain` is by how much the score would rise if all of the group were met, `met` the
    score in that case, as for a point. It has neither cost nor gain while a point of it is open.
    """

    path_id: str | None
    span: Span | None
    points: tuple[PointScore, ...]
    score: float | None
    bounds: Bounds
    cost: float | None
    gain: float | None
    met: Bounds


class StepKind(StrEnum):
    """The steps of the documented algorithm (002, "Understanding the Aggregation Formula"), in order."""

    REQUIRED_MEAN = "required-mean"
    PATH_MEAN = "path-mean"
    BEST_PATH = "best-path"
    COMBINED = "combined"
    STORED = "stored"


class Step(Record, gc=False):
    """One line of the arithmetic: a label, the formula, and the result (0–1)."""

    kind: StepKind
    label: str
    working: str
    result: float

    @property
    def figure(self) -> str:
        """The result as printed: as Weval stores it in the last step, else on the scale of 0–100."""
        return stored_text(self.result) if self.kind is StepKind.STORED else points_text(self.result)


class WevalScore(Record):
    """The score that Weval would store (two decimals; None if nothing is scored), and why it differs from ours."""

    stored: float | None
    unrounded: float | None
    reasons: tuple[str, ...] = ()


class Advice(Record, gc=False):
    """One way to raise a score: `gain` is what it adds (0–1), `after` the score with it.

    While points are open, `gain` is what it adds for sure, to the lowest score that is possible.
    """

    text: str
    gain: float
    after: Bounds
    span: Span | None = None


class IdealScore(Record):
    """The score of the prompt's ideal on the same rubric, with all grades and verdicts on it.

    `bounds` (0–1) are its lowest and highest possible score; `judged` counts its assessed points. `figure` is the score
    as text, `20–100`, and `details` a remark on it, or "".
    """

    bounds: Bounds
    judged: int
    figure: str
    details: str = ""


class PublishedScore(Record):
    """The published score of the answer that is scored.

    `score` is 0–1, None if none was published. `reasons` explain in sentences where it came from, `since` what counts
    differently now; `gone` are the verdicts on points that no longer exist.
    """

    score: float | None
    reasons: tuple[str, ...] = ()
    since: tuple[str, ...] = ()
    gone: tuple[Assessment, ...] = ()


class Explanation(Record):
    """Why a prompt's score is what it is. All scores are 0–1 and unrounded.

    `bounds` are those that missing verdicts leave, `settled` those that open points alone leave: the score once none
    is open, whatever judges failed.

    `score` is None if no point is assessed. `best_path_id` names the path that counts. `advice` is ranked by gain.
    `against_ideal` says whether the ideal's score, if it was given, is evidence against the rubric or the answer.
    `published` is the published score of the same answer, if there is one. `is_partial`: a YAML error hides points of
    the prompt, so the bounds of the score and of each group are 0 and 1, whatever is assessed. `others` have stored
    verdicts that do not count. `as_weval`: verdicts count of the judges that Weval has today.
    """

    score: float | None
    bounds: Bounds
    settled: Bounds
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
    others: tuple[OtherJudge, ...] = ()
    as_weval: bool = False

    def groups(self) -> tuple[GroupScore, ...]:
        """The required group, if there is one, then the paths."""
        return (*(() if self.required is None else (self.required,)), *self.paths)

    @property
    def assessments(self) -> tuple[Assessment, ...]:
        """The assessments of all points, in the order of the groups."""
        return tuple(point.assessment for group in self.groups() for point in group.points)

    @property
    def is_open(self) -> bool:
        """Whether verdicts are still to come, or points cannot be read: then there is no score yet."""
        return self.is_partial or any(each.open for each in self.assessments)

    @property
    def carried_over(self) -> int:
        """How many verdicts in the score are carried over: the text has changed since they were given."""
        return sum(bool(each.carried_over) for each in self.assessments)
