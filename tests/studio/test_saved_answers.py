"""Saved answers in the studio: the file, and whose answers in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input, OptionList

from engine.evaluation.fixtures import FixturesFile
from engine.evaluation.sources import FixtureSource
from studio.session.published_results import models_in
from studio.tui.app import Studio
from studio.tui.dialogs.answer_dialog import ChooseAnswers
from studio.tui.dialogs.ask import Ask, AskText
from tests.studio.driving import WIDE, blueprint_screen, press, runs_of, studio_on, wait_until

BLUEPRINT = """\
models: [openai:tiny, google:flash]
---
- id: p
  prompt: Hi?
  should:
    - $contains: Paris
"""


def fixtures(**answers: Any) -> FixturesFile:
    return FixturesFile.model_validate({"responses": {"p": answers, "q": {"default": "x"}}})


@pytest.mark.parametrize(
    ("by_model", "models"),
    [
        ({}, []),
        ({"openai:tiny": "a"}, [("openai:tiny", 1)]),
        ({"openai:*": "a"}, [("openai:tiny", 1)]),
        ({"other": "a", "*": "b"}, [("other", 1), ("openai:tiny", 1), ("google:flash", 1)]),
    ],
)
def test_models_are_those_named_in_the_file_and_those_that_a_star_speaks_for(
    by_model: dict[str, str], models: list[tuple[str, int]]
) -> None:
    assert models_in(fixtures(byModel=by_model), ["openai:tiny", "google:flash"]) == models


async def at_the_path(pilot: Any, app: Studio, path: str) -> None:
    """F9, saved answers, and a path typed."""
    await press(pilot, "f9")
    await wait_until(pilot, lambda: isinstance(app.screen, ChooseAnswers) and bool(app.screen.query(OptionList)))
    options = app.screen.query_one(OptionList)
    options.highlighted = options.get_option_index("fixtures")
    await pilot.press("enter")
    await wait_until(pilot, lambda: isinstance(app.screen, AskText) and bool(app.screen.query(Input)))
    app.screen.query_one(Input).value = path
    await pilot.press("enter")


def chosen(app: Studio) -> Any:
    trying = runs_of(blueprint_screen(app))
    assert trying is not None
    assert trying.configuration.answers is not None
    return trying.configuration.answers.sources


async def test_where_models_are_told_apart_the_author_says_whose_answers(tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    saved.write_text(json.dumps({"responses": {"p": {"default": "a", "byModel": {"openai:*": "Paris"}}}}), "utf-8")
    app = studio_on(tmp_path / "x.yml", BLUEPRINT)
    async with app.run_test(size=WIDE) as pilot:
        await at_the_path(pilot, app, "saved.json")
        await wait_until(pilot, lambda: isinstance(app.screen, Ask) and bool(app.screen.query(OptionList)))
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: app.screen is blueprint_screen(app))
        assert chosen(app) == (FixtureSource(saved, "openai:tiny"),)


async def test_a_file_with_defaults_only_asks_no_further(tmp_path: Path) -> None:
    saved = tmp_path / "saved.yml"
    saved.write_text("responses:\n  p:\n    default: Paris\n", "utf-8")
    app = studio_on(tmp_path / "x.yml", BLUEPRINT)
    async with app.run_test(size=WIDE) as pilot:
        await at_the_path(pilot, app, str(saved))
        await wait_until(pilot, lambda: app.screen is blueprint_screen(app))
        assert chosen(app) == (FixtureSource(saved),)


async def test_a_file_that_cannot_be_used_is_told_and_asked_for_again(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", BLUEPRINT)
    async with app.run_test(size=WIDE) as pilot:
        await at_the_path(pilot, app, "none.yml")
        await wait_until(pilot, lambda: "The file cannot be read" in app.export_screenshot().replace("&#160;", " "))
        assert app.screen.query_one(Input).value == "none.yml"
