"""Reads conversations: `messages` in the formal and the shorthand form, `prompt`, and the rules of their order."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Final

from engine.blueprint import Message, Role
from engine.parsing.fields import Fields, fields, first_truthy, is_blank, is_null, string, truthy, value_of
from engine.parsing.findings import Kind
from engine.parsing.keys import Part, names_read
from engine.parsing.parser_notes import Notes
from engine.record import Record
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, SequenceNode, holds_bytes, resolved
from engine.yaml_nodes.values import json_text, to_data

_USER: Final = Role.USER
_ASSISTANT: Final = Role.ASSISTANT
_KEYS_OF_PROMPTS: Final = names_read(Part.PROMPT)
_ROLES: Final = {"user": _USER, "assistant": _ASSISTANT, "system": Role.SYSTEM, "ai": _ASSISTANT}


class _Turn(Record):
    """A message as written: its role (None if it has none) and the node of its content (None if it is absent).

    `at` is the node of the role, or of the whole message if no role is written.
    """

    node: Node
    role: str | None
    content: Node | None
    at: Node


def read_messages(item: Node, found: Fields, notes: Notes) -> tuple[Message, ...]:
    """The conversation of the prompt `item` with the fields `found`. `messages` take precedence over `prompt`."""
    written = found.get("messages")
    text = first_truthy(found, "prompt", "promptText")
    if written is None or not truthy(written):
        return _note_missing(item, found, notes) if text is None else (_prompt_text(text.value, notes),)
    if text is not None:
        notes.add(Kind.PROMPT_AND_MESSAGES, text.key)
    items = value_of(written)
    if not isinstance(items, SequenceNode):
        is_bytes = isinstance(items, MappingNode) and holds_bytes(items)  # over which JavaScript can iterate
        notes.add(Kind.BAD_MESSAGE, written.value, "messages", refused=True, when_run=is_bytes)
        return ()
    turns = [turn for item in items.items if (turn := _turn(resolved(item), notes)) is not None]
    if len(turns) == len(items.items):
        _check_order(written.key, turns, notes)
    return tuple(_message(turn) for turn in turns)


def _note_missing(item: Node, found: Fields, notes: Notes) -> tuple[Message, ...]:
    place = found.get("prompt") or found.get("promptText") or found.get("messages")
    first = next((pair.key for pair in found.values()), item)
    notes.add(Kind.NO_QUESTION, first if place is None else place.span, "prompt", refused=True, when_run=True)
    return ()


def _prompt_text(node: Node, notes: Notes) -> Message:
    node = resolved(node)
    text = string(node)
    if text is None or is_blank(text):
        kind = Kind.NON_STRING_SCALAR if text is None else Kind.NO_QUESTION
        notes.add(kind, node, "prompt", refused=True, when_run=True)
    return Message(node.span, _USER, _as_text(node))


def _as_text(node: Node) -> str:
    return node.text if type(node) is ScalarNode else _json(node)


def _json(node: Node) -> str:
    return json_text(to_data(node))


def _turn(node: Node, notes: Notes) -> _Turn | None:
    if isinstance(node, ScalarNode) and not isinstance(node.value, datetime):
        return _Turn(node, None, None if node.value is None else node, node)
    if isinstance(node, MappingNode):
        found = fields(node)
        if truthy(found.get("role")) or truthy(found.get("content")):
            role = found.get("role")
            _note_lost(found, ("role", "content"), notes, refused=False)
            at = node if role is None else role.value
            return _Turn(node, string(value_of(role)), value_of(found.get("content")), at)
        if len(found) == 1:
            [(name, pair)] = found.items()
            if name in _ROLES:
                return _Turn(node, _ROLES[name].value, value_of(pair), pair.key)
            notes.add(Kind.BAD_MESSAGE, pair.key, name, refused=True)
            return None
        if len(found.keys() & _ROLES.keys()) == 1 and found.keys() <= _ROLES.keys() | _KEYS_OF_PROMPTS:
            _note_lost(found, _ROLES, notes, refused=True)
            return None
    notes.add(Kind.BAD_MESSAGE, node, "", refused=True)
    return None


def _note_lost(found: Fields, own: Collection[str], notes: Notes, *, refused: bool) -> None:
    """Note the keys of a message that nobody reads there: those of a prompt, and unknown ones."""
    for name, pair in found.items():
        if name not in own:
            kind = Kind.KEY_IN_MESSAGE if name in _KEYS_OF_PROMPTS else Kind.UNKNOWN_KEY
            notes.add(kind, pair.key, name, refused=refused)


def _message(turn: _Turn) -> Message:
    role = _ROLES.get(turn.role or "", _USER)
    to_generate = turn.content is None or is_null(turn.content)
    if to_generate:
        return Message(turn.node.span, role, None if role is _ASSISTANT else "")
    assert turn.content is not None
    return Message(turn.node.span, role, _as_text(turn.content))


def _check_order(key: Node, turns: list[_Turn], notes: Notes) -> None:
    """Check the rules that Weval applies before it runs a conversation (platform.md, A23), in its order."""
    if not any(map(_is_written, turns)):
        notes.add(Kind.NO_QUESTION, key, "messages", refused=True, when_run=True)
        return
    first, last = turns[0], turns[-1]
    if first.role == "assistant":
        notes.add(Kind.MESSAGE_ORDER, first.at, "first", refused=True, flagged=True, when_run=True)
    if last.role != "user":
        if last.role == "assistant" and not is_null(last.content):
            notes.add(Kind.FIXED_ANSWER, last.at, "last", refused=True, flagged=True, when_run=True)
        elif last.role in ("assistant", "system"):
            notes.add(Kind.MESSAGE_ORDER, last.at, "last", refused=True, flagged=True, when_run=True)
        elif last.role != "ai":
            notes.add(Kind.BAD_MESSAGE, last.at, last.role or "", refused=True, when_run=True)
    previous = None
    for turn in turns:
        _check_turn(turn, notes)
        if turn.role == previous and turn.role in ("user", "assistant"):
            notes.add(Kind.MESSAGE_ORDER, turn.at, "twice", refused=True, flagged=True, when_run=True)
        if turn.role != "system":
            previous = turn.role


def _is_written(turn: _Turn) -> bool:
    content = string(turn.content)
    return turn.content is not None and not is_null(turn.content) and (content is None or not is_blank(content))


def _check_turn(turn: _Turn, notes: Notes) -> None:
    if turn.role not in ("user", "assistant", "system"):
        notes.add(Kind.BAD_MESSAGE, turn.at, turn.role or "", refused=True, flagged=turn.role == "ai", when_run=True)
        return
    if turn.role == "assistant" and is_null(turn.content):
        return
    content = string(turn.content)
    if content is None or is_blank(content):
        is_not_text = turn.content is not None and content is None and not is_null(turn.content)
        at = turn.content if is_not_text and turn.content is not None else turn.node
        notes.add(
            Kind.NON_STRING_SCALAR if is_not_text else Kind.BAD_MESSAGE, at, "message", refused=True, when_run=True
        )
