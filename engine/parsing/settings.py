"""Reads the settings of a prompt: its fields other than the question and the rubric (002, "Prompt Fields")."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from engine.blueprint import ABSENT, Absent, RenderAs
from engine.parsing.fields import (
    Fields,
    fields,
    first_truthy,
    first_written,
    is_blank,
    is_null,
    number,
    string,
    truthy,
    type_name,
    value_of,
)
from engine.parsing.findings import Kind
from engine.parsing.flags import check_flag
from engine.parsing.normalised_form import WEIGHT_KEYS
from engine.parsing.parser_notes import Notes
from engine.parsing.point_weights import weight
from engine.record import Record, field
from engine.yaml_nodes.nodes import Data, MappingNode, Node, ScalarNode, SequenceNode, resolved
from engine.yaml_nodes.values import to_data

_MARKDOWN: Final = RenderAs.MARKDOWN
_RENDER_AS: Final = frozenset(RenderAs)


class Inherited(Record):
    """What prompts inherit from the header: its plain data, and the nodes that `$ref` refers to (None if unknown)."""

    header: dict[str, Data] = field(default_factory=dict[str, Data])
    defined: dict[str, Data] = field(default_factory=dict[str, Data])
    render_as: RenderAs = _MARKDOWN
    no_cache: bool = False
    definitions: Mapping[str, Node] | None = field(default_factory=dict[str, Node])
    no_own_system: bool = False
    """Whether the header lists system prompts: Weval then refuses a prompt with a system prompt of its own (A23)."""


class Settings(Record):
    """The fields of `Prompt` of the same names."""

    render_as: RenderAs
    no_cache: bool
    system: str | Absent | None
    citation: Data
    temperature: float | None
    weight: float
    required_tools: tuple[str, ...]
    prohibited_tools: tuple[str, ...]
    max_calls: int | None


def read_settings(found: Fields, notes: Notes, inherited: Inherited) -> Settings:
    """The settings of a prompt with the fields `found`; notes what Weval refuses, in Weval's order."""
    system = _system(found, notes, inherited)
    _check_ideal(found, notes)
    citation = _citation(found, notes)
    importance = _weight(found, notes)
    render_as = _render_as(found, notes)
    temperature = _temperature(found, notes)
    required = _tools("requiredTools", found, notes)
    prohibited = _tools("prohibitedTools", found, notes)
    no_cache = found.get("noCache")
    check_flag("noCache", found, notes)
    return Settings(
        render_as=render_as or inherited.render_as,
        no_cache=inherited.no_cache if no_cache is None else truthy(no_cache),
        system=system,
        citation=citation,
        temperature=temperature,
        weight=importance,
        required_tools=required,
        prohibited_tools=prohibited,
        max_calls=_max_calls(found, notes),
    )


def _check_ideal(found: Fields, notes: Notes) -> None:
    """Note an ideal that is no text."""
    value = value_of(first_written(found, "ideal", "idealResponse"))
    if value is not None and not is_null(value) and string(value) is None:
        kind = Kind.NON_STRING_SCALAR if isinstance(value, ScalarNode) else Kind.WRONG_TYPE
        notes.add(kind, value, "ideal")


def _system(found: Fields, notes: Notes, inherited: Inherited) -> str | Absent | None:
    pair = found.get("system")
    if pair is None:
        return ABSENT
    value = value_of(pair)
    if is_null(value):
        return None
    if (written := string(value)) is not None:
        if written and inherited.no_own_system:
            notes.add(Kind.BAD_SYSTEM, pair.value, "own", refused=True, flagged=True, when_run=True)
        return written
    notes.add(Kind.BAD_SYSTEM, pair.value, type_name(value), refused=True)
    return ABSENT


def _citation(found: Fields, notes: Notes) -> Data:
    cited = first_truthy(found, "citation")
    pair = cited or found.get("reference")
    if pair is None:
        return None
    value = value_of(pair)
    if string(value) is None:
        _refuse_citation(pair.value, value, notes)
    return to_data(pair.value) if cited is not None or truthy(pair) else None


def _refuse_citation(at: Node, value: Node | None, notes: Notes) -> None:
    if isinstance(value, ScalarNode):
        notes.add(Kind.BAD_REFERENCE, at, "", refused=True)
    elif not has_title(value):
        notes.add(Kind.BAD_REFERENCE, at, "title", refused=True)


def has_title(node: Node | None) -> bool:
    """Whether a citation has a `title`, or else a `name`, that is a string and not blank."""
    if not isinstance(node, MappingNode):
        return False
    pair = first_truthy(fields(node), "title", "name")
    return not is_blank(string(value_of(pair)) or "")


def _weight(found: Fields, notes: Notes) -> float:
    pair = first_written(found, *WEIGHT_KEYS)
    if pair is None or (is_null(pair.value) and "multiplier" not in found):
        return 1.0
    return weight(notes, pair)


def _render_as(found: Fields, notes: Notes) -> RenderAs | None:
    pair = found.get("render_as")
    if pair is None or not truthy(pair):
        return None
    name = string(value_of(pair))
    if name in _RENDER_AS:
        return RenderAs(name)
    notes.add(Kind.BAD_RENDER_AS, pair.value, name or "", refused=True)
    return None


def _temperature(found: Fields, notes: Notes) -> float | None:
    pair = found.get("temperature")
    if pair is None:
        return None
    temperature = number(value_of(pair))
    if temperature is None:
        notes.add(Kind.BAD_TEMPERATURE, pair.value, refused=True)
    return temperature


def _tools(key: str, found: Fields, notes: Notes) -> tuple[str, ...]:
    pair = found.get(key)
    if pair is None:
        return ()
    node = value_of(pair)
    if not isinstance(node, SequenceNode):
        notes.add(Kind.BAD_TOOLS, pair.value, key, refused=True)
        return ()
    return tuple(name for item in node.items if (name := string(resolved(item))) is not None)


def _max_calls(found: Fields, notes: Notes) -> int | None:
    pair = found.get("maxCalls")
    if pair is None:
        return None
    calls = number(value_of(pair))
    if calls is None or calls < 0:
        notes.add(Kind.BAD_TOOLS, pair.value, "maxCalls", refused=True)
    return None if calls is None or not math.isfinite(calls) else int(calls)
