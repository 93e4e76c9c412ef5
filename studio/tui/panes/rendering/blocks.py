"""A text cut into blocks that are read on their own, so that what is added to it costs its last block only.

Where one ends is told by what stands before, never by how the text came in: grown or whole, it looks the same.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator

from engine.blueprint import RenderAs
from studio.tui.panes.rendering.code import coloured
from studio.tui.panes.rendering.inline import inline
from studio.tui.panes.rendering.markdown import closing_fence, markdown_line, opening_fence
from studio.tui.panes.rendering.pieces import Block, Line, Open, Piece

BLOCK = 2_000
"""Code points from which on a block ends with its line."""
CODE = 4_000
"""Code points from which on code ends its block where a paragraph of it begins at the margin, and twice that with any
line. Each block of code is coloured on its own."""
LONGEST_LINE = 2_000
"""Code points from which on a line is cut, behind a space where it has one."""

_HTML = Open(language="html")
_JOINERS = "\u200d\ufe0e\ufe0f"


def blocks(text: str, render_as: RenderAs, start: int = 0, opened: Open | None = None) -> Iterator[Block]:
    """The blocks of `text` from `start` on, where a block began with `opened` open. HTML is source, never rendered."""
    at: int | None = start
    now = opened if opened is not None else _HTML if render_as is RenderAs.HTML else Open()
    while at is not None:
        reading = _Reading(text, render_as, at, now)
        yield Block(at, now, tuple(reading.lines))
        at, now = reading.next, reading.opened


class _Reading:
    """One block being read: its `lines`, where the `next` one begins (None behind the last), and what is open there."""

    def __init__(self, text: str, render_as: RenderAs, start: int, opened: Open) -> None:
        self._text = text
        self._is_markdown = render_as is RenderAs.MARKDOWN
        self._start = start
        self._code = start
        self._of_code: list[Line] = []
        self.opened = opened
        self.lines: list[Line] = []
        self.next: int | None = start
        while self.next is not None:
            self._read_line(self.next)
            if self.next is not None and self._ends(self.next):
                break
        self._end_code()

    @property
    def _in_code(self) -> bool:
        return bool(self.opened.fence) or self.opened.language == _HTML.language

    def _ends(self, at: int) -> bool:
        """Whether the block ends before `at`, as far as the text is known."""
        if not self._in_code:
            return at - self._start >= BLOCK
        if at - self._code >= 2 * CODE:
            return True
        begins = self._text[at : at + 1]
        return at - self._code >= CODE and begins not in ("", " ", "\t", "\n", "\r") and self._text[at - 2] == "\n"

    def _read_line(self, at: int) -> None:
        text, again = self._text, self.opened.again
        newline = text.find("\n", at, at + LONGEST_LINE + 2)
        end = newline if newline >= 0 else min(len(text), at + LONGEST_LINE + 2)
        ends_in_return = end > at and text[end - 1] == "\r" and (newline >= 0 or end == len(text))
        content = end - ends_in_return
        if content - at > LONGEST_LINE:
            cut = _cut(text, at)
            self._add(at, cut, again, cut_behind=True)
            self.opened = self.opened._replace(again=self._last.again)
            self.next = cut
            return
        until = content if newline >= 0 else end
        self._add(at, until, again, cut_behind=False)
        if newline >= 0 and ends_in_return:
            self._last = _with_return(self._last)
        self.opened = self.opened._replace(again=None)
        self.next = newline + 1 if newline >= 0 else None

    @property
    def _last(self) -> Line:
        return (self._of_code or self.lines)[-1]

    @_last.setter
    def _last(self, line: Line) -> None:
        (self._of_code or self.lines)[-1] = line

    def _add(self, at: int, end: int, again: str | None, *, cut_behind: bool) -> None:
        """One line, or a part of one: of code, the closing of code, the opening of it, or anything else."""
        whole = again is None and not cut_behind
        if self._in_code:
            closing = closing_fence(self._text, at, end, self.opened.fence) if whole and self.opened.fence else None
            if closing is None:
                lead = "  " if self.opened.fence else ""
                self._of_code.append(Line(at, end, (), lead, lead, again is not None, cut_behind))
                return
            self._end_code()
            self.lines.append(closing)
            self.opened = Open()
        elif whole and self._is_markdown and (opening := opening_fence(self._text, at, end)):
            line, self.opened = opening
            self.lines.append(line)
            self._code = end + 1
        else:
            line = self._plain(at, end, again)
            self.lines.append(line._replace(cut_before=again is not None, cut_behind=cut_behind))

    def _plain(self, at: int, end: int, again: str | None) -> Line:
        if not self._is_markdown:
            return Line(at, end, (Piece(at, end),))
        if again is None:
            return markdown_line(self._text, at, end)
        return Line(at, end, tuple(inline(self._text, at, end)), again, again)

    def _end_code(self) -> None:
        """Colour the lines of code that were read."""
        if not self._of_code:
            return
        first, last = self._of_code[0].start, self._of_code[-1].end
        pieces: Callable[[int, int], tuple[Piece, ...]] = coloured(self._text, first, last, self.opened.language)
        self.lines += [line._replace(pieces=_covering(line, pieces)) for line in self._of_code]
        self._of_code = []


def _covering(line: Line, pieces: Callable[[int, int], tuple[Piece, ...]]) -> tuple[Piece, ...]:
    """The pieces of a line of code; a carriage return at its end is not seen."""
    last = line.pieces[-1:]
    return (*pieces(line.start, line.end - len(last)), *last)


def _with_return(line: Line) -> Line:
    """The carriage return that ends a line belongs to it, unseen."""
    return line._replace(end=line.end + 1, pieces=(*line.pieces, Piece(line.end, line.end + 1, "", "")))


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
