"""From a key to its echo in a real terminal, while something hostile or heavy goes on.

The figures of a plain file are measured in the same run, because they differ by a factor of two between machines. The
goal holds on an idle machine. Needs tmux.
"""

from __future__ import annotations

import json
import random
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
from tests.benchmarks.table import percentile
from tests.benchmarks.window import TooSlow, Window
from tests.fire.figures import Figure, Figures

ROUNDS = 100
"""Keys in each situation."""
LIMIT = 100
"""Milliseconds within which each key is to be answered."""
STREAMS = 4
TOKENS_A_SECOND = 200
PASTED_LINES = 10_000
_PAUSE = 0.05
"""Seconds between an answered key and the next one."""
_LONG = 60
"""Seconds after which a key counts as unanswered."""

TYPED_ROW = 4
"""The line of every file below in which keys are typed, from 1."""


def _file(header: str = "", ideal: str = "It is.", points: tuple[str, ...] = ("Says that it is",)) -> str:
    listed = "\n".join(f"    - {point}" for point in points)
    return f"title: Fire\n---\n- id: typed\n  prompt: Say it\n  ideal: {ideal}\n  should:\n{listed}\n{header}"


def _alias_bomb() -> str:
    levels = "\n".join(f"    - &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, 9))
    return f"- id: bomb\n  prompt: Say it\n  should:\n    - &a0 [x, x, x, x, x, x, x, x, x]\n{levels}\n"


def _many_lines() -> str:
    blocks = (f"- id: p{number}\n  prompt: Tell it\n  should:\n    - Tells it" for number in range(PASTED_LINES // 4))
    return "\n".join(blocks) + "\n"


GoesOn = Callable[[], bool]
Begin = Callable[[Window], GoesOn]
"""Begins what goes on beside the keys; whether it still does is asked after the last one."""


def _always() -> bool:
    return True


@contextmanager
def _nothing(_file: Path, _home: Path) -> Iterator[Begin]:
    yield lambda window: _always


@dataclass(frozen=True, slots=True)
class Situation:
    """What goes on: the text of the file, and what surrounds the studio and yields what begins the attack."""

    name: str
    text: str
    around: Callable[[Path, Path], AbstractContextManager[Begin]] = _nothing


def situations() -> tuple[Situation, ...]:
    """A plain file first, then each attack."""
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
    )


def run(seed: int, rounds: int) -> Figures:
    """Type `rounds` keys in each situation; `seed` chooses the letters."""
    return Figures("latency", seed, rounds, tuple(_figure(each, seed, rounds) for each in situations()))


def _figure(situation: Situation, seed: int, rounds: int) -> Figure:
    goal = f"each key ≤ {LIMIT} ms"
    try:
        samples = _measure(situation, random.Random(f"{seed} {situation.name}"), rounds)
    except TooSlow as error:
        return Figure(situation.name, str(error).partition(";")[0], goal, met=False)
    median, p95, most = statistics.median(samples), percentile(samples, 0.95), max(samples)
    return Figure(situation.name, f"median {median:.0f}, p95 {p95:.0f}, most {most:.0f} ms", goal, most <= LIMIT)


def _measure(situation: Situation, chance: random.Random, rounds: int) -> list[float]:
    # The studio may still write its journal when its terminal is gone.
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        home = Path(name)
        file = home / "fire.yml"
        file.write_text(situation.text, "utf-8")
        with (
            situation.around(file, home) as begin,
            Window(programs.command("many runs", file, STREAMS), home) as window,
        ):
            window.start()
            window.wait(lambda screen: "Ctrl+S" in screen)
            time.sleep(2)
            go_to(window, TYPED_ROW - 1)
            window.press("End")
            goes_on = begin(window)
            samples = list(_keys(window, chance, rounds))
            if not goes_on():
                raise TooSlow("it ended before the last key")
            return samples


def _keys(window: Window, chance: random.Random, rounds: int) -> Iterator[float]:
    window.type(ANCHOR)
    typed = ANCHOR
    for number in range(rounds):
        typed = ANCHOR if number % 10 == 0 and number else typed
        key = chance.choice(string.ascii_lowercase)
        typed += key
        began = time.perf_counter()
        window.type(key)
        yield (window.wait(lambda screen, typed=typed: typed in screen, _LONG) - began) * 1000
        time.sleep(_PAUSE)
        if number % 10 == 9:
            window.press(*["BSpace"] * (len(typed) - len(ANCHOR)))
            window.wait(lambda screen, typed=typed: typed[: len(ANCHOR) + 1] not in screen, _LONG)


@contextmanager
def _pasted(_file: Path, _home: Path) -> Iterator[Begin]:
    def begin(window: Window) -> GoesOn:
        window.press("C-End")
        window.paste(_many_lines())
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
