"""Cuts a text into blocks that are formatted on their own, so that appended text costs the last block only.

Where a block ends depends on the text before it, never on how the text arrived: streamed or whole, it looks the same.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.blueprint import RenderAs
from studio.tui.panes.rendering.formatted_line import Block, Formatted, Line, Open, Piece, coloured, moved
from studio.tui.panes.rendering.markdown_lines import inline_pieces, markdown_lines

BLOCK = 500
"""Code points from which on a block ends where another one begins, or the next item of a list, or any plain line."""
CODE = 3_000
"""Code points from which on code ends its block where a paragraph of it begins at the margin. Each block of code is
coloured on its own."""
MOST = 6_000
"""Code points from which on a block ends where it can, and if it can nowhere, with its line."""
LONGEST_LINE = 2_000
"""Code points from which on a line is cut, behind a space where it has one."""

_HTML = Open(language="html")
_JOINERS = "\u200d\ufe0e\ufe0f"


class _SourceLine(NamedTuple):
    """A line, or a part of one: code points `start` up to `end`; a carriage return behind it ends at `returned`."""

    start: int
    end: int
    returned: int
    cut_behind: bool
    following: int | None
    """Where the next line begins; None for the last."""


def blocks(text: str, render_as: RenderAs, start: int = 0, opened: Open | None = None) -> Iterator[Block]:
    """The blocks of `text` from `start` on, where a block began with `opened` open. HTML is source, never rendered."""
    at: int | None = start
    now = opened if opened is not None else _HTML if render_as is RenderAs.HTML else Open()
    while at is not None:
        source = _source_lines(text, at, now)
        words = [text[each.start : each.end] for each in source]
        formatted, borders, behind = _formatted(words, render_as, now)
        lines = [_placed(line, each) for line, each in zip(formatted, source, strict=True)]
        if now.again is not None:
            lines[0] = lines[0]._replace(cut_before=True)
        is_full = source[-1].following is not None
        ends = [*_ends(source, borders)] or ([max(borders)] if is_full and borders else [])
        first = 0
        for row in ends:
            yield Block(source[first].start, now, tuple(lines[first:row]))
            first, now = row, borders[row]
        if is_full and ends:  # what is behind the last border is read again, with what follows it
            at = source[first].start
            continue
        yield Block(source[first].start, now, tuple(lines[first:]))
        now = behind._replace(again=lines[-1].again) if source[-1].cut_behind else behind
        at = source[-1].following


def _source_lines(text: str, at: int, opened: Open) -> list[_SourceLine]:
    """The lines that are read at once: to the end of a very long one, or as many as `MOST` code points hold."""
    found = [_source_line(text, at)]
    while (last := found[-1]).following is not None and not last.cut_behind and opened.again is None:
        if last.following - at >= MOST:
            break
        found.append(_source_line(text, last.following))
    return found


def _source_line(text: str, at: int) -> _SourceLine:
    newline = text.find("\n", at, at + LONGEST_LINE + 2)
    end = newline if newline >= 0 else min(len(text), at + LONGEST_LINE + 2)
    ends_in_return = end > at and text[end - 1] == "\r" and (newline >= 0 or end == len(text))
    content = end - ends_in_return
    if content - at > LONGEST_LINE:
        cut = _cut(text, at)
        return _SourceLine(at, cut, cut, True, cut)
    if newline < 0:
        return _SourceLine(at, end, end, False, None)
    return _SourceLine(at, content, newline, False, newline + 1)


def _ends(source: Sequence[_SourceLine], borders: dict[int, Open]) -> Iterator[int]:
    """The lines before which a block ends. The last line may be so only if it is known to its end."""
    start = source[0].start
    for row in sorted(borders):
        line = source[row]
        is_code = borders[row].fence or borders[row].language
        if line.following is not None and line.start - start >= (CODE if is_code else BLOCK):
            yield row
            start = line.start


def _formatted(words: list[str], render_as: RenderAs, opened: Open) -> Formatted:
    """Lines as they are drawn; one alone where it is the rest of a very long one."""
    lead = opened.again or ""
    is_code = bool(opened.fence or opened.language)
    if render_as is RenderAs.MARKDOWN and opened.again is None:
        return markdown_lines(words, opened)
    if is_code:
        pieces = coloured(words, opened.language)
    elif render_as is RenderAs.MARKDOWN:
        pieces = [tuple(inline_pieces(line)) for line in words]
    else:
        pieces = [(Piece(0, len(line)),) for line in words]
    lines = [Line(0, len(line), each, lead, lead) for line, each in zip(words, pieces, strict=True)]
    rows = range(1, len(words))
    borders = [row for row in rows if not is_code or (words[row][:1].strip() and not words[row - 1])]
    return Formatted(lines, dict.fromkeys(borders, opened), opened._replace(again=None))


def _placed(line: Line, source: _SourceLine) -> Line:
    """`line`, in columns, where it stands in the text; a carriage return at its end belongs to it, unseen."""
    pieces = [*moved(line.pieces, source.start), Piece(source.end, source.returned, "", "")]
    return line._replace(
        start=source.start,
        end=source.returned,
        pieces=tuple(piece for piece in pieces if piece.start < piece.end),
        cut_behind=source.cut_behind,
    )


def _cut(text: str, at: int) -> int:
    """Where a very long line that begins at `at` is cut: behind a space, or at least not before an accent."""
    end = at + LONGEST_LINE
    space = text.rfind(" ", at + LONGEST_LINE // 2, end)
    if space >= 0:
        return space + 1
    cut = end
    while cut > at + LONGEST_LINE // 2 and (unicodedata.combining(text[cut]) or text[cut] in _JOINERS):
        cut -= 1
    return cut
