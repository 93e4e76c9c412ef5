"""What two or three authors do in one schedule: who does what, one after the other or at once, and who is disturbed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from engine.text.record import replace
from tests.fire.studio_events import Deed

STEPS = 12
_DEEDS = {
    Deed.OPEN: 2,
    Deed.TYPE: 6,
    Deed.TYPE_ON: 1,
    Deed.DELETE: 1,
    Deed.SAVE: 4,
    Deed.SAVE_AS: 1,
    Deed.RELOAD: 2,
    Deed.RECOVER: 2,
    Deed.RUN: 2,
    Deed.GRADE: 2,
    Deed.AGREE: 2,
    Deed.CLOSE: 2,
}
"""How often each deed is chosen, beside the others."""
_WRITTEN = 0.1
"""The share of steps before which another program writes the file."""
_ANSWERS: Mapping[str, tuple[str, ...]] = {
    "elsewhere": ("take_over", "take_over", "read_only", "copy"),
    "recovery": ("take", "take", "drop", "later"),
    "which": ("0", "1", "later"),
    "changed": ("overwrite", "reload", "save_as", "stay"),
    "reload": ("reload", "stay"),
    "leave": ("save", "discard", "stay"),
    "not saved": ("save_as", "stay"),
    "replace": ("overwrite", "stay"),
    "name": ("other.yml", "another.yml"),
}


class Disturbance(Enum):
    """What happens to a process from outside."""

    KILL = auto()
    """SIGKILL."""
    STOP = auto()
    """SIGSTOP, until the end of the next step."""
    DWELL = auto()
    """Time passes until each text on a screen has been there for two seconds, then SIGKILL."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one author does in a step, `delay` seconds after its beginning."""

    studio: int
    deed: Deed
    answers: Mapping[str, str]
    delay: float


@dataclass(frozen=True, slots=True)
class Step:
    """Turns that happen at once, and a disturbance of one studio `delay` seconds after they began.

    `is_written`: before them another program writes a line into the file.
    """

    turns: tuple[Turn, ...]
    disturbed: int = 0
    disturbance: Disturbance | None = None
    delay: float = 0.0
    is_written: bool = False


@dataclass(frozen=True, slots=True)
class Schedule:
    """All steps of `studios` studios."""

    studios: int
    steps: tuple[Step, ...]


def schedule(seed: int, number: int) -> Schedule:
    """The schedule of this number: always the same."""
    chance = random.Random(f"{seed} {number}")
    studios = chance.choice((2, 3))
    steps = (_opening(chance, studios), *(_step(chance, studios) for _ in range(STEPS)))
    return Schedule(studios, tuple(replace(step, is_written=chance.random() < _WRITTEN) for step in steps))


def _opening(chance: random.Random, studios: int) -> Step:
    return Step(tuple(_turn(chance, each, Deed.OPEN) for each in range(chance.choice((1, studios)))))


def _step(chance: random.Random, studios: int) -> Step:
    acting = chance.sample(range(studios), chance.choice((1, 1, 2, studios)))
    deeds = chance.choices(tuple(_DEEDS), tuple(_DEEDS.values()), k=len(acting))
    if chance.random() < 0.25:  # all do the same at once
        deeds = [deeds[0]] * len(acting)
    turns = tuple(_turn(chance, studio, deed) for studio, deed in zip(acting, deeds, strict=True))
    disturbances = (Disturbance.KILL, Disturbance.STOP, Disturbance.DWELL, None)
    (disturbance,) = chance.choices(disturbances, (10, 6, 1, 83))
    disturbed = chance.choice((acting[0], chance.randrange(studios)))
    return Step(turns, disturbed, disturbance, chance.choice((0.0, chance.uniform(0, 0.05), chance.uniform(0, 0.5))))


def _turn(chance: random.Random, studio: int, deed: Deed) -> Turn:
    answers = {kind: chance.choice(given) for kind, given in _ANSWERS.items()}
    return Turn(studio, deed, answers, chance.choice((0.0, 0.0, chance.uniform(0, 0.03))))
