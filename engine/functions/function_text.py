"""The wording of results and problems."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from engine.blueprint import Absent
from engine.functions.point_function import Args
from engine.text.spans import in_quotes
from engine.yaml.nodes import Data, javascript_number, json_text

QUOTE_LENGTH = 60
"""How many characters of a text are quoted at most."""
LIST_LENGTH = 5
"""How many of several texts are quoted at most."""


def quoted(text: str) -> str:
    """`text` in quotation marks on one line, shortened to `QUOTE_LENGTH`."""
    text = " ".join(text.split("\n"))
    return in_quotes(f"{text[: QUOTE_LENGTH - 1]}…" if len(text) > QUOTE_LENGTH else text)


def listed(texts: Sequence[str]) -> str:
    """`texts`, quoted and separated by commas; those beyond `LIST_LENGTH` are counted."""
    named = ", ".join(quoted(text) for text in texts[:LIST_LENGTH])
    return f"{named} and {len(texts) - LIST_LENGTH} more" if len(texts) > LIST_LENGTH else named


def times(number: int) -> str:
    """`once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def written(number: float) -> str:
    """`number` without needless decimals: `50`, `0.5`."""
    return javascript_number(number)


def what_is(args: Args) -> str:
    """An argument or a part of one, in an author's words: `the number 5`, `the list [1, 2]`."""
    match args:
        case Absent():
            return "nothing"
        case None:
            return "an empty value (null)"
        case bool():
            return str(args).lower()
        case int() | float():
            return f"the number {written(args)}"
        case str():
            return f"the text {quoted(args)}" if args else "empty text"
        case datetime():
            return "a date (YAML reads it as one: put it in quotes)"
        case list():
            return f"the list {_short(args)}" if args else "an empty list"
        case dict():
            return f"the mapping {_short(args)}" if args else "an empty mapping"


def _short(args: Data) -> str:
    text = json_text(args, " ")
    return f"{text[: QUOTE_LENGTH - 1]}…" if len(text) > QUOTE_LENGTH else text


def expected(shape: str, args: Args, example: str) -> str:
    """The problem with an argument of the wrong shape: what is expected, what is written, and a correct example."""
    found = "but nothing is given" if isinstance(args, Absent) else f"not {what_is(args)}"
    return f"This needs {shape}, {found}. Example: {example}"
