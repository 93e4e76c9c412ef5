"""Enter and Backspace in a blueprint, and the dashes typed behind them: the list that comes of it is the one meant."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.events import Key, Paste
from textual.pilot import Pilot
from textual.widgets.text_area import Selection

from engine.parsing import parse
from engine.rules import check
from studio.tui.editor import BlueprintEditor
from studio.tui.editor.line_break import break_line
from studio.tui.editor.yaml_line import Within, read_line, within
from tests.conservation.hands import opened
from tests.conservation.trials import kept
from tests.engine.short_cases import assert_lines_say
from tests.studio.test_editor import EditorApp
from tests.thoroughness import one_in
from tests.world import corpus_files, needs_corpus

NAMED = {"⏎": "enter", "⇤": "shift+tab", "⌫": "backspace", "↶": "ctrl+z", "↷": "ctrl+y", "←": "left", "→": "right"}
"""The keys that stand for others in the tables. ¦ is the cursor; without one it is at the end."""


def pressed(before: str, typed: str) -> str:
    """The text with the cursor after `typed` in `before`, without a screen."""
    at = before.find("¦")
    text = before.replace("¦", "")
    editor = opened(text, at if at >= 0 else len(text))
    actions = {
        "⏎": editor.action_new_line, "⇤": editor.action_outdent, "⌫": editor.action_delete_left,
        "↶": editor.action_undo, "↷": editor.action_redo, "←": editor.action_cursor_left,
        "→": editor.action_cursor_right,
    }  # fmt: skip
    for key in typed:
        actions[key]() if key in actions else editor.type_text(key)
    end = editor.cursor_offset
    return f"{editor.text_out()[:end]}¦{editor.text_out()[end:]}"


def after_keys(line: str) -> Iterator[str]:
    """What comes of a line `TEXT ⇐ KEYS`, in whose text ⏎ is a line break. One undo takes Backspace back."""
    written, _, typed = line.partition(" ⇐ ")
    before = written.replace("⏎", "\n")
    yield pressed(before, typed)
    assert typed != "⌫" or pressed(before, "⌫↶").replace("¦", "") == before.replace("¦", "")


def test_what_keys_make_of_a_text_is_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_lines_say(Path(__file__).parent / "line_cases" / "keys.txt", after_keys, pytestconfig)


def test_a_no_break_space_is_no_indentation() -> None:
    assert break_line(["\xa0title: x"], 0, 1).begins == ""


def test_backspace_before_a_text_joins_no_points_without_a_word() -> None:
    text = (
        "- prompt: x\n  should:\n    - one\n    - two\n    - - three\n      - four\n"
        "    - text: five\n      weight: 2\n    - six"
    )
    usual = [one.slug for one in check(parse(text))]
    for at in range(text.index("- one"), len(text)):
        after = pressed(f"{text[:at]}¦{text[at:]}", "⌫").replace("¦", "")
        words = [" ".join(each.words) for each in kept(after)]
        if text[at - 1] in " -" and words != ["one", "two", "three", "four", "five", "six"]:
            assert [one.slug for one in check(parse(after)) if one.slug not in usual], after


# --- On the screen


@asynccontextmanager
async def shown(text: str) -> AsyncIterator[tuple[BlueprintEditor, Pilot[None]]]:
    """The editor on `text` on a screen, with the cursor at its end."""
    app = EditorApp(text)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        app.editor.move_cursor(app.editor.document.end)
        yield app.editor, pilot


@pytest.mark.parametrize("typed", ["⏎- b⏎⏎", "⏎- - b⏎c⏎⏎d⏎⏎⏎e", "⏎⌫- x", "⏎- ↶↷b", "⏎⇤- b", "⏎---⏎"])
async def test_keys_do_the_same_one_by_one_and_all_at_once(typed: str) -> None:
    text = "- should:\n    - a"
    async with shown(text) as (editor, pilot):
        await pilot.press(*(NAMED.get(each, each) for each in typed))
        slowly = editor.text_out()
    async with shown(text) as (editor, pilot):
        for each in typed:  # as a terminal delivers them that was busy
            editor.post_message(Key(NAMED.get(each, each), "\r" if each == "⏎" else each))
        await pilot.pause()
        assert [slowly, editor.text_out()] == [pressed(text, typed).replace("¦", "")] * 2


async def test_nothing_is_taken_in_a_read_only_text() -> None:
    async with shown("  - a") as (editor, pilot):
        await pilot.press("enter")
        editor.read_only = True
        await pilot.press("-", "space", "enter")
        assert editor.text_out() == "  - a\n  - "


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
async def test_pasted_lines_are_indented_to_their_place_as_one_step_of_undo(newline: str) -> None:
    text = newline.join(["- prompt: a", "  should:", "    - b", "    - ", "  weight: 2"])
    async with shown(text) as (editor, pilot):
        editor.move_cursor((3, 6))
        editor.post_message(Paste("1. Names it: by name\r\n2. Says who\n"))
        await pilot.press("!")
        assert editor.document.lines[3:] == ["    - 'Names it: by name'", "    - Says who!", "  weight: 2"]
        assert editor.text_out().count(newline) == editor.document.line_count - 1
        await pilot.press("ctrl+z", "ctrl+z")
        assert editor.text_out() == text
        assert editor.cursor_location == (3, 6)


@pytest.mark.parametrize(
    ("start", "end", "after"),
    [
        ((2, 6), (2, 7), "  should:\n    - a\n    - x\n    - y\n    - c\n"),
        ((1, 6), (2, 7), "  should:\n    - x\n    - y\n    - c\n"),
        ((2, 7), (3, 6), "  should:\n    - a\n    - bc\n    - x\n    - y\n"),
        ((0, 9), (4, 0), "  should:\n    - x\n    - y"),
    ],
)
def test_pasted_lines_take_the_place_of_what_is_selected(
    start: tuple[int, int], end: tuple[int, int], after: str
) -> None:
    text = "  should:\n    - a\n    - b\n    - c\n"
    editor = opened(text, 0)
    editor.selection = Selection(start, end)
    editor.insert_pasted("- x\n- y\n", "\n")
    assert editor.text_out() == after
    editor.action_undo()
    assert editor.text_out() == text


@pytest.mark.parametrize("row", ["- b", "• b", "1. b"])
def test_a_pasted_row_is_the_point_of_the_dash_that_stands_there(row: str) -> None:
    editor = opened("should:\n  - a\n  - ", 18)
    editor.insert_pasted(row, "\n")
    assert editor.text_out().replace("'", "") == "should:\n  - a\n  - b"


# --- The corpus

GOES_ON_WITH_A_MINUS = ("conceptmath", 147)
"""A text of the corpus whose second line reads `- 65° = 115°`."""


@needs_corpus
def test_a_dash_is_never_moved_out_of_the_list_in_which_the_authors_of_the_corpus_wrote_it() -> None:
    files = {*one_in(4, corpus_files()), *(path for path in corpus_files() if path.stem == GOES_ON_WITH_A_MINUS[0])}
    moved = [(path.stem, row) for path in files for row in moved_dashes(path.read_text("utf-8").splitlines())]
    assert moved == [GOES_ON_WITH_A_MINUS]


def moved_dashes(lines: Sequence[str]) -> list[int]:
    """The rows whose item would begin further out, had it been typed behind Enter at the end of the row before it."""
    written = [
        row for row in range(1, len(lines)) if not read_line(lines[row - 1]).is_blank and begins_item(lines, row)
    ]
    made = [break_line(lines, row - 1, len(lines[row - 1])) for row in written]
    places = [len(each.item or each.begins + "- ") - 2 for each in made]
    return [row for row, place in zip(written, places, strict=True) if place < read_line(lines[row]).indent]


def begins_item(lines: Sequence[str], row: int) -> bool:
    """Whether an item begins on `row`."""
    line = read_line(lines[row])
    return bool(line.dashes) and within(lines, row, line.indent) is Within.STRUCTURE
