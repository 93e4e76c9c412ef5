"""Trying prompts on the blueprint screen: what is run with which answers, and what is asked before it is."""

from __future__ import annotations

import asyncio
import importlib
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.evaluation.events import Delta, Event, Failed, Responded, Scored
from engine.evaluation.sources import (
    AnswerSource,
    ControlSource,
    IdealSource,
    ModelSource,
    WrittenSource,
    source_key,
    source_label,
)
from engine.store import PromptPlace, StoreUnavailable
from studio.answers import as_remembered, remembered
from studio.checking import Analysis
from studio.runs import Figure, Run, Runs
from studio.screens.consent import may_send
from studio.screens.recalling import is_kept, recall
from studio.screens.side import RESPONSE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from engine.blueprint import Blueprint
    from engine.scoring.assessment import Criterion, Grade
    from studio.screens.blueprint import BlueprintScreen
    from studio.screens.showing import Showing

_LOADED_FIRST = ("engine.evaluation.evaluating", "engine.scoring", "studio.screens.showing")


class Trying:
    """The answers chosen for one file, and the runs of its prompts."""

    def __init__(self, screen: BlueprintScreen, showing: Showing) -> None:
        self._screen = screen
        self._showing = showing
        self.runs = Runs(self._changed)
        self.source: AnswerSource | None = None
        self._written: dict[str, str] = {}
        self._shown: Prompt | None = None
        self._recalled: set[tuple[str, str]] = set()

    @classmethod
    async def begin(cls, screen: BlueprintScreen) -> Trying:
        """Load what trying needs, off the event loop, and put the panes into the screen."""
        for name in _LOADED_FIRST:
            await asyncio.to_thread(importlib.import_module, name)
        from studio.panes.conversation import ConversationPane
        from studio.panes.response import ResponsePane
        from studio.panes.result import ResultPane
        from studio.screens.showing import Showing

        panes = ResultPane(), ResponsePane(), ConversationPane()
        await screen.side.fill(*panes)
        trying = cls(screen, Showing(screen.side, *panes))
        saved = (await asyncio.to_thread(lambda: screen.app.settings)).answers.get(str(screen.keeping.file.path))
        trying.source = None if saved is None else remembered(saved.kind, saved.value, saved.base_url)
        return trying

    def close(self) -> None:
        """Stop what runs."""
        self.runs.abandon()

    # --- What is shown

    @property
    def answers(self) -> str:
        """Where answers come from, as the screen calls it."""
        return source_label(self.source or IdealSource())

    def _place(self, prompt: Prompt) -> PromptPlace:
        return PromptPlace.of(self._screen.keeping.file.path, prompt)

    def scores(self, analysis: Analysis) -> dict[str, Figure]:
        """The figures of the newest runs, by prompt id."""
        scores: dict[str, Figure] = {}
        for prompt in analysis.parsed.blueprint.prompts if self.runs.any else ():
            run = self.newest(prompt)
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
        run = self._newest_shown()
        if run is None or run.explanation is None or run.explanation.score is not None:
            return ""
        waiting = sum(not assessment.assessed for assessment in run.assessments)
        return "" if not waiting else "1 point to grade" if waiting == 1 else f"{waiting} points to grade"

    def show(self, analysis: Analysis, offset: int) -> None:
        """Show what is known of the prompt at `offset`."""
        prompt = self._shown = analysis.prompt_at(offset)
        if prompt is None:
            self._showing.show_header()
            return
        place = self._place(prompt)
        run = self.runs.newest(place)
        if run is None and self.source is not None and is_kept(self.source):
            self._recall_once(analysis, prompt, place, self.source)
        written = self._written.get(place.prompt, "") if isinstance(self.source, WrittenSource) else None
        self._showing.show_prompt(analysis, prompt, run, answers=self.answers, written=written)

    def newest(self, prompt: Prompt) -> Run | None:
        """The newest run of `prompt`."""
        return self.runs.newest(self._place(prompt))

    def _newest_shown(self) -> Run | None:
        return None if self._shown is None else self.newest(self._shown)

    def _changed(self, run: Run, event: Event | None) -> None:
        """A run went on by one event."""
        if isinstance(event, Delta):
            if self._newest_shown() is run:
                self._showing.append(event.text)
            return
        self._screen.runs_changed()
        if isinstance(event, Responded | Failed) and run.response is not None and run.response.subject:
            self._screen.run_worker(self._keep(run), group="keeping-answers")

    async def _keep(self, run: Run) -> None:
        """Keep an answer that could not be had again for nothing."""
        if not is_kept(run.source) or run.response is None:
            return
        try:
            store = self._screen.app.store
            await asyncio.to_thread(store.save_response, run.place, source_key(run.source), run.response)
        except StoreUnavailable as error:
            self._screen.notify(str(error), severity="warning", markup=False)

    def _recall_once(self, analysis: Analysis, prompt: Prompt, place: PromptPlace, source: AnswerSource) -> None:
        wanted = (place.prompt, source_key(source))
        if wanted not in self._recalled:
            self._recalled.add(wanted)
            self._screen.run_worker(self._recall(analysis, prompt, place, source), group="recalling")

    async def _recall(self, analysis: Analysis, prompt: Prompt, place: PromptPlace, source: AnswerSource) -> None:
        """Show the answer that was kept for this prompt, judged by today's rubric."""
        try:
            response = await recall(self._screen.app.store, place, prompt, source)
        except StoreUnavailable as error:
            self._screen.notify(str(error), severity="warning", markup=False)
            return
        if response is None or self.runs.newest(place) is not None:
            return
        if isinstance(source, WrittenSource):
            self._written.setdefault(place.prompt, response.subject)
        written = prompt.span.of(analysis.parsed.text)
        run = Run(place, prompt, written, analysis.revision, source, response=response, running=False, recalled=True)
        await self._judge_again(run, analysis.parsed.blueprint)

    # --- Running

    def run_or_stop(self, analysis: Analysis, offset: int) -> None:
        """Run the prompt at `offset`; where a run goes on, stop that."""
        if self.runs.stop():
            return
        prompt = analysis.prompt_at(offset)
        if prompt is None:
            self._screen.notify("Put the cursor into a prompt: F5 runs it.", timeout=3, markup=False)
            return
        if self.source is None and prompt.ideal is None:
            self.choose(analysis, offset, then_run=True)
            return
        self._screen.run_worker(self._start(analysis, prompt), group="run", exclusive=True)

    async def _start(self, analysis: Analysis, prompt: Prompt) -> None:
        place = self._place(prompt)
        source = self.source or IdealSource()
        match source:
            case WrittenSource():
                source = WrittenSource(self._written_for(place))
            case ModelSource(model, base_url):
                custom = analysis.parsed.blueprint.header.models
                if not await may_send(self._screen.app, model, base_url, custom):
                    return
            case _:
                pass
        written = prompt.span.of(analysis.parsed.text)
        run = Run(place, prompt, written, analysis.revision, source)
        self.runs.start(run, analysis.parsed.blueprint, self._evaluate)

    def _written_for(self, place: PromptPlace) -> str:
        """The author's answer to the last letter: the pane tells of a letter only once it is painted."""
        if self._shown is not None and self._place(self._shown) == place:
            self._written[place.prompt] = self._showing.written
        return self._written.get(place.prompt, "")

    async def _evaluate(
        self, prompt: Prompt, blueprint: Blueprint, source: AnswerSource, *, stop: asyncio.Event | None = None
    ) -> AsyncIterator[Event]:
        from engine.evaluation.evaluating import evaluate

        events = evaluate(
            prompt,
            blueprint,
            source,
            javascript=self._screen.app.javascript,
            grades=partial(self._grades, self._place(prompt)),
            stop=stop,
            ideal_score=await self._ideal_score(prompt, blueprint, source),
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def _ideal_score(self, prompt: Prompt, blueprint: Blueprint, source: AnswerSource) -> float | None:
        """What the ideal scores on the same rubric, where another answer is judged: is it the rubric, or the answer?"""
        if isinstance(source, IdealSource) or prompt.ideal is None:
            return None
        async for event in self._evaluate(prompt, blueprint, IdealSource()):
            if isinstance(event, Scored):
                return event.explanation.score
        return None

    # --- Following the text

    def follow(self, analysis: Analysis) -> None:
        """The rubric may have changed under the result that is shown: judge its answer again, asking nobody."""
        prompt, run = self._shown, self._newest_shown()
        if prompt is None or run is None or run.running or run.response is None:
            return
        written = prompt.span.of(analysis.parsed.text)
        same_question = [(each.role, each.content) for each in prompt.messages] == [
            (each.role, each.content) for each in run.prompt.messages
        ]
        if written.strip() != run.written.strip() and same_question:
            now = replace(run, prompt=prompt, written=written, revision=analysis.revision)
            self._screen.run_worker(self._judge_again(now, analysis.parsed.blueprint), group="judging", exclusive=True)

    async def _judge_again(self, run: Run, blueprint: Blueprint) -> None:
        from engine.evaluation.evaluating import judge_again

        assert run.response is not None
        if isinstance(run.source, IdealSource | ControlSource):
            events = self._evaluate(run.prompt, blueprint, run.source)
        else:
            events = judge_again(
                run.prompt,
                run.source,
                run.response,
                javascript=self._screen.app.javascript,
                grades=partial(self._grades, run.place),
                ideal_score=await self._ideal_score(run.prompt, blueprint, run.source),
            )
        async for event in events:
            if isinstance(event, Scored | Failed):
                self.runs.put(run.after(event))

    def choose(self, analysis: Analysis, offset: int, *, then_run: bool = False) -> None:
        """Ask where answers come from."""
        prompt = analysis.prompt_at(offset)
        self._screen.run_worker(self._choose(analysis, prompt, then_run=then_run), group="answers", exclusive=True)

    async def _choose(self, analysis: Analysis, prompt: Prompt | None, *, then_run: bool) -> None:
        from studio.dialogs.answers import ChooseAnswers

        has_ideal = prompt is None or prompt.ideal is not None
        dialog = ChooseAnswers(self.source, has_ideal=has_ideal, named=analysis.models)
        source = await self._screen.app.push_screen_wait(dialog)
        if source is None:
            return
        self.source = source
        self._remember(source)
        self._screen.runs_changed()
        if isinstance(source, WrittenSource):
            self._screen.show_tab(RESPONSE)
        elif then_run and prompt is not None:
            await self._start(analysis, prompt)

    def _remember(self, source: AnswerSource) -> None:
        from engine.workspace.settings import SavedAnswers

        kind, value, base_url = as_remembered(source)
        answers = SavedAnswers(kind=kind, value=value, base_url=base_url)
        self._screen.app.settings.answers[str(self._screen.keeping.file.path)] = answers
        self._screen.app.keep_settings()

    # --- Grading

    def _grades(self, place: PromptPlace, subject: str) -> Mapping[Criterion, Grade]:
        """The author's grades; called off the event loop."""
        try:
            return self._screen.app.store.grades(place, subject)
        except StoreUnavailable as error:
            self._screen.call_later(self._screen.notify, str(error), severity="warning", markup=False)
            return {}

    def grade(self, index: int, grade: Grade | None) -> None:
        """Grade one text point of the result that is shown; its score follows at once."""
        self._screen.run_worker(self._grade(index, grade), group="grading")

    async def _grade(self, index: int, grade: Grade | None) -> None:
        from engine.scoring.assessment import Criterion

        run = self._newest_shown()
        analysis = self._screen.analysis
        if analysis is None or run is None or run.response is None or index >= len(run.assessments):
            return
        placed = run.assessments[index].placed
        criterion = Criterion(placed.rubric.block, placed.point.text or "")
        try:
            store = self._screen.app.store
            await asyncio.to_thread(store.grade, run.place, run.response.subject, criterion, grade)
        except StoreUnavailable as error:
            self._screen.notify(str(error), severity="error", markup=False)
            return
        self._screen.run_worker(self._judge_again(run, analysis.parsed.blueprint), group="judging", exclusive=True)

    def light_up(self, index: int | None) -> None:
        """Show the evidence of a point in the response."""
        run = self._newest_shown()
        if run is None or run.response is None or isinstance(self.source, WrittenSource):
            return
        found = run.assessments[index].evidence if index is not None and index < len(run.assessments) else ()
        self._showing.light_up(found)

    def revision_shown(self) -> int | None:
        """The revision of the text that the shown run was made from."""
        run = self._newest_shown()
        return None if run is None else run.revision

    def written_changed(self, text: str) -> None:
        """The author wrote on in their answer."""
        if self._shown is not None:
            self._written[self._place(self._shown).prompt] = text
