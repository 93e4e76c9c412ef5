"""Scores under changes that are not made yet: verdicts, weights, points switched off, paths flattened; and targets.

Only sums are computed, so one change of one answer takes some microseconds per point. What points can still bring (the
most that any answer can get for each), how far each path leads or trails, and the smallest sets of points that are
enough for a score, come from the same sums.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import accumulate

from engine import functions
from engine.blueprint import FunctionCall
from engine.functions.point_function import Args, Quantifier
from engine.functions.point_function import Target as SearchTarget
from engine.scoring.assessment import Assessment, OnWeval
from engine.scoring.explanation import (
    Bounds,
    Explanation,
    GroupScore,
    PointScore,
    bounds_text,
    listed,
    number_text,
    point_label,
    points_text,
    tenths,
)
from engine.scoring.sums import Gains, Groups, PointExtent, Sums, groups_of
from engine.text.record import Record, field, replace
from engine.text.spans import count

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
    is_pattern = function.search is not None and function.search.target is SearchTarget.PATTERN
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
    """One group: its `sums` over what any answer can get for its points, and its candidates, the greatest gain first.

    `gains` are the sums of the first 0, 1, 2 … gains.
    """

    group: GroupScore
    sums: Sums
    candidates: tuple[Candidate, ...]
    gains: tuple[float, ...]
    obstacles: tuple[Obstacle, ...]

    def lowest(self, gained: float) -> float:
        """The mean with missing verdicts at 0, and `gained` added to the sum."""
        return self.sums.lowest_with(gained) or 0.0

    @property
    def most(self) -> float:
        """The mean of an answer that gets the most of every point."""
        return self.lowest(self.gains[-1])


def possible_gains(group: GroupScore) -> PossibleGains | None:
    """The possible gains of `group`; None if all its weights are 0."""
    points: list[PointExtent] = []
    candidates: list[Candidate] = []
    obstacles: list[Obstacle] = []
    for point in group.points:
        settled = PointExtent.settled(point.assessment)
        low, high, weight = settled.bounds.low, settled.bounds.high, settled.multiplier
        most, why = attainable(point.assessment)
        if most < 1:
            obstacles.append(Obstacle(point, most, why))
        high = min(high, most)
        points.append(PointExtent(None, weight, possible=Bounds(low, high)))
        if (most - low) * weight > 0:
            candidates.append(Candidate(point, (most - low) * weight, (most - high) * weight))
    sums = Sums.of(points)
    candidates.sort(key=lambda each: -each.gain)
    gains = tuple(accumulate((each.gain for each in candidates), initial=0.0))
    return PossibleGains(group, sums, tuple(candidates), gains, tuple(obstacles)) if sums.all_weights > 0 else None


def best_sets(group: PossibleGains | None, count: int, most: int) -> list[tuple[tuple[Candidate, ...], float]]:
    """The `most` sets of `count` candidates of `group` with the greatest gains, each with its gain, the greatest first.

    Fewer if there are no more; of nothing, the empty one. Of sets with the same gain, those with the greatest single
    gains come first.
    """
    candidates = () if group is None else group.candidates

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


def path_standings(explanation: Explanation) -> tuple[PathStanding, ...]:
    """The standing of each path, in their order; empty with fewer than two, or if a YAML error hides points."""
    if explanation.is_partial:
        return ()
    paths = [gains for path in explanation.paths if (gains := possible_gains(path)) is not None]
    if len(paths) < 2:
        return ()
    return tuple(_standing(path, [each for each in paths if each is not path]) for path in paths)


def _standing(path: PossibleGains, others: Sequence[PossibleGains]) -> PathStanding:
    bounds = path.sums.bounds
    low, high = max(each.sums.bounds.low for each in others), max(each.sums.bounds.high for each in others)
    lead = Bounds(bounds.low - high, bounds.high - low)
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


MOST_SETS = 10
"""How many sets of the smallest size are listed."""


class PointSet(Record):
    """Points that an answer would have to meet, or avoid in `should_not`; `bounds` are those of the score then."""

    points: tuple[PointScore, ...]
    bounds: Bounds


class Target(Record):
    """What an answer would have to do for a score of `wanted` (0–1), whatever the verdicts still to come.

    `bounds` are those of the present score. `sets` are the smallest sets of points that are enough, each of the same
    size, those with the highest scores first; at most `MOST_SETS`, and `has_others` if there are more. Empty if the
    score is certain already, or out of reach. `highest` is the highest score that an answer can be sure of, and
    `obstacles` are the points that keep it below 1. `is_partial`: a YAML error hides points, so no score is certain.
    `paths` is the number of paths, of which only the best counts: no set has points of two.
    """

    wanted: float
    bounds: Bounds
    highest: float
    sets: tuple[PointSet, ...] = ()
    has_others: bool = False
    obstacles: tuple[Obstacle, ...] = ()
    is_partial: bool = False
    paths: int = 0

    @property
    def is_reached(self) -> bool:
        """Whether the lowest possible score is enough."""
        return self.bounds.low >= self.wanted - NOISE

    @property
    def is_reachable(self) -> bool:
        """Whether any answer gets the score for sure."""
        return self.is_reached or self.highest >= self.wanted - NOISE


def target(explanation: Explanation, wanted: float) -> Target:
    """What an answer would have to do for a score of `wanted`, 0–1. Counted from the lowest possible score.

    A point of a set is met in full, or as far as any answer can; all other points keep their extents, open ones at 0.
    """
    bounds = explanation.settled
    if explanation.is_partial:
        return Target(wanted, bounds, 0.0, is_partial=True)
    search = _Search(explanation)
    found = Target(wanted, bounds, search.highest, obstacles=search.obstacles, paths=len(search.paths))
    if found.is_reached or not found.is_reachable:
        return found
    sets = search.smallest_sets(wanted - NOISE)
    return replace(found, sets=sets[:MOST_SETS], has_others=len(sets) > MOST_SETS)


class _Search:
    """Searches for sets of points over the required points and one path; the others gain nothing."""

    def __init__(self, explanation: Explanation) -> None:
        groups = [gains for group in explanation.groups() if (gains := possible_gains(group)) is not None]
        self._groups = Groups({each.group.path_id: each.sums for each in groups})
        self._required = next((each for each in groups if each.group.path_id is None), None)
        self.paths = [each for each in groups if each.group.path_id is not None]
        best = max(self.paths, key=lambda path: path.most, default=None)
        decisive = [each for each in (self._required, best) if each is not None]
        self.highest = self._groups.lowest_with({each.group.path_id: each.gains[-1] for each in decisive})
        self.obstacles = tuple(obstacle for group in decisive for obstacle in group.obstacles)

    def _gains(self, of_required: float, path: PossibleGains | None, of_path: float) -> Gains:
        gains = ((self._required, of_required), (path, of_path))
        return {group.group.path_id: gained for group, gained in gains if group is not None}

    def _score(self, of_required: float, path: PossibleGains | None, of_path: float) -> float:
        """The lowest possible score with these gains."""
        return self._groups.lowest_with(self._gains(of_required, path, of_path))

    def smallest_sets(self, wanted: float) -> tuple[PointSet, ...]:
        """The smallest sets that reach `wanted`, the highest score first; a few more than are listed at most."""
        splits = list(self._splits(wanted))
        size = min(required + of_path for required, _, of_path in splits)
        found = [each for split in splits if split[0] + split[2] == size for each in self._sets(*split, wanted)]
        return tuple(sorted(found, key=lambda each: -each.bounds.low))

    def _splits(self, wanted: float) -> Iterator[tuple[int, PossibleGains | None, int]]:
        """How sets are spread: the least number of required points that reaches `wanted` with so many of one path."""
        gains = (0.0,) if self._required is None else self._required.gains
        for path in (None, *self.paths):
            for of_path in range(1 if path is not None else 0, 1 if path is None else len(path.candidates) + 1):
                gained = 0.0 if path is None else path.gains[of_path]
                least = bisect_left(
                    range(len(gains)),
                    True,
                    key=lambda number, path=path, gained=gained: self._score(gains[number], path, gained) >= wanted,
                )
                if least < len(gains):
                    yield least, path, of_path

    def _sets(self, required: int, path: PossibleGains | None, of_path: int, wanted: float) -> list[PointSet]:
        """The sets of one split that reach `wanted`, the highest score first; one more than are listed at most.

        The score never falls when a gain rises, so the best sets have the best points of both parts.
        """
        found = [
            self._set(those_required, path, those_of_path)
            for those_required, of_required in best_sets(self._required, required, MOST_SETS + 1)
            for those_of_path, gained in best_sets(path, of_path, MOST_SETS + 1)
            if self._score(of_required, path, gained) >= wanted
        ]
        return sorted(found, key=lambda each: -each.bounds.low)[: MOST_SETS + 1]

    def _set(
        self, required: tuple[Candidate, ...], path: PossibleGains | None, of_path: tuple[Candidate, ...]
    ) -> PointSet:
        low = self._score(sum(each.gain for each in required), path, sum(each.gain for each in of_path))
        of_required, gained = (sum(each.high_gain for each in part) for part in (required, of_path))
        high = self._groups.highest_with(self._gains(of_required, path, gained))
        return PointSet(tuple(each.point for each in (*required, *of_path)), Bounds(low, max(high, low)))


def target_headline(target: Target) -> str:
    """What it takes, in one sentence: `2 more rubric points are enough for 85, in any of these 3 sets`."""
    wanted = number_text(target.wanted)
    if target.is_partial:
        return f"no score is certain, {wanted} or any other: part of the rubric cannot be read"
    if target.is_reached:
        return f"no change is needed: the score is at least {points_text(target.bounds.low)}"
    if not target.is_reachable:
        return f"{wanted} cannot be reached: {_most_text(target)}"
    size = len(target.sets[0].points)
    points = count(size, "more criterion is", "more criteria are")
    choice = "" if len(target.sets) == 1 else f", in any of these {len(target.sets)} sets"
    if target.has_others:
        choice = f": {MOST_SETS} of the sets that are, and others"
    return f"{points} enough for {wanted}{choice}"


def ceiling_text(target: Target) -> str:
    """The highest score that an answer can be sure of, where that is below 100 and above what is wanted; else ""."""
    if not target.obstacles or not target.is_reachable or target.is_partial:
        return ""
    return _most_text(target)


def _most_text(target: Target) -> str:
    return f"{points_text(target.highest)} is the most that an answer can be sure of"


def target_notes(target: Target) -> tuple[str, ...]:
    """What one has to know to read the sets, a sentence each; nothing where there are no sets."""
    if not target.sets:
        return ()
    notes = [f"Of the {target.paths} paths only the best counts, so no set has criteria of two."]
    return (*(notes if target.paths > 1 else ()), *(() if target.bounds.closed else (_OPEN,)), _EXCLUSIVE)


_OPEN = "Counted from the lowest score that is possible: criteria that are not judged count 0."
_EXCLUSIVE = "Criteria that exclude each other are not recognised: read a set before you aim at it."


def set_text(points: Iterable[PointScore]) -> str:
    """What an answer has to do: `meet “A” and “B”, and avoid “C”`. Open points are marked."""
    every = tuple(points)
    meet = [_named(each) for each in every if not each.assessment.placed.inverted]
    avoid = [_named(each) for each in every if each.assessment.placed.inverted]
    parts = [f"{verb} {listed(names)}" for verb, names in (("meet", meet), ("avoid", avoid)) if names]
    return ", and ".join(parts)


def _named(point: PointScore) -> str:
    state = "" if point.assessment.assessed else f" ({point.assessment.unjudged_text})"
    return f"{point_label(point.assessment.point)}{state}"


def outcome_text(found: PointSet) -> str:
    """The score with a set of points: `87.5`, or `87.5–95` while points are open."""
    return bounds_text(found.bounds.low, found.bounds.high)


def obstacle_text(obstacle: Obstacle) -> str:
    """`$matches: ( counts 0 whatever the answer: its check cannot run: …`."""
    most = "0" if obstacle.highest <= 0 else f"at most {number_text(obstacle.highest)}"
    return f"{point_label(obstacle.point.assessment.point)} counts {most} whatever the answer: {obstacle.why}"


def lead_text(lead: Bounds) -> str:
    """A lead over the other paths: `12 ahead`, `37.5 behind`, `level`; `20 behind to 35 ahead` if open."""
    low, high = tenths(lead.low), tenths(lead.high)
    if low == high:
        return _side(low)
    if low > 0 or high < 0:
        least, most = sorted((abs(low), abs(high)))
        return f"{number_text(least / 1000)} to {_side(most if low > 0 else -most)}"
    return f"{_side(low)} to {_side(high)}"


def _side(lead: int) -> str:
    if lead == 0:
        return "level"
    return f"{number_text(abs(lead) / 1000)} {'ahead' if lead > 0 else 'behind'}"


def change_text(standing: PathStanding) -> str:
    """The smallest change that makes a path the best: `to be the best, meet “A”`; "" if it is as good as it can be."""
    if standing.change:
        return f"to be the best, {set_text(standing.change)}"
    if standing.change is None and not (standing.can_tie and standing.is_level):
        return "it can only draw level" if standing.can_tie else "no answer makes it the best"
    return ""
