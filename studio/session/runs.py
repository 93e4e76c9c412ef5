"""The runs of one file: what the author does with them.

Loaded behind the first frame: it brings what evaluates and scores.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint import Prompt, unique_keys
from engine.evaluation.events import Delta, Event
from engine.evaluation.sources import AnswerSource, Candidate, IdealSource, WrittenSource
from engine.evaluation.verdicts import points_to_judge
from engine.models.prices import OwnPrices, own_prices
from engine.text.record import replace
from engine.text.spans import count
from studio.session.analysis import Analysis
from studio.session.blind_grading import BlindGrading
from studio.session.case_file import CaseFile, LiveCases
from studio.session.criterion_loop import CriterionLoop
from studio.session.evaluator import Evaluator, Launch, RunQueue, start_runs
from studio.session.next_step import NextStep
from studio.session.overview import BlueprintOverview, ModelMatrix
from studio.session.repeats import Repeats
from studio.session.restored_answers import EarlierRuns, StoredModels
from studio.session.result_files import ask_for_source
from studio.session.run import Run
from studio.session.run_configuration import AnswerChoice, RunConfiguration
from studio.session.run_consent import AuthorApproval
from studio.session.run_selection import AnswerEdits, RunSelection, ShownRecord
from studio.session.run_views import EvidenceSearch, ExpectedScores, RunViews
from studio.session.second_runs import SecondRuns
from studio.session.state import EMPTY, Part, State
from studio.session.what_if import WhatIf

if TYPE_CHECKING:
    from engine.scoring.assessment import Grade
    from studio.session.session import Session

NO_PROMPTS = "This file has no prompt to run."
_PUBLISH_SECONDS = 0.05
"""While several prompts run, changes of their runs are published at most this often."""
_TICK_SECONDS = 1.0
_LAUNCH = "launch"
"""The newest launch replaces one that is still being prepared, whichever it is of."""


class Runs(Part):
    """Configures, begins, shows, edits and saves the runs of one file."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.configuration = RunConfiguration(session)
        self.selection = RunSelection(session)
        self.queue = RunQueue(session.tasks, self._run_changed, self._all_ended)
        javascript = session.resources.javascript
        self.evaluator = Evaluator(session.cache, javascript, judges_as=lambda: self.state.choice.judges_as)
        self._approval = AuthorApproval(session.host, session.resources.settings)
        self.shown = ShownRecord(session)
        self.edits = AnswerEdits(session)
        self.second = SecondRuns(session)
        self.cases = CaseFile(session)
        self.live_cases = LiveCases(session)
        self.expected = ExpectedScores(session)
        self.history = EarlierRuns(session)
        self.repeats = Repeats(session)
        self.criterion = CriterionLoop(session)
        self.blind = BlindGrading(session)
        self.evidence = EvidenceSearch(session)
        self.stored_models = StoredModels(session)
        self.overview = BlueprintOverview(session)
        self.matrix = ModelMatrix(session)
        self.what_if = WhatIf(session)
        self.views = RunViews(session)
        self.next_step = NextStep(session)
        self.own_prices = OwnPrices({})
        """The prices in the author's settings."""

    async def restore(self) -> None:
        """Load what is remembered of this file."""
        self.own_prices = await asyncio.to_thread(own_prices)
        await self.configuration.restore()
        await self.shown.begin()
        self.selection.restore_written(await self.edits.restore())

    def begin(self) -> None:
        """Begin what goes on once the runs are loaded."""
        self.effect("last runs", self._show_last())
        self.live_cases.verdicts_came()
        self.selection.follow_rubric()

    async def _show_last(self) -> None:
        """Show what the answers of the last runs score by now, those to other prompts than the one shown too."""
        await self.history.read()
        await self.history.restore_all(self.analysis, [self.configuration.candidate])

    # --- Running

    def run_or_stop(self, *, fresh: bool = False) -> None:
        """Run the prompt under the cursor with every candidate; if anything is running, stop it.

        `fresh` asks models again, whatever is cached.
        """
        if not self.queue.stop():
            self.effect(_LAUNCH, self._run(fresh=fresh), exclusive=True)

    async def _run(self, *, fresh: bool) -> None:
        analysis = self.analysis
        prompt = self._prompt_to_run(analysis)
        if prompt is None:
            self.host.notify(NO_PROMPTS, seconds=3)
            return
        if prompt is not self.state.prompt:
            number = analysis.blueprint.prompts.index(prompt) + 1
            self.host.notify(f"The cursor is in no prompt: F5 runs prompt {number}, {prompt.id}.")
        if self.state.choice.answers is None and prompt.ideal is None:
            answers = await self.configuration.ask(prompt)
            if answers is None or self.selection.is_writing:
                return
        await self.launch(analysis, [replace(run, fresh=fresh) for run in self.runs_of(prompt)])

    def _prompt_to_run(self, analysis: Analysis) -> Prompt | None:
        """The prompt under the cursor; in the header the one that was run last, else the first."""
        last = max(self.state.runs.values(), key=lambda run: run.started, default=None)
        prompts = analysis.blueprint.prompts
        again = (each for each in prompts if last is not None and analysis.place(each) == last.place)
        return self.state.prompt or next(again, prompts[0] if prompts else None)

    def run_all_or_stop(self) -> None:
        """Run every prompt with the candidate that is shown; if anything is running, stop it."""
        if not self.queue.stop():
            self.effect(_LAUNCH, self._run_all(), exclusive=True)

    async def _run_all(self) -> None:
        analysis, runs = self.analysis, self.runs_of(None)
        if not analysis.blueprint.prompts:
            self.host.notify(NO_PROMPTS, seconds=3)
            return
        if left_out := len(analysis.blueprint.prompts) - len(runs):
            is_ideal = isinstance(self.configuration.candidate.source, IdealSource)
            these = count(left_out, "prompt has", "prompts have")
            self.host.notify(f"{these} no {'ideal' if is_ideal else 'answer of yours'}, and no score from it.")
        await self.launch(analysis, runs)

    def judge_or_stop(self) -> None:
        """Have the open criteria of the answer that is shown judged, without any those of the ideal; or stop all runs.

        The answer stays: no other one is requested.
        """
        if self.queue.stop():
            return
        run = self.selection.run
        if run is None or run.response is None or run.running:
            self.host.notify("There is no answer to judge yet: F5 runs the prompt.", seconds=3)
        elif run.response.withheld:
            self.host.notify(
                "This answer was withheld by the provider's safety filter: it is not judged. F5 asks again."
            )
        elif self.state.choice.judges_as is None:
            self.host.notify("Choose judges first: w in the result.", seconds=3)
        else:
            ideal = None if points_to_judge(run.assessments) else self.unjudged_ideal(run)
            again = ideal or replace(run, running=True, restored=False, failed=None)
            self.effect(_LAUNCH, self.launch(self.analysis, [again]), exclusive=True)

    def unjudged_ideal(self, run: Run) -> Run | None:
        """A run of the ideal beside `run`, which is shown and of another answer; None if no criterion of it is open."""
        prompt, known = self.state.prompt, self.selection.newest(run.place, IdealSource().key)
        if prompt is None or prompt.ideal is None or isinstance(run.source, IdealSource):
            return None
        is_open = points_to_judge(known.assessments) if known else any(point.text for point in prompt.points())
        return self.new_run(self.analysis, prompt, Candidate(IdealSource())) if is_open else None

    async def launch(self, analysis: Analysis, runs: Sequence[Run]) -> None:
        """Start `runs` once they are approved; the rest as in `Launch`."""
        panel = self.configuration.panel(analysis.blueprint)
        if panel is None and any(run.response is not None for run in runs):
            return
        await self.session.file.write_journal()
        launch = Launch(analysis.blueprint, runs, panel)
        if await start_runs(launch, self.evaluator, self.queue, self._approval) is not None:
            self.selection.close_all({run.place.prompt for run in runs})
            self.effect("clock", self._tick(), exclusive=True)

    async def preview(self, *, all_prompts: bool) -> None:
        """Show what a run of the prompt under the cursor, or of all prompts, would send. Sends nothing."""
        blueprint = self.analysis.blueprint
        runs = self.runs_of(None if all_prompts else self._prompt_to_run(self.analysis))
        wanted = self.evaluator.wanted(Launch(blueprint, runs, self.configuration.panel(blueprint)))
        await self._approval.show((await wanted.plan(None, keyless=True)).plan)

    def new_run(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> Run:
        """A run of `prompt` that has not started."""
        new = Run.of(analysis.parsed, prompt, candidate, revision=analysis.revision)
        if isinstance(candidate.source, WrittenSource):
            own = WrittenSource(self.selection.written(new.place))
            return replace(new, candidate=replace(candidate, source=own))
        return new

    def runs_of(self, prompt: Prompt | None) -> list[Run]:
        """Runs of `prompt` with every candidate; for None, of all prompts with the one that is shown, if it answers."""
        analysis = self.analysis
        if prompt is not None:
            return [self.new_run(analysis, prompt, each) for each in self.configuration.candidates]
        shown = self.configuration.candidate
        answered = (each for each in analysis.blueprint.prompts if self.has_answer(analysis, each, shown.source))
        return [self.new_run(analysis, each, shown) for each in answered]

    def has_answer(self, analysis: Analysis, prompt: Prompt, source: AnswerSource) -> bool:
        """Whether there is an answer of `source` to `prompt`, or may be one."""
        if isinstance(source, IdealSource):
            return prompt.ideal is not None
        return not isinstance(source, WrittenSource) or bool(self.selection.written(analysis.place(prompt)).strip())

    # --- What is run, and which run is shown

    async def choose_judges(self) -> None:
        """Ask which judges grade points in words."""
        if await self.configuration.ask_judges():
            self.selection.all_again(self.analysis.blueprint)
            self.live_cases.verdicts_came()

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
        self.change(opened=EMPTY)
        if not self.configuration.show(key):
            run = self.selection.newest(self.analysis.place(prompt), key)
            if run is not None:
                self.selection.open(run)
        return prompt

    def restore_all(self) -> None:
        """Show the saved answers to all prompts, for the matrix. Nothing is sent."""
        work = self.history.restore_all(self.analysis, self.configuration.candidates, others=True)
        self.effect("matrix", work, exclusive=True)

    async def grade(self, index: int, grade: Grade | None) -> None:
        """Grade a point of the run that is shown, by its place in `Prompt.points()`; None removes the grade."""
        await self.selection.grade(index, grade)
        await self.criterion.read()
        self.live_cases.verdicts_came()

    async def open_published(self, path: Path) -> None:
        """Show the results in the file at `path` for every prompt; if it has several models, ask which."""
        source = await ask_for_source(self.host, path)
        await self.configuration.choose(AnswerChoice((source,)))
        self.run_all_or_stop()

    # --- Following what changes

    def follow(self, before: State, now: State) -> None:
        """Look up saved answers and evidence of the prompt that is shown now."""
        if now.written is not before.written or now.drafts is not before.drafts:
            self.edits.save_soon()
        analysis = self.analysis
        if now.tried is not None:
            self.what_if.follow(now.tried)
        is_new, is_checked = analysis is not before.analysis, analysis.complete and now.is_current
        if is_new:
            self.selection.follow_header(before.analysis, analysis)
        if is_new and is_checked:
            self.selection.follow_rubric()
        if is_checked and (is_new or now.read is not before.read):
            self.live_cases.check_soon(analysis)
        prompt, run = now.prompt, self.selection.run
        if prompt is None:
            self.overview.follow(analysis)
        else:
            self.live_cases.cases_shown(prompt)
            for candidate in self.configuration.candidates:
                self.history.request(analysis, prompt, candidate)
        if run is not None:
            self.stored_models.follow(analysis, run.prompt)
            self.evidence.request(run)
            self._mark(run, read=False)
        if now.followed:
            self.criterion.follow(before, now)
        self.next_step.follow()

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
        is_alone = self.state.progress is None or self.state.progress.total == 1
        self.selection.put(run, within=0.0 if is_alone else _PUBLISH_SECONDS)
        self._mark(run, read=False)  # its score is in the outline, whichever prompt is shown
        if isinstance(run.source, IdealSource) and not run.running:
            self._ideal_ended(run)
        self.change(progress=self.queue.progress, within=_PUBLISH_SECONDS)

    def _ideal_ended(self, ideal: Run) -> None:
        """Say anew what the score of another answer to the prompt says, as that depends on what the ideal scores."""
        prompt, shown = self.state.prompt, self.selection.run
        if prompt is not None and shown is not None and shown.place == ideal.place and shown.slot != ideal.slot:
            self.selection.again(shown, prompt, self.analysis)

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
