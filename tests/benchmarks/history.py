"""Listing the newest of 10,000 stored runs of a prompt, against that of one with ten, and SQLite's rows alone."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from engine.blueprint.conversation import Variant
from engine.evaluation.sources import Candidate, ModelSource
from engine.files.open_files import open_file
from engine.files.own_files import data_dir
from engine.parsing import parse
from engine.store import PromptPlace, RunState, Store, rubric_digest
from engine.store.database import timestamp
from engine.store.stored_answers import stored_source
from studio.tui.app import Studio
from studio.tui.dialogs.history import EarlierRuns
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.benchmarks.table import Row, row
from tests.studio.driving import analysis_of, settle
from tests.world import own_home

FEW, MANY = 10, 10_000
ROUNDS = 20
GOAL = (100, 150)
"""Milliseconds from asking for the runs of a prompt until they are drawn: median, and 95th percentile."""

TEXT = """\
- id: one
  prompt: What is the notice period?
  should:
    - Names the lease
- id: two
  prompt: What is the rent?
  should:
    - Names the lease
"""


def measure() -> Iterator[Row]:
    """The runs of the prompt with few and of the one with many are listed in turn."""
    with own_home() as home:
        path = home / "x.yml"
        path.write_text(TEXT, "utf-8")
        place = _fill(path)
        size, few = f"{MANY} runs of a prompt", f"{FEW} runs of a prompt"
        yield row("history: SQLite's rows alone", size, "ms", [_floor(place) for _ in range(ROUNDS)])
        yield row("history: read and told", size, "ms", list(_read(place)))
        few_runs, many_runs = asyncio.run(_opened(path))
        yield row("history: until it is drawn", few, "ms", few_runs)
        yield row("history: until it is drawn", size, "ms", many_runs, GOAL)


def _fill(path: Path) -> PromptPlace:
    """Give each prompt of the file its runs, with four models; where those of the second are kept."""
    Store().close()
    prompts = parse(TEXT, path).blueprint.prompts
    rows: list[tuple[object, ...]] = []
    for prompt, count in zip(prompts, (FEW, MANY), strict=True):
        place = PromptPlace.of(path, prompt)
        for number in range(count):
            candidate = Candidate(ModelSource(f"openai:model-{number % 4}"), Variant(0, 0.5, suffix="[temp:0.5]"))
            source, score = stored_source(candidate.source), number % 9 / 8
            ended = timestamp(), RunState.SCORED, timestamp(), score, score, 1.0, rubric_digest(prompt)
            rows.append((place.blueprint, place.prompt, source, candidate.variant.suffix, 0.5, *ended))
    with closing(sqlite3.connect(data_dir() / "studio.sqlite3")) as connection, connection:
        connection.executemany(
            "INSERT INTO run (blueprint, prompt, source, suffix, temperature, began, state, ended, score, low, high,"
            " rubric) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
    return PromptPlace.of(path, prompts[1])


def _floor(place: PromptPlace) -> float:
    with closing(sqlite3.connect(data_dir() / "studio.sqlite3")) as connection:
        gc.collect()
        began = time.perf_counter()
        found = connection.execute(
            "SELECT * FROM run WHERE blueprint = ? AND prompt = ? ORDER BY id DESC", (place.blueprint, place.prompt)
        ).fetchall()
        taken = time.perf_counter() - began
    assert len(found) == MANY
    return taken * 1000


def _read(place: PromptPlace) -> Iterator[float]:
    from studio.session.restored_answers import MOST_LISTED
    from studio.session.views.history_view import history_view

    with closing(Store()) as store:
        for _ in range(ROUNDS):
            gc.collect()
            began = time.perf_counter()
            found = history_view(store.past_runs(place, MOST_LISTED), "two", "", None)
            yield (time.perf_counter() - began) * 1000
            assert (len(found.runs), found.total) == (MOST_LISTED, MANY)


async def _opened(path: Path) -> tuple[list[float], list[float]]:
    """Milliseconds until few runs are drawn, and many."""
    app = Studio(open_file(path))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await settle(pilot)
        both = [(await _list(pilot, screen, 0), await _list(pilot, screen, 1)) for _ in range(ROUNDS + 1)][1:]
    return [few for few, _ in both], [many for _, many in both]


async def _list(pilot: Pilot[Any], screen: BlueprintScreen, number: int) -> float:
    """Milliseconds from asking for the runs of a prompt until they are on the screen."""
    screen.editor.go_to(analysis_of(screen).parsed.blueprint.prompts[number].span.start + 5)
    await settle(pilot)
    gc.collect()
    began = time.perf_counter()
    screen.action_do("answer.history")
    while not (isinstance(pilot.app.screen, EarlierRuns) and pilot.app.screen.list.virtual_size.height > 1):
        await asyncio.sleep(0)
    taken = time.perf_counter() - began
    await pilot.press("escape")
    return taken * 1000
