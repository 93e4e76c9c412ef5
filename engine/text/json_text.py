"""Reads JSON that others wrote: bounded in its depth, with numbers as JavaScript reads them."""

from __future__ import annotations

import json
from typing import Any, cast

DEEPEST = 100
"""Levels of lists and objects within each other. Code that follows such data calls itself at each level."""
_LONGEST_INTEGER = 308
"""Digits. Longer integers are no `float`, nor does Python read those of thousands of digits."""


class TooDeep(ValueError):
    """The JSON is nested too deeply."""


def read_json(text: str | bytes, deepest: int = DEEPEST) -> Any:
    """The value in `text`; an integer that is no finite double becomes infinite, as in JavaScript.

    Raises `ValueError`: `json.JSONDecodeError` for what is no JSON, `UnicodeDecodeError`, and `TooDeep`.
    """
    try:
        data = json.loads(text, parse_int=_integer)
    except RecursionError:
        raise TooDeep("nested too deeply") from None
    if is_deeper(data, deepest):
        raise TooDeep("nested too deeply")
    return data


def is_deeper(data: Any, deepest: int) -> bool:
    """Whether `data` has more than `deepest` levels of lists and mappings within each other."""
    level = [data]
    for _ in range(deepest + 1):
        level = [part for each in level for part in _parts(each)]
        if not level:
            return False
    return True


def _parts(data: Any) -> list[Any]:
    if isinstance(data, dict):
        return list(cast("dict[str, Any]", data).values())
    return cast("list[Any]", data) if isinstance(data, list) else []


def _integer(text: str) -> int | float:
    return int(text) if len(text) <= _LONGEST_INTEGER else float(text)
