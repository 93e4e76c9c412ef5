"""Reads and writes the arguments of checks as YAML.

The function decides what its argument is: for a function that takes a text, exactly the text after the name; for one
that takes a list or numbers, the YAML value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from engine.functions import PointFunction
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.yaml import load
from engine.yaml.layout import quoted
from engine.yaml.node_search import value_below, value_on_line
from engine.yaml.nodes import Data, MappingNode, ScalarNode, SequenceNode, Style
from engine.yaml.values import to_data

_NUMBERS = lazy(r"(\d+)\s*(?:-|–|to|and|,|\s)\s*(\d+)")
_PARTED = lazy(r"\s*[;\n]\s*|\s+\|\s+")
"""What parts the texts of a list but a comma; `a | b` is one pattern."""
_YES = frozenset(("yes", "true", "on"))
_DOUBLE_QUOTED = lazy(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SINGLE_QUOTED = lazy(r"'(?:[^'\n]|''|(?<=\w)'(?=\w))*'")
"""A text in single quotes; an apostrophe within a word may lack its double."""
_ESCAPED_IN_DOUBLE = lazy(r"\\([\\\"])")


class Argument(Record):
    """A valid argument: its value, the YAML that it is written as, and whether nothing else can be meant."""

    value: Data
    source: str
    is_certain: bool


def arguments(function: PointFunction, written: str) -> Iterator[Argument]:
    """The valid arguments of `function` that `written` may mean, the likeliest first.

    A text keeps every character; quotation marks are removed only if they surround all of it.
    """
    return (each for each in _candidates(function, written) if function.problem(each.value) is None)


def takes_text(function: PointFunction) -> bool:
    """Whether the argument of `function` is a text."""
    return function.problem("x") is None


def _candidates(function: PointFunction, written: str) -> Iterator[Argument]:
    is_pattern = "match" in function.name
    if takes_text(function):
        yield from _texts(written, is_pattern=is_pattern)
        return
    stripped = written.strip()
    if "\n" in written and (root := value_below(written)) is not None:
        data = to_data(root)
        yield Argument(data, json.dumps(data, ensure_ascii=False, default=str), True)
    if function.problem(True) is None and stripped.strip("'\"").lower() in _YES:
        yield Argument(True, "true", True)
    yield from _values(stripped, is_pattern=is_pattern)


def _texts(written: str, *, is_pattern: bool) -> Iterator[Argument]:
    stripped = written.strip()
    if (value := _without_quotes(stripped, is_pattern=is_pattern)) is not None:
        yield Argument(value, stripped if _reads_as(stripped, value) else quoted(value), True)
        return
    is_certain = _SINGLE_QUOTED.fullmatch(stripped) is None
    yield Argument(written, stripped if _reads_as(stripped, written) else quoted(written), is_certain)


def _values(stripped: str, *, is_pattern: bool) -> Iterator[Argument]:
    """`stripped` as YAML, and as a list if it has commas or other signs that part, or is two numbers."""
    numbers = _NUMBERS.fullmatch(stripped)
    listed = ((f"[{stripped}]", False),) if "," in stripped else ()
    if len(parts := _PARTED.split(stripped)) > 1 and not (is_pattern and "|" in stripped):
        listed = ((json.dumps(parts, ensure_ascii=False), False),)
    if numbers is not None:
        listed = ((f"[{numbers[1]}, {numbers[2]}]", False),)
    for source, is_certain in ((stripped, True), *listed):
        root = value_on_line(source)
        if root is not None:
            data = to_data(root)
            yield Argument(data, source if "\n" not in source else json.dumps(data, ensure_ascii=False), is_certain)


def _without_quotes(written: str, *, is_pattern: bool) -> str | None:
    """The text inside the quotation marks that surround all of `written`; None if none do.

    In a pattern between double quotes, `\\d` and `\\\\d` are both the digit class.
    """
    if len(written) < 2 or written[0] != written[-1] or written[0] not in "\"'":
        return None
    is_whole = written[0] == '"' and _DOUBLE_QUOTED.fullmatch(written) is not None
    if is_whole and is_pattern and "\\" in written:
        return _unescaped(written)
    root = value_on_line(written)
    if isinstance(root, ScalarNode) and root.style in (Style.SINGLE, Style.DOUBLE):
        return root.text
    return _unescaped(written) if is_whole else None


def _unescaped(written: str) -> str:
    """The pattern that is `written` in double quotes."""
    return _ESCAPED_IN_DOUBLE.sub(r"\1", written[1:-1])


def _reads_as(source: str, value: Data) -> bool:
    root = value_on_line(source)
    return root is not None and not isinstance(root, MappingNode | SequenceNode) and to_data(root) == value


def written_as_mapping(key: str, source: str, value: Data, *, in_brackets: bool) -> str:
    """`key: source`, in braces if it is within brackets; with `value` quoted or as JSON if `source` would not do."""
    for each in (source, quoted(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)):
        whole = f"{{{key}: {each}}}" if in_brackets else f"{key}: {each}"
        tree = load(f"[{whole}]" if in_brackets else f"- {whole}")
        root = tree.documents[0].root if tree.documents else None
        if tree.error is None and root is not None and to_data(root) == [{key: value}]:
            return whole
    return whole
