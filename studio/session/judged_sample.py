"""The judged pairs of a blueprint, its sample for blind grading, and the grades that people gave blind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine.blueprint import Blueprint
from engine.store import HUMAN, PromptPlace, Store
from engine.store.grades import BlindGrade, StoredSample, blueprint_key, colleague
from engine.store.run_records import PairId
from engine.study.judged_pairs import (
    SAMPLE_SIZE,
    Disagreement,
    GradingRate,
    JudgedPair,
    disagreements,
    grading_rate,
    judged_pairs,
    new_seed,
    sample,
)
from engine.text.record import Record, field, replace

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
