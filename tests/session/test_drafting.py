"""Points drafted from an ideal: asked for first, offered as a change of the text, and called circular afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from engine.asking.planner import Wanted
from engine.asking.run_plan import one_line, plan_lines
from engine.files.user_settings import SavedCap, Settings
from engine.judging.judge_runner import Draft
from engine.parsing import parse
from studio.session.host import FixChoice, FixQuestion
from studio.session.resources import SettingsFile
from studio.session.run_consent import AuthorApproval
from tests.session.faces import Author, Face, at_work
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


@pytest.fixture
def elsewhere(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """The blueprint with a judge that is not on this machine."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key-of-anyone")
    return blueprint(server).replace("own:drafter', app", "openai:gpt-4o-mini', app")


def taken(question: FixQuestion) -> FixChoice:
    return FixChoice(question.fixes[0])


async def draft(face: Face) -> bool:
    """Draft points for the prompt, and take what is offered; whether that is anything."""
    change = await face.session.fixes.draft()
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
            "circular: all criteria were drafted from the ideal, so its score says little about the rubric"
        )
    assert "30 days, and has to be given in writing" in str(server.bodies[0])


async def test_points_that_are_left_change_nothing(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, blueprint(server), None, at="- id: notice") as face:
        assert not await draft(face)
        assert face.text == blueprint(server)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("I'm sorry, but I can't help with that.", "own:drafter declined to draft criteria"),
        ("What a fine ideal.", "own:drafter answered without criteria"),
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
        assert any("has criteria already" in each for each in face.told)
    assert server.bodies == []


async def test_before_an_ideal_leaves_this_machine_its_plan_names_what_goes_to_whom_and_at_what_price(
    tmp_path: Path, server: ModelServer, elsewhere: str
) -> None:
    async with at_work(tmp_path, elsewhere, None, at="- id: notice") as face:
        assert not await draft(face)
        question = face.asked_to_send
        assert question.new == {"api.openai.com"}
        assert "Nothing changes before you have seen them" in question.note
        assert [*plan_lines(question.plan)][1].startswith(
            "  openai:gpt-4o-mini drafts criteria: gets the prompt's messages and its ideal"
        )
        assert "at most $0.00" in one_line(question.plan)
        assert face.text == elsewhere


@pytest.mark.parametrize(
    ("consented", "asked"),
    [(["api.openai.com"], 1), (["api.openai.com · judge"], 1), (["api.openai.com (ideals)"], 0)],
)
async def test_who_agreed_to_send_ideals_is_not_asked_again_and_other_texts_are_no_ideals(
    elsewhere: str, consented: list[str], asked: int
) -> None:
    Settings(consented=consented).save()
    author, blueprint = Author(), parse(elsewhere).blueprint
    wanted = Wanted(blueprint, draft=Draft(blueprint.prompts[0], "openai:gpt-4o-mini"))
    assert (await AuthorApproval(author, SettingsFile()).approve(wanted) is None) is bool(asked)
    assert len(author.asked) == asked


async def test_a_draft_stops_at_the_cap_of_runs(tmp_path: Path, server: ModelServer) -> None:
    server.said = lambda _: "What a fine ideal."
    Settings(cap=SavedCap(requests=1)).save()
    async with at_work(tmp_path, blueprint(server), at="- id: notice") as face:
        assert not await draft(face)
        assert any("The cap of 1 request is reached" in each for each in face.told)
    assert len(server.bodies) == 1


async def test_a_judge_that_cannot_be_asked_says_why_and_nothing_is_asked(
    tmp_path: Path, elsewhere: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    async with at_work(tmp_path, elsewhere, at="- id: notice") as face:
        assert not await draft(face)
        assert face.author.asked == []
        assert any("no key for OpenAI" in each and "Set the variable" in each for each in face.told)
