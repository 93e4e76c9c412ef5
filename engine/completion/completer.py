"""From a text and the cursor in it to what can be written there."""

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

_NOTHING_KNOWN = Known()
_SHORTHAND = frozenset(("user", "assistant", "system"))
_WORDS = frozenset(("point", "text"))
_CALL = frozenset(("fn", "arg", "fnArgs"))


def complete(text: str, offset: int, known: Known = _NOTHING_KNOWN) -> Completions | None:
    """What can be written at `offset` of `text`, a blueprint that may be half written; None where nothing fits.

    Reads the document that the cursor stands in, and of a list of prompts the one prompt: about a millisecond in most
    files, ten in a text of 10,000 lines that is one document.
    `offset` is clamped to the text. Raises nothing.
    """
    place = cursor_context(text, offset)
    if place is None:
        return None
    expected = expected_at(place)
    candidates = tuple(_candidates(place, expected, known))
    if not candidates:
        return None
    return Completions(place.span, place.word, candidates, _is_unasked(place, expected, text))


def _is_unasked(place: Place, expected: Expected, text: str) -> bool:
    """Whether a function's name is being written that does not have its argument yet."""
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
    """Whether a key can be written so: in block YAML without quotation marks, in JSON where a mapping is open."""
    return not place.quote if place.notation is not Notation.JSON else place.at is At.KEY


def _points(place: Place) -> Iterator[Candidate]:
    """Functions, where the point is not yet something else."""
    if not any(key.startswith("$") or key in _WORDS or key in _CALL for key in place.siblings):
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
    """Whether the mapping has it already, under whatever name."""
    return not place.siblings.isdisjoint(key.read_as)


def _goes_with(part: Part, key: Key, siblings: frozenset[str]) -> bool:
    """Whether `key` has a meaning beside those that are there."""
    match part:
        case Part.MESSAGE:
            if siblings & _SHORTHAND:
                return False
            return key.name not in _SHORTHAND if siblings & {"role", "content"} else True
        case Part.POINT:
            if any(name.startswith("$") for name in siblings):
                return key.name in ("weight", "citation")
            if siblings & _CALL:
                return key.name not in _WORDS
            return key.name not in _CALL if siblings & _WORDS else True
        case Part.PROMPT:
            return not (key.name == "prompt" and "messages" in siblings) and not (
                key.name == "messages" and siblings & {"prompt", "promptText"}
            )
        case _:
            return True
