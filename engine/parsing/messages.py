"""Reads conversations: `messages` in the formal and the shorthand form, `prompt`, and the rules of their order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from engine.blueprint import Message, Role
from engine.parsing.demands import Demands, Kind, Stage
from engine.parsing.fields import (
    Fields,
    fields,
    first_truthy,
    is_blank,
    is_null,
    is_written_text,
    string,
    truthy,
    value_of,
    written_text,
)
from engine.parsing.keys import Part, names_read
from engine.text.record import Record
from engine.yaml.nodes import (
    MappingNode,
    Node,
    Pair,
    ScalarNode,
    SequenceNode,
    holds_bytes,
    json_text,
    resolved,
    to_data,
)

_KEYS_OF_PROMPTS: Final = names_read(Part.PROMPT)
_ROLES: Final = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "ai": Role.ASSISTANT}
_SENT: Final = frozenset(Role)
_NO_ROLE = "Cannot read properties of null (reading 'role')"
NO_MESSAGES = "{prompt.called} must have either a valid 'promptText' or a non-empty 'messages' array."
"""What Weval says of a prompt without a question."""


class Turn(Record):
    """A message as written: its role (None if it has none) and the node of its content (None if it is absent).

    `at` is the node of the role, or of the whole message if no role is written; `item` is the item of the list, which
    may be an alias. `named` is the field with the role in the formal form.
    """

    item: Node
    role: str | None
    content: Node | None
    at: Node
    named: Pair | None = None

    def theirs(self) -> str:
        """The role as Weval's messages write it."""
        return written_text(self.named) if self.role is None else self.role


def read_turns(found: Fields, demand: Demands) -> tuple[Turn, ...]:
    """The messages of a prompt as they are written."""
    written = found.get("messages")
    if written is None or not truthy(written):
        return ()
    text = first_truthy(found, "prompt", "promptText")
    if text is not None:
        demand.note(Kind.PROMPT_AND_MESSAGES, text.key)
    items = value_of(written)
    if not isinstance(items, SequenceNode):
        is_bytes = isinstance(items, MappingNode) and holds_bytes(items)  # over which JavaScript can iterate
        refusal = "p.messages.map is not a function"
        demand.note(Kind.BAD_MESSAGE, written.value, "messages", refused=True, when_run=is_bytes)
        if not is_bytes:
            demand.refuse(written.value, refusal)
        return ()
    turns = (_turn(item, index, demand) for index, item in enumerate(items.items))
    return tuple(turn for turn in turns if turn is not None)


def read_messages(found: Fields, turns: Sequence[Turn]) -> tuple[Message, ...]:
    """The conversation of a prompt with the fields `found`. The `turns` of `messages` take precedence over `prompt`."""
    text = first_truthy(found, "prompt", "promptText")
    if truthy(found.get("messages")) or text is None:
        return tuple(map(_message, turns))
    node = resolved(text.value)
    return (Message(node.span, Role.USER, _as_text(node)),)


def _as_text(node: Node) -> str:
    return node.text if type(node) is ScalarNode else json_text(to_data(node))


def _message(turn: Turn) -> Message:
    role = _ROLES.get(turn.role or "", Role.USER)
    span = resolved(turn.item).span
    if turn.content is None or is_null(turn.content):
        return Message(span, role, None if role is Role.ASSISTANT else "")
    return Message(span, role, _as_text(turn.content))


def _turn(item: Node, index: int, demand: Demands) -> Turn | None:
    node = resolved(item)
    if isinstance(node, ScalarNode) and not isinstance(node.value, datetime):
        return Turn(item, None, None if node.value is None else node, node)
    found = fields(node) if isinstance(node, MappingNode) else {}
    role = found.get("role")
    if truthy(role) or truthy(found.get("content")):
        _note_lost(found, ("role", "content"), demand, refused=False)
        at = node if role is None else role.value
        return Turn(item, string(value_of(role)), value_of(found.get("content")), at, role)
    names = [str(at) for at in range(len(node.items))] if isinstance(node, SequenceNode) else list(found)
    if len(names) == 1:
        [name] = names
        pair = found.get(name)
        if pair is not None and name in _ROLES:
            return Turn(item, _ROLES[name].value, value_of(pair), pair.key)
        at = node if pair is None else pair.key
        demand(False, at, lambda: (
            f"Invalid role '{name}' in message at index {index} in prompt '{demand.who}'."
        ), Kind.BAD_MESSAGE, "" if pair is None else name, thrown=item)  # fmt: skip
        return None
    demand.refuse(
        item,
        "Each message in the shorthand format must have exactly one key (e.g., 'user', 'assistant', 'ai', 'system')."
        f" Invalid message at index {index} in prompt '{{prompt}}'. Found: {{json}}",
    )
    if len(found.keys() & _ROLES.keys()) == 1 and found.keys() <= _ROLES.keys() | _KEYS_OF_PROMPTS:
        _note_lost(found, _ROLES, demand, refused=True)
    else:
        demand.note(Kind.BAD_MESSAGE, node, "", refused=True)
    return None


def _note_lost(found: Fields, own: Collection[str], demand: Demands, *, refused: bool) -> None:
    """Note the keys of a message that nobody reads there: those of a prompt, and unknown ones."""
    for name, pair in found.items():
        if name not in own:
            kind = Kind.KEY_IN_MESSAGE if name in _KEYS_OF_PROMPTS else Kind.UNKNOWN_KEY
            demand.note(kind, pair.key, name, refused=refused)


# What Weval demands before it runs a conversation (platform.md, A23), in its order


def demand_conversation(item: Node, found: Fields, turns: Sequence[Turn], demand: Demands) -> None:
    """The demands on the conversation of the prompt `item`, if all its messages were read as `turns`."""
    written = found.get("messages")
    if not truthy(written):
        _demand_question(item, found, demand)
        return
    assert written is not None
    listed = value_of(written)
    if not isinstance(listed, SequenceNode) or not listed.items:
        demand.refuse(written.value, NO_MESSAGES, Stage.RUN)
        if isinstance(listed, SequenceNode):
            demand.note(Kind.NO_QUESTION, written.key, "messages", refused=True, when_run=True)
    elif len(turns) == len(listed.items):
        if any(map(_is_written, turns)):
            _demand_order(turns, demand)
            return
        demand.note(Kind.NO_QUESTION, written.key, "messages", refused=True, when_run=True)
        theirs = Demands()
        theirs.who = demand.who
        _demand_order(turns, theirs)
        demand.refuse_as(theirs)


def _demand_question(item: Node, found: Fields, demand: Demands) -> None:
    text = first_truthy(found, "prompt", "promptText")
    if text is None:
        place = found.get("prompt") or found.get("promptText") or found.get("messages")
        at = next((pair.key for pair in found.values()), item) if place is None else place.span
        thrown = found["prompt"].value if "prompt" in found else item
        demand(False, at, NO_MESSAGES, Kind.NO_QUESTION, "prompt", thrown=thrown, when_run=True)
        return
    node = resolved(text.value)
    kind = Kind.NON_STRING_SCALAR if string(node) is None else Kind.NO_QUESTION
    refusal = "{prompt.called}, message 0 (role 'user'): Content cannot be empty."
    demand(is_written_text(node), node, refusal, kind, "prompt", thrown=text.value, when_run=True)


def _demand_order(turns: Sequence[Turn], demand: Demands) -> None:
    first, last = turns[0], turns[-1]
    _refuse_null(first, demand)
    refusal = "{prompt.called}: First message role cannot be 'assistant'. Must be 'user' or 'system'."
    kind, is_first = Kind.MESSAGE_ORDER, first.role != "assistant"
    demand(is_first, first.at, refusal, kind, "first", thrown=first.item, flagged=True, when_run=True)
    _refuse_null(last, demand)
    _demand_last(last, demand)
    for index, turn in enumerate(turns):
        _refuse_null(turn, demand)
        _demand_turn(turn, index, demand)
    before = None
    for index, turn in enumerate(turns):
        if turn.role != "system":
            refusal = f"{{prompt.called}}, message {index}: Invalid sequence. Two '{turn.role}' messages in a row."
            is_other = turn.role != before or turn.role not in _SENT
            demand(is_other, turn.at, refusal, kind, "twice", thrown=turn.item, flagged=True, when_run=True)
            before = turn.role


def _refuse_null(turn: Turn, demand: Demands) -> None:
    if is_null(turn.item):
        demand.refuse(turn.item, _NO_ROLE, Stage.RUN)


def _demand_last(last: Turn, demand: Demands) -> None:
    def refusal() -> str:
        return f"{demand.who.called}: Last message role in the input sequence must be 'user'. Found '{last.theirs()}'."

    kind, detail, flagged = Kind.MESSAGE_ORDER, "last", True
    if last.role == "ai":  # which is told as a role that Weval does not know
        demand.refuse(last.item, refusal, Stage.RUN)
        return
    if last.role == "assistant" and not is_null(last.content):
        kind = Kind.FIXED_ANSWER
    elif last.role not in _SENT:
        kind, detail, flagged = Kind.BAD_MESSAGE, last.role or "", False
    demand(last.role == "user", last.at, refusal, kind, detail, thrown=last.item, flagged=flagged, when_run=True)


def _is_written(turn: Turn) -> bool:
    content = string(turn.content)
    return turn.content is not None and not is_null(turn.content) and (content is None or not is_blank(content))


def _demand_turn(turn: Turn, index: int, demand: Demands) -> None:
    def refusal() -> str:
        roles = "Must be 'user', 'assistant', or 'system'."
        return f"{demand.who.called}, message {index}: Invalid role '{turn.theirs()}'. {roles}"

    kind, role = Kind.BAD_MESSAGE, turn.role or ""
    is_ai, is_known = turn.role == "ai", turn.role in _SENT
    demand(is_known, turn.at, refusal, kind, role, thrown=turn.item, flagged=is_ai, when_run=True)
    if not is_known or (turn.role == "assistant" and is_null(turn.content)):
        return
    is_text = turn.content is None or is_null(turn.content) or string(turn.content) is not None
    at = resolved(turn.item) if is_text or turn.content is None else turn.content
    empty = f"{{prompt.called}}, message {index} (role '{role}'): Content cannot be empty."
    kind = Kind.BAD_MESSAGE if is_text else Kind.NON_STRING_SCALAR
    demand(is_written_text(turn.content), at, empty, kind, "message", thrown=turn.item, when_run=True)
