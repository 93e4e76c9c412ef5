"""The screen of answers side by side: what is on it, what moves on it, and pictures of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.study.case import Label
from engine.study.case_reader import read_cases
from engine.study.file_places import beside
from studio.tui.dialogs.ask import AskText
from studio.tui.panes.answer_column import AnswerColumn
from studio.tui.panes.answer_text import AnswerText
from studio.tui.screens.answers_screen import AnswersScreen
from studio.tui.screens.side import RESPONSE
from tests.stored_answers import ANSWERS, RENT, answered
from tests.studio.driving import (
    NARROW,
    WIDE,
    blueprint_screen,
    screen_lines,
    see,
    settle,
    studio_on,
    wait_until,
)

Snap = Callable[..., bool]
HOSTILE = {
    "own:markup": "[bold red]Boo[/] and [@click=app.quit]press[/] me.",
    "own:escapes": "A \x1b[31mred\x1b[0m word.\nB \u202eright\u202c C\u200bD.",
    "own:[/]": "",
}
CASES = """\
version: 1
cases:
  - prompt: rent
    answer: It depends. Your landlord can raise the rent at any time, and you have to pay.
    label: bad
    reason: It ignores the notice period, and says that the tenant has to pay whatever is asked
    quote: Your landlord can raise the rent at any time
  - prompt: rent
    answer: "I am not a lawyer. **Three months** is usual. Keep the letter!"
    label: good
"""


@pytest.fixture(autouse=True)
def _just_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.session.side_reading.now", lambda: datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return answered(tmp_path / "rent.yml")


async def opened(pilot: Pilot[Any], at: str = "How much") -> AnswersScreen:
    """The answers to the prompt at this text, opened by the key in the Response pane."""
    screen = await settle(pilot)
    screen.editor.go_to(screen.editor.text_out().index(at))
    await settle(pilot)
    screen.show_tab(RESPONSE)
    screen.side.focus_open()
    await pilot.press("o")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, AnswersScreen))
    await pilot.pause()
    found = pilot.app.screen
    assert isinstance(found, AnswersScreen)
    return found


def columns(screen: AnswersScreen) -> list[AnswerColumn]:
    return [column for column in screen.query(AnswerColumn) if column.display]


def lit(screen: AnswersScreen) -> list[str]:
    """The lit passages on the screen."""
    found = [(text.lit, text.passages[0].text) for text in screen.query(AnswerText) if text.display and text.lit]
    return [span.of(answer) for span, answer in found]


@pytest.mark.parametrize(("size", "count"), [(WIDE, 3), (NARROW, 2), ((60, 24), 1)], ids=["wide", "narrow", "tiny"])
async def test_as_many_answers_as_have_room_are_beside_each_other(
    path: Path, size: tuple[int, int], count: int
) -> None:
    app = studio_on(path)
    async with app.run_test(size=size) as pilot:
        assert len(columns(await opened(pilot))) == count


async def test_arrows_go_through_the_answers_and_their_sentences(path: Path) -> None:
    app = studio_on(path)
    async with app.run_test(size=NARROW) as pilot:
        screen = await opened(pilot)
        assert lit(screen) == ["At least three months, in writing."]
        await pilot.press("right", "right", "down")
        assert lit(screen) == ["Your landlord can raise the rent at any time, and you have to pay."]
        await pilot.press("shift+up")
        assert lit(screen) == [ANSWERS["own:beta[temp:0.7]"]]
        await pilot.press("up", "up", "left", "left")
        assert lit(screen) == ["At least three months, in writing."]
        await pilot.press("end")
        assert lit(screen) == ["The tenant may object."]
        await pilot.press("home")
        assert lit(screen) == ["At least three months, in writing."]


async def test_no_answer_moves_when_another_passage_is_lit(path: Path) -> None:
    app = studio_on(path)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot)
        before = [line.replace("▌", " ") for line in screen_lines(app)]
        await pilot.press("down", "shift+up")
        await pilot.pause()
        assert [line.replace("▌", " ") for line in screen_lines(app)] == before


async def test_the_mouse_selects_a_sentence_and_drags_to_another_one(path: Path) -> None:
    app = studio_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot)
        text = columns(screen)[1].text
        await pilot.mouse_down(text, offset=(24, 0))
        assert lit(screen) == ["**Three months** is usual."]
        await pilot.hover(text, offset=(12, 1))
        await pilot.mouse_up(text, offset=(12, 1))
        assert lit(screen) == ["**Three months** is usual. Keep the letter!"]


async def test_a_page_takes_the_passage_along(tmp_path: Path) -> None:
    long = "\n\n".join(f"This is sentence {number}." for number in range(60))
    app = studio_on(answered(tmp_path / "rent.yml", RENT, {"own:long": long}))
    async with app.run_test(size=NARROW) as pilot:
        screen = await opened(pilot)
        await pilot.press("right", "pagedown")
        assert lit(screen) == ["This is sentence 7."]
        await pilot.press(*["down"] * 8)
        await see(pilot, "This is sentence 15.")


async def test_g_asks_why_and_writes_a_case(path: Path) -> None:
    app = studio_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot)
        beside(path).write_text(CASES.split("  - prompt", 1)[0], "utf-8")
        await pilot.press("right", "g")
        await wait_until(pilot, lambda: isinstance(app.screen, AskText))
        await pilot.press(*"So", "enter")
        await wait_until(pilot, lambda: app.screen is screen and not screen.is_preparing)
        (case,) = read_cases(beside(path).read_text("utf-8"))[0].cases
        assert (case.label, case.reason, case.model) == (Label.GOOD, "So", "own:gamma")
        await see(pilot, "+ good", "1 good · 2 not marked")


async def test_k_writes_a_criterion_as_one_step_of_undo(path: Path) -> None:
    app = studio_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot)
        await pilot.press("down", "k", "enter", "enter")
        await wait_until(pilot, lambda: app.screen is screen and not screen.is_preparing)
        editor = blueprint_screen(app).editor
        assert "  should:\n    - The tenant may object.\n- id: visit" in editor.text_out()
        await pilot.press("ctrl+z")
        assert editor.text_out() == RENT


async def test_hostile_answers_are_inert(tmp_path: Path) -> None:
    app = studio_on(answered(tmp_path / "rent.yml", RENT, HOSTILE))
    async with app.run_test(size=(160, 36)) as pilot:
        await opened(pilot)
        await pilot.press("right", "right", "right")
        await pilot.pause()
        text = "\n".join(screen_lines(app))
        assert "[bold red]Boo[/] and" in text
        assert "␛[31mred" in text
        assert "\\u202eright" in text
        assert "C\\u200bD" in text
        assert "\x1b" not in text
        await pilot.press("k")
        await pilot.pause()
        assert "\x1b" not in "".join(screen_lines(app))


async def test_an_answer_without_a_sentence_has_no_passage(tmp_path: Path) -> None:
    app = studio_on(answered(tmp_path / "rent.yml", RENT, {"own:empty": ""}))
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot)
        await pilot.press("right", "down", "k")
        await pilot.pause()
        assert app.screen is screen
        assert [each.message for each in app._notifications] == ["This answer has no sentence to select."]  # pyright: ignore[reportPrivateUsage]


async def test_no_score_and_no_verdict_is_on_the_screen(tmp_path: Path) -> None:
    scored = RENT.replace("- id: visit", "  should:\n    - $icontains: months\n- id: visit")
    app = studio_on(answered(tmp_path / "rent.yml", scored))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        text = "\n".join(screen_lines(app))
        assert "100" not in text
        assert "icontains" not in text


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_answers_with_marks_and_a_passage(snap_compare: Snap, path: Path, size: tuple[int, int]) -> None:
    beside(path).write_text(CASES, "utf-8")

    async def run(pilot: Pilot[Any]) -> None:
        await opened(pilot)
        await pilot.press("right", "right", "down")
        await pilot.press("right", "left", "left", "down", "shift+down")
        await pilot.pause()

    assert snap_compare(studio_on(path), terminal_size=size, run_before=run)
