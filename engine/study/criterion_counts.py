"""What a rubric makes of the labelled answers to its prompt: which each point fails, and how it ranks good and bad.

The words *fails*, *catches*, *untested* and *seen while wording* are defined in `docs/cases.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import product
from typing import TypeAlias

from engine.blueprint import Block, Header, Point, Prompt
from engine.functions import point_text
from engine.scoring.assessment import Assessment, PlacedPoint
from engine.scoring.explanation import Bounds, listed, point_label
from engine.scoring.sums import place
from engine.scoring.what_if import RubricChanges, what_if
from engine.study.case import (
    Case,
    CaseOutcome,
    CaseState,
    any_of,
    fails,
    is_failed,
    known_extent,
    points_named,
    range_state,
    response_of,
    without_repeated_ideals,
    worst,
)
from engine.text.record import Record, text_digest
from engine.text.spans import count, one_line

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
        tied, wrong, still_open = (self.count(each) for each in (PairState.TIED, PairState.WRONG, PairState.OPEN))
        parts = [
            f"ranks {self.count(PairState.RIGHT)} of {count(len(self.pairs), 'good–bad pair')} rightly",
            f"{wrong} wrongly" if wrong else "",
            count(tied, "tie") if tied else "",
            f"{still_open} open" if still_open else "",
        ]
        return ", ".join(filter(None, parts))


def ranking_of(outcomes: Iterable[CaseOutcome]) -> Ranking:
    """Every good answer with every bad answer to the same prompt; two test answers make no pair.

    An ideal that a case has too counts once.
    """
    by_prompt: dict[str, list[CaseOutcome]] = {}
    for outcome in without_repeated_ideals(tuple(outcomes)):
        if outcome.bounds is not None and outcome.case.is_bad is not None:
            by_prompt.setdefault(outcome.case.prompt, []).append(outcome)
    pairs = [
        Pair(good, bad, pair_state(good.bounds, bad.bounds))
        for each in by_prompt.values()
        for good, bad in product(each, each)
        if not good.case.is_bad and bad.case.is_bad and good.bounds and bad.bounds and not (good.test and bad.test)
    ]
    return Ranking(
        tuple(pair for pair in pairs if not pair.has_test_answer),
        tuple(pair for pair in pairs if pair.has_test_answer),
        tuple(outcome for each in by_prompt.values() for outcome in each if outcome.test is not None),
    )


def pair_state(good: Bounds, bad: Bounds) -> PairState:
    """How answers with these possible scores are ranked."""
    if good.low > bad.high + _NOISE:
        return PairState.RIGHT
    if good.high < bad.low - _NOISE:
        return PairState.WRONG
    return PairState.TIED if good.closed and bad.closed else PairState.OPEN


# --- Under changes of the rubric that are not made yet


class ChangedCase(Record):
    """The bounds of the score of a labelled answer, and its state."""

    bounds: Bounds
    state: CaseState


def changed_case(
    outcome: CaseOutcome, prompt: Prompt, changes: RubricChanges, extents: Mapping[int, float | None]
) -> ChangedCase:
    """A scored answer to `prompt` under `changes`; `extents` are those of loosened checks, by place."""
    case = outcome.case
    bounds = what_if(outcome.points, changes, extents, is_partial=prompt.is_cut_off).bounds
    states = [] if case.score is None else [range_state(case.score, bounds)]
    if case.fails is not None:
        places = points_named(prompt, case.fails)
        place = places[0] if len(places) == 1 else None
        extent = None
        if place is not None and place not in changes.off and outcome.scored is not None:
            extent = extents.get(place, known_extent(outcome.scored.assessments[place]))
        failed = CaseState.PASSED if extent is not None and is_failed(extent) else CaseState.FAILED
        states.append(CaseState.UNDECIDED if extent is None else failed)
    return ChangedCase(bounds, worst(states) if states else CaseState.LABELLED)


def ranked(answers: Iterable[tuple[CaseOutcome, Bounds]]) -> Sequence[PairState]:
    """How each pair of a good and a bad answer to one prompt is ranked, test answers aside."""
    labelled = [(each.case.is_bad, bounds) for each, bounds in answers if each.test is None]
    pairs = product(labelled, labelled)
    return [pair_state(good, bad) for (is_bad, good), (is_worse, bad) in pairs if is_bad is False and is_worse]


def untested_points(prompt: Prompt, cases: Iterable[Case]) -> tuple[int, ...]:
    """The places in `Prompt.points()` of the untested points of `should_not`. `cases` are those of this prompt.

    A point is tested by a person's grade with which it fails an answer, or by a case that names it under `fails`.
    Verdicts of judges and results of checks do not test it: they are what is to be tested.
    """
    tested = {place for case in cases for place in _committed(prompt, case)}
    return tuple(index for index, placed in enumerate(place(prompt)) if placed.inverted and index not in tested)


def _committed(prompt: Prompt, case: Case) -> Iterator[int]:
    """The points of `should_not` whose fault the answer of a case commits."""
    for grade in case.grades:  # checks have none
        if is_failed(1 - grade.grade.extent):
            yield from (at for at in points_named(prompt, grade.point) if prompt.points()[at].function is None)
    if case.fails is not None:
        named = points_named(prompt, case.fails)
        yield from named if len(named) == 1 else ()


# --- What each point is good for


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


class RubricCounts(Record):
    """The counts of one prompt, with the name that its cases use.

    `catches` and `fails_good` count the answers that any of its units fails. Of the test answers among the cases, it is
    said whether each unit fails them; None if that is not known.
    """

    name: str
    prompt: Prompt
    units: tuple[UnitCounts, ...]
    catches: Tally
    fails_good: Tally
    test_answers: tuple[tuple[CaseOutcome, tuple[bool | None, ...]], ...]


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
    failing = [(outcome, _failing(outcome, units, prompt)) for outcome in labelled]
    placed = place(prompt)

    def tally(is_bad: bool, points: Sequence[PlacedPoint], by: int | None = None) -> Tally:
        """The answers of one class that one unit fails, or any."""
        unseen = (None,) if prompt.is_cut_off else ()
        among = [
            (outcome.case, any_of((*by_unit, *unseen)) if by is None else by_unit[by])
            for outcome, by_unit in failing
            if outcome.test is None and bool(outcome.case.is_bad) is is_bad
        ]
        known = [(case, does_fail) for case, does_fail in among if does_fail is not None]
        seen = None if is_fresh is None else sum(not is_fresh(case, points) for case, _ in known)
        return Tally(sum(does_fail for _, does_fail in known), len(known), len(among) - len(known), seen)

    return RubricCounts(
        name,
        prompt,
        tuple(
            UnitCounts(
                unit,
                tally(True, unit.points, at),
                tally(False, unit.points, at),
                tuple(each for each in unit.places if each in untested),
            )
            for at, unit in enumerate(units)
        ),
        tally(True, placed),
        tally(False, placed),
        tuple((outcome, by_unit) for outcome, by_unit in failing if outcome.test is not None),
    )


def _failing(outcome: CaseOutcome, units: Sequence[Unit], prompt: Prompt) -> tuple[bool | None, ...]:
    """Whether each unit fails an answer; None where that is not known, as where a YAML error hides paths."""
    assessments = () if outcome.scored is None else outcome.scored.assessments
    return tuple(
        None if prompt.is_cut_off and unit.paths else fails([assessments[place] for place in unit.places])
        for unit in units
    )


# --- Fresh answers


def freshness(
    prompt: Prompt, header: Header, shown: Mapping[str, str], since: Mapping[tuple[Block, str], str]
) -> Freshness:
    """Whether an answer to `prompt` was first shown only after points had their present wording.

    `shown` is when each answer was first shown, by its digest, and `since` is since when points have their wording, by
    block and text (`engine.store.stored_answers`); both as ISO times in UTC. An answer or a wording without a time
    counts as seen.
    """

    def is_fresh(case: Case, points: Sequence[PlacedPoint]) -> bool:
        first = shown.get(text_digest(response_of(case, prompt, header).subject), "")
        times = [since.get((each.rubric.block, point_text(each.point)), "") for each in points]
        return bool(first) and all(time and time < first for time in times)

    return is_fresh


# --- Who meets a point: evidence on where to look, at the rubric or the answer, and no proof


class MetBy(Record, gc=False):
    """Of `known` models whose verdict on a point is known, `met` meet it; `ideal`: whether the ideal does, if known."""

    met: int
    known: int
    ideal: bool | None = None


def met_by(
    models: Sequence[Sequence[Assessment]], ideal: Sequence[Assessment] | None, points: int
) -> tuple[MetBy, ...]:
    """For each of so many points, how many of `models`, one answer each, meet it.

    A point is met by at least half, after inversion. Verdicts that are open, carried over or failed are not known.
    """
    found: list[MetBy] = []
    for at in range(points):
        known = [extent for each in models if (extent := known_extent(each[at])) is not None]
        of_ideal = None if ideal is None else known_extent(ideal[at])
        met = sum(not is_failed(extent) for extent in known)
        found.append(MetBy(met, len(known), None if of_ideal is None else not is_failed(of_ideal)))
    return tuple(found)


def met_by_text(found: MetBy, *, is_met: bool | None) -> str:
    """`evidence: 6 of 8 other models meet this and the ideal meets it, so look at the answer`; "" if nothing is known.

    `is_met`: whether the answer that is shown meets the point. Only for one that it fails, it says where to look.
    """
    parts: list[str] = []
    if found.known:
        verb = "meets" if found.known == 1 else "meet"
        parts.append(f"{found.met} of {count(found.known, 'other model')} {verb} this")
    if found.ideal is not None:
        parts.append("the ideal meets it" if found.ideal else "the ideal does not meet it")
    if not parts:
        return ""
    return f"evidence: {' and '.join(parts)}{'' if is_met is not False else _points_to(found)}"


def _points_to(found: MetBy) -> str:
    """Where the evidence points for a point that the answer fails; "" where it is divided."""
    do_most, does_none = found.met * 2 > found.known, found.met == 0
    if (do_most or not found.known) and found.ideal is not False:
        return ", so look at the answer"
    return ", so look at the rubric" if does_none and found.ideal is not True else ""


# --- In words


_MOST_POINTS = 3


def pair_text(pair: Pair) -> str:
    """A pair that is ranked wrongly: `case 2, bad, scores 62.5; case 1, good, only 37.5`."""
    good, bad = pair.good, pair.bad
    return f"{_named(bad)}, bad, scores {bad.score}; {_named(good)}, good, only {good.score}"


def _named(outcome: CaseOutcome) -> str:
    return outcome.case.name if outcome.test is None else f"{outcome.case.name}, a test answer ({outcome.test})"


def favouring_text(pair: Pair) -> str:
    """`points that favour the bad answer: “A”, “B” and “C” and 2 more`; "" if none does."""
    points = [point_label(point) for point in pair.favouring_bad]
    if not points:
        return ""
    more = f" and {len(points) - _MOST_POINTS} more" if len(points) > _MOST_POINTS else ""
    return f"criteria that favour the bad answer: {listed(points[:_MOST_POINTS])}{more}"


def open_lines(ranking: Ranking) -> Iterator[str]:
    """Why pairs are open: `the ideal, 50–100: “Names the lease” (not judged)`, a line for each answer."""
    told: set[tuple[str, int]] = set()
    for pair in ranking.pairs:
        for outcome in (pair.good, pair.bad) if pair.state is PairState.OPEN else ():
            key, why = (outcome.case.prompt, outcome.case.number), open_text(outcome)
            if why and key not in told:
                told.add(key)
                yield f"{_named(outcome)}, {outcome.score}: {why}"


def open_text(outcome: CaseOutcome) -> str:
    """Which points of an answer lack a verdict, and why: `“A” and “B” (not judged); “C” (judged before this edit)`."""
    found: dict[str, list[str]] = {}
    for each in outcome.scored.assessments if outcome.scored is not None else ():
        if not each.assessed or each.possible is not None:
            why = "judged before this edit" if each.carried_over else one_line(each.detail or "not judged")
            found.setdefault(why, []).append(point_label(each.point))
    return "; ".join(f"{listed(labels)} ({why})" for why, labels in found.items())


def placed_label(placed: PlacedPoint) -> str:
    """A point with its block: `not: “Advises to stop paying rent”`."""
    return f"{'not: ' if placed.inverted else ''}{point_label(placed.point)}"


def unit_label(unit: Unit) -> str:
    """A required point, or `the best of 2 paths`."""
    if unit.paths:
        return "the only path" if unit.paths == 1 else f"the best of {unit.paths} paths"
    (placed,) = unit.points
    return placed_label(placed)


def counts_text(counts: UnitCounts | RubricCounts) -> str:
    """What a unit, or all points together, are good for: `catches 2 of 3 bad (1 unjudged) · fails 0 of 3 good`."""
    catches, fails = ("catches", "fails") if isinstance(counts, UnitCounts) else ("catch", "fail")
    bad, good = tally_text(catches, counts.catches, "bad"), tally_text(fails, counts.fails_good, "good")
    return " · ".join(filter(None, (bad, good)))


def seen_text(*tallies: Tally) -> str:
    """`all seen while wording`, or `3 of 5 seen while wording`; "" if none was, or it is not known."""
    known, seen = sum(tally.known for tally in tallies), sum(tally.seen or 0 for tally in tallies)
    return f"{'all' if seen == known else f'{seen} of {known}'} seen while wording" if seen else ""


def tally_text(verb: str, tally: Tally, label: str) -> str:
    """`catches 2 of 3 bad (1 unjudged)`; `1 bad unjudged` where none is known, "" without answers."""
    if not tally.known:
        return f"{tally.unjudged} {label} unjudged" if tally.unjudged else ""
    unjudged = f" ({tally.unjudged} unjudged)" if tally.unjudged else ""
    return f"{verb} {tally.count} of {tally.known} {label}{unjudged}"


def unit_lines(counts: RubricCounts) -> Iterator[str]:
    """One line for each unit, with what it is good for."""
    for each in counts.units:
        untested = " · untested" if each.untested else ""
        yield f"{unit_label(each.unit)}: {counts_text(each)}{untested}"
