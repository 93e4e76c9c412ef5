"""What the words of all changes share: values, and two versions of a text as lines without what is the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from engine.functions.call_description import as_json
from engine.line_differences import changed_lines
from engine.scoring.explanation_text import listed
from engine.text import difference, in_quotes
from engine.yaml_nodes.nodes import Data

NOT_COMPARABLE = "models are asked something else, so answers before and after cannot be compared"
NO_EFFECT = "no score depends on it"
INDENT = "  "
"""The beginning of a line that belongs to the line before."""

_LONGEST = 110
_BEFORE = 30
"""How many characters of what two lines share are shown before the first that differs."""
_MOST_LINES = 12


def differing_lines(before: str, after: str) -> list[str]:
    """`- ` and the old line, `+ ` and the new one, for each changed line: at most twelve, shortened to the change.

    Empty lines are left out.
    """
    lines = list(_lines(before.splitlines(), after.splitlines()))
    left = len(lines) - _MOST_LINES
    return lines if left <= 0 else [*lines[:_MOST_LINES], f"… and {left} more changed line{'s' if left > 1 else ''}"]


def _lines(old: list[str], new: list[str]) -> Iterator[str]:
    for low, high, new_low, new_high in changed_lines(old, new):
        pairs = list(zip_longest(old[low:high], new[new_low:new_high]))
        shown = [(None, None) if one is None and other is None else shortened(one, other) for one, other in pairs]
        yield from (f"- {one}" for one, _ in shown if one is not None and one.strip())
        yield from (f"+ {other}" for _, other in shown if other is not None and other.strip())


def shortened(before: str | None, after: str | None) -> tuple[str | None, str | None]:
    """Two versions of one line on which at most some words before the change are shown, 110 characters at most."""
    if before is None or after is None:
        return _cut(before, 0), _cut(after, 0)
    start = 0 if before == after else max(difference(before, after, 0).span.start - _BEFORE, 0)
    longest = max(len(before), len(after))
    start = 0 if longest <= _LONGEST else start
    return _cut(before, start), _cut(after, start)


def _cut(line: str | None, start: int) -> str | None:
    if line is None:
        return None
    rest = line[start:]
    head = "… " if start else ""
    return f"{head}{rest}" if len(rest) <= _LONGEST else f"{head}{rest[:_LONGEST].rstrip()} …"


def one_line(text: str) -> str:
    """`text` with its white space collapsed."""
    return " ".join(text.split())


def cut_to(text: str, longest: int) -> str:
    """`text` on one line of at most so many characters, with ` …` where it is longer."""
    line = one_line(text)
    return line if len(line) <= longest else f"{line[:longest].rstrip()} …"


def indented(lines: Sequence[str]) -> list[str]:
    """`lines` as parts of the line before."""
    return [f"{INDENT}{line}" for line in lines]


def value_text(value: Data) -> str:
    """A value on one line: a text in quotes, a list with commas, `none` for null."""
    match value:
        case None:
            return "none"
        case str():
            return in_quotes(value)
        case [*items]:
            return listed([str(item) for item in items]) if items else "none"
        case _:
            return as_json(value)
