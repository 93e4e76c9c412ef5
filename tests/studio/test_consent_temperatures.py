"""Several temperatures that a model ignores are asked about once before they are sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from textual.widgets import OptionList

from engine.evaluation.sources import ModelSource
from engine.files.user_settings import Settings
from studio.session.run_configuration import AnswerChoice
from studio.tui.dialogs.before_run import BeforeRun
from tests.studio.driving import WIDE, analysis_of, press, runs_of, settle, studio_on, wait_until
from tests.studio.model_server import ModelServer

BLUEPRINT = """\
title: Deposits
temperatures: [0, 1]
models: [{{id: 'own:x', url: '{url}', modelName: x, inherit: openai, parameters: {{temperature: 0.3}}}}]
---
- id: deposit
  prompt: When do I get it back?
  should: [$icontains: 30 days]
"""


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    Settings(consented=[f"this machine (localhost:{httpserver.port})"]).save()
    return ModelServer(httpserver, lambda _: "In 30 days.")


async def test_the_same_at_two_temperatures_is_asked_about_once(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", BLUEPRINT.format(url=server.url))
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert screen.editor is not None
        runs_of(screen).configuration.answers = AnswerChoice((ModelSource("own:x"),), ("[temp:0]", "[temp:1]"))
        screen.editor.go_to(analysis_of(screen).starts[0])
        await settle(pilot)
        await pilot.press("f5")
        await wait_until(pilot, lambda: isinstance(app.screen, BeforeRun))
        drawn = app.export_screenshot().replace("&#160;", " ")
        assert "own:x ignores temperature: at 0 and 1" in drawn
        assert server.bodies == []
        app.screen.query_one(OptionList).focus()
        await pilot.press("enter")
        await wait_until(pilot, lambda: len(server.bodies) == 2)
        await settle(pilot)
        await press(pilot, "ctrl+n")
        assert not isinstance(app.screen, BeforeRun)


async def test_one_of_the_temperatures_is_not_asked_about(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", BLUEPRINT.format(url=server.url))
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert screen.editor is not None
        runs_of(screen).configuration.answers = AnswerChoice((ModelSource("own:x"),), ("[temp:1]",))
        screen.editor.go_to(analysis_of(screen).starts[0])
        await settle(pilot)
        await press(pilot, "f5")
    assert len(server.bodies) == 1
