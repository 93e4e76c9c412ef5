"""Two and three studios, each a process, work on one file and one database; some are killed, some stand still.

Each schedule is played by real sessions over the real files. A model (`process_world`) knows what each author wrote and
chose, and says what is missing. The same seed orders the same deeds; how they interleave is up to the machine.
`python -m tests.fire.processes SEED NUMBER` plays one schedule and prints all that happened.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.text.record import replace
from tests.benchmarks.model_server import Pace, running
from tests.fire.figures import Figure, Figures
from tests.fire.process_handle import SECONDS_VISIBLE, Handle, Silent
from tests.fire.process_world import Fault, World
from tests.fire.studio_process import Deed, Order, lines_of

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


ROUNDS = 200
"""Schedules."""
_SECONDS_TO_AGREE = 3.0
"""Within this time each studio knows whose file it is."""
_WORDS = 20
_LEAVING = {"leave": "discard"}


class Pool:
    """Processes that outlive a schedule, unless they are killed in it."""

    def __init__(self) -> None:
        self._idle: list[Handle] = []

    def take(self) -> Handle:
        """A process with no file open."""
        return self._idle.pop() if self._idle else Handle()

    def give_back(self, studio: Handle) -> None:
        """Use a process again that has no file open."""
        self._idle.append(studio)

    def close(self) -> None:
        """End all processes."""
        for studio in self._idle:
            studio.close()


class Play:
    """One schedule as it is played."""

    def __init__(self, plan: Schedule, world: World, pool: Pool) -> None:
        self._plan = plan
        self._world = world
        self._pool = pool
        self._studios = [pool.take() for _ in range(plan.studios)]
        self._orders: dict[Handle, Order] = {}
        self._lines = 0
        self.killed_runs = 0

    def play(self) -> None:
        """Play all steps, end all studios, and look whether everything is there."""
        for number, step in enumerate(self._plan.steps):
            self._world.log.append(f"step {number}")
            stopped = [studio for studio in self._studios if studio.is_stopped]
            self._play(step)
            for studio in stopped:
                self._go_on(studio)
            self._world.check_lines(self._studios, f"step {number}")
            if not any(studio.is_stopped for studio in self._studios):
                self._agree(f"step {number}")
        for studio in self._studios:
            if studio.is_stopped:
                self._go_on(studio)
        self._end()

    def _play(self, step: Step) -> None:
        if step.is_written and not any(studio.is_stopped for studio in self._studios):  # one may be in a save
            self._lines += 1
            self._world.write(f"x-{self._lines}")
        began = time.monotonic()
        for turn in sorted(step.turns, key=lambda turn: turn.delay):
            studio = self._studios[turn.studio]
            if not studio.is_stopped:
                time.sleep(max(0.0, began + turn.delay - time.monotonic()))
                self._send(studio, self._order(turn))
        if step.disturbance is not None and not self._studios[step.disturbed].is_stopped:
            self._disturb(step.disturbed, step.disturbance, step.delay)
        for studio in self._studios:
            if studio.is_busy and not studio.is_stopped:
                self._listen(studio)

    def _order(self, turn: Turn) -> Order:
        self._lines += 1
        world = self._world
        return Order(turn.deed, world.file, world.home, world.models, f"{turn.studio}-{self._lines}", turn.answers)

    def _send(self, studio: Handle, order: Order) -> None:
        self._orders[studio] = order
        self._world.log.append(f"{studio.pid} < {order.deed} {order.text} {order.answers}")
        studio.send(order)

    def _listen(self, studio: Handle) -> None:
        order = self._orders[studio]
        try:
            for event in studio.answers():
                self._world.note(studio, order, event)
        except Silent:
            self._world.fault(Fault.ERRORS, f"no end of {order}")
            self._kill(studio)

    # --- Disturbances

    def _disturb(self, number: int, disturbance: Disturbance, delay: float) -> None:
        studio = self._studios[number]
        self._world.log.append(f"{studio.pid} {disturbance.name}")
        time.sleep(SECONDS_VISIBLE + 0.1 if disturbance is Disturbance.DWELL else delay)
        match disturbance:
            case Disturbance.STOP:
                studio.stop()
                self._hear(studio)
            case Disturbance.KILL | Disturbance.DWELL:
                self._kill(studio)

    def _hear(self, studio: Handle) -> None:
        """Take up what a studio told before it was stopped or killed."""
        for event in studio.events():
            self._world.note(studio, self._orders.get(studio), event)

    def _kill(self, studio: Handle) -> None:
        was_running = studio.is_busy and self._orders[studio].deed is Deed.RUN
        studio.process.kill()
        studio.process.join()
        self._hear(studio)
        self.killed_runs += was_running
        shown = studio.shown
        if not studio.was_visible:
            self._world.give_up(studio, lines_of(shown.text) - lines_of(studio.flushed))
        is_known = studio.was_visible or studio.flushed == shown.text
        others = any(each.is_busy for each in self._studios if each is not studio)  # one may just give that text up
        if not studio.is_busy and shown.read_only is None and shown.unsaved and is_known and not others:
            self._world.check_whole(shown.text)
        studio.close()
        self._studios[self._studios.index(studio)] = self._pool.take()

    def _go_on(self, studio: Handle) -> None:
        if studio in self._studios:
            studio.go_on()
            if studio.is_busy:
                self._listen(studio)

    # --- Checks

    def _agree(self, when: str) -> None:
        """Wait until all know whose file it is."""
        end = time.monotonic() + _SECONDS_TO_AGREE
        while found := self._world.disagreements(self._studios):
            if time.monotonic() > end:
                self._world.faults += [(fault, f"{when}: {text}") for fault, text in found]
                return
            time.sleep(0.02)
            for studio in self._studios:
                self._does(studio, Deed.LOOK)

    def _does(self, studio: Handle, deed: Deed, answers: dict[str, str] | None = None) -> None:
        world = self._world
        self._send(studio, Order(deed, world.file, world.home, world.models, "", answers or {}))
        self._listen(studio)

    def _end(self) -> None:
        for studio in self._studios:
            self._does(studio, Deed.CLOSE, _LEAVING)
        self._world.check_lines(self._studios, "at the end")
        self._world.check_restorable()
        self._world.check_records(self.killed_runs)
        again = self._studios[0]
        self._does(again, Deed.OPEN)
        self._does(again, Deed.CLOSE, _LEAVING)
        self._world.check_left()
        for studio in self._studios:
            self._pool.give_back(studio)


@contextmanager
def stage() -> Iterator[tuple[Pool, str]]:
    """What all schedules of a run share: the processes, and a server of models."""
    pool = Pool()
    with running(Pace(0.0, 0.0, 0.0, _WORDS)) as url:
        try:
            yield pool, f"{url}/chat/completions"
        finally:
            pool.close()


def play(seed: int, number: int, pool: Pool, models: str) -> World:
    """The world after the schedule of this number, with what went wrong in it."""
    with TemporaryDirectory() as folder:
        world = World(Path(folder), models)
        Play(schedule(seed, number), world, pool).play()
        return world


def run(seed: int, rounds: int) -> Figures:
    """Play `rounds` schedules; each fault is printed where it occurs."""
    found: Counter[Fault] = Counter()
    began = time.monotonic()
    with stage() as (pool, models):
        for number in range(rounds):
            for fault, text in play(seed, number, pool, models).faults:
                print(f"schedule {number}: {fault}: {text}", file=sys.stderr)
                found[fault] += 1
    rows = [Figure(fault, str(found[fault]), "0", found[fault] == 0) for fault in Fault]
    took = Figure("time", f"{time.monotonic() - began:.0f} s")
    return Figures("processes", seed, rounds, (*rows, took))


def main(seed: int, number: int) -> None:
    """Play one schedule, and print all that happened."""
    with stage() as (pool, models):
        print("\n".join(play(seed, number, pool, models).log))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
