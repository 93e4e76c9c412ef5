"""Markdown as it reads best in a terminal: headings, lists, quotes, tables and code, line by line.

Marks of formatting are left out where what they mean is drawn; every other letter stays, in its place. What an answer
says is never lost to a reading of it: a line that is no Markdown is drawn as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len

from engine.text import visible
from studio.tui.panes.rendering.inline import inline
from studio.tui.panes.rendering.pieces import Line, Open, Piece

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*(([^\s`]*)[^`\n]*)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+|$)")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_ITEM = re.compile(r"( {0,24})(?:([-*+])|(\d{1,9}[.)]))([ \t]+)(?:\[([ xX])\][ \t]+)?")
_QUOTE = re.compile(r" {0,3}(?:>[ \t]?){1,20}")
_TABLE = re.compile(r"[ \t]*\|.*")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t:|-]*-[ \t:|-]*")
_RULE_WIDTH = 24
_MARKS = re.compile(r"[\\`*_~\[]")


def opening_fence(text: str, at: int, end: int) -> tuple[Line, Open] | None:
    """The line at `at` up to `end` where it begins a block of code, and what is open behind it."""
    fence = _FENCE.fullmatch(text, at, end)
    if fence is None:
        return None
    return Line(at, end, (Piece(at, end, "dim", visible(fence[2])),), "  ", "  "), Open(fence[1], fence[3])


def closing_fence(text: str, at: int, end: int, opening: str) -> Line | None:
    """The line at `at` up to `end` where it ends the block of code that `opening` began."""
    line = text[at:end].strip()
    closes = len(line) >= len(opening) and line == opening[0] * len(line)
    return Line(at, end, (Piece(at, end, "dim", ""),)) if closes else None


def markdown_line(text: str, at: int, end: int) -> Line:
    """One line outside code, or the first part of it."""
    if heading := _HEADING.match(text, at, end):
        body = heading.end()
        last = len(text[body:end].rstrip(" \t#")) + body
        last = end if last < end and text[last] not in " \t" else last
        return Line(
            at, end, _joined(Piece(at, body, "", ""), *inline(text, body, last, "heading"), Piece(last, end, "", ""))
        )
    if _RULE.fullmatch(text, at, end):
        return Line(at, end, (Piece(at, end, "dim", "─" * _RULE_WIDTH),))
    if quote := _QUOTE.match(text, at, end):
        lead = "│ " * quote[0].count(">")
        inner = markdown_line(text, quote.end(), end)
        return Line(at, end, (Piece(at, quote.end(), "dim", ""), *inner.pieces), lead + inner.lead, lead + inner.again)
    if item := _ITEM.match(text, at, end):
        return _item(text, item, at, end)
    if _TABLE.fullmatch(text, at, end):
        ruled = _TABLE_RULE.fullmatch(text, at, end) is not None
        return Line(at, end, (Piece(at, end, "dim"),) if ruled else tuple(_cells(text, at, end)))
    if _UNDERLINE.fullmatch(text, at, end):
        return Line(at, end, (Piece(at, end, "dim"),))
    return Line(at, end, (*inline(text, at, end),) if _MARKS.search(text, at, end) else (Piece(at, end),))


def _item(text: str, item: re.Match[str], at: int, end: int) -> Line:
    """`- a` hangs under its bullet; a box to tick is drawn as one."""
    ticked = item[5]
    bullet = item[3] or ("•" if ticked is None else "☐" if ticked == " " else "☑")
    lead = f"{item[1]}{bullet} "
    body = (*inline(text, item.end(), end),)
    return Line(at, end, _joined(Piece(at, item.end(), "dim", ""), *body), lead, " " * cell_len(lead))


def _cells(text: str, at: int, end: int) -> Iterator[Piece]:
    """A row of a table: its bars are quiet."""
    for part in re.finditer(r"\||[^|]+", text[at:end]):
        start, until = at + part.start(), at + part.end()
        if part[0] == "|":
            yield Piece(start, until, "dim", "│")
        else:
            yield from inline(text, start, until)


def _joined(*pieces: Piece) -> tuple[Piece, ...]:
    return tuple(piece for piece in pieces if piece.start < piece.end)
