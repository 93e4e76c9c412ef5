"""One criterion that is followed through its rewordings, the answers that it is judged on, and its earlier wordings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from engine.blueprint.conversation import ThreadTurn
from engine.functions import find, point_text
from engine.scoring.assessment import Assessment, Criterion, Grade
from engine.store import (
    JudgeForm,
    Lineage,
    PromptPlace,
    Wording,
    WrittenWording,
    rubric_digest,
)
from engine.study.case import ideal_case, is_failed, response_of
from engine.study.wordings import (
    FoundPoint,
    KnownAnswer,
    carried,
    found_point,
    points_in,
    verdicts_like,
    written_wording,
)
from engine.text.record import Record, replace
from engine.text.spans import Span, common_prefix, count, in_quotes
from studio.session.analysis import Analysis
from studio.session.host import Choice, Choose, Host
from studio.session.prompt_answers import KnownAnswers
from studio.session.state import EMPTY

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.judging.judgement import Judgement
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
    answers: KnownAnswers
    grades: Mapping[str, Mapping[Criterion, Grade]] = EMPTY
    judgements: Mapping[tuple[str, str], tuple[Judgement, ...]] = EMPTY
    checks: Mapping[str, Assessment] = EMPTY
    counts: UnitCounts | None = None
    counted: str = ""
    report: TurnReport | None = None
    is_running: bool = False
    author: str | None = None
    asked: tuple[ThreadTurn, ...] = ()

    def answer(self, key: str) -> KnownAnswer | None:
        """The answer with this digest."""
        return next((each for each in self.answers.every if each.key == key), None)

    @property
    def prompt(self) -> Prompt | None:
        """Its prompt in the text."""
        if self.found is not None:
            return self.found.prompt
        prompts = self.analysis.blueprint.prompts
        return next((each for each in prompts if self.analysis.place(each) == self.place), None)

    @property
    def can_grade(self) -> bool:
        """Whether the author grades it: it is no check, and there is one."""
        return bool(self.written.name) and not self.written.is_check

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
        is_only = not any(self._is_same(each) and each != self.found for each in points_in(*earlier.blueprint.prompts))
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
        points = [each for each in points_in(prompt) if each.placed.rubric.block is self.lineage.block]
        return found_point(points, span, [self._is_same(each) for each in points])

    def _anywhere(self) -> FoundPoint | None:
        """The only point of the file with the same wording. It is new there: else it is another criterion."""
        points = points_in(*self.analysis.blueprint.prompts)
        return found_point(points, None, [self._is_same(each) for each in points])

    def _is_same(self, point: FoundPoint) -> bool:
        block = point.placed.rubric.block
        return block is self.lineage.block and point_text(point.point) == self.written.name


NEW_LINEAGE = 0
"""The number of a lineage that does not exist yet."""
_LONGEST = 70
_LONGEST_WORDING = 150
_SAME_SHOWN = 30
"""How much of a long wording is shown before the first difference."""
_MOST_OFFERED = 5


async def continued_lineage(
    host: Host, saved: Sequence[Lineage], others: Mapping[int, FoundPoint], found: FoundPoint, name: str
) -> Lineage | None:
    """The lineage that the point `found`, whose wording is `name`, continues.

    It is the one with this wording; without one, the author is asked whether it is a rewording of an earlier criterion
    that is gone from the prompt. `others` are the points of other lineages, by number. Of several points with the same
    wording, the first continues the oldest lineage. A lineage with the number `NEW_LINEAGE` stands for a new one; None
    if the author cancels.
    """
    block = found.placed.rubric.block
    free = [each for each in saved if each.block is block and each.number not in others]
    same = [each for each in free if each.last_used.name == name] or [each for each in free if each.named(name)]
    if same:
        return same[min(_place_among_same(found, others.values()), len(same) - 1)]
    new = Lineage(NEW_LINEAGE, block, ())
    present = {point_text(each) for each in found.prompt.points()}
    gone = [each for each in free if each.last_used.name not in present]
    if not gone:
        return new
    offered = sorted(gone, key=lambda each: -_likeness(each.last_used.name, name))[:_MOST_OFFERED]
    choices = [
        *(Choice(str(each.number), _quoted_beside(each.last_used.name, name), _wordings(each)) for each in offered),
        Choice("new", "No, it is a new criterion"),
    ]
    text = f"{_quoted_beside(name)} was not run before. An earlier criterion of this prompt is no longer in the text."
    chosen = await host.ask(Choose("Is this a rewording of an earlier criterion?", text, choices))
    if chosen is None:
        return None
    return next((each for each in offered if str(each.number) == chosen), new)


def _place_among_same(found: FoundPoint, others: Collection[FoundPoint]) -> int:
    """How many points before `found`, with the same wording in the same block, are not among the `others`."""
    name, block = point_text(found.point), found.placed.rubric.block
    before = [each for each in points_in(found.prompt) if each.index < found.index and each not in others]
    return sum(each.placed.rubric.block is block and point_text(each.point) == name for each in before)


async def chosen_wording(
    host: Host, current: FollowedCriterion, earlier: Sequence[Wording], forms: Mapping[str, JudgeForm]
) -> Wording | None:
    """The wording that the author chooses among `earlier` ones; None if they cancel.

    `forms` are how judges are asked today, by label: of verdicts of one judge, those in its form count.
    """
    places = {each.number: place for place, each in enumerate(current.lineage.wordings, 1)}
    choices = [
        Choice(
            str(each.number),
            f"{places[each.number]}. {_quoted_beside(each.name, current.written.name)}",
            _verdicts(each, current, forms),
        )
        for each in earlier
    ]
    others = [each.name for each in earlier]
    title, text = "Back to an earlier wording", f"Now: {_quoted_beside(current.written.name, *others)}"
    chosen = await host.ask(Choose(title, text, choices))
    return next((each for each in earlier if str(each.number) == chosen), None)


def _quoted_beside(name: str, *others: str) -> str:
    """A wording in quotation marks on one line. A long one is shortened, but not where it first differs from others."""
    line = " ".join(name.split())
    if len(line) <= _LONGEST_WORDING:
        return in_quotes(line)
    same = min((common_prefix(line, " ".join(each.split())) for each in others), default=0)
    start = max(min(same - _SAME_SHOWN, len(line) - _LONGEST_WORDING), 0)
    end = start + _LONGEST_WORDING
    return in_quotes(f"{'…' if start else ''}{line[start:end]}{'' if end >= len(line) else '…'}")


def shortened(text: str) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one.casefold().split(), other.casefold().split(), autojunk=False).ratio()


def _wordings(lineage: Lineage) -> str:
    return count(len(lineage.wordings), "wording")


def _verdicts(wording: Wording, current: FollowedCriterion, forms: Mapping[str, JudgeForm]) -> str:
    """`fails 2 of 7 answers`, of those on which it was judged; "" if on none."""
    given = [like for each in wording.verdicts.values() if (like := verdicts_like(each, forms))]
    means = [sum(each.extent for each in verdicts) / len(verdicts) for verdicts in given]
    failing = sum(is_failed(1 - mean if current.lineage.block.inverted else mean) for mean in means)
    answers = count(len(means), "answer")
    if not means:
        return "not judged"
    scales = {form.scale for form in forms.values()}
    is_other = any(each.form.scale not in ("", *scales) for like in given for each in like) and bool(scales)
    return f"fails {failing} of {answers}{', on another scale' if is_other else ''}"
