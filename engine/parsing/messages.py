"""Conversations: `messages` in the formal and the shorthand form, `prompt`, and the rules of order."""

from __future__ import annotations

from typing import Final

from engine.blueprint import Message, Role
from engine.parsing.fields import Fields, fields, first_truthy, is_blank, is_null, string, truthy, value_of
from engine.parsing.findings import Kind
from engine.parsing.notes import Notes
from engine.record import Record
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, SequenceNode, resolved
from engine.yaml_nodes.values import json_text, to_data

_USER: Final = Role.USER
_ASSISTANT: Final = Role.ASSISTANT
_ROLES: Final = {"user": _USER, "assistant": _ASSISTANT, "system": Role.SYSTEM, "ai": _ASSISTANT}


class _Turn(Record):
    """A message as written: the role's word (None where it has none), the content's node (None where absent).

    `at` is where the role is written, or the message where it is not.
    """

    node: Node
    role: str | None
    content: Node | None
    at: Node


def read_messages(found: Fields, notes: Notes) -> tuple[Message, ...]:
    """The conversation of a prompt with the fields `found`. `messages` win over `prompt`."""
    written = found.get("messages")
    text = first_truthy(found, "prompt", "promptText")
    if written is None or not truthy(written):
        return _nothing(found, notes) if text is None else (_prompt_text(text.value, notes),)
    if text is not None:
        notes.add(Kind.PROMPT_AND_MESSAGES, text.key)
    items = value_of(written)
    if not isinstance(items, SequenceNode):
        notes.add(Kind.BAD_MESSAGE, written.value, "messages", refusal="p.messages.map is not a function")
        return ()
    turns = [
        turn for index, item in enumerate(items.items) if (turn := _turn(index, resolved(item), notes)) is not None
    ]
    if len(turns) == len(items.items):
        _check_order(written.key, turns, notes)
    return tuple(_message(turn) for turn in turns)


def _nothing(found: Fields, notes: Notes) -> tuple[Message, ...]:
    place = found.get("prompt") or found.get("promptText") or found.get("messages")
    for pair in (place,) if place is not None else found.values():
        at = pair.span if place is not None else pair.key
        notes.add(Kind.NOT_WRITTEN, at, "prompt", refusal=no_messages(notes), when_run=True)
        break
    return ()


def no_messages(notes: Notes) -> str:
    """Weval's message on a prompt that asks nothing, when it runs it."""
    return f"Prompt ID '{notes.name}' must have either a valid 'promptText' or a non-empty 'messages' array."


def _prompt_text(node: Node, notes: Notes) -> Message:
    node = resolved(node)
    text = string(node)
    if text is None or is_blank(text):
        refusal = f"Prompt ID '{notes.name}', message 0 (role 'user'): Content cannot be empty."
        kind = Kind.NON_STRING_SCALAR if text is None else Kind.NOT_WRITTEN
        notes.add(kind, node, "prompt", refusal=refusal, when_run=True)
    return Message(node.span, _USER, _as_text(node))


def _as_text(node: Node) -> str:
    return node.text if type(node) is ScalarNode else _json(node)


def _json(node: Node) -> str:
    return json_text(to_data(node))


def _turn(index: int, node: Node, notes: Notes) -> _Turn | None:
    if type(node) is MappingNode and len(node.pairs) == 1:
        pair = node.pairs[0]  # the usual shorthand, without the cost of looking for fields
        role = _ROLES.get(pair.key.text) if type(pair.key) is ScalarNode else None
        if role is not None:
            return _Turn(node, role.value, resolved(pair.value), pair.key)
    if isinstance(node, ScalarNode):
        return _Turn(node, None, None if node.value is None else node, node)
    if isinstance(node, MappingNode):
        found = fields(node)
        if truthy(found.get("role")) or truthy(found.get("content")):
            role = found.get("role")
            at = node if role is None else role.value
            return _Turn(node, string(value_of(role)), value_of(found.get("content")), at)
        if len(found) == 1:
            [(name, pair)] = found.items()
            if name in _ROLES:
                return _Turn(node, _ROLES[name].value, value_of(pair), pair.key)
            refusal = f"Invalid role '{name}' in message at index {index} in prompt '{notes.name}'."
            notes.add(Kind.BAD_MESSAGE, pair.key, name, refusal=refusal)
            return None
    refusal = (
        "Each message in the shorthand format must have exactly one key (e.g., 'user', 'assistant', 'ai', 'system')."
        f" Invalid message at index {index} in prompt '{notes.name}'. Found: {_json(node)}"
    )
    notes.add(Kind.BAD_MESSAGE, node, "", refusal=refusal)
    return None


def _message(turn: _Turn) -> Message:
    role = _ROLES.get(turn.role or "", _USER)
    to_generate = turn.content is None or is_null(turn.content)
    if to_generate:
        return Message(turn.node.span, role, None if role is _ASSISTANT else "")
    assert turn.content is not None
    return Message(turn.node.span, role, _as_text(turn.content))


def _check_order(key: Node, turns: list[_Turn], notes: Notes) -> None:
    """The rules that Weval applies before it runs a conversation (platform.md, A23), in its order."""
    if not turns:
        notes.add(Kind.NOT_WRITTEN, key, "messages", refusal=no_messages(notes), when_run=True)
        return
    who = f"Prompt ID '{notes.name}'"
    first, last = turns[0], turns[-1]
    if first.role == "assistant":
        refusal = f"{who}: First message role cannot be 'assistant'. Must be 'user' or 'system'."
        notes.add(Kind.MESSAGE_ORDER, first.at, "first", refusal=refusal, flagged=True, when_run=True)
    if last.role != "user":
        refusal = f"{who}: Last message role in the input sequence must be 'user'. Found '{last.role or 'undefined'}'."
        if last.role == "assistant" and not is_null(last.content):
            notes.add(Kind.FIXED_ANSWER, last.at, "last", refusal=refusal, flagged=True, when_run=True)
        elif last.role in ("assistant", "system"):
            notes.add(Kind.MESSAGE_ORDER, last.at, "last", refusal=refusal, flagged=True, when_run=True)
        elif last.role != "ai":
            notes.add(Kind.BAD_MESSAGE, last.at, last.role or "", refusal=refusal, when_run=True)
    previous = None
    for index, turn in enumerate(turns):
        _check_turn(turn, f"{who}, message {index}", notes)
        if turn.role == previous and turn.role in ("user", "assistant"):
            refusal = f"{who}, message {index}: Invalid sequence. Two '{turn.role}' messages in a row."
            notes.add(Kind.MESSAGE_ORDER, turn.at, "twice", refusal=refusal, flagged=True, when_run=True)
        if turn.role != "system":
            previous = turn.role


def _check_turn(turn: _Turn, where: str, notes: Notes) -> None:
    if turn.role not in ("user", "assistant", "system"):
        refusal = f"{where}: Invalid role '{turn.role}'. Must be 'user', 'assistant', or 'system'."
        notes.add(Kind.BAD_MESSAGE, turn.at, turn.role or "", refusal=refusal, flagged=turn.role == "ai", when_run=True)
        return
    if turn.role == "assistant" and is_null(turn.content):
        return
    content = string(turn.content)
    if content is None or is_blank(content):
        refusal = f"{where} (role '{turn.role}'): Content cannot be empty."
        odd = turn.content is not None and content is None and not is_null(turn.content)
        at = turn.content if odd and turn.content is not None else turn.node
        notes.add(Kind.NON_STRING_SCALAR if odd else Kind.BAD_MESSAGE, at, "message", refusal=refusal, when_run=True)
