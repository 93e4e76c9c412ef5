"""Kinds of slips in the layout of several lines: bullets, separators, indentation, missing dashes, swallowed keys."""

from __future__ import annotations

import re
from random import Random

from tests.slips.excerpts import Excerpt
from tests.slips.operators import KINDS, Kind, Made, each_with, kind, sublist

LIST = "lists use|list"


def _bulleted(name: str, sign: str, *, which: str) -> None:
    def make(where: Excerpt, rng: Random) -> Made | None:
        found = sublist(where, rng)
        if found is None:
            return None
        first, end, margin, _ = found
        at = {"all": first, "first": first, "last": end - 1, "middle": rng.randrange(first, end)}[which]
        count = end - first if which == "all" else 1
        meant = where.lines[at : at + count]
        return Made(at, count, each_with(sign, meant, margin), meant)

    KINDS.append(Kind(name, make, re.compile(LIST), frozenset(("yaml-syntax", "rubric-not-a-list", "lost-dash"))))


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
    _bulleted(f"`{_name}` on one point", _sign, which="middle")
    if _sign not in ("-- ", "N) "):
        _bulleted(f"`{_name}` on all points", _sign, which="all")


def _without_dash(name: str, which: str, kept: bool, *, fix: bool = True) -> None:
    @kind(name, "`- `|dash|indent", "yaml-syntax rubric-not-a-list lost-dash", fix=fix)
    def _(where: Excerpt, rng: Random) -> Made | None:
        found = sublist(where, rng)
        if found is None:
            return None
        first, end, margin, _ = found
        at = {"first": first, "last": end - 1, "middle": rng.randrange(first, end)}[which]
        line = where.lines[at]
        return Made(at, 1, (" " * (margin + 2 * kept) + line[margin + 2 :],), (line,))


_without_dash("missing dash of a point", "middle", False)
_without_dash("missing dash of the last point", "last", False)
_without_dash("missing dash of the first point", "first", False)
_without_dash("a space for the dash of a point", "middle", True, fix=False)


@kind("no space after any dash of a list", "space after", "rubric-not-a-list yaml-syntax")
def _no_space_after_dashes(where: Excerpt, rng: Random) -> Made | None:
    found = sublist(where, rng)
    if found is None:
        return None
    first, end, margin, _ = found
    meant = where.lines[first:end]
    return Made(first, end - first, each_with("-", meant, margin), meant)


# Prompts and separators


def _prompt(name: str, cause: str, change: str, slugs: str = "yaml-syntax", *, fix: bool = True) -> None:
    """A kind made on the first line of the prompt, `- id: x`: `{m}` is its margin, `{i}` the rest after the dash."""

    @kind(name, cause, slugs, fix=fix)
    def _(where: Excerpt, rng: Random) -> Made | None:
        line = where.lines[where.start]
        column = where.column
        slip = change.format(m=" " * column, i=line[column + 2 :])
        return Made(where.start, 1, (slip,), (line,))


_prompt("prompt without its dash", "new prompt|`- `", "{m}  {i}", "yaml-syntax duplicate-key lost-dash")
_prompt("prompt without its dash, at the margin", "new prompt|`- `", "{m}{i}")
_prompt("`*` before a prompt", "lists use", "{m}* {i}")
_prompt("`•` before a prompt", "lists use", "{m}• {i}")
_prompt("`–` before a prompt", "lists use", "{m}– {i}")
_prompt("no space after the dash of a prompt", "space after", "{m}-{i}")
_prompt("`1.` before a prompt", "lists use", "{m}1. {i}")


def _separator(name: str, written: str, cause: str = "separator|three dashes") -> None:
    @kind(name, cause, "yaml-syntax")
    def _(where: Excerpt, rng: Random) -> Made | None:
        marks = [index for index, line in enumerate(where.lines) if line == "---" and index]
        if not marks:
            return None
        return Made(marks[0], 1, (written,), ("---",))


for _written in ("--", "----", "- - -", "—", "***", "===", "–––", "-–"):
    _separator(f"`{_written}` for a separator", _written)


@kind("no separator below the header", "separator|`---`", "yaml-syntax")
def _no_separator(where: Excerpt, rng: Random) -> Made | None:
    marks = [index for index, line in enumerate(where.lines) if line == "---" and index]
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
    moved = tuple(f"    {line}" if line else line for line in lines)
    return Made(first, len(lines), ("- prompts:", *moved), lines, at=0)


# Indentation


def _moved_list(name: str, by: int, slugs: str = "yaml-syntax") -> None:
    @kind(name, "too far|indent|lines up|stands", slugs)
    def _(where: Excerpt, rng: Random) -> Made | None:
        found = sublist(where, rng)
        if found is None:
            return None
        first, end, margin, _ = found
        if end - first < 3 or margin + by < 0:
            return None
        at = rng.randrange(first + 1, end - 1)
        meant = where.lines[at:end]
        return Made(at, end - at, tuple(" " * (margin + by) + line.lstrip() for line in meant), meant)


_moved_list("points one space too far right", 1, "yaml-syntax swallowed-point")
_moved_list("points one space too far left", -1)
_moved_list("points two spaces too far right", 2, "yaml-syntax swallowed-point")
_moved_list("points three spaces too far left", -3)


def _moved_point(name: str, by: int) -> None:
    @kind(name, "too far|indent|lines up|stands", "yaml-syntax swallowed-point")
    def _(where: Excerpt, rng: Random) -> Made | None:
        found = sublist(where, rng)
        if found is None:
            return None
        first, end, margin, above = found
        if end - first < 2 or margin + by <= above:
            return None
        at = rng.randrange(first + 1, end)
        line = where.lines[at]
        return Made(at, 1, (" " * (margin + by) + line.lstrip(),), (line,))


_moved_point("one point one space too far left", -1)
_moved_point("one point one space too far right", 1)


@kind("points at the margin of the prompts", "indent|margin|too far", "stray-item yaml-syntax")
def _points_at_the_margin(where: Excerpt, rng: Random) -> Made | None:
    found = sublist(where, rng)
    if found is None:
        return None
    first, end, _, _ = found
    meant = where.lines[first:end]
    return Made(first, end - first, tuple(" " * where.column + line.lstrip() for line in meant), meant, at=0)


def _moved_key(name: str, by: int) -> None:
    @kind(name, "too far|indent|lines up|stands", "yaml-syntax swallowed-point")
    def _(where: Excerpt, rng: Random) -> Made | None:
        column = where.column + 2
        keys = [
            index
            for index in range(where.start + 1, where.end)
            if re.match(rf" {{{column}}}(prompt|ideal|should|should_not|description|system):", where.lines[index])
        ]
        if not keys or column + by < 0:
            return None
        at = rng.choice(keys)
        end = at + 1
        while end < where.end and (not where.lines[end].strip() or where.lines[end].startswith(" " * (column + 1))):
            end += 1
        meant = where.lines[at:end]
        slip = tuple(line and (" " * by + line if by > 0 else line[-by:]) for line in meant)
        return Made(at, end - at, slip, meant, at=0)


_moved_key("block of a key one space too far right", 1)
_moved_key("block of a key one space too far left", -1)
_moved_key("block of a key two spaces too far right", 2)
_moved_key("block of a key at the margin", -2)


@kind("key alone at the margin", "too far|indent|lines up|stands")
def _key_at_the_margin(where: Excerpt, rng: Random) -> Made | None:
    column = where.column + 2
    keys = [
        index
        for index in range(where.start + 1, where.end)
        if re.match(rf" {{{column}}}(prompt|ideal|should|should_not|description): ?", where.lines[index])
    ]
    if not keys:
        return None
    at = rng.choice(keys)
    return Made(at, 1, (where.lines[at].lstrip(),), (where.lines[at],))


@kind("tab before a key", "tab", "tab-indent")
def _tab_before_key(where: Excerpt, rng: Random) -> Made | None:
    keys = [index for index in range(where.start + 1, where.end) if re.match(r" {2,}\w+:", where.lines[index])]
    if not keys:
        return None
    at = rng.choice(keys)
    line = where.lines[at]
    return Made(at, 1, ("\t" + line.lstrip(),), (line,))


@kind("tabs before all points of a list", "tab", "tab-indent")
def _tab_before_points(where: Excerpt, rng: Random) -> Made | None:
    found = sublist(where, rng)
    if found is None:
        return None
    first, end, _, _ = found
    meant = where.lines[first:end]
    return Made(first, end - first, tuple("\t" + line.lstrip() for line in meant), meant)


@kind("no-break spaces before a key", "looks like a space")
def _false_spaces(where: Excerpt, rng: Random) -> Made | None:
    keys = [index for index in range(where.start + 1, where.end) if re.match(r" {2,}\w+:", where.lines[index])]
    if not keys:
        return None
    at = rng.choice(keys)
    line = where.lines[at]
    margin = len(line) - len(line.lstrip())
    return Made(at, 1, ("\u00a0" * margin + line.lstrip(),), (line,))


# Block texts


@kind("pasted prose of which the first line is indented", "indent this block")
def _pasted_prose(where: Excerpt, rng: Random) -> Made | None:
    blocks = where.blocks()
    if not blocks:
        return None
    block = rng.choice(blocks)
    meant = where.lines[block.first + 1 : block.end]
    if any(re.match(r"\s*(?:-|\w+:)(?:\s|$)|---|#", line) for line in meant) or where.lines[block.end - 1] == "":
        return None
    return Made(block.first + 1, len(meant), tuple(line[block.margin :] for line in meant), meant)


@kind("a block text without indentation", "indent this block|indent")
def _unindented_block(where: Excerpt, rng: Random) -> Made | None:
    blocks = where.blocks()
    if not blocks:
        return None
    block = rng.choice(blocks)
    meant = where.lines[block.first : block.end]
    if any(re.match(r"\s*(?:-|\w+:)(?:\s|$)|---|#", line) for line in meant):
        return None
    return Made(block.first, len(meant), tuple(line[block.margin :] for line in meant), meant)


@kind("one line of a block text too far left", "indent")
def _line_of_block(where: Excerpt, rng: Random) -> Made | None:
    blocks = where.blocks()
    if not blocks:
        return None
    block = rng.choice(blocks)
    inner = [
        index
        for index in range(block.first + 1, block.end)
        if where.lines[index].startswith(" " * block.margin)
        and re.match(r"\w[^:#]*$", where.lines[index].strip())
        and where.lines[index][block.margin] != " "
    ]
    if not inner:
        return None
    at = rng.choice(inner)
    return Made(at, 1, (where.lines[at][block.margin :],), (where.lines[at],))


def _swallowed(name: str, *, deeper: bool) -> None:
    @kind(name, "part of the text", "swallowed-point")
    def _(where: Excerpt, rng: Random) -> Made | None:
        blocks = [block for block in where.blocks() if block.end < where.end]
        if not blocks:
            return None
        block = rng.choice(blocks)
        if not re.match(rf" {{{block.above}}}(should|should_not|ideal|points):", where.lines[block.end]):
            return None
        if not deeper:
            meant = (where.lines[block.end],)
            return Made(block.end, 1, (" " * block.margin + meant[0].lstrip(),), meant) if ": " in meant[0] else None
        end = block.end
        while end < where.end and (not where.lines[end].strip() or where.lines[end].startswith(" " * block.above)):
            end += 1
        meant = where.lines[block.end : end]
        by = " " * (block.margin - block.above)
        return Made(block.end, len(meant), tuple(line and by + line for line in meant), meant, at=0)


_swallowed("a key swallowed by a block text", deeper=False)
_swallowed("all keys below swallowed by a block text", deeper=True)


@kind("a list on the line of its key", "next line|starts on")
def _list_on_line(where: Excerpt, rng: Random) -> Made | None:
    found = sublist(where, rng)
    if found is None or not re.match(r" *\w+:$", where.lines[found[0] - 1]):
        return None
    first, end, _, _ = found
    meant = where.lines[first - 1 : end]
    slip = (f"{meant[0]} {meant[1].lstrip()}", *meant[2:])
    return Made(first - 1, len(meant), slip, meant, at=0)


@kind("no colon after the key of a list", "`:` after")
def _no_colon_of_list(where: Excerpt, rng: Random) -> Made | None:
    found = sublist(where, rng)
    if found is None or not where.lines[found[0] - 1].endswith(":"):
        return None
    line = where.lines[found[0] - 1]
    return Made(found[0] - 1, 1, (line[:-1],), (line,))
