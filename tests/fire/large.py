"""Large files of every shape through the commands: time and memory of each, in a process of its own.

Each shape is tried far beyond the limits of `engine.text.text_limits`, where it is refused, and as large as they allow,
where all rules see it. Unix only (`os.wait4`).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TypeAlias

from tests.fire.figures import Figure, Figures
from tests.fire.large_texts import BEYOND, JSON_SHAPES, SHAPES

ROUNDS = 1
"""How often each shape is tried."""
SECONDS = 5
"""Within which each command ends."""
MEGABYTES = 300
"""The most memory that each command uses at a time."""
_GOAL = f"each command ≤ {SECONDS} s, ≤ {MEGABYTES} MB"
_STOPPED = 180
"""Seconds after which a command is ended."""

COMMANDS: dict[str, tuple[str, ...]] = {
    "check": ("check", "--format", "json"),
    "parse": ("parse",),
    "run": ("run", "--dry-run", "--ideal"),
}
"""The commands, by name, before the path of the file."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took: seconds of the wall clock and of the processor, megabytes at most, and its exit code.

    The seconds of the processor count, because other programs share the machine; the wall clock is printed beside.
    The exit code is that of `os.waitstatus_to_exitcode`: negative for a signal. `crashed`: it printed a traceback.
    """

    command: str
    seconds: float
    processor: float
    megabytes: float
    code: int
    crashed: bool

    @property
    def is_met(self) -> bool:
        """Whether the command ended by itself, in time and within its memory."""
        return self.code in (0, 1, 2) and not self.crashed and self.processor <= SECONDS and self.megabytes <= MEGABYTES


Measure: TypeAlias = Callable[[str, Path], Cost]


def run(seed: int, rounds: int) -> Figures:
    """Try every shape, beyond the limits and within them. There is no chance in it: `seed` changes nothing.

    Prints what each file costs; the figures are their number, and the files that miss the goal.
    """
    found: list[Figure] = []
    for row in rows((*SHAPES, *JSON_SHAPES), rounds, measured):
        print(f"{row.what}: {row.result}", file=sys.stderr)
        found.append(row)
    missed = [row for row in found if not row.met]
    return Figures("large", seed, rounds, (summary(len(found), len(missed)), *missed))


def summary(files: int, missed: int) -> Figure:
    """The line of all files together."""
    return Figure("files of all shapes that miss the goal", f"{missed} of {files}", f"0: {_GOAL}", not missed)


def rows(shapes: Iterable[str], rounds: int, measure: Measure) -> Iterator[Figure]:
    """The two lines of each of `shapes`."""
    with TemporaryDirectory() as folder:
        for name in shapes:
            suffix = ".json" if name in JSON_SHAPES else ".yml"
            file = Path(folder) / f"large{suffix}"
            for most in (BEYOND, None):
                entries = written(name, most, file)
                costs = [measure(command, file) for _ in range(rounds) for command in COMMANDS]
                yield figure(f"{name}, {entries:,} entries", costs)


def figure(what: str, costs: list[Cost]) -> Figure:
    """The line of one file; `costs` are those of all commands, in the order of `COMMANDS`."""
    return Figure(what, _result(costs), _GOAL, all(cost.is_met for cost in costs))


def written(shape: str, entries: int | None, file: Path) -> int:
    """Write a text with so many entries, or the most within the limits, to `file`; returns how many it has.

    In a process of its own: a child begins with the peak of its parent's memory, so this process stays small.
    """
    count = "most" if entries is None else str(entries)
    arguments = [sys.executable, "-m", "tests.fire.large_texts", shape, count, str(file)]
    return int(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)


def _result(costs: list[Cost]) -> str:
    slowest, largest = max(costs, key=lambda cost: cost.seconds), max(costs, key=lambda cost: cost.megabytes)
    codes = ", ".join(f"{cost.command} {cost.code}" for cost in costs[: len(COMMANDS)])
    return (
        f"{slowest.seconds:.1f} s ({slowest.command}; {slowest.processor:.1f} of the processor), "
        f"{largest.megabytes:.0f} MB ({largest.command}), exit codes {codes}"
    )


def measured(command: str, file: Path) -> Cost:
    """What one of `COMMANDS` takes for `file`."""
    arguments = [sys.executable, "-m", "studio", *COMMANDS[command], str(file)]
    home = {**os.environ, "BLUEPRINT_STUDIO_HOME": str(file.parent / "home")}
    with TemporaryFile() as errors, Path(os.devnull).open("r+b") as nothing:
        streams = (nothing, nothing, errors)
        actions = [(os.POSIX_SPAWN_DUP2, stream.fileno(), number) for number, stream in enumerate(streams)]
        began = time.monotonic()
        pid = os.posix_spawn(sys.executable, arguments, home, file_actions=actions)
        with _ended_after(pid, _STOPPED):
            _, status, usage = os.wait4(pid, 0)
        errors.seek(0)
        crashed = b"Traceback (most recent call last)" in errors.read()
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    seconds = time.monotonic() - began
    processor = usage.ru_utime + usage.ru_stime
    return Cost(command, seconds, processor, usage.ru_maxrss / unit, os.waitstatus_to_exitcode(status), crashed)


@contextmanager
def _ended_after(pid: int, seconds: float) -> Iterator[None]:
    """End the process `pid` after that time, unless the block is left before."""
    timer = threading.Timer(seconds, os.kill, (pid, signal.SIGKILL))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
