"""The kinds of slips: how each is made, which rules name its cause, and whether a fix is due."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from random import Random

from tests.slips.excerpts import Excerpt


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


def kind(name: str, cause: str, slugs: str = YAML, *, fix: bool = True) -> Callable[[Make], Make]:
    """Adds a kind to the table."""

    def added(make: Make) -> Make:
        KINDS.append(Kind(name, make, re.compile(cause), frozenset(slugs.split()), fix))
        return make

    return added


def of_point(
    name: str, slip: str, meant: str, cause: str, slugs: str = YAML, *, fix: bool = True, at: int = -1
) -> None:
    """A kind made on one point: `{m}` is its margin, `{t}` its text, `{a}` and `{b}` the two halves of the text."""

    def make(where: Excerpt, rng: Random) -> Made | None:
        points = where.points()
        if not points:
            return None
        point = rng.choice(points)
        words = point.text.split()
        half = max(len(words) // 2, 1)
        parts = {
            "m": point.margin,
            "t": point.text,
            "a": " ".join(words[:half]),
            "b": " ".join(words[half:]) or "more",
            "w": words[0],
        }
        return Made(point.line, 1, _lines(slip, parts), _lines(meant, parts), at)

    KINDS.append(Kind(name, make, re.compile(cause), frozenset(slugs.split()), fix))


def of_field(
    name: str,
    slip: str,
    meant: str,
    cause: str,
    slugs: str = YAML,
    *,
    keys: tuple[str, ...] = ("prompt", "ideal"),
    fix: bool = True,
) -> None:
    """A kind made on a text under a key: `{p}` precedes the key, `{k}` is the key; `{t}`, `{a}` and `{b}` as above."""

    def make(where: Excerpt, rng: Random) -> Made | None:
        fields = where.fields(*keys)
        if not fields:
            return None
        field = rng.choice(fields)
        words = field.text.split()
        half = max(len(words) // 2, 1)
        before = field.before[: field.before.rindex(":")]
        name_at = len(before) - len(before.lstrip(" -"))
        parts = {
            "p": before[:name_at],
            "k": before[name_at:],
            "t": field.text,
            "a": " ".join(words[:half]),
            "b": " ".join(words[half:]) or "more",
            "m": " " * name_at,
        }
        return Made(field.line, 1, _lines(slip, parts), _lines(meant, parts))

    KINDS.append(Kind(name, make, re.compile(cause), frozenset(slugs.split()), fix))


def _lines(pattern: str, parts: dict[str, str]) -> tuple[str, ...]:
    return tuple(line.format(**parts) for line in pattern.split("\n"))


def sublist(where: Excerpt, rng: Random) -> tuple[int, int, int, int] | None:
    """A list of two or more points on one line each: first line, end, margin, column of the key."""
    lists = [
        block
        for block in where.lists()
        if block.end - block.first > 1
        and all(line.startswith(" " * block.margin + "- ") for line in where.lines[block.first : block.end])
        and {point.line for point in where.points()} >= set(range(block.first, block.end))
    ]
    if not lists:
        return None
    block = rng.choice(lists)
    return block.first, block.end, block.margin, block.above


def each_with(sign: str, lines: tuple[str, ...], margin: int) -> tuple[str, ...]:
    """The items with `sign` in place of `- `."""
    return tuple(
        " " * margin + sign.replace("N", str(index + 1)) + line[margin + 2 :] for index, line in enumerate(lines)
    )


def all_kinds() -> Iterator[Kind]:
    """All kinds, from the modules that list them."""
    for module in ("layout_kinds", "line_kinds"):  # they add to the table
        import_module(f"tests.slips.{module}")
    yield from KINDS
