"""How an answer ended: cut, withheld, stopped or failed, now and in an earlier session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

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
from studio.session.views.outline_view import OutlineRow
from tests.session.criterion_faces import blueprint, held_after, says
from tests.session.faces import Face, at_work, open_face
from tests.studio.model_server import ModelServer
from tests.studio.text_files import text_file

ONE = """\
- id: notice
  prompt: What is the notice period?
  should:
    - $contains: 30 days
"""
TALK = text_file("stop-reasons-talk.yml")
SAID = "It is 30 days, unless"


@pytest.fixture
def server(httpserver: HTTPServer) -> Iterator[ModelServer]:
    model = ModelServer(httpserver, lambda _: SAID)
    yield model
    model.release()


async def ran(face: Face, server: ModelServer, finish: str = "stop") -> Face:
    """The face after a run whose answers end so."""
    server.finish = finish
    await face.choose(server.source())
    await face.f5()
    return face


def row(face: Face) -> OutlineRow:
    return face.session.outline()[1]


async def test_a_cut_answer_is_scored_and_says_so(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, ONE) as face:
        await ran(face, server, "length")
        assert (face.score, face.run.failed, row(face).score) == (1.0, None, "100¦")
        assert row(face).notes[0] == "Cut off at the token limit."
        assert face.run.response is not None
        assert face.run.response.stop == Stop(StopReason.LENGTH, "length")


async def test_a_withheld_answer_fails_can_be_read_and_no_judge_is_asked_about_it(
    tmp_path: Path, server: ModelServer
) -> None:
    async with at_work(tmp_path, ONE) as face:
        await ran(face, server, "content_filter")
        assert (face.run.state, face.run.explanation, face.said) == ("withheld", None, SAID)
        assert (row(face).failed, row(face).score) == (True, "")
        await face.judge()
        assert len(server.bodies) == 1


async def test_variants_beside_each_other_say_which_was_cut_or_withheld(tmp_path: Path, server: ModelServer) -> None:
    server.finish_of = {"cut": "length", "withheld": "content_filter"}
    async with at_work(tmp_path, f"temperatures: [0, 1]\n---\n{ONE}", at="- id:") as face:
        await face.choose(*(server.source(name) for name in ("whole", "cut", "withheld")))
        await face.f5()
        beside = face.result.beside
        assert [(each.label, each.state if each.headline is None else str(each.headline)) for each in beside] == [
            ("whole, temp 0", "100.0"),
            ("cut, temp 0", "100.0, cut off at the token limit"),
            ("withheld, temp 0", "withheld"),
        ]


async def test_the_next_run_asks_again_for_a_withheld_answer_and_the_history_keeps_it_unscored(
    tmp_path: Path, server: ModelServer
) -> None:
    async with at_work(tmp_path, ONE) as face:
        await ran(face, server, "content_filter")
        await ran(face, server)
        assert (len(server.bodies), face.run.failed, face.score) == (2, None, 1.0)
        _, withheld = await face.earlier()
        await face.runs.history.open(withheld)
        await face.settled()
        assert (face.run.state, face.run.explanation) == ("withheld", None)


async def test_a_withheld_answer_is_not_scored_after_a_restart(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, ONE) as face:
        await ran(face, server, "content_filter")
    async with at_work(tmp_path) as face:
        await face.until(lambda: face.shown)
        assert (face.run.state, face.run.explanation, face.run.restored) == ("withheld", None, True)


async def test_a_withheld_answer_that_the_author_edits_is_the_author_s(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, ONE) as face:
        await ran(face, server, "content_filter")
        await face.edit("30 days")
        assert (face.run.failed, face.run.response and face.run.response.stop, face.score) == (None, None, 1.0)


async def test_each_turn_says_how_it_ended_also_where_those_after_it_are_generated_again(
    tmp_path: Path, server: ModelServer
) -> None:
    async with at_work(tmp_path, TALK) as face:
        await ran(face, server, "length")
        assert face.ends == ["cut off at the token limit"] * 2
        server.finish = "stop"
        await face.generate(3)
        assert face.ends == ["cut off at the token limit", ""]


# --- A run that is stopped: it is not failed, its last score stays, and what its judges said counts as far as it goes


@pytest.fixture
def judges(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, says)


@pytest.fixture
async def face(tmp_path: Path, judges: ModelServer) -> Face:
    return await open_face(tmp_path, text=blueprint(judges), at="When is the rent due?")


async def test_a_judge_that_was_stopped_leaves_its_points_open_with_their_bounds(
    face: Face, judges: ModelServer
) -> None:
    face.judged()
    judges.said = lambda body: held_after(judges, 3) or says(body)
    face.runs.run_or_stop()
    await face.until(lambda: face.runs.selection.run is not None)
    await face.until(lambda: sum(map(len, face.run.judgements.values())) == 3)
    await face.f5()
    judges.release()
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


async def test_the_last_score_of_a_run_that_is_stopped_stays(face: Face, judges: ModelServer) -> None:
    await face.choose(ModelSource("own:strict"))
    await face.f5()
    before = str(face.run.headline)
    judges.held = True
    await face.rewrite(face.text.replace("When is the rent due?", "When is rent due?"))
    face.runs.run_or_stop()
    await face.until(lambda: face.run.running and face.session.state.arriving)
    face.runs.run_or_stop()
    judges.release()
    await face.settled()
    run = face.run
    assert (run.state, str(run.before)) == ("stopped", before)
    shown = face.result
    assert shown.notice == f"The last score stays: {before}."
    (standing,) = face.runs.overview.view().prompts
    assert (standing.state, str(standing.headline), standing.failed) == ("stopped", before, False)


# --- Answers that failed or were withheld in an earlier session, in the grid of a file that is opened again


TEXT = "- id: rent\n  prompt: When is the rent due?\n  should: [Names the day]\n"
MODEL = ModelSource("openai:model")


def ended(path: Path, state: RunState, stop: Stop | None = None) -> None:
    """An earlier run of the prompt with the model, and how it ended."""
    store = Store()
    prompt = parse(TEXT).blueprint.prompts[0]
    number = store.begin_run(PromptPlace.of(path, prompt), Candidate(MODEL), "")
    explanation = explain(prompt, [Assessment(place(prompt)[0], 1.0, AssessedBy.HUMAN)])
    store.end_run(number, state, explanation=explanation if state is RunState.SCORED else None, stop=stop)


async def state_shown(path: Path) -> AnswerState:
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
    assert await state_shown(rent) is AnswerState.WITHHELD


async def test_a_request_that_failed_is_counted_as_failed(rent: Path) -> None:
    ended(rent, RunState.FAILED)
    assert await state_shown(rent) is AnswerState.FAILED


async def test_a_run_that_was_stopped_is_not_counted(rent: Path) -> None:
    ended(rent, RunState.FAILED)
    ended(rent, RunState.STOPPED)
    assert await state_shown(rent) is AnswerState.NOT_RUN


def test_a_failure_beside_a_score_is_not_the_last_word(rent: Path) -> None:
    ended(rent, RunState.SCORED)
    ended(rent, RunState.FAILED)
    assert Store().last_failed_runs(str(rent)) == {}
