"""How results and problems are put into words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from engine.blueprint import Absent
from engine.functions.call_description import as_json
from engine.functions.point_function import Args
from engine.yaml_nodes.javascript_text import javascript_number
from engine.yaml_nodes.nodes import Data

QUOTE_LENGTH = 60
"""How many characters of a text are quoted."""
LIST_LENGTH = 5
"""How many of several texts are named."""


def quoted(text: str) -> str:
    """`text` in quotation marks on one line, cut where it is long."""
    text = " ".join(text.split("\n"))
    return f"“{text[: QUOTE_LENGTH - 1]}…”" if len(text) > QUOTE_LENGTH else f"“{text}”"


def listed(texts: Sequence[str]) -> str:
    """`texts` quoted and divided by commas, the rest counted where they are many."""
    named = ", ".join(quoted(text) for text in texts[:LIST_LENGTH])
    return f"{named} and {len(texts) - LIST_LENGTH} more" if len(texts) > LIST_LENGTH else named


def count(number: int, noun: str) -> str:
    """`1 word`, `2 words`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def times(number: int) -> str:
    """`once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def written(number: float) -> str:
    """A number as the author wrote it."""
    return javascript_number(number)


def what_is(args: Args) -> str:
    """What is written for an argument or a part of it, as authors name it: `the number 5`, `the list [1, 2]`."""
    match args:
        case Absent():
            return "nothing"
        case None:
            return "empty (null)"
        case bool():
            return str(args).lower()
        case int() | float():
            return f"the number {written(args)}"
        case str():
            return f"the text {quoted(args)}" if args else "an empty text"
        case datetime():
            return "a date to YAML; put it in quotes"
        case list():
            return f"the list {_short(args)}" if args else "an empty list"
        case dict():
            return f"the mapping {_short(args)}" if args else "an empty mapping"


def _short(args: Data) -> str:
    text = as_json(args, " ")
    return f"{text[: QUOTE_LENGTH - 1]}…" if len(text) > QUOTE_LENGTH else text


def expected(shape: str, args: Args, example: str) -> str:
    """A problem with an argument as a whole: what is expected, what is there, and a right example."""
    found = "nothing is given" if isinstance(args, Absent) else f"it is {what_is(args)}"
    return f"This needs {shape}, but {found}. Right would be: {example}"
