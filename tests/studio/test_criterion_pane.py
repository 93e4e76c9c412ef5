"""The tab of one criterion: its keys, what they do to the text and the grades, and how it looks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot

from engine.judging.panel import JudgesAs
from studio.tui.action import Place
from studio.tui.dialogs.ask import Ask
from studio.tui.dialogs.before_criterion import BeforeCriterion
from studio.tui.dialogs.mark_dialog import MarkChoices
from studio.tui.footer import place_of
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import (
    NARROW,
    WIDE,
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

DEPOSIT = "Says that the deposit must be protected within 30 days"
RUBRIC = f"""\
- id: deposit
  prompt: My landlord took a deposit. What must happen with it?
  ideal: The landlord must protect your deposit within 30 days, and tell you in which scheme.
  should:
    - {DEPOSIT}
    - Names the court as the place to claim
"""
CASES = """\
version: 1
cases:
  - prompt: deposit
    answer: The deposit must be protected since 2007. Nothing else is needed.
    label: bad
    reason: fluent, wrong year
  - prompt: deposit
    answer: Your landlord has 30 days to have the money protected by a scheme. Ask which one.
    label: good
"""
_EXTENTS = ("CLASS_ABSENT", "CLASS_SLIGHTLY_PRESENT", "CLASS_MAJORLY_PRESENT", "CLASS_FULLY_PRESENT")


def says(body: dict[str, Any]) -> str:
    """A judge that counts the long words of a criterion in the answer, and quotes the first one."""
    asked = body["messages"][1]["content"]
    criterion = asked.rpartition("<criterion")[2].partition("\n")[2].partition("\n</")[0].lower()
    answer = asked.partition('graded="yes">')[2].partition("</turn")[0].lower()
    found = [word for word in criterion.split() if len(word) > 5 and word in answer]
    quoted = f"It says “{found[0]}” and means it." if found else "Nothing of the kind is said."
    return verdict(_EXTENTS[min(len(found), 3)], quoted)


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, says)


def blueprint(server: ModelServer) -> str:
    """A long description keeps the server's address, which changes, out of the picture."""
    models = f"models: [{server.model('strict')}, {server.model('kind')}]"
    judges = ", ".join(f"{{model: 'own:{name}', approach: standard, id: {name}}}" for name in ("strict", "kind"))
    description = "description: |\n" + "  What a tenant should know.\n" * 40
    return f"{models}\n{description}evaluationConfig: {{llm-coverage: {{judges: [{judges}]}}}}\n---\n{RUBRIC}"


def app_on(tmp_path: Path, server: ModelServer) -> Any:
    (tmp_path / "deposit.yml.cases").write_text(CASES, "utf-8")
    return studio_on(tmp_path / "deposit.yml", blueprint(server))


async def run(pilot: Pilot[Any], *, judges: bool = True, at: str = DEPOSIT) -> BlueprintScreen:
    """The screen after the criterion `at` was run."""
    screen = await settle(pilot)
    runs_of(screen).configuration.judges_as = JudgesAs.DOCUMENTED if judges else None
    screen.editor.go_to(screen.editor.text_out().index(at))
    return await press(pilot, "ctrl+k")


async def reworded(pilot: Pilot[Any], screen: BlueprintScreen) -> BlueprintScreen:
    """The screen after the criterion was shortened in the text, and run again."""
    await press(pilot, "escape")
    screen.editor.go_to(screen.editor.text_out().index(DEPOSIT) + len(DEPOSIT))
    await pilot.press(*["ctrl+w"] * 3)
    return await press(pilot, "ctrl+k")


async def test_the_point_at_the_cursor_is_run_and_its_tab_has_the_focus(tmp_path: Path, server: ModelServer) -> None:
    app = app_on(tmp_path, server)
    async with app.run_test(size=WIDE) as pilot:
        screen = await run(pilot)
        assert place_of(screen) is Place.CRITERION
        await see(pilot, "1st wording", "case 1: fl", "catches 0 of 1 bad")
    assert len(server.bodies) == 3 * 2


async def test_the_point_that_is_selected_in_the_result_is_run(tmp_path: Path, server: ModelServer) -> None:
    app = app_on(tmp_path, server)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(screen.editor.text_out().index("ideal"))
        await press(pilot, "f5", "ctrl+r", "down", "r")
        await see(pilot, "“Names the court as the place to claim”")


async def test_away_from_any_point_the_key_says_where_to_go(tmp_path: Path, server: ModelServer) -> None:
    app = app_on(tmp_path, server)
    async with app.run_test(size=WIDE) as pilot:
        await run(pilot, at="ideal")
        assert "Put the cursor on a point" in [each.message for each in app._notifications][-1]  # pyright: ignore[reportPrivateUsage]


async def test_the_answers_are_graded_with_one_key_each(tmp_path: Path, server: ModelServer) -> None:
    app = app_on(tmp_path, server)
    async with app.run_test(size=NARROW) as pilot:
        await run(pilot, judges=False)
        await press(pilot, "5", "down", "1")
        await see(pilot, "You graded it absent.")
        rows = [line for line in screen_lines(app) if line[1:].lstrip(" ▌").startswith(("the ideal", "case 1"))]
        assert [row.split()[-1] for row in rows] == ["100", "0"]
    assert server.bodies == []


async def test_an_earlier_wording_comes_back_in_one_step_of_undo(tmp_path: Path, server: ModelServer) -> None:
    app = app_on(tmp_path, server)
    async with app.run_test(size=WIDE) as pilot:
        screen = await reworded(pilot, await run(pilot))
        await pilot.press("b")
        await wait_until(pilot, lambda: isinstance(app.screen, Ask))
        await press(pilot, "enter")
        assert DEPOSIT in screen.editor.text_out()
        screen.editor.action_undo()
        assert DEPOSIT not in screen.editor.text_out()


async def test_answers_are_marked_in_a_list(tmp_path: Path, server: ModelServer) -> None:
    app = app_on(tmp_path, server)
    async with app.run_test(size=WIDE) as pilot:
        screen = await run(pilot)
        await pilot.press("plus")
        await wait_until(pilot, lambda: isinstance(app.screen, MarkChoices))
        await press(pilot, "down", "space", "enter")
        assert screen.side.criterion is not None
        assert [row.answer.label for row in screen.side.criterion.rows.rows] == ["the ideal", "case 2"]


async def test_enter_gives_the_answer_the_pane_and_escape_goes_back_to_the_list(
    tmp_path: Path, server: ModelServer
) -> None:
    app = app_on(tmp_path, server)
    async with app.run_test(size=WIDE) as pilot:
        screen = await run(pilot)
        await press(pilot, "down", "enter")
        pane = screen.side.criterion
        assert pane is not None
        assert (pane.is_reading, screen.focused is pane.answer) == (True, True)
        await press(pilot, "escape")
        assert (pane.is_reading, screen.focused is pane.rows) == (False, True)


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_a_rewording(tmp_path: Path, server: ModelServer, size: tuple[int, int], snap_compare: Snap) -> None:
    async def show(pilot: Pilot[Any]) -> None:
        await reworded(pilot, await run(pilot))
        await press(pilot, "down", "3")
        await see(pilot, "2nd wording", "12 requests, $0 so far", "↓")

    assert snap_compare(app_on(tmp_path, server), terminal_size=size, run_before=show)


async def test_verdicts_on_another_scale_are_marked_in_the_list(tmp_path: Path, server: ModelServer) -> None:
    app = app_on(tmp_path, server)
    async with app.run_test(size=NARROW) as pilot:
        screen = await run(pilot)
        runs_of(screen).configuration.judges_as = JudgesAs.WEVAL_TODAY
        await reworded(pilot, screen)
        await see(pilot, "2nd wording", "≠ scale", "on a scale of 5 classes, now of 10")


async def test_what_it_is_good_for_is_shown_below_a_long_list(tmp_path: Path, server: ModelServer) -> None:
    app = app_on(tmp_path, server)
    others = "".join(f"  - {{prompt: deposit, answer: The {number}th., label: bad}}\n" for number in range(12))
    (tmp_path / "deposit.yml.cases").write_text(CASES + others, "utf-8")
    async with app.run_test(size=WIDE) as pilot:
        await reworded(pilot, await run(pilot))
        await see(pilot, "2nd wording", "catches 12 of 13 bad", "of 2 good")


def test_no_criterion_yet(tmp_path: Path, server: ModelServer, snap_compare: Snap) -> None:
    async def show(pilot: Pilot[Any]) -> None:
        screen = await settle(pilot)
        screen.editor.go_to(screen.editor.text_out().index("ideal"))
        await press(pilot, "ctrl+r", "ctrl+t", "ctrl+t", "ctrl+t", "ctrl+t")
        await see(pilot, "Put the cursor on a point")

    assert snap_compare(app_on(tmp_path, server), terminal_size=WIDE, run_before=show)


async def test_judges_elsewhere_are_asked_about_with_an_amount_and_without_consent_get_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "not-a-real-key")
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        runs_of(screen).configuration.judges_as = JudgesAs.DOCUMENTED
        screen.editor.go_to(screen.editor.text_out().index(DEPOSIT))
        await pilot.press("ctrl+k")
        await wait_until(pilot, lambda: isinstance(app.screen, BeforeCriterion))
        await see(pilot, "openrouter.ai", "In all, up to $")
        await press(pilot, "escape")
        await see(pilot, "r asks the judges.")
        assert screen.side.criterion is not None
        assert [row.now for row in screen.side.criterion.rows.rows] == [(None, None)]


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_question_before_a_criterion_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], snap_compare: Snap
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "not-a-real-key")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-real-key")

    async def show(pilot: Pilot[Any]) -> None:
        screen = await settle(pilot)
        runs_of(screen).configuration.judges_as = JudgesAs.DOCUMENTED
        screen.editor.go_to(screen.editor.text_out().index(DEPOSIT))
        await pilot.press("ctrl+k")
        await see(pilot, "Judge this criterion", "Rewordings go to the same judges")

    assert snap_compare(studio_on(tmp_path / "x.yml", RUBRIC), terminal_size=size, run_before=show)


async def test_a_hostile_name_of_another_person_is_made_visible(tmp_path: Path, server: ModelServer) -> None:
    grade = f'    grades:\n      - {{criterion: "{DEPOSIT}", grade: absent, by: "\\e[31mEve\\u202e"}}\n'
    app = studio_on(tmp_path / "deposit.yml", blueprint(server))
    (tmp_path / "deposit.yml.cases").write_text(CASES + grade, "utf-8")
    async with app.run_test(size=WIDE) as pilot:
        await run(pilot, judges=False)
        await pilot.press("down", "down")
        await see(pilot, "␛[31mEve\\u202e graded it absent")
        assert "\x1b" not in "".join(screen_lines(app))
