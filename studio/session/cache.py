"""Answers, verdicts, runs and grades in the database. Its errors are reported, and stop no run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from engine.asking.planner import NO_ACCESS, Access
from engine.blueprint import Blueprint, Header, Prompt
from engine.evaluation.answer_stream import AnswerCache, CachedAnswer
from engine.evaluation.point_assessment import uses_service
from engine.evaluation.prompt_evaluation import Services
from engine.store import PromptPlace, Store, StoreUnavailable
from engine.study.case_reader import GoodAnswers
from engine.study.case_scoring import CaseCheck, recorded_grades, recorded_in

if TYPE_CHECKING:
    from engine.asking.planner import UnjudgedAnswer
    from engine.evaluation.events import Response
    from engine.functions.tasks import TaskRunner
    from engine.judging.judge_runner import JudgingEvent
    from engine.judging.judgement import Judgement
    from engine.judging.panel import Panel
    from engine.models.chat import Resolve
    from engine.scoring.assessment import Criterion, Grade

Value = TypeVar("Value")
Other = TypeVar("Other")


class Cache:
    """The database as the runs of one file read and write it. It is opened at its first use."""

    def __init__(
        self,
        store: Callable[[], Store],
        report: Callable[[StoreUnavailable], None],
        *,
        without_stored: bool = False,
    ) -> None:
        """`store` opens the database, or returns the open one. `report` is called with each error, on any thread.

        `without_stored`: no verdict and no grade is found, as on a machine that has none. Answers are.

        Each call tries the database again: another studio may only have locked it for a while.
        """
        self._store = store
        self.report = report
        self._without_stored = without_stored
        self._answers = AnswerCache(self)

    def tried(self, work: Callable[[Store], Value], otherwise: Other) -> Value | Other:
        """What `work` returns; `otherwise` where the database cannot be used, which is reported. Blocks."""
        try:
            return work(self._store())
        except StoreUnavailable as error:
            self.report(error)
            return otherwise

    def providers(self, blueprint: Blueprint, providers: Resolve, *, fresh: bool) -> Resolve:
        """The `providers` of a blueprint's models, which send only requests that are not cached; all if `fresh`."""
        return self._answers.wrap(providers, blueprint.header.models, fresh=fresh)

    def judgements(self, place: PromptPlace | None, subject: str, keys: Collection[str]) -> Sequence[Judgement]:
        """The stored judgements on an answer to a prompt, if one is given, and those with one of these keys.

        () if they cannot be read. Blocks.
        """
        return () if self._without_stored else self.tried(lambda store: store.judgements_on(place, subject, keys), ())

    def grades(self, place: PromptPlace, subject: str) -> Mapping[Criterion, Grade]:
        """The grades that count: those of the case file, and before these the author's in the store. Blocks."""
        return {**recorded_grades(place, subject), **self.own_grades(place, subject)}

    def own_grades(self, place: PromptPlace, subject: str) -> Mapping[Criterion, Grade]:
        """The author's grades of an answer in the store; {} if they cannot be read. Blocks."""
        return {} if self._without_stored else self.tried(lambda store: store.grades(place, subject), None) or {}

    def case_check(
        self,
        path: Path,
        blueprint: Blueprint,
        javascript: TaskRunner,
        panel: Panel,
        *,
        for_people: bool = False,
    ) -> CaseCheck:
        """Scores cases of the blueprint at `path` with what is stored on their answers; the rest as in `CaseCheck`."""
        return CaseCheck(
            blueprint,
            javascript,
            panel,
            lambda prompt, subject, keys: self.judgements(PromptPlace.of(path, prompt), subject, keys),
            lambda prompt, subject: self.own_grades(PromptPlace.of(path, prompt), subject),
            lambda: recorded_in(path),
            for_people,
        )

    def good_answers(self, path: Path, panel: Callable[[Header], Panel]) -> GoodAnswers:
        """The good answers to the prompts of the blueprint at `path`, with what is stored on them."""
        return GoodAnswers(
            path, lambda blueprint, js: self.case_check(path, blueprint, js, panel(blueprint.header)).outcome
        )

    @property
    def without_stored(self) -> Cache:
        """The same database, whose verdicts and grades are not found."""
        return Cache(self._store, self.report, without_stored=True)

    def answer(self, key: str) -> CachedAnswer | None:
        """The answer cached under this key; None if there is none, or it cannot be read. Blocks."""
        return self.tried(lambda store: store.answer(key), None)

    def save_answer(self, key: str, answer: CachedAnswer) -> None:
        """Cache an answer if possible. Blocks."""
        self.tried(lambda store: store.save_answer(key, answer), None)

    def judgement(self, key: str) -> Judgement | None:
        """The verdict of a judge cached under this key; None if there is none, or it cannot be read. Blocks."""
        return None if self._without_stored else self.tried(lambda store: store.judgement(key), None)

    async def taken(
        self, judging: AsyncGenerator[tuple[UnjudgedAnswer, JudgingEvent]], judged: Callable[[int], None]
    ) -> None:
        """Cache each verdict of `judging` as it arrives. `judged` is called with how many points are done."""
        done = 0
        async with aclosing(judging) as events:
            async for _, event in events:
                judgement = getattr(event, "judgement", None)
                if judgement is None:
                    done += 1
                    judged(done)
                elif not judgement.reused:
                    await asyncio.to_thread(self.save_judgement, judgement)

    def save_judgement(self, judgement: Judgement) -> None:
        """Cache a verdict if possible. Blocks."""
        self.tried(lambda store: store.save_judgement(judgement), None)

    def save_response(self, place: PromptPlace, key: str, response: Response) -> None:
        """Save the answer to a prompt if possible. Blocks."""
        self.tried(lambda store: store.save_response(place, key, response), None)

    def mark_shown(self, answers: Iterable[tuple[PromptPlace, str]]) -> None:
        """Record, if possible, that these answers or verdicts on them are shown now. Blocks."""
        by_place: dict[PromptPlace, list[str]] = {}
        for place, subject in answers:
            by_place.setdefault(place, []).append(subject)

        def mark(store: Store) -> None:
            for place, subjects in by_place.items():
                store.mark_shown(place, subjects)

        if by_place:
            self.tried(mark, None)

    def mark_texts_shown(self, subjects: Iterable[str]) -> None:
        """Record, if possible, that these texts are shown now, for every prompt that has them as answers. Blocks."""
        self.mark_shown(self.tried(lambda store: store.places_of(subjects), ()))

    def services(self, header: Header, prompt: Prompt, access: Access | None) -> Services | None:
        """What an evaluation of `prompt` needs to ask services; without `access`, only cached replies count."""
        if not uses_service(prompt):
            return None
        known = access or NO_ACCESS
        return Services(header, known.hosts, known.private, self, access is not None, known.counter)

    def service_answer(self, key: str, not_before: datetime) -> str | None:
        """The reply of a service since `not_before`; None if there is none, or it cannot be read. Blocks."""
        return self.tried(lambda store: store.service_answer(key, not_before), None)

    def save_service_answer(self, key: str, text: str) -> None:
        """Cache the reply of a service if possible. Blocks."""
        self.tried(lambda store: store.save_service_answer(key, text), None)
