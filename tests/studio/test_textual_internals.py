"""Each private name of Textual that the studio uses is listed, and is still what the studio takes it for."""

from __future__ import annotations

import ast
import asyncio
import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Callable, Iterator
from functools import cache, wraps
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from textual import events
from textual.app import App, ComposeResult
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Offset, Size
from textual.pilot import Pilot
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.widgets import Static, TextArea

import studio
from studio.tui import textual_internals
from studio.tui.textual_internals import PRIVATE_NAMES, Edit, EditResult

ROOT = Path(studio.__file__).parent
LISTED = Path(textual_internals.__file__)
SOURCES = sorted(ROOT.rglob("*.py"))


# --- The list is whole


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@cache
def tree_of(owner: type) -> ast.AST:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(owner)))
    except OSError:  # a class that no source file holds
        return ast.parse("")


@cache
def names_of(owner: type) -> frozenset[str]:
    """The private names that a class defines in its body, or sets or reads of itself."""
    (body,) = getattr(tree_of(owner), "body", None) or [ast.parse("")]
    own = {node.name for node in body.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    variables = [node for each in body.body if isinstance(each, ast.Assign | ast.AnnAssign) for node in ast.walk(each)]
    own |= {node.id for node in variables if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    of_self = {
        node.attr for node in ast.walk(tree_of(owner)) if isinstance(node, ast.Attribute) and is_self(node.value)
    }
    return frozenset(filter(is_private, own | of_self))


def is_self(value: ast.expr) -> bool:
    match value:
        case ast.Name(id="self" | "cls") | ast.Call(func=ast.Name(id="super"), args=[]):
            return True
        case _:
            return False


@cache
def defined_by(owner: type) -> frozenset[str]:
    """The private names that a class of Textual has itself: those in its body, and those that it sets."""
    stores = {
        node.attr
        for node in ast.walk(tree_of(owner))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_self(node.value)
    }
    return frozenset(filter(is_private, {*vars(owner), *stores}))


def studio_classes() -> Iterator[type]:
    for found in pkgutil.walk_packages(studio.__path__, "studio."):
        if not found.name.endswith((".main", "__main__")):
            for each in vars(importlib.import_module(found.name)).values():
                if isinstance(each, type) and each.__module__ == found.name:
                    yield each


CLASSES = [*studio_classes()]


def bases_in_textual(owner: type) -> list[type]:
    return [base for base in owner.__mro__ if base.__module__.split(".")[0] == "textual"]


def shared() -> set[str]:
    """The private names that a class of the studio has in common with its bases in Textual, meant or not."""
    names: set[str] = set()
    for owner in CLASSES:
        for name in names_of(owner):
            having = [base.__name__ for base in bases_in_textual(owner) if name in defined_by(base)]
            if having:
                names.add(f"{having[0] if having[0] == 'TextArea' else having[-1]}.{name}")
    return names


def of_others() -> set[str]:
    """The private names that are read of something else than `self`, and are not of the studio or a named tuple."""
    trees = [ast.parse(path.read_text("utf-8")) for path in SOURCES]
    defined = {name for owner in CLASSES for name in (*vars(owner), *names_of(owner))} | {
        "_replace",
        "_fields",
        "_asdict",
    }
    attributes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    return {
        node.attr
        for node in attributes
        if is_private(node.attr) and not is_self(node.value) and node.attr not in defined | {"_replace"}
    }


def test_every_private_name_of_textual_is_listed_and_each_that_is_listed_is_used() -> None:
    of_screen = {f"Screen.{name}" for name in of_others()}
    assert shared() | of_screen == set(PRIVATE_NAMES)


def imported_modules(path: Path) -> set[str]:
    nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
    names = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return names | {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}


def test_private_modules_of_textual_are_imported_in_one_place() -> None:
    imported = {path: imported_modules(path) for path in SOURCES if path != LISTED}
    private = {(path, each) for path, names in imported.items() for each in names if each.startswith("textual.")}
    assert {(path, each) for path, each in private if "._" in each} == set()


def overriding() -> Iterator[Any]:
    for owner in CLASSES:
        for name, mine in vars(owner).items():
            theirs = next((vars(base)[name] for base in bases_in_textual(owner) if name in vars(base)), None)
            from_private_module = any("._" in base.__module__ for base in bases_in_textual(owner))
            if inspect.isfunction(mine) and inspect.isfunction(theirs) and (is_private(name) or from_private_module):
                yield pytest.param(mine, theirs, id=f"{owner.__name__}.{name}")


@pytest.mark.parametrize(("mine", "theirs"), [each for each in overriding() if not each.id.endswith(".__init__")])
def test_what_is_overridden_takes_what_textual_gives(mine: Callable[..., Any], theirs: Callable[..., Any]) -> None:
    mine_takes, theirs_takes = inspect.signature(mine).parameters, inspect.signature(theirs).parameters
    assert [*mine_takes][: len(theirs_takes)] == [*theirs_takes]
    assert inspect.iscoroutinefunction(mine) == inspect.iscoroutinefunction(theirs)


# --- What is overridden is called


class OneArea(App[None]):
    def __init__(self, area: TextArea) -> None:
        super().__init__()
        self.area = area

    def compose(self) -> ComposeResult:
        yield self.area


def noting(name: str) -> TextArea:
    """A stock text area that notes in `noted` how often the method is called."""
    theirs = getattr(TextArea, name)

    @wraps(theirs)
    def run(self: Any, *given: Any, **named: Any) -> Any:
        self.noted += 1
        return None if name.startswith("_on_") else theirs(self, *given, **named)

    return type("Noting", (TextArea,), {name: run, "noted": 0})("(a)\nbcd")


Stimulus = Callable[[Pilot[None], TextArea], object]


def redo(area: TextArea) -> None:
    area.insert("x")
    area.undo()
    area.redo()


STIMULI: dict[str, Stimulus] = {
    "_app_theme_changed": lambda pilot, _area: setattr(pilot.app, "theme", "textual-light"),
    "_on_key": lambda pilot, _area: pilot.press("x"),
    "_on_mouse_move": lambda pilot, _area: pilot.hover(TextArea, offset=(3, 1)),
    "_on_paste": lambda _pilot, area: area.post_message(events.Paste("x")),
    "_redo_batch": lambda _pilot, area: redo(area),
    "_rewrap_and_refresh_virtual_size": lambda _pilot, area: setattr(area, "soft_wrap", not area.soft_wrap),
    "_set_document": lambda _pilot, area: area.load_text("x"),
    "_size_updated": lambda pilot, _area: pilot.resize_terminal(50, 12),
    "_undo_batch": lambda _pilot, area: redo(area),
    "_watch_selection": lambda _pilot, area: area.move_cursor((1, 1)),
    "_watch_show_vertical_scrollbar": lambda _pilot, area: area.load_text("\n" * 100),
    "_watch_soft_wrap": lambda _pilot, area: setattr(area, "soft_wrap", not area.soft_wrap),
    "_yield_character_locations": lambda _pilot, area: area.move_cursor((0, 0)),
    "_yield_character_locations_reverse": lambda _pilot, area: area.move_cursor((0, 2)),
}


def test_each_method_that_is_overridden_has_its_stimulus() -> None:
    listed = {name for name, use in PRIVATE_NAMES.items() if use.startswith("overridden")}
    assert listed == {f"{'Widget' if each == '_size_updated' else 'TextArea'}.{each}" for each in STIMULI} | {
        "App._fatal_error",
        "XTermParser._sequence_to_key_events",
    }


@pytest.mark.parametrize("name", STIMULI)
async def test_textual_calls_what_is_overridden(name: str) -> None:
    area: Any = noting(name)
    async with OneArea(area).run_test(size=(60, 20)) as pilot:
        area.move_cursor((1, 0))
        await pilot.pause()
        before = area.noted
        done = STIMULI[name](pilot, area)
        if inspect.isawaitable(done):
            await done
        await pilot.pause()
    assert area.noted > before


class Faulty(OneArea):
    faults = 0

    def action_break(self) -> None:
        raise RuntimeError("broken")

    def _fatal_error(self) -> None:
        self.faults += 1
        super()._fatal_error()


async def test_a_fault_in_an_action_ends_in_fatal_error() -> None:
    app = Faulty(TextArea())
    with pytest.raises(RuntimeError, match="broken"):
        await broken(app)
    assert app.faults == 1


async def broken(app: Faulty) -> None:
    async with app.run_test() as pilot:
        app.call_later(app.run_action, "break")
        await pilot.pause()


# --- What is called and read


@pytest.fixture
async def area() -> Any:
    area = TextArea("(a)\nbcd", soft_wrap=True)
    area.cursor_blink = False
    async with OneArea(area).run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        yield area


def test_bindings_are_found_by_their_key(area: TextArea) -> None:
    (binding,) = area._bindings.key_to_bindings["ctrl+z"]
    assert binding.action == "undo"


def test_the_offset_of_the_cursor_is_its_cell_and_row(area: TextArea) -> None:
    area.move_cursor((1, 2))
    assert area._cursor_offset == (2, 1)


def test_the_offset_of_the_cursor_is_computed_anew(area: TextArea) -> None:
    area.move_cursor((1, 2))
    area._cursor_offset = Offset(9, 9)
    area._recompute_cursor_offset()
    assert area._cursor_offset == (2, 1)


def test_what_is_deleted_by_the_keyboard_is_given_back(area: TextArea) -> None:
    done = area._delete_via_keyboard((1, 0), (1, 2))
    assert (done and done.replaced_text, area.text) == ("bc", "(a)\nd")


def test_the_line_that_is_deleted_is_given_back(area: TextArea) -> None:
    done = area._delete_cursor_line()
    assert (done and done.replaced_text, area.text) == ("(a)\n", "bcd")


def test_what_is_typed_takes_the_place_of_a_range(area: TextArea) -> None:
    area._replace_via_keyboard("x", (1, 0), (1, 2))
    assert (area.text, area.cursor_location) == ("(a)\nxd", (1, 1))


@pytest.mark.parametrize("has_focus", [True, False])
async def test_the_cursor_is_drawn_where_the_focus_is(has_focus: bool) -> None:
    area = TextArea()
    area.cursor_blink = False
    async with OneArea(area).run_test() as pilot:
        pilot.app.set_focus(area if has_focus else None)
        await pilot.pause()
        assert area._draw_cursor is has_focus


@pytest.mark.parametrize(("cursor", "other"), [((0, 0), (0, 2)), ((0, 2), (0, 0)), ((1, 1), None)])
def test_the_other_bracket_is_known(area: TextArea, cursor: tuple[int, int], other: tuple[int, int] | None) -> None:
    area.move_cursor(cursor)
    assert area._matching_bracket_location == other


async def test_it_is_known_whether_the_mouse_selects() -> None:
    area = TextArea("abc")
    async with OneArea(area).run_test() as pilot:
        await pilot.mouse_down(TextArea, offset=(2, 1))
        during = area._selecting
        await pilot.mouse_up(TextArea, offset=(2, 1))
        assert (during, area._selecting) == (True, False)


async def test_a_scrollbar_has_the_length_of_a_size_that_is_set_quietly() -> None:
    view = ScrollView()

    class OneView(App[None]):
        def compose(self) -> ComposeResult:
            yield view

    async with OneView().run_test(size=(40, 10)):
        view.set_reactive(ScrollView.virtual_size, size := Size(40, 100))  # pyright: ignore[reportArgumentType]
        view._scroll_update(size)
        assert (view.show_vertical_scrollbar, view.vertical_scrollbar.window_virtual_size) == (True, 100)


def test_an_edit_knows_its_result(area: TextArea) -> None:
    edit = Edit("x", (1, 0), (1, 1), maintain_selection_offset=False)
    result = edit.do(area)
    assert (edit._edit_result, result.replaced_text) == (result, "b")


def test_the_history_groups_edits_by_their_results(area: TextArea) -> None:
    for text in "xy":
        edit = Edit(text, (1, 0), (1, 0), maintain_selection_offset=False)
        edit.do(area)
        edit._edit_result = EditResult((1, 1), "a\nline")
        area.history.record(edit)
    assert len(area.history.undo_stack) == 2


async def test_what_is_to_be_printed_at_the_end_is_printed() -> None:
    app = OneArea(TextArea())
    async with app.run_test():
        app.error_console = Console(file=StringIO())
        app._exit_renderables.append("what happened")
        app._print_error_renderables()
        assert "what happened" in app.error_console.file.getvalue()  # pyright: ignore[reportAttributeAccessIssue]


async def test_closing_the_messages_ends_the_app() -> None:
    app = OneArea(TextArea())
    async with app.run_test():
        app._close_messages_no_wait()
        async with asyncio.timeout(60):
            while app.is_running:
                await asyncio.sleep(0.01)


async def test_the_text_of_the_screen_can_be_read() -> None:
    class Said(App[None]):
        def compose(self) -> ComposeResult:
            yield Static("what is shown")

    async with Said().run_test() as pilot:
        screen: Screen[Any] = pilot.app.screen
        assert "what is shown" in screen._compositor.render_strips()[0].text


def test_the_terminal_driver_makes_the_parser_that_its_module_names() -> None:
    assert "XTermParser" in LinuxDriver.run_input_thread.__code__.co_names


def test_the_terminal_driver_makes_the_decoder_that_its_module_names() -> None:
    assert "getincrementaldecoder" in LinuxDriver.run_input_thread.__code__.co_names
