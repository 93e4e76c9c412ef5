"""Blind grading: the judged pairs over all prompts, whose verdicts stay hidden until they are graded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from engine.blueprint.conversation import subject_text
from engine.store import HUMAN, PromptPlace
from engine.store.grades import BlindGrade
from engine.study.judged_pairs import (
    JudgedSample,
    QueuedPair,
    QueueReason,
    draw_sample,
    grading_queue,
    load_sample,
    save_grades,
)
from engine.text.record import Record, replace, text_digest
from studio.session.host import Choice, Choose
from studio.session.parts import Part
from studio.session.views.grading_view import (
    NOTHING_TO_GRADE,
    AskingView,
    GradingView,
    card_of,
    rate_view,
    revealed,
)

if TYPE_CHECKING:
    from engine.blueprint import Blueprint
    from engine.scoring.assessment import Grade
    from engine.store import Store
    from engine.store.run_records import PairId
    from studio.session.session import Session


SKIPPED = BlindGrade(None)
_NEW_SAMPLE = (
    "The rate will come from the new sample, drawn from all that is judged now. What you graded blind stays, and "
    "counts where the new sample has it."
)


class Sitting(Record, eq=False, dict=True):
    """One sitting. `shown` is the graded pair whose verdicts are on the screen, with its grade.

    `titles` are the names of the prompts by their place. `seeks_faults`: the author wants to go on after the sample.
    """

    found: JudgedSample
    titles: Mapping[int, str]
    shown: tuple[QueuedPair, Grade] | None = None
    seeks_faults: bool = False

    @cached_property
    def queue(self) -> tuple[QueuedPair, ...]:
        """The pairs that are not decided: the rest of the sample first."""
        return grading_queue(self.found.pairs, self.found.judged, self.found.of().keys())

    @property
    def next(self) -> QueuedPair | None:
        """The pair to grade; None where the sample is done, and faults are not sought or there are none left."""
        first = self.queue[0] if self.queue else None
        return first if first is not None and (first.reason is QueueReason.SAMPLE or self.seeks_faults) else None


class BlindGrading(Part):
    """One sitting of blind grading. Its commands act at once; what was graded is saved in order behind them."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._saves = asyncio.Lock()
        self._graded: set[str] = set()

    async def begin(self) -> None:
        """Find the judged pairs, and draw a sample if there is none."""
        blueprint = self.analysis.blueprint
        titles = {prompt.index: prompt.id for prompt in blueprint.prompts}
        found = await self.session.stored(lambda store: self._found(store, blueprint), None)
        self.change(sitting=None if found is None else Sitting(found, titles))
        self._graded.clear()

    def _found(self, store: Store, blueprint: Blueprint) -> JudgedSample:
        found = load_sample(store, blueprint, self.state.path)
        is_usable = any(pair in found.judged for pair in found.pairs)
        return found if is_usable or not found.judged else draw_sample(store, found)

    def view(self) -> GradingView:
        """What the screen shows."""
        state = self.state.sitting
        if state is None or not state.found.judged or state.found.sample is None:
            return NOTHING_TO_GRADE
        queued = state.next if state.shown is None else state.shown[0]
        if queued is None:
            return rate_view(state.found, state.found.sample, state.titles, likely=len(state.queue))
        title, is_revealed = state.titles.get(queued.pair.prompt, ""), state.shown is not None
        card = card_of(queued, title, state.found.rate(), left=len(state.queue), revealed=is_revealed)
        if state.shown is not None:
            return revealed(card, queued.pair, state.shown[1])
        place = PromptPlace(state.found.key, queued.pair.id.prompt)
        self.runs.shown.mark(place, [subject_text(queued.pair.thread)])
        return AskingView(card)

    # --- Commands: each does nothing where it does not apply

    def grade(self, grade: Grade) -> None:
        """Grade the pair that is asked about, and show its verdicts."""
        state = self.state.sitting
        if state is not None and state.shown is None and state.next is not None:
            self._decide(replace(state, shown=(state.next, grade)), state.next.pair.id, BlindGrade(grade))

    def skip(self) -> None:
        """Skip the pair that is asked about; its verdicts stay hidden."""
        state = self.state.sitting
        if state is not None and state.shown is None and state.next is not None:
            self._decide(state, state.next.pair.id, SKIPPED)

    def take_back(self) -> None:
        """Take back the grade whose verdicts are shown. As they were seen, the pair counts as skipped."""
        state = self.state.sitting
        if state is not None and state.shown is not None:
            pair, place = state.shown[0].pair.id, PromptPlace(state.found.key, state.shown[0].pair.id.prompt)
            self._decide(replace(state, shown=None), pair, SKIPPED)
            self._save(lambda store: store.grade_answer(place, pair.subject, pair.criterion, None))

    def go_on(self) -> None:
        """From the verdicts to the next pair; from the rate to the pairs in which a fault is likely."""
        state = self.state.sitting
        if state is not None and state.shown is not None:
            self.change(sitting=replace(state, shown=None))
        else:
            self.seek_faults()

    def seek_faults(self) -> None:
        """From the rate to the pairs in which a fault is likely."""
        state = self.state.sitting
        if state is not None and state.shown is None and state.next is None and state.queue:
            self.change(sitting=replace(state, seeks_faults=True))

    async def draw_again(self) -> None:
        """Draw a new sample after asking, where the rate of the present one is shown. What was graded stays."""
        state = self.state.sitting
        if state is None or state.shown is not None or state.next is not None or not state.found.judged:
            return
        choices = [Choice("draw", "Draw a new sample"), Choice("stay", "Keep the present one")]
        if await self.host.ask(Choose("A new sample", _NEW_SAMPLE, choices)) != "draw":
            return
        found = await self.session.stored(lambda store: draw_sample(store, state.found), None)
        if found is not None:
            self.change(sitting=replace(state, found=found, seeks_faults=False))

    def end(self) -> None:
        """Score the answers again that were graded."""
        analysis, graded = self.state.analysis, self._graded
        if analysis is not None and graded:
            for run in self.runs.selection.all:
                if run.response is not None and not run.running and text_digest(run.response.subject) in graded:
                    self.runs.rescoring.start(run, analysis.blueprint)

    def _decide(self, state: Sitting, pair: PairId, given: BlindGrade) -> None:
        """Note in `state` what was decided about a pair, and save it."""
        found = state.found
        grades = {**found.grades, HUMAN: {**found.of(), pair: given}}
        self.change(sitting=replace(state, found=replace(found, grades=grades)))
        self._graded.add(pair.subject)
        self._save(lambda store: save_grades(store, found.key, HUMAN, {pair: given}))

    def _save(self, save: Callable[[Store], None]) -> None:
        self.effect("grading", self._saved(save))

    async def _saved(self, save: Callable[[Store], None]) -> None:
        async with self._saves:
            await self.session.save(save)
