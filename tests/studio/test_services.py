"""Services in the studio: the question before the first call, what they say in the result, and what stands then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot
from textual.widgets import OptionList, Static
from werkzeug import Request

from engine.evaluation.sources import ModelSource
from engine.files.user_settings import Settings
from studio.session.run_configuration import AnswerChoice
from studio.tui.dialogs.ask import Ask
from studio.tui.dialogs.before_run import BeforeRun
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.engine.provider_server import answers, said
from tests.held_replies import held
from tests.studio.driving import WIDE, analysis_of, press, runs_of, settle, studio_on, wait_until
from tests.studio.model_server import ModelServer
from tests.studio.test_before_run import choose

BLUEPRINT = """\
title: Capitals
externalServices:
  facts: {{url: "http://{host}/check", headers: {{X-Key: "${{FACTS_KEY}}"}}, max_retries: 0}}
---
- id: france
  prompt: What is the capital of France?
  ideal: It is Paris.
  should:
    - $contains: Paris
    - $call: {{service: facts, claim: "{{response}}"}}
    - Names the river
- id: italy
  prompt: And of Italy?
  ideal: It is Rome.
  should:
    - $call: {{service: facts, claim: "{{response}}"}}
"""

Snap = Callable[..., bool]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTS_KEY", "sk-of-a-test-99XyZ")


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    with HTTPServer(threaded=True) as server:
        yield server


@pytest.fixture
def asked(server: HTTPServer) -> list[Request]:
    return answers(server, said({"score": 0.5, "explain": "Half \x1b[31mof it is so."}))


def host_of(server: HTTPServer) -> str:
    return f"127.0.0.1:{server.port}"


def consent_to(server: HTTPServer) -> str:
    return f"service at this machine ({host_of(server)}) (FACTS_KEY)"


def extents(screen: BlueprintScreen, number: int = 0) -> list[float | None]:
    run = runs_of(screen).selection.of(analysis_of(screen).parsed.blueprint.prompts[number])
    assert run is not None
    return [assessment.extent for assessment in run.assessments]


async def at_the_first(pilot: Pilot[Any]) -> BlueprintScreen:
    """The screen, with the cursor in the first prompt."""
    screen = await settle(pilot)
    screen.editor.go_to(screen.editor.text.index("What is the capital"))
    return await settle(pilot)


async def is_asked(pilot: Pilot[Any], key: str = "f5") -> str:
    """Presses a key and waits for the question; what it says."""
    await at_the_first(pilot)
    await pilot.press(key)
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, Ask))
    await pilot.pause()
    return str(pilot.app.screen.query_one(".dialog-text").render())


async def test_before_the_first_call_the_host_and_the_variables_are_named(
    tmp_path: Path, server: HTTPServer, asked: list[Request]
) -> None:
    app = studio_on(tmp_path / "x.yml", BLUEPRINT.format(host=host_of(server)))
    async with app.run_test(size=WIDE) as pilot:
        told = await is_asked(pilot)
        assert f"The service facts on this machine ({host_of(server)}) gets the answer" in told
        assert "With it goes what is in FACTS_KEY." in told
        assert "It is on this machine" in told
        assert asked == []
        await pilot.press("enter")
        screen = await settle(pilot)
        assert extents(screen) == [1.0, 0.5, None]
        assert asked[0].headers["X-Key"] == "sk-of-a-test-99XyZ"
    assert Settings.load().consented == [consent_to(server)]


async def test_who_was_agreed_to_is_asked_without_a_question(
    tmp_path: Path, server: HTTPServer, asked: list[Request]
) -> None:
    Settings(consented=[consent_to(server)]).save()
    app = studio_on(tmp_path / "x.yml", BLUEPRINT.format(host=host_of(server)))
    async with app.run_test(size=WIDE) as pilot:
        await at_the_first(pilot)
        screen = await press(pilot, "f5")
        assert extents(screen) == [1.0, 0.5, None]
        assert len(asked) == 1


async def test_all_prompts_ask_once_about_one_host(tmp_path: Path, server: HTTPServer, asked: list[Request]) -> None:
    app = studio_on(tmp_path / "x.yml", BLUEPRINT.format(host=host_of(server)))
    async with app.run_test(size=WIDE) as pilot:
        await is_asked(pilot, "f6")
        await pilot.press("enter")
        screen = await settle(pilot)
        assert (extents(screen, 0), extents(screen, 1)) == ([1.0, 0.5, None], [0.5])
        assert len(asked) == 2


async def test_a_host_that_is_refused_leaves_its_point_open(
    tmp_path: Path, server: HTTPServer, asked: list[Request]
) -> None:
    app = studio_on(tmp_path / "x.yml", BLUEPRINT.format(host=host_of(server)))
    async with app.run_test(size=WIDE) as pilot:
        await is_asked(pilot)
        await pilot.press("down", "enter")
        screen = await settle(pilot)
        assert extents(screen) == [1.0, None, None]
        assert asked == []
    assert Settings.load().consented == []


async def test_to_turn_away_from_the_question_runs_nothing(
    tmp_path: Path, server: HTTPServer, asked: list[Request]
) -> None:
    app = studio_on(tmp_path / "x.yml", BLUEPRINT.format(host=host_of(server)))
    async with app.run_test(size=WIDE) as pilot:
        await is_asked(pilot)
        await pilot.press("escape")
        screen = await settle(pilot)
        assert runs_of(screen).selection.run is None
        assert asked == []


async def test_a_verdict_stands_while_points_are_graded_and_the_rubric_is_edited(
    tmp_path: Path, server: HTTPServer, asked: list[Request]
) -> None:
    Settings(consented=[consent_to(server)]).save()
    text = BLUEPRINT.format(host=host_of(server))
    app = studio_on(tmp_path / "x.yml", text)
    async with app.run_test(size=WIDE) as pilot:
        await at_the_first(pilot)
        screen = await press(pilot, "f5", "ctrl+r", "end", "5")
        await settle(pilot)
        assert extents(screen)[1] == 0.5
        screen.editor.go_to(text.index("Names the river") + len("Names the river"))
        await press(pilot, "escape", "x")
        await wait_until(pilot, lambda: extents(screen) == [1.0, 0.5, None])
        assert len(asked) == 1


async def test_f5_again_ends_a_call_at_once(tmp_path: Path, server: HTTPServer) -> None:
    Settings(consented=[consent_to(server)]).save()
    app = studio_on(tmp_path / "x.yml", BLUEPRINT.format(host=host_of(server)))
    async with app.run_test(size=WIDE) as pilot:
        screen = await at_the_first(pilot)
        with held(lambda: said({"score": 1})) as holding:
            server.expect_request("/check").respond_with_handler(holding)
            await pilot.press("f5")
            await wait_until(pilot, holding.arrived.is_set)
            queue = runs_of(screen).queue
            await pilot.press("f5")
            await wait_until(pilot, lambda: not queue.is_running)
        await settle(pilot)
        assert extents(screen) == [1.0, None, None]


def with_model(text: str, model: str) -> str:
    return text.replace("title: Capitals\n", f"title: Capitals\nmodels: [{model}]\n")


async def is_asked_about_all(pilot: Pilot[Any], model: str) -> BeforeRun:
    """Runs all prompts with `model`; the question."""
    screen = await at_the_first(pilot)
    runs_of(screen).configuration.answers = AnswerChoice((ModelSource(model),))
    await pilot.press("f6")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, BeforeRun))
    await pilot.pause()
    assert isinstance(pilot.app.screen, BeforeRun)
    return pilot.app.screen


def written_in(dialog: BeforeRun) -> str:
    return "\n".join(str(each.render()) for each in dialog.query(Static))


async def test_a_new_model_and_a_new_service_are_one_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test-123")
    text = BLUEPRINT.format(host="facts.example").replace("http:", "https:")
    app = studio_on(tmp_path / "x.yml", text)
    async with app.run_test(size=WIDE) as pilot:
        dialog = await is_asked_about_all(pilot, "openai:gpt-4o-mini")
        told = written_in(dialog)
        assert "api.openai.com · new recipient" in told
        assert "facts.example · new recipient" in told
        assert "and what is in FACTS_KEY" in told
        choices = [str(option.prompt) for option in dialog.query_one(OptionList).options]
        assert choices[1].startswith("Send, and do not ask again about api.openai.com and facts.example")
        assert choices[2].startswith("Send, but do not ask facts.example\n  The 2 points with such calls stay open.")
        await pilot.press("escape")
        screen = await settle(pilot)
        assert runs_of(screen).selection.run is None
    assert Settings.load().consented == []


@pytest.mark.parametrize(
    ("choice", "asked_of_it", "kept"), [("send", 2, False), ("remember", 2, True), ("apart", 0, False)]
)
async def test_the_one_question_speaks_for_the_service_too(
    choice: str,
    asked_of_it: int,
    kept: bool,
    tmp_path: Path,
    server: HTTPServer,
    asked: list[Request],
    httpserver: HTTPServer,
) -> None:
    Settings(ask_above=-1).save()
    models = ModelServer(httpserver, lambda _: "It is Paris.")
    app = studio_on(tmp_path / "x.yml", with_model(BLUEPRINT.format(host=host_of(server)), models.model("tiny")))
    async with app.run_test(size=WIDE) as pilot:
        dialog = await is_asked_about_all(pilot, "own:tiny")
        assert "It is on this machine: allow it only if you know this service." in written_in(dialog)
        await choose(pilot, choice)
        await wait_until(pilot, lambda: len(models.bodies) == 2)
        await settle(pilot)
        assert len(asked) == asked_of_it
    assert (consent_to(server) in Settings.load().consented) is kept


async def _question_about_all(pilot: Pilot[Any]) -> None:
    await is_asked_about_all(pilot, "openai:gpt-4o-mini")


def test_a_picture_of_the_one_question(snap_compare: Snap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test-123")
    text = BLUEPRINT.format(host="facts.example").replace("http:", "https:")
    app = studio_on(tmp_path / "capitals.yml", text)
    assert snap_compare(app, terminal_size=WIDE, run_before=_question_about_all)


async def _question(pilot: Pilot[Any]) -> None:
    assert "at facts.example gets the answer" in await is_asked(pilot)


async def _result(pilot: Pilot[Any]) -> None:
    await at_the_first(pilot)
    await press(pilot, "f5", "ctrl+r", "down")
    drawn = pilot.app.export_screenshot().replace("&#160;", " ")
    assert "Half ␛[31mof it is so." in drawn
    assert "gives 0.5 of 1" in drawn


def test_a_picture_of_the_question(snap_compare: Snap, tmp_path: Path) -> None:
    text = BLUEPRINT.format(host="facts.example").replace("http:", "https:")
    assert snap_compare(studio_on(tmp_path / "capitals.yml", text), terminal_size=WIDE, run_before=_question)


def test_a_picture_of_what_it_says(
    snap_compare: Snap, tmp_path: Path, server: HTTPServer, asked: list[Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTS", f"http://{host_of(server)}")
    Settings(consented=[f"service at this machine ({host_of(server)}) (FACTS, FACTS_KEY)"]).save()
    text = BLUEPRINT.format(host="${FACTS}").replace("http://${FACTS}", "${FACTS}")
    assert snap_compare(studio_on(tmp_path / "capitals.yml", text), terminal_size=WIDE, run_before=_result)
    assert len(asked) == 1
