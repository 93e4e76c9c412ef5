"""What each point of a rubric is good for: which labelled answers to its prompt it fails.

The words *fails*, *catches*, *untested* and *seen while wording* are defined in `docs/cases.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from engine.blueprint import Prompt
from engine.cases.case import Case
from engine.cases.case_outcome import CaseOutcome, without_repeated_ideals
from engine.cases.failed_answers import any_of, fails
from engine.cases.untested_points import untested_points
from engine.evaluation.sources import ControlKind
from engine.record import Record
from engine.scoring.assessment import PlacedPoint
from engine.scoring.placement import place

Freshness: TypeAlias = Callable[[Case, Sequence[PlacedPoint]], bool]
"""Whether neither the answer of a case nor a verdict on it was shown before these points had their present wording."""


class Tally(Record):
    """`count` of `known` answers of one class; on the `unjudged` ones it is not known.

    `seen` of the known ones are not fresh; None where it is not asked what was shown.
    """

    count: int
    known: int
    unjudged: int
    seen: int | None = None


class Unit(Record):
    """A required point, or all alternative paths together. `places` are indices in `Prompt.points()`."""

    places: tuple[int, ...]
    points: tuple[PlacedPoint, ...]

    @property
    def paths(self) -> int:
        """The number of paths; 0 for a required point."""
        return len({point.path_id for point in self.points} - {None})


class UnitCounts(Record):
    """The labelled answers that one unit fails. `untested` are its untested points, by their places."""

    unit: Unit
    catches: Tally
    fails_good: Tally
    untested: tuple[int, ...]


class ListedTestAnswer(Record):
    """A test answer among the cases. `fails` says for each unit whether it fails the answer, None if unknown."""

    case: Case
    kind: ControlKind
    fails: tuple[bool | None, ...]


class RubricCounts(Record):
    """The counts of one prompt, with the name that its cases use.

    `catches` and `fails_good` count the answers that any of its units fails.
    """

    name: str
    prompt: Prompt
    units: tuple[UnitCounts, ...]
    catches: Tally
    fails_good: Tally
    test_answers: tuple[ListedTestAnswer, ...]


class _Answer(Record):
    """An answer, and whether each unit fails it. `hidden`: a YAML error hides units."""

    case: Case
    fails: tuple[bool | None, ...]
    hidden: bool

    def by_unit(self, index: int) -> bool | None:
        return self.fails[index]

    def by_any(self) -> bool | None:
        return any_of((*self.fails, *self._unseen))

    @property
    def _unseen(self) -> tuple[None, ...]:
        return (None,) if self.hidden else ()


def units_of(prompt: Prompt) -> tuple[Unit, ...]:
    """The units of a rubric, in the order in which they begin. The paths of both blocks are one: the best counts."""
    units: list[list[int]] = []
    paths: list[int] = []
    placed = place(prompt)
    for index, point in enumerate(placed):
        if point.path_id is None:
            units.append([index])
        else:
            if not paths:
                units.append(paths)
            paths.append(index)
    return tuple(Unit(tuple(each), tuple(placed[index] for index in each)) for each in units)


def criterion_counts(
    name: str, prompt: Prompt, outcomes: Iterable[CaseOutcome], is_fresh: Freshness | None = None
) -> RubricCounts:
    """Which of the labelled answers to `prompt`, by its name in cases, each unit of its rubric fails.

    `outcomes` are those of its cases, and of its ideal, which is one good answer and never fresh: it is left out if one
    of the cases is the ideal, labelled good. Answers without a label only count in what is untested.
    """
    every = without_repeated_ideals([outcome for outcome in outcomes if outcome.scored is not None])
    units = units_of(prompt)
    untested = frozenset(untested_points(prompt, (outcome.case for outcome in every)))
    labelled = [outcome for outcome in every if outcome.case.is_bad is not None]
    answers = [_answer(outcome, units, prompt) for outcome in labelled if outcome.test is None]
    good = [answer for answer in answers if not answer.case.is_bad]
    bad = [answer for answer in answers if answer.case.is_bad]
    placed = place(prompt)

    def tally(
        among: Sequence[_Answer], value: Callable[[_Answer], bool | None], points: Sequence[PlacedPoint]
    ) -> Tally:
        known = [answer for answer in among if value(answer) is not None]
        seen = None if is_fresh is None else sum(not is_fresh(answer.case, points) for answer in known)
        return Tally(sum(value(answer) is True for answer in known), len(known), len(among) - len(known), seen)

    return RubricCounts(
        name,
        prompt,
        tuple(
            UnitCounts(
                unit,
                tally(bad, lambda answer, at=index: answer.by_unit(at), unit.points),
                tally(good, lambda answer, at=index: answer.by_unit(at), unit.points),
                tuple(each for each in unit.places if each in untested),
            )
            for index, unit in enumerate(units)
        ),
        tally(bad, _Answer.by_any, placed),
        tally(good, _Answer.by_any, placed),
        tuple(
            ListedTestAnswer(outcome.case, outcome.test, _answer(outcome, units, prompt).fails)
            for outcome in labelled
            if outcome.test is not None
        ),
    )


def _answer(outcome: CaseOutcome, units: Sequence[Unit], prompt: Prompt) -> _Answer:
    assessments = () if outcome.scored is None else outcome.scored.assessments
    failing = (
        None if prompt.is_cut_off and unit.paths else fails([assessments[place] for place in unit.places])
        for unit in units
    )
    return _Answer(outcome.case, tuple(failing), prompt.is_cut_off)
