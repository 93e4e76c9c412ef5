"""Computes the completions at a cursor in a text."""

from __future__ import annotations

from collections.abc import Iterator

from engine.completion.candidate import Candidate, Completions, Kind, Known
from engine.completion.cursor_context import cursor_context
from engine.completion.cursor_place import At, Notation, Place
from engine.completion.expected_content import Expected, expected_at
from engine.completion.function_candidates import functions_for
from engine.completion.insertion_text import key_written
from engine.completion.name_candidates import names_for, values_for
from engine.completion.name_matching import fitting
from engine.parsing.keys import KEYS, Key, Names, Part

_NO_NAMES = Known()
_SHORTHAND = frozenset(("user", "assistant", "system"))
_CRITERION_KEYS = frozenset(("point", "text"))
_CALL_KEYS = frozenset(("fn", "arg", "fnArgs"))


def complete(text: str, offset: int, known: Known = _NO_NAMES) -> Completions | None:
    """The completions at `offset` of `text`, which may be an unfinished blueprint; None if nothing fits.

    Reads only the document at the cursor, and of a list of prompts only one prompt. This takes about a millisecond in
    most files, and ten in a document of 10,000 lines. `offset` is clamped to the text. Raises nothing.
    """
    place = cursor_context(text, offset)
    if place is None:
        return None
    expected = expected_at(place)
    candidates = tuple(_candidates(place, expected, known))
    if not candidates:
        return None
    return Completions(place.span, place.word, candidates, _opens_itself(place, expected, text))


def _opens_itself(place: Place, expected: Expected, text: str) -> bool:
    """Whether the name of a function without an argument is being typed."""
    in_point = Part.POINT in expected.parts and place.word.startswith("$")
    in_fn = expected.names is Names.FUNCTIONS and place.word != ""
    return (in_point or in_fn) and not place.rest.lstrip("\"' ").startswith(":") and place.span.of(text) == place.word


def _candidates(place: Place, expected: Expected, known: Known) -> Iterator[Candidate]:
    if place.at is not At.VALUE and expected.parts and _may_be_key(place):
        yield from _keys(place, expected.parts)
        if Part.POINT in expected.parts:
            yield from _points(place)
    if place.at is At.KEY:
        return
    if expected.names is Names.FUNCTIONS:
        yield from functions_for(place.word, place, as_point=False)
    elif expected.names is not None:
        yield from names_for(expected.names, known, place)
    elif expected.key is not None and place.at is At.VALUE:
        yield from values_for(expected.key, place)


def _may_be_key(place: Place) -> bool:
    """Whether a key can be written here: in JSON only inside a mapping, in YAML only without quotes."""
    return not place.quote if place.notation is not Notation.JSON else place.at is At.KEY


def _points(place: Place) -> Iterator[Candidate]:
    """Functions, unless the point has another form already."""
    if not any(key.startswith("$") or key in _CRITERION_KEYS or key in _CALL_KEYS for key in place.siblings):
        yield from functions_for(place.word.removeprefix("$"), place, as_point=True)


def _keys(place: Place, parts: tuple[Part, ...]) -> Iterator[Candidate]:
    keys: dict[str, Key] = {}
    for part in parts:
        for key in KEYS[part]:
            if key.written and not _is_written(key, place) and _goes_with(part, key, place.siblings):
                keys.setdefault(key.name, key)
    for key in fitting(place.word, keys.values(), lambda each: each.name):
        written = key_written(key, place)
        yield Candidate(key.name, written.text, written.cursor, Kind.KEY, key.summary, key.shape.value)


def _is_written(key: Key, place: Place) -> bool:
    """Whether the mapping has `key` already, under any of its names."""
    return not place.siblings.isdisjoint(key.read_as)


def _goes_with(part: Part, key: Key, siblings: frozenset[str]) -> bool:
    """Whether `key` has an effect beside its `siblings`."""
    match part:
        case Part.MESSAGE:
            if siblings & _SHORTHAND:
                return False
            return key.name not in _SHORTHAND if siblings & {"role", "content"} else True
        case Part.POINT:
            if any(name.startswith("$") for name in siblings):
                return key.name in ("weight", "citation")
            if siblings & _CALL_KEYS:
                return key.name not in _CRITERION_KEYS
            return key.name not in _CALL_KEYS if siblings & _CRITERION_KEYS else True
        case Part.PROMPT:
            return not (key.name == "prompt" and "messages" in siblings) and not (
                key.name == "messages" and siblings & {"prompt", "promptText"}
            )
        case _:
            return True
