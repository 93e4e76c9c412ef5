"""A published result in the studio: opened by itself, chosen with F9, read without running anything; and exported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input, OptionList, Static

from engine.evaluation.published_files import open_with_result
from engine.evaluation.results import read_result_file
from engine.evaluation.sources import StoredSource
from engine.files.open_files import CannotOpen
from engine.text.spans import Span, TextEdit
from studio.tui.app import Studio
from studio.tui.dialogs.answer_dialog import ChooseAnswers
from studio.tui.dialogs.ask import Ask, AskText
from tests.studio.driving import WIDE, blueprint_screen, press, runs_of, settle, studio_on, wait_until

BLUEPRINT = """\
title: Tenants
---
- id: notice
  prompt: What is the notice period?
  ideal: It is 30 days.
  should:
    - $icontains: 30 days
    - Names the lease
    - Says where to ask
- id: deposit
  prompt: Who keeps the deposit?
  ideal: A scheme does.
  should:
    - Names the scheme
"""


def said(text: str, extent: float, **more: Any) -> dict[str, Any]:
    return {"keyPointText": text, "coverageExtent": extent, "multiplier": 1, **more}


NOTICE = [
    said('Function: icontains("30 days")', 0),
    said(
        "Names the lease",
        0.25,
        individualJudgements=[{"judgeModelId": "qwen", "coverageExtent": 0.25, "reflection": "Only in passing."}],
    ),
    said("Says who pays", 1),
]


def scored(average: float, *points: dict[str, Any]) -> dict[str, Any]:
    return {"keyPointsCount": len(points), "avgCoverageExtent": average, "pointAssessments": list(points)}


def result_of(*models: str) -> dict[str, Any]:
    """A published result: the notice period is wrong, and the deposit right."""
    return {
        "configId": "tenants",
        "configTitle": "Tenants",
        "timestamp": "2026-03-01T10:00:00.000Z",
        "sourceBlueprintFileName": "tenants.yml",
        "config": {
            "title": "Tenants",
            "prompts": [
                {
                    "id": "notice",
                    "messages": [{"role": "user", "content": "What is the notice period?"}],
                    "points": [{"fn": "icontains", "fnArgs": "30 days"}, {"text": "Names the lease"}],
                },
                {"id": "deposit", "promptText": "Who keeps the deposit?", "points": [{"text": "Names the scheme"}]},
            ],
        },
        "allFinalAssistantResponses": {
            "notice": dict.fromkeys(models, "It is two weeks, as the lease says."),
            "deposit": dict.fromkeys(models, "A scheme."),
        },
        "evaluationResults": {
            "llmCoverageScores": {
                "notice": dict.fromkeys(models, scored(0.42, *NOTICE)),
                "deposit": dict.fromkeys(models, scored(1.0, said("Names the scheme", 1))),
            }
        },
    }


def published_in(folder: Path, *models: str, blueprint: str | None = BLUEPRINT) -> Path:
    """A result file, with its blueprint beside it where one is given."""
    path = folder / "abc_2026-03-01T10-00-00-000Z_comparison.json"
    path.write_text(json.dumps(result_of(*(models or ("openai:tiny",)))), "utf-8")
    if blueprint is not None:
        (folder / "tenants.yml").write_text(blueprint, "utf-8")
    return path


def studio_with(path: Path) -> Studio:
    """The app as `studio RESULT.json` opens it."""
    file, published = open_with_result(path)
    return Studio(file, published=published)


def shown_run(screen: Any) -> Any:
    return runs_of(screen).selection.run


def headlines(screen: Any) -> dict[str, str]:
    """The whole figures of the prompts that have a score, by id."""
    standings = runs_of(screen).views.standings()
    return {each.id: each.headline.whole_figure for each in standings if each.headline is not None}


async def both_scored(pilot: Any) -> Any:
    """The screen once both prompts show what was published."""
    screen = await settle(pilot)
    await wait_until(pilot, lambda: len(headlines(screen)) == 2)
    return await settle(pilot)


async def test_a_result_file_opens_with_its_blueprint_and_what_was_published(tmp_path: Path) -> None:
    app = studio_with(published_in(tmp_path))
    async with app.run_test(size=(160, 36)) as pilot:
        screen = await both_scored(pilot)
        assert screen.session.file.opened.path == tmp_path / "tenants.yml"
        assert headlines(screen) == {"notice": "8–42", "deposit": "100"}
        await press(pilot, "ctrl+end")
        assert "published: tiny" in str(screen.query_one("Footer").render())


async def test_the_published_score_is_the_headline_and_that_of_today_stands_beside_it(tmp_path: Path) -> None:
    app = studio_with(published_in(tmp_path))
    async with app.run_test(size=WIDE) as pilot:
        screen = await both_scored(pilot)
        screen.editor.go_to(BLUEPRINT.index("id: notice"))
        await settle(pilot)
        lines = str(screen.query_one("#result-head").render()).splitlines()
        assert lines[1].startswith("42.0 published  ")
        assert lines[2].startswith("by today's rubric 8.3–41.7, 2 of 3 points judged")


async def test_a_published_answer_is_explained_by_its_stored_verdicts(tmp_path: Path) -> None:
    app = studio_with(published_in(tmp_path))
    async with app.run_test(size=WIDE) as pilot:
        screen = await both_scored(pilot)
        screen.editor.go_to(BLUEPRINT.index("id: notice"))
        await pilot.pause()
        run: Any = runs_of(screen).selection.run
        assert run.response.subject == "It is two weeks, as the lease says."
        assert [each.detail for each in run.assessments][1:] == ["published: qwen: 25", "not judged"]
        assert run.explanation.published.score == 0.42
        assert [each.point.text for each in run.explanation.published.gone] == ["Says who pays"]


async def test_an_edit_of_the_rubric_scores_the_published_answer_anew(tmp_path: Path) -> None:
    app = studio_with(published_in(tmp_path))
    async with app.run_test(size=WIDE) as pilot:
        screen = await both_scored(pilot)
        at = BLUEPRINT.index("30 days\n    - Names")
        screen.editor.go_to(at)
        screen.editor.apply_edits([TextEdit(Span(at, at + 7), "two weeks")])
        await settle(pilot)
        await wait_until(pilot, lambda: shown_run(screen).assessments[0].extent == 1.0)


async def test_of_several_models_one_is_chosen(tmp_path: Path) -> None:
    app = studio_with(published_in(tmp_path, "openai:tiny", "google:flash"))
    async with app.run_test(size=WIDE) as pilot:
        await wait_until(pilot, lambda: isinstance(app.screen, Ask) and bool(app.screen.query(OptionList)))
        assert "mean 71 over 2 prompts" in app.export_screenshot().replace("&#160;", " ")
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: not isinstance(app.screen, Ask))
        screen = await both_scored(pilot)
        run = shown_run(screen)
        assert run is None or run.source.model == "google:flash"


async def test_without_its_blueprint_a_result_opens_one_that_is_put_together(tmp_path: Path) -> None:
    app = studio_with(published_in(tmp_path, blueprint=None))
    async with app.run_test(size=WIDE) as pilot:
        screen = await both_scored(pilot)
        assert screen.session.file.opened.read_only is not None
        assert "rebuilt from abc_2026" in app.export_screenshot().replace("&#160;", " ")
        assert not list(tmp_path.glob("*.yml"))


async def test_f9_asks_for_the_file_and_offers_the_newest_beside_the_blueprint(tmp_path: Path) -> None:
    path = published_in(tmp_path)
    app = studio_on(tmp_path / "tenants.yml")
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f9")
        await wait_until(pilot, lambda: isinstance(app.screen, ChooseAnswers) and bool(app.screen.query(OptionList)))
        options = app.screen.query_one(OptionList)
        options.highlighted = options.get_option_index("published")
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, AskText) and bool(app.screen.query(Input)))
        assert app.screen.query_one(Input).value == path.name
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.screen is blueprint_screen(app))
        assert runs_of(screen).configuration.answers.sources == (StoredSource(path, "openai:tiny"),)  # pyright: ignore[reportOptionalMemberAccess]


async def test_a_file_that_is_none_is_told_and_asked_for_again(tmp_path: Path) -> None:
    published_in(tmp_path)
    app = studio_on(tmp_path / "tenants.yml")
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "f9")
        await wait_until(pilot, lambda: isinstance(app.screen, ChooseAnswers) and bool(app.screen.query(OptionList)))
        options = app.screen.query_one(OptionList)
        options.highlighted = options.get_option_index("published")
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, AskText) and bool(app.screen.query(Input)))
        first = app.screen
        first.query_one(Input).value = "tenants.yml"
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, AskText) and app.screen is not first)
        assert "tenants.yml: This is not a result file of Weval" in app.export_screenshot().replace("&#160;", " ")


# Exporting


async def test_what_was_run_is_exported_beside_the_blueprint_under_the_usual_name(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tenants.yml", BLUEPRINT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f6")
        screen.action_export_results()
        await wait_until(pilot, lambda: isinstance(app.screen, AskText) and bool(app.screen.query(Input)))
        await pilot.press("enter")
        await wait_until(pilot, lambda: any(tmp_path.glob("*_comparison.json")))
    (written,) = tmp_path.glob("*_comparison.json")
    file = read_result_file(written)
    assert (file.models, [each.id for each in file.prompts]) == (("ideal",), ["notice", "deposit"])
    assert file.results[0].stored is None  # points are open


async def test_an_export_of_a_blueprint_below_blueprints_goes_above_that_folder(tmp_path: Path) -> None:
    folder = tmp_path / "blueprints" / "users"
    folder.mkdir(parents=True)
    app = studio_on(folder / "tenants.yml", BLUEPRINT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f6")
        screen.action_export_results()
        await wait_until(pilot, lambda: isinstance(app.screen, AskText) and bool(app.screen.query(Input)))
        offered = Path(app.screen.query_one(Input).value)
        await pilot.press("enter")
        await wait_until(pilot, offered.is_file)
        await wait_until(pilot, lambda: bool(app._notifications))
        told = [each.message for each in app._notifications]
    assert offered.parent == tmp_path
    assert told == [f"The results are in {offered}."]
    assert [path.name for path in folder.iterdir()] == ["tenants.yml"]


@pytest.mark.parametrize(("key", "below"), [("enter", False), ("down", True)])
async def test_a_place_below_blueprints_is_warned_of_before_anything_is_written(
    tmp_path: Path, key: str, below: bool
) -> None:
    folder = tmp_path / "blueprints"
    folder.mkdir()
    app = studio_on(folder / "tenants.yml", BLUEPRINT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f6")
        screen.action_export_results()
        await wait_until(pilot, lambda: isinstance(app.screen, AskText) and bool(app.screen.query(Input)))
        app.screen.query_one(Input).value = str(folder / "out.json")
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, Ask) and bool(app.screen.query(OptionList)))
        assert any("Weval runs every" in str(each.content) for each in app.screen.query(Static))
        assert not (folder / "out.json").exists()
        await pilot.press(*dict.fromkeys((key, "enter")))
        await wait_until(pilot, lambda: (folder if below else tmp_path).joinpath("out.json").is_file())
    assert (folder / "out.json").is_file() is below


async def test_nothing_run_is_nothing_to_export(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tenants.yml", BLUEPRINT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.action_export_results()
        await wait_until(pilot, lambda: bool(app._notifications))
        assert [each.message for each in app._notifications] == [
            "There is no result to export yet: F5 runs a prompt, F6 all."
        ]


async def test_an_export_never_replaces_a_file_without_asking(tmp_path: Path) -> None:
    there = tmp_path / "there.json"
    there.write_text("mine", "utf-8")
    app = studio_on(tmp_path / "tenants.yml", BLUEPRINT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(BLUEPRINT.index("id: notice"))
        screen = await press(pilot, "f5")
        screen.action_export_results()
        await wait_until(pilot, lambda: isinstance(app.screen, AskText) and bool(app.screen.query(Input)))
        app.screen.query_one(Input).value = "there.json"
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, Ask) and bool(app.screen.query(OptionList)))
        await pilot.press("escape")
        await settle(pilot)
    assert there.read_text("utf-8") == "mine"


# Opening


def test_a_result_without_any_blueprint_cannot_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "x_comparison.json"
    path.write_text(json.dumps(result_of("a") | {"config": None}), "utf-8")
    with pytest.raises(CannotOpen, match="holds no blueprint"):
        open_with_result(path)


def test_a_result_without_a_score_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x_comparison.json"
    path.write_text('{"evaluationResults": {}}', "utf-8")
    with pytest.raises(CannotOpen, match="no score of any prompt"):
        open_with_result(path)


def test_a_blueprint_in_json_opens_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"prompts": []}', "utf-8")
    file, published = open_with_result(path)
    assert (file.text, published) == ('{"prompts": []}', None)
