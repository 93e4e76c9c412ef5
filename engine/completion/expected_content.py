"""The content expected at a place, by the table of keys."""

from __future__ import annotations

from engine.completion.cursor_place import ITEM, At, Place, Step
from engine.parsing.keys import Key, Names, Part, Shape, find_key, names_read
from engine.record import Record

_ONLY_PROMPT = names_read(Part.PROMPT) - names_read(Part.HEADER)
_ONLY_HEADER = names_read(Part.HEADER) - names_read(Part.PROMPT)

_ARGUMENTS: dict[tuple[Step, ...], Names] = {
    ("tool_called",): Names.TOOLS,
    ("tool_call_order", ITEM): Names.TOOLS,
    ("tool_call_count_between", ITEM): Names.TOOLS,
    ("tool_args_match", "name"): Names.TOOLS,
    ("ref",): Names.DEFINITIONS,
    ("call", "service"): Names.SERVICES,
}
"""The names that arguments of point functions take, by the path to them."""


class Expected(Record):
    """The content that may be written at a place: keys of `parts`, the values of `key`, or one of `names`."""

    parts: tuple[Part, ...] = ()
    key: Key | None = None
    names: Names | None = None


_NOTHING = Expected()


def expected_at(place: Place) -> Expected:
    """The content expected at `place`; nothing in custom data or below an unknown key."""
    state, steps = _begin(place)
    for number, step in enumerate(steps):
        if isinstance(step, str) and step.startswith("$") and Part.POINT in state.parts:
            return _argument(step, steps[number + 1 :])
        state = _into(state, step)
    if place.at is At.KEY and not state.parts and state.key is not None:
        return _mapping_of(state.key)
    if place.at is At.VALUE:
        return Expected(key=state.key, names=None if state.key is None else state.key.names)
    return state


def _begin(place: Place) -> tuple[Expected, tuple[Step, ...]]:
    """The part that the document is, and the remaining steps."""
    path = tuple(place.path)
    if path and path[0] is ITEM:
        return Expected((Part.PROMPT,)), path[1:]
    return Expected(_document(place)), path


def _document(place: Place) -> tuple[Part, ...]:
    """The part that a document with a mapping may be: the header, a prompt, or either."""
    keys = place.root_keys | {step for step in place.path[:1] if isinstance(step, str)}
    if "prompts" in keys:
        return (Part.HEADER,)
    if keys & _ONLY_PROMPT:
        return (Part.PROMPT,)
    if keys & _ONLY_HEADER:
        return (Part.HEADER,)
    return (Part.HEADER, Part.PROMPT) if place.is_first_document else (Part.PROMPT,)


def _into(state: Expected, step: Step) -> Expected:
    if step is ITEM:
        if state.key is None or state.parts:
            return Expected((Part.POINT,)) if Part.POINT in state.parts else _NOTHING
        if state.key.shape not in (Shape.LIST, Shape.ANY):
            return _NOTHING
        parts = () if state.key.part is None else (state.key.part,)
        return Expected(parts, None if Part.POINT in parts else state.key, state.key.names)
    if not state.parts and state.key is not None:
        if state.key.named and state.key.part is not None:
            return Expected((state.key.part,))
        state = _mapping_of(state.key)
    found = next((key for part in state.parts if (key := find_key(part, step)) is not None), None)
    return Expected(key=found)


def _mapping_of(key: Key) -> Expected:
    """The mapping directly below `key`."""
    is_mapping = key.part is not None and not key.named
    is_list = key.shape is Shape.LIST and key.part is not Part.REFERENCE
    return Expected((key.part,)) if is_mapping and not is_list and key.part is not None else _NOTHING


def _argument(name: str, inner: tuple[Step, ...]) -> Expected:
    function = name.removeprefix("$").removeprefix("not_")
    return Expected(names=_ARGUMENTS.get((function, *inner)))
