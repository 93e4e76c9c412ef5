"""Earlier runs for tests: as if prompts had been run in earlier sessions, at times that are told."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.blueprint import Prompt, Role
from engine.blueprint.conversation import Stop, ThreadTurn, Variant
from engine.evaluation.events import Response
from engine.evaluation.sources import Candidate, IdealSource, ModelSource
from engine.files.own_files import data_dir
from engine.parsing import parse
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.explanation import Bounds
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.store import PromptPlace, RunState, Store, rubric_digest
from engine.text.record import replace

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
IDEAL = Candidate(IdealSource())
MODEL = Candidate(ModelSource("openai:gpt-4o-mini"), Variant(1, 0.7, suffix="[temp:0.7]"))


def prompt_of(path: Path) -> Prompt:
    """The first prompt of the file at `path`."""
    return parse(path.read_text("utf-8"), path).blueprint.prompts[0]


def ran(
    path: Path,
    *,
    ago: timedelta,
    score: float | None = None,
    bounds: tuple[float, float] | None = None,
    candidate: Candidate = MODEL,
    state: RunState = RunState.SCORED,
    answer: str = "It is 30 days.",
    asked: str = "What is the notice period?",
    rubric: str | None = None,
    words: str = "",
    stop: Stop | None = None,
) -> int:
    """As if the first prompt of the file at `path` had been run so long before `NOW`; the number of the run."""
    prompt = prompt_of(path)
    where = PromptPlace.of(path, prompt)
    low, high = bounds or (score or 0.0, score or 0.0)
    verdict = (None, None) if low < high else (low, AssessedBy.HUMAN)
    explanation = explain(prompt, [Assessment(placed, *verdict) for placed in place(prompt)])
    with closing(Store()) as store:
        number = store.begin_run(where, candidate, rubric_digest(prompt) if rubric is None else rubric)
        if answer:
            said = (
                ThreadTurn(Role.USER, asked, generated=False),
                ThreadTurn(Role.ASSISTANT, answer, generated=True, stop=stop),
            )
            store.save_run_answer(number, where, candidate, Response(answer, said, "m"))
        known = None if score is None else replace(explanation, score=score, bounds=Bounds(low, high))
        store.end_run(number, state, explanation=known, error_message=words, stop=stop)
    began = (NOW - ago).isoformat(timespec="milliseconds")
    with closing(sqlite3.connect(data_dir() / "studio.sqlite3")) as connection, connection:
        connection.execute("UPDATE run SET began = ?, ended = ? WHERE id = ?", (began, began, number))
    return number
