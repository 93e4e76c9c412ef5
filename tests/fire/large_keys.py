"""Large files open in the studio, in a real terminal: how soon they are shown, and how soon a key is answered.

The goals hold on an idle machine. A plain file is measured in the same run. Needs tmux; memory needs `/proc`.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import programs
from tests.benchmarks.window import TooSlow, Window
from tests.fire.figures import Figure, Figures
from tests.fire.large import MEGABYTES, SECONDS, written

ROUNDS = 10
"""How often each key is pressed."""
LIMIT = 100
"""Milliseconds within which a key is answered."""
LONGEST_QUIT = 1000
"""Milliseconds within which the terminal is given back after Ctrl+Q."""
_SETTLED = 3.0
"""Seconds for the first check of the text."""
_PAUSE = 0.1
"""Seconds between an answered key and the next one."""
_PEAK = re.compile(r"VmHWM:\s*(\d+) kB")

SITUATIONS: dict[str, tuple[str, int]] = {
    "a plain file": ("points", 300),
    "a block list of a million": ("a block list", 1_000_000),
    "a million short lines": ("short lines", 1_000_000),
    "points, as many as are read": ("points", 45_000),
    "one line of 4 MB": ("a plain text", 400_000),
    "one line of 10 MB": ("a plain text", 1_000_000),
    "a block of 4 MB": ("a literal block", 95_000),
}
"""The shape and the number of entries of each file."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What was measured: seconds to the first frame, milliseconds of each key and of quitting, megabytes at most."""

    opened: float
    keys: tuple[float, ...]
    quit: float
    megabytes: float

    @property
    def is_met(self) -> bool:
        """Whether all goals are reached."""
        is_quick = self.opened <= SECONDS and max(self.keys) <= LIMIT and self.quit <= LONGEST_QUIT
        return is_quick and self.megabytes <= MEGABYTES


def run(seed: int, rounds: int) -> Figures:
    """Open each file and press keys; `seed` chooses their order."""
    return Figures("large keys", seed, rounds, tuple(_figure(each, random.Random(seed), rounds) for each in SITUATIONS))


def _figure(situation: str, chance: random.Random, rounds: int) -> Figure:
    goal = f"open ≤ {SECONDS} s, each key ≤ {LIMIT} ms, quit ≤ {LONGEST_QUIT} ms, ≤ {MEGABYTES} MB"
    try:
        seen = measured(*SITUATIONS[situation], chance, rounds)
    except TooSlow as error:
        return Figure(situation, str(error).partition(";")[0], goal, met=False)
    return figure(situation, seen, goal)


def figure(situation: str, seen: Seen, goal: str) -> Figure:
    """The line of one file."""
    ordered = sorted(seen.keys)
    result = (
        f"open {seen.opened:.1f} s, keys median {ordered[len(ordered) // 2]:.0f}, most {ordered[-1]:.0f} ms, "
        f"quit {seen.quit:.0f} ms, {seen.megabytes:.0f} MB"
    )
    return Figure(situation, result, goal, seen.is_met)


def measured(shape: str, entries: int, chance: random.Random, rounds: int) -> Seen:
    """Open a text of `shape`, press each key `rounds` times, and quit."""
    with TemporaryDirectory() as name:
        home = Path(name)
        file = home / "large.yml"
        written(shape, entries, file)
        with Window(programs.studio(file), home) as window:
            began = window.start()
            opened = window.wait(lambda screen: "Ctrl+S" in screen, 60) - began
            time.sleep(_SETTLED)
            keys = (*_scrolled(window, chance, rounds), *_searched(window, rounds), *_edited(window, rounds))
            peak = _PEAK.search(Path(f"/proc/{window.pid()}/status").read_text("ascii"))
            return Seen(opened, keys, _quit(window), int(peak[1]) / 1024 if peak else 0.0)


def _answered(window: Window, act: Callable[[], None], shown: Callable[[str], bool]) -> float:
    """Milliseconds from `act` until the screen is as wanted."""
    began = time.perf_counter()
    act()
    milliseconds = (window.wait(shown) - began) * 1000
    time.sleep(_PAUSE)
    return milliseconds


def _scrolled(window: Window, chance: random.Random, rounds: int) -> Iterator[float]:
    """Page down and up, and the two ends of the text, in pairs so that each one changes the screen."""
    pairs = [("NPage", "PPage"), ("C-End", "C-Home")] * rounds
    chance.shuffle(pairs)
    for pair in pairs:
        for key in pair:
            before = window.screen()
            yield _answered(window, lambda key=key: window.press(key), lambda screen, before=before: screen != before)


def _searched(window: Window, rounds: int) -> Iterator[float]:
    """Find: open, and search the whole text for what it does not have."""
    for _ in range(rounds):
        yield _answered(window, lambda: window.press("C-f"), lambda screen: "Replace" in screen)
        yield _answered(window, lambda: window.type("@"), lambda screen: "not found" in screen)
        window.press("BSpace")
        window.wait(lambda screen: "not found" not in screen)
        window.press("Escape")
        window.wait(lambda screen: "Replace" not in screen)


def _edited(window: Window, rounds: int) -> Iterator[float]:
    """Keys that change a line of the text, the last of which undo all of it; nothing where it is read-only."""
    if "read-only" in window.screen():
        return
    window.press("C-Home", "Down", "Down", "End")
    time.sleep(_SETTLED)
    for _ in range(rounds):
        for key in ("x", "Enter", "C-z", "BSpace", "C-z", "C-z"):
            before = _text(window.screen())
            yield _answered(
                window, lambda key=key: window.press(key), lambda screen, before=before: _text(screen) != before
            )


def _text(screen: str) -> list[str]:
    """The text in the editor, without what the check of it changes: marks in the margin, and the panes."""
    columns = (line.split("\u2502") for line in screen.splitlines())
    return [re.sub("[\u25cf\u25b2\u00b7]", " ", parts[1]).rstrip() for parts in columns if len(parts) > 1]


def _quit(window: Window) -> float:
    return _answered(window, lambda: window.press("C-q"), lambda screen: "Ctrl+S" not in screen)
