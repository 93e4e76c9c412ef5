"""Answers that failed or were withheld in an earlier session, in the grid of a file that is opened again."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.blueprint.conversation import Stop, StopReason
from engine.evaluation.sources import Candidate, ModelSource
from engine.parsing import parse
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.store import PromptPlace, Store
from engine.store.run_records import RunState
from engine.study.matrix import AnswerState
from engine.study.matrix_view import MatrixOptions
from tests.session.faces import open_face

TEXT = "- id: rent\n  prompt: When is the rent due?\n  should: [Names the day]\n"
MODEL = ModelSource("openai:model")


def ended(path: Path, state: RunState, stop: Stop | None = None) -> None:
    """An earlier run of the prompt with the model, and how it ended."""
    store = Store()
    prompt = parse(TEXT).blueprint.prompts[0]
    number = store.begin_run(PromptPlace.of(path, prompt), Candidate(MODEL), "")
    explanation = explain(prompt, [Assessment(place(prompt)[0], 1.0, AssessedBy.HUMAN)])
    store.end_run(number, state, explanation=explanation if state is RunState.SCORED else None, stop=stop)


async def shown(path: Path) -> AnswerState:
    """The state of the only cell of the grid."""
    face = await open_face(path)
    await face.choose(MODEL)
    await face.settled()
    (row,) = face.runs.views.matrix(MatrixOptions()).all_judges.rows
    await face.close()
    return row.answers[0].state


@pytest.fixture
def rent(tmp_path: Path) -> Path:
    path = tmp_path / "rent.yml"
    path.write_text(TEXT, "utf-8")
    return path


async def test_an_answer_that_was_withheld_is_counted_as_withheld(rent: Path) -> None:
    ended(rent, RunState.FAILED, Stop(StopReason.WITHHELD, "content_filter"))
    assert await shown(rent) is AnswerState.WITHHELD


async def test_a_request_that_failed_is_counted_as_failed(rent: Path) -> None:
    ended(rent, RunState.FAILED)
    assert await shown(rent) is AnswerState.FAILED


async def test_a_run_that_was_stopped_is_not_counted(rent: Path) -> None:
    ended(rent, RunState.FAILED)
    ended(rent, RunState.STOPPED)
    assert await shown(rent) is AnswerState.NOT_RUN


def test_a_failure_beside_a_score_is_not_the_last_word(rent: Path) -> None:
    ended(rent, RunState.SCORED)
    ended(rent, RunState.FAILED)
    assert Store().last_failed_runs(str(rent)) == {}
