"""The formatting within one line of Markdown: code, strong, emphasis, struck out, links.

One pass over the marks of a line, whatever stands in it: an answer is untrusted, and may be nothing but asterisks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from studio.tui.panes.rendering.pieces import Piece

_MARK = re.compile(r"\\[!-/:-@\[-`{-~]|(`+)|(\*{1,3}|~~|_{1,3})|(!?\[)([^\[\]\n]*)\]\(([^()\s]*)\)")
_NAMES = {"*": "emphasis", "_": "emphasis", "**": "strong", "__": "strong", "~~": "struck"}
_NAMES |= {"***": "strong emphasis", "___": "strong emphasis"}


class _Span(NamedTuple):
    """A styled range (`shown` is None), or marks that are drawn as `shown`."""

    start: int
    end: int
    ink: str
    shown: str | None = None


class _Opened(NamedTuple):
    start: int
    end: int
    order: int


def inline(text: str, start: int, end: int, ink: str = "") -> Iterator[Piece]:
    """The pieces of `text` from `start` up to `end`, all of it within one line; `ink` is that of the whole line."""
    spans = sorted(_spans(text, start, end), key=lambda span: span.start)
    if not spans:
        if start < end:
            yield Piece(start, end, ink)
        return
    borders = sorted({start, end, *(at for span in spans for at in (span.start, span.end))})
    replaced = {span.start: span for span in spans if span.shown is not None}
    styled = [span for span in spans if span.shown is None]
    open_now: list[_Span] = []
    following = 0
    for at, until in pairwise(borders):
        while following < len(styled) and styled[following].start <= at:
            open_now.append(styled[following])
            following += 1
        open_now = [span for span in open_now if span.end > at]
        inks = " ".join(dict.fromkeys(name for name in (ink, *(span.ink for span in open_now)) if name))
        mark = replaced.get(at)
        yield Piece(at, until, inks if mark is None else mark.ink or inks, None if mark is None else mark.shown)


def _spans(text: str, start: int, end: int) -> Iterator[_Span]:
    opened: dict[str, _Opened] = {}
    code = _CodeEnds(text, start, end)
    skip = start
    for order, match in enumerate(_MARK.finditer(text, start, end)):
        at, until = match.span()
        if at < skip:
            continue
        backticks, mark, bracket, _, address = match.groups()
        if backticks:
            closing = code.after(until, len(backticks))
            if closing is not None:
                yield _Span(at, until, "code", "")
                yield _Span(until, closing, "code")
                yield _Span(closing, closing + len(backticks), "code", "")
                skip = closing + len(backticks)
        elif mark:
            yield from _emphasis(text, opened, mark, _Opened(at, until, order), (start, end))
        elif bracket:
            words = (at + len(bracket), match.end(4))
            yield _Span(at, words[0], "dim", "")
            yield _Span(*words, "link")
            yield _Span(words[1], words[1] + 2, "dim", " (" if address else "")
            yield _Span(words[1] + 2, until - 1, "dim")
            yield _Span(until - 1, until, "dim", None if address else "")
        else:
            yield _Span(at, at + 1, "dim", "")


def _emphasis(
    text: str, opened: dict[str, _Opened], mark: str, here: _Opened, line: tuple[int, int]
) -> Iterator[_Span]:
    """A mark closes what the same mark opened, which all that was opened in between does not outlive; or it opens."""
    before = text[here.start - 1] if here.start > line[0] else " "
    behind = text[here.end] if here.end < line[1] else " "
    may_close, may_open = not before.isspace(), not behind.isspace()
    if mark[0] == "_":
        may_close, may_open = may_close and not behind.isalnum(), may_open and not before.isalnum()
    began = opened.get(mark)
    if may_close and began is not None and began.end < here.start:
        for other in [other for other, where in opened.items() if where.order >= began.order]:
            del opened[other]
        yield _Span(began.start, began.end, "", "")
        yield _Span(began.end, here.start, _NAMES[mark])
        yield _Span(here.start, here.end, "", "")
    elif may_open:
        opened[mark] = here


class _CodeEnds:
    """Where code in backticks ends: at the next run of as many."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text, self._start, self._end = text, start, end
        self._runs: dict[int, list[int]] | None = None

    def after(self, at: int, length: int) -> int | None:
        """The start of the next run of `length` backticks from `at` on; asked for growing `at`."""
        if self._runs is None:
            self._runs = {}
            for run in reversed([*re.finditer("`+", self._text[self._start : self._end])]):
                self._runs.setdefault(len(run[0]), []).append(self._start + run.start())
        runs = self._runs.get(length, [])
        while runs and runs[-1] < at:
            runs.pop()
        return runs[-1] if runs else None
