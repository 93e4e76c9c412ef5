"""The runs of one file: what the author does with them, and what panes are given of them.

Loaded behind the first frame: it brings what evaluates and scores.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.evaluation.candidates import Candidate
from engine.evaluation.events import Delta, Event
from engine.evaluation.sources import AnswerSource, IdealSource, WrittenSource
from engine.providers.prices import OwnPrices, own_prices
from engine.store import StoreUnavailable, rubric_digest
from engine.text import Span
from engine.tool_use import policy_of
from studio.session.analysis import Analysis
from studio.session.answer_choice import AnswerChoice, label_of
from studio.session.answer_edits import AnswerEdits
from studio.session.cache import Cache
from studio.session.changes import Change, ChangeStream
from studio.session.closest_search import ClosestSearch
from studio.session.document import Document
from studio.session.evaluator import Evaluator
from studio.session.history import RunHistory, SavedAnswers, past_run
from studio.session.host import Host, Severity
from studio.session.overview import BlueprintOverview
from studio.session.rescoring import Rescoring
from studio.session.resources import Resources
from studio.session.result_export import export_results
from studio.session.run import Edited, Run
from studio.session.run_configuration import RunConfiguration
from studio.session.run_consent import AuthorApproval
from studio.session.run_launcher import Launch, RunLauncher
from studio.session.run_queue import Progress, RunQueue
from studio.session.run_selection import RunSelection
from studio.session.session_tasks import Tasks
from studio.session.views.conversation_view import ConversationView, conversation_view
from studio.session.views.history_view import HistoryView, NoHistory
from studio.session.views.latest import Latest, Same
from studio.session.views.overview_view import Overview, PromptStanding
from studio.session.views.response_view import Evidence, NoResponse, ResponseView, WrittenResponse, response_view
from studio.session.views.result_view import NoResult, ResultView, fixable_places, is_stale, result_view
from studio.session.views.totals import total_texts

if TYPE_CHECKING:
    from engine.closest_sentence import Encoder
    from engine.scoring.assessment import Grade
    from engine.store import PastRun

_TOGETHER_SECONDS = 0.05
"""While many prompts run, what shows them all is another at most this often."""
_TICK_SECONDS = 1.0
_RUN_HERE = "Put the cursor into a prompt: F5 runs it."
_NO_RUN_YET = "No run of this prompt yet. F5 runs it; each run stays here with its answer and its score."


class Runs:
    """Configures, begins, shows, edits and saves the runs of one file."""

    def __init__(
        self,
        document: Document,
        resources: Resources,
        host: Host,
        tasks: Tasks,
        changes: ChangeStream,
        *,
        collections: Path | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        self._document = document
        self._resources = resources
        self._host = host
        self._tasks = tasks
        self._changes = changes
        self._collections = collections
        self._loop = asyncio.get_running_loop()
        self._own_prices = OwnPrices({})
        self.configuration = RunConfiguration(document, resources.settings, host, changes)
        self.selection = RunSelection(document, self.configuration, changes)
        self.queue = RunQueue(tasks, self._went_on, self._ended)
        cache = Cache(resources.store, self._report)
        evaluator = Evaluator(cache, resources.javascript)
        self._approval = AuthorApproval(host, resources.settings)
        self._launcher = RunLauncher(evaluator, self.queue, self._approval, self._begins)
        self.rescoring = Rescoring(document, self.selection, evaluator, resources, tasks, host)
        self.edits = AnswerEdits(document, self.selection, self.rescoring, self.queue, cache, host, self._go_on)
        self._saved_answers = SavedAnswers(self.selection, self.rescoring, resources, tasks, host, self.run_of)
        self.history = RunHistory(self.selection, self.rescoring, resources, tasks, host, changes)
        self.closest = ClosestSearch(tasks, host, changes, encoder)
        self._overview = BlueprintOverview(document, self.selection, tasks, changes, collections=collections)
        self._selected: tuple[int | None, tuple[Span, ...]] = (None, ())
        self._scores = Latest[tuple[str, ...]]()
        self._result = Latest[NoResult | ResultView]()
        self._response = Latest[ResponseView]()
        self._conversation = Latest[ConversationView]()
        self._history_view = Latest[NoHistory | HistoryView]()

    async def begin(self) -> None:
        """Find out what is remembered of this file, and what can be had here."""
        self._own_prices = await asyncio.to_thread(own_prices)
        await self.closest.begin()
        await self.configuration.restore()

    def close(self) -> None:
        """Stop what runs."""
        self.queue.abandon()
        self.closest.close()

    # --- Running

    def run_or_stop(self, *, fresh: bool = False) -> None:
        """Run the prompt under the cursor with every candidate; where anything goes on, stop that.

        `fresh` asks models again, whatever is cached.
        """
        if not self.queue.stop():
            self._tasks.start("launch", self._run(fresh=fresh), exclusive=True)

    async def _run(self, *, fresh: bool) -> None:
        analysis, prompt = self._known, self._document.prompt
        if prompt is None:
            self._host.notify(_RUN_HERE, seconds=3)
            return
        if self.configuration.answers is None and prompt.ideal is None:
            answers = await self.choose_answers()
            if answers is None or self.selection.is_writing:
                return
        candidates = self.configuration.candidates(analysis.header)
        await self._launch(analysis, [replace(run, fresh=fresh) for run in self._runs(analysis, [prompt], candidates)])

    def run_all_or_stop(self) -> None:
        """Run every prompt with the candidate that is shown; where anything goes on, stop that."""
        if not self.queue.stop():
            self._tasks.start("launch", self._run_all(), exclusive=True)

    async def _run_all(self) -> None:
        analysis = self._known
        candidate = self.configuration.candidate(analysis.header)
        prompts = analysis.blueprint.prompts
        runnable = [prompt for prompt in prompts if self._has_answer(analysis, prompt, candidate.source)]
        if left_out := len(prompts) - len(runnable):
            what = "ideal" if isinstance(candidate.source, IdealSource) else "answer of yours"
            these = "1 prompt has" if left_out == 1 else f"{left_out} prompts have"
            self._host.notify(f"{these} no {what}, and no score from it.")
        await self._launch(analysis, self._runs(analysis, runnable, (candidate,)))

    def judge_or_stop(self) -> None:
        """Ask the judges about what is open in the answer that is shown; where anything goes on, stop that.

        The answer stays, whoever gave it: nobody is asked for another.
        """
        if self.queue.stop():
            return
        run = self.selection.run
        if run is None or run.response is None or run.running:
            self._host.notify("There is no answer to judge yet: F5 runs the prompt.", seconds=3)
        elif run.response.withheld:
            self._host.notify(
                "This answer was withheld by the provider's safety filter: it is not judged. F5 asks again."
            )
        elif self.configuration.judges_as is None:
            self._host.notify("Choose judges first: w in the result.", seconds=3)
        else:
            again = replace(run, running=True, restored=False, failed=None)
            self._tasks.start("launch", self._judge(self._known, again), exclusive=True)

    async def _judge(self, analysis: Analysis, run: Run) -> None:
        panel = self.configuration.panel(analysis.blueprint)
        if panel is not None:
            await self._launcher.judge(Launch(analysis.blueprint, [run], panel))

    async def _launch(self, analysis: Analysis, runs: Sequence[Run]) -> None:
        panel = self.configuration.panel(analysis.blueprint)
        await self._launcher.run(Launch(analysis.blueprint, runs, panel))

    async def _go_on(self, prompt: Prompt, run: Run, prefilled: tuple[str, ...], edited: Edited | None) -> None:
        """Ask the candidate of `run` for the turns that follow `prefilled`, of which some may be `edited`."""
        analysis = self._known
        new = self.run_of(analysis, prompt, run.candidate)
        new = replace(new, prefilled=prefilled, prefilled_stops=run.prefilled_stops, edited=edited, fresh=True)
        await self._launch(analysis, [new])

    async def preview(self, *, all_prompts: bool) -> None:
        """Show what a run of the prompt under the cursor would send, or of all. Nothing is sent."""
        analysis = self._known
        prompt = None if all_prompts else self._document.prompt
        if prompt is not None:
            runs = self._runs(analysis, [prompt], self.configuration.candidates(analysis.header))
        else:
            candidate = self.configuration.candidate(analysis.header)
            runs = self._runs(analysis, analysis.blueprint.prompts, (candidate,))
        panel = self.configuration.panel(analysis.blueprint)
        planned = await self._launcher.preview(Launch(analysis.blueprint, runs, panel))
        await self._approval.show(planned.plan)

    def run_of(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> Run:
        """A run of `prompt`, about to begin."""
        place = analysis.place(prompt)
        if isinstance(candidate.source, WrittenSource):
            candidate = replace(candidate, source=WrittenSource(self.selection.written(place)))
        return Run(place, prompt, prompt.span.of(analysis.parsed.text), analysis.revision, candidate)

    def _runs(self, analysis: Analysis, prompts: Iterable[Prompt], chosen: Iterable[Candidate]) -> list[Run]:
        several = tuple(chosen)
        return [self.run_of(analysis, prompt, candidate) for prompt in prompts for candidate in several]

    def _has_answer(self, analysis: Analysis, prompt: Prompt, source: AnswerSource) -> bool:
        match source:
            case IdealSource():
                return prompt.ideal is not None
            case WrittenSource():
                return bool(self.selection.written(analysis.place(prompt)).strip())
            case _:
                return True

    # --- What is run, and which run is shown

    async def choose_answers(self) -> AnswerChoice | None:
        """Ask where answers come from; what was chosen, None where it stays as it is."""
        prompt = self._document.prompt
        chosen = await self.configuration.ask(has_ideal=prompt is None or prompt.ideal is not None)
        if chosen is not None:
            self.selection.close_all()
        return chosen

    async def choose_judges(self) -> None:
        """Ask who judges points in words."""
        if await self.configuration.ask_judges(self._known.header):
            self.selection.close_all()

    def show_next_candidate(self) -> None:
        """Show the results of the next candidate."""
        self.selection.close_all()
        self.configuration.show_next(self._known.header)

    def show_candidate(self, key: str) -> None:
        """Show the results of the candidate with this key."""
        if self.configuration.show(self._known.header, key):
            self.selection.close_all()

    async def open_past(self, past: PastRun) -> bool:
        """Show an earlier run of the prompt that is shown, scored by the rubric of today; whether it has an answer."""
        prompt, analysis = self.selection.prompt, self._known
        if prompt is None:
            return False
        return await self.history.open(
            past_run(self.run_of(analysis, prompt, past.candidate), past), analysis.blueprint
        )

    def close_opened(self) -> None:
        """Go back from an earlier run to the newest one."""
        self.selection.close()

    def write(self, text: str) -> None:
        """The author's own answer to the prompt that is shown."""
        if self.selection.place is not None:
            self.selection.write(self.selection.place, text)

    def select(self, point: int | None, evidence: tuple[Span, ...] = ()) -> None:
        """A row of the result is selected: a point by its place in `Prompt.points()`, or what another row rests on."""
        self._selected = point, evidence
        self._changes.publish(Change.RUNS)

    async def grade(self, index: int, grade: Grade | None) -> None:
        """Grade a point of the run that is shown, by its place in `Prompt.points()`; None takes the grade back."""
        await self.rescoring.grade(index, grade)

    async def export(self) -> None:
        """Write what was run as one of Weval's result files, where the author says."""
        await export_results(
            self._known,
            self.selection,
            self._document.path,
            self._resources.javascript,
            self._host,
            collections=self._collections,
        )

    async def open_published(self, path: Path) -> None:
        """Show the result file at `path` for every prompt, after asking whose answers where there are several."""
        from studio.session.published_results import ask_for_model, read_for_author

        file = await read_for_author(self._host, path)
        source = None if file is None else await ask_for_model(self._host, file)
        if source is not None:
            await self.configuration.choose(AnswerChoice((source,)))
            self.run_all_or_stop()

    # --- Following what changes

    def follow(self, changed: frozenset[Change]) -> None:
        """Look for what is to be had of the prompt that is shown now."""
        analysis = self._document.analysis
        if analysis is None or changed <= {Change.STREAM, Change.FILE}:
            return
        if changed & {Change.ANALYSIS} and analysis.complete and self._document.is_current:
            self.rescoring.follow(analysis)
        prompt, run = self.selection.prompt, self.selection.run
        if prompt is None:
            self._overview.follow(analysis)
        else:
            for candidate in self.configuration.candidates(analysis.header):
                self._saved_answers.want(analysis, prompt, candidate)
        if run is not None:
            self.closest.want(run)
        self.history.follow()

    def _went_on(self, run: Run, event: Event | None) -> None:
        if isinstance(event, Delta):
            self.selection.put(run, change=Change.STREAM)
            return
        self.selection.put(run, within=0.0 if self.progress is None else _TOGETHER_SECONDS)
        self.history.run_went_on(run, event)

    def _begins(self, runs: Sequence[Run]) -> None:
        self.selection.begin(runs)
        self._tasks.start("ticking", self._tick(), exclusive=True)

    async def _tick(self) -> None:
        """The time left is shown while several runs are in progress."""
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            if not self.queue.is_running:
                return
            self._changes.publish(Change.FILE)

    def _ended(self) -> None:
        self._changes.publish(Change.RUNS)

    def _report(self, error: StoreUnavailable) -> None:
        """Trouble with the database, from any thread."""
        self._loop.call_soon_threadsafe(partial(self._host.notify, str(error), Severity.WARNING))

    @property
    def _known(self) -> Analysis:
        assert self._document.analysis is not None
        return self._document.analysis

    # --- Views

    @property
    def progress(self) -> Progress | None:
        """How far the runs have come, where several go on."""
        progress = self.queue.progress
        return progress if progress is not None and progress.total > 1 else None

    def standings(self) -> tuple[PromptStanding, ...]:
        """How the prompts of the file stand with the candidate that is shown; none where nothing was run."""
        return self.overview().prompts if self.selection.any else ()

    def overview(self) -> Overview:
        """The blueprint as a whole."""
        analysis = self._known
        candidate = self.configuration.candidate(analysis.header)
        return self._overview.of(analysis, candidate.key, candidate.label, is_running=self.queue.is_running)

    def scores(self) -> tuple[str, ...]:
        """The score of the file in words, then in fewer and fewer; none where nothing was scored."""
        if not self.selection.any:
            return ()
        overview = self.overview()
        total = overview.total
        return self._scores.of(
            (Same(overview),), lambda: total_texts(total.headline, len(total.scored), overview.prompt_count)
        )

    def result(self) -> Overview | NoResult | ResultView:
        """The result of the prompt under the cursor, or of the blueprint as a whole."""
        analysis, prompt, run = self._known, self.selection.prompt, self.selection.run
        if prompt is None:
            return self.overview()
        if run is None:
            answers = label_of(self.configuration.candidates(analysis.header))
            teaching = f"F5 runs this prompt with {answers}. F9 chooses other answers."
            return self._result.same(NoResult(prompt.id, teaching))
        chosen = self.configuration.candidates(analysis.header)
        place = analysis.place(prompt)
        beside = [(each, self.selection.newest(place, each.key)) for each in chosen] if len(chosen) > 1 else []
        closest, is_searching = self.closest.of(run), self.closest.is_searching(run)
        version = (
            run.number,
            is_stale(analysis, prompt, run),
            fixable_places(analysis, prompt),
            tuple((each.key, other and other.number) for each, other in beside),
            Same(closest),
            is_searching,
            policy_of(run.prompt, analysis.header),
        )
        make = partial(result_view, analysis, prompt, run, beside, closest, self._own_prices, is_searching=is_searching)
        return self._result.of(version, make)

    def response(self) -> ResponseView:
        """The answer of the prompt under the cursor."""
        analysis, prompt, place = self._known, self.selection.prompt, self.selection.place
        if prompt is None or place is None:
            return self._response.same(NoResponse(_RUN_HERE))
        if self.selection.is_writing:
            return self._response.same(
                WrittenResponse(place, self.selection.written(place), self.selection.times_loaded)
            )
        answers = label_of(self.configuration.candidates(analysis.header))
        run = self.selection.run
        view = response_view(prompt, run, answers, self._evidence(run), analysis.header, self._own_prices)
        return self._response.same(view)

    def conversation(self) -> ConversationView | None:
        """The conversation of the prompt under the cursor; None in the header."""
        analysis, prompt = self._known, self.selection.prompt
        if prompt is None:
            return None
        variant = self.configuration.candidate(analysis.header).variant
        return self._conversation.same(conversation_view(prompt, self.selection.run, variant, analysis.header))

    def history_view(self) -> NoHistory | HistoryView:
        """The earlier runs of the prompt under the cursor."""
        prompt, found, run = self.selection.prompt, self.history.found, self.selection.run
        if prompt is None:
            return self._history_view.same(NoHistory("Header", _RUN_HERE))
        if found is None or not found.runs:
            return self._history_view.same(NoHistory(prompt.id, _NO_RUN_YET))
        rubric = rubric_digest(prompt)
        opened = None if run is None or run.past is None else run.past.number
        version = (prompt.id, Same(found), rubric, opened)
        return self._history_view.of(version, lambda: HistoryView(prompt.id, found, rubric, opened))

    def _evidence(self, run: Run | None) -> Evidence:
        """What the selected row of the result of `run` rests on."""
        point, found = self._selected
        if run is None or run.response is None:
            return Evidence()
        if point is not None and point < len(run.assessments):
            found = run.assessments[point].evidence
        if found or point is None:
            return Evidence(tuple(found))
        closest = self.closest.span(run, point)
        return Evidence(closest, bool(closest))

    def revision_shown(self) -> int | None:
        """The revision of the text that the shown run was made from; in the header, the one that is known."""
        if self.selection.prompt is None:
            return None if self._document.analysis is None else self._document.analysis.revision
        run = self.selection.run
        return None if run is None else run.revision
