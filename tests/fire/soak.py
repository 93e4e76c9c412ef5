"""Two hours of an author's work, sped up: memory stays where it was after the warm-up, and nothing else is left over.

A round is `Author.minute` of `tests/fire/soak_author.py`: some 220 keys and choices that write, fix, run, judge, stop,
fail, look back, compare, save, resize and open other files. `ROUNDS` rounds are two hours of an author who presses a
key every second. The application runs whole, in a process of its own, with its keys pressed by Textual's pilot. Linux
only, as /proc is read.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.files.open_files import open_file
from engine.files.own_files import data_dir
from engine.models import http
from studio.tui.app import Studio
from tests.benchmarks.model_server import Pace, running
from tests.fire import held
from tests.fire.figures import Figure, Figures
from tests.fire.held import MEGABYTE, Held
from tests.fire.soak_author import Author, Servers, blueprint
from tests.studio.driving import WIDE, settle

ROUNDS = 30
"""Rounds after the warm-up: about 7,000 actions."""
MOST_GROWN = 10
"""Megabytes (10^6 bytes) by which memory may grow after the warm-up."""
_ABSENT = "http://127.0.0.1:9/v1"
"""Where nothing listens: the port of `discard`."""
_LEAST_WARM_UP = 4
"""Rounds within which caches of a fixed size fill."""
MEASURES = 10
_STARTED = 2.0
"""Seconds after which the application sets its collector of garbage."""
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
        command = [sys.executable, "-m", "tests.fire.soak", *map(str, words)]
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


# The process that is soaked: `python -m tests.fire.soak FOLDER SEED WARM_UP ROUNDS QUICK SLOW ABSENT`.
#
# It runs the whole application without a terminal, and prints a line of JSON after the warm-up and after each tenth of
# the rounds: the round, what it holds, the size of the database in bytes, and the actions so far. The last line is
# what it holds once the application is closed.


async def work(folder: Path, seed: int, warm_up: int, rounds: int, servers: Servers) -> None:
    """Work `warm_up` rounds, then `rounds`, and quit."""
    http.IDLE_SECONDS = 0.5
    held.adopt()
    texts = tuple(blueprint(title, servers) for title in ("Bread", "Salt"))
    files = tuple(folder / f"{number}.yml" for number in range(len(texts)))
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, "utf-8")
    app = Studio(open_file(files[0]))
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await asyncio.sleep(_STARTED)
        await _fill_pool()
        author = Author(pilot, files, texts, seed)
        for _ in range(warm_up):
            await author.minute()
        await _measure(0, author, app)
        for number in range(1, rounds + 1):
            await author.minute()
            if number % max(1, rounds // MEASURES) == 0 or number == rounds:
                await _measure(number, author, app)
        await pilot.press("ctrl+q")
    left = held.of_this_process()
    print(json.dumps({"left": asdict(left), "what": held.described()}), flush=True)


async def _fill_pool() -> None:
    """Let asyncio start all threads of its pool: it adds one whenever all of them are busy."""
    together = threading.Barrier(held.POOL)
    await asyncio.gather(*(asyncio.to_thread(together.wait) for _ in range(held.POOL)))


async def _measure(number: int, author: Author, app: Studio) -> None:
    app.clear_notifications()
    await author.rest()
    await _idle()
    database = sum(each.stat().st_size for each in data_dir().glob("studio.sqlite3*"))
    now: dict[str, Any] = {"round": number, "held": asdict(held.of_this_process()), "database": database}
    print(json.dumps({**now, "actions": author.actions, "what": held.described()}), flush=True)


async def _idle() -> None:
    """Wait until what runs out by itself has run out: toasts, timers of the journal, connections kept open."""
    await asyncio.sleep(http.IDLE_SECONDS + 0.5)


def main() -> None:
    """Soak as the arguments say."""
    folder, seed, warm_up, rounds, *urls = sys.argv[1:]
    asyncio.run(work(Path(folder), int(seed), int(warm_up), int(rounds), Servers(*urls)))


if __name__ == "__main__":
    main()
