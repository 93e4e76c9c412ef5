"""Opening the grid of 300 prompts × 8 models on runs that are there."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator
from pathlib import Path

from engine.blueprint import Prompt
from engine.evaluation.events import Response
from engine.evaluation.sources import Candidate, ModelSource
from engine.files.open_files import open_file
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.text.record import replace
from studio.session.run import Run
from studio.session.run_configuration import AnswerChoice
from studio.tui.app import Studio
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.matrix_screen import MatrixScreen
from tests.benchmarks.table import Row, row
from tests.studio.driving import analysis_of, runs_of, settle
from tests.world import own_home

PROMPTS, MODELS, POINTS = 300, 8, 6
ROUNDS = 15
GRID_GOAL = (150, 250)
"""Milliseconds from the key until the grid is drawn: median, and 95th percentile."""
SECONDS = 60
_EXTENTS = (0.0, 0.25, 0.5, 0.75, 1.0)


def measure() -> Iterator[Row]:
    """Until the grid is drawn."""
    with own_home() as home:
        size = f"{PROMPTS} prompts × {MODELS}"
        yield row("grid: until it is drawn", size, "ms", asyncio.run(_opened(home / "x.yml")), GRID_GOAL)


async def _opened(path: Path) -> list[float]:
    path.write_text(_blueprint(), "utf-8")
    app = Studio(open_file(path))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await settle(pilot)
        await _fill(screen)
        return [await _open(app, screen) for _ in range(ROUNDS + 1)][1:]


def _blueprint() -> str:
    prompts = [
        f"- id: prompt-{number}\n  prompt: What of {number}?\n  should:\n"
        + "".join(f"    - Says {number} of {point}\n" for point in range(POINTS))
        for number in range(PROMPTS)
    ]
    return "title: Many\n---\n" + "".join(prompts)


async def _fill(screen: BlueprintScreen) -> None:
    runs, analysis = runs_of(screen), analysis_of(screen)
    sources = tuple(ModelSource(f"openai:model-{number}") for number in range(MODELS))
    await runs.configuration.choose(AnswerChoice(sources))
    for prompt in analysis.blueprint.prompts:
        for number, source in enumerate(sources):
            assessments = tuple(
                Assessment(placed, _EXTENTS[(prompt.index * 7 + number * 3 + at) % 5], AssessedBy.JUDGE)
                for at, placed in enumerate(place(prompt))
            )
            made = runs.new_run(analysis, prompt, Candidate(source))
            runs.selection.put(_scored(made, prompt, assessments))


def _scored(run: Run, prompt: Prompt, assessments: tuple[Assessment, ...]) -> Run:
    explanation = explain(prompt, assessments)
    response = Response(f"An answer to {prompt.id}.", (), "m")
    return replace(run, assessments=assessments, explanation=explanation, response=response, running=False)


async def _open(app: Studio, screen: BlueprintScreen) -> float:
    """Milliseconds until the grid is drawn. What an earlier grid computed of the runs is forgotten."""
    runs = runs_of(screen)
    runs.session.seen.clear()
    runs.change(runs=dict(runs.state.runs))
    gc.collect()
    drawn = asyncio.Event()
    began = time.perf_counter()
    grid = MatrixScreen(runs)
    await app.push_screen(grid)
    grid.call_after_refresh(drawn.set)
    await asyncio.wait_for(drawn.wait(), SECONDS)
    taken = time.perf_counter() - began
    await grid.dismiss()
    await asyncio.sleep(0.05)
    return taken * 1000
