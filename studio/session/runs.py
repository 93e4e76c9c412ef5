"""The runs of one file: what the author does with them.

Loaded behind the first frame: it brings what evaluates and scores.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.evaluation.events import Delta, Event
from engine.evaluation.sources import Candidate, unique_keys
from engine.files.user_settings import answer_drafts, save_answer_drafts, save_written_answers, written_answers
from engine.models.prices import OwnPrices, own_prices
from engine.text.spans import Span
from studio.session.analysis import Analysis
from studio.session.answer_edits import AnswerEdits
from studio.session.criterion_loop import CriterionLoop
from studio.session.evaluator import Evaluator
from studio.session.live_cases import LiveCases
from studio.session.new_cases import CaseFileEdits, NewCases
from studio.session.overview import BlueprintOverview, ModelGrid
from studio.session.parts import Part
from studio.session.prompt_history import PromptHistory, past_run
from studio.session.published_results import ask_for_source
from studio.session.repeats import Repeats
from studio.session.rescoring import Rescoring
from studio.session.restored_answers import EarlierRuns, RestoredAnswers, StoredModels
from studio.session.result_export import export_results
from studio.session.run import Run
from studio.session.run_comparison import RunComparison
from studio.session.run_configuration import AnswerChoice, RunConfiguration
from studio.session.run_consent import AuthorApproval
from studio.session.run_queue import Progress, RunQueue
from studio.session.run_selection import RunSelection
from studio.session.run_starts import RunLauncher, RunStarts
from studio.session.run_views import EvidenceSearch, ExpectedScores, RunViews
from studio.session.saved_texts import SavedTexts
from studio.session.second_run import SecondRuns
from studio.session.shown_record import ShownRecord
from studio.session.side_by_side import SideBySide
from studio.session.state import State
from studio.session.what_if import WhatIf

if TYPE_CHECKING:
    from engine.scoring.assessment import Grade
    from engine.store import PastRun
    from studio.session.blind_grading import BlindGrading
    from studio.session.session import Session

_PUBLISH_SECONDS = 0.05
"""While several prompts run, changes of their runs are published at most this often."""
_TICK_SECONDS = 1.0


class Runs(Part):
    """Configures, begins, shows, edits and saves the runs of one file."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.configuration = RunConfiguration(session)
        self.selection = RunSelection(session)
        self.queue = RunQueue(session.tasks, self._run_changed, self._all_ended)
        javascript = session.resources.javascript
        self.evaluator = Evaluator(session.cache, javascript, judges_as=lambda: self.state.choice.judges_as)
        approval = AuthorApproval(session.host, session.resources.settings)
        launcher = RunLauncher(self.evaluator, self.queue, approval, self._starting)
        self.starts = RunStarts(session, launcher, approval)
        self.shown = ShownRecord(session)
        self.rescoring = Rescoring(session)
        self.edits = AnswerEdits(session)
        self.second_runs = SecondRuns(session)
        self.comparison = RunComparison(session)
        self.case_file = CaseFileEdits(session)
        self.cases = NewCases(session)
        self.live_cases = LiveCases(session)
        self.expected = ExpectedScores(session)
        self.last = EarlierRuns(session)
        self._restored = RestoredAnswers(session)
        self.history = PromptHistory(session)
        self.repeats = Repeats(session)
        self.criterion = CriterionLoop(session)
        self.side_by_side = SideBySide(session)
        self.evidence = EvidenceSearch(session)
        self.stored_models = StoredModels(session)
        self.overview = BlueprintOverview(session)
        self.grid = ModelGrid(session)
        self.what_if = WhatIf(session)
        self.views = RunViews(session)
        failure = "The answer that you edit cannot be saved"
        self.drafts = SavedTexts(session, lambda state: state.drafts, answer_drafts, save_answer_drafts, failure)
        failure = "Your own answers cannot be saved"
        self._written = SavedTexts(session, lambda state: state.written, written_answers, save_written_answers, failure)
        self._grading: BlindGrading | None = None
        self.own_prices = OwnPrices({})
        """The prices in the author's settings."""

    async def restore(self) -> None:
        """Load what is remembered of this file, and find out what is available here."""
        self.own_prices = await asyncio.to_thread(own_prices)
        await self.configuration.restore()
        await self.shown.begin()
        self.selection.restore_written(await self._written.restored())
        self.edits.restore(await self.drafts.restored())

    def begin(self) -> None:
        """Begin what goes on once the runs are loaded."""
        self.effect("last runs", self._show_last())
        self.live_cases.verdicts_came()
        if self.state.analysis is not None:
            self.rescoring.follow(self.state.analysis)

    async def _show_last(self) -> None:
        """Show what the answers of the last runs score by now, those to other prompts than the one shown too."""
        await self.last.read()
        if self.last.is_known and (analysis := self.state.analysis) is not None:
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
        self.starts.run_or_stop(fresh=fresh)

    def run_all_or_stop(self) -> None:
        """Run every prompt with the candidate that is shown; if anything is running, stop it."""
        self.starts.run_all_or_stop()

    def judge_or_stop(self) -> None:
        """Have the open points of the answer that is shown judged; if anything is running, stop it."""
        self.starts.judge_or_stop()

    async def preview(self, *, all_prompts: bool) -> None:
        """Show what a run of the prompt under the cursor, or of all prompts, would send. Sends nothing."""
        await self.starts.preview(all_prompts=all_prompts)

    def new_run(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> Run:
        """A run of `prompt` that has not started."""
        return self.starts.new_run(analysis, prompt, candidate)

    # --- What is run, and which run is shown

    async def choose_answers(self) -> AnswerChoice | None:
        """Ask where answers come from; the new choice, None if the present one stays."""
        return await self.starts.choose_answers()

    async def choose_judges(self) -> None:
        """Ask which judges grade points in words."""
        if await self.configuration.ask_judges(self.analysis.header):
            self.selection.close_all()
            self.rescoring.all_again(self.analysis.blueprint)
            self.live_cases.verdicts_came()

    def show_next_candidate(self) -> None:
        """Show the results of the next candidate."""
        self.selection.close_all()
        self.configuration.show_next(self.analysis.header)

    @property
    def prompt_name(self) -> str:
        """The unique name of the prompt that is shown; "" in the header."""
        prompt = self.state.prompt
        return "" if prompt is None else unique_keys(self.analysis.blueprint.prompts)[prompt.index]

    def show_cell(self, name: str, key: str) -> Prompt | None:
        """Show the results of the candidate with this key for the prompt with this unique name, and return the prompt.

        None if there is no such prompt any more.
        """
        prompts = self.analysis.blueprint.prompts
        names = unique_keys(prompts)
        prompt = next((each for each in prompts if names[each.index] == name), None)
        if prompt is None:
            return None
        self.selection.close_all()
        if not self.configuration.show(self.analysis.header, key):
            run = self.selection.newest(self.analysis.place(prompt), key)
            if run is not None:
                self.selection.open(run)
        return prompt

    def restore_all(self) -> None:
        """Show the saved answers to all prompts, for the grid. Nothing is sent."""
        analysis = self.analysis
        candidates = self.configuration.candidates(analysis.header)
        self.effect("grid", self._restored.restore_all(analysis, candidates, others=True), exclusive=True)

    def show_candidate(self, key: str) -> None:
        """Show the results of the candidate with this key."""
        if self.configuration.show(self.analysis.header, key):
            self.selection.close_all()

    async def open_past(self, past: PastRun) -> bool:
        """Show an earlier run of the prompt that is shown, scored by the present rubric; whether it has an answer."""
        prompt, analysis = self.state.prompt, self.analysis
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
        if self.state.place is not None:
            self.selection.write(self.state.place, text)

    async def save_written(self) -> None:
        """Save the author's own answers now, up to the last `write`."""
        await self._written.save()
        await self.drafts.save()

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

            self._grading = BlindGrading(self.session)
        await self._grading.begin()
        return self._grading

    async def export(self) -> None:
        """Write the results as a result file of Weval, to a place that the author chooses."""
        await export_results(
            self.analysis,
            self.selection,
            self.state.path,
            self.resources.javascript,
            self.host,
            collections=self.session.collections_folder,
        )

    async def report(self) -> None:
        """Write a report of the file to a place that the author chooses."""
        from studio.session.report_results import write_report

        await write_report(self)

    async def open_published(self, path: Path) -> None:
        """Show the results in the file at `path` for every prompt; if it has several models, ask which."""
        source = await ask_for_source(self.host, path)
        if source is not None:
            await self.configuration.choose(AnswerChoice((source,)))
            self.run_all_or_stop()

    # --- Following what changes

    def follow(self, before: State, now: State) -> None:
        """Look up saved answers, history and evidence of the prompt that is shown now."""
        self._written.follow(before, now)
        self.drafts.follow(before, now)
        analysis = now.analysis
        if analysis is None:
            return
        self.what_if.follow()
        if analysis is not before.analysis and analysis.complete and now.is_current:
            self.rescoring.follow(analysis)
        self.live_cases.follow(before, now)
        prompt, run = now.prompt, self.selection.run
        if prompt is None:
            self.overview.follow(analysis)
        else:
            self.live_cases.cases_shown(prompt.index)
            for candidate in self.configuration.candidates(analysis.header):
                self._restored.request(analysis, prompt, candidate)
        if run is not None:
            self.stored_models.follow(analysis, run.prompt)
            self.evidence.request(run)
            self._mark(run, read=False)
        self.history.follow()
        self.criterion.follow(before, now)

    def answer_shown(self) -> None:
        """Record that the answer to the prompt under the cursor is on the screen."""
        if (run := self.selection.run) is not None:
            self._mark(run, read=True)

    def _mark(self, run: Run, *, read: bool) -> None:
        if run.response is not None and not run.running:
            self.shown.mark(run.place, [run.response.subject], read=read)

    def _run_changed(self, run: Run, event: Event | None) -> None:
        if isinstance(event, Delta):
            self.selection.arrive(run)
            return
        self.selection.put(run, within=0.0 if self.progress is None else _PUBLISH_SECONDS)
        self.history.follow_run(run, event)
        self._mark(run, read=False)  # its score is in the outline, whichever prompt is shown
        self.change(progress=self.queue.progress, within=_PUBLISH_SECONDS)

    def _starting(self, runs: Sequence[Run]) -> None:
        self.selection.begin(runs)
        self.effect("clock", self._tick(), exclusive=True)

    async def _tick(self) -> None:
        """Every second, show the time left while runs are in progress."""
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            if not self.queue.is_running:
                return
            self.change(progress=self.queue.progress)

    def _all_ended(self) -> None:
        self.change(progress=None)
        self.live_cases.verdicts_came()

    @property
    def progress(self) -> Progress | None:
        """How far the runs have come; None unless several are in progress."""
        progress = self.state.progress
        return progress if progress is not None and progress.total > 1 else None
