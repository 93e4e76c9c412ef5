"""The table of actions: every row can be done, no two share a key in one place, and all that shows them agrees."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.fuzzy import Matcher
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import TextArea

import studio
from studio.session.views.outline_view import FooterView
from studio.tui.action import PANES, Action, Place, key_label, places
from studio.tui.actions import ACTIONS, at
from studio.tui.app import Studio
from studio.tui.editor import BlueprintEditor
from studio.tui.footer import FooterEntry, entries_at
from studio.tui.key_bindings import bindings
from studio.tui.palette import help_at, match
from studio.tui.panes.all_answers import AllAnswers
from studio.tui.panes.answer import AnswerThread
from studio.tui.panes.criteria import Criteria
from studio.tui.panes.outline import Outline
from studio.tui.panes.problems import Problems
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.matrix_screen import MatrixScreen
from studio.tui.screens.start_screen import StartList
from studio.tui.window import Pane
from tests.studio.driving import QUOTED, Page, opened

PAGE = Path(__file__).parents[2] / "docs" / "studio.md"

_DONE_BY: dict[Place, type] = {
    Place.APP: Studio,
    Place.BLUEPRINT: BlueprintScreen,
    Place.START: StartList,
    Place.EDITOR: BlueprintEditor,
    Place.OUTLINE: Outline,
    Place.PROBLEMS: Problems,
    Place.RESULT: Criteria,
    Place.ANSWER: AnswerThread,
    Place.MATRIX: MatrixScreen,
    Place.CRITERION: AllAnswers,
}
WHOLE_SCREENS = (Place.BLUEPRINT, Place.START, Place.MATRIX)
"""The places that are screens, or have the keys of one to themselves."""


def test_every_action_has_a_command_or_a_method_in_its_place() -> None:
    done = {
        (each.place, each.id): each.does or getattr(_DONE_BY[each.place], f"action_{each.id}", None) for each in ACTIONS
    }
    assert [action for action, command in done.items() if not callable(command)] == []


# --- Every key does what the table says


Pressed = list[tuple[str, tuple[object, ...]]]


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> Pressed:
    """What was done: the place and the id of each action, and what it was handed."""
    done: Pressed = []

    def recorder(named: str) -> Any:
        return lambda _self, *arguments: done.append((named, arguments))

    for action in ACTIONS:
        if action.does is None:
            monkeypatch.setattr(_DONE_BY[action.place], f"action_{action.id}", recorder(name(action)))
    monkeypatch.setattr(BlueprintScreen, "do", lambda _self, action: done.append((name(action), ())))
    return done


def name(action: Action) -> str:
    """An action by its place and its id."""
    return f"{action.place}.{action.id}"


def keys_of(*places: Place) -> list[tuple[str, str, tuple[object, ...]]]:
    """Each key of the table in these places, its action, and what it is handed."""
    return [
        (key, name(action), (int(key),) if key in action.digits else ())
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


_FOCUS: dict[Place, Callable[[BlueprintScreen], object]] = {
    Place.EDITOR: lambda screen: screen.set_focus(screen.editor),
    Place.OUTLINE: lambda screen: screen.set_focus(screen.query_one(Outline)),
    Place.PROBLEMS: lambda screen: screen.open_problems(),
    Place.RESULT: lambda screen: screen.open_pane(Pane.CRITERIA),
    Place.ANSWER: lambda screen: screen.open_pane(Pane.ANSWER),
    Place.CRITERION: lambda screen: screen.open_pane(Pane.ANSWERS),
}


async def all_act(pilot: Pilot[Any], done: Pressed, *places: Place) -> None:
    """Each key of these places does what the table says, and nothing else."""
    assert await pressed(pilot, done, *places) == [(key, [(act, handed)]) for key, act, handed in keys_of(*places)]


async def test_every_key_of_the_table_acts_in_its_pane(done: Pressed, tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED) as page:
        for pane in PANES[Place.BLUEPRINT]:
            page.screen.close_problems()
            _FOCUS[pane](page.screen)
            await page.pilot.pause()
            assert page.place is pane
            await all_act(page.pilot, done, pane, Place.BLUEPRINT, Place.APP)


async def test_every_key_of_the_table_acts_on_the_start_screen(done: Pressed) -> None:
    app = Studio()
    async with app.run_test() as pilot:
        await Page(app, pilot).until(lambda: isinstance(app.focused, StartList))
        await all_act(pilot, done, Place.START, Place.APP)


async def test_every_key_of_the_table_acts_in_the_matrix(done: Pressed, tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, at="ideal") as page:
        await page.app.push_screen(MatrixScreen(page.runs))
        await page.pilot.pause()
        await all_act(page.pilot, done, Place.MATRIX, Place.APP)


async def test_a_key_that_has_nothing_to_act_on_says_what_it_is_for(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, at="ideal") as page:
        await page.show("Criteria")
        for key, told in (
            ("f", "Nothing here has a fix"),
            ("x", "Select a criterion"),
            ("3", "criterion in words"),
        ):
            await page.hit(key, until=lambda told=told: page.told and told in page.told[-1])


# --- What shows the table shows each action once, and only keys that are bound


def test_the_footer_has_no_word_and_no_key_twice() -> None:
    for pane, (narrow, running, of_header) in product(PANES[Place.BLUEPRINT], product((False, True), repeat=3)):
        shown = entries_at(pane, Place.BLUEPRINT, FooterView(("the ideal",), running, of_header), narrow=narrow)
        labels, keys = [entry.label for entry in shown], [entry.keys for entry in shown]
        assert (len(labels), len(keys)) == (len(set(labels)), len(set(keys))), (pane, narrow, running, of_header)


@pytest.mark.parametrize(("running", "keys"), [(False, ["F6"]), (True, ["F5"])])
def test_in_the_header_the_footer_offers_what_runs_there(running: bool, keys: list[str]) -> None:
    shown = entries_at(Place.EDITOR, Place.BLUEPRINT, FooterView(("the ideal",), running, of_header=True), narrow=False)
    assert [entry.keys for entry in shown if entry.keys in ("F5", "F6")] == keys


@pytest.mark.parametrize("pane", PANES[Place.BLUEPRINT])
def test_the_footer_shows_keys_that_are_bound_there(pane: Place) -> None:
    printed = {action.keys for place in (pane, Place.BLUEPRINT, Place.APP) for action in at(place) if action.bound}
    shown = entries_at(pane, Place.BLUEPRINT, FooterView(), narrow=False)
    keys = [key for entry in shown for key in (re.split("[/ ]", entry.keys) if len(entry.keys) > 1 else entry.keys)]
    assert set(keys) <= printed


@pytest.mark.parametrize("pane", [*PANES[Place.BLUEPRINT], *WHOLE_SCREENS])
def test_help_lists_each_action_of_the_place_once_and_all_of_them(pane: Place) -> None:
    whole = pane if pane in WHOLE_SCREENS else Place.BLUEPRINT
    listed = [action for _, actions in help_at(pane, whole).groups for action in actions]
    wanted = {action.command for place in (pane, whole, Place.APP) for action in at(place)}
    assert Counter(action.command for action in listed) == Counter(wanted)


def test_what_has_no_key_is_in_the_palette() -> None:
    assert [each.id for each in ACTIONS if not each.bound and not each.in_palette] == []


def test_two_actions_with_one_name_are_one_action() -> None:
    named: dict[str, set[str]] = {}
    for action in ACTIONS:
        named.setdefault(action.label, set()).add(action.id)
    assert [label for label, ids in named.items() if len(ids) > 1] == []


# --- Nothing is bound beside the table but what is listed here


BESIDE_THE_TABLE: dict[str, list[str]] = YAML(typ="safe").load(
    Path(__file__).with_name("keys_beside_the_table.yml").read_text("utf-8")
)


def test_nothing_is_bound_beside_the_table_but_what_is_listed() -> None:
    table = {(key, runs) for action in ACTIONS for key, runs in action.bound.items()}
    beside: dict[str, set[str]] = {}
    for widget in own_widgets():
        for key, runs in bound_by(widget):
            if (key, runs) not in table:
                beside.setdefault(widget.__name__, set()).add(key)
    assert beside == {name: set(keys) for name, keys in BESIDE_THE_TABLE.items()}


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


def test_the_keys_of_the_page_are_those_that_work_in_the_text_and_around_it() -> None:
    keys = PAGE.read_text("utf-8").partition("## Keys\n")[2].partition("\n## ")[0]
    named = {key for row in re.findall(r"^\| (`.*?`) \|", keys, re.MULTILINE) for key in re.findall(r"`([^`]+)`", row)}
    around = [action for place in (Place.APP, Place.BLUEPRINT, Place.EDITOR) for action in at(place)]
    assert named == {action.keys for action in around if action.bound and action.keys}


@pytest.mark.parametrize("place", [each for each in _DONE_BY if each not in (Place.APP, Place.BLUEPRINT)])
def test_no_key_means_two_things_in_one_place(place: Place) -> None:
    around = [Place.APP] if place in WHOLE_SCREENS else [Place.APP, Place.BLUEPRINT]
    keys = Counter(binding.key for each in (place, *around) for binding in bindings(each))
    assert [key for key, count in keys.items() if count > 1] == []


def test_every_action_explains_itself_in_a_sentence() -> None:
    assert [each.id for each in ACTIONS if not (each.label[0].isupper() and each.help[-1:] in ("", "."))] == []


def test_the_help_speaks_of_every_place_and_only_of_what_its_widget_does() -> None:
    rows = {(each.place, each.id) for each in ACTIONS if each.does is None}
    assert set(places()) == set(Place)
    assert {(place, of) for place, said in places().items() for of in said.actions} <= rows


def test_keys_are_such_as_a_plain_terminal_delivers() -> None:
    delivered = {f"ctrl+{letter}" for letter in "abcdefghijklmnopqrstuvwxyz@"}  # Ctrl+Space arrives as Ctrl+@
    assert {each.key for each in ACTIONS if "+" in each.key} <= delivered


@pytest.mark.parametrize(("key", "label"), [("f5", "F5"), ("ctrl+s", "Ctrl+S"), ("f", "f"), ("enter", "Enter")])
def test_keys_are_printed_as_they_stand_on_the_keyboard(key: str, label: str) -> None:
    assert key_label(key) == label


def test_neighbours_with_one_word_share_it_in_the_footer() -> None:
    entries = entries_at(Place.EDITOR, Place.BLUEPRINT, FooterView(), narrow=False)
    assert FooterEntry("F7/F8", "problems", "screen.do('blueprint.next_problem')") in entries


async def test_the_palette_lists_every_action_of_the_screen_and_does_what_was_chosen(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, size=(120, 200)) as page:
        await page.hit("ctrl+p")
        places = (Place.BLUEPRINT, *PANES[Place.BLUEPRINT], Place.APP)
        wanted = [each.label for place in places for each in at(place) if each.in_palette]
        asked = await page.asked()
        await page.until(lambda: len(asked.choices) == len(wanted))
        await page.hit(*"next problem", until=lambda: len(asked.choices) == 1)
        await page.reply("enter")
        assert page.number == 7


MEANT = {
    "model": "choose_answers", "key": "choose_answers", "server": "choose_answers", "judge": "choose_judges",
    "undo": "undo", "copy": "copy",
    "theme": "theme", "colour": "theme", "dark": "theme", "next prompt": "next_prompt", "price": "plan_all",
    "cost": "plan_all", "how much": "plan_all", "keys": "help", "shortcut": "help", "search": "find", "try": "run",
    "stop": "run", "why": "explain", "mistakes": "problems", "score": "result", "share": "report", "print": "report",
    "download": "export_results", "rename": "save_as", "lost": "recover", "new": "start_screen", "exit": "quit",
    "bigger": "zoom", "grade": "grade_blind", "table": "grid", "difference": "compare", "suggest": "draft_points",
}  # fmt: skip
"""What authors look for, and the action that they find first."""


@pytest.mark.parametrize("query", MEANT)
def test_the_palette_finds_an_action_by_what_an_author_calls_it(query: str) -> None:
    offered = [each for place in (Place.BLUEPRINT, *PANES[Place.BLUEPRINT], Place.APP) for each in at(place)]
    matcher = Matcher(query)
    found = sorted((each for each in offered if each.in_palette), key=lambda each: -match(matcher, each))
    assert found[0].id == MEANT[query]


async def test_f1_explains_the_pane_that_has_the_focus_and_the_footer_what_it_can_do(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED) as page:
        for key, said in (
            ("f2", "The file as a whole"),
            ("f3", "Everything that is wrong"),
            ("escape", "as it is on disk, YAML"),
        ):
            await page.press(*([key] * (1 + (key == "escape"))))
            assert key != "f3" or page.footer().startswith(" Enter go there  f fix")
            await page.hit("f1", asks=said)
            await page.reply("escape")


# --- A message that names a key names one of the table of actions, for what that key does there


ROOT = Path(studio.__file__).parent
OF_THEIR_OWN = {"dialogs", "table.py", "completion_popup.py", "find_bar.py", "palette.py"}
"""What says its own keys in its frame, the table itself, and the help, which explains keys of the text area too."""

_NAMED = re.compile(r"(?<![\w+])(F\d{1,2}|Ctrl\+\w+|Esc) (\w+)")
_LETTER = re.compile(
    r"(?<![\w'’“-])([b-hj-z0-9]) (asks|sorts|shows|makes|edits|regenerates|in the result|takes|grade)\b"
)

_LINES = (Path(__file__).parent / "line_cases" / "named_keys.txt").read_text("utf-8").splitlines()[1:]
DOES = {tuple(named.split(" ", 1)): action for named, _, action in (line.partition(" => ") for line in _LINES)}
"""A key and the word behind it, as messages have them, and the action that is meant."""
OF_THE_TEXT = {("Ctrl+Z", "undoes"): "undo", ("Ctrl+Z", "brings"): "undo"}


def messages(folder: Path) -> Iterator[str]:
    """All texts in the code below `folder` that are no docstrings."""
    for file in sorted(folder.rglob("*.py")):
        if OF_THEIR_OWN & set(file.relative_to(folder).parts):
            continue
        nodes = list(ast.walk(ast.parse(file.read_text("utf-8"))))
        documentation = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
                yield node.value


def named_keys() -> set[tuple[str, str]]:
    """Every key that a message names, with the word behind it."""
    texts = [text for name in ("session", "tui") for text in messages(ROOT / name)]
    return {match.groups() for text in texts for form in (_NAMED, _LETTER) for match in form.finditer(text)}  # pyright: ignore[reportReturnType]


def test_messages_name_no_key_but_those_whose_meaning_is_listed() -> None:
    assert named_keys() == DOES.keys() | OF_THE_TEXT.keys()


def test_a_named_key_does_in_the_table_what_the_message_says() -> None:
    keys = {(key_label(key), each.id) for each in ACTIONS for key in each.bound}
    assert {(key, action) for (key, _), action in DOES.items()} <= keys


@pytest.mark.parametrize(("named", "action"), OF_THE_TEXT.items(), ids=str)
def test_a_named_key_of_the_text_does_what_the_message_says(named: tuple[str, str], action: str) -> None:
    bound = BlueprintEditor._merged_bindings  # pyright: ignore[reportPrivateUsage]
    assert bound is not None
    assert {each.action for each in bound.key_to_bindings[named[0].lower()]} == {action}
