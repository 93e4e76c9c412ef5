"""From a key to its answer in a real terminal: while something hostile or heavy goes on, and in large files.

The figures of a plain file are measured in the same run, because they differ by a factor of two between machines. The
goals hold on an idle machine. Needs tmux; memory needs `/proc`.
"""

from __future__ import annotations

import json
import random
import re
import sqlite3
import statistics
import string
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import programs
from tests.benchmarks.keystroke import ANCHOR, go_to
from tests.benchmarks.model_server import Pace, choose, model, running, streaming
from tests.benchmarks.window import TooSlow, Window
from tests.fire.figures import Figure, Figures
from tests.fire.large import MEGABYTES, SECONDS, written

ROUNDS = 100
"""Letters in each situation; in a large file, a tenth as many times each other key."""
LIMIT = 100
"""Milliseconds within which each key is to be answered."""
LONGEST_QUIT = 1000
"""Milliseconds within which the terminal is given back after Ctrl+Q."""
STREAMS = 4
TOKENS_A_SECOND = 200
PASTED_LINES = 10_000
_SETTLED = 3.0
"""Seconds for the first check of the text."""
_PAUSE = 0.05
"""Seconds between an answered key and the next one."""
_LONG = 60
"""Seconds after which a key counts as unanswered."""
_WORD = 10
"""Letters after which a word is taken back."""
_PEAK = re.compile(r"VmHWM:\s*(\d+) kB")

TYPED_ROW = 4
"""The line of the first files below in which keys are typed, from 1."""


def _file(header: str = "", ideal: str = "It is.", points: tuple[str, ...] = ("Says that it is",)) -> str:
    listed = "\n".join(f"    - {point}" for point in points)
    return f"title: Fire\n---\n- id: typed\n  prompt: Say it\n  ideal: {ideal}\n  should:\n{listed}\n{header}"


def _alias_bomb() -> str:
    levels = "\n".join(f"    - &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, 9))
    return f"- id: bomb\n  prompt: Say it\n  should:\n    - &a0 [x, x, x, x, x, x, x, x, x]\n{levels}\n"


GoesOn = Callable[[], bool]
Begin = Callable[[Window], GoesOn]
"""Begins what goes on beside the letters; whether it still does is asked after the last one."""


def _always() -> bool:
    return True


@contextmanager
def _nothing(_file: Path, _home: Path) -> Iterator[Begin]:
    yield lambda window: _always


@dataclass(frozen=True, slots=True)
class Situation:
    """What goes on: a text, or a large one of a shape with so many entries, and what surrounds the studio.

    `around` yields what begins the attack.
    """

    name: str
    text: str = ""
    around: Callable[[Path, Path], AbstractContextManager[Begin]] = _nothing
    large: tuple[str, int] | None = None


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


def situations() -> tuple[Situation, ...]:
    """A plain file first, then each attack; 300 points, then each large file."""
    return (
        Situation("a plain file", _file()),
        Situation("looping $js", _file(points=tuple(f"$js: 'for (;;) {{{n}}}'" for n in range(10)))),
        Situation(
            "a regex catastrophe",
            _file(ideal=f"{'a' * 40}!", points=tuple(f"$matches: '^(a+)+{n}$'" for n in range(10))),
        ),
        Situation("an alias bomb", _file(header=_alias_bomb())),
        Situation(f"a paste of {PASTED_LINES:,} lines", _file(), _pasted),
        Situation("a locked database", _file(), _locked),
        Situation(f"{STREAMS} streams, {TOKENS_A_SECOND} tokens a second", _file(), _streams),
        Situation("300 points", large=("points", 300)),
        Situation("a block list of a million", large=("a block list", 1_000_000)),
        Situation("a million short lines", large=("short lines", 1_000_000)),
        Situation("points, as many as are read", large=("points", 45_000)),
        Situation("one line of 4 MB", large=("a plain text", 400_000)),
        Situation("one line of 10 MB", large=("a plain text", 1_000_000)),
        Situation("a block of 4 MB", large=("a literal block", 95_000)),
    )


def run(seed: int, rounds: int) -> Figures:
    """Press keys in each situation; `seed` chooses the letters."""
    return Figures("latency", seed, rounds, tuple(_figure(each, seed, rounds) for each in situations()))


def _figure(situation: Situation, seed: int, rounds: int) -> Figure:
    try:
        seen = measured(situation, random.Random(f"{seed} {situation.name}"), rounds)
    except TooSlow as error:
        return Figure(situation.name, str(error).partition(";")[0], _GOAL, met=False)
    result = (
        f"open {seen.opened:.1f} s, keys median {statistics.median(seen.keys):.0f}, most {max(seen.keys):.0f} ms, "
        f"quit {seen.quit:.0f} ms, {seen.megabytes:.0f} MB"
    )
    return Figure(situation.name, result, _GOAL, seen.is_met)


_GOAL = f"open ≤ {SECONDS} s, each key ≤ {LIMIT} ms, quit ≤ {LONGEST_QUIT} ms, ≤ {MEGABYTES} MB"


def measured(situation: Situation, chance: random.Random, rounds: int) -> Seen:
    """Open the file, press keys, and quit."""
    # The studio may still write its journal when its terminal is gone.
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        home = Path(name)
        file = home / "fire.yml"
        file.write_text(situation.text, "utf-8")
        if situation.large is not None:
            written(*situation.large, file)
        with (
            situation.around(file, home) as begin,
            Window(programs.command("many runs", file, STREAMS), home) as window,
        ):
            began = window.start()
            opened = window.wait(lambda screen: "Ctrl+S" in screen, _LONG) - began
            time.sleep(_SETTLED)
            others = 0 if situation.large is None else max(1, rounds // 10)
            keys = (*_scrolled(window, chance, others), *_searched(window, others))
            if "read-only" not in window.screen():
                go_to(window, TYPED_ROW - 1 if situation.text else 1)
                window.press("End")
                goes_on = begin(window)
                keys += tuple(_typed(window, chance, rounds))
                if not goes_on():
                    raise TooSlow("it ended before the last key")
            peak = _PEAK.search(Path(f"/proc/{window.pid()}/status").read_text("ascii"))
            return Seen(opened, keys, _quit(window), int(peak[1]) / 1024 if peak else 0.0)


# --- Keys


def _answered(window: Window, act: Callable[[], None], shown: Callable[[str], bool]) -> float:
    """Milliseconds from `act` until the screen is as wanted."""
    began = time.perf_counter()
    act()
    milliseconds = (window.wait(shown, _LONG) - began) * 1000
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


def _typed(window: Window, chance: random.Random, rounds: int) -> Iterator[float]:
    """Letters at the cursor, which are taken back after each word."""
    window.type(ANCHOR)
    typed = ANCHOR
    for number in range(1, rounds + 1):
        key = chance.choice(string.ascii_lowercase)
        typed += key
        yield _answered(
            window, lambda key=key: window.type(key), lambda screen, typed=typed: typed in "".join(_text(screen))
        )
        if number % _WORD == 0:
            window.press(*["BSpace"] * (len(typed) - len(ANCHOR)))
            began = typed[: len(ANCHOR) + 1]
            window.wait(lambda screen, began=began: began not in "".join(_text(screen)), _LONG)
            typed = ANCHOR


def _text(screen: str) -> list[str]:
    """The text in the editor, without its margin and the panes."""
    columns = (line.split("\u2502") for line in screen.splitlines())
    return [parts[1].strip() for parts in columns if len(parts) > 1]


def _quit(window: Window) -> float:
    """Milliseconds until the terminal is given back; where the author is asked, from the answer on."""
    asks = "Leave without saving"
    milliseconds = _answered(
        window, lambda: window.press("C-q"), lambda screen: asks in screen or "Ctrl+S" not in screen
    )
    if asks not in window.screen():
        return milliseconds
    window.press("Down")
    return _answered(window, lambda: window.press("Enter"), lambda screen: asks not in screen)


# --- Attacks


@contextmanager
def _pasted(_file: Path, _home: Path) -> Iterator[Begin]:
    lines = "".join(
        f"- id: p{number}\n  prompt: Tell it\n  should:\n    - Tells it\n" for number in range(PASTED_LINES // 4)
    )

    def begin(window: Window) -> GoesOn:
        window.press("C-End")
        window.paste(lines)
        return _always

    yield begin


@contextmanager
def _locked(_file: Path, home: Path) -> Iterator[Begin]:
    """The studio's database under another program's lock, with a run to be written."""
    database = home / "data" / "studio.sqlite3"
    with ExitStack() as stack:

        def begin(window: Window) -> GoesOn:
            window.press("F5")
            window.wait(lambda _: database.exists())
            time.sleep(2)  # until that run is written
            connection = stack.enter_context(closing(sqlite3.connect(database, isolation_level=None)))
            connection.execute("BEGIN EXCLUSIVE")
            window.press("F5")
            return _always

        yield begin


@contextmanager
def _streams(file: Path, home: Path) -> Iterator[Begin]:
    """A server whose models are chosen for `file`."""
    with running(Pace(0.0, 0.0, 1 / TOKENS_A_SECOND, 100_000)) as url:
        names = [f"m{number}" for number in range(STREAMS)]
        models = [model(name, url) for name in names]
        text = file.read_text("utf-8")
        file.write_text(text.replace("title: Fire", f"models: {json.dumps(models)}", 1), "utf-8")
        choose(home, file, *names)

        def begin(window: Window) -> GoesOn:
            window.press("F5")
            window.wait(lambda _: streaming(url) == STREAMS)
            return lambda: streaming(url) == STREAMS

        yield begin
