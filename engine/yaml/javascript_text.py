"""Plain values as JavaScript converts them to strings: numbers, and the names of properties."""

from __future__ import annotations

import math
from datetime import datetime

LARGEST_INTEGER = 2**53
"""JavaScript, whose numbers are floats, represents every integer up to this one."""


def property_text(value: object) -> str:
    """`value` as the name of a property, by JavaScript's `String(value)`; a mapping is "[object Object]"."""
    match value:
        case str():
            return value
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return javascript_number(value)
        case datetime():
            return value.strftime("%a %b %d %Y %H:%M:%S GMT+0000 (Coordinated Universal Time)")
        case _:
            return "[object Object]"


def javascript_number(number: int | float) -> str:
    """`number` as JavaScript's `String(number)` prints it: `1`, `0.1`, `1e-7`, `1e+21`, `NaN`, `-Infinity`."""
    if isinstance(number, int) and -LARGEST_INTEGER <= number <= LARGEST_INTEGER:
        return str(int(number))
    try:
        number = float(number)
    except OverflowError:
        return "Infinity" if number > 0 else "-Infinity"
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "0"
    from decimal import Decimal  # fractions are rare, and the import is slow

    # Python's repr has the same shortest digits as JavaScript's; only where the exponent begins differs.
    sign, digit_tuple, exponent = Decimal(repr(number)).as_tuple()
    assert isinstance(exponent, int)
    digits = "".join(map(str, digit_tuple))
    stripped = digits.rstrip("0")
    exponent += len(digits) - len(stripped)
    digits = stripped
    point = len(digits) + exponent
    if 0 < point <= 21:
        text = digits + "0" * exponent if exponent >= 0 else f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{digits}"
    else:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        text = f"{digits[0]}{fraction}e{point - 1:+d}"
    return f"-{text}" if sign else text
