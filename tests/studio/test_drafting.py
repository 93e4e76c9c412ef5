"""Points drafted from an ideal in the studio: asked for first, shown before they are written, taken back by undo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot
from textual.widgets import Static

from studio.tui.dialogs.ask import Ask
from studio.tui.dialogs.fix_dialog import ChooseFix
from studio.tui.panes.result_pane import ResultPane
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import WIDE, settle, studio_on, wait_until
from tests.studio.model_server import ModelServer

DRAFT = "<points><point>Names the notice period</point><point>Says: in writing</point></points>"


class Drafter:
    """What the model on the server says to whoever wants points."""

    reply = DRAFT

    def said(self, _: dict[str, Any]) -> str:
        return self.reply


@pytest.fixture
def drafter() -> Drafter:
    return Drafter()


@pytest.fixture
def server(httpserver: HTTPServer, drafter: Drafter) -> ModelServer:
    return ModelServer(httpserver, drafter.said)


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


async def drafted(pilot: Pilot[Any]) -> BlueprintScreen:
    """Draft points with the cursor in the last prompt."""
    screen = await settle(pilot)
    await pilot.press("ctrl+end")
    await settle(pilot)
    screen.action_draft_points()
    return screen


async def test_points_are_shown_as_a_change_of_the_text_and_undo_takes_them_back(
    tmp_path: Path, server: ModelServer
) -> None:
    text = blueprint(server)
    app = studio_on(tmp_path / "x.yml", text)
    async with app.run_test(size=WIDE) as pilot:
        screen = await drafted(pilot)
        await wait_until(pilot, lambda: isinstance(app.screen, ChooseFix))
        assert "+   should:" in str(app.screen.query_one("#lines", Static).content)
        await pilot.press("enter")
        await settle(pilot)
        added = "  should:\n    - Names the notice period\n    - 'Says: in writing'\n"
        assert screen.editor.text_out() == text + added
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert screen.editor.text_out() == text
    assert "30 days, and has to be given in writing" in str(server.bodies[0])


async def test_points_that_are_left_change_nothing(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        screen = await drafted(pilot)
        await wait_until(pilot, lambda: isinstance(app.screen, ChooseFix))
        await pilot.press("escape")
        await settle(pilot)
        assert screen.editor.text_out() == blueprint(server)


async def test_a_rubric_drafted_from_its_ideal_is_called_circular(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        screen = await drafted(pilot)
        await wait_until(pilot, lambda: isinstance(app.screen, ChooseFix))
        await pilot.press("enter")
        await wait_until(pilot, lambda: "should:" in screen.editor.text_out())
        await settle(pilot)
        await pilot.press("f5")
        screen = await settle(pilot)
        result = screen.query_one(ResultPane)
        await wait_until(pilot, lambda: any(row.key == "circular" for row in result.rows.rows))
        said = next(row.text for row in result.rows.rows if row.key == "circular")
        assert said == "circular: all points were drafted from the ideal, so its score says little about the rubric"


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("I'm sorry, but I can't help with that.", "own:drafter declined to draft points"),
        ("What a fine ideal.", "own:drafter answered without points"),
    ],
)
async def test_a_model_that_drafts_nothing_says_so(
    tmp_path: Path, server: ModelServer, drafter: Drafter, reply: str, said: str
) -> None:
    drafter.reply = reply
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        await drafted(pilot)
        await wait_until(pilot, lambda: any(said in each.message for each in app._notifications))
    assert len(server.bodies) == 2


async def test_a_prompt_with_points_says_why_none_are_drafted(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server) + "  should: [Names the period]\n")
    async with app.run_test(size=WIDE) as pilot:
        await drafted(pilot)
        await wait_until(pilot, lambda: any("has points already" in each.message for each in app._notifications))
    assert server.bodies == []


async def test_before_an_ideal_first_leaves_this_machine_its_recipient_is_named(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key-of-anyone")
    text = blueprint(server).replace("own:drafter', app", "openai:gpt-4o-mini', app")
    app = studio_on(tmp_path / "x.yml", text)
    async with app.run_test(size=WIDE) as pilot:
        screen = await drafted(pilot)
        await wait_until(pilot, lambda: isinstance(app.screen, Ask))
        said = str(app.screen.query_one(".dialog-text", Static).content)
        assert "The messages of this prompt and its ideal go to" in said
        assert "gpt-4o-mini drafts points" in said
        await pilot.press("escape")
        await settle(pilot)
        assert screen.editor.text_out() == text
