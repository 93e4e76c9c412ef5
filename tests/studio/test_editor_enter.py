"""Enter and Backspace in a blueprint, and the dashes typed behind them: the list that comes of it is the one meant."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

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


# --- Enter


@pytest.mark.parametrize(
    ("before", "begins"),
    [
        # What a line opens
        ("should:", "  "),
        ("  should: # the points", "    "),
        ("  - $contains_any_of:", "      "),
        ("  - $js: |", "      "),
        ("- prompt: |", "    "),
        ("- |", "  "),
        ("- # Path 1", "  "),
        # Behind a whole point comes the next one
        ("  - Names it # by name", "  - "),
        ("  - 'Names the tenant''s right'", "  - "),
        ('  - "Names a \\"right\\": it"', "  - "),
        ("  - $is_json", "  - "),
        ('  - "$contains": x', "  - "),
        ("  - $contains_any_of: [x, y]", "  - "),
        ("  - Names the Act: section 11", "  - "),
        ("  - {point: Names it, weight: 2}", "  - "),
        ("\t- Names it", "  - "),
        ("  -\tNames it", "  - "),
        ("    - - Names it", "      - "),
        ("    - - Names it\n      - $contains: x", "      - "),
        # Keys go on
        ("  - text: Names it", "    "),
        ("    - - text: Names it", "        "),
        ("  - text: Names it\n    weight: 2", "    "),
        # Texts on several lines
        ("  - Names the right\n    and says why", "  - "),
        ('  - "Names the right\n    and says why"', "  - "),
        ("  - $contains: the right\n      of the tenant", "  - "),
        ("  - $contains:\n      the right", "  - "),
        ("  - text: the right\n      of the tenant", "      "),
        ("  - text: 'the right\n      of the tenant'", "    "),
        ("- ideal: the right\n    of the tenant", "    "),
        # Values that are not closed
        ('  - "Names it', "    "),
        ("  - text: 'Names it", "      "),
        ("  - $contains_any_of: [x,", "      "),
        # No structure
        ("  May a state", "  "),
        ("# - a comment", ""),
        ("---", ""),
        ("", ""),
    ],
)
def test_enter_at_the_end_of_a_line(before: str, begins: str) -> None:
    assert pressed(before, "⏎") == f"{before}\n{begins}¦"


def test_a_no_break_space_is_no_indentation() -> None:
    assert break_line(["\xa0title: x"], 0, 1).begins == ""


@pytest.mark.parametrize(
    ("line", "below", "begins"),
    [
        ("  should:", "  - Names it", "  "),
        ("  should:", "\n      - Names it", "      "),
        ("  should:", "  ideal: It is.", "    "),
        ("  - should:", "  - Names it", "      "),
        ("  - $contains: x", "    weight: 2", "    "),
        ("  - Names it", "    by name", "    "),
        ("  - Names it", "  - Says why", "  - "),
        ("  -", "    text: Names it", "    "),
    ],
)
def test_enter_goes_as_far_in_as_what_the_line_holds_below(line: str, below: str, begins: str) -> None:
    assert pressed(f"{line}¦\n{below}", "⏎") == f"{line}\n{begins}¦\n{below}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Within a value it goes on with it, and the value stays one
        ("  - Names it ¦and says why", "  - Names it \n    ¦and says why"),
        ("  ideal: It is ¦so", "  ideal: It is \n    ¦so"),
        ("  - text: 'Names ¦it'", "  - text: 'Names \n      ¦it'"),
        ("  - text: Names it¦ weight: 2", "  - text: Names it\n    ¦ weight: 2"),
        ("  - $contains_any_of: ['a¦', 'b']", "  - $contains_any_of: ['a\n      ¦', 'b']"),
        # Before what closes a value it leaves it whole
        ("  - $icontains: '1,038¦'", "  - $icontains: '1,038'\n  - ¦"),
        ("  - 'Names it¦' # by name", "  - 'Names it' # by name\n  - ¦"),
        ("  - $contains_any_of: ['a', 'b¦']", "  - $contains_any_of: ['a', 'b']\n  - ¦"),
        ("  - $word_count_between: [50, 100¦]", "  - $word_count_between: [50, 100]\n  - ¦"),
        ("  - $tool_args_match: { name: 'x¦' }", "  - $tool_args_match: { name: 'x' }\n  - ¦"),
        ("  - text: 'Names it¦'", "  - text: 'Names it'\n    ¦"),
        ("    - - 'a¦'", "    - - 'a'\n      - ¦"),
        # Between two rows
        ("  - Names it¦- Says why", "  - Names it\n  ¦- Says why"),
        ("  ¦- Names it", "  \n  ¦- Names it"),
    ],
)
def test_enter_within_a_line(before: str, after: str) -> None:
    assert pressed(before, "⏎") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- ", "¦"),
        ("  -", "  ¦"),
        ("$title: x\n  - ", "$title: x\n¦"),
        ("  should:\n    - a\n    - ", "  should:\n    - a\n  ¦"),
        ("  should:\n  - a\n  - ", "  should:\n  - a\n  ¦"),
        ("tags:\n  - a\n  - ", "tags:\n  - a\n¦"),
        # Behind a path the next one begins, behind the list of a check the next point
        ("    - - a\n      - ", "    - - a\n    - - ¦"),
        ("    - # Path 1\n      - a\n      - ", "    - # Path 1\n      - a\n    - - ¦"),
        ("    - - ", "    - ¦"),
        ("    - $contains_any_of:\n        - a\n        - ", "    - $contains_any_of:\n        - a\n    - ¦"),
        ("    - $contains_any_of:\n      - a\n      - ", "    - $contains_any_of:\n      - a\n    - ¦"),
        # A list that goes on below is not ended
        ("    - a\n    - ¦\n    - b", "    - a\n    ¦\n    - b"),
        ("    - - a\n      - ¦\n      - b", "    - - a\n      ¦\n      - b"),
        ("    - - ¦\n      - b", "    - - \n      ¦\n      - b"),
    ],
)
def test_enter_behind_a_lone_dash_goes_one_step_out(before: str, after: str) -> None:
    assert pressed(before, "⏎") == after


# --- Backspace


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  should:\n    - ¦", "  should:\n  ¦"),
        ("  should:\n    - a\n    - ¦\n    - b", "  should:\n    - a\n    ¦\n    - b"),
        ("    - - a\n      - ¦b", "    - - a\n    - ¦b"),
        ("    - $contains_any_of:\n        - ¦", "    - $contains_any_of:\n    - ¦"),
        ("    - text: a\n      ¦", "    - text: a\n    ¦"),
        ("- prompt: |\n    a\n    ¦", "- prompt: |\n    a\n  ¦"),
        ("- prompt: a\n      ¦weight: 2", "- prompt: a\n  ¦weight: 2"),
        ("    - should_not:¦", "    - should_not¦"),
        ("    -¦", "    ¦"),
        ("  ¦  a", " ¦  a"),
        # What goes on below goes on
        ("should:\n  - a\n  - ¦b\n  - c", "should:\n  - a\n  ¦b\n  - c"),
        ("should:\n  - ¦text: a\n    weight: 2", "should:\n  ¦text: a\n    weight: 2"),
        ("    - - ¦b\n      - c", "    - ¦b\n      - c"),
        ("- id: a\n  ¦prompt: b\n  should:", "- id: a\n¦prompt: b\n  should:"),
        ("- id: a\n- ¦id: b\n  prompt: c", "- id: a\n¦id: b\n  prompt: c"),
        ("  should:\n    - - a\n    ¦- b\n    - c", "  should:\n    - - a\n  ¦- b\n    - c"),
        ("should:\n  - - a\n    ¦- b\n    - c", "should:\n  - - a\n  ¦- b\n    - c"),
        ("should:\n  - a\n  - ¦\n    text: b", "should:\n  - a\n  -¦\n    text: b"),
        # A dash goes with the blank behind it
        ("should:\n  - a\n  -¦ b\n  - c", "should:\n  - a\n  ¦b\n  - c"),
        ("--¦ b", "-¦ b"),
        # A text in a block is left where its lines begin
        ("- prompt: |\n    ¦a\n    b", "- prompt: |\n  ¦a\n    b"),
        ("- prompt: |\n    a\n    ¦- b", "- prompt: |\n    a\n  ¦- b"),
        ("- prompt: |\n    a\n      ¦b", "- prompt: |\n    a\n     ¦b"),
        ("- prompt: |\n    a\n    - ¦b", "- prompt: |\n    a\n    -¦b"),
        ('- prompt: "a\n    ¦b"', '- prompt: "a\n   ¦b"'),
    ],
)
def test_backspace_at_the_start_of_a_text_goes_back_one_level(before: str, after: str) -> None:
    assert pressed(before, "⌫") == after
    assert pressed(before, "⌫↶").replace("¦", "") == before.replace("¦", "")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- prompt: ¦a", "- prompt:¦ a"),
        ("- text: ¦'a'\n  weight: 2", "- text:¦ 'a'\n  weight: 2"),
        ("- {point: ¦a}", "- {point:¦ a}"),
        ("- prompt:  ¦a", "- prompt: ¦a"),
        ("- prompt: ¦", "- prompt:¦"),
        ("- prompt: |\n    so: ¦a", "- prompt: |\n    so:¦a"),
        ("- a # so: ¦b", "- a # so:¦b"),
        ('- "so: ¦b"', '- "so:¦b"'),
    ],
)
def test_backspace_at_the_start_of_a_value_goes_back_to_its_key_and_joins_nothing(before: str, after: str) -> None:
    assert pressed(before, "⌫") == after


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


# --- Typed dashes


@pytest.mark.parametrize(
    ("before", "typed", "after"),
    [
        # A dash typed behind an automatic one is that one
        ("  - a", "⏎- b⏎- c⏎d", "  - a\n  - b\n  - c\n  - d"),
        ("  - a", "⏎  - b", "  - a\n  - b"),
        ("  - a", "⏎←→- b", "  - a\n  - b"),
        ("    - - a", "⏎- b", "    - - a\n      - b"),
        ("    - - a", "⏎⏎- b", "    - - a\n    - - b"),
        ("    - - a", "⏎⏎⏎- b", "    - - a\n    - b"),
        ("  - a", "⏎⇤- b", "  - a\n- b"),
        ("- should:\n    - - a\n      - b", "⏎⇤- - c", "- should:\n    - - a\n      - b\n    - - c"),
        ("  - a", "⏎- - b⏎- c", "  - a\n  - - b\n    - c"),
        # Where no list can be, it is one of the list around
        ("  - text: a", "⏎- b", "  - text: a\n  - b"),
        ("    - - text: a", "⏎weight: 2⏎- b", "    - - text: a\n        weight: 2\n      - b"),
        ("  - $js:\n      code: x", "⏎- b", "  - $js:\n      code: x\n  - b"),
        ("- id: a\n  prompt: b", "⏎⏎- id: c", "- id: a\n  prompt: b\n  \n- id: c"),
        ("- should:\n    - a\n\n    - c", "⏎- d", "- should:\n    - a\n\n    - c\n    - d"),
        ("- should:\n    - a", "⏎⏎- id: c", "- should:\n    - a\n- id: c"),
        ("- messages:\n    - user: a", "⏎- user: b", "- messages:\n    - user: a\n    - user: b"),
        ("  - Names it. ¦Says why", "⏎- ", "  - Names it. \n  - Says why"),
        # Where one can, it begins one
        ("should:", "⏎- a", "should:\n  - a"),
        ("  should:", "⏎- - a", "  should:\n    - - a"),
        ("  - $contains_any_of:", "⏎- x⏎- y", "  - $contains_any_of:\n      - x\n      - y"),
        ("- should:\n  ", "- a", "- should:\n  - a"),
        ("- # Path 1", "⏎- a", "- # Path 1\n  - a"),
        ("title: a", "⏎- b", "title: a\n- b"),
        ("  - a\n  - ", "- b", "  - a\n  - - b"),
        # Text, separators, other shapes
        ("  - a", "⏎-5 degrees", "  - a\n  - -5 degrees"),
        ("  - a", "⏎--flag", "  - a\n  - --flag"),
        ("tags:\n  - a", "⏎---⏎- id: b", "tags:\n  - a\n---\n- id: b"),
        ('- "a', "⏎- b", '- "a\n  - b'),
        ("- prompt: |\n    Choose:\n    - a right", "⏎- b", "- prompt: |\n    Choose:\n    - a right\n    - b"),
        ("- prompt: >-\n    Choose:\n\n      - a", "⏎- b", "- prompt: >-\n    Choose:\n\n      - a\n      - b"),
        ("- should:\n    - |\n      - a right", "⏎- b", "- should:\n    - |\n      - a right\n      - b"),
        ('[\n  {\n    "should": [\n      "a",', "⏎- 5", '[\n  {\n    "should": [\n      "a",\n      - 5'),
        ("should: [a,\n  b,", "⏎- 5", "should: [a,\n  b,\n  - 5"),
        ("should:\r\n  - a\r\n  - b", "⏎- c", "should:\r\n  - a\r\n  - b\r\n  - c"),
        # One undo gives what was typed, the next takes it back
        ("  - a", "⏎↶", "  - a"),
        ("  - a", "⏎- ↶b", "  - a\n  - - b"),
        ("  - a", "⏎- ↶↷b", "  - a\n  - b"),
        ("  - a", "⏎- ↶↶↶↷- b", "  - a\n  - b"),
        ("  - a", "⏎---↶", "  - a\n  - ---"),
    ],
)
def test_typed_dashes(before: str, typed: str, after: str) -> None:
    assert pressed(before, typed).replace("¦", "") == after


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
