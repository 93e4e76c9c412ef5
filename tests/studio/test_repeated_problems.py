"""The list of problems where the file repeats one cause: opened, closed, followed by the cursor, and fixed at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from studio.tui.dialogs.applied_fixes import AppliedFixes
from studio.tui.dialogs.fix_dialog import ChooseFix
from studio.tui.palette import Palette
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.repeated_problems import quoted_checks
from tests.studio.driving import NARROW, WIDE, press, screen_lines, settle, studio_on, wait_until

FOUR = quoted_checks(4)
FIXED = FOUR.replace('"$icontains', "$icontains").replace("'\"", "'")


def rows(screen: BlueprintScreen) -> list[str]:
    """The rows of the list as they are drawn, without the blanks between their parts."""
    listed = screen.problems.list
    return [" ".join("".join(text for text, _ in listed.draw(row, 118)).split()) for row in listed.rows]


def selected(screen: BlueprintScreen) -> str:
    return rows(screen)[screen.problems.list.selected]


def explanation(screen: BlueprintScreen) -> str:
    return str(screen.query_one("#why", Static).render()).partition("\n")[0]


CLOSED = "▸ ×4 ● quoted-function “…” is one unknown name: remove the quotes around it f fix a fix all"
OPEN = CLOSED.replace("▸", "▾")


async def test_a_repeated_cause_is_one_row_with_its_count(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", FOUR).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3")
        assert [row.partition(" ")[0] for row in rows(screen)] == ["▸", "11:3"]
        assert rows(screen)[0] == CLOSED


@pytest.mark.parametrize("key", ["right", "enter"])
async def test_a_key_lists_the_places_each_with_its_line(key: str, tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", FOUR).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3", "home", key)
        assert rows(screen)[:3] == [
            OPEN,
            "4:7 │ - \"$icontains: 'Number 1'\"",
            "9:7 │ - \"$icontains: 'Number 2'\"",
        ]


@pytest.mark.parametrize("keys", [("left",), ("enter",), ("down", "down", "left")])
async def test_a_key_hides_the_places_again(keys: tuple[str, ...], tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", FOUR).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3", "home", "right", *keys)
        assert len(rows(screen)) == 2
        assert selected(screen) == CLOSED


async def test_right_goes_from_an_open_row_to_its_first_place(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", FOUR).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3", "home", "right", "right")
        assert selected(screen).startswith("4:7 │")


async def test_enter_on_a_place_goes_there(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", FOUR).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3", "home", "right", "down", "down", "enter")
        assert screen.editor.has_focus
        assert screen.editor.cursor_location == (8, 6)


async def test_a_click_on_the_row_opens_it(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", FOUR).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await pilot.click(screen.problems.list, offset=(10, 0))
        await settle(pilot)
        assert len(rows(screen)) == 6


async def test_the_cursor_selects_the_row_and_its_place_is_explained(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", FOUR).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f8", "f8")
        assert selected(screen) == CLOSED
        where, what = (
            "line 9, 2 of 4 · ",
            "Check written as text: \"$icontains: 'Number 2'\" is one unknown name",
        )
        assert explanation(screen) == f"{where}{what}: remove the quotes around it"


async def test_the_cursor_selects_the_place_of_an_open_row(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", FOUR).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3", "home", "right", "escape", "f8", "f8")
        assert selected(screen).startswith("9:7 │")


async def test_f8_goes_through_all_places_in_the_order_of_the_text(tmp_path: Path) -> None:
    lines: list[int] = []
    async with studio_on(tmp_path / "x.yml", FOUR).run_test(size=WIDE) as pilot:
        for _ in range(6):
            screen = await press(pilot, "f8")
            lines.append(screen.editor.cursor_location[0] + 1)
    assert lines == [4, 9, 11, 15, 20, 4]


async def test_an_open_row_stays_open_while_the_author_types(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", FOUR).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3", "home", "right", "escape")
        screen.editor.insert("# a line above\n", (0, 0))
        await settle(pilot)
        assert rows(screen)[:2] == [OPEN, "5:7 │ - \"$icontains: 'Number 1'\""]


async def test_the_line_of_a_place_follows_what_is_typed_beside_the_problem(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", FOUR).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3", "home", "right", "escape")
        screen.editor.insert(" # why", screen.editor.document.end)
        screen.editor.move_cursor((19, len("    - \"$icontains: 'Number 4'\"")))
        screen.editor.insert(" # mine")
        await settle(pilot)
        await wait_until(pilot, lambda: any("# mine" in line for line in screen_lines(pilot.app)[26:]))


async def test_a_row_of_which_two_places_are_left_becomes_two_rows(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", quoted_checks(3).replace("idael", "ideal")).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f8", "f4")
        assert [row.partition(" ")[0] for row in rows(screen)] == ["9:7", "15:7"]


async def test_the_title_and_the_status_line_count_places(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", FOUR).run_test(size=WIDE) as pilot:
        await settle(pilot)
        lines = screen_lines(pilot.app)
        assert "● 4 errors · ▲ 1 warning" in lines[0]
        assert any("Problems 5" in line for line in lines)


@pytest.mark.parametrize(
    ("keys", "offered"),
    [
        (("home",), "→ open  f fix  a fix all"),
        (("home", "right"), "← close  f fix  a fix all"),
        (("home", "right", "down"), "Enter go there  ← close  f fix  a fix all"),
        (("end",), "Enter go there  f fix  w why"),
    ],
)
async def test_the_footer_offers_what_the_row_can_do(keys: tuple[str, ...], offered: str, tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", FOUR).run_test(size=WIDE) as pilot:
        await press(pilot, "f3", *keys)
        await wait_until(pilot, lambda: offered in screen_lines(pilot.app)[-1])


# --- Fixing all of a rule


async def in_the_dialog(pilot: Pilot[Any]) -> ChooseFix:
    """The dialog, once it shows the diff of all."""
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, ChooseFix))
    asked = pilot.app.screen
    assert isinstance(asked, ChooseFix)
    await wait_until(pilot, lambda: "Applies to" in str(asked.query_one("#fix-text", Static).render()))
    return asked


async def by_the_key(pilot: Pilot[Any]) -> None:
    screen = await settle(pilot)
    screen.editor.go_to(FOUR.index("$icontains: 'Number 3'"))
    await pilot.press("ctrl+l")


async def by_the_palette(pilot: Pilot[Any]) -> None:
    screen = await settle(pilot)
    screen.editor.go_to(FOUR.index("$icontains: 'Number 3'"))
    await pilot.press("ctrl+p")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, Palette))
    await pilot.press(*"fix all of this rule")
    await wait_until(
        pilot, lambda: any("Fix all of this rule in the file  (Ctrl+L)" in line for line in screen_lines(pilot.app))
    )
    await pilot.press("enter")


async def by_the_row(pilot: Pilot[Any]) -> None:
    await press(pilot, "f3", "home")
    await pilot.press("a")


async def by_a_place(pilot: Pilot[Any]) -> None:
    await press(pilot, "f3", "home", "right", "down", "down")
    await pilot.press("a")


async def by_the_key_on_the_row(pilot: Pilot[Any]) -> None:
    await press(pilot, "f3", "home")
    await pilot.press("ctrl+l")


async def by_the_choice_on_the_row(pilot: Pilot[Any]) -> None:
    await press(pilot, "f3", "home")
    await pilot.press("f")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, ChooseFix))
    await pilot.pause()
    await pilot.press("a")


WAYS = [by_the_key, by_the_palette, by_the_row, by_a_place, by_the_key_on_the_row, by_the_choice_on_the_row]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
async def test_all_of_a_rule_are_fixed_with_one_diff_and_then_listed(
    way: Callable[[Pilot[Any]], Any], tmp_path: Path
) -> None:
    async with studio_on(tmp_path / "x.yml", FOUR).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await way(pilot)
        asked = await in_the_dialog(pilot)
        assert str(asked.query_one("#lines", Static).render()).count("+     - $icontains") == 4
        assert screen.editor.text_out() == FOUR
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, AppliedFixes))
        assert screen.editor.text_out() == FIXED
        await pilot.press("down", "down", "enter")
        await wait_until(pilot, lambda: pilot.app.screen is screen)
        assert screen.editor.cursor_location[0] + 1 == 15


async def test_another_fix_that_is_highlighted_is_shown_for_all_too(tmp_path: Path) -> None:
    text = "".join(
        f"- id: p{number}\n  prompt: What {number}?\n  should:\n    - - Names {number}\n    - - Says {number}\n"
        for number in range(3)
    )
    async with studio_on(tmp_path / "x.yml", text).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3", "home")
        await pilot.press("a")
        asked = await in_the_dialog(pilot)
        await pilot.press("end")
        await wait_until(pilot, lambda: "studio: ignore" in str(asked.query_one("#lines", Static).render()))
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, AppliedFixes))
        assert screen.editor.text_out().count("# studio: ignore[single-element-path]") == 3


async def test_escape_changes_nothing(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", FOUR).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await by_the_key(pilot)
        await in_the_dialog(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert screen.editor.text_out() == FOUR


# --- Pictures


STATES: dict[str, tuple[str, ...]] = {"closed": ("f3", "home"), "opened": ("f3", "home", "right", "down", "down")}
SIZES = {"wide": WIDE, "narrow": NARROW}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("state", STATES)
def test_the_list(state: str, size: str, tmp_path: Path, snap_compare: Callable[..., bool]) -> None:
    async def run(pilot: Pilot[Any]) -> None:
        await press(pilot, *STATES[state])

    app = studio_on(tmp_path / "repeated.yml", quoted_checks(12))
    assert snap_compare(app, terminal_size=SIZES[size], run_before=run)


@pytest.mark.parametrize("size", SIZES)
def test_the_diff_of_all(size: str, tmp_path: Path, snap_compare: Callable[..., bool]) -> None:
    async def run(pilot: Pilot[Any]) -> None:
        await by_the_row(pilot)
        await in_the_dialog(pilot)
        await pilot.pause()

    app = studio_on(tmp_path / "repeated.yml", quoted_checks(12))
    assert snap_compare(app, terminal_size=SIZES[size], run_before=run)


@pytest.mark.parametrize("size", SIZES)
def test_the_list_of_what_changed(size: str, tmp_path: Path, snap_compare: Callable[..., bool]) -> None:
    async def run(pilot: Pilot[Any]) -> None:
        await by_the_row(pilot)
        await in_the_dialog(pilot)
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, AppliedFixes))
        await settle(pilot)

    app = studio_on(tmp_path / "repeated.yml", quoted_checks(12))
    assert snap_compare(app, terminal_size=SIZES[size], run_before=run)
