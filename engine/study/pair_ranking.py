"""Pairs of a good and a bad answer to one prompt: whether the rubric ranks them rightly, now and once changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import product

from engine.blueprint import Point, Prompt
from engine.scoring.explanation import Bounds
from engine.scoring.sums import PointExtent
from engine.scoring.what_if import RubricChanges, what_if
from engine.study.case import Case, points_named
from engine.study.case_outcome import (
    CaseOutcome,
    CaseState,
    is_failed,
    known_extent,
    range_state,
    without_repeated_ideals,
    worst,
)
from engine.text.record import Record

_NOISE = 1e-11


class PairState(StrEnum):
    """How a rubric ranks a good and a bad answer. `OPEN`: their intervals of possible scores overlap."""

    RIGHT = "right"
    WRONG = "wrong"
    TIED = "tied"
    OPEN = "open"


class Pair(Record):
    """A good and a bad answer to the same prompt."""

    good: CaseOutcome
    bad: CaseOutcome
    state: PairState

    @property
    def has_test_answer(self) -> bool:
        """Whether one of the two is a test answer."""
        return self.good.test is not None or self.bad.test is not None

    @property
    def favouring_bad(self) -> tuple[Point, ...]:
        """The points that the bad answer meets further than the good one: places to look where it is ranked higher."""
        if self.good.scored is None or self.bad.scored is None:
            return ()
        return tuple(
            worse.point
            for better, worse in zip(self.good.scored.assessments, self.bad.scored.assessments, strict=True)
            if better.extent is not None and worse.extent is not None and worse.extent > better.extent
        )


class Ranking(Record):
    """All pairs of one prompt, or of several.

    `test_pairs` have a test answer in them: they are listed, and no part of the counts. `test_answers` are the labelled
    ones.
    """

    pairs: tuple[Pair, ...]
    test_pairs: tuple[Pair, ...] = ()
    test_answers: tuple[CaseOutcome, ...] = ()

    @property
    def wrong(self) -> tuple[Pair, ...]:
        """The pairs that are ranked wrongly, those of test answers behind the others."""
        return tuple(pair for pair in (*self.pairs, *self.test_pairs) if pair.state is PairState.WRONG)

    def count(self, state: PairState) -> int:
        """The number of pairs with this state."""
        return sum(pair.state is state for pair in self.pairs)

    def __str__(self) -> str:
        """`ranks 11 of 12 good–bad pairs rightly, 1 tie`."""
        total, right = len(self.pairs), self.count(PairState.RIGHT)
        wrong, tied, still_open = (self.count(state) for state in (PairState.WRONG, PairState.TIED, PairState.OPEN))
        rest = [
            f"{wrong} wrongly" if wrong else "",
            f"{tied} {'tie' if tied == 1 else 'ties'}" if tied else "",
            f"{still_open} open" if still_open else "",
        ]
        noun = "good–bad pair" if total == 1 else "good–bad pairs"
        return ", ".join(filter(None, (f"ranks {right} of {total} {noun} rightly", *rest)))


def ranking_of(outcomes: Iterable[CaseOutcome]) -> Ranking:
    """Every good answer with every bad answer to the same prompt; two test answers make no pair.

    An ideal that a case has too counts once.
    """
    by_prompt: dict[str, list[CaseOutcome]] = {}
    for outcome in without_repeated_ideals(tuple(outcomes)):
        if outcome.bounds is not None and outcome.case.is_bad is not None:
            by_prompt.setdefault(outcome.case.prompt, []).append(outcome)
    pairs = [pair for each in by_prompt.values() for pair in _pairs(each)]
    return Ranking(
        tuple(pair for pair in pairs if not pair.has_test_answer),
        tuple(pair for pair in pairs if pair.has_test_answer),
        tuple(outcome for each in by_prompt.values() for outcome in each if outcome.test is not None),
    )


def _pairs(outcomes: Sequence[CaseOutcome]) -> Iterable[Pair]:
    good = [outcome for outcome in outcomes if not outcome.case.is_bad]
    bad = [outcome for outcome in outcomes if outcome.case.is_bad]
    for one, other in product(good, bad):
        is_of_test_answers = one.test is not None and other.test is not None
        if one.bounds is not None and other.bounds is not None and not is_of_test_answers:
            yield Pair(one, other, pair_state(one.bounds, other.bounds))


def pair_state(good: Bounds, bad: Bounds) -> PairState:
    """How answers with these possible scores are ranked."""
    if good.low > bad.high + _NOISE:
        return PairState.RIGHT
    if good.high < bad.low - _NOISE:
        return PairState.WRONG
    return PairState.TIED if good.closed and bad.closed else PairState.OPEN


# --- Under changes of the rubric that are not made yet


class CaseAnswer(Record):
    """A labelled answer as far as changes concern it.

    `points` are those of its score, in the order of `Prompt.points()`, `known` the extents that say whether a point
    fails it (None where that is not known). `failed_place` is the point that it should fail, None for none or for
    several of that name. `before` is its outcome. `is_test`: it is a test answer.
    """

    case: Case
    points: tuple[PointExtent, ...]
    known: tuple[float | None, ...]
    failed_place: int | None
    before: CaseState
    is_partial: bool = False
    is_test: bool = False

    @classmethod
    def of(cls, outcome: CaseOutcome, prompt: Prompt) -> CaseAnswer | None:
        """The answer of a case that is scored by the rubric of `prompt`; None without points."""
        if outcome.scored is None or not outcome.scored.assessments:
            return None
        assessments = outcome.scored.assessments
        name = outcome.case.fails
        places = () if name is None else points_named(prompt, name)
        return cls(
            outcome.case,
            tuple(map(PointExtent.of, assessments)),
            tuple(map(known_extent, assessments)),
            places[0] if len(places) == 1 else None,
            outcome.state,
            prompt.is_cut_off,
            outcome.test is not None,
        )


class ChangedCase(Record):
    """The bounds of the score of a labelled answer, and its state."""

    bounds: Bounds
    state: CaseState


def changed_case(answer: CaseAnswer, changes: RubricChanges, extents: Mapping[int, float | None]) -> ChangedCase:
    """The answer under `changes`; `extents` are those of loosened checks, by place."""
    bounds = what_if(answer.points, changes, extents, is_partial=answer.is_partial).bounds
    states: list[CaseState] = []
    if answer.case.score is not None:
        states.append(range_state(answer.case.score, bounds))
    if answer.case.fails is not None:
        states.append(_point_state(answer, changes, extents))
    if not states:
        return ChangedCase(bounds, CaseState.LABELLED)
    return ChangedCase(bounds, worst(states))


def _point_state(answer: CaseAnswer, changes: RubricChanges, extents: Mapping[int, float | None]) -> CaseState:
    place = answer.failed_place
    extent = None if place is None or place in changes.off else extents.get(place, answer.known[place])
    if extent is None:
        return CaseState.UNDECIDED
    return CaseState.PASSED if is_failed(extent) else CaseState.FAILED


def ranked(answers: Iterable[tuple[CaseAnswer, Bounds]]) -> Sequence[PairState]:
    """How each pair of a good and a bad answer to one prompt is ranked, test answers aside."""
    labelled = [
        (each.case.is_bad, bounds) for each, bounds in answers if each.case.is_bad is not None and not each.is_test
    ]
    good = [bounds for is_bad, bounds in labelled if not is_bad]
    bad = [bounds for is_bad, bounds in labelled if is_bad]
    return [pair_state(one, other) for one, other in product(good, bad)]
