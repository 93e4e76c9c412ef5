"""Splits an answer into sentences with their spans.

A sentence never crosses a blank line, a list item, a heading, a table row or the end of a code block. A sentence longer
than the input of the encoder is split at white space, so that the whole answer is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.record import Record
from engine.text import Span

MAX_COST = 240.0
"""The upper bound of a piece's estimated word pieces, within the 256 of the encoder."""
_ASCII_COST = 0.3
_FENCE = re.compile(r"\s*(```|~~~)")
_OWN_LINE = re.compile(r"\s*(?:#{1,6}\s|\||(?:-{3,}|\*{3,}|_{3,})\s*$)")
_MARKER = re.compile(r"\s*(?:>\s*)*(?:(?:[-*+•‣–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+|#{1,6}\s+|\|\s*)?")
_ITEM = re.compile(r"\s*(?:>\s*)*(?:[-*+•‣–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+\S")
_CLOSING = "\"'”’»)\\]}*_"
_END = re.compile(
    rf"(?P<wide>[。！？｡]+[{_CLOSING}」』）】]*)"
    rf"|(?P<mark>[.!?…।॥؟۔։።။។]+)(?P<closing>[{_CLOSING}]*)(?=\s)"
)
_LAST_WORD = re.compile(r"[\w.]*\Z")
_ABBREVIATIONS = re.compile(
    r"(?:mrs?|ms|dr|prof|st|sr|jr|rev|hon|gen|col|sgt|capt|lt|cf|vs?|approx|est|dept|inc|ltd|co|corp|e\.g|i\.e|al|ca|resp"
    r"|bzw|z\.b|d\.h|u\.a|bsp|vgl)\Z",
    re.IGNORECASE,
)
_BEFORE_A_NUMBER = re.compile(
    r"(?:nos?|nr|arts?|abs|secs?|paras?|ch|figs?|vol|eds?|pp?|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\Z",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]\Z")
_CLUTTER = re.compile(r"[*_`#|]+")


class Sentence(Record):
    """One sentence: its span in the answer, and its text on one line without Markdown."""

    span: Span
    text: str


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of `text` that have a letter or a digit, in order."""
    found: list[Sentence] = []
    for block in _blocks(text):
        for span in _within(text, block):
            for piece in _cut(text, span):
                plain = " ".join(_CLUTTER.sub(" ", piece.of(text)).split())
                if any(each.isalnum() for each in plain):
                    found.append(Sentence(piece, plain))
    return tuple(found)


def whole_sentences(text: str) -> tuple[Span, ...]:
    """The spans of the sentences of `text` that have a letter or a digit, in order, however long each is."""
    spans = (_stripped(text, span) for block in _blocks(text) for span in _within(text, block))
    return tuple(span for span in spans if any(each.isalnum() for each in span.of(text)))


def _blocks(text: str) -> Iterator[Span]:
    """The blocks that no sentence crosses, without their leading markers."""
    start: int | None = None
    end = place = 0
    code = False
    for line in text.splitlines(keepends=True):
        begin, place = place, place + len(line)
        fence = _FENCE.match(line) is not None
        alone = not code and _OWN_LINE.match(line) is not None
        if start is not None and (fence or alone or code or not line.strip() or _ITEM.match(line)):
            yield Span(start, end)
            start = None
        if fence:
            code = not code
        elif line.strip():
            if start is None:
                marker = None if code else _MARKER.match(line)
                start = begin + (0 if marker is None else marker.end())
            end = begin + len(line.rstrip())
            if alone:
                yield Span(start, end)
                start = None
    if start is not None:
        yield Span(start, end)


def _within(text: str, block: Span) -> Iterator[Span]:
    start = block.start
    for end in _END.finditer(text, block.start, block.end):
        if end["wide"] is None and not _ends(text, end, start, block.end):
            continue
        yield Span(start, end.end())
        start = end.end()
    if start < block.end:
        yield Span(start, block.end)


def _ends(text: str, end: re.Match[str], start: int, stop: int) -> bool:
    """Whether a sentence ends at the mark `end`: not after an abbreviation, and not inside a sentence."""
    rest = text[end.end() : min(end.end() + 40, stop)].lstrip(" \t\n\"'“‘«([*_")
    if rest[:1].islower():
        return False
    if end["mark"] != "." or end["closing"]:
        return True
    last = _LAST_WORD.search(text, max(start, end.start() - 30), end.start())
    word = "" if last is None else last[0]
    if rest[:1].isdigit() and _BEFORE_A_NUMBER.match(word):
        return False
    return not (_ABBREVIATIONS.match(word) or _INITIALS.match(word))


def _cut(text: str, span: Span) -> Iterator[Span]:
    """The parts of `span` that fit the encoder, usually one, without surrounding white space."""
    whole = _stripped(text, span)
    start, stop = whole.start, whole.end
    while start < stop:
        end = _piece_end(text, start, stop)
        piece = _stripped(text, Span(start, end))
        if piece.start < piece.end:
            yield piece
        start = end


def _piece_end(text: str, start: int, stop: int) -> int:
    """The end of a piece from `start`: after the last white space within `MAX_COST`, at least one character on."""
    cost, blank = 0.0, start
    for place in range(start, stop):
        if cost >= MAX_COST:
            return blank if blank > start else place
        cost += _ASCII_COST if text[place].isascii() else 1.0
        if text[place].isspace():
            blank = place + 1
    return stop


def _stripped(text: str, span: Span) -> Span:
    start, end = span.start, span.end
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
