"""Evaluating runs with V8, and with answers, verdicts and grades in the database, whose errors stop no run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from engine.asking.exchanges import CacheLookup, Job
from engine.asking.planner import NO_ACCESS, Access, Approval, PlannedRuns, UnjudgedAnswer, Wanted
from engine.blueprint import Blueprint, Header, Prompt
from engine.blueprint.conversation import subject_text
from engine.evaluation.answer_stream import AnswerCache, CachedAnswer
from engine.evaluation.events import Event, Failed, Response, Scored
from engine.evaluation.point_assessment import Grades, uses_service
from engine.evaluation.prompt_evaluation import IdealScores, Scoring, Services, evaluate, ideal_score, rescore
from engine.evaluation.sources import AnswerSource, ControlSource, IdealSource, ModelSource, WrittenSource
from engine.evaluation.verdicts import Judges, KnownVerdicts, is_open
from engine.judging.judge_prompt import questions
from engine.judging.judge_runner import JudgeAnswered, JudgingEvent
from engine.judging.panel import JudgesAs, OneJudge, Panel, panel
from engine.store import PromptPlace, Store, StoreUnavailable, recorded
from engine.study.case_reader import GoodAnswers
from engine.study.case_scoring import CaseCheck, recorded_grades, recorded_in, recorded_verdicts
from engine.study.criterion_counts import Freshness, freshness
from engine.text.record import Record, replace
from studio.session.run import Run
from studio.session.state import Tasks

if TYPE_CHECKING:
    from engine.functions.tasks import TaskRunner
    from engine.functions.v8 import JavaScript
    from engine.judging.judgement import Judgement
    from engine.models.chat import Resolve
    from engine.scoring.assessment import Criterion, Grade
    from engine.scoring.explanation import IdealScore

Value = TypeVar("Value")
Other = TypeVar("Other")
GradeLookup: TypeAlias = Callable[[PromptPlace, str], Grades]
"""The grades of an answer, the subject text, to a prompt. Called in threads; may block."""
Evaluate: TypeAlias = Callable[[Run, asyncio.Event], AsyncGenerator[Event]]
"""The events of one run; they end soon after the `asyncio.Event` is set."""
AT_ONCE = 16
"""How many runs are in progress at the same time. Each provider limits its own requests."""
_GROUP = "runs"


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

    def mark_shown(self, answers: Iterable[tuple[PromptPlace, str]]) -> None:
        """Record, if possible, that these answers or verdicts on them are shown now. Blocks."""
        if shown := [(place, subject, True) for place, subject in answers]:
            self.tried(lambda store: store.mark_shown(shown), None)

    def mark_texts_shown(self, subjects: Iterable[str]) -> None:
        """Record, if possible, that these texts are shown now, for every prompt that has them as answers. Blocks."""
        self.mark_shown(self.tried(lambda store: store.places_of(subjects), ()))

    def freshness(self, place: PromptPlace, prompt: Prompt, header: Header) -> Freshness | None:
        """Which labelled answers to a prompt are fresh; None where that cannot be read. Blocks."""
        return self.tried(
            lambda store: freshness(prompt, header, store.first_shown(place), store.wordings_since(place)), None
        )

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


class Launch(Record):
    """Runs to start together. `panel` judges points in words; None for no judges.

    Of a run that has its answer the open points are judged, and no other answer is requested.
    """

    blueprint: Blueprint
    runs: Sequence[Run]
    panel: Panel | None


class Evaluator:
    """Evaluates runs of one file. Errors of the database stop none of them."""

    def __init__(
        self,
        cache: Cache,
        javascript: Callable[[], JavaScript],
        *,
        judges_as: Callable[[], JudgesAs | OneJudge | None] = lambda: None,
        judge_again: bool = False,
        grades: GradeLookup | None = None,
    ) -> None:
        """`judges_as` is the panel whose verdicts count, None for the documented one. `judge_again`: judges are asked
        whatever is cached.

        `grades` finds those that count in the score of an answer, by default the author's in the database.
        """
        self._cache = cache
        self._javascript = javascript
        self._judges_as = judges_as
        self._judge_again = judge_again
        self.grades: GradeLookup = cache.grades if grades is None else grades

    def wanted(self, launch: Launch) -> Wanted:
        """What the runs of `launch` ask for."""
        jobs = [self._job(run, launch) for run in launch.runs]
        return Wanted(launch.blueprint, jobs, launch.panel, CacheLookup(self._cache.answer))

    def _job(self, run: Run, launch: Launch) -> Job:
        """The job of one of the runs: an answer, or judging the open points of an existing one."""
        settled = (index for index, each in enumerate(run.assessments) if not is_open(each) and not each.carried_over)
        answer, known = run.response, self._known(run, launch.blueprint.header, launch.panel)
        is_again = launch.panel is None or launch.panel.rounds > 1 or self._judge_again  # what is known does not count
        return Job(
            run.prompt,
            run.source if answer is None else WrittenSource(answer.subject),  # the plan counts only its judging
            run.candidate.variant,
            run.prefilled,
            None if answer is None else answer.thread,
            run.fresh or run.prompt.no_cache,
            frozenset(settled),
            partial(self.grades, run.place),
            None if known is None or is_again else lambda on: known(Response(subject_text(on), on)).cached,
        )

    def counted_panel(self, header: Header) -> Panel:
        """The judges whose verdicts count where none are asked."""
        return panel(header, self._judges_as() or JudgesAs.DOCUMENTED)

    async def run(self, run: Run, planned: PlannedRuns, stop: asyncio.Event) -> AsyncGenerator[Event]:
        """The events of a new run, which is saved as they arrive; of judging its answer if it has one already.

        A model gets only requests that are not cached, unless the run is `fresh`.
        """
        blueprint, panel = planned.wanted.blueprint, planned.wanted.panel
        source = run.source if run.response is None else run.answered
        scoring = self._scoring(run, blueprint, panel, planned.access)
        scoring["ideal"] = await self._ideal(run, blueprint, source, planned.ideals)
        scoring["stop"] = stop
        if panel is not None:
            scoring["judges"] = Judges(panel, planned.models, self._judge_again or panel.rounds > 1)
        if run.response is not None:
            events = rescore(run.prompt, source, run.response, header=blueprint.header, **scoring)
        else:
            is_fresh, is_model = run.fresh or run.prompt.no_cache, isinstance(source, ModelSource)
            events = evaluate(
                run.prompt,
                blueprint,
                source,
                providers=self._cache.providers(blueprint, planned.models, fresh=is_fresh) if is_model else None,
                variant=run.candidate.variant,
                prefilled=run.prefilled,
                prefilled_stops=run.prefilled_stops,
                **scoring,
            )
        candidate = replace(run.candidate, source=run.answered)
        store = await asyncio.to_thread(self._cache.tried, lambda store: store, None)
        if store is not None:
            header, report = blueprint.header, self._cache.report
            events = recorded(
                events, store, run.place, run.prompt, candidate, header=header, stop=stop, on_error=report
            )
        async with aclosing(events):
            async for event in events:
                match event:
                    case JudgeAnswered(_, judgement) if not judgement.reused:
                        await asyncio.to_thread(self._cache.save_judgement, judgement)
                    case Scored():
                        planned.spending.prompt_done()
                    case _:
                        pass
                yield event

    async def rescored(self, run: Run, blueprint: Blueprint, panel: Panel | None = None) -> Run:
        """`run` with the score of its answer by the rubric of its prompt; the same object if it cannot be scored.

        Sends nothing. Verdicts of `panel` count, by default of the one that would be asked.
        """
        assert run.response is not None
        source, now = run.answered, run
        scoring = self._scoring(run, blueprint, panel)
        scoring["ideal"] = await self._ideal(run, blueprint, source, IdealScores())
        if run.past is None and isinstance(source, IdealSource | ControlSource):
            events = evaluate(run.prompt, blueprint, source, **scoring)
        else:
            events = rescore(run.prompt, source, run.response, header=blueprint.header, **scoring)
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Scored | Failed):
                    now = run.after(event)
        return now

    async def _ideal(
        self, run: Run, blueprint: Blueprint, source: AnswerSource, ideals: IdealScores
    ) -> IdealScore | None:
        """The score of the ideal on the same rubric; None if the answer is the ideal, or there is none."""
        if isinstance(source, IdealSource) or run.prompt.ideal is None:
            return None
        scoring = self._scoring(run, blueprint)
        return await ideals.of(run.prompt, lambda: ideal_score(run.prompt, blueprint, **scoring))

    def _scoring(
        self, run: Run, blueprint: Blueprint, panel: Panel | None = None, access: Access | None = None
    ) -> Scoring:
        """What an answer to the prompt of `run` is scored with. Without `access`, of services cached replies count."""
        return Scoring(
            javascript=self._javascript(),
            grades=partial(self.grades, run.place),
            verdicts=self._known(run, blueprint.header, panel),
            services=self._cache.services(blueprint.header, run.prompt, access),
        )

    def _known(
        self, run: Run, header: Header, panel: Panel | None = None
    ) -> Callable[[Response], KnownVerdicts] | None:
        """The verdicts on an answer to the prompt of `run`: stored ones, those that the case file records, and its own.

        None without criteria.
        """
        place, prompt, judges = run.place, run.prompt, panel or self.counted_panel(header)
        if all(point.text is None for point in prompt.points()):
            return None

        def known(response: Response) -> KnownVerdicts:
            is_same = run.response is not None and run.response.subject == response.subject
            own = run.judgements.values() if is_same else ()
            stored = partial(self._cache.judgements, place)
            asked = questions(prompt, response.thread, header.description).values()
            recorded = recorded_verdicts(recorded_in(Path(place.blueprint)), asked, judges)
            return KnownVerdicts.on(prompt, header, response, judges, stored, recorded, chain(*own))

        return known


class Progress(Record):
    """The progress of runs that were started together `seconds` ago: `done` of `total`."""

    done: int
    total: int
    seconds: float

    @property
    def remaining(self) -> float | None:
        """The estimated seconds left, at the present rate; None if no run is done."""
        return self.seconds / self.done * (self.total - self.done) if self.done else None

    def __str__(self) -> str:
        text = f"{self.done} of {self.total}"
        return text if self.remaining is None else f"{text} · {duration(self.remaining)} left"


def duration(seconds: float) -> str:
    """`12 s`, `3 min`, `1.5 h`."""
    if seconds < 60:
        return f"{max(round(seconds), 1)} s"
    if seconds < 3600:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


class RunQueue:
    """Runs evaluations, at most `at_once` at the same time. Cancelling its tasks ends them without further calls."""

    def __init__(
        self,
        tasks: Tasks,
        on_change: Callable[[Run, Event | None], None],
        on_end: Callable[[], None],
        *,
        at_once: int | None = None,
    ) -> None:
        """`on_change` is called with a run after each event, and the event (None at its start).

        `on_end` is called when all runs have ended. Both are called on the event loop.
        """
        self._tasks = tasks
        self._on_change = on_change
        self._on_end = on_end
        self._at_once = AT_ONCE if at_once is None else at_once
        self._stop: asyncio.Event | None = None
        self._began = 0.0
        self._done = self._total = 0

    @property
    def is_running(self) -> bool:
        """Whether any run is in progress, or waits."""
        return self._stop is not None

    @property
    def progress(self) -> Progress | None:
        """The progress of the runs; None if nothing is running."""
        return Progress(self._done, self._total, time.monotonic() - self._began) if self.is_running else None

    def start(self, runs: Collection[Run], evaluate: Evaluate) -> None:
        """Start `runs`, in their order, unless others are in progress."""
        if not self.is_running and runs:
            self._stop, self._began, self._done, self._total = asyncio.Event(), time.monotonic(), 0, len(runs)
            self._tasks.start(_GROUP, self._all(runs, evaluate, self._stop))

    def stop(self) -> bool:
        """Ask the runs to end; whether there were any. What has arrived stays."""
        if self._stop is not None:
            self._stop.set()
        return self.is_running

    async def _all(self, runs: Collection[Run], evaluate: Evaluate, stop: asyncio.Event) -> None:
        free = asyncio.Semaphore(self._at_once)
        try:
            await asyncio.wait([self._tasks.start(_GROUP, self._one(run, evaluate, stop, free)) for run in runs])
        finally:
            self._stop = None
        self._on_end()

    async def _one(self, run: Run, evaluate: Evaluate, stop: asyncio.Event, free: asyncio.Semaphore) -> None:
        async with free:
            if stop.is_set():
                return
            self._on_change(run, None)
            async with aclosing(evaluate(run, stop)) as events:
                async for event in events:
                    run = run.after(event)
                    self._done += not run.running
                    self._on_change(run, event)


async def start_runs(launch: Launch, evaluator: Evaluator, queue: RunQueue, approval: Approval) -> PlannedRuns | None:
    """Start runs in `queue` once they are approved; their plan, None if they do not start."""
    planned = await approval.approve(evaluator.wanted(launch))
    if planned is not None:
        queue.start(launch.runs, lambda run, stop: evaluator.run(run, planned, stop))
    return planned
