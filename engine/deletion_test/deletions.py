"""What a deletion test found, by sentence and by check."""

from __future__ import annotations

from enum import StrEnum

from engine.record import Record
from engine.scoring.assessment import PlacedPoint
from engine.text import Span


class Deletion(Record):
    """One sentence of the ideal, its place there, and the ideal without it."""

    span: Span
    text: str
    without: str


class CheckTrial(Record):
    """One local check, tried on the ideal without each sentence.

    `place` is its place in `Prompt.points()`, `extent` (0–1, after inversion) its result on the whole ideal, None if it
    cannot run there; `problem` then says why. `noticed` are the deletions, by number from 0, that lower its result,
    `raised` those that raise it, and `untried` those on which it could not run. `passes_echo` and `passes_empty` say
    whether the prompt echoed back and an empty answer get at least half of it; None if it could not run on them.
    """

    place: int
    placed: PlacedPoint
    extent: float | None
    problem: str = ""
    noticed: tuple[int, ...] = ()
    raised: tuple[int, ...] = ()
    untried: tuple[int, ...] = ()
    passes_echo: bool | None = None
    passes_empty: bool | None = None

    @property
    def is_tried(self) -> bool:
        """Whether it could run on the ideal."""
        return self.extent is not None

    @property
    def rewards_echo(self) -> bool:
        """Whether the prompt echoed back passes it by what it says: an empty answer does not."""
        return self.passes_echo is True and self.passes_empty is False


ROUNDS = 4
"""How many verdicts are compared on each side: fewer cannot tell a difference from chance."""


class CriterionTrial(Record):
    """One criterion, judged on the whole ideal and without each sentence that its judges quoted.

    `place` is its place in `Prompt.points()`. `whole` are the verdicts on the whole ideal, one for each round (the mean
    of the judges, 0–1 after inversion), and `without` those without a sentence, by its number from 0. `problem` says
    why it was not tried, "" if it was.
    """

    place: int
    placed: PlacedPoint
    whole: tuple[float, ...] = ()
    without: tuple[tuple[int, tuple[float, ...]], ...] = ()
    problem: str = ""

    @property
    def tried(self) -> tuple[int, ...]:
        """The sentences without which it has all its verdicts."""
        if len(self.whole) < ROUNDS:
            return ()
        return tuple(number for number, verdicts in self.without if len(verdicts) >= ROUNDS)

    @property
    def depends_on(self) -> tuple[int, ...]:
        """The sentences that it depends on: each verdict without one is below each verdict with it."""
        verdicts = dict(self.without)
        return tuple(number for number in self.tried if max(verdicts[number]) < min(self.whole))


class SentenceState(StrEnum):
    """What is known of one sentence.

    `UNASSESSED`: all points were tried without it, and none noticed. `UNNOTICED`: no check noticed, and some points
    were not tried.
    """

    NOTICED = "noticed"
    UNASSESSED = "unassessed"
    UNNOTICED = "unnoticed"


class UntriedPoints(Record):
    """How many points were not tried without a sentence: criteria in words, checks by a service, and other checks."""

    criteria: int = 0
    services: int = 0
    checks: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.criteria + self.services + self.checks


class DeletionTest(Record):
    """The result for one prompt.

    `checks` are its local checks in the order of `Prompt.points()`. `criteria` and `services` are the places of the
    points in words and of the checks by a service. Services are never called; `trials` are of criteria that judges
    were asked about.
    """

    ideal: str
    deletions: tuple[Deletion, ...]
    checks: tuple[CheckTrial, ...]
    criteria: tuple[int, ...] = ()
    services: tuple[int, ...] = ()
    trials: tuple[CriterionTrial, ...] = ()

    def depending(self, number: int) -> tuple[CriterionTrial, ...]:
        """The criteria that depend on sentence `number` (from 0)."""
        return tuple(trial for trial in self.trials if number in trial.depends_on)

    def noticing(self, number: int) -> tuple[CheckTrial, ...]:
        """The checks that notice the deletion of sentence `number` (from 0)."""
        return tuple(check for check in self.checks if number in check.noticed)

    def untried(self, number: int) -> UntriedPoints:
        """The points that were not tried without sentence `number`."""
        checks = sum(not check.is_tried or number in check.untried for check in self.checks)
        criteria = len(self.criteria) - sum(number in trial.tried for trial in self.trials)
        return UntriedPoints(criteria, len(self.services), checks)

    def state(self, number: int) -> SentenceState:
        """What is known of sentence `number`."""
        if self.noticing(number) or self.depending(number):
            return SentenceState.NOTICED
        return SentenceState.UNNOTICED if self.untried(number).total else SentenceState.UNASSESSED

    def count(self, state: SentenceState) -> int:
        """How many sentences are in this state."""
        return sum(self.state(number) is state for number in range(len(self.deletions)))

    def same_as(self, check: CheckTrial) -> tuple[CheckTrial, ...]:
        """The other checks that notice exactly the same deletions, which makes `check` redundant on this ideal.

        Checks on different paths are alternatives and never redundant. An ideal of one sentence tells no two checks
        apart.
        """
        if len(self.deletions) < 2 or not check.noticed or check.untried:
            return ()
        return tuple(
            other
            for other in self.checks
            if other is not check
            and other.noticed == check.noticed
            and not other.untried
            and not _are_alternatives(check.placed, other.placed)
        )


def _are_alternatives(one: PlacedPoint, other: PlacedPoint) -> bool:
    return one.path_id is not None and other.path_id is not None and one.path_id != other.path_id
