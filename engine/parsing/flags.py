"""Fields that are true or false, and other values written for them."""

from __future__ import annotations

from engine.parsing.fields import Fields, is_null, string, value_of
from engine.parsing.findings import Kind
from engine.parsing.parser_notes import Notes
from engine.yaml_nodes.nodes import Node, ScalarNode

YES = frozenset(("yes", "true", "on", "y", "1"))
NO = frozenset(("no", "false", "off", "n", "0", "never", "none"))


def check_flag(key: str, found: Fields, notes: Notes) -> None:
    """Note a `key` whose value is neither true nor false. An empty value counts as false.

    Text that means yes is accepted under `noCache`, where Weval reads any text as true (platform.md, A20).
    """
    pair = found.get(key)
    value = value_of(pair)
    if pair is None or is_null(value) or _is_flag(value):
        return
    if key != "noCache" or meant(value) is not True:
        notes.add(Kind.WRONG_TYPE, pair.value, key)


def _is_flag(value: Node | None) -> bool:
    return isinstance(value, ScalarNode) and isinstance(value.value, bool)


def meant(value: Node | None) -> bool | None:
    """The flag that a text or a number means (`yes`, `0`); None if that is unclear."""
    if not isinstance(value, ScalarNode):
        return None
    written = (string(value) if string(value) is not None else value.text) or ""
    word = written.strip().casefold()
    return True if word in YES else False if word in NO else None
