"""Reading a judge's reply that is JSON: an object with its class or extent, fenced or not; of several, the last."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_FENCE = re.compile(r"\A\s*(?:```|~~~)\w*\s*|\s*(?:```|~~~)\s*\Z")
_CLASS_KEYS = (
    "classification",
    "class",
    "verdict",
    "coverage_extent",
    "coverageextent",
    "extent",
    "grade",
    "rating",
    "score",
)
_REFLECTION_KEYS = ("reflection", "reasoning", "explanation", "reason", "justification")
_LARGEST = 1e15
_READER = json.JSONDecoder(strict=False)


def json_verdict(text: str) -> tuple[str, str] | None:
    """The class or extent of the object in `text`, and its reflection; None where `text` is not JSON."""
    body = _FENCE.sub("", text)
    found = (
        [fields for fields in _objects(body) if any(key in fields for key in _CLASS_KEYS)] if body[:1] == "{" else []
    )
    if not found:
        return None
    fields = found[-1]
    name, value = next((key, fields[key]) for key in _CLASS_KEYS if key in fields)
    reflection = next((fields[key] for key in _REFLECTION_KEYS if isinstance(fields.get(key), str)), "")
    return _written(name, value), reflection.strip()


def _objects(text: str) -> Iterator[Mapping[str, Any]]:
    """The consecutive objects at the start of `text`, with their names in lower case."""
    place = 0
    while (place := text.find("{", place)) >= 0:
        try:
            data, place = _READER.raw_decode(text, place)
        except (ValueError, RecursionError):
            return
        yield {name.lower(): value for name, value in data.items()}


def _written(name: str, value: Any) -> str:
    """The value as a judge would write it; "" where it is neither a string nor a number."""
    if isinstance(value, str):
        text = value.strip()
    elif isinstance(value, int | float) and not isinstance(value, bool):
        text = f"{value:g}" if abs(value) < _LARGEST else str(value)
    else:
        return ""
    return f"{text}.0" if "extent" in name and text in ("0", "1") else text
