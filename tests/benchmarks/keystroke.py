"""From a key to its echo, and to the problems it makes, on the screen of a real terminal."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import programs
from tests.benchmarks.files import File, files
from tests.benchmarks.table import Row, row
from tests.benchmarks.window import Window

KEYS = "qzjvw"
ROUNDS = 8
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
            floor = Window(programs.command("echo", file.path), folder)
            yield row("echo: the method's floor", file.label, "ms", _echo(floor))
            if shutil.which("vim"):
                yield row("echo: vim", file.label, "ms", _echo(Window(programs.vim(file.path, at), folder)))
            stock = Window(programs.command("stock", file.path, at), folder)
            yield row("echo: stock TextArea", file.label, "ms", _echo(stock))
            alone = Window(programs.command("editor", file.path, at), folder)
            yield row("echo: BlueprintEditor alone", file.label, "ms", _echo(alone))
            with _studio(file, folder, at) as window:
                window.press("End")
                yield row("echo and gutter: studio", file.label, "ms", _type(window, str(at + 1)), ECHO_GOAL)
            with _studio(file, folder, file.key_row()) as window:
                goal = (PROBLEM_GOALS[file.label], float("inf"))
                yield row("key to problems: studio", file.label, "ms", _problems(window), goal)


@contextmanager
def _studio(file: File, home: Path, at: int) -> Iterator[Window]:
    """The studio on `file`, checked, with its cursor on row `at`."""
    with TemporaryDirectory(dir=home) as own, Window(programs.studio(file.path), Path(own)) as window:
        window.start()
        window.wait(lambda screen: "Ctrl+S" in screen and "Checking" not in screen)
        time.sleep(2)
        window.press("C-g")
        window.wait(lambda screen: "Go to line" in screen)
        window.type(str(at + 1))
        window.press("Enter")
        window.wait(lambda screen: "Go to line" not in screen and f" {at + 1} " in screen)
        time.sleep(1)
        yield window


def _echo(window: Window) -> list[float]:
    """Milliseconds from each key to the cursor's line with it."""
    with window:
        window.start()
        window.wait(lambda screen: len(screen.split()) > 50)
        time.sleep(1)
        return _type(window, "")


def _type(window: Window, number: str) -> list[float]:
    """Milliseconds from each key to the cursor's line with it, and with `number` in it."""
    window.type(ANCHOR)
    window.wait(lambda screen: ANCHOR in screen)
    return _type_and_wait(window, number)


def _problems(window: Window) -> list[float]:
    """Milliseconds from a key that spoils (or mends) a key of the blueprint to the other number of problems."""
    counts = [_count(window.screen())]
    window.press("Home")
    window.type(KEYS[0])
    window.wait(lambda screen: _count(screen) != counts[0])
    time.sleep(1)
    counts.append(_count(window.screen()))
    samples: list[float] = []
    for _ in range(ROUNDS * 5):
        for key, count in (("BSpace", counts[0]), (KEYS[0], counts[1])):
            time.sleep(PAUSE)
            began = time.perf_counter()
            window.press(key)
            samples.append((window.wait(lambda screen, count=count: _count(screen) == count) - began) * 1000)
    return samples


def _count(screen: str) -> int:
    """How many problems the panel's title tells of."""
    found = re.search(r"\u2500Problems ?(\d*)", screen)
    return -1 if found is None else int(found.group(1) or 0)


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
        line = next((line for line in screen.split("\n") if ANCHOR in line), "")
        after = line[line.index(ANCHOR) :] if line else ""
        return after.startswith(typed) and not after[len(typed) : len(typed) + 1].strip(" │") and number in line

    return (window.wait(shown) - began) * 1000
