"""What points can still bring: the most that any answer can get for each, and what those of a group add to its mean."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import accumulate

from engine import functions
from engine.blueprint import FunctionCall
from engine.functions.function_text import count
from engine.functions.point_function import Args, Quantifier, Target
from engine.scoring.assessment import Assessment, OnWeval
from engine.scoring.explanation import GroupScore, PointScore
from engine.scoring.sums import PointExtent
from engine.text.record import Record

_SYNTAX_ERROR = "The script failed: SyntaxError"
_EMPTY = "its list is empty, so nothing can be found"


class Obstacle(Record, gc=False):
    """A point that no answer meets in full, and why; `highest` is the most that an answer can get for it, 0–1."""

    point: PointScore
    highest: float
    why: str


_NO_LIMIT = (1.0, "")


def attainable(assessment: Assessment) -> tuple[float, str]:
    """The most that an answer can get for the point of `assessment`, 0–1 after inversion, and why it is below 1.

    Less than 1 for a check that runs on no answer, and for a list check that needs more texts than it lists. A script,
    a pattern that was stopped, or arguments of another shape may be fine with another answer.
    """
    call = assessment.point.function
    if call is None:
        return _NO_LIMIT
    function = functions.find(call.name)
    if assessment.broken and _fails_always(call, assessment):
        return assessment.extent or 0.0, f"its check cannot run: {assessment.error}"
    if function is None or (function.negates is not None) is not assessment.placed.inverted:
        return _NO_LIMIT  # it is met by finding nothing, which some answer does
    if function.search is None:
        return _NO_LIMIT
    return _by_number(call.args, function.search.quantifier)


def _fails_always(call: FunctionCall, assessment: Assessment) -> bool:
    function = functions.find(call.name)
    if function is None or function.problem(call.args) is not None:
        return True
    is_pattern = function.search is not None and function.search.target is Target.PATTERN
    if is_pattern:
        return assessment.on_weval is not OnWeval.NO_LIMIT
    return (assessment.error or "").startswith(_SYNTAX_ERROR)


def _by_number(args: Args, quantifier: Quantifier) -> tuple[float, str]:
    match quantifier, args:
        case Quantifier.ANY, []:
            return 0.0, _EMPTY
        case Quantifier.AT_LEAST_N, [int() | float() as number, list(texts)] if number > max(len(texts), 0):
            why = f"it asks for {number:g} of only {count(len(texts), 'text')}" if texts else _EMPTY
            return len(texts) / number, why
        case _:
            return _NO_LIMIT


NOISE = 1e-11
"""What the rounding of binary fractions can add to a score of 0–1."""
_DIGITS = 9
"""Sums of gains that agree in so many decimals are equal."""


class Candidate(Record, gc=False):
    """A point that an answer could meet better, and what the sum of weighted extents would gain.

    `gain` is counted from the lowest extent that is possible, `high_gain` from the highest.
    """

    point: PointScore
    gain: float
    high_gain: float


class PossibleGains(Record):
    """One group: its lowest and highest sums of weighted extents, its weights, and its candidates, the greatest gain
    first. `gains` are the sums of the first 0, 1, 2 … gains."""

    group: GroupScore
    low: float
    high: float
    weights: float
    candidates: tuple[Candidate, ...]
    gains: tuple[float, ...]
    obstacles: tuple[Obstacle, ...]

    def lowest(self, gained: float = 0.0) -> float:
        """The mean with missing verdicts at 0, and `gained` added to the sum."""
        return (self.low + gained) / self.weights

    def highest(self, gained: float = 0.0) -> float:
        """The mean with missing verdicts at 1, and `gained` added to the sum."""
        return (self.high + gained) / self.weights

    @property
    def most(self) -> float:
        """The mean of an answer that gets the most of every point."""
        return self.lowest(self.gains[-1])


def possible_gains(group: GroupScore) -> PossibleGains | None:
    """The possible gains of `group`; None if all its weights are 0."""
    low = high = weights = 0.0
    candidates: list[Candidate] = []
    obstacles: list[Obstacle] = []
    for point in group.points:
        settled = PointExtent.settled(point.assessment)
        possible, weight = settled.bounds, settled.multiplier
        most, why = attainable(point.assessment)
        if most < 1:
            obstacles.append(Obstacle(point, most, why))
        highest = min(possible.high, most)
        low += possible.low * weight
        high += highest * weight
        weights += weight
        gain = (most - possible.low) * weight
        if gain > 0:
            candidates.append(Candidate(point, gain, (most - highest) * weight))
    if not weights > 0:
        return None
    candidates.sort(key=lambda each: -each.gain)
    gains = tuple(accumulate((each.gain for each in candidates), initial=0.0))
    return PossibleGains(group, low, high, weights, tuple(candidates), gains, tuple(obstacles))


def best_sets(group: PossibleGains, count: int, most: int) -> list[tuple[tuple[Candidate, ...], float]]:
    """The `most` sets of `count` candidates of `group` with the greatest gains, each with its gain, the greatest first.

    Fewer if there are no more. Of sets with the same gain, those with the greatest single gains come first.
    """
    candidates = group.candidates

    def ranked(places: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        return -round(sum(candidates[place].gain for place in places), _DIGITS), places

    # The first `count` candidates gain the most; any other set follows one with a single candidate a place earlier.
    first = tuple(range(count))
    waiting, seen = [ranked(first)] if count <= len(candidates) else [], {first}
    found: list[tuple[tuple[Candidate, ...], float]] = []
    while waiting and len(found) < most:
        _, places = heappop(waiting)
        chosen = tuple(candidates[place] for place in places)
        found.append((chosen, sum(each.gain for each in chosen)))
        for at, place in enumerate(places):
            after = (*places[:at], place + 1, *places[at + 1 :])
            limit = places[at + 1] if at + 1 < count else len(candidates)
            if place + 1 < limit and after not in seen:
                seen.add(after)
                heappush(waiting, ranked(after))
    return found
