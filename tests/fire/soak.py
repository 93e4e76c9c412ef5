"""Two hours of an author's work, sped up: memory stays where it was after the warm-up, and nothing else is left over.

A round is `Author.minute` of `tests/fire/soak_author.py`: some 220 keys and choices that write, fix, run, judge, stop,
fail, look back, compare, save, resize and open other files. `ROUNDS` rounds are two hours of an author who presses a
key every second. The application runs whole, in a process of its own, with its keys pressed by Textual's pilot; a
second part presses keys in a real terminal. Linux only, as /proc is read. The second part needs tmux.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.text.record import replace
from tests.benchmarks import programs
from tests.benchmarks.model_server import Pace, running
from tests.benchmarks.window import Window
from tests.fire import held
from tests.fire.figures import Figure, Figures
from tests.fire.held import MEGABYTE, Held
from tests.fire.killed_window import descendants
from tests.fire.soak_author import Servers, blueprint

ROUNDS = 30
"""Rounds after the warm-up: about 7,000 actions."""
MOST_GROWN = 10
"""Megabytes (10^6 bytes) by which memory may grow after the warm-up."""
_ABSENT = "http://127.0.0.1:9/v1"
"""Where nothing listens: the port of `discard`."""
_ESCAPE_SECONDS = 0.2
_SEEN = 3
_PAUSE_SECONDS = 3.5
"""How long the author of the terminal rests after each minute: the studio clears up in a pause."""
_FOOTER_OF_TEXT = "F"
"""The text has no keys of its own there: F5 is the first."""
_TABS = (
    ("C-r", "Enter go there"),
    ("C-t", "e edit"),
    ("C-t", "Enter go there  g generate"),
    ("C-t", "Enter open"),
    ("C-t", "w who judges"),
    ("C-t", "Enter go there"),
)
"""Keys that lead from tab to tab, each with how the footer begins then, and back to the first."""
_LEAST_WARM_UP = 4
"""Rounds within which caches of a fixed size fill."""
_SHOWN = 10
"""Values of a course of memory that are printed, and a few more."""


def run(seed: int, rounds: int) -> Figures:
    """Soak for `rounds` rounds after a third as many of warm-up; `seed` orders what the author does."""
    rows = (*_without_terminal(seed, rounds), *_in_terminal(seed, rounds))
    return Figures("soak", seed, rounds, rows)


def warm_up_of(rounds: int) -> int:
    """How many rounds come before the first measurement."""
    return max(_LEAST_WARM_UP, rounds // 3)


# --- The whole application, without a terminal


def _without_terminal(seed: int, rounds: int) -> list[Figure]:
    began = time.monotonic()
    *measures, last = soaked(seed, warm_up_of(rounds), rounds)
    first, final = measures[0], measures[-1]
    before, after, left = (Held(**each) for each in (first["held"], final["held"], last["left"]))
    actions = final["actions"] - first["actions"]
    disk = (final["database"] - first["database"]) / 1000
    return [
        memory_figure([Held(**each["held"]).memory for each in measures]),
        counts_figure("threads, processes, tasks, descriptors at rest", after.more_than(before), final["what"]),
        counts_figure("… and after quitting", left.more_than(_NOTHING), last["what"]),
        Figure("the database on disk", f"+ {disk:,.0f} kB for {actions:,} actions, in {_minutes(began)}"),
    ]


def memory_figure(curve: list[int], what: str = "memory after warm-up") -> Figure:
    """The growth of memory from the first to the last value of `curve`, in bytes."""
    grown = (curve[-1] - curve[0]) / MEGABYTE
    course = " ".join(f"{each / MEGABYTE:.0f}" for each in curve[:: max(1, len(curve) // _SHOWN)])
    result = f"{grown:+.1f} MB ({course})"
    return Figure(what, result, f"≤ + {MOST_GROWN} MB", grown <= MOST_GROWN)


def counts_figure(what: str, more: str, detail: str) -> Figure:
    """What there is more of than before; `detail` tells it in full."""
    return Figure(what, f"{more} ({detail})" if more else "none more", "none more", not more)


_NOTHING = Held(memory=0, threads=held.POOL + 1, children=0, descriptors=held.OWN_DESCRIPTORS, tasks=1)
"""What a process has that runs nothing but asyncio: its pool of threads, its own descriptors, and one task."""


def soaked(seed: int, warm_up: int, rounds: int) -> Iterator[dict[str, Any]]:
    """What the soaked process prints, line by line. Raises `RuntimeError` if it fails, after its last words."""
    with TemporaryDirectory() as name, _servers() as servers:
        home = Path(name) / "home"
        home.mkdir()
        environment = {**os.environ, "BLUEPRINT_STUDIO_HOME": str(home), "TEXTUAL_ANIMATIONS": "none"}
        words = (name, seed, warm_up, rounds, servers.quick, servers.slow, servers.absent)
        command = [sys.executable, "-m", "tests.fire.soak_child", *map(str, words)]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            yield from map(json.loads, child.stdout)
        if child.returncode:
            raise RuntimeError(f"the soaked process ended with {child.returncode}")


@contextmanager
def _servers() -> Iterator[Servers]:
    with running(Pace(0, 0, words=60)) as quick, running(Pace(0, 0, 0.05, 600)) as slow:
        yield Servers(quick, slow, _ABSENT)


def _minutes(began: float) -> str:
    return f"{(time.monotonic() - began) / 60:.1f} minutes"


# --- In a real terminal


def _in_terminal(seed: int, rounds: int) -> list[Figure]:
    chance = random.Random(seed)
    with TemporaryDirectory() as name, _servers() as servers:
        home = Path(name)
        file = home / "soak.yml"
        file.write_text(blueprint("Bread", servers), "utf-8")
        with Window(programs.studio(file), home) as window:
            window.start()
            window.wait(lambda screen: "1 error" in screen)
            time.sleep(2)  # until the application has set its collector of garbage
            curve: list[Held] = []
            started = {window.pid()}
            for number in range(warm_up_of(rounds) + rounds):
                _minute_in_terminal(window, chance)
                time.sleep(_PAUSE_SECONDS)
                started.update(descendants(window.pid()))
                if number + 1 >= warm_up_of(rounds):
                    curve.append(held.of_process(window.pid()))
            # Nothing fills asyncio's pool from outside: it may grow while the author works.
            before = replace(curve[0], threads=curve[0].threads + held.POOL - 1)
            more = curve[-1].more_than(before)
            left = _left_after_quitting(window, started)
    return [
        memory_figure([each.memory for each in curve], "memory in a real terminal"),
        counts_figure("threads, processes, descriptors in a real terminal", more, "read from /proc"),
        Figure("processes after quitting it", left or "none", "none", not left),
    ]


def _minute_in_terminal(window: Window, chance: random.Random) -> None:
    """Type, undo, run, look at panes and dialogs, and save; each step waits for what it shows."""
    word = f"w{chance.randrange(10**8)}"
    _back_to_text(window)
    window.press("C-End")
    window.type(f"# {word}")
    window.wait(lambda screen: word in screen)
    window.press("F6", "F1")
    window.wait(lambda screen: "Esc closes" in screen)
    _escape(window)
    window.wait(lambda screen: "Esc closes" not in screen)
    window.press("C-p")
    window.wait(lambda screen: "What would you like to do?" in screen)
    _escape(window)
    window.wait(lambda screen: "What would you like to do?" not in screen)
    for key, footer in _TABS:
        window.press(key)
        window.wait(lambda screen, footer=footer: _footer(screen).startswith(footer))
    _back_to_text(window)
    window.press("C-s", *["BSpace"] * (len(word) + 2), "C-s")
    window.wait(lambda screen: word not in screen)


def _back_to_text(window: Window) -> None:
    """Press Escape until the footer is for a while that of the text: the focus may still be on its way."""
    seen = 0
    while seen < _SEEN:
        seen = seen + 1 if _footer(window.screen()).startswith(_FOOTER_OF_TEXT) else 0
        if seen:
            time.sleep(_ESCAPE_SECONDS)
        else:
            _escape(window)


def _footer(screen: str) -> str:
    """The last line, which begins with the keys of the pane that has the focus."""
    return screen.rstrip().rpartition("\n")[2].strip()


def _escape(window: Window) -> None:
    """Press Escape, and wait until it cannot be taken for the beginning of the next key."""
    window.press("Escape")
    time.sleep(_ESCAPE_SECONDS)


def _left_after_quitting(window: Window, started: set[int]) -> str:
    """Those of the processes `started` that are left once the studio has quit; "" if none."""
    _escape(window)
    window.press("C-q")
    deadline = time.monotonic() + 20
    while (left := [each for each in sorted(started) if held.runs(each)]) and time.monotonic() < deadline:
        if "Save and leave" in window.screen():
            window.press("Enter")
        time.sleep(0.05)
    return ", ".join(map(str, left))
