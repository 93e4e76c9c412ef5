"""From a key to its echo, and to the problems it makes, on the screen of a real terminal."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
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
            yield row(
                "echo: the method's floor",
                file.label,
                "ms",
                _echo(Window(programs.command("echo", file.path), folder), file),
            )
            if shutil.which("vim"):
                yield row("echo: vim", file.label, "ms", _echo(Window(programs.vim(file.path, at), folder), file))
            stock = Window(programs.command("stock", file.path, at), folder)
            yield row("echo: stock TextArea", file.label, "ms", _echo(stock, file))
            alone = Window(programs.command("editor", file.path, at), folder)
            yield row("echo: BlueprintEditor alone", file.label, "ms", _echo(alone, file))


def _echo(window: Window, file: File, number: str = "") -> list[float]:
    """Milliseconds from each key to the cursor's line with it, and with `number` before it."""
    with window:
        window.start()
        window.wait(lambda screen: len(screen.split()) > 50)
        time.sleep(1)
        window.type(ANCHOR)
        window.wait(lambda screen: ANCHOR in screen)
        return _type_and_wait(window, number)


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
