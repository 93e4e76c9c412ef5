"""The table of actions: every row can be done, no two share a key in one place, and all that shows them agrees."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from studio.actions import ACTIONS, Action, FootEntry, Place, at, bindings, foot_entries, key_label
from studio.app import Studio
from studio.editor import BlueprintEditor
from studio.palette import Palette
from studio.panes.conversation import ConversationPane
from studio.panes.history import HistoryRows
from studio.panes.outline import Outline
from studio.panes.problems import ProblemList
from studio.panes.response import ResponsePane
from studio.panes.result import ResultPane, ResultRows
from studio.screens.blueprint import BlueprintScreen
from studio.screens.start import StartList
from tests.studio.driving import QUOTED, WIDE, press, settle, studio_on, wait_until

_DONE_BY = {
    Place.APP: (Studio,),
    Place.BLUEPRINT: (BlueprintScreen,),
    Place.START: (StartList,),
    Place.EDITOR: (BlueprintEditor,),
    Place.OUTLINE: (Outline,),
    Place.PROBLEMS: (ProblemList,),
    Place.RESULT: (ResultPane, ResultRows, BlueprintScreen),
    Place.RESPONSE: (ResponsePane,),
    Place.CONVERSATION: (ConversationPane,),
    Place.HISTORY: (HistoryRows,),
}


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: f"{action.where}-{action.id}")
def test_every_action_has_a_method_where_it_can_be_had(action: Action) -> None:
    assert any(callable(getattr(done_by, f"action_{action.id}", None)) for done_by in _DONE_BY[action.where])


@pytest.mark.parametrize("place", [each for each in _DONE_BY if each not in (Place.APP, Place.BLUEPRINT)])
def test_no_key_means_two_things_in_one_place(place: Place) -> None:
    around = [Place.APP] if place is Place.START else [Place.APP, Place.BLUEPRINT]
    keys = Counter(binding.key for each in (place, *around) for binding in bindings(each))
    assert [key for key, count in keys.items() if count > 1] == []


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: f"{action.where}-{action.id}")
def test_every_action_explains_itself_in_a_sentence(action: Action) -> None:
    assert action.label[0].isupper()
    assert action.help.endswith(".")


@pytest.mark.parametrize("action", [each for each in ACTIONS if "+" in each.key], ids=lambda action: action.id)
def test_keys_are_such_as_a_plain_terminal_delivers(action: Action) -> None:
    modifier, _, letter = action.key.partition("+")
    assert modifier == "ctrl"
    assert letter in "abcdefghijklmnopqrstuvwxyz@"  # Ctrl+Space arrives as Ctrl+@


@pytest.mark.parametrize(("key", "label"), [("f5", "F5"), ("ctrl+s", "Ctrl+S"), ("f", "f"), ("enter", "Enter")])
def test_keys_are_printed_as_they_stand_on_the_keyboard(key: str, label: str) -> None:
    assert key_label(key) == label


def test_neighbours_with_one_word_share_it_in_the_footer() -> None:
    entries = foot_entries(at(Place.BLUEPRINT), {"run": "run the ideal", "problems": ""})
    assert FootEntry("F7/F8", "problems", "next_problem") in entries


async def test_the_palette_lists_every_action_of_the_screen(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=(120, 200)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+p")
        await wait_until(pilot, lambda: isinstance(app.screen, Palette))
        wanted = [
            each.label for place in (Place.BLUEPRINT, Place.EDITOR, Place.APP) for each in at(place) if each.in_palette
        ]
        listed = app.screen.query_one("CommandList")
        await wait_until(pilot, lambda: listed.option_count == len(wanted))  # pyright: ignore[reportAttributeAccessIssue]


async def test_the_palette_does_what_was_chosen(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await pilot.press("ctrl+p", *"next problem")
        await wait_until(pilot, lambda: app.screen.query_one("CommandList").option_count == 1)  # pyright: ignore[reportAttributeAccessIssue]
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.screen is screen)
        await settle(pilot)
        assert screen.editor.cursor_location[0] + 1 == 7


@pytest.mark.parametrize(
    ("key", "said"),
    [("f2", "The header and every prompt"), ("f3", "Everything that is wrong"), ("escape", "as it is on disk, YAML")],
)
async def test_f1_explains_the_pane_that_has_the_focus(key: str, said: str, tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, key)
        await pilot.press("f1")
        await wait_until(pilot, lambda: app.screen is not screen)
        await pilot.pause()
        assert said in str(app.screen.query_one(".said").render())


async def test_the_footer_shows_what_the_focus_can_do(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3")
        assert str(screen.query_one("FootLine").render()).startswith(" Enter go there  f fix")
