"""What the code of the studio uses of Textual: private names, which are listed, and groups of workers."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ruamel.yaml import YAML

import studio
from studio.tui import textual_internals

ROOT = Path(studio.__file__).parent
LISTED = Path(textual_internals.__file__)
SOURCES = sorted(ROOT.rglob("*.py"))
PRIVATE_NAMES: dict[str, str] = YAML(typ="safe").load(Path(__file__).with_name("private_names.yml").read_text("utf-8"))
"""From class and name to what the studio uses it for."""


# --- The list is whole


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@cache
def tree_in(path: Path) -> ast.AST:
    return ast.parse(path.read_text("utf-8"))


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
    defined = {name for owner in CLASSES for name in (*vars(owner), *names_of(owner))} | {
        "_replace",
        "_fields",
        "_asdict",
    }
    attributes = [node for path in SOURCES for node in ast.walk(tree_in(path)) if isinstance(node, ast.Attribute)]
    return {
        node.attr
        for node in attributes
        if is_private(node.attr) and not is_self(node.value) and node.attr not in defined | {"_replace"}
    }


@pytest.mark.thorough
def test_every_private_name_of_textual_is_listed_and_each_that_is_listed_is_used() -> None:
    of_screen = {f"Screen.{name}" for name in of_others()}
    assert shared() | of_screen == set(PRIVATE_NAMES)


def imported_modules(path: Path) -> set[str]:
    nodes = [*ast.walk(tree_in(path))]
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


def test_textual_still_has_each_name_that_is_listed() -> None:
    """What it does with them is seen in the tests of the editor, the dialogs and the terminal."""
    owners = {base.__name__: base for owner in CLASSES for base in bases_in_textual(owner)}
    for listed in PRIVATE_NAMES:
        owner, _, name = listed.partition(".")
        having = [base for base in bases_in_textual(owners[owner]) if name in defined_by(base) | names_of(base)]
        assert having, listed


# --- Starting one kind of work never cancels another: an exclusive group belongs to one place in the code


STARTERS = {"work", "run_worker", "start", "effect"}
"""Decorator and method of Textual, methods of the session."""
OF_SESSION = {"start", "effect"}


class Started(NamedTuple):
    """One place that starts work in a group."""

    of_session: bool
    group: str
    is_exclusive: bool


def starts(tree: ast.AST) -> Iterator[Started]:
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name in STARTERS:
            named = {each.arg: each.value for each in call.keywords}
            group = named.get("group") or (call.args[0] if name in OF_SESSION and call.args else None)
            if isinstance(group, ast.Constant) and isinstance(group.value, str):
                yield Started(name in OF_SESSION, group.value, "exclusive" in named)


@cache
def all_starts() -> tuple[Started, ...]:
    return tuple(start for path in SOURCES for start in starts(tree_in(path)))


def exclusive() -> set[tuple[bool, str]]:
    """The exclusive groups, each with whether it is one of the session."""
    return {(start.of_session, start.group) for start in all_starts() if start.is_exclusive}


def test_an_exclusive_group_has_one_kind_of_work() -> None:
    places = Counter((start.of_session, start.group) for start in all_starts())
    assert [group for group in exclusive() if places[group] != 1] == []


def test_the_groups_are_found() -> None:
    assert {(False, "author name"), (True, "clock")} <= exclusive()


def test_no_work_on_the_file_is_exclusive() -> None:
    assert not [group for _, group in exclusive() if group == "file"]
