"""How far each path leads or trails, and what an answer would have to meet for it to be the best."""

from __future__ import annotations

from collections.abc import Sequence

from engine.record import Record
from engine.scoring.explanation import Bounds, Explanation, GroupScore, PointScore
from engine.scoring.possible_gains import NOISE, PossibleGains, possible_gains


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
