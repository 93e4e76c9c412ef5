"""From a key to its echo, and to the problems it makes, on the screen of a real terminal."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import programs
from tests.benchmarks.files import File, files
from tests.benchmarks.table import Row, attempt
from tests.benchmarks.window import Window

KEYS = "qzjvw"
ROUNDS = 5
PAUSE = 0.1
"""Seconds between two keys, so that what the last one set off is still under way, as when someone types."""

ECHO_GOAL = (15, 25)
PROBLEM_GOALS = {"1,002 lines": 40, "10,509 lines": 55, "10,000 dense lines": 80}
ANCHOR = "@~"
"""Typed first, to find the cursor's line on the screen."""


def measure() -> Iterator[Row]:
    """Echo by all programs and files, then key to problems by the studio."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file in files(folder):
            at = file.row()
            others = {
                "the method's floor": programs.command("echo", file.path),
                "vim": programs.vim(file.path, at),
                "stock TextArea": programs.command("stock", file.path, at),
                "BlueprintEditor alone": programs.command("editor", file.path, at),
            }
            for name, command in others.items():
                if shutil.which(command[0]):
                    yield attempt(f"echo: {name}", file.label, "ms", partial(_echo, command, folder))
            yield attempt("echo and gutter: studio", file.label, "ms", partial(_studio_echo, file, folder), ECHO_GOAL)
            goal = (PROBLEM_GOALS[file.label], float("inf"))
            yield attempt("key to problems: studio", file.label, "ms", partial(_problems, file, folder), goal)


@contextmanager
def _studio(file: File, home: Path, at: int) -> Iterator[Window]:
    """The studio on `file`, checked, with its cursor on row `at`."""
    with TemporaryDirectory(dir=home) as own, Window(programs.studio(file.path), Path(own)) as window:
        window.start()
        window.wait(lambda screen: "Ctrl+S" in screen and "Checking" not in screen)
        time.sleep(2)
        go_to(window, at)
        yield window


def go_to(window: Window, at: int) -> None:
    """Put the studio's cursor on row `at`."""
    window.press("C-g")
    window.wait(lambda screen: "Go to line" in screen)
    window.type(str(at + 1))
    window.press("Enter")
    window.wait(lambda screen: "Go to line" not in screen and f" {at + 1} " in screen)
    time.sleep(1)


def _echo(command: list[str], home: Path) -> list[float]:
    """Milliseconds from each key to the cursor's line with it."""
    with Window(command, home) as window:
        window.start()
        window.wait(lambda screen: len(screen.split()) > 50)
        time.sleep(1)
        return echoes(window, "")


def _studio_echo(file: File, home: Path) -> list[float]:
    """The same in the studio, with the line's number in its gutter."""
    at = file.row()
    with _studio(file, home, at) as window:
        window.press("End")
        return echoes(window, str(at + 1))


def echoes(window: Window, number: str) -> list[float]:
    """Milliseconds from each key to the cursor's line with it, and with `number` in it."""
    window.type(ANCHOR)
    window.wait(lambda screen: ANCHOR in screen)
    return _type_and_wait(window, number)


def _problems(file: File, home: Path) -> list[float]:
    """Milliseconds from a key that spoils (or mends) a key of the blueprint to the other number of problems."""
    with _studio(file, home, file.key_row()) as window:
        before = _count(window.screen())
        window.press("Home")
        window.type(KEYS[0])
        window.wait(lambda screen: _count(screen) != before)
        time.sleep(1)
        after = _count(window.screen())
        return [
            _until_count(window, *step) for _ in range(ROUNDS * 5) for step in (("BSpace", before), (KEYS[0], after))
        ]


def _until_count(window: Window, key: str, count: int) -> float:
    time.sleep(PAUSE)
    began = time.perf_counter()
    window.press(key)
    return (window.wait(lambda screen: _count(screen) == count) - began) * 1000


def _count(screen: str) -> int:
    """How many problems the line at the cursor counts."""
    return sum(map(int, re.findall(r"(\d+) (?:error|warning|hint)s?\b(?=.* F3)", screen)))


def _type_and_wait(window: Window, number: str) -> list[float]:
    samples: list[float] = []
    for _ in range(ROUNDS):
        typed = ANCHOR
        for key in KEYS:
            typed += key
            samples.append(_until_line(window, key, typed, number))
        for _ in KEYS:
            typed = typed[:-1]
            samples.append(_until_line(window, "BSpace", typed, number))
    return samples


def _until_line(window: Window, key: str, typed: str, number: str) -> float:
    time.sleep(PAUSE)
    began = time.perf_counter()
    if len(key) == 1:
        window.type(key)
    else:
        window.press(key)

    def shown(screen: str) -> bool:
        texts = (line.rpartition("│")[2] for line in screen.split("\n"))  # the outline has the words of prompts, too
        line = next((line for line in texts if ANCHOR in line), "")
        after = line[line.index(ANCHOR) :] if line else ""
        return after.startswith(typed) and not after[len(typed) : len(typed) + 1].strip(" │") and number in line

    return (window.wait(shown) - began) * 1000
