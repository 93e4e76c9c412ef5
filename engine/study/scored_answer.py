"""One answer in a comparison: its state, its points and their verdicts, and the bounds of its score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

from engine.blueprint import Header, Message, Prompt
from engine.evaluation.events import Response
from engine.evaluation.headline import CARRIED_MARK, CUT_MARK, Headline, points_headline
from engine.evaluation.pairing import content, words
from engine.scoring.assessment import AssessedBy, Assessment, PlacedPoint, StoredJudgement
from engine.scoring.explanation import Bounds
from engine.scoring.sums import PointExtent, groups_of, to_fixed
from engine.text.record import Record, data_digest, replace

Question: TypeAlias = tuple[Hashable, ...]
"""What one verdict is about."""


class Side(Record, eq=False, dict=True):
    """One of two runs of a prompt: its answer, and the assessments by its rubric, one for each point.

    `answer` is the text of all turns that were judged. `shown` is what judges saw beside the answer and one criterion:
    the other criteria, the description, the conversation; None if every judge saw one criterion at a time.
    """

    answer: tuple[str, ...]
    assessments: Sequence[Assessment]
    shown: Hashable = None

    def asked(self, answer: tuple[str, ...]) -> tuple[Question, ...]:
        """The question of each point about an answer."""
        return tuple([(answer, *each) for each in self._abouts])

    @cached_property
    def _abouts(self) -> tuple[Question, ...]:
        points = ((each.point, each.placed.rubric.block) for each in self.assessments)
        return tuple((block, content(point), None if point.function else self.shown) for point, block in points)

    @cached_property
    def given(self) -> Mapping[Question, Assessment]:
        """The points of its own answer that have an extent. Grades of people are on the wording alone."""
        found: dict[Question, Assessment] = {}
        for question, assessment in zip(self.asked(self.answer), self.assessments, strict=True):
            if assessment.assessed:
                found.setdefault(question, assessment)
                if assessment.by is AssessedBy.HUMAN:
                    found[_graded(question)] = assessment
        return found

    def on(self, question: Question) -> Assessment | None:
        """What it says of a question: a person's grade, else a verdict; None if it says nothing."""
        return self.given.get(_graded(question)) or self.given.get(question)

    @cached_property
    def rubric(self) -> Hashable:
        """All that its score depends on beside the answer."""
        return tuple(
            (*about, each.point.multiplier, each.placed.path_id)
            for about, each in zip(self._abouts, self.assessments, strict=True)
        )

    def filled(self, assessments: Sequence[Assessment] | None) -> Side:
        """This side with those of `assessments`, one for each point, that are of criteria without a verdict."""
        if assessments is None:
            return self
        both = zip(self.assessments, assessments, strict=True)
        return Side(self.answer, [other if _closes(other, own) else own for own, other in both], self.shown)


def _closes(other: Assessment, own: Assessment) -> bool:
    is_missing = own.point.text is not None and not own.assessed
    return is_missing and other.assessed and not other.carried_over


def _graded(question: Question) -> Question:
    return (*question[:3], "graded")


def shown_to_judges(
    assessments: Sequence[Assessment],
    description: str | None,
    messages: Sequence[Message],
    *,
    is_holistic: bool,
) -> Hashable:
    """`Side.shown`: the messages; for holistic judges, all criteria (in any order) and the description too."""
    asked = tuple((each.role.value, each.content) for each in messages)
    if not is_holistic:
        return data_digest(asked)
    criteria = sorted(each.point.text for each in assessments if each.point.text is not None)
    return data_digest([criteria, (description or "").strip(), asked])


def side_of(
    prompt: Prompt, header: Header, response: Response, assessments: Sequence[Assessment], *, is_holistic: bool
) -> Side:
    """A run as a side of a comparison. `is_holistic`: a judge saw all criteria at once."""
    turns = tuple(turn.content for turn in response.thread if turn.generated)
    shown = shown_to_judges(assessments, header.description, prompt.messages, is_holistic=is_holistic)
    return Side((*turns, response.subject), assessments, shown)


class AnswerState(StrEnum):
    """Whether there is a score, and if not, why."""

    SCORED = "scored"
    RUNNING = "runs"
    FAILED = "failed"
    WITHHELD = "withheld"
    NOT_RUN = "not run"


PointName = tuple[Hashable, ...]
"""What a point is called in all rubrics that have it: its block, its content, and its number among equal ones."""


def point_names(points: Iterable[PlacedPoint]) -> tuple[PointName, ...]:
    """The name of each point, in order. No two are the same."""
    counts: Counter[Hashable] = Counter()
    names: list[PointName] = []
    for placed in points:
        key = placed.rubric.block, words(placed.point)
        names.append((*key, counts[key]))
        counts[key] += 1
    return tuple(names)


Verdicts = Sequence[Sequence[StoredJudgement]]
"""The verdicts of judges on each point, before inversion."""


class ScoredAnswer(Record, eq=False, dict=True):
    """One answer to one prompt, assessed by a rubric.

    `read` returns its assessments, one for each point, in the order of `Prompt.points()`: a large grid reads them only
    where it needs them. `read_verdicts` returns the verdicts of single judges in the same order. `subject` is the text
    that was judged. `is_cut`: the answer was cut short. `known` are the bounds of its score, if these are known
    already. `is_partial`: a YAML error hides points of the rubric.
    """

    state: AnswerState
    read: Callable[[], Sequence[Assessment]] = tuple
    read_verdicts: Callable[[], Verdicts] | None = None
    subject: str = ""
    is_cut: bool = False
    known: Bounds | None = None
    is_partial: bool = False

    @cached_property
    def assessments(self) -> Sequence[Assessment]:
        """The assessments, one for each point."""
        return self.read()

    @property
    def marks(self) -> str:
        """The marks behind its score: for an answer that was cut, and for verdicts from before an edit."""
        is_carried = self.state is AnswerState.SCORED and any(each.carried_over for each in self.assessments)
        return f"{CUT_MARK if self.is_cut else ''}{CARRIED_MARK if is_carried else ''}"

    @cached_property
    def verdicts(self) -> Verdicts:
        """The verdicts of single judges on each point."""
        if self.read_verdicts is not None:
            return self.read_verdicts()
        return [each.published for each in self.assessments]

    @cached_property
    def points(self) -> tuple[PointExtent, ...]:
        """The numbers of the points."""
        return tuple(map(PointExtent.of, self.assessments))

    @cached_property
    def names(self) -> tuple[PointName, ...]:
        """The name of each point in all rubrics that have it."""
        return point_names(each.placed for each in self.assessments)

    @property
    def settled(self) -> tuple[PointExtent, ...]:
        """The numbers of the points by the judges that answered."""
        return tuple(map(PointExtent.settled, self.assessments))

    @cached_property
    def bounds(self) -> Bounds | None:
        """The lowest and the highest score that is still possible, 0–1; None without a score, or if no point counts."""
        if self.state is not AnswerState.SCORED:
            return None
        if self.known is not None:
            return self.known
        if self.is_partial:
            return Bounds(0.0, 1.0)
        return groups_of(self.points).bounds if any(point.multiplier > 0 for point in self.points) else None

    @cached_property
    def headline(self) -> Headline | None:
        """Its score, with what is to know of its verdicts; None without a score."""
        if self.bounds is None or self.is_partial:
            return None if self.bounds is None else Headline(self.bounds, int(not self.is_partial), 1)
        return points_headline(self.assessments, self.bounds, groups_of(self.points).score)


NOT_RUN = ScoredAnswer(AnswerState.NOT_RUN)


def headline_of(assessments: Sequence[Assessment]) -> Headline:
    """The score of an answer by all its points."""
    groups = groups_of(tuple(map(PointExtent.of, assessments)))
    return points_headline(assessments, groups.bounds, groups.score)


def point_costs(points: Sequence[PointExtent]) -> tuple[Bounds, ...]:
    """What each point takes from 100 (0–1), in order: with all open points met, and with all of them failed.

    The sums are 1 less the upper, and 1 less the lower bound of the score. While points are open, a point on a path can
    cost more in the first case than in the second: another path may be the best one.
    """

    def costs(extents: Sequence[float]) -> list[float]:
        closed = [PointExtent(extent, *kept) for extent, kept in zip(extents, weights, strict=True)]
        groups = groups_of(closed)
        return [groups.cost(each.path_id, (1.0 - (each.extent or 0.0)) * each.multiplier) for each in closed]

    weights = [(each.multiplier, each.path_id) for each in points]
    failed = costs([each.bounds.low for each in points])
    is_closed = all(each.bounds.closed for each in points)
    met = failed if is_closed else costs([each.bounds.high for each in points])
    return tuple(map(Bounds, met, failed))


def less(one: Bounds, other: Bounds) -> Bounds:
    """The least and the most by which `one` can be above `other` (−1 to 1)."""
    return Bounds(one.low - other.high, one.high - other.low)


def judges_of(answers: Sequence[ScoredAnswer]) -> tuple[str, ...]:
    """The judges with a verdict on any point of `answers`, in the order in which they first appear."""
    found = (
        verdict.judge
        for answer in answers
        if answer.state is AnswerState.SCORED
        for verdicts in answer.verdicts
        for verdict in verdicts
        if verdict.extent is not None
    )
    return tuple(dict.fromkeys(found))


def under_judge(answer: ScoredAnswer, judge: str) -> ScoredAnswer:
    """`answer` with the verdicts of one judge alone: a point in words without a verdict of this judge is open.

    Checks count as they are. Grades of people and verdicts of other judges do not count.
    """
    if answer.state is not AnswerState.SCORED:
        return answer

    def read() -> tuple[Assessment, ...]:
        return tuple(
            _by_judge(assessment, verdicts, judge)
            for assessment, verdicts in zip(answer.assessments, answer.verdicts, strict=True)
        )

    return ScoredAnswer(
        answer.state, read, lambda: answer.verdicts, answer.subject, answer.is_cut, is_partial=answer.is_partial
    )


def _by_judge(assessment: Assessment, verdicts: Sequence[StoredJudgement], judge: str) -> Assessment:
    if assessment.point.function is not None:
        return assessment
    given = next((each.extent for each in verdicts if each.judge == judge and each.extent is not None), None)
    if given is None:
        return replace(assessment, extent=None, by=None, error=None, possible=None)
    rounded = float(to_fixed(given, 2))
    extent = 1 - rounded if assessment.placed.inverted else rounded
    return replace(assessment, extent=extent, by=AssessedBy.JUDGE, error=None, possible=None)
