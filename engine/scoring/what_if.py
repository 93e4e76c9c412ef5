"""Scores under changes that are not made yet: verdicts, weights, points switched off, paths flattened.

Only sums are computed, so one change of one answer takes some microseconds per point. What points can still bring (the
most that any answer can get for each), how far each path leads or trails, and the costs of points as a waterfall, come
from the same sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import accumulate

from engine import functions
from engine.blueprint import FunctionCall
from engine.functions.function_text import count
from engine.functions.point_function import Args, Quantifier, Target
from engine.scoring.assessment import Assessment, OnWeval
from engine.scoring.explanation import Bounds, Explanation, GroupScore, PointScore
from engine.scoring.sums import PointExtent, groups_of
from engine.text.record import Record, field

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


class PathStanding(Record):
    """One path among the others.

    `lead` is its mean less the best mean of the others, −1 to 1, over all verdicts still to come. `change` are the
    fewest points that an answer has to meet (or avoid) so that this path is the best for sure: empty if it is already,
    None if no answer makes it so; then `can_tie` tells whether it can at least be as good.
    """

    path: GroupScore
    lead: Bounds
    change: tuple[PointScore, ...] | None
    can_tie: bool = False

    @property
    def is_level(self) -> bool:
        """Whether it is exactly as good as the best of the others."""
        return max(abs(self.lead.low), abs(self.lead.high)) <= NOISE

    @property
    def is_best(self) -> bool:
        """Whether it is the best path for sure."""
        return self.change == ()


def path_standings(explanation: Explanation) -> tuple[PathStanding, ...]:
    """The standing of each path, in their order; empty with fewer than two, or if a YAML error hides points."""
    if explanation.is_partial:
        return ()
    paths = [gains for path in explanation.paths if (gains := possible_gains(path)) is not None]
    if len(paths) < 2:
        return ()
    return tuple(_standing(path, [each for each in paths if each is not path]) for path in paths)


def _standing(path: PossibleGains, others: Sequence[PossibleGains]) -> PathStanding:
    low, high = max(each.lowest() for each in others), max(each.highest() for each in others)
    lead = Bounds(path.lowest() - high, path.highest() - low)
    needed = next((count for count, gain in enumerate(path.gains) if path.lowest(gain) > high + NOISE), None)
    change = None if needed is None else tuple(each.point for each in path.candidates[:needed])
    can_tie = path.most >= high - NOISE
    return PathStanding(path.group, lead, change, can_tie)


STEPS = (0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
"""The weights that a key steps through."""
_ROUNDING = 1e-9
"""Means that differ by less are equal, as those of equal extents under any weights; the first of them counts."""


class RubricChanges(Record):
    """Changes of a rubric: weights and points that are off, by place in `Prompt.points()`, and paths flattened."""

    weights: Mapping[int, float] = field(default_factory=dict[int, float])
    off: frozenset[int] = frozenset()
    flat: frozenset[str] = frozenset()

    @property
    def count(self) -> int:
        """How many changes these are."""
        return len(self.weights.keys() - self.off) + len(self.off) + len(self.flat)


class WhatIfScore(Record):
    """The score of one answer (0–1; None if no point is assessed), its bounds, and the path that counts."""

    score: float | None
    bounds: Bounds
    best_path_id: str | None


def what_if(
    points: Sequence[PointExtent],
    changes: RubricChanges,
    extents: Mapping[int, float | None] | None = None,
    *,
    is_partial: bool = False,
) -> WhatIfScore:
    """The score of an answer with these `points`, in the order of `Prompt.points()`, under `changes`.

    `extents` are other extents (0–1 after inversion) by place. Without a point that is left, everything is 0.
    `is_partial`: a YAML error hides points.
    """
    changed = tuple(_changed(points, changes, extents or {}))
    sums = groups_of(changed, is_partial=is_partial)
    paths = {each.path_id: sums[each.path_id].mean for each in changed if each.path_id is not None}
    scored = {path_id: mean for path_id, mean in paths.items() if mean is not None}
    highest = max(scored.values(), default=0.0)
    best = next((path_id for path_id, mean in scored.items() if mean >= highest - _ROUNDING), None)
    return WhatIfScore(sums.score, sums.bounds, best)


def _changed(
    points: Sequence[PointExtent], changes: RubricChanges, extents: Mapping[int, float | None]
) -> Iterator[PointExtent]:
    for place, point in enumerate(points):
        if place in changes.off:
            continue
        path_id = None if point.path_id in changes.flat else point.path_id
        weight, extent = changes.weights.get(place, point.multiplier), extents.get(place, point.extent)
        yield PointExtent(extent, weight, path_id, None if place in extents else point.possible)


def stepped(weight: float, by: int) -> float:
    """The next weight of `STEPS` above (`by` 1) or below (−1) `weight`; the same at the end."""
    if by > 0:
        return next((step for step in STEPS if step > weight + _ROUNDING), max(STEPS[-1], weight))
    return next((step for step in reversed(STEPS) if step < weight - _ROUNDING), min(STEPS[0], weight))


class Fall(Record):
    """The cost of one point, with what is left of the score (0–1) before and after it."""

    point: PointScore
    before: float
    after: float
    cost: float


def waterfall(explanation: Explanation) -> tuple[Fall, ...]:
    """The points that cost something, down to the score; while points are open, to the highest that is possible.

    In the order of the computation: the required points, then the best path. Empty if a YAML error hides points.
    """
    points = [(point, point.cost) for group in explanation.groups() for point in group.points if point.cost]
    falls: list[Fall] = []
    before = 1.0
    for number, (point, cost) in enumerate(points, 1):
        after = explanation.settled.high if number == len(points) else max(before - cost, explanation.settled.high)
        falls.append(Fall(point, before, after, cost))
        before = after
    return tuple(falls)
