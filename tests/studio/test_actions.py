"""The table of actions: every row can be done, no two share a key in one place, and all that shows them agrees."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import TextArea

import studio
from studio.session.views.outline_view import FooterView
from studio.tui.action import PANES, Action, Place, key_label
from studio.tui.actions import ACTIONS, at
from studio.tui.app import Studio
from studio.tui.editor import BlueprintEditor
from studio.tui.footer import FooterEntry, entries_at, place_of
from studio.tui.key_bindings import bindings
from studio.tui.palette import Palette, help_at
from studio.tui.panes.conversation_pane import ConversationPane
from studio.tui.panes.criterion_pane import CriterionPane
from studio.tui.panes.history_pane import HistoryRows
from studio.tui.panes.outline import Outline
from studio.tui.panes.problems import ProblemList
from studio.tui.panes.response_pane import ResponsePane
from studio.tui.panes.result_pane import ResultPane
from studio.tui.panes.what_if_pane import WhatIfPane
from studio.tui.screens.answers_actions import EditorText
from studio.tui.screens.answers_screen import AnswersScreen
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.compare_screen import CompareScreen
from studio.tui.screens.grading_screen import GradingScreen
from studio.tui.screens.grid_screen import GridScreen
from studio.tui.screens.side import CONVERSATION, CRITERION, HISTORY, RESPONSE, RESULT
from studio.tui.screens.start_screen import StartList
from tests.studio.driving import NARROW, QUOTED, WIDE, analysis_of, press, runs_of, settle, studio_on, wait_until

PAGE = Path(__file__).parents[2] / "docs" / "studio.md"

_DONE_BY: dict[Place, type] = {
    Place.APP: Studio,
    Place.BLUEPRINT: BlueprintScreen,
    Place.START: StartList,
    Place.EDITOR: BlueprintEditor,
    Place.OUTLINE: Outline,
    Place.PROBLEMS: ProblemList,
    Place.RESULT: ResultPane,
    Place.WHAT_IF: WhatIfPane,
    Place.RESPONSE: ResponsePane,
    Place.CONVERSATION: ConversationPane,
    Place.HISTORY: HistoryRows,
    Place.GRID: GridScreen,
    Place.COMPARE: CompareScreen,
    Place.GRADING: GradingScreen,
    Place.ANSWERS: AnswersScreen,
    Place.CRITERION: CriterionPane,
}
WHOLE_SCREENS = (Place.BLUEPRINT, Place.START, Place.GRID, Place.GRADING, Place.COMPARE, Place.ANSWERS)
"""The places that are screens, or have the keys of one to themselves."""


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: f"{action.place}-{action.id}")
def test_every_action_has_a_method_where_it_can_be_had(action: Action) -> None:
    assert callable(getattr(_DONE_BY[action.handler[0]], f"action_{action.id}", None))


# --- Every key does what the table says


Pressed = list[tuple[tuple[Place, str], tuple[object, ...]]]


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> Pressed:
    """What was done: the place of doing it and the id of each action, and what it was handed."""
    done: Pressed = []

    def recorder(handler: tuple[Place, str]) -> Any:
        return lambda _self, *arguments: done.append((handler, arguments))

    for action in ACTIONS:
        monkeypatch.setattr(_DONE_BY[action.handler[0]], f"action_{action.id}", recorder(action.handler))
    return done


def keys_of(*places: Place) -> list[tuple[str, tuple[Place, str], tuple[object, ...]]]:
    """Each key of the table in these places, where its action is done, the id of that, and what it is handed."""
    return [
        (key, action.handler, (int(key),) if key in action.digits else ())
        for place in places
        for action in at(place)
        for key in action.bound
        if not (Place.EDITOR in places and key in action.letters)  # a text takes letters as what they are
    ]


async def pressed(pilot: Pilot[Any], done: Pressed, *places: Place) -> list[tuple[str, Pressed]]:
    """Press each key of these places alone; what each did."""
    found: list[tuple[str, Pressed]] = []
    for key, _, _ in keys_of(*places):
        done.clear()
        await pilot.press(key)
        found.append((key, done.copy()))
    return found


def what_if_shown(screen: BlueprintScreen) -> None:
    """Show the what-if mode with nothing tried."""
    screen.show_tab(RESULT)
    screen.side.add_class("-what-if")
    screen.side.focus_open()


_FOCUS: dict[Place, Callable[[BlueprintScreen], object]] = {
    Place.EDITOR: lambda screen: screen.set_focus(screen.editor),
    Place.OUTLINE: lambda screen: screen.set_focus(screen.query_one(Outline)),
    Place.PROBLEMS: lambda screen: screen.set_focus(screen.query_one(ProblemList)),
    Place.RESULT: lambda screen: screen.show_tab(RESULT),
    Place.WHAT_IF: what_if_shown,
    Place.RESPONSE: lambda screen: screen.show_tab(RESPONSE),
    Place.CONVERSATION: lambda screen: screen.show_tab(CONVERSATION),
    Place.HISTORY: lambda screen: screen.show_tab(HISTORY),
    Place.CRITERION: lambda screen: screen.show_tab(CRITERION),
}


@pytest.mark.parametrize("pane", PANES[Place.BLUEPRINT])
async def test_every_key_of_the_table_acts_in_its_place(pane: Place, done: Pressed, tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        _FOCUS[pane](screen)
        await pilot.pause()
        assert place_of(screen) is pane
        places = (pane, Place.BLUEPRINT, Place.APP)
        assert await pressed(pilot, done, *places) == [(key, [(act, handed)]) for key, act, handed in keys_of(*places)]


async def test_every_key_of_the_table_acts_on_the_start_screen(done: Pressed) -> None:
    app = Studio()
    async with app.run_test(size=WIDE) as pilot:
        await wait_until(pilot, lambda: isinstance(app.focused, StartList))
        places = (Place.START, Place.APP)
        assert await pressed(pilot, done, *places) == [(key, [(act, handed)]) for key, act, handed in keys_of(*places)]


async def test_every_key_of_the_table_acts_in_the_grid(done: Pressed, tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await app.push_screen(GridScreen(runs_of(screen)))
        await pilot.pause()
        places = (Place.GRID, Place.APP)
        assert await pressed(pilot, done, *places) == [(key, [(act, handed)]) for key, act, handed in keys_of(*places)]


async def test_every_key_of_the_table_acts_on_the_screen_of_grading(done: Pressed, tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        grading = await runs_of(screen).blind_grading()
        await app.push_screen(GradingScreen(grading))
        places = (Place.GRADING, Place.APP)
        assert await pressed(pilot, done, *places) == [(key, [(act, handed)]) for key, act, handed in keys_of(*places)]


async def test_every_key_of_the_table_acts_on_the_screen_of_answers(done: Pressed, tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(QUOTED.index("ideal"))
        await settle(pilot)
        side = runs_of(screen).side_by_side
        assert await side.open(analysis_of(screen))
        await app.push_screen(AnswersScreen(side, EditorText(screen)))
        places = (Place.ANSWERS, Place.APP)
        assert await pressed(pilot, done, *places) == [(key, [(act, handed)]) for key, act, handed in keys_of(*places)]


async def test_f4_fixes_the_problem_that_is_selected_in_the_list(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3", "home")
        await pilot.press("f4")
        await wait_until(pilot, lambda: "- $icontains: '30 days'" in screen.editor.text_out())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (QUOTED, "There is no problem on this line. F8 goes to the next."),
        ("- id: a\n  prompt: x\n  should:\n    - Says y\n", "There is none in the whole file."),
    ],
)
async def test_f4_says_where_there_is_nothing_to_fix(text: str, told: str, tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", text)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "f4")
        assert told in [each.message for each in app._notifications][-1]  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("s", "There is nothing to sort here"),
        ("f", "Select a row under"),
        ("x", "Select a point"),
        ("3", "point in words"),
    ],
)
async def test_a_key_that_has_nothing_to_act_on_says_what_it_is_for(key: str, told: str, tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(QUOTED.index("ideal"))
        await settle(pilot)
        screen.show_tab(RESULT)
        await pilot.press(key)
        await wait_until(pilot, lambda: app._notifications)  # pyright: ignore[reportPrivateUsage]
        assert told in [each.message for each in app._notifications][-1]  # pyright: ignore[reportPrivateUsage]


async def test_the_next_tab_is_seen_on_a_narrow_screen_too(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=NARROW) as pilot:
        screen = await press(pilot, "ctrl+t")
        assert (screen.side.region.width, place_of(screen)) == (80, Place.RESULT)
        await press(pilot, "ctrl+t")
        assert place_of(screen) is Place.RESPONSE


# --- What shows the table shows each action once, and only keys that are bound


SIZES = {"wide": False, "narrow": True}


@pytest.mark.parametrize("narrow", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("pane", PANES[Place.BLUEPRINT])
@pytest.mark.parametrize("running", [False, True])
@pytest.mark.parametrize("of_header", [False, True])
def test_the_footer_has_no_word_and_no_key_twice(pane: Place, narrow: bool, running: bool, of_header: bool) -> None:
    shown = entries_at(pane, Place.BLUEPRINT, FooterView("the ideal", running, of_header), narrow=narrow)
    labels, keys = [entry.label for entry in shown], [entry.keys for entry in shown]
    assert (len(labels), len(keys)) == (len(set(labels)), len(set(keys)))


@pytest.mark.parametrize(("running", "keys"), [(False, ["F6"]), (True, ["F5"])])
def test_in_the_header_the_footer_offers_what_runs_there(running: bool, keys: list[str]) -> None:
    shown = entries_at(Place.EDITOR, Place.BLUEPRINT, FooterView("the ideal", running, of_header=True), narrow=False)
    assert [entry.keys for entry in shown if entry.keys in ("F5", "F6")] == keys


@pytest.mark.parametrize("pane", PANES[Place.BLUEPRINT])
def test_the_footer_shows_keys_that_are_bound_there(pane: Place) -> None:
    printed = {action.keys for place in (pane, Place.BLUEPRINT, Place.APP) for action in at(place) if action.bound}
    shown = entries_at(pane, Place.BLUEPRINT, FooterView(), narrow=False)
    keys = [key for entry in shown for key in entry.keys.split("/")]
    assert set(keys) <= printed


@pytest.mark.parametrize("pane", [*PANES[Place.BLUEPRINT], *WHOLE_SCREENS])
def test_help_lists_each_action_of_the_place_once_and_all_of_them(pane: Place) -> None:
    whole = pane if pane in WHOLE_SCREENS else Place.BLUEPRINT
    listed = [action for _, actions in help_at(pane, whole).groups for action in actions]
    wanted = {action.handler for place in (pane, whole, Place.APP) for action in at(place)}
    assert Counter(action.handler for action in listed) == Counter(wanted)


@pytest.mark.parametrize("action", [each for each in ACTIONS if not each.bound], ids=lambda action: action.id)
def test_what_has_no_key_is_in_the_palette(action: Action) -> None:
    assert action.in_palette


def test_two_actions_with_one_name_are_one_action() -> None:
    named: dict[str, set[str]] = {}
    for action in ACTIONS:
        named.setdefault(action.label, set()).add(action.id)
    assert [label for label, ids in named.items() if len(ids) > 1] == []


# --- Nothing is bound beside the table but what is listed here


MOVES = {"up", "down", "k", "j", "pageup", "pagedown", "home", "end"}
BESIDE_THE_TABLE: dict[str, set[str]] = {
    "Rows": MOVES,  # how every list is walked through
    "Passages": MOVES | {"space"},
    "GridTable": (MOVES - {"j"}) | {"left", "right"},
    "AnswersScreen": (MOVES - {"k", "j"}) | {"left", "right", "shift+up", "shift+down", "space", "ctrl+z"},
    "StartList": {"left", "right"},
    "BlueprintEditor": {"enter", "tab", "shift+tab"},  # typing
    "WrappedArea": {"shift+pageup", "shift+pagedown"},
    "SourceArea": {"home", "ctrl+a", "ctrl+home", "ctrl+end", "ctrl+shift+home", "ctrl+shift+end"},
    # In dialogs, each says its keys in its frame
    "Dialog": {"escape"},
    "Help": {"enter", "q", "f1"},
    "Page": {"enter", "q", "w", "ctrl+e"},
    "BlueprintScreen": {"ctrl+z", "ctrl+y"},  # typing, from any pane
    "RepeatsDialog": {"enter", "escape", "q"},
    "WordForWord": {"enter", "q", "x", "right", "n", "left", "p"},
    "EditAnswer": {"ctrl+s", "escape"},
    "ChooseAnswers": {"space"},
    "MarkChoices": {"space"},
    "ChooseFix": {"a", "pagedown", "pageup"},
    "AskWithDifference": {"pagedown", "pageup"},
    "AppliedFixes": {"ctrl+z", "u"},
    "FindBar": {"down", "ctrl+f", "up", "ctrl+r"},
    "_Bar": {"escape"},
}


def test_nothing_is_bound_beside_the_table_but_what_is_listed() -> None:
    table = {(key, runs) for action in ACTIONS for key, runs in action.bound.items()}
    beside: dict[str, set[str]] = {}
    for widget in own_widgets():
        for key, runs in bound_by(widget):
            if (key, runs) not in table:
                beside.setdefault(widget.__name__, set()).add(key)
    assert beside == BESIDE_THE_TABLE


def own_widgets() -> list[type[DOMNode]]:
    """Every widget, screen and app of the studio that binds keys of its own."""
    for module in pkgutil.walk_packages(studio.__path__, "studio."):
        importlib.import_module(module.name)
    found = {cls for base in (Widget, App) for cls in subclasses(base) if cls.__module__.startswith("studio.")}
    return sorted((cls for cls in found if "BINDINGS" in vars(cls)), key=lambda cls: cls.__name__)


def subclasses(base: type) -> set[type]:
    """All classes below `base`."""
    return {found for below in base.__subclasses__() for found in (below, *subclasses(below))}


def bound_by(widget: type[DOMNode]) -> list[tuple[str, str]]:
    """The keys that a class binds itself, beside the stock text area's, with what they run."""
    stock = {(binding.key, binding.action) for binding in TextArea.BINDINGS if isinstance(binding, Binding)}
    own = [binding for binding in vars(widget)["BINDINGS"] if isinstance(binding, Binding)]
    kept = [binding for binding in own if (binding.key, binding.action) not in stock]
    return [(key, binding.action) for binding in kept for key in binding.key.split(",")]


# --- The page of the keys


def test_the_keys_of_the_page_are_those_of_the_table() -> None:
    keys = PAGE.read_text("utf-8").partition("## Keys\n")[2].partition("\n## ")[0]
    named = {key for row in re.findall(r"^\| (`.*?`) \|", keys, re.MULTILINE) for key in re.findall(r"`([^`]+)`", row)}
    assert named == {action.keys for action in ACTIONS if action.key}


@pytest.mark.parametrize("place", [each for each in _DONE_BY if each not in (Place.APP, Place.BLUEPRINT)])
def test_no_key_means_two_things_in_one_place(place: Place) -> None:
    around = [Place.APP] if place in WHOLE_SCREENS else [Place.APP, Place.BLUEPRINT]
    keys = Counter(binding.key for each in (place, *around) for binding in bindings(each))
    assert [key for key, count in keys.items() if count > 1] == []


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: f"{action.place}-{action.id}")
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
    entries = entries_at(Place.EDITOR, Place.BLUEPRINT, FooterView(), narrow=False)
    assert FooterEntry("F7/F8", "problems", "screen.next_problem") in entries


async def test_the_palette_lists_every_action_of_the_screen(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=(120, 200)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+p")
        await wait_until(pilot, lambda: isinstance(app.screen, Palette))
        places = (Place.BLUEPRINT, *PANES[Place.BLUEPRINT], Place.APP)
        wanted = [each.label for place in places for each in at(place) if each.in_palette]
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
        assert said in str(app.screen.query_one(".dialog-text").render())


async def test_the_footer_shows_what_the_focus_can_do(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f3")
        assert str(screen.query_one("Footer").render()).startswith(" Enter go there  f fix")
