"""The data of formatted lines: pieces, lines and blocks; and the colours of code in them."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pygments.token import _TokenType


INKS = {
    "strong": "text-style: bold",
    "emphasis": "text-style: italic",
    "struck": "text-style: strike",
    "heading": "text-style: bold; color: $ink-focus",
    "code": "color: $ink-partly",
    "link": "text-style: underline",
    "dim": "color: $ink-dim",
    "keyword": "color: $ink-focus",
    "string": "color: $ink-met",
    "number": "color: $ink-closest",
    "name": "color: $ink-hint",
    "comment": "color: $ink-dim; text-style: italic",
    "found": "color: $ink-met; text-style: bold",
}
"""How formatting looks, by the names that pieces give it; a piece may have several names, divided by a space."""


class Piece(NamedTuple):
    """Code points `start` up to `end` of a text.

    They are drawn as written, or as `shown` unless that is None; "" hides a mark of formatting.
    """

    start: int
    end: int
    ink: str = ""
    shown: str | None = None


class Line(NamedTuple):
    """One line of a text, or a part of one that is very long: code points `start` up to `end`, which its pieces cover
    without gaps.

    `lead` is drawn before it and `again`, as wide, before what of it is wrapped. `cut_before` and `cut_behind` tell
    that the line began before it or goes on behind it.
    """

    start: int
    end: int
    pieces: tuple[Piece, ...]
    lead: str = ""
    again: str = ""
    cut_before: bool = False
    cut_behind: bool = False


def moved(pieces: Sequence[Piece], by: int, start: int = 0, end: int = sys.maxsize) -> list[Piece]:
    """What of `pieces`, which are in order, lies from `start` up to `end`, each `by` code points further on."""
    first = bisect_right(pieces, start, key=lambda piece: piece.end)
    last = bisect_left(pieces, end, key=lambda piece: piece.start)
    return [
        piece._replace(start=max(piece.start, start) + by, end=min(piece.end, end) + by) for piece in pieces[first:last]
    ]


class Open(NamedTuple):
    """What is open where a block begins: within code, the mark that it `fence`s and its `language`; within a very long
    line, what is drawn before each row of that (`again`), else None."""

    fence: str = ""
    language: str = ""
    again: str | None = None


class Formatted(NamedTuple):
    """Some lines as they are drawn, their places in columns of each.

    `borders` are lines from which on all is read the same whatever stands before, with what is open there;
    `open_behind` is what is open behind the last line.
    """

    lines: list[Line]
    borders: dict[int, Open]
    open_behind: Open


class Block(NamedTuple):
    """Some lines of a text that are read on their own, from `start` on, where `opened` was open.

    Its end rests on nothing behind it but the beginning of the next line: what is added to a text changes its last
    block at the most.
    """

    start: int
    opened: Open
    lines: tuple[Line, ...]


_NAME = re.compile(r"[A-Za-z0-9+#.-]{1,30}")


def coloured(lines: Sequence[str], language: str) -> list[tuple[Piece, ...]]:
    """The pieces of each line of code, in columns of the line. One colour for an unknown language."""
    if not lines:
        return []
    tokens = _tokens("\n".join(lines), language)
    if tokens is None:
        return [(Piece(0, len(line), "code"),) if line else () for line in lines]
    pieces: list[list[Piece]] = [[]]
    column = 0
    for words, ink in tokens:
        for number, part in enumerate(words.split("\n")):
            if number:
                pieces.append([])
                column = 0
            if part:
                pieces[-1].append(Piece(column, column + len(part), ink))
                column += len(part)
    return [tuple(each) for each in pieces]


def _tokens(code: str, language: str) -> Iterator[tuple[str, str]] | None:
    """All of `code` in order, each part with its ink; None for an unknown language."""
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    if not _NAME.fullmatch(language):
        return None
    try:
        lexer = find_lexer_class_by_name(language)()
    except ClassNotFound:
        return None
    found = lexer.get_tokens_unprocessed(code)
    return _without_gaps(code, ((at, words, _ink(kind)) for at, kind, words in found if words))


def _without_gaps(code: str, found: Iterator[tuple[int, str, str]]) -> Iterator[tuple[str, str]]:
    done = 0
    for at, words, ink in found:
        if at > done:
            yield code[done:at], "code"
        yield words, ink
        done = at + len(words)
    if done < len(code):
        yield code[done:], "code"


def _ink(kind: _TokenType) -> str:
    from pygments.token import Comment, Keyword, Literal, Name, Operator, String

    families = {
        "comment": (Comment,),
        "keyword": (Keyword, Operator.Word, Name.Tag),
        "string": (String,),
        "number": (Literal,),
        "name": (Name.Function, Name.Class, Name.Builtin, Name.Decorator, Name.Attribute),
    }
    return next((ink for ink, each in families.items() if any(kind in family for family in each)), "")
