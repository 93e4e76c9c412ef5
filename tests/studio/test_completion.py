"""The list of completions beside the cursor: when it opens, what each key does in it, and where it stands."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.events import MouseScrollDown
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Button

from engine.parsing import parse
from studio.tui.editor import BlueprintEditor
from studio.tui.editor.completion_popup import CompletionPopup
from tests.engine.short_cases import assert_lines_say, text_of
from tests.studio.driving import opened
from tests.studio.driving.alone import Alone
from tests.studio.text_files import text_file

POINTS = text_file("completion-points.yml")
POINT, KEYS = f"{POINTS}‸\n", "- id: march\n  ‸\n"


class EditorApp(Alone):
    """The editor alone, and something else that can have the focus."""

    def __init__(self, text: str) -> None:
        super().__init__(BlueprintEditor(), Button("elsewhere"))
        self._text = text

    def on_mount(self) -> None:
        editor = self.query_one(BlueprintEditor)
        editor.load(self._text.replace("‸", ""))
        editor.go_to(self._text.index("‸"))
        editor.focus()


class Typing:
    """The editor, on which keys are pressed one by one, each seen before the next."""

    def __init__(self, editor: BlueprintEditor, pilot: Pilot[None]) -> None:
        self.editor = editor
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.seen()

    async def seen(self) -> None:
        await self.pilot.pause()
        await self.pilot.pause()

    @property
    def popup(self) -> CompletionPopup | None:
        """The list, where it is on the screen."""
        return next((each for each in self.pilot.app.screen.query(CompletionPopup) if each.display), None)

    @property
    def selected(self) -> str | None:
        """What is selected in the list; None where there is none."""
        return None if self.popup is None or self.popup.candidate is None else self.popup.candidate.label

    @property
    def region(self) -> Region:
        assert self.popup is not None
        return self.popup.region

    @property
    def marked(self) -> str:
        """The text with its cursor."""
        text, at = self.editor.text_out(), self.editor.cursor_offset
        return f"{text[:at]}‸{text[at:]}"


@asynccontextmanager
async def typing(marked: str = POINT, *keys: str, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Typing]:
    app = EditorApp(marked)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        typing = Typing(app.query_one(BlueprintEditor), pilot)
        await typing.press(*keys)
        yield typing


CASES = Path(__file__).parent / "line_cases" / "completions.txt"


async def made_of(typed: Typing, line: str) -> str:
    """What keys make of a line `TEXT ⇐ KEYS`, with the cursor at ‸, and what is selected in the list, if it is there.

    `…` are the lines of `POINTS`, `⏎` is a line break, and `<tab>` a key by its name.
    """
    text, _, keys = line.replace("⏎", "\n").replace("…", POINTS).partition(" ⇐ ")
    typed.editor.load(text.replace("‸", ""))
    typed.editor.go_to(text.index("‸"))
    await typed.press(*(name or letter for name, letter in re.findall(r"<([^>]+)>|(.)", keys)))
    assert typed.editor.has_focus
    made = typed.marked.replace(POINTS, "…")
    return made if typed.selected is None else f"{made} [{typed.selected}]"


async def test_what_keys_make_of_a_text_and_its_list_is_as_their_file_says(pytestconfig: pytest.Config) -> None:
    lines = [text_of(line) for line in CASES.read_text("utf-8").splitlines() if " ⇐ " in line]
    async with typing() as typed:
        said = {line: [await made_of(typed, line)] for line in lines}
    assert_lines_say(CASES, said.__getitem__, pytestconfig)


async def test_up_and_down_leave_the_cursor_alone_and_a_click_takes_the_one_under_it() -> None:
    async with typing(POINT, "$", "down", "down", "up") as typed:
        assert (typed.selected, typed.marked) == ("$icontains", f"{POINTS}$‸\n")
        await typed.press(*"ico")
        await typed.pilot.click(CompletionPopup, offset=(5, 2))
        assert typed.marked == f"{POINTS}$icontains_word: '‸'\n"


async def test_where_nothing_fits_ctrl_space_says_so_and_a_read_only_file_completes_nothing() -> None:
    async with typing("title: Rights and ‸\n", "ctrl+@") as typed:
        assert "nothing to complete" in str(next(iter(typed.pilot.app._notifications)).message)
    async with typing() as typed:
        typed.editor.read_only = True
        await typed.press("ctrl+@", "$")
        assert typed.popup is None


async def test_keys_that_come_at_once_take_what_fits_them() -> None:
    async with typing(POINT, "$", "w") as typed:
        await typed.pilot.press("o", "r", "d", "tab")
        await typed.pilot.pause()
        assert typed.marked == f"{POINTS}$word_count_between: [‸, ]\n"


async def test_elsewhere_tab_indents() -> None:
    async with typing() as typed:
        for keys in ("<left>", "<end><left>x<left>", "<ctrl+z><ctrl+z>", "<shift+left>"):
            await made_of(typed, f"…‸⏎ ⇐ $icontains<tab>ab{keys}")
            row, _ = typed.editor.cursor_location
            line = typed.editor.document[row]
            await typed.press("tab")
            assert typed.editor.document[row] != line


async def test_what_else_closes_it() -> None:
    async with typing(f"{POINTS}‸\n" + "# more\n" * 60) as typed:
        app = typed.pilot.app
        for closing in (
            lambda: app.set_focus(app.query_one(Button)),
            lambda: typed.pilot.click(BlueprintEditor, offset=(30, 0)),
            lambda: typed.pilot._post_mouse_events([MouseScrollDown], typed.editor, (40, 1)),
            lambda: typed.pilot.resize_terminal(70, 20),
        ):
            typed.editor.focus()
            typed.editor.load(POINT.replace("‸", "") + "# more\n" * 60)
            typed.editor.go_to(POINT.index("‸"))
            await typed.press("$")
            assert typed.popup is not None
            done = closing()
            if done is not None:
                await done
            await typed.pilot.pause()
            assert typed.popup is None


# --- Where it stands


async def test_a_pane_that_grows_beside_the_text_moves_it_with_its_word() -> None:
    async with typing(POINT, "$", "down") as typed:
        before = typed.selected
        typed.editor.styles.height = 12
        await typed.seen()
        assert (typed.editor.size.height, typed.selected) == (12, before)
        typed.editor.styles.height = 3  # which makes the text scroll
        await typed.seen()
        assert (typed.editor.scroll_offset.y, typed.region.y) == (4, typed.editor.cursor_screen_offset.y + 1)
    async with typing(POINT, "$") as typed:
        await typed.pilot.app.mount(Button("above"), before=typed.editor)
        await typed.seen()
        assert typed.region.y == typed.editor.cursor_screen_offset.y + 1


async def test_it_stands_below_the_word_its_labels_under_it() -> None:
    async with typing(POINT, *"$co") as typed:
        cursor = typed.editor.cursor_screen_offset
        assert (typed.region.x, typed.region.y) == (cursor.x - 3 - 2, cursor.y + 1)


async def test_near_the_bottom_it_stands_above_the_line_and_at_the_right_edge_it_is_shifted_left() -> None:
    async with typing("# more\n" * 14 + POINT, "$") as typed:
        assert typed.region.bottom == typed.editor.cursor_screen_offset.y
    async with typing("- prompt: " + "x" * 20 + "\n  should: [" + "'y', " * 11 + "{ ‸ }]\n", "$") as typed:
        assert typed.region.right <= 80


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_it_never_leaves_the_screen_nor_hides_the_line(size: tuple[int, int]) -> None:
    async with typing(size=size) as typed:
        for before in range(0, 21, 4):
            await made_of(typed, f"{'# more⏎' * before}…‸⏎ ⇐ $")
            assert Region(0, 0, *size).contains_region(typed.region)
            assert not typed.region.y <= typed.editor.cursor_screen_offset.y < typed.region.bottom


async def test_names_of_the_blueprint_are_shown_as_data() -> None:
    async with typing(f"{POINTS}$ref: ‸\n") as typed:
        hostile = parse('point_defs: {"\\e[31m[b]x": "1"}\n---\n- prompt: Why?\n')
        typed.editor.completing.header = hostile.blueprint.header
        await typed.press("ctrl+@")
        assert typed.popup is not None
        assert "␛[31m[b]x" in typed.popup.render_line(0).text


# --- In the studio


async def test_collections_definitions_and_keys_of_the_blueprint_are_offered_also_by_the_palette(
    tmp_path: Path,
) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "HOUSING.json").write_text(json.dumps(["openai:gpt-4o"]))
    header = "title: Rights\npoint_defs: {band: 'r.length > 3'}\nmodels:\n  - "
    prompts = "\n---\n- id: march\n  \n  prompt: Why?\n  should:\n    - $ref: \n"
    async with opened(tmp_path, header + prompts) as page:
        typed = Typing(page.screen.editor, page.pilot)
        await page.at("$ref: ", behind=True)
        await typed.press("ctrl+@", "tab")
        assert page.text.endswith("$ref: band\n")
        await page.at("  - ", behind=True)
        await typed.press("ctrl+@", *"HOU")
        assert typed.selected == "HOUSING"
        await typed.press("escape")
        await page.at("- id: march\n  ", behind=True)
        await typed.press("ctrl+p", *"complete at")
        await page.settle()
        await page.press("enter")
        assert typed.selected == "description"
