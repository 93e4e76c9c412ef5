"""The data of formatted lines: pieces, lines and blocks; and the colours of code in them."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pygments.lexer import Lexer
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
    pieces = [*_pieces("\n".join(lines), language)]
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    return [tuple(moved(pieces, -start, start, start + len(line))) for line, start in zip(lines, starts, strict=False)]


def _pieces(code: str, language: str) -> Iterator[Piece]:
    """All of `code` in order, without gaps."""
    lexer, done = _lexer(language), 0
    for at, kind, words in () if lexer is None else lexer.get_tokens_unprocessed(code):
        if at > done:
            yield Piece(done, at, "code")
        if words:
            done = at + len(words)
            yield Piece(at, done, _ink(kind))
    if done < len(code):
        yield Piece(done, len(code), "code")


def _lexer(language: str) -> Lexer | None:
    """What reads code of this language; None for an unknown one."""
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    try:
        return find_lexer_class_by_name(language)() if _NAME.fullmatch(language) else None
    except ClassNotFound:
        return None


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
