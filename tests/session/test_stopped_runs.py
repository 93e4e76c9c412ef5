"""A run that is stopped: it is not failed, its last score stays, and what its judges said counts as far as it goes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from engine.evaluation.sources import ModelSource
from engine.judging.panel import JudgesAs
from studio.session.run import Run
from studio.session.run_configuration import AnswerChoice
from studio.session.views.result_view import ResultView
from tests.session.criterion_faces import blueprint, held_after, says
from tests.session.faces import Face
from tests.studio.model_server import ModelServer


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, says)


@pytest.fixture
async def face(tmp_path: Path, server: ModelServer) -> AsyncIterator[Face]:
    path = tmp_path / "rent.yml"
    path.write_text(blueprint(server), "utf-8")
    face = Face(path)
    await face.settled()
    face.cursor_at("When is the rent due?")
    yield face
    await face.close()


def run_of(face: Face) -> Run:
    run = face.runs.selection.run
    assert isinstance(run, Run)
    return run


async def test_a_judge_that_was_stopped_leaves_its_points_open_with_their_bounds(
    face: Face, server: ModelServer
) -> None:
    face.runs.configuration.set(judges_as=JudgesAs.DOCUMENTED)
    server.said = lambda body: held_after(server, 3) or says(body)
    face.runs.run_or_stop()
    await face.until(lambda: face.runs.selection.run is not None)
    await face.until(lambda: sum(map(len, run_of(face).judgements.values())) == 3)
    face.runs.run_or_stop()
    await face.settled()
    server.release()
    run = run_of(face)
    assert (run.state, run.failed) == ("", None)
    assert run.headline is not None
    assert run.headline.is_open
    partly = [each for each in run.assessments if each.possible is not None]
    assert partly, "three verdicts of two judges leave a point with one"
    for each in partly:
        assert each.open
        assert each.possible is not None
        assert each.possible.high - each.possible.low == pytest.approx(0.5)


async def test_the_last_score_of_a_run_that_is_stopped_stays(face: Face, server: ModelServer) -> None:
    await face.runs.configuration.choose(AnswerChoice((ModelSource("own:strict"),)))
    face.runs.run_or_stop()
    await face.settled()
    before = str(run_of(face).headline)
    server.held = True
    face.write(face.text.replace("When is the rent due?", "When is rent due?"))
    await face.settled()
    face.runs.run_or_stop()
    await face.until(lambda: run_of(face).running and face.session.state.arriving)
    face.runs.run_or_stop()
    server.release()
    await face.settled()
    run = run_of(face)
    assert (run.state, str(run.before)) == ("stopped", before)
    shown = face.runs.views.result()
    assert isinstance(shown, ResultView)
    assert shown.notice == f"The last score stays: {before}."
    (standing,) = face.runs.overview.view().prompts
    assert (standing.state, str(standing.headline), standing.failed) == ("stopped", before, False)
