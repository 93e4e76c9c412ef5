"""*Repeat this prompt…*: asks how often and for consent, then shows the variation of generation and of judging."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot
from textual.widgets import Input

from engine.evaluation.sources import IdealSource, ModelSource
from engine.judging.panel import JudgesAs
from studio.session.run_configuration import AnswerChoice
from studio.tui.dialogs.ask import AskText
from studio.tui.dialogs.before_run import BeforeRun
from studio.tui.dialogs.repeats_dialog import RepeatsDialog
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import WIDE, analysis_of, runs_of, screen_lines, settle, studio_on, wait_until
from tests.studio.test_cli_run_repeat import Bench


@pytest.fixture
def bench(httpserver: HTTPServer) -> Bench:
    return Bench(httpserver)


async def ready(pilot: Pilot[Any], *models: str) -> BlueprintScreen:
    """The cursor is in the prompt; these models answer, and the blueprint's judge judges."""
    screen = await settle(pilot)
    runs_of(screen).configuration.judges_as = JudgesAs.DOCUMENTED
    sources = tuple(ModelSource(f"own:{name}") for name in models) or (IdealSource(),)
    await runs_of(screen).configuration.choose(AnswerChoice(sources))
    screen.editor.go_to(analysis_of(screen).starts[0])
    return await settle(pilot)


async def typed(pilot: Pilot[Any], text: str, number: str) -> None:
    """Answer the question that has `text` with `number`."""
    await wait_until(
        pilot, lambda: isinstance(pilot.app.screen, AskText) and text in "\n".join(screen_lines(pilot.app))
    )
    pilot.app.screen.query_one(Input).value = number
    await pilot.press("enter")


async def repeated(pilot: Pilot[Any], answers: str, verdicts: str) -> str:
    """What the dialog says once the repeats are done."""
    screen: Any = pilot.app.screen
    screen.action_repeat()
    await typed(pilot, "How often is the prompt answered", answers)
    await typed(pilot, "How often does each judge", verdicts)
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, BeforeRun))
    await pilot.press("enter")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, RepeatsDialog))
    await wait_until(pilot, lambda: "This is how far" in (text := shown(pilot)) or "This is about" in text)
    return shown(pilot)


def shown(pilot: Pilot[Any]) -> str:
    return "\n".join(screen_lines(pilot.app))


async def test_generation_and_judging_are_told_apart(tmp_path: Path, bench: Bench) -> None:
    app = studio_on(tmp_path / "x.yml", bench.blueprint())
    bench.verdicts = ["CLASS_FULLY_PRESENT", "CLASS_UNMET"]
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot, "mixed")
        text = await repeated(pilot, "4", "2")
        assert "generation  ±" in text
        assert "judging     ±" in text
    assert (bench.sent["mixed"], bench.sent["judge"]) == (4, 8)


async def test_the_plan_is_shown_although_everything_stays_here(tmp_path: Path, bench: Bench) -> None:
    app = studio_on(tmp_path / "x.yml", bench.blueprint())
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot, "steady")
        screen.action_repeat()
        await typed(pilot, "How often is the prompt answered", "3")
        await typed(pilot, "How often does each judge", "2")
        await wait_until(pilot, lambda: isinstance(app.screen, BeforeRun))
        assert "Each prompt is answered 3 times, and each answer is judged 2 times by each judge" in shown(pilot)
        await pilot.press("escape")
        await settle(pilot)
    assert not bench.sent


async def test_two_models_are_compared(tmp_path: Path, bench: Bench) -> None:
    app = studio_on(tmp_path / "x.yml", bench.blueprint(checks=True))
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot, "steady", "bad")
        screen.action_repeat()
        await typed(pilot, "How often is the prompt answered", "4")
        await wait_until(pilot, lambda: isinstance(app.screen, BeforeRun))
        await pilot.press("enter")
        await wait_until(pilot, lambda: "exact permutation test, 70 splits" in shown(pilot))


async def test_the_last_result_is_shown_again(tmp_path: Path, bench: Bench) -> None:
    app = studio_on(tmp_path / "x.yml", bench.blueprint())
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot, "steady")
        await repeated(pilot, "2", "2")
        await pilot.press("escape")
        await settle(pilot)
        screen.action_repeat()
        await wait_until(pilot, lambda: "Show the last result" in shown(pilot))
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, RepeatsDialog))
        assert "100.0 over 2 answers: 100.0, 100.0" in shown(pilot)
    assert bench.sent["steady"] == 2


async def test_without_a_model_and_judges_it_says_what_repeats(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", "- {id: a, prompt: When?, ideal: Now., should: [{$contains: Now}]}\n")
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        screen.action_repeat()
        await wait_until(pilot, lambda: app._notifications)  # pyright: ignore[reportPrivateUsage]
        assert "Only a model gives another answer" in [each.message for each in app._notifications][-1]  # pyright: ignore[reportPrivateUsage]


async def test_the_plan_of_all_prompts_is_shown_and_can_be_declined(tmp_path: Path, bench: Bench) -> None:
    app = studio_on(tmp_path / "x.yml", bench.blueprint(3, checks=True))
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot, "steady")
        screen.action_repeat_all()
        await typed(pilot, "How often is each prompt answered", "2")
        await wait_until(pilot, lambda: isinstance(app.screen, BeforeRun))
        assert "Send: 6 requests, free" in shown(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert not isinstance(app.screen, RepeatsDialog)
    assert not bench.sent
