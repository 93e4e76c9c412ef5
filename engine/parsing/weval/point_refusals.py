"""The refusals of Weval's parser in a rubric block: first in its points, then in their `$ref`s (A11, A12, A17-A19)."""

from __future__ import annotations

from datetime import datetime

from engine.blueprint import ABSENT
from engine.parsing.normalised_form import IN_EVERY_OBJECT, normal_function_name
from engine.parsing.weval.javascript_values import (
    Named,
    Place,
    Refused,
    Value,
    demand,
    first_true,
    first_written,
    is_between,
    is_object,
    is_true,
    member,
    text_of,
)
from engine.record import Record
from engine.yaml_nodes.nodes import Data
from engine.yaml_nodes.values import json_text

_FUNCTIONS_OF_OBJECTS = frozenset(
    (
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString"),
        *("valueOf", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
    )
)
"""Names under which JavaScript finds a function in every object (A29)."""


class _Reference(Record):
    """The argument of one `$ref`, and its place."""

    args: Value
    place: Place


def check_block(block: Data, name: Value, definitions: dict[str, Data], place: Place) -> None:
    """Check the block `should` or `should_not` of the prompt whose `id` is `name`. Raises `Refused`."""
    if not isinstance(block, list):
        return
    references: list[_Reference] = []
    for index, item in enumerate(block):
        if isinstance(item, str):
            if item == "$ref":
                references.append(_Reference(ABSENT, (*place, index)))
        elif isinstance(item, list):
            _check_path(item, name, (*place, index), references)
        else:
            _check_point(item, name, (*place, index), references)
    for reference in references:
        _check_reference(reference, name, definitions)


def _check_path(items: list[Data], name: Value, place: Place, references: list[_Reference]) -> None:
    who = Named(name, place)
    demand(not items or not isinstance(items[0], list), place, lambda: (
        f"Nested arrays within nested arrays are not supported in prompt '{who}'. Found: {json_text(items)}"
    ))  # fmt: skip
    for index, item in enumerate(items):
        if isinstance(item, str) or item is None or item == []:
            continue
        at = (*place, index)
        if isinstance(item, list):
            found = json_text(item)
            raise Refused(
                f"Nested arrays within alternative paths are not supported in prompt '{who}'. Found: {found}", at
            )
        demand(is_object(item), at, lambda item=item: (
            f"Invalid point format in alternative path in prompt '{who}'. Point must be a string or object."
            f" Found: {json_text(item)}"
        ))  # fmt: skip
        _check_point(item, name, at, references)


def _check_point(item: Data, name: Value, place: Place, references: list[_Reference]) -> None:
    who = Named(name, place)
    demand(is_object(item), place, lambda: (
        f"Invalid point format in prompt '{who}': Point must be a string, array, or object. Found: {json_text(item)}"
    ))  # fmt: skip
    written = {} if isinstance(item, datetime) else item
    assert isinstance(written, dict)
    text: Value
    fn: Value
    key = next((key for key in written if key[:1] == "$"), None)
    if key is not None:
        text, fn, args = ABSENT, key[1:], written[key]
    elif is_true(first_true(written, "text", "point", "fn")):
        text, fn, args = (
            first_true(written, "text", "point"),
            member(written, "fn"),
            first_true(written, "fnArgs", "arg"),
        )
    else:
        [text, fn, args] = [_cited(written), ABSENT, ABSENT]
        written = {}
    demand(not (is_true(fn) and is_true(text)), place, lambda: (
        f"Invalid point in prompt '{who}': Point cannot have both 'text' and 'fn' defined. Found: {json_text(item)}"
    ))  # fmt: skip
    demand(is_true(fn) or is_true(text), place, lambda: (
        f"Invalid point object in prompt '{who}': Point must define 'text', a function ('fn' or '$...'), or a"
        f" 'Point: Citation' pair. Found: {json_text(item)}"
    ))  # fmt: skip
    demand(not is_true(fn) or isinstance(fn, str), (*place, "fn"), lambda: "fn.startsWith is not a function")
    weight = first_written(written, "weight", "multiplier")
    if weight is not ABSENT and weight is not None and not is_between(weight, 0.1, 10):
        refusal = f"Point multiplier must be a number between 0.1 and 10. Found {text_of(weight, place)}."
        raise Refused(f"{refusal} Prompt ID: '{who.known}'", place)
    if isinstance(fn, str) and normal_function_name(fn) == "ref":
        references.append(_Reference(args, place))


def _cited(item: dict[str, Data]) -> Value:
    """The text of `text: citation`; ABSENT if `item` is not such a pair."""
    if len(item) != 1:
        return ABSENT
    [(text, citation)] = item.items()
    return text if isinstance(citation, str) else ABSENT


def _check_reference(reference: _Reference, name: Value, definitions: dict[str, Data]) -> None:
    args, place = reference.args, reference.place
    prompt = Named(name, place)
    target = args
    if is_object(args) and is_true(member(args, "name")):
        target = member(args, "name")
    usable = isinstance(target, str) and bool(target)
    demand(usable, place, lambda: f"Invalid $ref usage in prompt '{prompt.known}'. Expected a string name.")
    assert isinstance(target, str)
    unsupported = f"Definition '{target}' is of unsupported type."
    if target not in definitions:
        demand(target not in _FUNCTIONS_OF_OBJECTS, place, lambda: unsupported)
        demand(target == IN_EVERY_OBJECT, place, lambda: (
            f"Undefined definition '{target}' referenced in prompt '{prompt.known}'."
        ))  # fmt: skip
        return
    definition = definitions[target]
    demand(isinstance(definition, str) or is_object(definition), place, lambda: unsupported)
