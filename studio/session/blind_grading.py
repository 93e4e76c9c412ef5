"""Blind grading: the judged pairs over all prompts, whose verdicts stay hidden until they are graded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint
from engine.blueprint.conversation import subject_text
from engine.scoring.assessment import Grade
from engine.store import HUMAN, PromptPlace, Store
from engine.store.grades import BlindGrade, StoredSample, blueprint_key, colleague
from engine.store.run_records import PairId
from engine.study.judged_pairs import (
    SAMPLE_SIZE,
    Disagreement,
    GradingRate,
    JudgedPair,
    QueuedPair,
    QueueReason,
    disagreements,
    grading_queue,
    grading_rate,
    judged_pairs,
    new_seed,
    sample,
)
from engine.text.record import Record, field, replace, text_digest
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
    from studio.session.session import Session


SKIPPED = BlindGrade(None)
_NEW_SAMPLE = (
    "The rate will come from the new sample, drawn from all that is judged now. What you graded blind stays, and "
    "counts where the new sample has it."
)


class Sitting(Record):
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


class BlindGrading(Part):
    """One sitting of blind grading. Its commands act at once; what was graded is saved in order behind them."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._saves = asyncio.Lock()
        self._graded: set[str] = set()

    async def begin(self, *, seed: int | None = None) -> None:
        """Find the judged pairs, and draw a sample if there is none."""
        analysis = self.state.analysis
        assert analysis is not None
        titles = {prompt.index: prompt.id for prompt in analysis.blueprint.prompts}
        found = await self.session.stored(lambda store: self._found(store, analysis.blueprint, seed), None)
        self.change(sitting=None if found is None else _queued(Sitting(found, titles)))
        self._graded.clear()

    def _found(self, store: Store, blueprint: Blueprint, seed: int | None) -> JudgedSample:
        found = load_sample(store, blueprint, self.state.path)
        is_usable = any(pair in found.judged for pair in found.pairs)
        return found if is_usable or not found.judged else draw_sample(store, found, seed=seed)

    def view(self) -> GradingView:
        """What the screen shows."""
        state = self.state.sitting
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
        place = PromptPlace(str(self.state.path.absolute()), queued.pair.id.prompt)
        self.runs.shown.mark(place, [subject_text(queued.pair.thread)])

    # --- Commands: each does nothing where it does not apply

    def grade(self, grade: Grade) -> None:
        """Grade the pair that is asked about, and show its verdicts."""
        state = self.state.sitting
        if state is not None and state.shown is None and state.next is not None:
            self.change(sitting=replace(state, shown=(state.next, grade)))
            self._decide(state.next.pair.id, BlindGrade(grade))

    def skip(self) -> None:
        """Skip the pair that is asked about; its verdicts stay hidden."""
        state = self.state.sitting
        if state is not None and state.shown is None and state.next is not None:
            self._decide(state.next.pair.id, SKIPPED)

    def take_back(self) -> None:
        """Take back the grade whose verdicts are shown. As they were seen, the pair counts as skipped."""
        state = self.state.sitting
        if state is not None and state.shown is not None:
            pair = state.shown[0].pair.id
            self.change(sitting=replace(state, shown=None))
            self._decide(pair, SKIPPED)
            self._save(lambda store: _delete_grade(store, state.found.key, pair))

    def go_on(self) -> None:
        """From the verdicts to the next pair; from the rate to the pairs in which a fault is likely."""
        state = self.state.sitting
        if state is None:
            return
        if state.shown is not None:
            self.change(sitting=replace(state, shown=None))
        elif state.next is None and state.queue:
            self.change(sitting=replace(state, seeks_faults=True))

    def seek_faults(self) -> None:
        """From the rate to the pairs in which a fault is likely."""
        state = self.state.sitting
        if state is not None and state.shown is None and state.next is None:
            self.go_on()

    async def draw_again(self, *, seed: int | None = None) -> None:
        """Draw a new sample after asking, where the rate of the present one is shown. What was graded stays."""
        state = self.state.sitting
        if state is None or state.shown is not None or state.next is not None or not state.found.judged:
            return
        choices = [Choice("draw", "Draw a new sample"), Choice("stay", "Keep the present one")]
        if await self.host.ask(Choose("A new sample", _NEW_SAMPLE, choices)) != "draw":
            return
        found = await self.session.stored(lambda store: draw_sample(store, state.found, seed=seed), None)
        if found is not None:
            self.change(sitting=_queued(replace(state, found=found, seeks_faults=False)))

    def end(self) -> None:
        """Score the answers again that were graded."""
        analysis, graded = self.state.analysis, self._graded
        if analysis is not None and graded:
            for run in self.runs.selection.all:
                if run.response is not None and not run.running and text_digest(run.response.subject) in graded:
                    self.runs.rescoring.start(run, analysis.blueprint)

    def _decide(self, pair: PairId, given: BlindGrade) -> None:
        """Note what was decided about a pair, and save it."""
        state = self.state.sitting
        assert state is not None
        found = state.found
        grades = {**found.grades, HUMAN: {**found.of(), pair: given}}
        queue = tuple(each for each in state.queue[:1] if each.pair.id != pair) + state.queue[1:]
        self.change(sitting=replace(state, found=replace(found, grades=grades), queue=queue))
        self._graded.add(pair.subject)
        self._save(lambda store: save_grades(store, found.key, HUMAN, {pair: given}))

    def _save(self, save: Callable[[Store], None]) -> None:
        self.effect("grading", self._saved(save))

    async def _saved(self, save: Callable[[Store], None]) -> None:
        async with self._saves:
            await self.session.save(save)


def _queued(state: Sitting) -> Sitting:
    found = state.found
    return replace(state, queue=grading_queue(found.pairs, found.judged, found.of().keys()))


def _delete_grade(store: Store, key: str, pair: PairId) -> None:
    store.grade_answer(PromptPlace(key, pair.prompt), pair.subject, pair.criterion, None)


_NO_GRADES: Mapping[PairId, BlindGrade] = {}


class JudgedSample(Record):
    """What is known for blind grading of the blueprint that the store has under `key`.

    `judged` are today's judged pairs. `sample` is None until one is drawn. `grades` are by person, `HUMAN` for the
    author, and by pair.
    """

    key: str
    judged: Mapping[PairId, JudgedPair]
    sample: StoredSample | None = None
    grades: Mapping[str, Mapping[PairId, BlindGrade]] = field(default_factory=dict[str, Mapping[PairId, BlindGrade]])

    @property
    def pairs(self) -> tuple[PairId, ...]:
        """The pairs of the sample, in its order."""
        return () if self.sample is None else self.sample.pairs

    def of(self, person: str = HUMAN) -> Mapping[PairId, BlindGrade]:
        """The blind grades of one person."""
        return self.grades.get(person, _NO_GRADES)

    def rate(self, person: str = HUMAN) -> GradingRate:
        """How far the judges agree with one person."""
        return grading_rate(self.pairs, self.judged, self.of(person))

    def faults(self) -> tuple[Disagreement, ...]:
        """The disagreements of the author with the judges: those of the sample, then all others that were graded."""
        own = self.rate().disagreements
        of_sample = {each.pair.id for each in own}
        others = (each for each in disagreements(self.judged, self.of()) if each.pair.id not in of_sample)
        return (*own, *others)

    def revealed(self, person: str) -> tuple[Disagreement, ...]:
        """The disagreements with a person that show the author no verdict on a pair that they have yet to grade."""
        own = self.of()
        return tuple(each for each in self.rate(person).disagreements if person == HUMAN or each.pair.id in own)


def load_sample(store: Store, blueprint: Blueprint, path: Path) -> JudgedSample:
    """What the store has for the blueprint at `path`. Blocks. Raises `StoreUnavailable`."""
    places = dict.fromkeys(PromptPlace.of(path, prompt) for prompt in blueprint.prompts)
    answers = {place.prompt: store.judged_answers(place) for place in places}
    judged = {pair.id: pair for pair in judged_pairs(blueprint, path, answers)}
    key = blueprint_key(path)
    return JudgedSample(key, judged, store.sample(key), store.blind_grades(key))


def draw_sample(store: Store, found: JudgedSample, *, seed: int | None = None, size: int = SAMPLE_SIZE) -> JudgedSample:
    """`found` with a new sample, which is saved. Blocks. Raises `StoreUnavailable`."""
    drawn = new_seed() if seed is None else seed
    pairs = [pair.id for pair in sample(found.judged.values(), drawn, size)]
    store.save_sample(found.key, drawn, len(found.judged), pairs)
    return replace(found, sample=store.sample(found.key))


def save_grades(store: Store, key: str, person: str, grades: Mapping[PairId, BlindGrade]) -> None:
    """Save what a person graded blind; as grades too, which count in scores if the person is the author. Blocks.

    Raises `StoreUnavailable`.
    """
    store.save_blind_grades(key, person, grades)
    by = HUMAN if person == HUMAN else colleague(person)
    for pair, given in grades.items():
        if given.grade is not None:
            store.grade_answer(PromptPlace(key, pair.prompt), pair.subject, pair.criterion, given.grade, by)
