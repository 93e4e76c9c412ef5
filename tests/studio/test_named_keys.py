"""A message that names a key names one of the table of actions, for what that key does there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import studio
from studio.tui.action import key_label
from studio.tui.actions import ACTIONS
from studio.tui.editor import BlueprintEditor

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
