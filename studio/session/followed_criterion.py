"""One criterion that is followed through its rewordings, as it is known now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.blueprint.conversation import ThreadTurn
from engine.functions import find, point_text
from engine.scoring.assessment import Criterion
from engine.store import Lineage, PromptPlace, Wording, WrittenWording, rubric_digest
from engine.study.case import ideal_case
from engine.study.case_scoring import response_of
from engine.study.wordings import FoundPoint, LoopAnswer, carried, found_point, points_of, written_wording
from engine.text.record import Record, replace
from engine.text.spans import Span
from studio.session.analysis import Analysis
from studio.session.criterion_answers import LoopAnswers
from studio.session.state import EMPTY

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement
    from engine.scoring.assessment import Assessment, Grade
    from engine.study.criterion_counts import UnitCounts


class TurnReport(Record):
    """What a turn did: it judged the wording with the name `wording` on so many `answers`.

    `done` of `total` judges have answered, `cached` of them from the cache and `failed` without a verdict; `judged` are
    the digests of the answers with a verdict; `sent` in words.
    """

    wording: str
    answers: int
    total: int
    done: int = 0
    cached: int = 0
    failed: int = 0
    sent: str = ""
    judged: frozenset[str] = frozenset()


class FollowedCriterion(Record, eq=False):
    """A point of the rubric, its lineage, and the answers that it is judged on.

    `place` is its prompt's. `found` is where it stands in `analysis`, None while it is not in the text; `span` is where
    it stood last. `grades` are the author's grades of each answer, by digest. `judgements` of this session are by
    wording and answer, `checks` are the results of a check by answer. `counts` are of the rubric with the digest
    `counted`. `author` is the author's name in cases, `asked` the `conversation` for which the
    answers were read.
    """

    place: PromptPlace
    lineage: Lineage
    analysis: Analysis
    found: FoundPoint | None
    span: Span | None
    written: WrittenWording
    answers: LoopAnswers
    grades: Mapping[str, Mapping[Criterion, Grade]] = EMPTY
    judgements: Mapping[tuple[str, str], tuple[Judgement, ...]] = EMPTY
    checks: Mapping[str, Assessment] = EMPTY
    counts: UnitCounts | None = None
    counted: str = ""
    report: TurnReport | None = None
    is_running: bool = False
    author: str | None = None
    asked: tuple[ThreadTurn, ...] = ()

    def answer(self, key: str) -> LoopAnswer | None:
        """The answer with this digest."""
        return next((each for each in self.answers.every if each.key == key), None)

    @property
    def is_by_service(self) -> bool:
        """Whether it is a check that a service decides."""
        call = None if self.found is None else self.found.point.function
        function = None if call is None else find(call.name)
        return function is not None and function.by_service

    @property
    def wording(self) -> Wording | None:
        """The present wording in the lineage; None while it was not used yet."""
        return self.lineage.named(self.written.name)

    @property
    def before(self) -> Wording | None:
        """The wording that was used last before the present one; None if there is none."""
        others = [each for each in self.lineage.wordings if each.name != self.written.name]
        return max(others, key=lambda each: each.used, default=None)

    @property
    def rubric(self) -> str:
        """The digest of the rubric that it stands in; "" while it is not in the text."""
        return "" if self.found is None else rubric_digest(self.found.prompt)

    @property
    def needs_counting(self) -> bool:
        """Whether its counts are of another rubric."""
        return self.wording is not None and self.found is not None and self.counted != self.rubric

    @property
    def conversation(self) -> tuple[ThreadTurn, ...]:
        """The conversation of its prompt with the ideal as the answer; () while it is not in the text."""
        if self.found is None:
            return ()
        prompt = self.found.prompt
        return response_of(ideal_case("", prompt.ideal or ""), prompt, self.analysis.header).thread

    @property
    def needs_answers(self) -> bool:
        """Whether its answers were read for another conversation, or another ideal."""
        return self.found is not None and bool(self.asked) and self.asked != self.conversation

    @property
    def criterion(self) -> Criterion:
        """The identity of the present wording for grades."""
        return Criterion(self.lineage.block, self.written.name)

    @property
    def number(self) -> int:
        """What identifies it: the number of its lineage."""
        return self.lineage.number

    def follow(self, analysis: Analysis) -> FollowedCriterion:
        """The criterion as it is in a newer text."""
        if analysis is self.analysis:
            return self
        earlier, after = self.analysis, analysis.parsed.text
        span = None if self.span is None else carried(self.span, earlier.parsed.text, after)
        is_only = not any(self._is_same(each) and each != self.found for each in points_of(earlier.blueprint))
        now = replace(self, analysis=analysis)
        there = None if span is None else now._at(span)
        if there is None and is_only and (span is None or span.start == span.end):
            there = now._anywhere()
        if there is None:
            return replace(now, found=None, span=span)
        written = written_wording(after, there.point)
        return replace(now, found=there, place=analysis.place(there.prompt), span=there.point.span, written=written)

    def _at(self, span: Span) -> FoundPoint | None:
        """The point of the prompt at `span` that stands there, in the block of the lineage."""
        prompt = self.analysis.prompt_at(span.start)
        if prompt is None:
            return None
        points = [each for each in points_of(self.analysis.blueprint) if each.prompt.index == prompt.index]
        points = [each for each in points if each.placed.rubric.block is self.lineage.block]
        return found_point(points, span, [self._is_same(each) for each in points])

    def _anywhere(self) -> FoundPoint | None:
        """The only point of the file with the same wording. It is new there: else it is another criterion."""
        points = points_of(self.analysis.blueprint)
        return found_point(points, None, [self._is_same(each) for each in points])

    def _is_same(self, point: FoundPoint) -> bool:
        block = point.placed.rubric.block
        return block is self.lineage.block and point_text(point.point) == self.written.name
