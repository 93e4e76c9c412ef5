"""Two hours of an author's work, sped up: memory stays where it was after the warm-up, and nothing else is left over.

A round is `Author.minute` of `tests/fire/soak_author.py`: some 220 keys and choices that write, fix, run, judge, stop,
fail, look back, compare, save, resize and open other files. `ROUNDS` rounds are two hours of an author who presses a
key every second. The application runs whole, in a process of its own, with its keys pressed by Textual's pilot. Linux
only, as /proc is read.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.benchmarks.model_server import Pace, running
from tests.fire import held
from tests.fire.figures import Figure, Figures
from tests.fire.held import MEGABYTE, Held
from tests.fire.soak_author import Servers

ROUNDS = 30
"""Rounds after the warm-up: about 7,000 actions."""
MOST_GROWN = 10
"""Megabytes (10^6 bytes) by which memory may grow after the warm-up."""
_ABSENT = "http://127.0.0.1:9/v1"
"""Where nothing listens: the port of `discard`."""
_LEAST_WARM_UP = 4
"""Rounds within which caches of a fixed size fill."""
_SHOWN = 10
"""Values of a course of memory that are printed, and a few more."""


def run(seed: int, rounds: int) -> Figures:
    """Soak for `rounds` rounds after a third as many of warm-up; `seed` orders what the author does."""
    return Figures("soak", seed, rounds, tuple(_rows(seed, rounds)))


def warm_up_of(rounds: int) -> int:
    """How many rounds come before the first measurement."""
    return max(_LEAST_WARM_UP, rounds // 3)


def _rows(seed: int, rounds: int) -> list[Figure]:
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


def memory_figure(curve: list[int]) -> Figure:
    """The growth of memory from the first to the last value of `curve`, in bytes."""
    grown = (curve[-1] - curve[0]) / MEGABYTE
    course = " ".join(f"{each / MEGABYTE:.0f}" for each in curve[:: max(1, len(curve) // _SHOWN)])
    result = f"{grown:+.1f} MB ({course})"
    return Figure("memory after warm-up", result, f"≤ + {MOST_GROWN} MB", grown <= MOST_GROWN)


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
