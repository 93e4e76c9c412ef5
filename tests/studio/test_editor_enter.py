"""Enter in a blueprint, and the dashes typed behind it: the list that comes of it is the one that was meant."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.events import Key, Paste
from textual.pilot import Pilot
from textual.widgets.text_area import Selection

from engine.blueprint import Path
from engine.parsing import parse
from studio.tui.editor import BlueprintEditor
from studio.tui.editor.line_break import break_line
from studio.tui.editor.yaml_line import Within, read_line, within
from studio.tui.theme import DARK, THEMES
from tests.thoroughness import one_in
from tests.world import corpus_files, needs_corpus


class EditorApp(App[None]):
    """The editor alone."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        yield BlueprintEditor()

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK
        self.editor.load(self._text)
        self.editor.focus()
        self.editor.move_cursor(self.editor.document.end)

    @property
    def editor(self) -> BlueprintEditor:
        return self.query_one(BlueprintEditor)


def test_a_no_break_space_is_no_indentation() -> None:
    assert break_line(["\xa0title: x"], 0, 1).begins == ""


@asynccontextmanager
async def opened(text: str) -> AsyncIterator[tuple[BlueprintEditor, Pilot[None]]]:
    """The editor on `text`, with the cursor at its end."""
    app = EditorApp(text)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        yield app.editor, pilot


def keys(typed: str) -> list[str]:
    """The keys that type `typed`: ⏎ is Enter, ⇤ is Shift+Tab, ⌫ is Backspace, ↶ is undo, ↷ is redo."""
    named = {"⏎": "enter", "⇤": "shift+tab", "⌫": "backspace", "↶": "ctrl+z", "↷": "ctrl+y", "←": "left", "→": "right"}
    return [named.get(each, each) for each in typed]


async def typed_behind(text: str, typed: str) -> str:
    """The text that comes of `typed` at the end of `text`."""
    async with opened(text) as (editor, pilot):
        await pilot.press(*keys(typed))
        return editor.text_out()


# --- Enter


@pytest.mark.parametrize(
    ("before", "begins"),
    [
        ("should:", "  "),
        ("  should:", "    "),
        ("  should: # the points", "    "),
        ("  - Names it", "  - "),
        ("  - Names it # by name", "  - "),
        ("  -   Names it", "  - "),
        ('  - "Names it: by name"', "  - "),
        ("  - 'Names the tenant''s right'", "  - "),
        ('  - "Names a \\"right\\""', "  - "),
        ('  - "Names it', "    "),
        ("  - 5", "  - "),
        ("  - -5", "  - "),
        ("  - $is_json", "  - "),
        ("  - $contains: x", "  - "),
        ('  - "$contains": x', "  - "),
        ("  - $contains_any_of: [x, y]", "  - "),
        ("  - $contains_any_of: [x,", "      "),
        ("  - $contains_any_of:", "      "),
        ("  - $js: |", "      "),
        ("  - Names the Act: section 11", "  - "),
        ("  - {point: Names it, weight: 2}", "  - "),
        ("  - [a, b]", "  - "),
        ("  - text: Names it", "    "),
        ("  - text: Names it\n    weight: 2", "    "),
        ("- id: a", "  "),
        ("- user: Hello", "  "),
        ("- prompt: |", "    "),
        ("prompt: |", "  "),
        ("- |", "  "),
        ("- # Path 1", "  "),
        ("  May a state", "  "),
        ("# - a comment", ""),
        ("---", ""),
        ("", ""),
        ("\t- Names it", "  - "),
        ("  -\tNames it", "  - "),
    ],
)
async def test_enter_at_the_end_of_a_line(before: str, begins: str) -> None:
    assert await typed_behind(before, "⏎") == f"{before}\n{begins}"


@pytest.mark.parametrize(
    ("before", "begins"),
    [
        ("    - - Names it", "      - "),
        ("    - - Names it\n      - Says why", "      - "),
        ("    - - - Names it", "        - "),
        ("    -   - Names it", "        - "),
        ("    - - $contains: x", "      - "),
        ("    - - text: Names it", "        "),
    ],
)
async def test_enter_in_a_path_begins_the_next_point_of_that_path(before: str, begins: str) -> None:
    assert await typed_behind(before, "⏎") == f"{before}\n{begins}"


@pytest.mark.parametrize(
    "before",
    [
        "- prompt: |\n    Choose:\n    - a right",
        "- prompt: >-\n    Choose:\n\n      - a right",
        "- prompt: |\n    - $contains: x",
        "- should:\n    - |\n      - a right",
        "- should:\n    - text: |2-\n        - a right",
    ],
)
async def test_a_block_text_gets_no_dash(before: str) -> None:
    last = before.rpartition("\n")[2]
    indent = last[: len(last) - len(last.lstrip())]
    assert await typed_behind(before, "⏎- b") == f"{before}\n{indent}- b"


@pytest.mark.parametrize(
    ("before", "begins"),
    [
        ("  - Names the right\n    and says why", "  - "),
        ('  - "Names the right\n    and says why"', "  - "),
        ('  - "Names the right\n    and says', "    "),
        ("  - $contains: the right\n      of the tenant", "  - "),
        ("  - $contains:\n      the right", "  - "),
        ("  - text: the right\n      of the tenant", "      "),
        ("- ideal: the right\n    of the tenant", "    "),
    ],
)
async def test_enter_behind_the_last_line_of_a_long_text(before: str, begins: str) -> None:
    assert await typed_behind(before, "⏎") == f"{before}\n{begins}"


@pytest.mark.parametrize(
    ("line", "below", "begins"),
    [
        ("  should:", "  - Names it", "  "),
        ("  should:", "\n      - Names it", "      "),
        ("- should:", "  - Names it", "  "),
        ("  should:", "  ideal: It is.", "    "),
        ("  - should:", "  - Names it", "      "),
        ("prompts:", "- id: a", ""),
        ("  - $contains_any_of:", "      - x", "      "),
        ("  - $contains: x", "    weight: 2", "    "),
        ("  - Names it", "    by name", "    "),
        ("  - Names it", "  - Says why", "  - "),
        ("  -", "    text: Names it", "    "),
    ],
)
async def test_enter_goes_as_far_in_as_what_the_line_holds_below(line: str, below: str, begins: str) -> None:
    async with opened(f"{line}\n{below}") as (editor, pilot):
        editor.go_to(len(line))
        await pilot.press("enter")
        assert editor.text_out() == f"{line}\n{begins}\n{below}"


async def test_enter_between_two_items_on_one_line_lines_the_second_up_with_the_first() -> None:
    async with opened("  - Names it- Says why") as (editor, pilot):
        editor.go_to(len("  - Names it"))
        await pilot.press("enter")
        assert editor.text_out() == "  - Names it\n  - Says why"


async def test_enter_in_the_middle_of_a_point_goes_on_with_it() -> None:
    async with opened("  - Names it and says why") as (editor, pilot):
        editor.go_to(len("  - Names it "))
        await pilot.press("enter")
        assert editor.text_out() == "  - Names it \n    and says why"


async def test_enter_before_the_text_of_a_line_moves_it_down_as_it_is() -> None:
    async with opened("  - Names it") as (editor, pilot):
        editor.go_to(2)
        await pilot.press("enter")
        assert editor.text_out() == "  \n  - Names it"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  - ", "  "),
        ("  -", "  "),
        ("- ", ""),
        ("  should:\n    - a\n    - ", "  should:\n    - a\n  "),
        ("  should:\n  - a\n  - ", "  should:\n  - a\n  "),
        ("- id: a\n  should:\n    - a\n    - ", "- id: a\n  should:\n    - a\n  "),
        ("tags:\n  - a\n  - ", "tags:\n  - a\n"),
        ("- messages:\n    - user: a\n    - ", "- messages:\n    - user: a\n  "),
    ],
)
async def test_enter_behind_a_lone_dash_ends_the_list_at_the_place_of_its_key(before: str, after: str) -> None:
    assert await typed_behind(before, "⏎") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    - - a\n      - ", "    - - a\n    - - "),
        ("    - - a\n      - b\n      - ", "    - - a\n      - b\n    - - "),
        ("    - # Path 1\n      - a\n      - ", "    - # Path 1\n      - a\n    - - "),
        ("    - - ", "    - "),
        ("    - $contains_any_of:\n        - a\n        - ", "    - $contains_any_of:\n        - a\n    - "),
        ("    - $contains_any_of:\n      - a\n      - ", "    - $contains_any_of:\n      - a\n    - "),
    ],
)
async def test_behind_a_path_it_begins_the_next_one_and_behind_the_list_of_a_check_the_next_point(
    before: str, after: str
) -> None:
    assert await typed_behind(before, "⏎") == after


async def test_enter_four_times_leads_out_of_a_path_then_of_the_paths_then_of_the_list() -> None:
    async with opened("  should:\n    - - a") as (editor, pilot):
        begun: list[str] = []
        for _ in range(4):
            await pilot.press("enter")
            begun.append(editor.document[2])
        assert begun == ["      - ", "    - - ", "    - ", "  "]


@pytest.mark.parametrize(
    ("before", "below", "after"),
    [
        ("    - a\n    - ", "    - b", "    - a\n    "),
        ("    - - a\n      - ", "      - b", "    - - a\n      "),
        ("    - - ", "      - b", "    - - \n      "),
    ],
)
async def test_a_list_that_goes_on_below_a_lone_dash_is_not_ended_there(before: str, below: str, after: str) -> None:
    async with opened(f"{before}\n{below}") as (editor, pilot):
        editor.go_to(len(before))
        await pilot.press("enter")
        assert editor.text_out() == f"{after}\n{below}"


@pytest.mark.parametrize(
    ("line", "begins"),
    [
        ("  - $icontains: '|'", "  - "),
        ("  - $icontains: '1,038|'", "  - "),
        ('  - "Names it: by name|"', "  - "),
        ("  - 'Names it|' # by name", "  - "),
        ("  - $contains_any_of: ['a', 'b|']", "  - "),
        ("  - $word_count_between: [50, 100|]", "  - "),
        ("  - $tool_args_match: { name: 'x|' }", "  - "),
        ("  - text: 'Names it|'", "    "),
        ('  ideal: "It is|"', "  "),
        ("    - - 'a|'", "      - "),
    ],
)
async def test_enter_before_what_closes_a_value_leaves_the_value_whole(line: str, begins: str) -> None:
    written = line.replace("|", "")
    async with opened(f"{written}\n  - b") as (editor, pilot):
        editor.go_to(line.index("|"))
        await pilot.press("enter", "x", "ctrl+z")
        assert editor.text_out() == f"{written}\n{begins}\n  - b"


@pytest.mark.parametrize(
    "line", ["  - 'a|b'", "  - $contains_any_of: ['a|', 'b']", "  - [|]", "  - [1, |]", '  - "say \\"a|\\""', "  - '|"]
)
async def test_elsewhere_in_a_value_enter_breaks_it(line: str) -> None:
    async with opened(line.replace("|", "")) as (editor, pilot):
        editor.go_to(line.index("|"))
        await pilot.press("enter")
        assert editor.text_out().partition("\n")[0] == line.partition("|")[0]


@pytest.mark.parametrize(
    "before", ['{"should": ["a",', '[\n  {\n    "should": [\n      "a",', '{\n  "prompt": "- a"', "should: [a,\n  b,"]
)
async def test_json_and_flow_lists_get_no_dash_and_a_typed_one_stays(before: str) -> None:
    text = await typed_behind(before, "⏎- 5")
    assert text.rpartition("\n")[2].strip() == "- 5"


async def test_lines_of_a_file_with_crlf_end_in_crlf() -> None:
    assert await typed_behind("should:\r\n  - a\r\n  - b", "⏎- c") == "should:\r\n  - a\r\n  - b\r\n  - c"


# --- Backspace


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  should:\n    - ¦", "  should:\n  ¦"),
        ("  should:\n    - a\n    - ¦\n    - b", "  should:\n    - a\n    ¦\n    - b"),
        ("    - - a\n      - ¦", "    - - a\n    - ¦"),
        ("    - - a\n      - ¦b", "    - - a\n    - ¦b"),
        ("    - - ¦", "    - ¦"),
        ("    - $contains_any_of:\n        - ¦", "    - $contains_any_of:\n    - ¦"),
        ("    - text: a\n      ¦", "    - text: a\n    ¦"),
        ("  should:\n    ¦", "  should:\n  ¦"),
        ("- prompt: |\n    a\n    ¦", "- prompt: |\n    a\n  ¦"),
        ("- prompt: a\n      ¦weight: 2", "- prompt: a\n  ¦weight: 2"),
        ("    - should_not:¦", "    - should_not¦"),
        ("- prompt: |\n    ¦a", "- prompt: |\n   ¦a"),
        ("    -¦", "    ¦"),
        ("    - - ¦b\n      - c", "    - -¦b\n      - c"),
        ("  ¦  a", " ¦  a"),
    ],
)
async def test_backspace_at_the_start_of_a_text_goes_back_one_level(before: str, after: str) -> None:
    async with opened(before.replace("¦", "")) as (editor, pilot):
        editor.go_to(before.index("¦"))
        await pilot.press("backspace")
        at = editor.cursor_offset
        assert f"{editor.text_out()[:at]}¦{editor.text_out()[at:]}" == after
        await pilot.press("ctrl+z")
        assert editor.text_out() == before.replace("¦", "")


# --- Pasted lines


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
async def test_pasted_lines_are_indented_to_their_place_as_one_step_of_undo(newline: str) -> None:
    text = newline.join(["- prompt: a", "  should:", "    - b", "    - ", "  weight: 2"])
    async with opened(text) as (editor, pilot):
        editor.move_cursor((3, 6))
        editor.post_message(Paste("1. Names it: by name\r\n2. Says who\n"))
        await pilot.press("!")
        assert editor.document[3:] == ["    - 'Names it: by name'", "    - Says who!", "  weight: 2"]
        assert editor.text_out().count(newline) == editor.document.line_count - 1
        await pilot.press("ctrl+z", "ctrl+z")
        assert editor.text_out() == text
        assert editor.cursor_location == (3, 6)


@pytest.mark.parametrize(
    ("start", "end", "after"),
    [
        ((2, 6), (2, 7), "  should:\n    - a\n    - x\n    - y\n    - c\n"),
        ((1, 6), (2, 7), "  should:\n    - x\n    - y\n    - c\n"),
        ((3, 6), (3, 6), "  should:\n    - a\n    - b\n    - c\n    - x\n    - y\n"),
        ((2, 7), (3, 6), "  should:\n    - a\n    - bc\n    - x\n    - y\n"),
        ((0, 9), (4, 0), "  should:\n    - x\n    - y"),
    ],
)
async def test_pasted_lines_take_the_place_of_what_is_selected(
    start: tuple[int, int], end: tuple[int, int], after: str
) -> None:
    text = "  should:\n    - a\n    - b\n    - c\n"
    async with opened(text) as (editor, pilot):
        editor.selection = Selection(start, end)
        editor.post_message(Paste("- x\n- y\n"))
        await pilot.press("ctrl+z", "ctrl+y")
        assert editor.text_out() == after
        await pilot.press("ctrl+z")
        assert editor.text_out() == text


# --- Typed dashes


@pytest.mark.parametrize(
    ("before", "typed", "after"),
    [
        ("  - a", "⏎- b", "  - a\n  - b"),
        ("  - a", "⏎  - b", "  - a\n  - b"),
        ("  - a", "⏎- b⏎- c⏎- d", "  - a\n  - b\n  - c\n  - d"),
        ("    - - a", "⏎- b", "    - - a\n      - b"),
        ("    - - a", "⏎⏎- b", "    - - a\n    - - b"),
        ("    - - a", "⏎⏎⏎- b", "    - - a\n    - b"),
        ("  - a", "⏎⇤- b", "  - a\n- b"),
        ("  - $contains: x", "⏎- b", "  - $contains: x\n  - b"),
        ("  - text: a", "⏎- b", "  - text: a\n  - b"),
        ("  - text: a", "⏎weight: 2⏎- b", "  - text: a\n    weight: 2\n  - b"),
        ("    - - text: a", "⏎weight: 2⏎- b", "    - - text: a\n        weight: 2\n      - b"),
        ("  - a\n    and b", "⏎- c", "  - a\n    and b\n  - c"),
        ("- id: a\n  prompt: b", "⏎- id: c", "- id: a\n  prompt: b\n- id: c"),
        ("- id: a\n  prompt: b", "⏎⏎- id: c", "- id: a\n  prompt: b\n  \n- id: c"),
        ("- should:\n    - a\n    - b\n\n    - c", "⏎- d", "- should:\n    - a\n    - b\n\n    - c\n    - d"),
        ("- should:\n    - - a\n      - b", "⏎⇤- - c", "- should:\n    - - a\n      - b\n    - - c"),
        ("- should:\n    - a", "⏎⏎- id: c", "- should:\n    - a\n- id: c"),
        ("- messages:\n    - user: a", "⏎- user: b", "- messages:\n    - user: a\n    - user: b"),
        ("  - $js:\n      code: x", "⏎- b", "  - $js:\n      code: x\n  - b"),
    ],
)
async def test_a_dash_typed_behind_an_automatic_one_is_that_one(before: str, typed: str, after: str) -> None:
    assert await typed_behind(before, typed) == after


@pytest.mark.parametrize(
    ("before", "typed", "after"),
    [
        ("should:", "⏎- a", "should:\n  - a"),
        ("  should:", "⏎- - a", "  should:\n    - - a"),
        ("  - $contains_any_of:", "⏎- x⏎- y", "  - $contains_any_of:\n      - x\n      - y"),
        ("- messages:", "⏎- user: a", "- messages:\n    - user: a"),
        ("- should:\n  ", "- a", "- should:\n  - a"),
        ("- # Path 1", "⏎- a", "- # Path 1\n  - a"),
        ('- "a', "⏎- b", '- "a\n  - b'),
        ("title: a", "⏎- b", "title: a\n- b"),
    ],
)
async def test_where_a_list_can_begin_a_typed_dash_begins_one(before: str, typed: str, after: str) -> None:
    assert await typed_behind(before, typed) == after


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("⏎-5 degrees", "  - -5 degrees"),
        ("⏎--flag", "  - --flag"),
        ("⏎-", "  - -"),
        ("⏎-Names it", "  - -Names it"),
    ],
)
async def test_a_dash_without_a_space_is_text(typed: str, line: str) -> None:
    assert await typed_behind("  - a", typed) == f"  - a\n{line}"


async def test_three_dashes_are_a_separator() -> None:
    assert await typed_behind("tags:\n  - a", "⏎---⏎- id: b") == "tags:\n  - a\n---\n- id: b"


async def test_a_path_is_one_dash_more() -> None:
    assert await typed_behind("  - a", "⏎- - b⏎- c") == "  - a\n  - - b\n    - c"


async def test_a_point_split_in_two_becomes_two() -> None:
    async with opened("  - Names it. Says why") as (editor, pilot):
        editor.go_to(len("  - Names it. "))
        await pilot.press(*keys("⏎- "))
        assert editor.text_out() == "  - Names it. \n  - Says why"


async def test_dashes_that_the_author_typed_before_stay() -> None:
    assert await typed_behind("  - a\n  - ", "- b") == "  - a\n  - - b"


async def test_a_dash_typed_after_the_cursor_was_elsewhere_is_still_the_automatic_one() -> None:
    assert await typed_behind("  - a", "⏎←→- b") == "  - a\n  - b"


@pytest.mark.parametrize(
    ("typed", "after"),
    [
        ("⏎↶", "  - a"),
        ("⏎- ↶", "  - a\n  - - "),
        ("⏎- ↶b", "  - a\n  - - b"),
        ("⏎- ↶↷b", "  - a\n  - b"),
        ("⏎- ↶↶", "  - a\n  - "),
        ("⏎- ↶↶↶", "  - a"),
        ("⏎- ↶↶↶↷- b", "  - a\n  - b"),
        ("⏎---↶", "  - a\n  - ---"),
        ("⏎⏎↶", "  - a\n  - "),
    ],
)
async def test_one_undo_gives_what_was_typed_and_the_next_takes_it_back(typed: str, after: str) -> None:
    assert await typed_behind("  - a", typed) == after


async def test_pasted_dashes_stay() -> None:
    async with opened("  - a") as (editor, pilot):
        await pilot.press("enter")
        editor.post_message(Paste("- b"))
        await pilot.pause()
        assert editor.text_out() == "  - a\n  - - b"


async def test_nothing_is_taken_in_a_read_only_text() -> None:
    async with opened("  - a") as (editor, pilot):
        await pilot.press("enter")
        editor.read_only = True
        await pilot.press("-", "space", "enter")
        assert editor.text_out() == "  - a\n  - "


# --- The law: both habits write the same list

Habit = Callable[[bool], bool]
"""Whether the author types a dash after Enter, where one is there already or not."""

POINTS = st.sampled_from(
    [
        ("Who",),
        ('"W: o"',),
        ("'t''s'",),
        ("$contains: x",),
        ("$not_contains: '- x'",),
        ("$icontains_any_of: [x, y]",),
        ("The Act: s. 11",),
        ("text: Why", "weight: 2"),
        ("text: How", "citation: s", "weight: 0.5"),
        ("{point: Who, weight: 2}",),
        ("5 days",),
    ]
)
STYLES = st.sampled_from([("", ""), ("", "  "), ("  ", "  "), ("  ", "    "), ("    ", "      ")])


def typing_all(begun: bool) -> bool:
    """Types every dash."""
    return True


def relying(begun: bool) -> bool:
    """Types a dash only where none is."""
    return not begun


def by_turns(seed: int) -> Habit:
    """Now one, now the other."""
    chance = random.Random(seed)
    return lambda begun: not begun or chance.random() < 0.5


@given(st.lists(POINTS, min_size=2, max_size=5), STYLES, st.booleans(), st.integers(0, 9))
@settings(max_examples=8, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_whoever_types_the_dashes_writes_the_same_list(
    points: list[tuple[str, ...]], style: tuple[str, str], in_a_path: bool, seed: int
) -> None:
    head = begun_list(style, in_a_path)
    written = {asyncio.run(typed_out(head, points, habit)) for habit in (typing_all, relying, by_turns(seed))}
    assert [sizes(text) for text in written] == [[len(points)] if in_a_path else [1] * len(points)]


def begun_list(style: tuple[str, str], in_a_path: bool) -> str:
    """A blueprint up to the first dash of its rubric, or of its only path."""
    key, dash = style
    prompts = {"": "prompt: Who?\n", "  ": "- prompt: Who?\n  ", "    ": "-   prompt: Who?\n    "}
    return f"{prompts[key]}should:\n{dash}{'- - ' if in_a_path else '- '}"


def sizes(text: str) -> list[int]:
    """The rubric of the one prompt, as Weval reads it: 1 for a point, for a path how many points it has."""
    parsed = parse(text)
    assert parsed.weval.error is None
    (prompt,) = parsed.blueprint.prompts
    entries = [entry for rubric in prompt.rubrics for entry in rubric.entries]
    return [len(entry.points) if isinstance(entry, Path) else 1 for entry in entries]


async def typed_out(head: str, points: Sequence[tuple[str, ...]], habit: Habit) -> str:
    """Type `points` behind `head`, which ends in the first dash."""
    async with opened(head) as (editor, pilot):
        await type_keys(editor, pilot, "⏎".join(points[0]))
        for point in points[1:]:
            await type_keys(editor, pilot, "⏎")
            begun = editor.document[editor.cursor_location[0]].rstrip().endswith("-")
            await type_keys(editor, pilot, ("- " if habit(begun) else "") + "⏎".join(point))
        return editor.text_out()


async def type_keys(editor: BlueprintEditor, pilot: Pilot[None], typed: str) -> None:
    """Type quickly: all keys at once, as a terminal delivers them that was busy."""
    for each in typed:
        editor.post_message(Key("enter", "\r") if each == "⏎" else Key(each, each))
    await pilot.pause()


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
