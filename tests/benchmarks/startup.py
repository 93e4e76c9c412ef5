"""From starting the studio to the file's first line and the outline's first prompt on the screen."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import programs
from tests.benchmarks.files import File, files
from tests.benchmarks.table import Row, row
from tests.benchmarks.window import Window

ROUNDS = 10
MOST = 1.2
"""How many times the time of an app with one stock text area the studio may take."""


def measure() -> Iterator[Row]:
    """Studio and stock text area in turn, so that both meet the same machine."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file in files(folder):
            first_line, both = _shows_line(file), _shows_line_and_outline(file)
            stock: list[float] = []
            studio: list[float] = []
            line: list[float] = []
            for _ in range(ROUNDS):
                stock.append(_start(programs.command("stock", file.path), first_line))
                line.append(_start(programs.studio(file.path), first_line))
                studio.append(_start(programs.studio(file.path), both))
            yield row("start: stock TextArea", file.label, "ms", stock)
            yield row("start: studio, first line only", file.label, "ms", line)
            limit = MOST * statistics.median(stock)
            yield row("start: studio, line and outline", file.label, "ms", studio, (round(limit), float("inf")))


def _shows_line(file: File) -> Callable[[str], bool]:
    """Whether a screen shows the first line of the file, which may be wrapped."""
    return lambda screen: file.lines[0][:20] in screen


def _shows_line_and_outline(file: File) -> Callable[[str], bool]:
    """Whether it also shows the first prompt in the outline: its number, and the first of its words."""
    prompt = re.compile(r"(?m)^\W*1 \S")
    return lambda screen: file.lines[0][:20] in screen and prompt.search(screen) is not None


def _start(command: list[str], shown: Callable[[str], bool]) -> float:
    with TemporaryDirectory() as home, Window(command, Path(home)) as window:
        began = window.start()
        return (window.wait(shown) - began) * 1000
