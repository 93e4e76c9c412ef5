"""The process that is soaked: `python -m tests.fire.soak_child FOLDER SEED WARM_UP ROUNDS QUICK SLOW ABSENT`.

It runs the whole application without a terminal, and prints a line of JSON after the warm-up and after each tenth of
the rounds: the round, what it holds, the size of the database in bytes, and the actions so far. The last line is what
it holds once the application is closed.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.files.open_files import open_file
from engine.files.own_files import data_dir
from engine.models import http
from studio.tui.app import Studio
from tests.fire import held
from tests.fire.soak_author import Author, Servers, blueprint
from tests.studio.driving import WIDE, settle

MEASURES = 10
_STARTED = 2.0
"""Seconds after which the application sets its collector of garbage."""


async def soak(folder: Path, seed: int, warm_up: int, rounds: int, servers: Servers) -> None:
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
    asyncio.run(soak(Path(folder), int(seed), int(warm_up), int(rounds), Servers(*urls)))


if __name__ == "__main__":
    main()
