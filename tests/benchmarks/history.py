"""Opening the history of a prompt with 10,000 stored runs, against that of one with ten, and SQLite's rows alone."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

from studio.tui.screens.side import HISTORY
from textual.pilot import Pilot

from engine.blueprint.conversation import Variant
from engine.evaluation.sources import Candidate, ModelSource
from engine.files.open_files import open_file
from engine.files.own_files import data_dir
from engine.parsing import parse
from engine.store import PromptPlace, RunState, Store, rubric_digest
from engine.store.database import timestamp
from engine.store.stored_answers import stored_source
from studio.session.views.history_view import HistoryView, NoHistory
from studio.tui.app import Studio
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.benchmarks.table import Row, row
from tests.studio.driving import analysis_of, settle
from tests.world import own_home

FEW, MANY = 10, 10_000
ROUNDS = 20
GOAL = (100, 150)
"""Milliseconds from going to a prompt until its history is drawn: median, and 95th percentile."""
SECONDS = 30

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
    """The cursor goes from the prompt with few runs to the one with many and back, with the tab open."""
    with own_home() as home:
        path = home / "x.yml"
        path.write_text(TEXT, "utf-8")
        place = _fill(path)
        size, few = f"{MANY} runs of a prompt", f"{FEW} runs of a prompt"
        yield row("history: SQLite's rows alone", size, "ms", [_floor(place) for _ in range(ROUNDS)])
        yield row("history: read and told", size, "ms", list(_read(place)))
        floor, first, whole = asyncio.run(_opened(path))
        yield row("history: until it is drawn", few, "ms", floor)
        yield row("history: until it is drawn", size, "ms", first, GOAL)
        yield row("history: until all runs are there", size, "ms", whole)


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
    from studio.session.views.history_view import history

    with closing(Store()) as store:
        for _ in range(ROUNDS):
            gc.collect()
            began = time.perf_counter()
            found = history(store.past_runs(place))
            yield (time.perf_counter() - began) * 1000
            assert len(found.runs) == MANY


async def _opened(path: Path) -> tuple[list[float], list[float], list[float]]:
    """Milliseconds until few runs are drawn, the first of many, and all of these."""
    app = Studio(open_file(path))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await settle(pilot)
        screen.show_tab(HISTORY)
        both = [(await _go(pilot, screen, 0, FEW), await _go(pilot, screen, 1, MANY)) for _ in range(ROUNDS + 1)][1:]
    return [few[0] for few, _ in both], [many[0] for _, many in both], [many[1] for _, many in both]


async def _go(pilot: Pilot[Any], screen: BlueprintScreen, number: int, runs: int) -> tuple[float, float]:
    """Milliseconds from putting the cursor into the prompt until its history is on the screen, and until all of it."""
    assert screen.panes.history is not None
    pane, prompt = screen.panes.history, analysis_of(screen).parsed.blueprint.prompts[number]
    await pilot.pause()
    gc.collect()
    drawn = asyncio.Event()
    shown = pane.show

    def show(view: NoHistory | HistoryView) -> None:
        shown(view)
        if view.title == prompt.id:
            pane.call_after_refresh(drawn.set)

    with patch.object(pane, "show", show):
        began = time.perf_counter()
        screen.editor.go_to(prompt.span.start + 5)
        await asyncio.wait_for(drawn.wait(), SECONDS)
        first = time.perf_counter() - began
        while len(pane.rows.rows) < runs:
            drawn.clear()
            await asyncio.wait_for(drawn.wait(), SECONDS)
        whole = time.perf_counter() - began
    return first * 1000, whole * 1000
