"""Starting one kind of work never cancels another: an exclusive group belongs to one place in the code."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import studio

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
    texts = (file.read_text("utf-8") for file in Path(studio.__file__).parent.rglob("*.py"))
    return tuple(start for text in texts for start in starts(ast.parse(text)))


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
