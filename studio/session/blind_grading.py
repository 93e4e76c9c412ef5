"""Blind grading: the queue of judged pairs over all prompts, whose verdicts stay hidden until they are graded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from engine.blueprint.conversation import subject_text
from engine.scoring.assessment import Grade
from engine.store import HUMAN, PromptPlace, Store, StoreUnavailable
from engine.store.grades import BlindGrade
from engine.store.run_records import PairId
from engine.study.judged_pairs import QueuedPair, QueueReason, grading_queue
from engine.text.record import Record, field, replace, text_digest
from studio.session.host import Choice, Choose
from studio.session.judged_sample import JudgedSample, draw_sample, load_sample, save_grades
from studio.session.rescoring import Rescoring
from studio.session.run_selection import RunSelection
from studio.session.session_context import SessionContext
from studio.session.shown_record import ShownRecord
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

SKIPPED = BlindGrade(None)
_NEW_SAMPLE = (
    "The rate will come from the new sample, drawn from all that is judged now. What you graded blind stays, and "
    "counts where the new sample has it."
)
Found = TypeVar("Found")


class GradingState(Record):
    """One sitting. `shown` is the graded pair whose verdicts are on the screen, with its grade.

    `titles` are the names of the prompts by their place. `seeks_faults`: the author wants to go on after the sample.
    """

    found: JudgedSample
    titles: Mapping[int, str]
    shown: tuple[QueuedPair, Grade] | None = None
    seeks_faults: bool = False
    queue: tuple[QueuedPair, ...] = field(default=())

    @property
    def next(self) -> QueuedPair | None:
        """The pair to grade; None where the sample is done, and faults are not sought or there are none left."""
        first = self.queue[0] if self.queue else None
        return first if first is not None and (first.reason is QueueReason.SAMPLE or self.seeks_faults) else None


class BlindGrading:
    """One sitting of blind grading. Its commands act at once; what was graded is saved in order behind them."""

    def __init__(
        self, context: SessionContext, selection: RunSelection, rescoring: Rescoring, shown: ShownRecord
    ) -> None:
        self._context = context
        self._selection = selection
        self._rescoring = rescoring
        self._shown_record = shown
        self._saves = asyncio.Lock()
        self._state: GradingState | None = None
        self._graded: set[str] = set()

    async def begin(self, *, seed: int | None = None) -> None:
        """Find the judged pairs, and draw a sample if there is none."""
        analysis = self._context.document.analysis
        assert analysis is not None
        titles = {prompt.index: prompt.id for prompt in analysis.blueprint.prompts}
        found = await self._in_store(lambda store: self._found(store, analysis.blueprint, seed))
        self._state = None if found is None else _queued(GradingState(found, titles))
        self._graded.clear()

    def _found(self, store: Store, blueprint: Blueprint, seed: int | None) -> JudgedSample:
        found = load_sample(store, blueprint, self._context.document.path)
        is_usable = any(pair in found.judged for pair in found.pairs)
        return found if is_usable or not found.judged else draw_sample(store, found, seed=seed)

    def view(self) -> GradingView:
        """What the screen shows."""
        state = self._state
        if state is None or not state.found.judged or state.found.sample is None:
            return NOTHING_TO_GRADE
        rate, left = state.found.rate(), len(state.queue)
        if state.shown is not None:
            queued, grade = state.shown
            card = card_of(queued, state.titles.get(queued.pair.prompt, ""), rate, left=left, revealed=True)
            return revealed(card, queued.pair, grade)
        if state.next is not None:
            queued = state.next
            self._mark(queued)
            return AskingView(
                card_of(queued, state.titles.get(queued.pair.prompt, ""), rate, left=left, revealed=False)
            )
        likely = sum(each.reason is not QueueReason.SAMPLE for each in state.queue)
        sample = state.found.sample
        faults = state.found.faults()
        return rate_view(rate, faults, state.titles, likely=likely, seed=sample.seed, judged=sample.judged)

    def _mark(self, queued: QueuedPair) -> None:
        """Record that the answer of a pair is shown."""
        place = PromptPlace(str(self._context.document.path.absolute()), queued.pair.id.prompt)
        self._shown_record.mark(place, [subject_text(queued.pair.thread)])

    # --- Commands: each does nothing where it does not apply

    def grade(self, grade: Grade) -> None:
        """Grade the pair that is asked about, and show its verdicts."""
        state = self._state
        if state is not None and state.shown is None and state.next is not None:
            self._state = replace(state, shown=(state.next, grade))
            self._decide(state.next.pair.id, BlindGrade(grade))

    def skip(self) -> None:
        """Skip the pair that is asked about; its verdicts stay hidden."""
        state = self._state
        if state is not None and state.shown is None and state.next is not None:
            self._decide(state.next.pair.id, SKIPPED)

    def take_back(self) -> None:
        """Take back the grade whose verdicts are shown. As they were seen, the pair counts as skipped."""
        state = self._state
        if state is not None and state.shown is not None:
            pair = state.shown[0].pair.id
            self._state = replace(state, shown=None)
            self._decide(pair, SKIPPED)
            self._save(lambda store: _delete_grade(store, state.found.key, pair))

    def go_on(self) -> None:
        """From the verdicts to the next pair; from the rate to the pairs in which a fault is likely."""
        state = self._state
        if state is None:
            return
        if state.shown is not None:
            self._state = replace(state, shown=None)
        elif state.next is None and state.queue:
            self._state = replace(state, seeks_faults=True)

    def seek_faults(self) -> None:
        """From the rate to the pairs in which a fault is likely."""
        state = self._state
        if state is not None and state.shown is None and state.next is None:
            self.go_on()

    async def draw_again(self, *, seed: int | None = None) -> None:
        """Draw a new sample after asking, where the rate of the present one is shown. What was graded stays."""
        state = self._state
        if state is None or state.shown is not None or state.next is not None or not state.found.judged:
            return
        choices = [Choice("draw", "Draw a new sample"), Choice("stay", "Keep the present one")]
        if await self._context.host.ask(Choose("A new sample", _NEW_SAMPLE, choices)) != "draw":
            return
        found = await self._in_store(lambda store: draw_sample(store, state.found, seed=seed))
        if found is not None:
            self._state = _queued(replace(state, found=found, seeks_faults=False))

    def end(self) -> None:
        """Score the answers again that were graded."""
        analysis, graded = self._context.document.analysis, self._graded
        if analysis is not None and graded:
            for run in self._selection.all:
                if run.response is not None and not run.running and text_digest(run.response.subject) in graded:
                    self._rescoring.start(run, analysis.blueprint)

    def _decide(self, pair: PairId, given: BlindGrade) -> None:
        """Note what was decided about a pair, and save it."""
        state = self._state
        assert state is not None
        found = state.found
        grades = {**found.grades, HUMAN: {**found.of(), pair: given}}
        queue = tuple(each for each in state.queue[:1] if each.pair.id != pair) + state.queue[1:]
        self._state = replace(state, found=replace(found, grades=grades), queue=queue)
        self._graded.add(pair.subject)
        self._save(lambda store: save_grades(store, found.key, HUMAN, {pair: given}))

    def _save(self, save: Callable[[Store], None]) -> None:
        self._context.tasks.start("grading", self._saved(save))

    async def _saved(self, save: Callable[[Store], None]) -> None:
        async with self._saves:
            await self._in_store(save)

    async def _in_store(self, act: Callable[[Store], Found]) -> Found | None:
        """What `act` returns, which is called in a thread; None after an error of the database, which is reported."""
        try:
            found = await asyncio.to_thread(lambda: act(self._context.resources.store()))
        except StoreUnavailable as error:
            self._context.database_messages.report(error)
            return None
        self._context.database_messages.works()
        return found


def _queued(state: GradingState) -> GradingState:
    found = state.found
    return replace(state, queue=grading_queue(found.pairs, found.judged, found.of().keys()))


def _delete_grade(store: Store, key: str, pair: PairId) -> None:
    store.grade_answer(PromptPlace(key, pair.prompt), pair.subject, pair.criterion, None)
