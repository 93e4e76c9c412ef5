"""A run that is stopped: it is not failed, its last score stays, and what its judges said counts as far as it goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from engine.evaluation.sources import ModelSource
from tests.session.criterion_faces import blueprint, held_after, says
from tests.session.faces import Face, open_face
from tests.studio.model_server import ModelServer


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, says)


@pytest.fixture
async def face(tmp_path: Path, server: ModelServer) -> Face:
    return await open_face(tmp_path, text=blueprint(server), at="When is the rent due?")


async def test_a_judge_that_was_stopped_leaves_its_points_open_with_their_bounds(
    face: Face, server: ModelServer
) -> None:
    face.judged()
    server.said = lambda body: held_after(server, 3) or says(body)
    face.runs.run_or_stop()
    await face.until(lambda: face.runs.selection.run is not None)
    await face.until(lambda: sum(map(len, face.run.judgements.values())) == 3)
    await face.f5()
    server.release()
    run = face.run
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
    await face.choose(ModelSource("own:strict"))
    await face.f5()
    before = str(face.run.headline)
    server.held = True
    await face.rewrite(face.text.replace("When is the rent due?", "When is rent due?"))
    face.runs.run_or_stop()
    await face.until(lambda: face.run.running and face.session.state.arriving)
    face.runs.run_or_stop()
    server.release()
    await face.settled()
    run = face.run
    assert (run.state, str(run.before)) == ("stopped", before)
    shown = face.result
    assert shown.notice == f"The last score stays: {before}."
    (standing,) = face.runs.overview.view().prompts
    assert (standing.state, str(standing.headline), standing.failed) == ("stopped", before, False)
