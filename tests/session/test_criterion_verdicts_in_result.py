"""What a turn of the criterion loop leaves in the result that is shown, and what it says it did."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from engine.evaluation.sources import IdealSource, ModelSource
from studio.session.run_configuration import AnswerChoice
from tests.session.criterion_faces import view
from tests.session.faces import Face, open_face
from tests.studio.model_server import ModelServer, verdict
from tests.studio.text_files import text_file

RUBRIC = text_file("criterion-verdicts-in-result.yml")
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
async def face(tmp_path: Path, server: ModelServer) -> Face:
    """The result of the ideal is shown, which nobody judged."""
    path = tmp_path / "rent.yml"
    path.write_text(RUBRIC.format(model=server.model("strict")), "utf-8")
    (tmp_path / "rent.yml.cases").write_text(CASES, "utf-8")
    opened = await open_face(path, lambda question: question.marked - {question.choices[-1].id}, at="Names the lease")
    await opened.f5()
    opened.judged()
    return opened


async def judged(face: Face, criterion: str) -> None:
    await face.open_criterion(criterion)
    await face.again()


async def test_an_answer_that_is_left_out_later_was_judged_all_the_same(face: Face) -> None:
    await judged(face, "Names the lease")
    await face.runs.criterion.choose_answers()
    assert view(face).state.startswith("judged on 2 answers · ")


async def test_what_a_turn_did_is_not_said_of_another_wording(face: Face) -> None:
    await judged(face, "Names the lease")
    await face.runs.criterion.choose_answers()
    await face.change("Names the lease", REWORDED)
    await judged(face, REWORDED)
    await face.change(REWORDED, "Names the lease")
    assert view(face).state == "judged on 1 answer"


async def reopened(face: Face) -> Face:
    """The same file, closed and opened again, with the ideal run without judges."""
    path = face.session.state.path
    path.write_text(face.text, "utf-8")
    await face.close()
    again = await open_face(path, lambda question: question.choices[0].id, at="- id: rent")
    await again.f5()
    again.judged()
    return again


async def test_it_has_none_there_if_judges_would_be_asked_something_else_today(face: Face) -> None:
    await judged(face, "Names the lease")
    face.replace("Names the lease", REWORDED)
    await face.change("Is friendly", "Is kind")
    await judged(face, REWORDED)
    again = await reopened(face)
    await judged(again, REWORDED)
    again.apply(await again.runs.criterion.take_back())
    await again.settled()
    assert again.extents == [None, None]
    assert [row.is_carried for row in view(again).rows] == [True, True]


async def test_verdicts_on_answers_of_other_candidates_count_in_their_results(face: Face, server: ModelServer) -> None:
    face.judged(None)
    await face.runs.configuration.choose(AnswerChoice((IdealSource(), ModelSource("own:strict"))))
    await face.f5()
    face.author.answers = [lambda question: {each.id for each in question.choices}]
    await judged(face, "Names the lease")
    await face.runs.criterion.choose_answers()
    face.judged()
    await face.again()
    found = {run.label: [each.extent for each in run.assessments] for run in face.runs.state.runs.values()}
    assert found == {"the ideal": [1.0, None], "strict": [1.0, None]}
