"""Kinds of slips in the layout of several lines: bullets, separators, indentation, missing dashes, swallowed keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from tests.slips.excerpts import Block, Excerpt
from tests.slips.operators import Made, kind, kind_at

_LIST = "lists use|list"
_NO_LIST = "yaml-syntax rubric-not-a-list lost-dash"
_INDENT = "too far|indent|lines up|stands"
_SWALLOWED = "yaml-syntax swallowed-point"
_MARKED = re.compile(r"\s*(?:-|\w+:)(?:\s|$)|---|#")
"""A line that no text has."""


def _lists(where: Excerpt) -> Sequence[Block]:
    """The lists of two or more points on one line each."""
    points = {point.line for point in where.points()}
    return [
        block
        for block in where.lists()
        if block.end - block.first > 1
        and all(line.startswith(" " * block.margin + "- ") for line in where.lines[block.first : block.end])
        and points >= set(range(block.first, block.end))
    ]


def _at(block: Block, which: str, rng: Random) -> int:
    return {"first": block.first, "last": block.end - 1, "middle": rng.randrange(block.first, block.end)}[which]


def _each_with(sign: str, lines: Sequence[str], margin: int) -> tuple[str, ...]:
    """The items with `sign` in place of `- `."""
    return tuple(
        " " * margin + sign.replace("N", str(index + 1)) + line[margin + 2 :] for index, line in enumerate(lines)
    )


def _moved(lines: Sequence[str], by: int) -> tuple[str, ...]:
    """The lines so many columns further right; further left where that is negative."""
    return tuple(line and (" " * by + line if by > 0 else line[-by:]) for line in lines)


def _bulleted(name: str, sign: str, slugs: str = _NO_LIST, cause: str = _LIST, *, is_all: bool) -> None:
    @kind_at(_lists, name, cause, slugs)
    def _(where: Excerpt, rng: Random, block: Block) -> Made:
        at, count = (block.first, block.end - block.first) if is_all else (_at(block, "middle", rng), 1)
        meant = where.lines[at : at + count]
        return Made(at, count, _each_with(sign, meant, block.margin), meant)


for _sign, _name in (
    ("• ", "•"),
    ("– ", "–"),
    ("* ", "*"),
    ("N. ", "1."),
    ("— ", "—"),
    ("+ ", "+"),
    ("-- ", "--"),
    ("N) ", "1)"),
    ("•", "• without a space"),
):
    _bulleted(f"`{_name}` on one point", _sign, is_all=False)
    if _sign not in ("-- ", "N) "):
        _bulleted(f"`{_name}` on all points", _sign, is_all=True)
_bulleted("no space after any dash of a list", "-", "rubric-not-a-list yaml-syntax", "space after", is_all=True)


def _without_dash(name: str, which: str, blanks: int = 0, *, fix: bool = True) -> None:
    @kind_at(_lists, name, "`- `|dash|indent", _NO_LIST, fix=fix)
    def _(where: Excerpt, rng: Random, block: Block) -> Made:
        at = _at(block, which, rng)
        line = where.lines[at]
        return Made(at, 1, (" " * (block.margin + blanks) + line[block.margin + 2 :],), (line,))


_without_dash("missing dash of a point", "middle")
_without_dash("missing dash of the last point", "last")
_without_dash("missing dash of the first point", "first")
_without_dash("a space for the dash of a point", "middle", 2, fix=False)


# Prompts


@kind("no separator below the header", "separator|`---`")
def _no_separator(where: Excerpt, rng: Random) -> Made | None:
    marks = where.separators()
    first = next((index for index, line in enumerate(where.lines) if line.startswith("- ")), 0)
    if not marks or marks[0] + 1 != first:
        return None
    line = where.lines[first]
    return Made(marks[0], 2, (line,), ("---", line), at=0)


@kind(
    "prompts inside a list", "prompts", "prompts-in-a-list yaml-syntax stray-item unknown-key bad-structure prompt-lost"
)
def _prompts_in_a_list(where: Excerpt, rng: Random) -> Made | None:
    first = next((index for index, line in enumerate(where.lines) if re.match(r"- id:", line)), None)
    if first is None or where.column:
        return None
    lines = where.lines[first:]
    return Made(first, len(lines), ("- prompts:", *_moved(lines, 4)), lines, at=0)


# Indentation


def _moved_list(name: str, by: int, slugs: str) -> None:
    @kind_at(_lists, name, _INDENT, slugs)
    def _(where: Excerpt, rng: Random, block: Block) -> Made | None:
        if block.end - block.first < 3 or block.margin + by < 0:
            return None
        at = rng.randrange(block.first + 1, block.end - 1)
        meant = where.lines[at : block.end]
        return Made(at, block.end - at, _moved(meant, by), meant)


_moved_list("points one space too far right", 1, _SWALLOWED)
_moved_list("points one space too far left", -1, "yaml-syntax")
_moved_list("points two spaces too far right", 2, _SWALLOWED)
_moved_list("points three spaces too far left", -3, "yaml-syntax")


def _moved_point(name: str, by: int) -> None:
    @kind_at(_lists, name, _INDENT, _SWALLOWED)
    def _(where: Excerpt, rng: Random, block: Block) -> Made | None:
        if block.margin + by <= block.above:
            return None
        at = rng.randrange(block.first + 1, block.end)
        meant = where.lines[at : at + 1]
        return Made(at, 1, _moved(meant, by), meant)


_moved_point("one point one space too far left", -1)
_moved_point("one point one space too far right", 1)


@kind_at(_lists, "points at the margin of the prompts", "indent|margin|too far", "stray-item yaml-syntax")
def _points_at_the_margin(where: Excerpt, rng: Random, block: Block) -> Made:
    meant = where.lines[block.first : block.end]
    return Made(block.first, len(meant), _moved(meant, where.column - block.margin), meant, at=0)


def _keys(*names: str) -> Callable[[Excerpt], Sequence[int]]:
    """The lines of the prompt below its first that hold one of these keys, in its column; of any, in any column."""

    def found(where: Excerpt) -> Sequence[int]:
        key = rf" {{{where.column + 2}}}(?:{'|'.join(names)}):" if names else r" {2,}\w+:"
        return [index for index in range(where.start + 1, where.end) if re.match(key, where.lines[index])]

    return found


def _moved_key(name: str, by: int) -> None:
    keys = _keys("prompt", "ideal", "should", "should_not", "description", "system")

    @kind_at(keys, name, _INDENT, _SWALLOWED)
    def _(where: Excerpt, rng: Random, at: int) -> Made:
        end = where.below(at + 1, where.column + 3)
        meant = where.lines[at:end]
        return Made(at, end - at, _moved(meant, by), meant, at=0)


_moved_key("block of a key one space too far right", 1)
_moved_key("block of a key one space too far left", -1)
_moved_key("block of a key two spaces too far right", 2)
_moved_key("block of a key at the margin", -2)


@kind_at(_keys("prompt", "ideal", "should", "should_not", "description"), "key alone at the margin", _INDENT)
def _key_at_the_margin(where: Excerpt, rng: Random, at: int) -> Made:
    return Made(at, 1, (where.lines[at].lstrip(),), (where.lines[at],))


@kind_at(_keys(), "tab before a key", "tab", "tab-indent")
def _tab_before_key(where: Excerpt, rng: Random, at: int) -> Made:
    return Made(at, 1, ("\t" + where.lines[at].lstrip(),), (where.lines[at],))


@kind_at(_lists, "tabs before all points of a list", "tab", "tab-indent")
def _tab_before_points(where: Excerpt, rng: Random, block: Block) -> Made:
    meant = where.lines[block.first : block.end]
    return Made(block.first, len(meant), tuple("\t" + line.lstrip() for line in meant), meant)


@kind_at(_keys(), "no-break spaces before a key", "looks like a space")
def _false_spaces(where: Excerpt, rng: Random, at: int) -> Made:
    line = where.lines[at]
    key = line.lstrip()
    return Made(at, 1, ("\u00a0" * (len(line) - len(key)) + key,), (line,))


# Block texts


@kind_at(Excerpt.blocks, "pasted prose of which the first line is indented", "indent this block")
def _pasted_prose(where: Excerpt, rng: Random, block: Block) -> Made | None:
    meant = where.lines[block.first + 1 : block.end]
    if any(map(_MARKED.match, meant)) or where.lines[block.end - 1] == "":
        return None
    return Made(block.first + 1, len(meant), _moved(meant, -block.margin), meant)


@kind_at(Excerpt.blocks, "a block text without indentation", "indent this block|indent")
def _unindented_block(where: Excerpt, rng: Random, block: Block) -> Made | None:
    meant = where.lines[block.first : block.end]
    if any(map(_MARKED.match, meant)):
        return None
    return Made(block.first, len(meant), _moved(meant, -block.margin), meant)


@kind_at(Excerpt.blocks, "one line of a block text too far left", "indent")
def _line_of_block(where: Excerpt, rng: Random, block: Block) -> Made | None:
    plain = re.compile(rf" {{{block.margin}}}\w[^:#]*$")
    inner = [index for index in range(block.first + 1, block.end) if plain.match(where.lines[index])]
    if not inner:
        return None
    at = rng.choice(inner)
    meant = where.lines[at : at + 1]
    return Made(at, 1, _moved(meant, -block.margin), meant)


def _blocks_above_a_key(where: Excerpt) -> Sequence[Block]:
    return [
        block
        for block in where.blocks()
        if block.end < where.end
        and re.match(rf" {{{block.above}}}(should|should_not|ideal|points):", where.lines[block.end])
    ]


@kind_at(_blocks_above_a_key, "a key swallowed by a block text", "part of the text", "swallowed-point")
def _swallowed_key(where: Excerpt, rng: Random, block: Block) -> Made | None:
    meant = where.lines[block.end : block.end + 1]
    if ": " not in meant[0]:
        return None
    return Made(block.end, 1, _moved(meant, block.margin - block.above), meant)


@kind_at(_blocks_above_a_key, "all keys below swallowed by a block text", "part of the text", "swallowed-point")
def _swallowed_keys(where: Excerpt, rng: Random, block: Block) -> Made:
    end = where.below(block.end, block.above)
    meant = where.lines[block.end : end]
    return Made(block.end, len(meant), _moved(meant, block.margin - block.above), meant, at=0)


@kind_at(_lists, "a list on the line of its key", "next line|starts on")
def _list_on_line(where: Excerpt, rng: Random, block: Block) -> Made | None:
    meant = where.lines[block.key : block.end]
    slip = (f"{meant[0]} {meant[1].lstrip()}", *meant[2:])
    return Made(block.key, len(meant), slip, meant, at=0)


@kind_at(_lists, "no colon after the key of a list", "`:` after")
def _no_colon_of_list(where: Excerpt, rng: Random, block: Block) -> Made:
    line = where.lines[block.key]
    return Made(block.key, 1, (line.removesuffix(":"),), (line,))
