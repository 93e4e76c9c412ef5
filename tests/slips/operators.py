"""The kinds of slips: how each is made, which rules name its cause, and whether a fix is due.

Those that rewrite one place stand in `kinds.txt`, one a line, in columns behind `⇐`: the name; of what it is made (a
`point`, the `dash of the prompt`, a `separator`, or the text of one of some keys); the slip; what was meant; what the
message has to match; the rules that may tell of it, `yaml-syntax` by default; and `no fix` where none is due, or the
line of the slip that has to be reported. `⏎` stands for a line break, `‹U+00A0›` for that character. In the slip, `{t}`
is the text, `{a}` and `{b}` its two halves, `{w}` its first word, `{m}` the margin, `{k}` the key with all before it
in `{p}`, and `{i}` the rest of the prompt's first line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import TypeVar

from tests.engine.short_cases import text_of
from tests.slips.excerpts import Excerpt, Text

_Place = TypeVar("_Place")


@dataclass(frozen=True, slots=True)
class Made:
    """A slip: the lines from `first` on, `count` of them, are replaced by `slip`; `meant` is the right writing.

    The slip has to be reported on a line that is in `slip` and not in `meant`, or at `at` where that is given.
    """

    first: int
    count: int
    slip: tuple[str, ...]
    meant: tuple[str, ...]
    at: int = -1

    @property
    def places(self) -> frozenset[int]:
        """The indices of the lines of `slip` that hold the slip."""
        if self.at >= 0:
            return frozenset((self.at,))
        if len(self.slip) == len(self.meant):
            return frozenset(index for index, line in enumerate(self.slip) if line != self.meant[index])
        return frozenset(range(len(self.slip)))


Make = Callable[[Excerpt, Random], Made | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of slip: its name, how it is made, what the message has to match, and whether a fix is due."""

    name: str
    make: Make
    cause: re.Pattern[str]
    slugs: frozenset[str]
    fix: bool = True


KINDS: list[Kind] = []
YAML = "yaml-syntax"


def kind(name: str, cause: str, slugs: str = YAML, *, fix: bool = True) -> Callable[[Make], None]:
    """Add a kind to the table."""
    return lambda make: KINDS.append(Kind(name, make, re.compile(cause), frozenset(slugs.split()), fix))


def kind_at(
    places: Callable[[Excerpt], Sequence[_Place]], name: str, cause: str, slugs: str = YAML, *, fix: bool = True
) -> Callable[[Callable[[Excerpt, Random, _Place], Made | None]], None]:
    """Add a kind that is made at one of the places of an excerpt."""

    def added(make: Callable[[Excerpt, Random, _Place], Made | None]) -> None:
        def at_one(where: Excerpt, rng: Random) -> Made | None:
            found = places(where)
            return make(where, rng, rng.choice(found)) if found else None

        kind(name, cause, slugs, fix=fix)(at_one)

    return added


# --- Kinds that rewrite one place


def _rewriting(name: str, of: str, slip: str, meant: str, cause: str, slugs: str = YAML, more: str = "") -> None:
    at = int(more.removeprefix("line ")) if more.startswith("line ") else -1

    def places(where: Excerpt) -> Sequence[tuple[int, dict[str, str]]]:
        return _places(where, of)

    @kind_at(places, name, cause, slugs, fix=more != "no fix")
    def _(where: Excerpt, rng: Random, place: tuple[int, dict[str, str]]) -> Made:
        line, parts = place
        return Made(line, 1, _lines(slip, parts), _lines(meant, parts), at)


def _places(where: Excerpt, of: str) -> Sequence[tuple[int, dict[str, str]]]:
    """The lines where it can be made, with the parts of each."""
    match of:
        case "point":
            return [(point.line, _parts(point, "")) for point in where.points()]
        case "dash of the prompt":
            line = where.lines[where.start]
            return [(where.start, {"m": " " * where.column, "i": line[where.column + 2 :]})]
        case "separator":
            return [(at, {}) for at in where.separators()[:1]]
        case keys:
            return [(field.line, _parts(field, field.before.strip(" -:"))) for field in where.fields(*keys.split())]


def _parts(each: Text, key: str) -> dict[str, str]:
    words = each.text.split()
    half = max(len(words) // 2, 1)
    before = each.before.removesuffix(f"{key}: ")
    return {
        "p": before,
        "k": key,
        "m": " " * len(before) if key else each.margin,
        "t": each.text,
        "a": " ".join(words[:half]),
        "b": " ".join(words[half:]) or "more",
        "w": words[0],
    }


def _lines(pattern: str, parts: dict[str, str]) -> tuple[str, ...]:
    return tuple(line.format(**parts) for line in pattern.split("⏎"))


@cache
def all_kinds() -> tuple[Kind, ...]:
    """All kinds."""
    import tests.slips.layout_kinds  # noqa: F401 it adds to the table

    for line in Path(__file__).with_name("kinds.txt").read_text("utf-8").splitlines():
        _rewriting(*text_of(line).split(" ⇐ "))
    return tuple(KINDS)
