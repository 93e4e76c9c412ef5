"""What labelled answers say of a rubric, in words: its pairs that are ranked wrongly, and what its points catch."""

from __future__ import annotations

from collections.abc import Iterator

from engine.cases.case_outcome import CaseOutcome
from engine.cases.criterion_counts import RubricCounts, Tally, Unit, UnitCounts
from engine.cases.pair_ranking import Pair, PairState, Ranking
from engine.scoring.assessment import PlacedPoint
from engine.scoring.explanation_text import listed, point_label

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
    return f"points that favour the bad answer: {listed(points[:_MOST_POINTS])}{more}"


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
            why = "judged before this edit" if each.carried_over else " ".join((each.detail or "not judged").split())
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


def unit_text(counts: UnitCounts) -> str:
    """What a unit is good for: `catches 2 of 3 bad (1 unjudged) · fails 0 of 3 good`."""
    bad, good = tally_text("catches", counts.catches, "bad"), tally_text("fails", counts.fails_good, "good")
    return " · ".join(filter(None, (bad, good)))


def seen_text(*tallies: Tally) -> str:
    """`all seen while wording`, or `3 of 5 seen while wording`; "" if none was, or it is not known."""
    known, seen = sum(tally.known for tally in tallies), sum(tally.seen or 0 for tally in tallies)
    return f"{'all' if seen == known else f'{seen} of {known}'} seen while wording" if seen else ""


def rubric_text(counts: RubricCounts) -> str:
    """What all points of a rubric together are good for: `catch 3 of 3 bad · fail 2 of 2 good (1 unjudged)`."""
    bad, good = tally_text("catch", counts.catches, "bad"), tally_text("fail", counts.fails_good, "good")
    return " · ".join(filter(None, (bad, good)))


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
        yield f"{unit_label(each.unit)}: {unit_text(each)}{untested}"
