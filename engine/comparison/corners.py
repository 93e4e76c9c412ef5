"""Where a difference of two scores comes from: the answer, the rubric, both together, or another verdict.

Old and new answer × old and new rubric have four scores. Each question (an answer, and a criterion in what the judge
saw of the rubric) has one verdict in all four: the old run's where it has one, else the new run's. What the new run's
verdicts on the same questions change is judging again, which is counted by itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property

from engine.blueprint import Message
from engine.blueprint_changes.point_matching import content
from engine.comparison.joint_intervals import Interval, OpenPoint, OpenScore, joint_interval
from engine.digests import data_digest
from engine.record import Record, replace
from engine.scoring.assessment import ANY_EXTENT, AssessedBy, Assessment, Bounds

Question = tuple[Hashable, ...]
"""What one verdict is about."""


class Cause(StrEnum):
    """What changed a score."""

    ANSWER = "answer"
    RUBRIC = "rubric"
    INTERACTION = "interaction"
    VERDICT = "verdict"


class Side(Record, eq=False, dict=True):
    """One of two runs of a prompt: its answer, and the assessments by its rubric, one for each point.

    `answer` is the text of all turns that were judged. `shown` is what judges saw beside the answer and one criterion:
    the other criteria, the description, the conversation; None if every judge saw one criterion at a time.
    """

    answer: tuple[str, ...]
    assessments: Sequence[Assessment]
    shown: Hashable = None

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The question of each point about the answer of this run."""
        return self.asked(self.answer)

    def asked(self, answer: tuple[str, ...]) -> tuple[Question, ...]:
        """The question of each point about another answer."""
        return tuple([(answer, *each) for each in self._abouts])

    @cached_property
    def _abouts(self) -> tuple[Question, ...]:
        return tuple(map(self._about, self.assessments))

    @cached_property
    def known(self) -> Mapping[Question, float]:
        """The extents that this run has, after inversion."""
        found: dict[Question, float] = {}
        for question, assessment in zip(self.questions, self.assessments, strict=True):
            if assessment.extent is None:
                continue
            found.setdefault(question, assessment.extent)
            if assessment.by is AssessedBy.HUMAN:
                found[self.graded(question)] = assessment.extent
        return found

    @cached_property
    def possible(self) -> Mapping[Question, Bounds]:
        """The extents that the verdicts of this run leave for open points, where they are fewer than all."""
        both = zip(self.questions, self.assessments, strict=True)
        return {question: each.possible for question, each in both if each.open and each.possible is not None}

    @staticmethod
    def graded(question: Question) -> Question:
        """The question of a person, whose grade is on the wording alone, for one of a judge."""
        return (*question[:3], "graded")

    def _about(self, assessment: Assessment) -> Question:
        point = assessment.point
        shown = None if point.function is not None else self.shown
        return assessment.placed.rubric.block, content(point), shown

    def filled(self, assessments: Sequence[Assessment]) -> Side:
        """This side with the verdicts of `assessments`, one for each point, on criteria that have none of their own."""
        both = zip(self.assessments, assessments, strict=True)
        return Side(self.answer, [other if _closes(other, own) else own for own, other in both], self.shown)

    @cached_property
    def rubric(self) -> Hashable:
        """All that its score depends on beside the answer."""
        return tuple(
            (*about, each.point.multiplier, each.placed.path_id)
            for about, each in zip(self._abouts, self.assessments, strict=True)
        )


def _closes(other: Assessment, own: Assessment) -> bool:
    is_open = own.point.text is not None and (own.extent is None or bool(own.carried_over))
    return is_open and other.extent is not None and not other.carried_over


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


Mixed = tuple[Sequence[Assessment] | None, Sequence[Assessment] | None]
"""The new answer by the old rubric, and the old answer by the new rubric, as far as that is known."""


class FourCorners(Record, eq=False, dict=True):
    """The difference of two runs of one prompt. All scores and differences are 0–1, or −1 to 1."""

    old: Side
    new: Side
    mixed: Mixed = (None, None)

    @property
    def same_answer(self) -> bool:
        """Whether both runs have the same answer."""
        return self.old.answer == self.new.answer

    @property
    def same_rubric(self) -> bool:
        """Whether both runs were scored by the same rubric, in what judges see of it too."""
        return self.old.rubric == self.new.rubric

    @cached_property
    def _verdicts(self) -> Mapping[Question, float]:
        """One extent for each question: of the old run, else of the new one, else of `mixed`."""
        found: dict[Question, float] = {}
        on_old, on_new = self.mixed
        for side, answer, assessments in ((self.old, self.new.answer, on_old), (self.new, self.old.answer, on_new)):
            if assessments is not None:
                found.update(Side(answer, assessments, side.shown).known)
        return {**found, **self.new.known, **self.old.known}

    def _corner(self, answer: Side, rubric: Side) -> tuple[OpenPoint, ...]:
        return tuple(
            self._point(assessment, question, self._verdicts)
            for assessment, question in zip(rubric.assessments, rubric.asked(answer.answer), strict=True)
        )

    def _point(self, assessment: Assessment, question: Question, known: Mapping[Question, float]) -> OpenPoint:
        extent = known.get(Side.graded(question), known.get(question))
        possible = self.old.possible.get(question) or self.new.possible.get(question) or ANY_EXTENT
        return OpenPoint(extent, assessment.point.multiplier, assessment.placed.path_id, question, possible)

    @cached_property
    def old_on_old(self) -> tuple[OpenPoint, ...]:
        """The old answer by the old rubric."""
        return self._corner(self.old, self.old)

    @cached_property
    def new_on_old(self) -> tuple[OpenPoint, ...]:
        """The new answer by the old rubric."""
        return self._corner(self.new, self.old)

    @cached_property
    def old_on_new(self) -> tuple[OpenPoint, ...]:
        """The old answer by the new rubric."""
        return self._corner(self.old, self.new)

    @cached_property
    def new_on_new(self) -> tuple[OpenPoint, ...]:
        """The new answer by the new rubric, with the verdicts that all four corners share."""
        return self._corner(self.new, self.new)

    @cached_property
    def judged_again(self) -> tuple[OpenPoint, ...]:
        """The new answer by the new rubric, with the verdicts of the new run."""
        points = zip(self.new_on_new, self.new.questions, strict=True)
        return tuple(
            point if (own := self.new.known.get(question)) is None else replace(point, extent=own)
            for point, question in points
        )

    @cached_property
    def _scores(self) -> tuple[OpenScore, OpenScore, OpenScore, OpenScore, OpenScore]:
        """The scores of the corners, those of the new answer by the new rubric first with shared verdicts."""
        old, new_on_old, old_on_new, new, again = map(
            OpenScore.of, (self.old_on_old, self.new_on_old, self.old_on_new, self.new_on_new, self.judged_again)
        )
        return old, new_on_old, old_on_new, new, again

    @cached_property
    def scores(self) -> tuple[Interval, Interval, Interval, Interval]:
        """The scores of the old answer by the old rubric, the new by the old, the old by the new, and the new by the
        new."""
        old, new_on_old, old_on_new, _, again = self._scores
        first, second, third, fourth = (joint_interval([(1.0, each)]) for each in (old, new_on_old, old_on_new, again))
        return first, second, third, fourth

    @cached_property
    def answer(self) -> Interval:
        """New less old answer, by the old rubric."""
        old, new_on_old, _, _, _ = self._scores
        return joint_interval([(1.0, new_on_old), (-1.0, old)])

    @cached_property
    def rubric(self) -> Interval:
        """New less old rubric, on the old answer."""
        old, _, old_on_new, _, _ = self._scores
        return joint_interval([(1.0, old_on_new), (-1.0, old)])

    @cached_property
    def interaction(self) -> Interval:
        """What the new rubric changes more, or less, on the new answer than on the old one."""
        old, new_on_old, old_on_new, new, _ = self._scores
        return joint_interval([(1.0, new), (-1.0, new_on_old), (-1.0, old_on_new), (1.0, old)])

    @cached_property
    def again(self) -> Interval:
        """What other verdicts on the same questions change."""
        _, _, _, new, again = self._scores
        return joint_interval([(1.0, again), (-1.0, new)])

    @cached_property
    def total(self) -> Interval:
        """The new score less the old one: the sum of the four parts, in every completion."""
        old, _, _, _, again = self._scores
        return joint_interval([(1.0, again), (-1.0, old)])

    @cached_property
    def parts(self) -> Mapping[Cause, Interval]:
        """The four parts of the difference."""
        return {
            Cause.ANSWER: self.answer,
            Cause.RUBRIC: self.rubric,
            Cause.INTERACTION: self.interaction,
            Cause.VERDICT: self.again,
        }

    @property
    def causes(self) -> tuple[Cause, ...]:
        """What differs and moves the score, or may move it."""
        return tuple(cause for cause, part in self.parts.items() if abs(part.low) > 1e-9 or abs(part.high) > 1e-9)

    @cached_property
    def judged_twice(self) -> int:
        """How many questions both runs have another verdict on."""
        old, new = self.old.known, self.new.known
        return sum(abs(extent - new[question]) > 1e-9 for question, extent in old.items() if question in new)

    @cached_property
    def missing(self) -> tuple[Missing, ...]:
        """The open points of the corners; each question once."""
        found: dict[Hashable, Missing] = {}
        corners = (
            (False, False, self.old_on_old), (True, False, self.new_on_old),
            (False, True, self.old_on_new), (True, True, self.judged_again),
        )  # fmt: skip
        for new_answer, new_rubric, corner in corners:
            for index, point in enumerate(corner):
                if point.extent is None:
                    found.setdefault(point.unknown, Missing(new_answer, new_rubric, index))
        return tuple(found.values())

    @property
    def missing_places(self) -> tuple[frozenset[int], frozenset[int]]:
        """The places of open points in the old rubric for the new answer, and in the new rubric for the old answer."""
        return self.missing_at(new_answer=True, new_rubric=False), self.missing_at(new_answer=False, new_rubric=True)

    def missing_at(self, *, new_answer: bool, new_rubric: bool) -> frozenset[int]:
        """The places of the open points of one corner."""
        return frozenset(
            each.index for each in self.missing if each.new_answer is new_answer and each.new_rubric is new_rubric
        )

    @property
    def own_places(self) -> tuple[frozenset[int], frozenset[int]]:
        """The places of open criteria of the old run itself, and of the new one."""
        old = self.missing_at(new_answer=False, new_rubric=False)
        new = self.missing_at(new_answer=True, new_rubric=True)
        return (
            frozenset(index for index in old if self.old.assessments[index].point.text is not None),
            frozenset(index for index in new if self.new.assessments[index].point.text is not None),
        )


class Missing(Record):
    """A missing verdict: on the old or the new answer, and the place of its point in the old or the new rubric."""

    new_answer: bool
    new_rubric: bool
    index: int
