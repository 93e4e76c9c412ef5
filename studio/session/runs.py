"""The runs of one file: what the author does with them.

Loaded behind the first frame: it brings what evaluates and scores.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.evaluation.events import Delta, Event
from engine.evaluation.sources import Candidate, unique_keys
from engine.models.prices import own_prices
from engine.text.spans import Span
from studio.session.analysis import Analysis
from studio.session.answer_choice import AnswerChoice
from studio.session.answer_edits import AnswerEdits
from studio.session.cache import Cache
from studio.session.case_file_edits import CaseFileEdits
from studio.session.changes import Change, Listener
from studio.session.criterion_loop import CriterionLoop
from studio.session.evaluator import Evaluator
from studio.session.evidence_search import EvidenceSearch
from studio.session.expected_scores import ExpectedScores
from studio.session.last_runs import LastRuns
from studio.session.live_cases import LiveCases
from studio.session.model_grid import ModelGrid
from studio.session.new_cases import NewCases
from studio.session.overview import BlueprintOverview
from studio.session.prompt_history import PromptHistory, past_run
from studio.session.repeats import Repeats
from studio.session.rescoring import Rescoring
from studio.session.restored_answers import RestoredAnswers
from studio.session.result_export import export_results
from studio.session.run import Run
from studio.session.run_comparison import RunComparison
from studio.session.run_configuration import RunConfiguration
from studio.session.run_consent import AuthorApproval
from studio.session.run_launcher import RunLauncher
from studio.session.run_queue import Progress, RunQueue
from studio.session.run_selection import RunSelection
from studio.session.run_starts import RunStarts
from studio.session.run_views import RunViews
from studio.session.second_run import SecondRuns
from studio.session.session_context import SessionContext
from studio.session.shown_record import ShownRecord
from studio.session.side_by_side import SideBySide
from studio.session.stored_models import StoredModels
from studio.session.what_if import WhatIf
from studio.session.written_answers import WrittenAnswers

if TYPE_CHECKING:
    from engine.scoring.assessment import Grade
    from engine.store import PastRun
    from studio.session.blind_grading import BlindGrading

_PUBLISH_SECONDS = 0.05
"""While several prompts run, changes of their runs are published at most this often."""
_TICK_SECONDS = 1.0


class Runs:
    """Configures, begins, shows, edits and saves the runs of one file."""

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._document = context.document
        self._host = context.host
        self._tasks = context.tasks
        self._changes = context.changes
        configuration = self.configuration = RunConfiguration(context)
        selection = self.selection = RunSelection(context.document, configuration, context.changes)
        self.queue = RunQueue(context.tasks, self._run_changed, self._all_ended)
        cache = Cache(context.resources.store, context.database_messages.report)
        evaluator = Evaluator(cache, context.resources.javascript, judges_as=lambda: configuration.judges_as)
        self._cache, self._evaluator = cache, evaluator
        approval = AuthorApproval(context.host, context.resources.settings)
        launcher = RunLauncher(evaluator, self.queue, approval, self._starting)
        starts = self._starts = RunStarts(context, selection, configuration, self.queue, launcher, approval)
        shown = self.shown = ShownRecord(context)
        self.rescoring = Rescoring(context, selection, evaluator)
        self.edits = AnswerEdits(context, selection, self.rescoring, self.queue, cache, starts.continue_run)
        self.second_runs = SecondRuns(context, cache, shown)
        self.comparison = RunComparison(context, selection, configuration, cache, evaluator, shown, starts.new_run)
        self.case_file = CaseFileEdits(context)
        self.cases = NewCases(context, selection, cache, self.case_file)
        self.live_cases = LiveCases(context, configuration, cache, shown)
        self.case_file.changed = self.live_cases.verdicts_came
        self._grading: BlindGrading | None = None
        self.expected = ExpectedScores(context, selection)
        self.last = LastRuns(context)
        self._restored = RestoredAnswers(context, selection, self.rescoring, starts.new_run, self.last)
        self.history = PromptHistory(context, selection, self.rescoring)
        self.repeats = Repeats(context, configuration, cache, starts.new_run, starts.has_answer, self.history, shown)
        self.criterion = CriterionLoop(
            context,
            selection,
            configuration,
            self.rescoring,
            cache,
            starts.before_run,
            shown,
            self.case_file,
        )
        self.side_by_side = SideBySide(context, selection, configuration, cache, self.case_file, shown)
        self._written = WrittenAnswers(context, selection)
        self.evidence = EvidenceSearch(context)
        self._stored_models = StoredModels(context, evaluator)
        self._overview = BlueprintOverview(context, selection, self.last)
        self.what_if = WhatIf(context, selection, configuration, self.rescoring, cache, self.evidence)
        self.views = RunViews(
            context.document,
            configuration,
            selection,
            self.queue,
            self.history,
            self._overview,
            self.expected,
            ModelGrid(context.document, configuration, selection, shown, self.last),
            self.evidence,
            self.last,
            self.live_cases,
            self._stored_models,
        )

    async def begin(self) -> None:
        """Load what is remembered of this file, and find out what is available here."""
        self.views.own_prices = await asyncio.to_thread(own_prices)
        await self.configuration.restore()
        await self.shown.begin()
        await self._written.restore()
        await self.edits.drafts.restore()
        self._tasks.start("last runs", self._show_last())
        self.live_cases.verdicts_came()
        if self._document.analysis is not None:
            self.rescoring.follow(self._document.analysis)

    async def _show_last(self) -> None:
        """Show what the answers of the last runs score by now, those to other prompts than the one shown too."""
        await self.last.read()
        if self.last.is_known and (analysis := self._document.analysis) is not None:
            await self._restored.restore_all(analysis, [self.configuration.candidate(analysis.header)])

    def close(self) -> None:
        """Stop all runs."""
        self.queue.abandon()
        self.repeats.stop()

    # --- Running

    def run_or_stop(self, *, fresh: bool = False) -> None:
        """Run the prompt under the cursor with every candidate; if anything is running, stop it.

        `fresh` asks models again, whatever is cached.
        """
        self._starts.run_or_stop(fresh=fresh)

    def run_all_or_stop(self) -> None:
        """Run every prompt with the candidate that is shown; if anything is running, stop it."""
        self._starts.run_all_or_stop()

    def judge_or_stop(self) -> None:
        """Have the open points of the answer that is shown judged; if anything is running, stop it."""
        self._starts.judge_or_stop()

    async def preview(self, *, all_prompts: bool) -> None:
        """Show what a run of the prompt under the cursor, or of all prompts, would send. Sends nothing."""
        await self._starts.preview(all_prompts=all_prompts)

    def new_run(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> Run:
        """A run of `prompt` that has not started."""
        return self._starts.new_run(analysis, prompt, candidate)

    # --- What is run, and which run is shown

    async def choose_answers(self) -> AnswerChoice | None:
        """Ask where answers come from; the new choice, None if the present one stays."""
        return await self._starts.choose_answers()

    async def choose_judges(self) -> None:
        """Ask which judges grade points in words."""
        if await self.configuration.ask_judges(self._analysis.header):
            self.selection.close_all()
            self.rescoring.all_again(self._analysis.blueprint)
            self.live_cases.verdicts_came()

    def show_next_candidate(self) -> None:
        """Show the results of the next candidate."""
        self.selection.close_all()
        self.configuration.show_next(self._analysis.header)

    @property
    def prompt_name(self) -> str:
        """The unique name of the prompt that is shown; "" in the header."""
        prompt = self.selection.prompt
        return "" if prompt is None else unique_keys(self._analysis.blueprint.prompts)[prompt.index]

    def show_cell(self, name: str, key: str) -> Prompt | None:
        """Show the results of the candidate with this key for the prompt with this unique name, and return the prompt.

        None if there is no such prompt any more.
        """
        prompts = self._analysis.blueprint.prompts
        names = unique_keys(prompts)
        prompt = next((each for each in prompts if names[each.index] == name), None)
        if prompt is None:
            return None
        self.selection.close_all()
        if not self.configuration.show(self._analysis.header, key):
            run = self.selection.newest(self._analysis.place(prompt), key)
            if run is not None:
                self.selection.open(run)
        return prompt

    def restore_all(self) -> None:
        """Show the saved answers to all prompts, for the grid. Nothing is sent."""
        analysis = self._analysis
        candidates = self.configuration.candidates(analysis.header)
        self._tasks.start("grid", self._restored.restore_all(analysis, candidates, others=True), exclusive=True)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with each set of changes of the session, until the returned function is called."""
        return self._changes.subscribe(listener)

    def show_candidate(self, key: str) -> None:
        """Show the results of the candidate with this key."""
        if self.configuration.show(self._analysis.header, key):
            self.selection.close_all()

    async def open_past(self, past: PastRun) -> bool:
        """Show an earlier run of the prompt that is shown, scored by the present rubric; whether it has an answer."""
        prompt, analysis = self.selection.prompt, self._analysis
        if prompt is None:
            return False
        return await self.history.open(
            past_run(self.new_run(analysis, prompt, past.candidate), past), analysis.blueprint
        )

    def close_opened(self) -> None:
        """Go back from an earlier run to the newest one."""
        self.selection.close()

    def write(self, text: str) -> None:
        """Set the author's own answer to the prompt that is shown."""
        if self.selection.place is not None:
            self.selection.write(self.selection.place, text)
            self._written.save_soon()

    async def save_written(self) -> None:
        """Save the author's own answers now, up to the last `write`."""
        await self._written.save()
        await self.edits.drafts.save()

    def select(self, point: int | None, evidence: tuple[Span, ...] = ()) -> None:
        """Select a row of the result: a point by its place in `Prompt.points()`, or the evidence of another row."""
        self.selection.select_row(point, evidence)

    async def grade(self, index: int, grade: Grade | None) -> None:
        """Grade a point of the run that is shown, by its place in `Prompt.points()`; None removes the grade."""
        await self.rescoring.grade(index, grade)
        await self.criterion.grades_changed()
        self.live_cases.verdicts_came()

    async def blind_grading(self) -> BlindGrading:
        """A sitting of blind grading over all prompts."""
        if self._grading is None:
            await asyncio.to_thread(importlib.import_module, "studio.session.blind_grading")
            from studio.session.blind_grading import BlindGrading

            self._grading = BlindGrading(self._context, self.selection, self.rescoring, self.shown)
        await self._grading.begin()
        return self._grading

    async def export(self) -> None:
        """Write the results as a result file of Weval, to a place that the author chooses."""
        await export_results(
            self._analysis,
            self.selection,
            self._document.path,
            self._context.resources.javascript,
            self._host,
            collections=self._context.collections,
        )

    async def report(self) -> None:
        """Write a report of the file to a place that the author chooses."""
        from studio.session.report_results import write_report

        await write_report(self._context, self._cache, self._evaluator, self.shown)

    async def open_published(self, path: Path) -> None:
        """Show the results in the file at `path` for every prompt; if it has several models, ask which."""
        from studio.session.published_results import ask_for_source

        source = await ask_for_source(self._host, path)
        if source is not None:
            await self.configuration.choose(AnswerChoice((source,)))
            self.run_all_or_stop()

    # --- Following what changes

    def follow(self, changed: frozenset[Change]) -> None:
        """Look up saved answers, history and evidence of the prompt that is shown now."""
        analysis = self._document.analysis
        if analysis is None or changed <= {Change.STREAM, Change.FILE, Change.CRITERION}:
            return
        self.what_if.follow()
        if changed & {Change.ANALYSIS} and analysis.complete and self._document.is_current:
            self.rescoring.follow(analysis)
            self.live_cases.follow(analysis)
        prompt, run = self.selection.prompt, self.selection.run
        if prompt is None:
            self._overview.follow(analysis)
        else:
            self.live_cases.cases_shown(prompt.index)
            for candidate in self.configuration.candidates(analysis.header):
                self._restored.request(analysis, prompt, candidate)
        if run is not None:
            self._stored_models.follow(analysis, run.prompt)
            self.evidence.request(run)
        self.history.follow()
        self.criterion.follow(changed)
        if run is not None:
            self._mark(run, read=False)

    def answer_shown(self) -> None:
        """Record that the answer to the prompt under the cursor is on the screen."""
        if (run := self.selection.run) is not None:
            self._mark(run, read=True)

    def _mark(self, run: Run, *, read: bool) -> None:
        if run.response is not None and not run.running:
            self.shown.mark(run.place, [run.response.subject], read=read)

    def _run_changed(self, run: Run, event: Event | None) -> None:
        if isinstance(event, Delta):
            self.selection.put(run, change=Change.STREAM)
            return
        self.selection.put(run, within=0.0 if self.progress is None else _PUBLISH_SECONDS)
        self.history.follow_run(run, event)
        self._mark(run, read=False)  # its score is in the outline, whichever prompt is shown

    def _starting(self, runs: Sequence[Run]) -> None:
        self.selection.begin(runs)
        self._tasks.start("clock", self._tick(), exclusive=True)

    async def _tick(self) -> None:
        """Publish a change every second, for the time left, while runs are in progress."""
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            if not self.queue.is_running:
                return
            self._changes.publish(Change.FILE)

    def _all_ended(self) -> None:
        self.live_cases.verdicts_came()
        self._changes.publish(Change.RUNS)

    @property
    def _analysis(self) -> Analysis:
        assert self._document.analysis is not None
        return self._document.analysis

    @property
    def progress(self) -> Progress | None:
        """How far the runs have come; None unless several are in progress."""
        progress = self.queue.progress
        return progress if progress is not None and progress.total > 1 else None
