"""The grid of all models: what it shows, what its keys do, and what Enter opens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from engine.evaluation.sources import IdealSource
from studio.tui.dialogs.ask import Ask, AskText
from studio.tui.screens.grid_screen import GridScreen
from tests.studio.command_line import studio
from tests.studio.driving import (
    NARROW,
    QUOTED,
    WIDE,
    press,
    run_of,
    screen_lines,
    settle,
    studio_on,
    wait_until,
)
from tests.studio.grids import TENANCY, with_answers


async def shown(pilot: Pilot[Any], *keys: str) -> list[str]:
    """The rows of the screen with the grid open, after these keys."""
    screen = await with_answers(pilot)
    screen.show_tab(0)
    await pilot.press("g")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, GridScreen))
    await pilot.press(*keys)
    await pilot.pause()
    return screen_lines(pilot.app)


def row(lines: list[str], label: str) -> list[str]:
    """The words of the first row that has `label`."""
    return next(line for line in lines if label in line).replace("▸", "").split()


async def test_prompts_are_sorted_by_the_spread_of_their_scores(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tenancy.yml", TENANCY)
    async with app.run_test(size=WIDE) as pilot:
        lines = await shown(pilot)
        table = [line.split()[-5:] for line in lines if line.split()[1:2] in (["notice"], ["deposit"], ["repairs"])]
        assert table == [
            ["▸100", "0", "0", "100", "22.2"],
            ["67", "33", "0", "67", "22.2"],
            ["100", "50", "50", "50", "11.1"],
        ]
        assert row(lines, "mean ") == ["mean", "89.0", "27.7", "16.7"]
        assert "all pass 1 criterion and all fail 0, of 7 that are judged for all" in "\n".join(lines)


async def test_the_criteria_of_the_selected_prompt_and_back(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tenancy.yml", TENANCY)
    async with app.run_test(size=WIDE) as pilot:
        lines = await shown(pilot, "down", "t")
        assert row(lines, "prescribed information")[-4:] == ["0", "0", "100", "22.2"]
        assert row(lines, "score ") == ["score", "66.7", "33.3", "0.0"]
        await pilot.press("tab")
        await pilot.pause()
        assert "▌1  deposit" in "\n".join(screen_lines(app))


async def test_differences_from_a_column_and_from_the_mean_of_the_others(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tenancy.yml", TENANCY)
    async with app.run_test(size=WIDE) as pilot:
        lines = await shown(pilot, "d")
        assert row(lines, "deposit")[2:5] == ["0.0", "−33.3", "−66.7"]
        assert row(lines, "difference of the means")[-3:] == ["0.0", "−61.1", "−72.2"]
        await pilot.press("d")
        await pilot.pause()
        assert row(screen_lines(app), "deposit")[2:5] == ["+50.0", "0.0", "−50.0"]
        await pilot.press("d")
        await pilot.pause()
        assert row(screen_lines(app), "deposit")[2:5] == ["67", "33", "0"]


async def test_a_long_name_leaves_the_line_that_says_what_is_subtracted(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tenancy.yml", TENANCY.replace("id: deposit", f"id: {'deposit-' * 12}"))
    async with app.run_test(size=NARROW) as pilot:
        lines = await shown(pilot, "down", "t", "d")
        assert "each less the ideal · sorted by spread" in "\n".join(lines[:2])


async def test_the_parts_of_the_criteria_stand_below_the_difference_of_the_prompt(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tenancy.yml", TENANCY)
    async with app.run_test(size=WIDE) as pilot:
        lines = await shown(pilot, "down", "right", "d", "t")
        assert row(lines, "difference ")[-3:] == ["+33.3", "0.0", "−33.3"]
        assert [row(lines, label)[-5:-2] for label in ("30 days", "prescribed", "$icontains: deposit")] == [
            ["+33.3", "0.0", "0.0"],
            ["+33.3", "0.0", "0.0"],
            ["−33.3", "0.0", "−33.3"],
        ]


async def test_enter_opens_the_result_of_the_selected_cell(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tenancy.yml", TENANCY)
    async with app.run_test(size=WIDE) as pilot:
        await shown(pilot, "down", "right", "enter")
        screen = await settle(pilot)
        assert app.screen is screen
        assert (run_of(screen).prompt.id, run_of(screen).candidate.key) == ("deposit", "control:echo")


async def test_enter_on_a_criterion_selects_it_in_the_result(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tenancy.yml", TENANCY)
    async with app.run_test(size=WIDE) as pilot:
        await shown(pilot, "down", "t", "down", "enter")
        screen = await settle(pilot)
        assert screen.side.result is not None
        point = screen.side.result.rows.row
        assert point is not None
        assert point.text == "$icontains: prescribed information"


async def test_esc_leaves_the_grid(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tenancy.yml", TENANCY)
    async with app.run_test(size=WIDE) as pilot:
        await shown(pilot, "escape")
        assert app.screen is await settle(pilot)


async def test_from_a_prompt_the_grid_shows_its_criteria(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(QUOTED.index("ideal"))
        await press(pilot, "f5")
        screen.show_tab(0)
        await pilot.press("g")
        await wait_until(pilot, lambda: isinstance(app.screen, GridScreen))
        assert "first · 2 criteria × 1 source of answers" in "\n".join(screen_lines(app))


async def test_a_key_with_nothing_to_act_on_says_so(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.show_tab(0)
        await pilot.press("g")
        await wait_until(pilot, lambda: isinstance(app.screen, GridScreen))
        await pilot.press("j", "d")
        await wait_until(pilot, lambda: len(app._notifications) == 2)  # pyright: ignore[reportPrivateUsage]
        assert [each.message for each in app._notifications] == [  # pyright: ignore[reportPrivateUsage]
            "No judge has judged anything here.",
            "A difference needs a second column: F9 marks several models.",
        ]


async def with_second_run(pilot: Pilot[Any]) -> list[str]:
    """Run all prompts with the ideals, change an ideal and a rubric, run again, and lay the first runs below."""
    screen = await with_answers(pilot, (IdealSource(),))
    text = screen.editor.text_out().replace("24 hours, in writing.", "24 hours.")
    screen.editor.replace_text(text.replace("    - $icontains: prescribed information\n", ""))
    screen.submit_text()
    await settle(pilot)
    await press(pilot, "f6")
    screen.show_tab(0)
    await pilot.press("g")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, GridScreen))
    return await laid_under(pilot)


async def laid_under(pilot: Pilot[Any]) -> list[str]:
    """Lay the runs before these under the grid."""
    await pilot.press("l")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, Ask))
    await pilot.press("enter")
    await wait_until(pilot, lambda: "each less the runs before these" in "\n".join(screen_lines(pilot.app)))
    await pilot.pause()
    return screen_lines(pilot.app)


def test_a_second_run_below_the_grid_shows_differences_and_their_causes(
    snap_compare: Callable[..., bool], tmp_path: Path
) -> None:
    app = studio_on(tmp_path / "tenancy.yml", TENANCY)

    async def compare(pilot: Pilot[Any]) -> None:
        lines = await with_second_run(pilot)
        assert row(lines, "1  deposit")[2:4] == ["−16.7", "rubric"]
        assert row(lines, "2  notice")[2:4] == ["−50.0", "answer"]
        assert row(lines, "3  repairs")[2] == "0.0"
        assert row(lines, "difference of the means")[-1] == "−22.2"
        await pilot.press("l")
        await pilot.pause()
        assert row(screen_lines(pilot.app), "2  notice")[2] == "50"
        await laid_under(pilot)

    assert snap_compare(app, terminal_size=WIDE, run_before=compare)


async def test_the_last_runs_are_in_the_grid_when_the_file_is_opened_again(tmp_path: Path) -> None:
    first = studio_on(tmp_path / "tenancy.yml", TENANCY)
    async with first.run_test(size=WIDE) as pilot:
        await with_answers(pilot)
    again = studio_on(tmp_path / "tenancy.yml")
    async with again.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.show_tab(0)
        await pilot.press("g")
        await wait_until(pilot, lambda: "89.0            27.7            16.7" in "\n".join(screen_lines(again)))


async def test_a_result_file_is_laid_below_the_grid(tmp_path: Path) -> None:
    path = tmp_path / "tenancy.yml"
    path.write_text(TENANCY.replace("24 hours, in writing.", "Soon, in writing."), "utf-8")
    await asyncio.to_thread(studio, "run", path, "--ideal", "--json", tmp_path / "first_comparison.json")
    app = studio_on(path, TENANCY)
    async with app.run_test(size=WIDE) as pilot:
        screen = await with_answers(pilot, (IdealSource(),))
        screen.show_tab(0)
        await pilot.press("g")
        await wait_until(pilot, lambda: isinstance(app.screen, GridScreen))
        await pilot.press("l")
        await wait_until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: isinstance(app.screen, AskText))
        await pilot.press("enter")
        await wait_until(pilot, lambda: "each less first_comparison.json" in "\n".join(screen_lines(app)))
        assert row(screen_lines(app), "2  notice")[2:4] == ["+50.0", "answer"]


def test_picture_of_the_grid(snap_compare: Callable[..., bool], tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tenancy.yml", TENANCY)
    assert snap_compare(app, terminal_size=WIDE, run_before=shown)


def test_picture_of_differences_on_a_narrow_screen(snap_compare: Callable[..., bool], tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tenancy.yml", TENANCY)

    async def differences(pilot: Pilot[Any]) -> None:
        await shown(pilot, "down", "right", "d", "t")

    assert snap_compare(app, terminal_size=NARROW, run_before=differences)
