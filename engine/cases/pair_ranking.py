"""Pairs of a good and a bad answer to one prompt: whether the rubric ranks them rightly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import product

from engine.blueprint import Point
from engine.cases.case_outcome import CaseOutcome, without_repeated_ideals
from engine.record import Record
from engine.scoring.explanation import Bounds

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
