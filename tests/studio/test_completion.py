"""The list of completions beside the cursor: when it opens, what each key does in it, and where it stands."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.events import MouseScrollDown
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Button

from engine.parsing import parse
from studio.tui.editor import BlueprintEditor
from studio.tui.editor.completion_popup import CompletionPopup
from studio.tui.theme import DARK, THEMES
from tests.studio.driving import WIDE, settle, studio_on

POINTS = """\
title: Rights
---
- id: march
  prompt: May a state ban a march?
  should:
    - Names the test
    - """


class EditorApp(App[None]):
    """The editor alone, and something else that can have the focus."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK

    def compose(self) -> ComposeResult:
        yield BlueprintEditor()
        yield Button("elsewhere")

    def on_mount(self) -> None:
        editor = self.query_one(BlueprintEditor)
        editor.load(self._text.replace("‸", ""))
        editor.go_to(self._text.index("‸"))
        editor.focus()


@asynccontextmanager
async def opened(
    marked: str = f"{POINTS}‸\n", size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[BlueprintEditor, Pilot[None]]]:
    app = EditorApp(marked)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app.query_one(BlueprintEditor), pilot


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys one by one, each seen before the next."""
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
        await pilot.pause()


def popup(pilot: Pilot[None]) -> CompletionPopup | None:
    """The list, where it is on the screen."""
    return next((each for each in pilot.app.screen.query(CompletionPopup) if each.display), None)


def selected(pilot: Pilot[None]) -> str | None:
    shown = popup(pilot)
    return None if shown is None or shown.candidate is None else shown.candidate.label


def marked(editor: BlueprintEditor) -> str:
    """The text with its cursor."""
    text, at = editor.text_out(), editor.cursor_offset
    return f"{text[:at]}‸{text[at:]}"


# --- Opening


async def test_a_dollar_at_a_point_opens_the_list() -> None:
    async with opened() as (_, pilot):
        await press(pilot, "$")
        assert selected(pilot) == "$contains"


async def test_prose_opens_nothing() -> None:
    async with opened() as (_, pilot):
        await press(pilot, *"It costs $")
        assert popup(pilot) is None


async def test_a_dollar_in_a_text_opens_nothing() -> None:
    async with opened("- prompt: |\n    ‸\n") as (_, pilot):
        await press(pilot, *"- $co")
        assert popup(pilot) is None


async def test_ctrl_space_opens_the_list_of_keys() -> None:
    async with opened("- id: march\n  ‸\n") as (_, pilot):
        await press(pilot, "ctrl+@")
        assert selected(pilot) == "description"


async def test_ctrl_space_where_nothing_fits_says_so() -> None:
    async with opened("title: Rights and ‸\n") as (_, pilot):
        await press(pilot, "ctrl+@")
        assert popup(pilot) is None
        assert "nothing to complete" in str(next(iter(pilot.app._notifications)).message)


async def test_a_read_only_file_completes_nothing() -> None:
    async with opened() as (editor, pilot):
        editor.read_only = True
        await press(pilot, "ctrl+@", "$")
        assert popup(pilot) is None


async def test_undo_opens_nothing() -> None:
    async with opened(f"{POINTS}$con‸\n") as (_, pilot):
        await press(pilot, "space", "ctrl+z")
        assert popup(pilot) is None


async def test_the_editor_keeps_the_focus() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, "$")
        assert editor.has_focus


# --- Going on


async def test_typing_narrows_the_list() -> None:
    async with opened() as (_, pilot):
        await press(pilot, *"$word_c")
        assert selected(pilot) == "$word_count_between"


async def test_backspace_widens_it_again() -> None:
    async with opened() as (_, pilot):
        await press(pilot, *"$wo", "backspace", "backspace", "i")
        assert selected(pilot) == "$icontains"


async def test_typing_what_fits_nothing_closes_it() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, *"$100")
        assert popup(pilot) is None
        assert marked(editor) == f"{POINTS}$100‸\n"


async def test_a_list_asked_for_narrows_too() -> None:
    async with opened("- id: march\n  ‸\n") as (_, pilot):
        await press(pilot, "ctrl+@", *"sh")
        assert selected(pilot) == "should"


async def test_up_goes_round_the_end() -> None:
    async with opened() as (_, pilot):
        await press(pilot, "$", "up")
        assert selected(pilot) == "$not_factcheck"


async def test_up_and_down_leave_the_cursor_alone() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, "$", "down", "down", "up")
        assert selected(pilot) == "$icontains"
        assert marked(editor) == f"{POINTS}$‸\n"


# --- Taking


@pytest.mark.parametrize("key", ["tab", "enter"])
async def test_tab_and_enter_take_the_selected_one(key: str) -> None:
    async with opened() as (editor, pilot):
        await press(pilot, *"$ico", key)
        assert marked(editor) == f"{POINTS}$icontains: '‸'\n"
        assert popup(pilot) is None


async def test_a_click_takes_the_one_under_it() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, *"$ico")
        await pilot.click(CompletionPopup, offset=(5, 2))
        assert marked(editor) == f"{POINTS}$icontains_word: '‸'\n"


async def test_taking_is_one_step_of_undo() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, *"$contains_any", "tab", "ctrl+z")
        assert marked(editor) == f"{POINTS}$contains_any‸\n"


async def test_new_lines_are_written_as_the_file_has_them() -> None:
    async with opened(f"{POINTS}‸\n".replace("\n", "\r\n")) as (editor, pilot):
        await press(pilot, *"$contains_any", "tab")
        assert marked(editor).endswith("    - $contains_any_of:\r\n        - ‸\r\n")


async def test_keys_that_come_at_once_take_what_fits_them() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, "$", "w")
        await pilot.press("o", "r", "d", "tab")
        await pilot.pause()
        assert marked(editor) == f"{POINTS}$word_count_between: [‸, ]\n"


# --- Leaving what was written


async def test_tab_leads_out_of_the_quotes_that_were_written() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, *"$icontains", "tab", *"1,038", "tab")
        assert marked(editor) == f"{POINTS}$icontains: '1,038'‸\n"
        await press(pilot, "tab")
        assert marked(editor).startswith(f"{POINTS}$icontains: '1,038' ")


async def test_tab_leads_to_the_next_argument_and_then_out_of_the_brackets() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, *"$word", "tab", *"50", "tab", *"90", "tab")
        assert marked(editor) == f"{POINTS}$word_count_between: [50, 90]‸\n"


@pytest.mark.parametrize("keys", [("left",), ("end", "left", "x", "left"), ("ctrl+z", "ctrl+z"), ("shift+left",)])
async def test_elsewhere_tab_indents(keys: tuple[str, ...]) -> None:
    async with opened() as (editor, pilot):
        await press(pilot, *"$icontains", "tab", *"ab", *keys)
        row, _ = editor.cursor_location
        line = editor.document[row]
        await press(pilot, "tab")
        assert editor.document[row] != line


async def test_enter_behind_what_was_typed_in_the_quotes_begins_the_next_point() -> None:
    async with opened(f"{POINTS}‸\n    - Says who\n") as (editor, pilot):
        await press(pilot, *"$icontains", "tab", *"1,038", "enter")
        assert marked(editor) == f"{POINTS}$icontains: '1,038'\n    - ‸\n    - Says who\n"


# --- Enter never surprises


async def test_enter_behind_a_dollar_alone_is_a_new_line() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, "$", "enter")
        assert editor.text_out().startswith(f"{POINTS}$\n")
        assert popup(pilot) is None


async def test_enter_behind_a_whole_name_is_a_new_line() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, *"$is_json", "enter")
        assert editor.text_out().startswith(f"{POINTS}$is_json\n")


async def test_enter_takes_what_was_chosen_even_behind_a_dollar_alone() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, "$", "down", "enter")
        assert marked(editor) == f"{POINTS}$icontains: '‸'\n"


async def test_enter_takes_what_was_asked_for() -> None:
    async with opened("- id: march\n  render_as: ‸\n") as (editor, pilot):
        await press(pilot, "ctrl+@", "enter")
        assert marked(editor) == "- id: march\n  render_as: markdown‸\n"


# --- Closing


async def test_escape_closes_it_and_nothing_else() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, "$", "escape")
        assert popup(pilot) is None
        assert editor.has_focus


@pytest.mark.parametrize("key", ["left", "home", "ctrl+home"])
async def test_moving_the_cursor_closes_it(key: str) -> None:
    async with opened() as (_, pilot):
        await press(pilot, *"$co", key)
        assert popup(pilot) is None


async def test_losing_the_focus_closes_it() -> None:
    async with opened() as (_, pilot):
        await press(pilot, "$")
        pilot.app.query_one(Button).focus()
        await pilot.pause()
        assert popup(pilot) is None


async def test_clicking_the_text_closes_it() -> None:
    async with opened() as (_, pilot):
        await press(pilot, "$")
        await pilot.click(BlueprintEditor, offset=(30, 0))
        assert popup(pilot) is None


async def test_scrolling_the_text_closes_it() -> None:
    async with opened(f"{POINTS}‸\n" + "# more\n" * 60) as (editor, pilot):
        await press(pilot, "$")
        await pilot._post_mouse_events([MouseScrollDown], editor, (40, 1))
        await pilot.pause()
        assert popup(pilot) is None


# --- Where it stands


def region(pilot: Pilot[None]) -> Region:
    shown = popup(pilot)
    assert shown is not None
    return shown.region


async def test_a_pane_that_grows_below_the_text_leaves_it_open() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, "$", "down")
        before = selected(pilot)
        editor.styles.height = 12
        await pilot.pause()
        await pilot.pause()
        assert (editor.size.height, selected(pilot)) == (12, before)


async def test_a_pane_that_grows_above_the_text_moves_it_with_its_word() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, "$")
        await pilot.app.mount(Button("above"), before=editor)
        await pilot.pause()
        await pilot.pause()
        shown = popup(pilot)
        assert shown is not None
        assert shown.region.y == editor.cursor_screen_offset.y + 1


async def test_a_pane_that_makes_the_text_scroll_moves_it_with_its_word() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, "$")
        editor.styles.height = 3
        await pilot.pause()
        await pilot.pause()
        shown = popup(pilot)
        assert shown is not None
        assert (editor.scroll_offset.y, shown.region.y) == (4, editor.cursor_screen_offset.y + 1)


async def test_another_size_of_the_screen_closes_it() -> None:
    async with opened() as (_, pilot):
        await press(pilot, "$")
        await pilot.resize_terminal(70, 20)
        await pilot.pause()
        assert popup(pilot) is None


async def test_it_stands_below_the_word_its_labels_under_it() -> None:
    async with opened() as (editor, pilot):
        await press(pilot, *"$co")
        cursor = editor.cursor_screen_offset
        assert (region(pilot).x, region(pilot).y) == (cursor.x - 3 - 2, cursor.y + 1)


async def test_near_the_bottom_it_stands_above_the_line() -> None:
    async with opened("# more\n" * 14 + f"{POINTS}‸\n") as (editor, pilot):
        await press(pilot, "$")
        assert region(pilot).bottom == editor.cursor_screen_offset.y


async def test_at_the_right_edge_it_is_shifted_left() -> None:
    async with opened("- prompt: " + "x" * 20 + "\n  should: [" + "'y', " * 11 + "{ ‸ }]\n") as (_, pilot):
        await press(pilot, "$")
        assert region(pilot).right <= 80


@pytest.mark.parametrize("before", range(0, 21, 4))
@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_it_never_leaves_the_screen_nor_hides_the_line(before: int, size: tuple[int, int]) -> None:
    async with opened("# more\n" * before + f"{POINTS}‸\n", size) as (editor, pilot):
        await press(pilot, "$")
        assert Region(0, 0, *size).contains_region(region(pilot))
        assert not region(pilot).y <= editor.cursor_screen_offset.y < region(pilot).bottom


# --- In the studio


async def test_collections_beside_the_blueprint_are_offered(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "HOUSING.json").write_text(json.dumps(["openai:gpt-4o"]))
    text = "title: Rights\nmodels:\n  - \n---\n- prompt: Why?\n"
    app = studio_on(tmp_path / "x.yml", text)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(text.index("  - ") + 4)
        await press(pilot, "ctrl+@", *"HOU")
        assert selected(pilot) == "HOUSING"


async def test_definitions_of_the_header_are_offered(tmp_path: Path) -> None:
    text = f"point_defs: {{band: 'r.length > 3'}}\n{POINTS}$ref: \n"
    app = studio_on(tmp_path / "x.yml", text)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(len(text) - 1)
        await press(pilot, "ctrl+@", "tab")
        assert screen.editor.text_out().endswith("$ref: band\n")


async def test_names_of_the_blueprint_are_shown_as_data() -> None:
    async with opened(f"{POINTS}$ref: ‸\n", (80, 24)) as (editor, pilot):
        editor.completing.header = parse('point_defs: {"\\e[31m[b]x": "1"}\n---\n- prompt: Why?\n').blueprint.header
        await press(pilot, "ctrl+@")
        shown = popup(pilot)
        assert shown is not None
        assert "␛[31m[b]x" in shown.render_line(0).text


async def test_the_palette_completes_too(tmp_path: Path) -> None:
    text = "- id: march\n  \n  prompt: Why?\n"
    app = studio_on(tmp_path / "x.yml", text)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(text.index("  \n") + 2)
        await press(pilot, "ctrl+p", *"complete at")
        await settle(pilot)
        await press(pilot, "enter")
        await settle(pilot)
        assert selected(pilot) == "description"
