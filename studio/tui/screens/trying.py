"""Trying prompts on the blueprint screen: the parts that it takes, and which run of which prompt is shown."""

from __future__ import annotations

import asyncio
import importlib
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.evaluation.candidates import Candidate
from engine.evaluation.events import Delta, Event
from engine.evaluation.sources import WrittenSource
from engine.providers.prices import own_prices
from engine.store import PromptPlace, StoreUnavailable
from studio.session.answer_choice import label_of
from studio.session.checking import Analysis
from studio.session.run import Run
from studio.session.run_queue import Progress, UnderWay
from studio.tui.screens.calling import Calling
from studio.tui.screens.choosing import Choosing
from studio.tui.screens.closest_sentences import ClosestSentences
from studio.tui.screens.evaluating import Evaluating
from studio.tui.screens.overseeing import Overseeing
from studio.tui.screens.recalling import Past, is_kept, recall
from studio.tui.screens.rejudging import Rejudging
from studio.tui.screens.running import Running

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from engine.evaluation.headline import Headline
    from engine.store import PastRun
    from engine.text import Span
    from studio.tui.panes.overview.view import Overview
    from studio.tui.screens.blueprint import BlueprintScreen
    from studio.tui.screens.showing import Showing

_LOADED_FIRST = ("engine.evaluation.prompt_evaluation", "engine.scoring", "studio.tui.screens.showing")
_TOGETHER_SECONDS = 0.05
"""While many prompts run, what shows them all is drawn at most this often."""
_TICK_SECONDS = 1.0


class Trying:
    """The answers and judges chosen for one file, and the runs of its prompts."""

    def __init__(self, screen: BlueprintScreen, showing: Showing) -> None:
        self._screen = screen
        self._showing = showing
        calling = Calling(screen)
        evaluating = Evaluating(screen, calling)
        self.choosing = choosing = Choosing(screen, self._other_choice)
        self.under_way = UnderWay(self._changed, lambda work: screen.run_worker(work, group="runs"), self._none_goes_on)
        self.running = Running(
            screen,
            choosing,
            evaluating,
            calling,
            self.under_way,
            place=self.place,
            written=self._written_for,
            begun=self._runs_begin,
        )
        self.rejudging = Rejudging(screen, evaluating, self.put, self._all_runs)
        self.closest_sentences = ClosestSentences(screen, self._closest_found)
        self._written: dict[str, str] = {}
        self._places: dict[int, tuple[Prompt, Path, PromptPlace]] = {}
        self._opened: dict[str, Run] = {}
        self._shown: Prompt | None = None
        self._recalled: set[tuple[str, str]] = set()
        self._overseeing = Overseeing(screen, self.under_way, self._newest_of)
        self._past = Past(screen, evaluating, self.open)
        self._will_draw = False
        self._ticking = screen.set_interval(_TICK_SECONDS, screen.refresh_standing, pause=True)

    @classmethod
    async def begin(cls, screen: BlueprintScreen) -> Trying:
        """Load what trying needs, off the event loop, and put the panes into the screen."""
        for name in _LOADED_FIRST:
            await asyncio.to_thread(importlib.import_module, name)
        from studio.tui.panes.conversation import ConversationPane
        from studio.tui.panes.history import HistoryPane
        from studio.tui.panes.response import ResponsePane
        from studio.tui.panes.result import ResultPane
        from studio.tui.screens.showing import Showing

        panes = ResultPane(), ResponsePane(), ConversationPane()
        await screen.side.fill(*panes, HistoryPane())
        trying = cls(screen, showing := Showing(screen.side, *panes))
        showing.own_prices = await asyncio.to_thread(own_prices)
        await trying.closest_sentences.begin()
        await asyncio.to_thread(trying.choosing.recall)
        return trying

    def close(self) -> None:
        """Stop what runs."""
        self.under_way.abandon()
        self.closest_sentences.close()

    # --- What is shown

    def place(self, prompt: Prompt) -> PromptPlace:
        """Where what belongs to `prompt` is kept. Remembered, as all prompts are asked about whenever a run goes on."""
        path, found = self._screen.keeping.file.path, self._places.get(prompt.index)
        if found is None or found[0] is not prompt or found[1] is not path:
            found = self._places[prompt.index] = prompt, path, PromptPlace.of(path, prompt)
        return found[2]

    @property
    def progress(self) -> Progress | None:
        """How far the runs have come, where several go on."""
        progress = self.under_way.progress
        return progress if progress is not None and progress.total > 1 else None

    def headlines(self, analysis: Analysis) -> dict[str, Headline]:
        """The headlines of the newest runs with the candidate that is shown, by prompt id."""
        if not self.under_way.any:
            return {}
        return {each.id: each.headline for each in self._overview(analysis).prompts if each.headline is not None}

    def failed(self, analysis: Analysis) -> frozenset[str]:
        """The ids of the prompts whose newest run with the candidate that is shown failed."""
        if not self.under_way.any:
            return frozenset()
        return frozenset(each.id for each in self._overview(analysis).prompts if each.failed)

    def _overview(self, analysis: Analysis) -> Overview:
        candidate = self.choosing.candidate(analysis.parsed.blueprint.header)
        return self._overseeing.of(analysis, candidate.key, candidate.label)

    def show(self, analysis: Analysis, offset: int) -> None:
        """Show what is known of the prompt at `offset`."""
        prompt = self._shown = analysis.prompt_at(offset)
        if prompt is None:
            self._showing.show_header(self._overview(analysis))
            self._past.show_header()
            return
        header = analysis.parsed.blueprint.header
        chosen = self.choosing.candidates(header)
        candidate = self.choosing.candidate(header)
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
            closest=None if run is None else self.closest_sentences.of(run),
            is_searching=run is not None and self.closest_sentences.is_searching(run),
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
            run = self.running.run_of(analysis, self._shown, past.candidate)
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

    def _all_runs(self) -> tuple[Run, ...]:
        """The newest runs, and those that the author opened."""
        return (*self.under_way.all, *self._opened.values())

    def newest(self, prompt: Prompt) -> Run | None:
        """The run that is shown of `prompt`: one that was opened, else the newest with the candidate that is shown."""
        place, analysis = self.place(prompt), self._screen.analysis
        if place.prompt in self._opened or analysis is None:
            return self._opened.get(place.prompt)
        return self.under_way.newest(place, self.choosing.candidate(analysis.parsed.blueprint.header).key)

    def _newest_of(self, prompt: Prompt, key: str) -> Run | None:
        return self.under_way.newest(self.place(prompt), key)

    @property
    def shown_prompt(self) -> Prompt | None:
        """The prompt that is shown now, as it is written now."""
        return self._shown

    @property
    def shows_header(self) -> bool:
        """Whether the blueprint as a whole is shown, and no prompt of it."""
        return self._shown is None

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

    def _closest_found(self) -> None:
        """The closest sentences of one more answer are found."""
        self._screen.runs_changed()
        self.light_up(self._showing.selected_point, self._showing.selected_evidence)

    def _grow(self, run: Run) -> None:
        if self._screen.analysis is not None:
            self._showing.grow(run, self._screen.analysis.parsed.blueprint.header)

    def _other_choice(self) -> None:
        self._opened.clear()
        self._screen.runs_changed()

    def _runs_begin(self, runs: Sequence[Run]) -> None:
        for run in runs:
            self._opened.pop(run.place.prompt, None)
        self._ticking.resume()

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
            begun = self.running.run_of(analysis, prompt, candidate)
            run = await recall(self._screen.app.store, begun, analysis.parsed.blueprint.header)
        except StoreUnavailable as error:
            self._screen.notify(str(error), severity="warning", markup=False)
            return
        if run is None or run.response is None or self.under_way.newest(place, candidate.key) is not None:
            return
        if isinstance(candidate.source, WrittenSource):
            self._written.setdefault(place.prompt, run.response.subject)
            run = replace(run, candidate=self.running.run_of(analysis, prompt, candidate).candidate)
        await self.rejudging.judge_again(run, analysis.parsed.blueprint)

    def _written_for(self, place: PromptPlace) -> str:
        """The author's answer to the last letter: the pane tells of a letter only once it is painted."""
        if self._shown is not None and self.place(self._shown) == place and self._showing.is_writing:
            self._written[place.prompt] = self._showing.written
        return self._written.get(place.prompt, "")

    def export(self) -> None:
        """Write what was run as one of Weval's result files, where the author says."""
        from studio.tui.screens.publishing import export_results

        asking = export_results(self._screen, self, self._screen.collections)
        self._screen.run_worker(asking, group="answers", exclusive=True)

    # --- What the panes ask for

    def follow(self, analysis: Analysis) -> None:
        """The rubric may have changed under the result that is shown: judge its answer again, asking nobody."""
        self.rejudging.follow_description(analysis)
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
        closest = self.closest_sentences.span(run, index) if not found and index is not None else ()
        self._showing.light_up(found or closest, is_closest=bool(closest))

    def revision_shown(self) -> int | None:
        """The revision of the text that the shown run was made from; in the header, the one that is known."""
        run = self.shown_run
        if self._shown is None and self._screen.analysis is not None:
            return self._screen.analysis.revision
        return None if run is None else run.revision

    def written_changed(self, text: str) -> None:
        """The author wrote on in their answer."""
        if self._shown is not None:
            self._written[self.place(self._shown).prompt] = text
