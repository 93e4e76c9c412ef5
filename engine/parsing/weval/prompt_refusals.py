"""The refusals of Weval's parser in one item of the prompt list, in its order (platform.md, A15-A21, A38, A39)."""

from __future__ import annotations

from engine.blueprint import ABSENT, RenderAs
from engine.parsing.normalised_form import POINT_KEYS, WEIGHT_KEYS
from engine.parsing.weval.header_refusals import is_one_of
from engine.parsing.weval.javascript_values import (
    Named,
    Place,
    Value,
    demand,
    entries,
    first_true,
    first_written,
    is_between,
    is_number,
    is_object,
    is_true,
    is_written_text,
    member,
    text_of,
    type_of,
)
from engine.parsing.weval.point_refusals import check_block
from engine.yaml_nodes.nodes import Data
from engine.yaml_nodes.values import Bytes, json_text

_RENDER_AS = ", ".join(RenderAs)
_ROLES = ("user", "assistant", "system", "ai")


def check_prompt(item: Data, definitions: dict[str, Data], place: Place) -> None:
    """Check one item. Raises `Refused`. An item that is neither a mapping nor null reads as an empty prompt."""
    demand(item is not None, place, lambda: "Cannot read properties of null (reading 'prompt')")
    if not isinstance(item, dict):
        return
    name = member(item, "id")
    messages = member(item, "messages")
    if is_true(messages) and not isinstance(messages, Bytes):
        demand(isinstance(messages, list), (*place, "messages"), lambda: "p.messages.map is not a function")
        assert isinstance(messages, list)
        for index, message in enumerate(messages):
            _check_message(message, index, name, (*place, "messages", index))
    _check_settings(item, name, place)
    for names in (POINT_KEYS, ("should_not",)):
        block = first_true(item, *names)
        if block is not ABSENT and is_true(block):
            key = next(key for key in names if is_true(member(item, key)))
            check_block(block, name, definitions, (*place, key))


def _check_message(message: Data, index: int, name: Value, place: Place) -> None:
    if not is_object(message) or is_true(member(message, "role")) or is_true(member(message, "content")):
        return
    who = Named(name, place)
    roles = [role for role, _ in entries(message)]
    demand(len(roles) == 1, place, lambda: (
        "Each message in the shorthand format must have exactly one key (e.g., 'user', 'assistant', 'ai', 'system')."
        f" Invalid message at index {index} in prompt '{who}'. Found: {json_text(message)}"
    ))  # fmt: skip
    demand(roles[0] in _ROLES, place, lambda: (
        f"Invalid role '{roles[0]}' in message at index {index} in prompt '{who}'."
    ))  # fmt: skip


def _check_settings(item: dict[str, Data], name: Value, place: Place) -> None:
    who = Named(name, place)
    system, at_system = member(item, "system"), (*place, "system")
    demand(not isinstance(system, list), at_system, lambda: (
        f"Invalid 'system' field in prompt '{who.known}': Per-prompt 'system' must be a string or null, not an array."
        " Did you mean to use 'systems' (plural) at the global config level instead?"
    ))  # fmt: skip
    demand(system is ABSENT or system is None or isinstance(system, str), at_system, lambda: (
        f"Invalid 'system' field in prompt '{who.known}': Must be a string or null. Found: {type_of(system)}"
    ))  # fmt: skip
    _check_citation(item, name, place)
    weight = first_written(item, *WEIGHT_KEYS)
    demand(weight is ABSENT or is_between(weight, 0.1, 10), _of_key(item, place, WEIGHT_KEYS), lambda: (
        f"Prompt weight must be a number between 0.1 and 10. Found {text_of(weight, place)}. Prompt ID: '{who.known}'"
    ))  # fmt: skip
    demand(is_one_of(member(item, "render_as"), tuple(RenderAs)), (*place, "render_as"), lambda: (
        f"Invalid 'render_as' value on prompt '{who.known}'. Must be one of: {_RENDER_AS}."
    ))  # fmt: skip
    temperature = member(item, "temperature")
    demand(temperature is ABSENT or is_number(temperature), (*place, "temperature"), lambda: (
        f"Prompt temperature must be a number. Found {type_of(temperature)}. Prompt ID: '{who.known}'"
    ))  # fmt: skip
    for key in ("requiredTools", "prohibitedTools"):
        tools = member(item, key)
        demand(tools is ABSENT or isinstance(tools, list), (*place, key), lambda key=key: (
            f"Prompt '{key}' must be an array. Prompt ID: '{who.known}'"
        ))  # fmt: skip
    calls = member(item, "maxCalls")
    demand(calls is ABSENT or is_between(calls, 0, float("inf")), (*place, "maxCalls"), lambda: (
        f"Prompt 'maxCalls' must be a non-negative number. Found {text_of(calls, place)}. Prompt ID: '{who.known}'"
    ))  # fmt: skip


def _check_citation(item: dict[str, Data], name: Value, place: Place) -> None:
    citation = first_true(item, "citation", "reference")
    if citation is ABSENT or isinstance(citation, str):
        return
    at, who = _of_key(item, place, ("citation", "reference")), Named(name, place)
    demand(is_object(citation), at, lambda: (
        f"Invalid 'citation'/'reference' field in prompt '{who}': must be a string or an object with 'title'/'name'."
    ))  # fmt: skip
    demand(is_written_text(first_true(citation, "title", "name")), at, lambda: (
        f"Invalid 'citation'/'reference' object in prompt '{who}': missing 'title' or 'name' string."
    ))  # fmt: skip


def _of_key(item: dict[str, Data], place: Place, names: tuple[str, ...]) -> Place:
    """The place of the first of `names` that exists and is not null, else of the last that exists."""
    there = [name for name in names if name in item]
    written = [name for name in there if item[name] is not None]
    return (*place, (written or there[-1:] or [names[0]])[0])
