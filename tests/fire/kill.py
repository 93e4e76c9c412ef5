"""Kills of the installed studio in a real terminal, while an author types, saves, runs, fixes and closes.

After each kill the file is one of its texts, whole, with its mode; what stood on the screen for two seconds is in it or
in the recovery journal, with all that was left there before; no process of the studio stays. Then the studio starts
again on the same file, offers what was left, and the author takes it up, gives it up or decides later. Needs tmux.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.files.journal import Recovered
from engine.text.record import replace
from tests.benchmarks.window import TooSlow
from tests.fire.blueprints import generated
from tests.fire.figures import Figure, Figures
from tests.fire.kill_aftermath import Aftermath, Draft, Kind, Story, Wrong
from tests.fire.kill_deeds import QUOTED, Activity, Author
from tests.fire.killed_window import Killed, KilledWindow, await_end

ROUNDS = 200
"""Rounds of each activity."""
_AT_ONCE = 6
_ROUNDS_A_FILE = 5
_MODES = (0o600, 0o640, 0o644, 0o664, 0o755)
_CHECKS = ("    - $js: 'for (;;) {}'", "    - $matches: '^word'", "    - Says what nobody has judged")
_SECONDS_TO_ASK = 1
_SECONDS_TO_END = 60
"""How long a process that the studio had started may stay. One that was just starting ends once it is ready, which
takes seconds while `_AT_ONCE` studios start."""


@dataclass(frozen=True, slots=True)
class Killing:
    """One kill: what went on, what was wrong, and whether a text could only survive in the journal."""

    activity: Activity
    wrongs: tuple[Wrong, ...]
    was_recovered: bool
    pressed_again: int
    """Keys that were without effect at first."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is done to one file, one activity and kill after the other. `long` as for `generated`."""

    name: str
    activities: tuple[Activity, ...]
    long: bool | None = None


def run(seed: int, rounds: int) -> Figures:
    """Kill `rounds` studios in each activity, some at the same time. What goes wrong is printed to stderr at once."""
    kills: list[Killing] = []
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for found in pool.map(killings, plans(seed, rounds)):
            kills += found
    return Figures("kill", seed, rounds, tuple(_rows(kills)))


def _rows(kills: list[Killing]) -> Iterator[Figure]:
    for activity in Activity:
        counts = _counts(kill for kill in kills if kill.activity is activity)
        result = f"{counts[Kind.TORN]} torn, {counts[Kind.LOST]} lost"
        yield Figure(f"kill -9 while {activity}", result, "0 torn, 0 lost", counts[Kind.TORN] + counts[Kind.LOST] == 0)
    counts = _counts(kills)
    for kind in Kind:
        if kind not in (Kind.TORN, Kind.LOST):
            yield Figure(f"after a kill: {kind}", str(counts[kind]), "0", counts[kind] == 0)
    recovered = sum(kill.was_recovered for kill in kills)
    yield Figure("texts of two seconds that only the journal had", str(recovered))
    yield Figure("keys without effect after a start, pressed again", str(sum(kill.pressed_again for kill in kills)))


def _counts(kills: Iterable[Killing]) -> Counter[Kind]:
    return Counter(wrong.kind for kill in kills for wrong in kill.wrongs)


def plans(seed: int, rounds: int) -> list[Plan]:
    """All activities, `rounds` times each, in any order, a few for each file."""
    activities = [*Activity] * rounds
    random.Random(seed).shuffle(activities)
    starts = range(0, len(activities), _ROUNDS_A_FILE)
    return [Plan(f"{seed} {start}", tuple(activities[start : start + _ROUNDS_A_FILE])) for start in starts]


def killings(plan: Plan) -> list[Killing]:
    """Play all rounds of one file, and start the studio once more."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        stage = Stage(Path(folder).resolve(), random.Random(plan.name), long=plan.long)
        with stage.window:
            kills = [stage.play(activity) for activity in plan.activities]
            kills[-1] = replace(kills[-1], wrongs=(*kills[-1].wrongs, *stage.open()))
            stage.window.kill_after(0, with_children=True)
            stage.window.await_kill()
    for number, kill in enumerate(kills):
        for wrong in kill.wrongs:
            where = f"kill, file {plan.name}, {number + 1}. round, {kill.activity}"
            print(f"{where}: {wrong.kind}: {wrong.details}", file=sys.stderr, flush=True)
    return kills


class Stage:
    """One file, its home, and the window in which the studio is started and killed again and again."""

    def __init__(self, folder: Path, chance: random.Random, *, long: bool | None = None) -> None:
        self._chance = chance
        self._home = folder / "home"
        self._home.mkdir()
        self._path = folder / "under-fire.yml"
        checks = [QUOTED] * chance.randrange(2, 5) + chance.sample(_CHECKS, chance.randrange(3))
        self._file = generated(chance, long=long, extra="\n".join(checks))
        mode = chance.choice(_MODES)
        self._path.write_bytes(self._file.encoded())
        self._path.chmod(mode)
        self._draft = Draft(self._file.text)
        self._aftermath = Aftermath(self._path, self._home, self._file, mode)
        self.window = KilledWindow(self._path, self._home)

    def play(self, activity: Activity) -> Killing:
        """Open the file, be killed in the activity, and look at what is left."""
        wrongs = [*self.open()]
        before, left = self._path.read_bytes(), self._aftermath.left()
        author = Author(self.window, self._draft, self._chance)
        try:
            if wrongs:
                author.kill_after(0)
            else:
                author.does(activity)
        except Killed:
            pass
        except TooSlow as error:
            wrongs.append(Wrong(Kind.STUCK, str(error)))
            author.kill_after(0)
        at = self.window.await_kill()
        story = Story(self._draft, before, left, tuple(author.saved), author.gives_up, at)
        was_recovered = self._aftermath.must_be_recovered(story)
        wrongs += self._aftermath.wrongs(story)
        if left_running := await_end(self.window.children, _SECONDS_TO_END):
            wrongs.append(Wrong(Kind.PROCESSES, f"{len(left_running)} of {len(self.window.children)}"))
        pressed_again, self.window.pressed_again = self.window.pressed_again, 0
        return Killing(activity, tuple(wrongs), was_recovered, pressed_again)

    # --- The next start

    def open(self) -> Iterator[Wrong]:
        """Start the studio. It offers what was left, if that differs from the file; the author answers."""
        saved = self._aftermath.text or ""
        self._draft = Draft(saved)
        left = [version for version in self._aftermath.left() if not version.is_listed and version.text != saved]
        self.window.start()
        try:
            if left:
                self.window.wait(lambda screen: "Take them up" in screen or "Choose one to see" in screen)
                yield from self._answer(left)
            else:
                self.window.wait(lambda screen: "Ctrl+S" in screen and " Next " in screen)
        except TooSlow as error:
            yield Wrong(Kind.STUCK, str(error))

    def _answer(self, left: list[Recovered]) -> Iterator[Wrong]:
        """Take the newest version up, give it up, or leave all for later."""
        if len(left) > 1:
            if f"There are {len(left)} texts" not in self.window.screen():
                yield Wrong(Kind.NOT_OFFERED, f"not {len(left)} texts:\n{self.window.screen()}")
            self.window.press("Enter")
            self.window.wait(lambda screen: "Take them up" in screen)
        answer = self._chance.choice(["take", "take", "drop", "later"])
        self.window.press(*["Down"] * ["take", "drop", "later"].index(answer))
        self.window.press("Enter")
        if answer == "drop":
            self.window.wait(lambda _: left[0].entry not in [version.entry for version in self._aftermath.left()])
        if answer != "take" and len(left) > 1:
            self._decide_later(is_single=answer == "drop" and len(left) == 2)
        self.window.wait(lambda screen: "Take them up" not in screen and "Choose one to see" not in screen)
        if answer == "take":
            yield from self._taken(left[0])

    def _decide_later(self, *, is_single: bool) -> None:
        """Close the next question, about the versions that are left."""
        if is_single:
            time.sleep(_SECONDS_TO_ASK)  # the screen of the next offer has the same words
        self.window.wait(lambda screen: ("Take them up" if is_single else "Choose one to see") in screen)
        self.window.press("Escape")

    def _taken(self, version: Recovered) -> Iterator[Wrong]:
        """Saving what was taken up writes this very text."""
        self._draft = Draft(version.text)
        self.window.wait(lambda screen: "● not saved" in screen)
        if self._chance.random() < 0.5:
            self.window.press("C-s")
            self.window.wait(lambda screen: "not saved" not in screen)
            if self._path.read_bytes() != self._file.encoded(version.text):
                yield Wrong(Kind.TORN, "what was taken up and saved is another text")
