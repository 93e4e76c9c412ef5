"""How long the event loop is kept busy while answers grow by 200 tokens a second: short ones, and ones of 200 KB."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.evaluation.events import Delta, Responded, Response
from engine.evaluation.sources import Candidate, ModelSource
from engine.files.open_files import open_file
from studio.session.run import Run
from studio.session.run_configuration import AnswerChoice
from studio.tui.app import Studio
from studio.tui.window import Pane
from tests.benchmarks.table import Row, row
from tests.studio.driving import analysis_of, runs_of, settle
from tests.world import own_home

LONG, SHORT = 200_000, 2_000
"""Code points that have arrived before it is measured."""
PACE = 0.005
"""Seconds between two tokens."""
TOKENS = 600
FRAME = 16
"""Milliseconds that one turn of the loop may take."""

BLUEPRINT = "- id: one\n  prompt: Tell me.\n  should: [Tells of it]\n"
TALK = f"system: Be brief.\n---\n{BLUEPRINT}"
PARAGRAPH = """\
The tenant **may** ask for it in `writing`, and the landlord has 14 days to answer her letter.

- so
- it is

"""
CODE = "def rent(amount: int) -> int:\n    # what is due each month\n    return amount * 12 + len('a deposit')\n\n"
SHAPES = {
    "paragraphs": ("", PARAGRAPH),
    "one line": ("", "The tenant **may** ask for it in `writing`, and the landlord has 14 days to answer. "),
    "code": ("```python\n", CODE),
}
"""How an answer begins, and what it goes on with again and again."""
CASES = (
    ("answer", BLUEPRINT, "paragraphs"),
    ("answer", BLUEPRINT, "one line"),
    ("answer", BLUEPRINT, "code"),
    ("conversation", TALK, "paragraphs"),
)


def measure() -> Iterator[Row]:
    """Each shape of answer, alone and in a conversation; beside it a short answer in the same place."""
    with own_home() as home:
        path = home / "x.yml"
        for what, text, shape in CASES:
            path.write_text(text, "utf-8")
            for size, of in ((SHORT, "2 KB"), (LONG, "200 KB")):
                waits = asyncio.run(_grown(path, *SHAPES[shape], size))
                goal = (FRAME, FRAME) if size == LONG else None
                yield row(f"growing {what}: loop waits", f"{of}, {shape}", "ms", waits, goal)
                yield row(f"growing {what}: longest wait", f"{of}, {shape}", "ms", [max(waits)])


async def _grown(path: Path, opening: str, again: str, size: int) -> list[float]:
    """Milliseconds that something which is due at once waits for its turn, while an answer grows."""
    app = Studio(open_file(path))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await settle(pilot)
        trying, analysis = runs_of(screen), analysis_of(screen)
        screen.editor.go_to(analysis.parsed.text.index("prompt"))
        candidate = Candidate(ModelSource("openai:model"))
        trying.configuration.set(answers=AnswerChoice((candidate.source,)))
        screen.open_pane(Pane.ANSWER)
        run = trying.new_run(analysis, analysis.parsed.blueprint.prompts[0], candidate)
        trying.selection.put(run)
        run = _after(trying, run, opening + again * (size // len(again)))
        await pilot.pause(2)
        waits: list[float] = []
        ticking = asyncio.create_task(_tick(waits))
        words = again.split(" ")
        began = time.perf_counter()
        for number in range(TOKENS):
            run = _after(trying, run, words[number % len(words)] + " ")
            await asyncio.sleep(max(began + (number + 1) * PACE - time.perf_counter(), 0))
        response = Response(run.arrived[0], ())
        trying.selection.put(run.after(Responded(response)))
        await asyncio.sleep(1)
        ticking.cancel()
    return waits


def _after(trying: Any, run: Run, token: str) -> Run:
    delta = Delta(0, token)
    run = run.after(delta)
    trying.selection.arrive(run)
    return run


async def _tick(waits: list[float]) -> None:
    while True:
        due = time.perf_counter() + 0.002
        await asyncio.sleep(0.002)
        waits.append(max(time.perf_counter() - due, 0) * 1000)
