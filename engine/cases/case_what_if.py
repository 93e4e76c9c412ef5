"""Labelled answers under changes of their rubric that are not made yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from engine.blueprint import Prompt
from engine.cases.case import Case
from engine.cases.case_outcome import CaseOutcome, CaseState, range_state
from engine.cases.failed_answers import is_failed, known_extent
from engine.cases.pair_ranking import PairState, pair_state
from engine.cases.rubric_points import points_named
from engine.record import Record
from engine.scoring.aggregation import PointExtent
from engine.scoring.explanation import Bounds
from engine.scoring.what_if import RubricChanges, what_if


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
    order = (CaseState.FAILED, CaseState.UNDECIDED, CaseState.PASSED)
    return ChangedCase(bounds, next(state for state in order if state in states))


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
