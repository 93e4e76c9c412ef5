"""`d` in the result: the deletion test of the prompt under the cursor, on the whole screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot

from engine.conversation import conversation
from engine.judging.consensus import Consensus
from engine.judging.judge_prompt import first_request, questions
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import Panel
from engine.judging.scale import JudgesAs
from engine.judging.verdict import Verdict
from studio.session.deletion_tests import DeletionTests
from studio.session.views.deletion_view import DeletionView
from studio.tui.dialogs.before_criterion import BeforeDeletionTest
from studio.tui.panes.result_rows import ResultRows
from studio.tui.screens.deletion_screen import DeletionScreen
from studio.tui.screens.side import RESULT
from tests.studio.driving import (
    NARROW,
    WIDE,
    blueprint_screen,
    look,
    press,
    runs_of,
    screen_lines,
    see,
    settle,
    studio_on,
    wait_until,
)
from tests.studio.model_server import ModelServer, verdict

Snap = Callable[..., bool]

NOTICE = """\
title: Notice
---
- id: visit
  prompt: How much notice must a landlord give before a visit?
  ideal: |
    A landlord must give 24 hours of notice. The notice must be in writing.

    - In an emergency, no notice is needed.
    - The tenant may ask for another time.
  should:
    - $icontains: 24 hours
    - $icontains: a landlord must
    - $icontains: in writing
    - $icontains: notice
    - Names emergencies
  should_not:
    - $icontains: lawyer
- id: bare
  prompt: Who decides?
  should:
    - $contains: court
"""


async def deleted(pilot: Pilot[Any], at: str = "24 hours of") -> None:
    screen = await settle(pilot)
    screen.editor.go_to(NOTICE.index(at))
    await settle(pilot)
    screen.show_tab(RESULT)
    await pilot.press("d")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, DeletionScreen))
    await pilot.pause()
    await pilot.pause()


def rows(pilot: Pilot[Any]) -> dict[str, str]:
    """What stands at the right of each row, by the key of the row."""
    found = pilot.app.screen.query_one(ResultRows).rows
    return {row.key: " ".join(cell.text.strip() for cell in row.tail) for row in found if row.selectable}


async def test_d_shows_which_sentences_the_checks_notice(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", NOTICE)
    async with app.run_test(size=WIDE) as pilot:
        await deleted(pilot)
        assert rows(pilot) == {
            "sentence:0": "2 checks",
            "sentence:1": "1 check",
            "sentence:2": "no check",
            "sentence:3": "no check",
            "check:0": "redundant here 1 sentence",
            "check:1": "redundant here 1 sentence",
            "check:2": "1 sentence",
            "check:3": "passes the prompt echoed back none",
            "check:5": "none",
            "criterion:4": "not tried",
        }
        assert "2 of 4 sentences noticed by a check; 2 noticed by none, 1 criterion not tried" in "".join(
            screen_lines(app)
        )


async def test_enter_goes_to_the_sentence_in_the_text(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", NOTICE)
    async with app.run_test(size=WIDE) as pilot:
        await deleted(pilot)
        await pilot.press("down", "down", "enter")
        screen = await settle(pilot)
        assert screen.editor.cursor_offset == NOTICE.index("In an emergency")


async def test_enter_goes_to_the_check_in_the_text(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", NOTICE)
    async with app.run_test(size=WIDE) as pilot:
        await deleted(pilot)
        await pilot.press("end", "up", "enter")
        screen = await settle(pilot)
        assert screen.editor.cursor_offset == NOTICE.index("$icontains: lawyer")


async def test_the_same_key_closes_it_again(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", NOTICE)
    async with app.run_test(size=WIDE) as pilot:
        await deleted(pilot)
        await pilot.press("d")
        screen = await settle(pilot)
        assert app.screen is screen


async def test_without_an_ideal_the_next_step_is_told(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", NOTICE)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(NOTICE.index("Who decides"))
        await settle(pilot)
        screen.show_tab(RESULT)
        await press(pilot, "d")
        told = [each.message for each in app._notifications]  # pyright: ignore[reportPrivateUsage]
        assert told[-1].startswith("This prompt has no ideal: write one")
        assert app.screen is screen


def test_the_deletion_test_on_a_wide_screen(snap_compare: Snap, tmp_path: Path) -> None:
    async def run(pilot: Pilot[Any]) -> None:
        await deleted(pilot)
        await pilot.press("end", "up", "up", "up")

    assert snap_compare(studio_on(tmp_path / "x.yml", NOTICE), terminal_size=WIDE, run_before=run)


async def test_the_deletion_test_on_a_narrow_screen(tmp_path: Path) -> None:
    lines = await look(studio_on(tmp_path / "x.yml", NOTICE), NARROW, deleted)
    assert next(line for line in lines if "in writing" in line).rstrip(" │").endswith("1 check")
    assert "Noticed by $icontains: 24 hours and $icontains: a landlord must." in "\n".join(lines)


# --- Criteria, by judges

JUDGED = """\
- id: notice
  prompt: What is the notice period?
  ideal: It is 30 days. The lease says so.
  should:
    - $icontains: 30 days
    - Names the lease
    - Is friendly
"""


def says(body: dict[str, Any]) -> str:
    asked = body["messages"][1]["content"]
    if "lease" not in asked.rpartition("<criterion")[2].partition("</")[0]:
        return verdict("CLASS_UNMET")
    has_it = "The lease says so." in asked.partition("<criterion")[0]
    return verdict("CLASS_FULLY_PRESENT" if has_it else "CLASS_UNMET", "“The lease says so.” names it.")


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, says)


def judged_file(server: ModelServer) -> str:
    judges = "judges: [{model: 'own:judge', approach: standard, id: first}]"
    header = f"models: [{server.model('judge')}]\nevaluationConfig: {{llm-coverage: {{{judges}}}}}"
    return f"{header}\n---\n{JUDGED}"


async def opened(pilot: Pilot[Any], *, judged: bool) -> None:
    """The deletion test of the prompt, whose ideal was judged before."""
    screen = await settle(pilot)
    screen.editor.go_to(screen.editor.text_out().index("30 days"))
    if judged:
        runs_of(screen).configuration.judges_as = JudgesAs.DOCUMENTED
        await press(pilot, "f5")
    screen.show_tab(RESULT)
    await pilot.press("d")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, DeletionScreen))
    await pilot.pause()


async def test_a_has_judges_try_the_criteria_that_the_ideal_meets(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", judged_file(server))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, judged=True)
        before = len(server.bodies)
        await pilot.press("a")
        await wait_until(pilot, lambda: rows(pilot)["criterion:1"] != "not tried")
        assert rows(pilot) == {
            "sentence:0": "1 point",
            "sentence:1": "1 point",
            "check:0": "1 sentence",
            "criterion:1": "sentence 2",
            "criterion:2": "not tried",
        }
        assert len(server.bodies) - before == 8
        await pilot.press("end")
        await pilot.pause()
        assert "Not tried: the ideal does not meet it." in "\n".join(screen_lines(app))


async def test_without_judges_the_next_step_is_told(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", judged_file(server))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, judged=False)
        await pilot.press("a")
        await wait_until(pilot, lambda: app._notifications)  # pyright: ignore[reportPrivateUsage]
        told = [each.message for each in app._notifications]  # pyright: ignore[reportPrivateUsage]
        assert told[-1] == "Choose judges first: w in the result."
        assert server.bodies == []


async def test_an_ideal_that_was_not_judged_is_not_asked_about(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", judged_file(server))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, judged=False)
        runs_of(blueprint_screen(app)).configuration.judges_as = JudgesAs.DOCUMENTED
        await pilot.press("a", "end")
        await see(pilot, "judges have no verdict on the ideal")
        assert server.bodies == []


async def test_judges_elsewhere_are_asked_about_with_the_price_and_without_consent_get_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "not-a-real-key")
    monkeypatch.setattr(DeletionTests, "_known", lambda _self, view, panel: {1: met(view, panel)})
    app = studio_on(tmp_path / "x.yml", JUDGED)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, judged=False)
        runs_of(blueprint_screen(app)).configuration.judges_as = JudgesAs.DOCUMENTED
        await pilot.press("a")
        await wait_until(pilot, lambda: isinstance(app.screen, BeforeDeletionTest))
        await see(pilot, "openrouter.ai", "16 requests", "Later deletion tests go to the same judges")
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(app.screen, DeletionScreen))
        assert rows(pilot)["criterion:1"] == "not tried"


def met(view: DeletionView, panel: Panel) -> Consensus:
    """A verdict that the ideal meets the criterion, by the words of its second sentence."""
    thread = conversation(view.prompt, view.blueprint.header).answered((view.test.ideal,))
    question = questions(view.prompt, thread)[1]
    request = first_request(question, panel.judges[0].approach, panel.scale, "judge")
    attempt = Attempt(request, "", Verdict(1.0, None, "“The lease says so.” names it."))
    return Consensus((Judgement(panel.judges[0], question.criterion, (attempt,)),))
