"""Trying prompts on the blueprint screen: what is run with which answers and judges, and what is shown of it."""

from __future__ import annotations

import asyncio
import importlib
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.evaluation.candidates import Candidate
from engine.evaluation.events import Delta, Event
from engine.evaluation.sources import AnswerSource, IdealSource, WrittenSource
from engine.providers.prices import own_prices
from engine.store import PromptPlace, StoreUnavailable
from studio.answers import Answers, as_remembered, label_of, remembered
from studio.checking import Analysis
from studio.runs import Edited, Figure, Run
from studio.screens.calling import Calling
from studio.screens.estimating import Estimating
from studio.screens.evaluating import Evaluating
from studio.screens.recalling import Past, is_kept, recall
from studio.screens.rejudging import Rejudging
from studio.screens.side import RESPONSE
from studio.under_way import Progress, UnderWay

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from engine.blueprint import Blueprint, Header
    from engine.judging.panel import Panel
    from engine.judging.scale import JudgesAs
    from engine.store import PastRun
    from engine.text import Span
    from studio.screens.blueprint import BlueprintScreen
    from studio.screens.showing import Showing

_LOADED_FIRST = ("engine.evaluation.evaluating", "engine.scoring", "studio.screens.showing")
_THE_IDEAL = Answers((IdealSource(),))
_TOGETHER_SECONDS = 0.05
"""While many prompts run, what shows them all is drawn at most this often."""
_TICK_SECONDS = 1.0


class Trying:
    """The answers and judges chosen for one file, and the runs of its prompts."""

    def __init__(self, screen: BlueprintScreen, showing: Showing) -> None:
        self._screen = screen
        self._showing = showing
        self._calling = Calling(screen)
        self._evaluating = Evaluating(screen, self._calling)
        self.under_way = UnderWay(self._changed, lambda work: screen.run_worker(work, group="runs"), self._none_goes_on)
        self.rejudging = Rejudging(screen, self._evaluating, self.put)
        self.estimating = Estimating(screen, self._estimated)
        self.answers: Answers | None = None
        self.judges_as: JudgesAs | None = None
        self._number = 0
        self._written: dict[str, str] = {}
        self._opened: dict[str, Run] = {}
        self._shown: Prompt | None = None
        self._recalled: set[tuple[str, str]] = set()
        self._past = Past(screen, self._evaluating, self.open)
        self._will_draw = False
        self._ticking = screen.set_interval(_TICK_SECONDS, screen.refresh_standing, pause=True)

    @classmethod
    async def begin(cls, screen: BlueprintScreen) -> Trying:
        """Load what trying needs, off the event loop, and put the panes into the screen."""
        for name in _LOADED_FIRST:
            await asyncio.to_thread(importlib.import_module, name)
        from studio.panes.conversation import ConversationPane
        from studio.panes.history import HistoryPane
        from studio.panes.response import ResponsePane
        from studio.panes.result import ResultPane
        from studio.screens.showing import Showing

        panes = ResultPane(), ResponsePane(), ConversationPane()
        await screen.side.fill(*panes, HistoryPane())
        trying = cls(screen, showing := Showing(screen.side, *panes))
        showing.own_prices = await asyncio.to_thread(own_prices)
        await trying.estimating.begin()
        saved = (await asyncio.to_thread(lambda: screen.app.settings)).answers.get(str(screen.keeping.file.path))
        if saved is not None:
            from engine.judging.scale import JudgesAs

            trying.answers = remembered(saved)
            trying.judges_as = JudgesAs(saved.judges) if saved.judges in list(JudgesAs) else None
        return trying

    def close(self) -> None:
        """Stop what runs."""
        self.under_way.abandon()
        self.estimating.close()

    # --- What is chosen

    def candidates(self, header: Header) -> tuple[Candidate, ...]:
        """Everything that F5 asks, at least one."""
        return (self.answers or _THE_IDEAL).candidates(header)

    def candidate(self, header: Header) -> Candidate:
        """The one whose results are shown, and with which all prompts are run."""
        return self.candidates(header)[self._number_within(header)]

    def _number_within(self, header: Header) -> int:
        return self._number % len(self.candidates(header))

    def label(self, header: Header | None) -> str:
        """Where answers come from, as the screen calls it."""
        return label_of(self.candidates(header)) if header is not None else label_of(())

    def label_of_one(self, header: Header | None) -> str:
        """The same of the candidate that is shown."""
        return self.candidate(header).label if header is not None else label_of(())

    @property
    def judges_in_words(self) -> str:
        """What the status line says of judges, behind where answers come from."""
        match None if self.judges_as is None else self.judges_as.value:
            case None:
                return ""
            case "documented":
                return " · judged"
            case _:
                return " · judged as on Weval"

    def next_candidate(self, header: Header, by: int = 1) -> None:
        """Show the results of the next candidate."""
        self._number = (self._number_within(header) + by) % len(self.candidates(header))
        self._opened.clear()
        self._screen.runs_changed()

    def show_candidate(self, header: Header, key: str) -> None:
        """Show the results of the candidate with this key."""
        keys = [each.key for each in self.candidates(header)]
        if key in keys:
            self.next_candidate(header, keys.index(key) - self._number_within(header))

    def choose(self, analysis: Analysis, offset: int, *, then_run: bool = False) -> None:
        """Ask where answers come from."""
        prompt = analysis.prompt_at(offset)
        self._screen.run_worker(self._choose(analysis, prompt, then_run=then_run), group="answers", exclusive=True)

    async def _choose(self, analysis: Analysis, prompt: Prompt | None, *, then_run: bool) -> None:
        from studio.dialogs.answers import ChooseAnswers

        header = analysis.parsed.blueprint.header
        has_ideal = prompt is None or prompt.ideal is not None
        path = self._screen.keeping.file.path
        dialog = ChooseAnswers(self.answers, has_ideal=has_ideal, named=analysis.models, header=header, path=path)
        answers = await self._screen.app.push_screen_wait(dialog)
        if answers is None:
            return
        self.take(answers)
        if any(isinstance(source, WrittenSource) for source in answers.sources):
            self._screen.show_tab(RESPONSE)
        elif then_run and prompt is not None:
            await self._start(analysis, self._runs(analysis, [prompt], self.candidates(header)))

    def take(self, answers: Answers) -> None:
        """Let answers come from there from now on."""
        self.answers, self._number = answers, 0
        self._opened.clear()
        self._remember()
        self._screen.runs_changed()

    def choose_judges(self, analysis: Analysis) -> None:
        """Ask who judges points in words."""
        self._screen.run_worker(self._choose_judges(analysis), group="answers", exclusive=True)

    async def _choose_judges(self, analysis: Analysis) -> None:
        from studio.dialogs.judges import ChooseJudges

        dialog = ChooseJudges(analysis.parsed.blueprint.header, self.judges_as)
        chosen = await self._screen.app.push_screen_wait(dialog)
        if chosen is not None:
            self.judges_as = chosen.judges_as
            self._remember()
            self._screen.runs_changed()

    def _remember(self) -> None:
        saved = as_remembered(self.answers or _THE_IDEAL, "" if self.judges_as is None else self.judges_as.value)
        self._screen.app.settings.answers[str(self._screen.keeping.file.path)] = saved
        self._screen.app.keep_settings()

    # --- What is shown

    def place(self, prompt: Prompt) -> PromptPlace:
        """Where what belongs to `prompt` is kept."""
        return PromptPlace.of(self._screen.keeping.file.path, prompt)

    @property
    def progress(self) -> Progress | None:
        """How far the runs have come, where several go on."""
        progress = self.under_way.progress
        return progress if progress is not None and progress.total > 1 else None

    def scores(self, analysis: Analysis) -> dict[str, Figure]:
        """The figures of the newest runs with the candidate that is shown, by prompt id."""
        scores: dict[str, Figure] = {}
        if self.under_way.any:
            key = self.candidate(analysis.parsed.blueprint.header).key
            for prompt in analysis.parsed.blueprint.prompts:
                run = self.under_way.newest(self.place(prompt), key)
                if run is not None and run.figure is not None:
                    scores[prompt.id] = run.figure
        return scores

    def total_in_words(self, analysis: Analysis, scores: Mapping[str, Figure]) -> str:
        """`66 of 100 so far, from 3 of 5 prompts`: the mean of the figures by prompt weight, or what is waited for."""
        prompts = analysis.parsed.blueprint.prompts if scores else ()
        scored = [prompt for prompt in prompts if prompt.id in scores]
        if not scored:
            return self._waiting_in_words()
        weights = sum(prompt.weight for prompt in scored)
        mean = sum(scores[prompt.id].score * prompt.weight for prompt in scored) / weights
        so_far = " so far," if any(figure.so_far for figure in scores.values()) else ""
        return f"{mean:.0f} of 100{so_far} from {len(scored)} of {len(prompts)} prompts"

    def _waiting_in_words(self) -> str:
        """`12 points to grade`, where the prompt that is shown was run and nothing of it is judged yet."""
        run = self.shown_run
        if run is None or run.explanation is None or run.explanation.score is not None:
            return ""
        waiting = sum(not assessment.assessed for assessment in run.assessments)
        return "" if not waiting else "1 point to grade" if waiting == 1 else f"{waiting} points to grade"

    def show(self, analysis: Analysis, offset: int) -> None:
        """Show what is known of the prompt at `offset`."""
        prompt = self._shown = analysis.prompt_at(offset)
        if prompt is None:
            self._showing.show_header()
            self._past.show_header()
            return
        header = analysis.parsed.blueprint.header
        chosen = self.candidates(header)
        candidate = self.candidate(header)
        place = self.place(prompt)
        run = self.newest(prompt)
        for each in chosen:
            if is_kept(each.source) and self.under_way.newest(place, each.key) is None:
                self._recall_once(analysis, prompt, place, each)
        is_written = isinstance(candidate.source, WrittenSource) and place.prompt not in self._opened
        self._showing.show_prompt(
            analysis,
            prompt,
            run,
            answers=label_of(chosen),
            written=self._written.get(place.prompt, "") if is_written else None,
            beside=self._beside(place, chosen) if len(chosen) > 1 else (),
            variant=candidate.variant,
            estimate=None if run is None else self.estimating.of(run),
            estimating=run is not None and self.estimating.goes_on(run),
        )

        self._past.show(prompt, place, run)

    def _beside(self, place: PromptPlace, chosen: Sequence[Candidate]) -> tuple[tuple[Candidate, Run | None], ...]:
        return tuple((each, self.under_way.newest(place, each.key)) for each in chosen)

    def open(self, run: Run) -> None:
        """Show `run` of its prompt, until that is run again or other answers are chosen."""
        self._opened[run.place.prompt] = run
        self._screen.runs_changed()

    def open_past(self, analysis: Analysis, past: PastRun) -> None:
        """Show an earlier run of the prompt that is shown, held against the rubric of today. Nobody is asked."""
        if self._shown is not None:
            run = self._run(analysis, self._shown, past.candidate)
            self._past.open(replace(run, running=False, recalled=True, past=past), analysis.parsed.blueprint)

    def close_shown(self) -> bool:
        """Go back from an earlier run of the prompt that is shown to the newest; whether one was open."""
        return self._shown is not None and self.close_opened(self._shown)

    def close_opened(self, prompt: Prompt) -> bool:
        """Go back from a run that was opened to the newest one; whether there was one."""
        found = self._opened.pop(self.place(prompt).prompt, None)
        if found is not None:
            self._screen.runs_changed()
        return found is not None

    def put(self, run: Run) -> None:
        """A run that is there has changed, without running."""
        opened = self._opened.get(run.place.prompt)
        if opened is not None and opened.started == run.started:
            self.open(run)
        else:
            self.under_way.put(run)

    def newest(self, prompt: Prompt) -> Run | None:
        """The run that is shown of `prompt`: one that was opened, else the newest with the candidate that is shown."""
        place, analysis = self.place(prompt), self._screen.analysis
        if place.prompt in self._opened or analysis is None:
            return self._opened.get(place.prompt)
        return self.under_way.newest(place, self.candidate(analysis.parsed.blueprint.header).key)

    @property
    def shown_prompt(self) -> Prompt | None:
        """The prompt that is shown now, as it is written now."""
        return self._shown

    @property
    def shown_run(self) -> Run | None:
        """The run that is shown now."""
        return None if self._shown is None else self.newest(self._shown)

    def _changed(self, run: Run, event: Event | None) -> None:
        """A run went on by one event."""
        if isinstance(event, Delta):
            if self.shown_run is run:
                self._grow(run)
            return
        if self.progress is None:
            self._screen.runs_changed()
        elif not self._will_draw:
            self._will_draw = True
            self._screen.set_timer(_TOGETHER_SECONDS, self._draw)
        self._past.changed(run, event)

    def _estimated(self) -> None:
        """There is one more estimate."""
        self._screen.runs_changed()
        self.light_up(self._showing.selected_point, self._showing.selected_evidence)

    def _grow(self, run: Run) -> None:
        if self._screen.analysis is not None:
            self._showing.grow(run, self._screen.analysis.parsed.blueprint.header)

    def _draw(self) -> None:
        self._will_draw = False
        self._screen.runs_changed()

    def _none_goes_on(self) -> None:
        self._ticking.pause()
        if self._screen.is_attached:
            self._screen.runs_changed()

    async def keep(self, run: Run) -> None:
        """Keep an answer that could not be had again for nothing."""
        if not is_kept(run.answered) or run.response is None:
            return
        try:
            store = self._screen.app.store
            await asyncio.to_thread(store.save_response, run.place, run.key, run.response)
        except StoreUnavailable as error:
            self._screen.notify(str(error), severity="warning", markup=False)

    def _recall_once(self, analysis: Analysis, prompt: Prompt, place: PromptPlace, candidate: Candidate) -> None:
        wanted = (place.prompt, candidate.key)
        if wanted not in self._recalled:
            self._recalled.add(wanted)
            self._screen.run_worker(self._recall(analysis, prompt, place, candidate), group="recalling")

    async def _recall(self, analysis: Analysis, prompt: Prompt, place: PromptPlace, candidate: Candidate) -> None:
        """Show the answer that was kept for this prompt, judged by today's rubric."""
        try:
            run = await recall(self._screen.app.store, self._run(analysis, prompt, candidate))
        except StoreUnavailable as error:
            self._screen.notify(str(error), severity="warning", markup=False)
            return
        if run is None or run.response is None or self.under_way.newest(place, candidate.key) is not None:
            return
        if isinstance(candidate.source, WrittenSource):
            self._written.setdefault(place.prompt, run.response.subject)
            run = replace(run, candidate=self._run(analysis, prompt, candidate).candidate)
        await self.rejudging.judge_again(run, analysis.parsed.blueprint)

    # --- Running

    def run_or_stop(self, analysis: Analysis, offset: int, *, fresh: bool = False) -> None:
        """Run the prompt at `offset` with every candidate; where anything goes on, stop that.

        `fresh` asks models anew, whatever they answered before.
        """
        if self.under_way.stop():
            return
        prompt = analysis.prompt_at(offset)
        if prompt is None:
            self._screen.notify("Put the cursor into a prompt: F5 runs it.", timeout=3, markup=False)
            return
        if self.answers is None and prompt.ideal is None:
            self.choose(analysis, offset, then_run=True)
            return
        runs = self._runs(analysis, [prompt], self.candidates(analysis.parsed.blueprint.header))
        runs = [replace(run, fresh=fresh) for run in runs]
        self._screen.run_worker(self._start(analysis, runs), group="run", exclusive=True)

    def run_all_or_stop(self, analysis: Analysis) -> None:
        """Run every prompt with the candidate that is shown; where anything goes on, stop that."""
        if self.under_way.stop():
            return
        candidate = self.candidate(analysis.parsed.blueprint.header)
        prompts = analysis.parsed.blueprint.prompts
        runnable = [prompt for prompt in prompts if self._has_answer(prompt, candidate.source)]
        if left_out := len(prompts) - len(runnable):
            what = "ideal" if isinstance(candidate.source, IdealSource) else "answer of yours"
            said = "1 prompt has" if left_out == 1 else f"{left_out} prompts have"
            self._screen.notify(f"{said} no {what}, and no score from it.", timeout=5, markup=False)
        runs = self._runs(analysis, runnable, (candidate,))
        self._screen.run_worker(self._start(analysis, runs), group="run", exclusive=True)

    def go_on(
        self, analysis: Analysis, prompt: Prompt, run: Run, begun: tuple[str, ...], edited: Edited | None
    ) -> None:
        """Ask the candidate of `run` for the turns that follow `begun`, of which some may be `edited`."""
        new = replace(self._run(analysis, prompt, run.candidate), begun=begun, edited=edited, fresh=True)
        self._screen.run_worker(self._start(analysis, [new]), group="run", exclusive=True)

    def _has_answer(self, prompt: Prompt, source: AnswerSource) -> bool:
        match source:
            case IdealSource():
                return prompt.ideal is not None
            case WrittenSource():
                return bool(self._written_for(self.place(prompt)).strip())
            case _:
                return True

    def _runs(self, analysis: Analysis, prompts: Sequence[Prompt], chosen: Sequence[Candidate]) -> list[Run]:
        return [self._run(analysis, prompt, candidate) for prompt in prompts for candidate in chosen]

    def _run(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> Run:
        place = self.place(prompt)
        if isinstance(candidate.source, WrittenSource):
            candidate = replace(candidate, source=WrittenSource(self._written_for(place)))
        return Run(place, prompt, prompt.span.of(analysis.parsed.text), analysis.revision, candidate)

    async def _start(self, analysis: Analysis, runs: Sequence[Run]) -> None:
        blueprint = analysis.parsed.blueprint
        panel = self._panel(blueprint)
        allowed = await self._calling.allowed(blueprint, list({run.place: run.prompt for run in runs}.values()))
        if allowed is None:
            return
        await asyncio.to_thread(importlib.import_module, "studio.screens.planning")  # it takes longer than a frame
        from studio.screens.consent import may_run
        from studio.screens.planning import Planning

        planning = await Planning.of(blueprint, runs, panel, allowed.hosts)
        if not await may_run(self._screen.app, planning.plan, many=len({run.place for run in runs}) > 1):
            return
        models = planning.providers(self._screen.app.settings)
        for run in runs:
            self._opened.pop(run.place.prompt, None)

        def evaluate(run: Run, stop: asyncio.Event) -> AsyncGenerator[Event]:
            return planning.counted(self._evaluating.run(run, blueprint, panel, allowed, stop, models))

        self.under_way.start(runs, evaluate)
        self._ticking.resume()

    def look_ahead(self, analysis: Analysis, offset: int | None) -> None:
        """Show what a run of the prompt at `offset` would send, or of all where that is None. Nothing is sent."""
        header = analysis.parsed.blueprint.header
        prompt = None if offset is None else analysis.prompt_at(offset)
        if prompt is not None:
            runs = self._runs(analysis, [prompt], self.candidates(header))
        else:
            runs = self._runs(analysis, analysis.parsed.blueprint.prompts, (self.candidate(header),))
        self._screen.run_worker(self._look_ahead(analysis.parsed.blueprint, runs), group="answers", exclusive=True)

    async def _look_ahead(self, blueprint: Blueprint, runs: Sequence[Run]) -> None:
        await asyncio.to_thread(importlib.import_module, "studio.screens.planning")
        from studio.screens.consent import show_plan
        from studio.screens.planning import Planning

        planning = await Planning.of(blueprint, runs, self._panel(blueprint), None)
        await show_plan(self._screen.app, planning.plan)

    def _panel(self, blueprint: Blueprint) -> Panel | None:
        if self.judges_as is None:
            return None
        from engine.judging.panel import panel

        found = panel(blueprint.header, self.judges_as)
        if found.judges:
            return found
        self._screen.notify(f"There is no judge to ask: {'; '.join(found.left_out)}.", severity="warning", markup=False)
        return None

    def _written_for(self, place: PromptPlace) -> str:
        """The author's answer to the last letter: the pane tells of a letter only once it is painted."""
        if self._shown is not None and self.place(self._shown) == place and self._showing.is_writing:
            self._written[place.prompt] = self._showing.written
        return self._written.get(place.prompt, "")

    # --- What the panes ask for

    def follow(self, analysis: Analysis) -> None:
        """The rubric may have changed under the result that is shown: judge its answer again, asking nobody."""
        if self._shown is not None and (run := self.shown_run) is not None:
            self.rejudging.follow(analysis, self._shown, run)

    def light_up(self, index: int | None, evidence: tuple[Span, ...] = ()) -> None:
        """Show the evidence of a point in the response, or that of a row which is no point."""
        run = self.shown_run
        if run is None or run.response is None or self._showing.is_writing:
            return
        found = evidence
        if index is not None and index < len(run.assessments):
            found = run.assessments[index].evidence
        closest = self.estimating.closest(run, index) if not found and index is not None else ()
        self._showing.light_up(found or closest, estimated=bool(closest))

    def explain_estimate(self) -> bool:
        """Where the result has the focus and estimates are shown, open the page on them; whether that is so."""
        run = self.shown_run
        if run is None or not self._showing.result_has_focus or self.estimating.of(run) is None:
            return False
        from engine.estimating.page import TITLE, page
        from studio.dialogs.page import Page

        self._screen.app.push_screen(Page(TITLE, "", page(), ""))
        return True

    def revision_shown(self) -> int | None:
        """The revision of the text that the shown run was made from."""
        run = self.shown_run
        return None if run is None else run.revision

    def written_changed(self, text: str) -> None:
        """The author wrote on in their answer."""
        if self._shown is not None:
            self._written[self.place(self._shown).prompt] = text
