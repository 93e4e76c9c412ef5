"""JSON of commands: attributes of what was found, under the names of docs/machine-readable.md."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any

from engine.evaluation.result_json import bounds_json
from engine.scoring.assessment import Bounds
from engine.text.record import Record, as_json
from engine.yaml.nodes import Data


def picked(found: object, *names: str) -> dict[str, Data]:
    """These attributes of `found`, by their names in camel case: `case.carried_over` is called `carriedOver`.

    `points=uses` gives another name. What an attribute that is None would have is null.
    """
    parts: dict[str, Data] = {}
    for each in names:
        name, _, path = each.rpartition("=")
        value: Any = found
        for attribute in path.split("."):
            value = None if value is None else getattr(value, attribute)
        first, *others = path.rpartition(".")[2].split("_")
        parts[name or "".join([first, *(other.capitalize() for other in others)])] = as_data(value)
    return parts


def as_data(value: Any) -> Data:
    """`value` as JSON has it: an enum by its value, bounds as the lowest and the highest, records by their fields."""
    match value:
        case Enum():
            return value.value
        case Bounds():
            return bounds_json(value)
        case Record():
            return as_json(value)
        case Path():
            return str(value)
        case tuple() | list() | frozenset():
            return [as_data(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value
