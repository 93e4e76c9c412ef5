"""How an answer ended: a cut one is scored and marked, a withheld one fails and is never scored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from engine.blueprint.conversation import Stop, StopReason
from studio.session.views.outline_view import OutlineRow
from tests.session.faces import Face, at_work
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
        assert await face.runs.open_past(withheld)
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
