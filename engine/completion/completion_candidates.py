"""Completion candidates, with the text that each inserts and the position of the cursor in it.

They are names (of definitions, tools, services, models and functions) and the values of a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TypeAlias, TypeVar

from engine.blueprint import Header
from engine.completion.enclosing_path import Notation, Place
from engine.functions import ALL, PointFunction, known_to_weval
from engine.text.record import Record
from engine.text.spans import Span
from engine.yaml.keys import Key, Names, Shape
from engine.yaml.nodes import Data

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


Written: TypeAlias = tuple[str, int]
"""The inserted text, and the offset of the cursor in it."""


def _written(template: str) -> Written:
    """The text of a template, with the cursor at its first hole, or at its end if it has none."""
    at = template.find(_HOLE)
    text = template.replace(_HOLE, "")
    return text, len(text) if at < 0 else at


def _argument(function: PointFunction, notation: Notation) -> str:
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


def _fn(name: str, function: PointFunction, place: Place) -> Written:
    """The value of `fn`, with `arg` below it if the point has none yet."""
    has_argument = bool(place.siblings & {"arg", "fnArgs"})
    if has_argument or place.notation is not Notation.BLOCK or place.quote or place.rest.strip():
        return value_written(name, place)
    argument = _argument(function, Notation.FLOW)
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
    opened, closed = _marks('"' if place.notation is Notation.JSON else place.quote, place)
    if _COLON.match(place.rest):
        return _written(f"{opened}{name}{closed}")
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
    opened, closed = _marks(mark, place)
    return _written(f"{opened}{value}{closed}")


def _marks(mark: str, place: Place) -> tuple[str, str]:
    """What opens and closes a name or value in quotation marks, as far as they are not there."""
    return "" if place.quote else mark, "" if place.rest.startswith(mark) else mark


_CORE = "The models that Weval runs if a blueprint names none."
_COLLECTIONS = {"CORE": _CORE, "FRONTIER": "The newest large models."}
_MODELS = (
    "openai:gpt-4o-mini",
    "openai:gpt-4o",
    "anthropic:claude-3-5-sonnet",
    "anthropic:claude-3.5-haiku",
    "anthropic:claude-3-haiku-20240307",
    "google:gemini-1.5-flash-latest",
    "mistral:mistral-large-latest",
    "together:meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo",
    "xai:grok-beta",
    "openrouter:google/gemini-pro",
    "openrouter:qwen/qwen3-30b-a3b-instruct-2507",
    "openrouter:openai/gpt-oss-120b",
)
"""The models in the format documents (002)."""

_REFERENCE = "ref"
_BY_NAME: dict[str, PointFunction | None] = {
    **{function.name: function for function in ALL if function.negates is None},
    _REFERENCE: None,
    **{function.name: function for function in ALL if function.negates is not None},
}
"""The functions by their documented names, `not_` twins last. `$ref` is written like a function; None stands for it."""

T = TypeVar("T")


class Candidate(Record):
    """One completion.

    `text`, with LF line ends, replaces the completed span. The cursor then moves to the offset `cursor` in it,
    `0 <= cursor <= len(text)`. `argument` is the shape of the value, `example` a valid line, and `caution` a warning;
    each is "" if there is none.
    """

    label: str
    text: str
    cursor: int
    summary: str
    argument: str = ""
    example: str = ""
    caution: str = ""


class Completions(Record):
    """The candidates for the word in `span`, at least one, best first.

    `typed` is the part of the word before the cursor. `opens_itself` is true while the name of a point function is
    being typed: the list may then open without a key.
    """

    span: Span
    typed: str
    candidates: tuple[Candidate, ...]
    opens_itself: bool


class Known(Record):
    """The names that a blueprint and the folders around it define."""

    definitions: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()


def names_in(header: Header) -> Known:
    """The names of definitions, tools and services in `header`, and its models and judges."""
    fields = header.fields
    models = [model for model in header.models if isinstance(model, str)]
    return Known(
        definitions=_keys(fields.get("point_defs")),
        tools=tuple(_texts(fields.get("tools"), "name")),
        services=_keys(fields.get("externalServices")),
        models=(*models, *(judge.model for judge in header.judges)),
    )


def _keys(value: Data) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, dict) else ()


def _texts(value: Data, key: str) -> Iterator[str]:
    for item in value if isinstance(value, list) else ():
        name = item.get(key) if isinstance(item, dict) else None
        if isinstance(name, str):
            yield name


def values_for(key: Key, place: Place) -> Iterator[Candidate]:
    """The values of `key` that match the typed word."""
    is_flag = key.shape is Shape.FLAG
    for value in fitting(place.word, ("true", "false") if is_flag else key.values, str):
        yield Candidate(value, *value_written(value, place, is_text=not is_flag), key.summary)


def names_for(names: Names, known: Known, place: Place) -> Iterator[Candidate]:
    """The names of this kind that match the typed word."""
    summaries = _summaries(names, known)
    for name in fitting(place.word, summaries, str):
        if not any(letter in name for letter in "\r\n\"'#"):
            yield Candidate(name, *value_written(name, place), summaries[name])


def _summaries(names: Names, known: Known) -> dict[str, str]:
    match names:
        case Names.DEFINITIONS:
            return dict.fromkeys(known.definitions, "Defined in the header, under point_defs.")
        case Names.TOOLS:
            return dict.fromkeys(known.tools, "A tool of the header.")
        case Names.SERVICES:
            return dict.fromkeys(known.services, "A service of the header, under externalServices.")
        case Names.MODELS:
            return (
                dict.fromkeys(_MODELS, "A model in the documentation.")
                | dict.fromkeys(known.models, "Used in this blueprint.")
                | _COLLECTIONS
                | dict.fromkeys(known.collections, "A collection beside this blueprint.")
            )
        case Names.FUNCTIONS:
            return {}


def functions_for(typed: str, place: Place, *, as_point: bool) -> Iterator[Candidate]:
    """The functions whose names match `typed` (without `$`), as points or as the value of `fn`.

    An alias is offered only if it starts with `typed` and no documented name matches.
    """
    names = [name for name in _BY_NAME if as_point or name != _REFERENCE]
    fit = fitting(typed, names, str)
    for name in fit:
        function = _BY_NAME[name]
        yield _reference(place) if function is None else _function(name, function, place, as_point=as_point)
    if not fit and typed:
        for function in ALL:
            for alias in function.aliases:
                if alias.startswith(typed):
                    yield _function(alias, function, place, as_point=as_point)


def _function(name: str, function: PointFunction, place: Place, *, as_point: bool) -> Candidate:
    is_alias = name != function.name
    return Candidate(
        f"${name}" if as_point else name,
        *(_pair(f"${name}", _argument(function, place.notation), place) if as_point else _fn(name, function, place)),
        f"Another name of ${function.name}. {function.summary}" if is_alias else function.summary,
        function.argument,
        f"- {function.example}",
        _caution(name, function),
    )


def _caution(name: str, function: PointFunction) -> str:
    if known_to_weval(name):
        return ""
    known = function.weval_name
    return "Weval does not know it." if known is None else f"Weval knows it only as ${known}."


def _reference(place: Place) -> Candidate:
    summary = "A criterion that is defined once, under point_defs in the header."
    template = f'"{_HOLE}"' if place.notation is Notation.JSON else _HOLE
    return Candidate("$ref", *_pair("$ref", template, place), summary, "name", "- $ref: scoreBand")


def fitting(typed: str, items: Iterable[T], name_of: Callable[[T], str]) -> list[T]:
    """The items whose names match `typed`, best first; ties keep their order."""
    ranked = [(rank, item) for item in items if (rank := _rank(typed.lower(), name_of(item).lower())) is not None]
    return [item for _, item in sorted(ranked, key=lambda each: each[0])]


def _rank(typed: str, name: str) -> int | None:
    """The rank of `name` for `typed`, lower is better; None if it does not match.

    0: the whole name. 1: its start. 2: the start of a word in it, or from its second letter (`$icontains`). 3: any
    part. 4: its letters in order.
    """
    if name.startswith(typed):
        return 0 if name == typed else 1
    if typed in name:
        return 2 if any(at == 1 or not name[at - 1].isalnum() for at in _places(name, typed)) else 3
    letters = iter(name)
    return 4 if typed[0] == name[0] and all(letter in letters for letter in typed) else None


def _places(name: str, typed: str) -> Iterable[int]:
    return (at for at in range(len(name)) if name.startswith(typed, at))
