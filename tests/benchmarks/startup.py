"""From starting the studio to the file's first line and the outline's first prompt, and what it then holds in memory.

The V8 process and model servers are not counted in the memory, which is read from /proc.
"""

from __future__ import annotations

import re
import statistics
import sys
import time
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


MOST_HELD = {"10,509 lines": 85}
"""Megabytes (10^6 bytes), by file."""


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
            if sys.platform.startswith("linux"):
                yield Row("memory: stock TextArea", file.label, "MB", _resident(programs.command("stock", file.path)))
                most, used = MOST_HELD.get(file.label), _resident(programs.studio(file.path))
                met = None if most is None else used <= most
                yield Row("memory: studio", file.label, "MB", used, goal=f"≤ {most}" if most else "", met=met)


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


def _resident(command: list[str]) -> float:
    with TemporaryDirectory() as home, Window(command, Path(home)) as window:
        window.start()
        window.wait(lambda screen: len(screen.split()) > 50 and "Checking" not in screen)
        time.sleep(3)
        status = Path(f"/proc/{window.pid()}/status").read_text("utf-8")
    kilobytes = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    return kilobytes * 1024 / 1e6
