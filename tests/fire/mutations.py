"""Near-valid and hostile inputs for readers: seeded changes to texts, bytes and JSON.

`chance` decides everything: the same state of it makes the same input. Most inputs are a few kilobytes; one in
`_LARGE_ONE_IN` has a part of up to `_LARGE` characters.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from engine.text.record import is_deeper
from tests.fire.hostile_scalars import OF_EVERY_TYPE, PIECES

_LARGE_ONE_IN = 300
_LARGE = 60_000
_LARGEST = 500_000
_DEEPEST_INDENTED = 50
_MOST_BLOCKS = 3_000
_MOST_CHANGES = 4
_DEEP = (3, 30, 300, 990, 5_000)
_DEEP_VALUES = (3, 30, 110, 180, 230, 300, 480, 700, 850)
"""Depths that `json.dumps` can still write, on both sides of what readers and writers give up on."""

VALUES: tuple[Any, ...] = (*OF_EVERY_TYPE, 10**400, -(10**400), "x" * 3_000)
"""Values of every type, in the place of any other."""


def text_piece(chance: Random) -> str:
    """A short hostile text; once in a while a long one."""
    piece = chance.choice(PIECES)
    most = _LARGE // len(piece)
    count = most if chance.randrange(_LARGE_ONE_IN) == 0 else chance.choice((1, 1, 1, 2, 5, 60))
    return piece * min(count, most)


def mutated_text(chance: Random, text: str, others: Sequence[str] = ()) -> str:
    """`text` after one to four changes; `others` are texts of the same kind, of which pieces may be taken."""
    for _ in range(chance.randint(1, _MOST_CHANGES)):
        low, high = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
        near = min(high, low + chance.choice((1, 1, 3, 20)))
        match chance.randrange(9):
            case 0:
                text = text[:low] + text_piece(chance) + text[low:]
            case 1:
                text = text[:low] + text_piece(chance) + text[near:]
            case 2:
                text = text[:low] + text[near:]
            case 3:
                text = text[:low] + text[high:]
            case 4:
                text = text[:low] + text[low:near] * chance.choice((2, 3, 40)) + text[near:]
            case 5:
                text = text[:low]
            case 6:
                other = chance.choice(others) if others else text
                text = text[:low] + other[chance.randint(0, len(other)) :]
            case 7:
                text = text[low:high] + text[:low] + text[high:]
            case _:
                change = chance.choice((str.upper, str.lower, str.swapcase))
                text = text[:low] + change(text[low:high]) + text[high:]
    return text


def mutated_bytes(chance: Random, data: bytes) -> bytes:
    """`data` with some bytes changed, so that it may no longer be UTF-8."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, _MOST_CHANGES)):
        at = chance.randint(0, len(changed))
        match chance.randrange(4):
            case 0:
                changed[at:at] = chance.randbytes(chance.choice((1, 2, 4)))
            case 1:
                changed[at : at + 1] = chance.choice((b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5", b"\0", b"\x80"))
            case 2:
                del changed[at : at + chance.choice((1, 2, 8))]
            case _:
                changed[at:] = b""
    return bytes(changed)


def hostile_value(chance: Random, donors: Sequence[Any] = ()) -> Any:
    """A value of any type: one of `VALUES`, a hostile text, a deep list, or a part of another document."""
    match chance.randrange(8):
        case 0:
            return text_piece(chance)
        case 1 if donors:
            return part_of(chance, chance.choice(donors))
        case 2 if chance.randrange(8) == 0:
            return nested(chance)
        case _:
            return chance.choice(VALUES)


def nested(chance: Random) -> Any:
    """Lists or mappings within each other, up to the depth that `json.dumps` can write."""
    value: Any = chance.choice(("x", 1, None))
    key = chance.choice(("text", "content", "error", "message", "x"))
    for _ in range(chance.choice(_DEEP_VALUES)):
        value = [value] if chance.random() < 0.7 else {key: value}
    return value


def part_of(chance: Random, data: Any) -> Any:
    """Some part of `data`, or all of it."""
    while isinstance(data, (dict, list)) and data and chance.random() < 0.7:
        data = chance.choice(list(data.values()) if isinstance(data, dict) else data)
    return data


def mutated_data(chance: Random, data: Any, donors: Sequence[Any] = ()) -> Any:
    """`data`, of plain JSON values, after one to four changes at random places. `data` itself stays as it is."""
    for _ in range(chance.randint(1, _MOST_CHANGES)):
        data = _changed(chance, data, donors)
    return data


def _changed(chance: Random, data: Any, donors: Sequence[Any]) -> Any:
    if isinstance(data, dict) and data and chance.random() < 0.93:
        return _changed_mapping(chance, data, donors)
    if isinstance(data, list) and data and chance.random() < 0.93:
        return _changed_list(chance, data, donors)
    if isinstance(data, str) and chance.random() < 0.5:
        return mutated_text(chance, data)
    if chance.random() < 0.1:
        return [data] if chance.random() < 0.5 else {chance.choice(("text", "content", "parts")): data}
    return hostile_value(chance, donors)


def _changed_mapping(chance: Random, data: dict[str, Any], donors: Sequence[Any]) -> dict[str, Any]:
    key = chance.choice(list(data))
    match chance.randrange(8):
        case 0:
            return {name: value for name, value in data.items() if name != key}
        case 1:
            other = chance.choice((mutated_text(chance, key), key.upper(), "__proto__", "constructor", ""))
            return {other if name == key else name: value for name, value in data.items()}
        case 2:
            return {**data, chance.choice((mutated_text(chance, key), "error", "x")): hostile_value(chance, donors)}
        case _:
            return {**data, key: _changed(chance, data[key], donors)}


def _changed_list(chance: Random, data: list[Any], donors: Sequence[Any]) -> list[Any]:
    at = chance.randrange(len(data))
    match chance.randrange(8):
        case 0:
            return data[:at] + data[at + 1 :]
        case 1:
            return data[:at] + [data[at]] * chance.choice((2, 2, 3, 50)) + data[at + 1 :]
        case 2:
            return [*data[:at], hostile_value(chance, donors), *data[at:]]
        case 3:
            return chance.sample(data, len(data))
        case _:
            return [*data[:at], _changed(chance, data[at], donors), *data[at + 1 :]]


def json_bytes(chance: Random, data: Any) -> bytes:
    """`data` as JSON in one of the ways in which it is written, and sometimes damaged, doubled or too deep."""
    separators = chance.choice((None, (",", ":"), (" , ", " : ")))
    indent = chance.choice((None, 1))
    indent = None if is_deeper(data, _DEEPEST_INDENTED) else indent  # each line of a deep value is indented as deep
    text = json.dumps(data, ensure_ascii=chance.random() < 0.5, separators=separators, indent=indent)[:_LARGEST]
    match chance.randrange(16):
        case 0 | 1:
            text = mutated_text(chance, text)
        case 2:
            text = _deep(chance, text)
        case 3:
            text = chance.choice(("\ufeff", " \n", "data: ", "x", "[", text)) + text
        case 4:
            text += chance.choice((" ", "\n", "}", "]", ",", "\0", text))
        case _:
            pass
    content = text.encode("utf-8", chance.choice(("surrogatepass", "replace")))
    return mutated_bytes(chance, content) if chance.randrange(12) == 0 else content


def _deep(chance: Random, text: str) -> str:
    """`text` within so many brackets that readers give up."""
    depth = chance.choice(_DEEP)
    opening, closing = chance.choice((("[", "]"), ('{"x":', "}"), ('{"error":', "}"), ("[[],", "]")))
    return opening * depth + text + closing * chance.choice((depth, depth, 0, depth - 1))


def chunks_of(chance: Random, data: bytes) -> list[bytes]:
    """`data` cut anywhere, also within a character or between CR and LF."""
    match chance.randrange(5):
        case 0:
            return [data]
        case 1:
            return [data[at : at + 1] for at in range(len(data))] if len(data) < 3_000 else [data]
        case 2:
            size = max(chance.choice((2, 3, 7, 64)), len(data) // _MOST_BLOCKS)
            return [data[at : at + size] for at in range(0, len(data), size)]
        case _:
            cuts = sorted(chance.randint(0, len(data)) for _ in range(chance.randint(1, 8)))
            return [data[one:other] for one, other in zip([0, *cuts], [*cuts, len(data)], strict=True)]
