"""Conversations beside their stories: the thread as it grows, stops and is there again, and what is kept of an edit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.evaluation.sources import WrittenSource
from tests.session.faces import Face, at_work
from tests.studio.model_server import ModelServer
from tests.studio.text_files import text_file

TALK = text_file("turns.yml")
ONE = """\
- id: notice
  prompt: What is the notice period?
  should:
    - $contains: 30 days
"""
WRITTEN = [
    ("Be brief.", "from the header"),
    ("I need help with my taxes.", "written"),
    ("", "to be generated"),
    ("I moved states.", "written"),
    ("", "to be generated"),
    ("Anything else?", "written"),
    ("", "to be generated"),
]


def numbered(names: str) -> Callable[[dict[str, Any]], str]:
    """Answers with the next of `names`, one for each request."""
    following = iter(names.split())
    return lambda _: f"This is the {next(following)} answer."


@pytest.fixture
def server(httpserver: HTTPServer) -> Iterator[ModelServer]:
    model = ModelServer(httpserver, numbered("first second third fourth fifth sixth"))
    yield model
    model.release()


async def ready(face: Face, server: ModelServer) -> None:
    """The model answers, and the cursor is in the prompt."""
    await face.choose(server.source())
    await face.at("- id:")


async def ran(face: Face, server: ModelServer) -> None:
    await ready(face, server)
    await face.f5()


def generated(face: Face) -> list[str]:
    return [text for text, state in face.states if state == "generated"]


async def test_the_thread_shows_what_is_to_come_and_grows_turn_by_turn(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, TALK) as face:
        await ready(face, server)
        assert face.states == WRITTEN
        server.held = True
        face.runs.run_or_stop()
        await face.until(lambda: face.states[2] == ("This ", "being generated …"))
        assert face.states[3:] == WRITTEN[3:]
        server.release()
        await face.settled()
        assert generated(face) == [f"This is the {each} answer." for each in ("first", "second", "third")]


async def test_a_turn_is_said_to_be_generated_before_the_first_word_of_the_next_has_come(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    go_on = threading.Event()
    numbers = numbered("first second third")
    server = ModelServer(httpserver, lambda body: numbers(body) if len(body["messages"]) < 3 or go_on.wait(60) else "")
    async with at_work(tmp_path, TALK) as face:
        await ready(face, server)
        face.runs.run_or_stop()
        await face.until(lambda: face.states[2] == ("This is the first answer.", "generated"))
        await face.until(lambda: len(server.bodies) == 2)
        assert face.states[4] == ("", "being generated …")
        go_on.set()
        await face.settled()


async def test_an_edited_answer_is_judged_at_once_without_a_request_is_the_author_s_and_can_be_taken_back(
    tmp_path: Path, server: ModelServer
) -> None:
    async with at_work(tmp_path, ONE) as face:
        await ran(face, server)
        before = face.run
        assert face.score == 0.0
        await face.edit("It is 30 days.")
        run = face.run
        assert (face.score, run.answered, run.key) == (1.0, WrittenSource("It is 30 days."), "response")
        assert run.label == "tiny, edited by you"
        store = face.resources.store()
        await face.until(lambda: store.latest_response(run.place, "response"))
        kept, model_s = (store.latest_response(run.place, key) for key in ("response", "tiny"))
        assert kept is not None
        assert model_s is not None
        assert (kept.subject, kept.model) == ("It is 30 days.", None)
        assert [turn.edited for turn in kept.thread] == [False, True]
        assert model_s.subject == "This is the first answer."
        face.runs.edits.undo()
        await face.settled()
        assert (face.run.response, face.run.edited, face.score) == (before.response, None, 0.0)
    assert len(server.bodies) == 1


async def test_a_stopped_conversation_shows_what_is_left_and_goes_on_from_there(
    tmp_path: Path, server: ModelServer
) -> None:
    async with at_work(tmp_path, TALK) as face:
        await ready(face, server)
        server.held = True
        face.runs.run_or_stop()
        await face.until(lambda: face.states[2][0] == "This ")
        await face.f5()
        server.release()
        assert face.states[2:] == [("This ", "stopped before its end"), *WRITTEN[3:]]
        await face.generate(2)
        assert len(generated(face)) == 3


async def test_a_recalled_thread_knows_its_places(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, TALK) as face:
        await ran(face, server)
        place = face.run.place
    async with at_work(tmp_path, at="- id:") as face:
        await face.until(lambda: face.states[2] == ("This is the first answer.", "generated"))
        assert all(turn.span is not None for turn in face.turns[1:])
        assert face.resources.store().latest_response(place, "tiny") is not None
    assert len(server.bodies) == 3
