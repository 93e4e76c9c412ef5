"""Comparing the shown result with another one: what is asked, what is shown, and what cannot be told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.store import PromptPlace, Store
from engine.text.record import text_digest
from studio.session.views import figures
from studio.tui.dialogs.ask import Ask
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.compare_screen import CompareScreen
from studio.tui.screens.side import HISTORY
from tests.studio.driving import NARROW, WIDE, press, screen_lines, settle, studio_on, wait_until
from tests.studio.grids import TENANCY, with_answers
from tests.studio.histories import NOW, ran

RENT = """\
- id: rent
  prompt: When is the rent due?
  ideal: It is due on the first.
  should:
    - $icontains: first
    - $icontains: month
"""
OTHER_RENT = RENT.replace("ideal: It is due on the first.", "ideal: It is due monthly, in advance.").replace(
    "    - $icontains: month\n", "    - $icontains: month\n    - $icontains: in advance\n"
)


@pytest.fixture(autouse=True)
def fixed_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "now", lambda: NOW)
    monkeypatch.setattr("studio.session.run_comparison.now", lambda: NOW)


async def in_prompt(pilot: Pilot[Any], text: str = "rent") -> BlueprintScreen:
    screen = await settle(pilot)
    screen.editor.go_to(screen.editor.text_out().index(text))
    return await settle(pilot)


async def compared(pilot: Pilot[Any]) -> list[str]:
    """The rows of the comparison, once it is there."""
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, CompareScreen))
    await pilot.pause()
    return screen_lines(pilot.app)


async def with_old_and_new(pilot: Pilot[Any]) -> list[str]:
    """Run the prompt, change its ideal and its rubric, run it again, and compare with the first run."""
    screen = await in_prompt(pilot)
    await press(pilot, "f5")
    screen.editor.replace_text(OTHER_RENT)
    screen.submit_text()
    await in_prompt(pilot)
    await press(pilot, "f5")
    screen.show_tab(HISTORY)
    await settle(pilot)
    await wait_until(pilot, lambda: screen.side.history is not None and len(screen.side.history.rows.rows) == 2)
    await pilot.press("down", "c")
    return await compared(pilot)


async def test_the_author_chooses_what_to_compare_with(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tenancy.yml", TENANCY)
    async with app.run_test(size=WIDE) as pilot:
        screen = await with_answers(pilot)
        await in_prompt(pilot, "deposit")
        screen.show_tab(0)
        await pilot.press("c")
        await wait_until(pilot, lambda: isinstance(app.screen, Ask))
        assert "test answer: the prompt repeated" in "\n".join(screen_lines(app))
        await pilot.press("enter")
        lines = await compared(pilot)
        assert lines[1].split("  ")[-1].strip() == "test answer: the prompt repeated"
        assert next(line.split()[1:] for line in lines if line.strip().startswith("difference")) == ["+33.3", "answer"]
        await pilot.press("escape")
        assert app.screen is screen


async def test_a_run_without_a_saved_rubric_is_scored_by_the_present_one(tmp_path: Path) -> None:
    path = tmp_path / "rent.yml"
    path.write_text(RENT, "utf-8")
    ran(path, ago=timedelta(days=3), score=0.5, answer="Each month.", asked="When is the rent due?")
    app = studio_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await in_prompt(pilot)
        await press(pilot, "f5")
        screen.show_tab(HISTORY)
        await settle(pilot)
        await pilot.press("down", "c")
        lines = "\n".join(await compared(pilot))
        assert "old  gpt-4o-mini, temp 0.7, 3 days ago" in lines
        assert "The rubric of the old run was not saved with it" in lines
        assert [line.split()[-1] for line in lines.splitlines()[4:6]] == ["50.0", "50.0"]


async def test_both_answers_count_as_shown(tmp_path: Path) -> None:
    path = tmp_path / "rent.yml"
    path.write_text(RENT, "utf-8")
    ran(path, ago=timedelta(days=3), score=0.5, answer="Each month.", asked="When is the rent due?")
    app = studio_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await in_prompt(pilot)
        await press(pilot, "f5")
        screen.show_tab(HISTORY)
        await settle(pilot)
        await pilot.press("down", "c")
        await compared(pilot)
        await settle(pilot)
    shown = Store().first_shown(PromptPlace(str(path), "rent"))
    assert shown.keys() == {text_digest("Each month."), text_digest("It is due on the first.")}


@pytest.mark.parametrize("run_first", [False, True])
async def test_without_another_result_it_says_what_to_do(tmp_path: Path, run_first: bool) -> None:
    app = studio_on(tmp_path / "rent.yml", RENT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await in_prompt(pilot)
        await press(pilot, *["f5"][: int(run_first)])
        screen.show_tab(0)
        await pilot.press("c")
        await wait_until(pilot, lambda: app._notifications)  # pyright: ignore[reportPrivateUsage]
        said = "nothing to compare it with yet" if run_first else "There is no result to compare yet"
        assert said in [each.message for each in app._notifications][-1]  # pyright: ignore[reportPrivateUsage]


def test_an_old_run_keeps_its_rubric_in_the_comparison(snap_compare: Callable[..., bool], tmp_path: Path) -> None:
    app = studio_on(tmp_path / "rent.yml", RENT)

    async def compare(pilot: Pilot[Any]) -> None:
        lines = "\n".join(await with_old_and_new(pilot))
        figures = [line.split()[-1] for line in lines.splitlines()[4:9]]
        assert figures == ["50.0", "66.7", "rubric", "33.3", "50.0"]
        assert "+16.7   answer, rubric" in lines
        assert "–  100.0    0.0  $icontains: in advance  new" in lines
        assert "It is due [-on the first-]{+monthly, in advance+}." in lines

    assert snap_compare(app, terminal_size=WIDE, run_before=compare)


def test_picture_of_a_comparison_on_a_narrow_screen(snap_compare: Callable[..., bool], tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tenancy.yml", TENANCY)

    async def compare(pilot: Pilot[Any]) -> None:
        screen = await with_answers(pilot)
        await in_prompt(pilot, "deposit")
        screen.show_tab(0)
        await pilot.press("c")
        await wait_until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press("enter")
        await compared(pilot)

    assert snap_compare(app, terminal_size=NARROW, run_before=compare)
