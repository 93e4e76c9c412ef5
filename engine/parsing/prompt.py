"""One item of the prompt list → a `Prompt`, by 002's table of prompt fields, with the demands on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from engine.blueprint import ABSENT, Absent, Block, Header, Prompt, RenderAs, Rubric
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
    is_list,
    is_null,
    is_number,
    is_object,
    is_text,
    items_of,
    number,
    string,
    truthy,
    type_name,
    value_of,
)
from engine.parsing.header import Inherited
from engine.parsing.keys import Part, names_read
from engine.parsing.messages import NO_MESSAGES, Turn, demand_conversation, read_messages, read_turns
from engine.parsing.normalised_form import POINT_KEYS, WEIGHT_KEYS, hash_id, prompt_config, rubric_config
from engine.parsing.rubric import RubricReader
from engine.text.pacing import give_way
from engine.text.spans import Span
from engine.yaml.nodes import NO_MAPPING, Data, MappingNode, Node, ScalarNode, property_name, resolved, to_data

_SHOULD: Final = Block.SHOULD
_SHOULD_NOT: Final = Block.SHOULD_NOT
_KNOWN = names_read(Part.PROMPT)
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
