"""Highlights code in an answer. The code is never run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from studio.tui.panes.rendering.formatted_line import Piece

if TYPE_CHECKING:
    from pygments.token import _TokenType

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
