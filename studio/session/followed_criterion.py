"""One criterion that is followed through its rewordings, the answers that it is judged on, and its earlier wordings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint.conversation import ThreadTurn
from engine.evaluation.events import Response
from engine.evaluation.point_assessment import uses_service
from engine.evaluation.sources import ControlKind, ControlSource, IdealSource, WrittenSource
from engine.functions import point_text
from engine.scoring.assessment import Assessment, Criterion, Grade
from engine.store import Lineage, PromptPlace, Wording, WrittenWording, rubric_digest
from engine.study import wordings
from engine.study.case import Case, ideal_case, is_failed, prompt_names, response_of
from engine.study.case_reader import read_cases
from engine.study.file_places import read_case_text
from engine.study.wordings import FoundPoint, KnownAnswer, known_answer, points_in
from engine.text.record import Record, replace
from engine.text.spans import Span, count, in_quotes, one_line
from studio.session.analysis import Analysis
from studio.session.host import Choice, Choose, Host, NotDone, answer_to
from studio.session.run import Run, has_same_questions
from studio.session.state import EMPTY

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.judging.judgement import Judgement
    from engine.store.stored_answers import StoredResponse
    from studio.session.evaluator import Cache


class KnownAnswers(Record):
    """All answers to a prompt, the author's decisions about them, by digest, and the cases of the prompt."""

    every: tuple[KnownAnswer, ...] = ()
    cases: tuple[Case, ...] = ()
    decided: Mapping[str, bool] = EMPTY

    @property
    def chosen(self) -> tuple[KnownAnswer, ...]:
        """The answers on which criteria are judged."""
        return tuple(each for each in self.every if self.decided.get(each.key, each.usual))


class TurnReport(Record):
    """A turn: the judgements that `came` of so many in `total`, by the digest of the answer.

    It judges the wording with the name `wording` on so many `answers`, and has `sent` something, in words.
    """

    wording: str
    answers: int
    total: int
    came: tuple[tuple[str, Judgement], ...] = ()
    sent: str = ""

    @property
    def done(self) -> int:
        """How many judges have answered."""
        return len(self.came)

    @property
    def judged(self) -> frozenset[str]:
        """The digests of the answers with a verdict."""
        return frozenset(key for key, each in self.came if each.verdict is not None)


class FollowedCriterion(Record, eq=False):
    """A point of the rubric, its lineage, and the answers that it is judged on.

    `place` is its prompt's. `found` is where it stands in `analysis`, None while it is not in the text; `span` is where
    it stood last. `grades` are the author's grades of each answer, by digest, `checks` the results of a check by
    answer. `report` is on the last turn, and `running` stands for what runs it now, or the check. `author` is the
    author's name in cases, `asked` the `conversation` for which the answers were read.
    """

    place: PromptPlace
    lineage: Lineage
    analysis: Analysis
    found: FoundPoint | None
    span: Span | None
    written: WrittenWording
    answers: KnownAnswers = KnownAnswers()
    grades: Mapping[str, Mapping[Criterion, Grade]] = EMPTY
    checks: Mapping[str, Assessment] = EMPTY
    report: TurnReport | None = None
    running: object | None = None
    author: str | None = None
    asked: tuple[ThreadTurn, ...] = ()

    def answer(self, key: str) -> KnownAnswer | None:
        """The answer with this digest."""
        return next((each for each in self.answers.every if each.key == key), None)

    @property
    def is_running(self) -> bool:
        """Whether it is judged or checked now."""
        return self.running is not None

    def judgements(self, key: str) -> tuple[Judgement, ...]:
        """What judges said of the answer with this digest, by the present wording, in the last turn."""
        came = () if self.report is None or self.report.wording != self.written.name else self.report.came
        return tuple(each for answer, each in came if answer == key)

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
        return self.found is not None and uses_service(self.found.alone)

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
    def is_counted(self) -> bool:
        """Whether answers are labelled that it may fail, and its present wording was used."""
        is_used = self.found is not None and self.wording is not None
        return is_used and any(each.is_bad is not None for each in self.answers.cases)

    @property
    def rubric(self) -> str:
        """The digest of the rubric that it stands in; "" while it is not in the text."""
        return "" if self.found is None else rubric_digest(self.found.prompt)

    @property
    def counted(self) -> tuple[object, ...]:
        """What its counts follow from."""
        verdicts = None if self.wording is None else self.wording.verdicts
        return self.rubric, self.analysis.header.description, self.asked, self.answers.cases, self.grades, verdicts

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
        span = None if self.span is None else wordings.carried(self.span, earlier.parsed.text, after)
        is_only = not any(self._is_same(each) and each != self.found for each in points_in(*earlier.blueprint.prompts))
        prompt = None if span is None else analysis.prompt_at(span.start)
        points = () if prompt is None else points_in(prompt)
        there = self._among([each for each in points if each.placed.rubric.block is self.lineage.block], span)
        if there is None and is_only and (span is None or span.start == span.end):
            there = self._among(points_in(*analysis.blueprint.prompts), None)
        if there is None:
            return replace(self, analysis=analysis, found=None, span=span)
        place, written = analysis.place(there.prompt), wordings.written_wording(after, there.point)
        return replace(self, analysis=analysis, found=there, place=place, span=there.point.span, written=written)

    def _among(self, points: Sequence[FoundPoint], span: Span | None) -> FoundPoint | None:
        """Which of these stands at `span`; without one, the only one with the same wording."""
        return wordings.found_point(points, span, [self._is_same(each) for each in points])

    def _is_same(self, point: FoundPoint) -> bool:
        block = point.placed.rubric.block
        return block is self.lineage.block and point_text(point.point) == self.written.name


# --- The answers to its prompt


_MOST_STORED = 200
"""How many stored answers of a prompt are read, the newest."""
_VARIANT = re.compile(r"(?:\[(?:temp|sp_idx):[^\[\]]*\])+\Z")
"""What the key of a source has behind it for a variant."""
_PUBLISHED = "published:"
_CONTROL = "control:"


def cases_of_prompt(path: Path, name: str) -> tuple[Case, ...]:
    """The cases of the prompt `name` in the case file of the blueprint at `path`, if that can be read. Blocks."""
    return tuple(case for case in read_cases(read_case_text(path)[0])[0].cases if case.prompt == name)


def read_answers(
    current: FollowedCriterion, prompt: Prompt, path: Path, shown: Run | None, cache: Cache
) -> tuple[KnownAnswers, Mapping[str, Mapping[Criterion, Grade]]]:
    """The answers on which a criterion can be judged, with the author's grades of each by its digest. Blocks.

    They are the ideal, the cases of the prompt, the answer that is `shown`, and stored ones.
    """
    place, blueprint = current.place, current.analysis.blueprint
    cases = cases_of_prompt(path, prompt_names(blueprint)[prompt.index])
    ideals = list(wordings.ideal_answer(prompt, blueprint.header))
    stored = cache.tried(lambda store: store.whole_responses(place, _MOST_STORED), ())
    answers = wordings.merged(
        [
            *ideals,
            *(wordings.case_answer(_case_label(case), case, prompt, blueprint.header, usual=True) for case in cases),
            *(() if shown is None else _of_run(shown, prompt)),
            *_stored_once(stored, prompt, {ideal.subject for ideal in ideals}),
        ]
    )
    decided = cache.tried(lambda store: store.chosen_answers(place), EMPTY)
    grades = {each.key: cache.own_grades(place, each.subject) for each in answers}
    return KnownAnswers(answers, cases, decided), grades


def _case_label(case: Case) -> str:
    return ": ".join(filter(None, (f"case {case.number}", one_line(case.reason or case.model or ""))))


def _stored_once(stored: Sequence[StoredResponse], prompt: Prompt, ideals: Collection[str]) -> Iterator[KnownAnswer]:
    """The stored answers, but for runs of the present ideal."""
    seen: Counter[str] = Counter()
    for source, created, response in stored:
        is_present = source == IdealSource().key and response.subject in ideals
        if not is_present and _is_answer(response, prompt):
            name = _name(source)
            seen[name] += 1
            label = name if seen[name] == 1 else f"{name}, {created.astimezone():%d %b %H:%M}"
            yield known_answer(label, response, model=_model(source))


def _name(source: str) -> str:
    named = {IdealSource().key: "an earlier ideal", WrittenSource().key: "your answer"}
    named |= {ControlSource(kind).key: ControlSource(kind).label for kind in ControlKind}
    return named.get(source) or (source.partition(":")[2] or source).rpartition("/")[2]


def _of_run(run: Run, prompt: Prompt) -> Iterator[KnownAnswer]:
    """The answer of a run of this session, which the database may not have taken."""
    response = run.response
    if response is not None and not run.running and _is_answer(response, prompt):
        is_edited = run.edited is not None
        yield known_answer(run.label, response, model=_model(run.candidate.key), usual=True, is_edited=is_edited)


def _is_answer(response: Response, prompt: Prompt) -> bool:
    """Whether it may be shown, and is to the present question."""
    return not response.withheld and has_same_questions(response, prompt)


def _model(source: str) -> str | None:
    """The model of a source by its key; None for what is no model."""
    model = _VARIANT.sub("", source).removeprefix(_PUBLISHED)
    return model if ":" in model and not model.endswith("*") and not model.startswith(_CONTROL) else None


# --- Its wordings


_LONGEST_WORDING = 400


async def continued_lineage(
    host: Host, saved: Sequence[Lineage], others: Collection[int], found: FoundPoint, name: str
) -> Lineage | None:
    """The lineage that the point `found`, whose wording is `name`, continues; None for a new one.

    It is the oldest one with this wording that is not among the `others`, which are followed; without one, the author
    is asked whether it is a rewording of an earlier criterion that is gone from the prompt. Raises `NotDone` if they
    cancel.
    """
    block = found.placed.rubric.block
    free = [each for each in saved if each.block is block and each.number not in others]
    same = [each for each in free if each.last_used.name == name] or [each for each in free if each.named(name)]
    if same:
        return same[0]
    present = {point_text(each) for each in found.prompt.points()}
    gone = [each for each in reversed(free) if each.last_used.name not in present]
    if not gone:
        return None
    choices = [
        *(
            Choice(str(at), _quoted(each.last_used.name), count(len(each.wordings), "wording"))
            for at, each in enumerate(gone)
        ),
        Choice("new", "No, it is a new criterion"),
    ]
    text = f"{_quoted(name)} was not run before. An earlier criterion of this prompt is no longer in the text."
    chosen = await answer_to(host, Choose("Is this a rewording of an earlier criterion?", text, choices))
    return None if chosen == "new" else gone[int(chosen)]


async def chosen_wording(host: Host, current: FollowedCriterion) -> Wording:
    """The earlier wording that the author chooses. Raises `NotDone` if there is none."""
    every = [(at, each) for at, each in enumerate(current.lineage.wordings, 1) if each.name != current.written.name]
    if not every:
        raise NotDone("There is no earlier wording yet: change the text, and run it again.")
    is_inverted = current.lineage.block.inverted
    choices = [
        Choice(str(at), f"{at}. {_quoted(each.name)}", _verdicts(each, inverted=is_inverted))
        for at, each in reversed(every)
    ]
    text = f"Now: {_quoted(current.written.name)}"
    chosen = await answer_to(host, Choose("Back to an earlier wording", text, choices))
    return next(each for at, each in every if str(at) == chosen)


def _quoted(name: str) -> str:
    return in_quotes(one_line(name, longest=_LONGEST_WORDING))


def _verdicts(wording: Wording, *, inverted: bool) -> str:
    """`fails 2 of 7 answers`, of those on which it was judged, by the newest verdict of each judge."""
    given = [{each.judge: each.extent for each in every} for every in wording.verdicts.values()]
    means = [sum(extents.values()) / len(extents) for extents in given if extents]
    failing = sum(is_failed(1 - mean if inverted else mean) for mean in means)
    return f"fails {failing} of {count(len(means), 'answer')}" if means else "not judged"
