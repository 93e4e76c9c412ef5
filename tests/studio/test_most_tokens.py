"""More tokens for the answers of models, chosen where answers are chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import convert
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from engine.evaluation.sources import ModelSource
from engine.files.user_settings import SavedAnswers, Settings
from studio.session.run_configuration import AnswerChoice, from_saved, saved_form
from studio.tui.dialogs.answer_dialog import ChooseAnswers
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import WIDE, analysis_of, press, runs_of, settle, studio_on
from tests.studio.model_server import ModelServer

BLUEPRINT = """\
title: Deposits
models: [{model}]
---
- id: deposit
  prompt: When do I get it back?
  should: [$icontains: 30 days]
"""


@pytest.fixture
def server(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    made = ModelServer(httpserver, lambda _: "In 30 days.")
    settings = Settings(consented=[f"this machine (localhost:{httpserver.port})"])
    settings.save()
    return made


async def at_the_prompt(pilot: Pilot[Any]) -> BlueprintScreen:
    screen = await settle(pilot)
    runs_of(screen).configuration.answers = AnswerChoice((ModelSource("own:tiny"),))
    assert screen.editor is not None
    screen.editor.go_to(analysis_of(screen).starts[0])
    return await settle(pilot)


async def choose_most_tokens(pilot: Pilot[Any], written: str) -> None:
    await pilot.press("f9")
    await pilot.pause()
    dialog = pilot.app.screen
    assert isinstance(dialog, ChooseAnswers)
    options = dialog.query_one(OptionList)
    options.highlighted = options.get_option_index("tokens")
    await pilot.press("enter")
    await pilot.pause()
    pilot.app.screen.query_one(Input).value = written
    await pilot.press("enter")
    await pilot.pause()


async def test_what_is_chosen_is_sent(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", BLUEPRINT.format(model=server.model("tiny")))
    async with app.run_test(size=WIDE) as pilot:
        screen = await at_the_prompt(pilot)
        await choose_most_tokens(pilot, "4000")
        assert runs_of(screen).configuration.answers == AnswerChoice((ModelSource("own:tiny"),), max_tokens=4000)
        await press(pilot, "f5")
    assert [body["max_tokens"] for body in server.bodies] == [4000]


@pytest.mark.parametrize("written", ["0", "-1", "many", "9999999", "1.5"])
async def test_what_is_no_number_of_tokens_changes_nothing(tmp_path: Path, server: ModelServer, written: str) -> None:
    app = studio_on(tmp_path / "x.yml", BLUEPRINT.format(model=server.model("tiny")))
    async with app.run_test(size=WIDE) as pilot:
        screen = await at_the_prompt(pilot)
        await choose_most_tokens(pilot, written)
        assert isinstance(pilot.app.screen, ChooseAnswers)
        assert runs_of(screen).configuration.answers == AnswerChoice((ModelSource("own:tiny"),))


async def test_the_settings_say_how_many_are_usual(tmp_path: Path, server: ModelServer) -> None:
    settings = Settings.load()
    settings.max_tokens = 3000
    settings.save()
    app = studio_on(tmp_path / "x.yml", BLUEPRINT.format(model=server.model("tiny")))
    async with app.run_test(size=WIDE) as pilot:
        await at_the_prompt(pilot)
        await press(pilot, "f5")
    assert [body["max_tokens"] for body in server.bodies] == [3000]


def test_the_choice_is_there_again_the_next_time() -> None:
    chosen = AnswerChoice((ModelSource("own:tiny"),), max_tokens=4000)
    assert from_saved(saved_form(chosen, "")) == chosen


def test_a_choice_of_an_earlier_version_has_the_usual_limit() -> None:
    saved = convert({"kind": "model", "value": "own:tiny"}, SavedAnswers)
    assert from_saved(saved) == AnswerChoice((ModelSource("own:tiny"),))


def test_the_limit_is_no_part_of_who_answers() -> None:
    assert ModelSource("own:tiny", max_tokens=4000) == ModelSource("own:tiny")
