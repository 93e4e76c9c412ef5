"""One item of the prompt list → a `Prompt`, by 002's table of prompt fields, with the demands on it.

Its conversation is `prompt`, or `messages` in the formal or the shorthand form, by the rules of their order.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from engine.blueprint import ABSENT, Absent, Block, Header, Message, Prompt, RenderAs, Role, Rubric
from engine.parsing.demands import (
    Demands,
    Finding,
    Kind,
    Named,
    Stage,
    demand_flag,
    demand_source,
    demand_weight,
    read_render_as,
)
from engine.parsing.fields import (
    Fields,
    fields,
    fields_of,
    first_truthy,
    first_written,
    is_between,
    is_blank,
    is_list,
    is_null,
    is_number,
    is_object,
    is_text,
    is_written_text,
    items_of,
    number,
    string,
    truthy,
    type_name,
    value_of,
    written_text,
)
from engine.parsing.header import Inherited
from engine.parsing.normalised_form import POINT_KEYS, WEIGHT_KEYS, hash_id, prompt_config, rubric_config
from engine.parsing.rubric import RubricReader
from engine.text import Record, Span
from engine.text.pacing import give_way
from engine.yaml.keys import Part, names_read
from engine.yaml.nodes import (
    NO_MAPPING,
    Data,
    MappingNode,
    Node,
    Pair,
    ScalarNode,
    SequenceNode,
    holds_bytes,
    json_text,
    property_name,
    resolved,
    to_data,
)

_KNOWN: Final = names_read(Part.PROMPT)
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
    if len(found.keys() & _ROLES.keys()) == 1 and found.keys() <= _ROLES.keys() | _KNOWN:
        _note_lost(found, _ROLES, demand, refused=True)
    else:
        demand.note(Kind.BAD_MESSAGE, node, "", refused=True)
    return None


def _note_lost(found: Fields, own: Collection[str], demand: Demands, *, refused: bool) -> None:
    """Note the keys of a message that nobody reads there: those of a prompt, and unknown ones."""
    for name, pair in found.items():
        if name not in own:
            kind = Kind.KEY_IN_MESSAGE if name in _KNOWN else Kind.UNKNOWN_KEY
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


_SHOULD: Final = Block.SHOULD
_SHOULD_NOT: Final = Block.SHOULD_NOT
_TOOLS: Final = ("requiredTools", "prohibitedTools")


class PromptReader:
    """Reads the items of the prompt list, one after the other."""

    __slots__ = ("_demand", "_first", "_inherited", "_rubrics")

    def __init__(self, demand: Demands, inherited: Inherited) -> None:
        self._demand = demand
        self._inherited = inherited
        self._rubrics = RubricReader(demand, inherited.definitions)
        self._first = Named(None)

    def prompt(self, index: int, item: Node) -> Prompt | None:
        """The prompt at `index` of the list, from `item`; None if `item` is null."""
        give_way()
        node = resolved(item)
        demand = self._demand
        demand.prompt = index
        if type(node) is MappingNode:
            found = fields(node)
            demand.note_unknown(found, _KNOWN)
            return self._read(index, item, node, found)
        if is_null(node):
            demand.prompt = None  # the blueprint has no such prompt
            demand(False, item, "Cannot read properties of null (reading 'prompt')", Kind.STRAY_ITEM, "null")
            return None
        return self._read(index, item, node, {})

    def note_shadowed(self, header: Header, prompts: Sequence[Prompt], items: Sequence[Node]) -> None:
        """Note that prompts have temperatures of their own, which those of the header override (platform.md, A22)."""
        key = "temperatures" if header.temperatures else "temperature"
        above = None if header.temperatures else header.temperature
        own = [each for each in prompts if each.temperature is not None and each.temperature != above]
        if own and (header.temperatures or header.temperature is not None):
            pair = fields_of(resolved(items[own[0].index])).get("temperature")
            if pair is not None:
                flagged = not header.temperatures
                self._demand.note(Kind.TEMPERATURE_SHADOWED, pair.key, f"{key} {len(own)}", flagged=flagged)

    def demand_no_own_system(self, prompts: Sequence[Prompt], items: Sequence[Node]) -> None:
        """Demand that no prompt has a system prompt, if the header has several (platform.md, A23)."""
        for prompt in prompts if self._inherited.no_own_system else ():
            pair = fields_of(resolved(items[prompt.index])).get("system")
            if pair is not None and string(value_of(pair)):
                self._demand.prompt = prompt.index
                self._demand(False, pair.value, lambda name=prompt.id: (
                    "Config validation error: When a top-level 'systems' array is defined for permutation, individual"
                    f" prompts (like '{name}') cannot have their own 'system' override. This is to ensure a clean"
                    " comparison across all system prompts."
                ), Kind.BAD_SYSTEM, "own", flagged=True, when_run=True)  # fmt: skip

    def _read(self, index: int, item: Node, node: Node, found: Fields) -> Prompt:
        demand, inherited = self._demand, self._inherited
        written = found.get("id")
        demand.who = Named(written)
        name = property_name(written.value) if written is not None and truthy(written) else ""
        before = len(demand.findings)
        turns = read_turns(found, demand)
        system = _system(found, demand)
        citation = _citation(found, demand)
        weight = _weight(found, demand)
        refusal = f"Invalid 'render_as' value on prompt '{{prompt.known}}'. Must be one of: {', '.join(RenderAs)}."
        render_as = read_render_as(found, demand, refusal)
        temperature = _temperature(found, demand)
        required_tools, prohibited_tools = [_tools(key, found, demand) for key in _TOOLS]
        max_calls = _max_calls(found, demand)
        should = self._rubric(_SHOULD, found, *POINT_KEYS)
        should_not = self._rubric(_SHOULD_NOT, found, "should_not")
        _unread_types(found, demand)
        start = item.span.start
        prompt_id = name or self._hash(node, should, should_not, demand.findings[before:])
        demand.who = Named(written, prompt_id)
        self._demand_to_run(index, item, found, turns)
        no_cache = found.get("noCache")
        return Prompt(
            index=index,
            span=item.span,
            id=prompt_id,
            id_span=written.value.span if written is not None and name else Span(start, start),
            id_written=bool(name),
            messages=read_messages(found, turns),
            should=should,
            should_not=should_not,
            ideal=_text(value_of(first_truthy(found, "ideal", "idealResponse"))),
            system=system,
            description=_text(value_of(found.get("description"))),
            citation=citation,
            temperature=temperature,
            weight=weight,
            render_as=render_as or inherited.render_as,
            no_cache=inherited.no_cache if no_cache is None else truthy(no_cache),
            required_tools=required_tools,
            prohibited_tools=prohibited_tools,
            max_calls=max_calls,
            node=node if isinstance(node, MappingNode) else NO_MAPPING,
        )

    def _demand_to_run(self, index: int, item: Node, found: Fields, turns: Sequence[Turn]) -> None:
        """What Weval demands of a prompt before it runs: of its conversation, and of its id, by which it sorts."""
        demand, who, pair = self._demand, self._demand.who, self._demand.who.pair
        if pair is not None and is_object(value_of(pair)):
            demand.say(item, lambda: who.called, Stage.RUN)
        if isinstance(resolved(item), MappingNode):
            demand_conversation(item, found, turns, demand)
        else:
            demand(False, item, NO_MESSAGES, Kind.STRAY_ITEM, type_name(resolved(item)), when_run=True)
        if index == 0:
            self._first = who
        if index == 1 and self._first.pair is not None:
            demand.say(self._first.pair.value, lambda: str(self._first), Stage.HASH)
        if index and pair is not None and truthy(pair) and not is_text(value_of(pair)):  # compared with the first
            demand.note(Kind.NUMBERED_ID, pair.value, property_name(pair.value))
            demand.refuse(pair.value, '(a.id || "").localeCompare is not a function', Stage.HASH)

    def _rubric(self, block: Block, found: Fields, *names: str) -> Rubric | None:
        written = first_truthy(found, *names)
        return None if written is None else self._rubrics.rubric(block, written.value)

    def _hash(self, node: Node, should: Rubric | None, should_not: Rubric | None, noted: Sequence[Finding]) -> str:
        """The id of a prompt without one, as Weval makes it of its own reading.

        If Weval refuses the prompt, by its findings `noted`, the id is made of our reading.
        """
        read: dict[str, Data] = {}
        if any(note.refused and not note.when_run for note in noted):
            blocks = (("points", should), ("should_not", should_not))
            read = {name: rubric_config(rubric) for name, rubric in blocks if rubric is not None}
        return hash_id(prompt_config(to_data(node), self._inherited.header, self._inherited.defined, read))


def _text(node: Node | None) -> str | None:
    return node.text if type(node) is ScalarNode and node.value is not None else None


def _system(found: Fields, demand: Demands) -> str | Absent | None:
    pair = found.get("system")
    if pair is None:
        return ABSENT
    value = value_of(pair)
    written = string(value)
    refusal = (
        "Invalid 'system' field in prompt '{prompt.known}': Per-prompt 'system' must be a string or null, not an array."
        " Did you mean to use 'systems' (plural) at the global config level instead?"
        if is_list(value)
        else "Invalid 'system' field in prompt '{prompt.known}': Must be a string or null. Found: {type}"
    )
    demand(written is not None or is_null(value), pair.value, refusal, Kind.BAD_SYSTEM)
    return None if is_null(value) else ABSENT if written is None else written


def _citation(found: Fields, demand: Demands) -> Data:
    cited = first_truthy(found, "citation")
    pair = cited or found.get("reference")
    if pair is None:
        return None
    demand_source(
        pair.value,
        demand,
        "Invalid 'citation'/'reference' field in prompt '{prompt}': must be a string or an object with 'title'/'name'.",
        "Invalid 'citation'/'reference' object in prompt '{prompt}': missing 'title' or 'name' string.",
    )
    return to_data(pair.value) if cited is not None or truthy(pair) else None


def _weight(found: Fields, demand: Demands) -> float:
    pair = first_written(found, *WEIGHT_KEYS)
    if pair is None or (is_null(pair.value) and "multiplier" not in found):
        return 1.0
    refusal = "Prompt weight must be a number between 0.1 and 10. Found {text}. Prompt ID: '{prompt.known}'"
    return demand_weight(pair, demand, refusal)


def _temperature(found: Fields, demand: Demands) -> float | None:
    refusal = "Prompt temperature must be a number. Found {type}. Prompt ID: '{prompt.known}'"
    return number(demand.field(found, "temperature", is_number, refusal, Kind.BAD_TEMPERATURE, ""))


def _tools(key: str, found: Fields, demand: Demands) -> tuple[str, ...]:
    refusal = f"Prompt '{key}' must be an array. Prompt ID: '{{prompt.known}}'"
    tools = demand.field(found, key, is_list, refusal, Kind.BAD_TOOLS)
    return tuple(name for item in items_of(tools) if (name := string(resolved(item))) is not None)


def _max_calls(found: Fields, demand: Demands) -> int | None:
    refusal = "Prompt 'maxCalls' must be a non-negative number. Found {text}. Prompt ID: '{prompt.known}'"
    demand.field(found, "maxCalls", lambda value: is_between(value, 0, math.inf), refusal, Kind.BAD_TOOLS)
    calls = number(value_of(found.get("maxCalls")))
    return None if calls is None or not math.isfinite(calls) else int(calls)


def _unread_types(found: Fields, demand: Demands) -> None:
    """Note what Weval accepts whatever its type: an ideal that is no text, and a `noCache`."""
    value = value_of(first_written(found, "ideal", "idealResponse"))
    if value is not None and not is_null(value) and string(value) is None:
        kind = Kind.NON_STRING_SCALAR if isinstance(value, ScalarNode) else Kind.WRONG_TYPE
        demand.note(kind, value, "ideal")
    demand_flag("noCache", found, demand)
