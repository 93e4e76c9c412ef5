"""Points drafted from an ideal: asked for first, offered as a change of the text, and called circular afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from studio.session.host import Choose
from studio.session.point_drafting import PointDrafting
from studio.session.questions import FixChoice, FixQuestion
from tests.session.at_work import AtWork, at_work
from tests.studio.model_server import ModelServer

DRAFT = "<points><point>Names the notice period</point><point>Says: in writing</point></points>"


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, lambda _: DRAFT)


def blueprint(server: ModelServer) -> str:
    return f"""\
title: Letting
models:
  - {server.model("drafter")}
evaluationConfig:
  llm-coverage:
    judges:
      - {{model: 'own:drafter', approach: standard, id: strict}}
---
- id: notice
  prompt: How long is the notice?
  ideal: It is 30 days, and has to be given in writing. # as the lease says
"""


def taken(question: FixQuestion) -> FixChoice:
    return FixChoice(question.fixes[0])


async def draft(face: AtWork) -> bool:
    """Draft points for the prompt, and take what is offered; whether that is anything."""
    change = await PointDrafting(face.session).draft()
    if change is not None:
        face.apply(change)
        await face.settled()
    return change is not None


async def test_points_are_offered_as_a_change_of_the_text_and_then_called_circular(
    tmp_path: Path, server: ModelServer
) -> None:
    text = blueprint(server)
    async with at_work(tmp_path, text, taken, at="- id: notice") as face:
        assert await draft(face)
        assert face.text == text + "  should:\n    - Names the notice period\n    - 'Says: in writing'\n"
        await face.f5()
        assert face.result.circular == (
            "circular: all points were drafted from the ideal, so its score says little about the rubric"
        )
    assert "30 days, and has to be given in writing" in str(server.bodies[0])


async def test_points_that_are_left_change_nothing(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, blueprint(server), None, at="- id: notice") as face:
        assert not await draft(face)
        assert face.text == blueprint(server)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("I'm sorry, but I can't help with that.", "own:drafter declined to draft points"),
        ("What a fine ideal.", "own:drafter answered without points"),
    ],
)
async def test_a_model_that_drafts_nothing_says_so(tmp_path: Path, server: ModelServer, reply: str, said: str) -> None:
    server.said = lambda _: reply
    async with at_work(tmp_path, blueprint(server), at="- id: notice") as face:
        assert not await draft(face)
        assert any(said in each for each in face.told)
    assert len(server.bodies) == 2


async def test_a_prompt_with_points_says_why_none_are_drafted(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, blueprint(server) + "  should: [Names the period]\n", at="- id: notice") as face:
        assert not await draft(face)
        assert any("has points already" in each for each in face.told)
    assert server.bodies == []


async def test_before_an_ideal_first_leaves_this_machine_its_recipient_is_named(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key-of-anyone")
    text = blueprint(server).replace("own:drafter', app", "openai:gpt-4o-mini', app")
    async with at_work(tmp_path, text, None, at="- id: notice") as face:
        assert not await draft(face)
        (question,) = face.author.asked
        assert isinstance(question, Choose)
        assert "The messages of this prompt and its ideal go to" in question.text
        assert "gpt-4o-mini drafts points" in question.text
        assert face.text == text
