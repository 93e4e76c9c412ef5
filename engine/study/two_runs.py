"""Two runs of a prompt: the old and the new answer, each by the old and by the new rubric, without a request.

A question is an answer and a criterion, with all else that the judge saw. A run has its own verdicts; on a question
that it leaves open, a verdict of the other run on the very question counts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from engine.asking.exchanges import Job
from engine.blueprint import Header, Prompt
from engine.evaluation.events import Response
from engine.evaluation.headline import Headline
from engine.evaluation.point_assessment import Grades, assess
from engine.evaluation.sources import WrittenSource
from engine.evaluation.verdicts import KnownVerdicts, StoredJudgements
from engine.judging.panel import Panel
from engine.scoring.assessment import Assessment
from engine.study.differences import Part
from engine.study.scored_answer import Question, Side, headline_of
from engine.text.record import Record, replace

if TYPE_CHECKING:
    from engine.functions.tasks import TaskRunner


class Combination(StrEnum):
    """One of the two answers by one of the two rubrics, by its name in JSON."""

    OLD = "oldAnswerOldRubric"
    NEW_ON_OLD = "newAnswerOldRubric"
    OLD_ON_NEW = "oldAnswerNewRubric"
    NEW = "newAnswerNewRubric"

    @property
    def has_new_answer(self) -> bool:
        """Whether the answer is the new one."""
        return self in (Combination.NEW_ON_OLD, Combination.NEW)

    @property
    def has_new_rubric(self) -> bool:
        """Whether the rubric is the new one."""
        return self in (Combination.OLD_ON_NEW, Combination.NEW)


_OWN = Combination.OLD, Combination.NEW
_MIXED = Combination.NEW_ON_OLD, Combination.OLD_ON_NEW


Lookup: TypeAlias = Callable[[Combination, Collection[int]], Sequence[Assessment] | None]
"""Assesses an answer by a rubric, with verdicts on the points at these places; None if that cannot be done."""


class TwoRuns(Record, eq=False, dict=True):
    """Two runs of one prompt. `found` are assessments of an answer by the rubric that it was not run with."""

    old: Side
    new: Side
    found: Mapping[Combination, Sequence[Assessment]] = {}

    @property
    def same_answer(self) -> bool:
        """Whether both runs have the same answer."""
        return self.old.answer == self.new.answer

    @property
    def same_rubric(self) -> bool:
        """Whether both runs were scored by the same rubric, in what judges see of it too."""
        return self.old.rubric == self.new.rubric

    @cached_property
    def judged_twice(self) -> int:
        """How many questions both runs have another verdict on."""
        both = ((each, self.new.given.get(question)) for question, each in self.old.given.items())
        return sum(new is not None and abs((old.extent or 0) - (new.extent or 0)) > 1e-9 for old, new in both)

    @property
    def other(self) -> tuple[str, ...]:
        """What is another one: `answer`, `rubric`, `verdict` on the same question."""
        is_other = {"answer": not self.same_answer, "rubric": not self.same_rubric, "verdict": self.judged_twice > 0}
        return tuple(name for name, each in is_other.items() if each)

    def _questions(self, of: Combination) -> tuple[Question, ...]:
        answer = self.new.answer if of.has_new_answer else self.old.answer
        return (self.new if of.has_new_rubric else self.old).asked(answer)

    @cached_property
    def assessments(self) -> Mapping[Combination, tuple[Assessment, ...]]:
        """Each answer by each rubric, one assessment for each point."""
        return {of: tuple(self._assessed(of)) for of in Combination}

    def _assessed(self, of: Combination) -> Iterable[Assessment]:
        rubric, other = (self.new, self.old) if of.has_new_rubric else (self.old, self.new)
        is_own = of in _OWN
        found = rubric.assessments if is_own else self.found.get(of)
        for place, question in enumerate(self._questions(of)):
            placed = rubric.assessments[place].placed
            here = Assessment(placed) if found is None else found[place]
            known = None if is_own and here.assessed else rubric.on(question) or other.on(question)
            yield here if known is None else replace(known, placed=placed)

    @cached_property
    def scores(self) -> Mapping[Combination, Headline]:
        """The score of each answer by each rubric."""
        return {of: headline_of(each) for of, each in self.assessments.items()}

    @cached_property
    def difference(self) -> Part:
        """The new score less the old one; 0 where nothing is another, whatever is open."""
        before, after = ([each.extent for each in self.assessments[of]] for of in _OWN)
        if not self.other and before == after:
            return Part(0.0, 0.0)
        old, new = self.scores[Combination.OLD].bounds, self.scores[Combination.NEW].bounds
        return Part(new.low - old.high, new.high - old.low)

    def _open(self, of: Combination) -> frozenset[int]:
        """The places of the points that nobody has assessed."""
        return frozenset(place for place, each in enumerate(self.assessments[of]) if not each.assessed)

    @cached_property
    def missing(self) -> Mapping[Combination, frozenset[int]]:
        """The places of the points that nobody has assessed; each question once."""
        places: dict[Combination, frozenset[int]] = {}
        seen: set[Question] = set()
        for of in Combination:
            questions = self._questions(of)
            places[of] = frozenset(place for place in self._open(of) if questions[place] not in seen)
            seen.update(questions[place] for place in places[of])
        return places

    def completed(self, lookup: Lookup, *, fills_own: bool) -> TwoRuns:
        """With what `lookup` knows of missing verdicts; `fills_own`: of those that the runs lack themselves too."""
        runs = self
        if fills_own:
            both = zip((self.old, self.new), _OWN, strict=True)
            old, new = (each.filled(self._found_by(lookup, of)) for each, of in both)
            runs = TwoRuns(old, new)
        found = {of: each for of in _MIXED if (each := runs._found_by(lookup, of)) is not None}
        return TwoRuns(runs.old, runs.new, found) if found else runs

    def _found_by(self, lookup: Lookup, of: Combination) -> Sequence[Assessment] | None:
        places = self._open(of)
        return lookup(of, places) if places else None


class RubricCheck(Record):
    """Assesses answers by the rubrics of one version of a blueprint. Its methods block while checks run.

    Checks run and grades of people count, and the verdicts that `stored` finds; without it, none does. Checks by a
    service stay open.
    """

    header: Header
    panel: Panel
    javascript: Callable[[], TaskRunner]
    stored: StoredJudgements | None = None

    def assessments(
        self, prompt: Prompt, response: Response, wanted: Collection[int], grades: Grades | None = None
    ) -> tuple[Assessment, ...]:
        """One assessment for each point of `prompt`. Verdicts are looked up for the points at the places `wanted`."""
        assessed = assess(
            prompt,
            response.subject,
            self.javascript(),
            thread=response.thread,
            model=response.model or "",
            grades=grades,
        )
        if self.stored is None or not any(prompt.points()[place].text is not None for place in wanted):
            return assessed
        known = KnownVerdicts.on(prompt, self.header, response, self.panel, self.stored)
        judged = known.assessed(assessed)
        return tuple(judged[place] if place in wanted else each for place, each in enumerate(assessed))


class UnjudgedAnswer(Record):
    """An answer by one rubric, of which judges would be asked about the points at `places`."""

    prompt: Prompt
    response: Response
    places: frozenset[int]

    @property
    def job(self) -> Job:
        """The job of judging it, for a plan."""
        settled = frozenset(range(len(self.prompt.points()))) - self.places
        return Job(self.prompt, WrittenSource(self.response.subject), thread=self.response.thread, settled=settled)


Exchange: TypeAlias = tuple[TwoRuns, tuple[Prompt, Prompt], tuple[Response | None, Response | None]]
"""Two runs with their prompts and their answers, the old and the new one."""


def unjudged_answers(compared: Iterable[Exchange]) -> tuple[list[UnjudgedAnswer], list[UnjudgedAnswer]]:
    """What judges could be asked: the answers by old rubrics, and those by new ones."""
    found: tuple[list[UnjudgedAnswer], list[UnjudgedAnswer]] = ([], [])
    for runs, prompts, responses in compared:
        for of, places in runs.missing.items():
            prompt, response = prompts[of.has_new_rubric], responses[of.has_new_answer]
            criteria = frozenset(place for place in places if prompt.points()[place].text is not None)
            if criteria and response is not None:
                found[of.has_new_rubric].append(UnjudgedAnswer(prompt, response, criteria))
    return found
