"""What a turn of the criterion loop leaves in the result that is shown, and what it says it did."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.judging.scale import JudgesAs
from studio.session.run import Run
from studio.session.views.criterion_view import CriterionView
from tests.session.faces import Author, Face
from tests.studio.model_server import ModelServer, verdict

RUBRIC = """\
models: [{model}]
evaluationConfig: {{llm-coverage: {{judges: [{{model: 'own:strict', approach: holistic, id: strict}}]}}}}
---
- id: rent
  prompt: When is the rent due?
  ideal: On the 3rd, by the lease.
  should:
    - Names the lease
    - Is friendly
"""
CASES = """\
version: 1
cases:
  - {prompt: rent, answer: 'On the 5th, says the king.', label: bad}
"""
REWORDED = "Names the lease or contract"


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, lambda body: verdict("CLASS_FULLY_PRESENT"))


@pytest.fixture
async def face(tmp_path: Path, server: ModelServer) -> AsyncIterator[Face]:
    """The result of the ideal is shown, which nobody judged."""
    path = tmp_path / "rent.yml"
    path.write_text(RUBRIC.format(model=server.model("strict")), "utf-8")
    (tmp_path / "rent.yml.cases").write_text(CASES, "utf-8")
    opened = Face(path, Author(lambda question: question.marked - {question.choices[-1].id}))
    await opened.settled()
    opened.cursor_at("Names the lease")
    opened.runs.run_or_stop()
    await opened.settled()
    opened.runs.configuration.judges_as = JudgesAs.DOCUMENTED
    yield opened
    await opened.close()
    assert opened.author.faults == []


async def judged(face: Face, criterion: str) -> None:
    face.cursor_at(criterion)
    await face.runs.criterion.run_at(face.text.index(criterion))
    await face.settled()


def extents(face: Face) -> tuple[float | None, ...]:
    run: Any = face.runs.selection.run
    assert isinstance(run, Run)
    return tuple(each.extent for each in run.assessments)


def state(face: Face) -> str:
    shown = face.runs.criterion.view()
    assert isinstance(shown, CriterionView)
    return shown.state


async def test_a_verdict_on_the_answer_that_is_shown_counts_in_its_result(face: Face) -> None:
    await judged(face, "Names the lease")
    assert extents(face) == (1.0, None)


async def test_so_does_a_verdict_on_a_new_wording(face: Face) -> None:
    await judged(face, "Names the lease")
    face.replace("Names the lease", REWORDED)
    await face.settled()
    await judged(face, REWORDED)
    assert extents(face) == (1.0, None)


async def test_verdicts_on_other_criteria_stay(face: Face) -> None:
    await judged(face, "Names the lease")
    await judged(face, "Is friendly")
    assert extents(face) == (1.0, 1.0)


async def test_an_answer_that_is_left_out_later_was_judged_all_the_same(face: Face) -> None:
    await judged(face, "Names the lease")
    await face.runs.criterion.choose_answers()
    assert state(face).startswith("judged on 2 answers · ")


async def test_a_wording_that_is_taken_back_has_its_verdict_again(face: Face) -> None:
    await judged(face, "Names the lease")
    face.replace("Names the lease", REWORDED)
    await face.settled()
    await judged(face, REWORDED)
    face.replace(REWORDED, "Names the lease")
    await face.settled()
    assert extents(face) == (1.0, None)


async def test_what_a_turn_did_is_not_said_of_another_wording(face: Face) -> None:
    await judged(face, "Names the lease")
    await face.runs.criterion.choose_answers()
    face.replace("Names the lease", REWORDED)
    await face.settled()
    await judged(face, REWORDED)
    face.replace(REWORDED, "Names the lease")
    await face.settled()
    assert state(face) == "judged on 1 answer"
