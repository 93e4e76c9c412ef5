"""A function call as Weval writes it in results: `Function: contains("x")`."""

from __future__ import annotations

from datetime import datetime

from engine.blueprint import Absent, FunctionCall, Point
from engine.yaml_nodes.javascript_text import javascript_number
from engine.yaml_nodes.nodes import Data
from engine.yaml_nodes.values import iso_date, javascript_order, json_string


def describe(call: FunctionCall) -> str:
    """The documented text of a call (000), with its argument as `JSON.stringify` prints it."""
    return f"Function: {call.name}({'undefined' if isinstance(call.args, Absent) else as_json(call.args)})"


def point_text(point: Point) -> str:
    """The text of a point in results: the criterion, or the documented text of its call."""
    return point.text or "" if point.function is None else describe(point.function)


def as_json(data: Data, gap: str = "") -> str:
    """`data` as JavaScript's `JSON.stringify` prints it: NaN and infinities as null, dates as strings.

    `gap` is written after commas and colons.
    """
    comma = f",{gap}"
    match data:
        case None:
            return "null"
        case bool():
            return "true" if data else "false"
        case int() | float():
            number = javascript_number(data)
            return "null" if number in ("NaN", "Infinity", "-Infinity") else number
        case str():
            return json_string(data)
        case datetime():
            return f'"{iso_date(data)}"'
        case list():
            items = (as_json(item, gap) for item in data)
            return f"[{comma.join(items)}]"
        case dict():
            pairs = (f"{json_string(name)}:{gap}{as_json(part, gap)}" for name, part in javascript_order(data).items())
            return f"{{{comma.join(pairs)}}}"
