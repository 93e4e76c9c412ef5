"""The text that a candidate inserts, and the position of the cursor in it."""

from __future__ import annotations

import re
from functools import cache

from engine.completion.enclosing_path import Notation, Place
from engine.functions import PointFunction
from engine.parsing.keys import Key, Shape
from engine.text.record import Record

STEP = "  "
"""One step of indentation."""

_COLON = re.compile(r"""["']?\s*:""")
_LITERAL = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|(?<=[\[ ])-?\d+(?:\.\d+)?(?=[,\]])|(?<=: )[\w-]+(?=,)""")
_SEVERAL = re.compile(r"''(?:, '')+")
_WITHIN = re.compile(r"(?<=: )\{ [^{}]* \}")
_PLAIN = re.compile(r"(?!(?:true|false|null)$)[a-z_](?:[\w./:@+-]*\w)?", re.IGNORECASE)
"""Names that YAML reads as strings without quotation marks."""

_NAME = re.compile(r"([{,] )(\w+):")
_HOLE = "\0"
"""Marks a place for the author to fill in."""


class Written(Record):
    """The inserted text, and the offset of the cursor in it."""

    text: str
    cursor: int


def _written(template: str) -> Written:
    """The text of a template, with the cursor at its first hole, or at its end if it has none."""
    at = template.find(_HOLE)
    text = template.replace(_HOLE, "")
    return Written(text, len(text) if at < 0 else at)


def argument_template(function: PointFunction, notation: Notation) -> str:
    """The argument of `function` with holes for what the author fills in, made from its example."""
    return _template(function.argument, function.example.partition(": ")[2], notation)


@cache
def _template(argument: str, example: str, notation: Notation) -> str:
    if notation is Notation.BLOCK and argument.startswith("[") and example.startswith(("['", '["')):
        return f"\n- '{_HOLE}'" if example[1] == "'" else f"\n- {_HOLE}"
    template = _LITERAL.sub(lambda match: _blank(match[0]), example)
    template = _SEVERAL.sub("''", template)
    if template.startswith("{"):
        template = "{" + _WITHIN.sub("{}", template[1:])
    template = template.replace("''", f"'{_HOLE}'").replace("[,", f"[{_HOLE},")
    if notation is Notation.JSON:
        template = _NAME.sub(r'\1"\2":', template.replace("'", '"'))
    return template


def _blank(literal: str) -> str:
    if literal == '"{response}"':
        return literal
    return "" if literal.lstrip("-").replace(".", "").isdigit() else "''"


def function_written(name: str, function: PointFunction, place: Place) -> Written:
    """The point `$name: argument`, or only the name if an argument follows already."""
    return _pair(f"${name}", argument_template(function, place.notation), place)


def reference_written(place: Place) -> Written:
    """The point `$ref: `, with a hole for the name."""
    return _pair("$ref", f'"{_HOLE}"' if place.notation is Notation.JSON else _HOLE, place)


def fn_written(name: str, function: PointFunction, place: Place) -> Written:
    """The value of `fn`, with `arg` below it if the point has none yet."""
    has_argument = bool(place.siblings & {"arg", "fnArgs"})
    if has_argument or place.notation is not Notation.BLOCK or place.quote or place.rest.strip():
        return value_written(name, place)
    argument = argument_template(function, Notation.FLOW)
    return _written(f"{name}\n{' ' * place.column}arg: {argument}")


def key_written(key: Key, place: Place) -> Written:
    """`key:` and the start of its value."""
    return _pair(key.name, _key_template(key, place.notation), place)


def _key_template(key: Key, notation: Notation) -> str:
    match key.shape:
        case Shape.LIST:
            return f"\n- {_HOLE}" if notation is Notation.BLOCK else f"[{_HOLE}]"
        case Shape.MAPPING:
            return f"\n{_HOLE}" if notation is Notation.BLOCK else f"{{{_HOLE}}}"
        case Shape.TEXT if notation is Notation.JSON:
            return f'"{_HOLE}"'
        case _:
            return _HOLE


def _pair(name: str, template: str, place: Place) -> Written:
    mark = '"' if place.notation is Notation.JSON else place.quote
    opened = "" if place.quote else mark
    if _COLON.match(place.rest):
        closed = "" if not mark or place.rest.startswith(mark) else mark
        text = f"{opened}{name}{closed}"
        return Written(text, len(text))
    closed = "" if mark and place.rest.startswith(mark) else mark
    if place.notation is Notation.BLOCK and place.rest.strip() and not place.rest.lstrip().startswith("#"):
        return _written(f"{opened}{name}{closed}:{'' if place.rest.startswith(' ') else ' '}{_HOLE}")
    if place.notation is Notation.JSON and place.rest.startswith('"'):  # inserted by the editor
        return _written(f"{opened}{name}{_HOLE}")
    if template.startswith("\n"):
        below = "\n" + " " * place.column + STEP
        return _written(f"{opened}{name}{closed}:{below}{template[1:]}")
    return _written(f"{opened}{name}{closed}: {template}")


def value_written(value: str, place: Place, *, is_text: bool = True) -> Written:
    """A value, quoted if the notation, the value or an opening quotation mark requires it."""
    mark = place.quote
    if is_text and not mark:
        mark = '"' if place.notation is Notation.JSON else "" if _PLAIN.fullmatch(value) else "'"
    opened = "" if place.quote else mark
    closed = "" if not mark or place.rest.startswith(mark) else mark
    text = f"{opened}{value}{closed}"
    return Written(text, len(text))
