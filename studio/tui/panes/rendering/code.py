"""Code in an answer, coloured. It is read, never run."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from studio.tui.panes.rendering.pieces import Piece

if TYPE_CHECKING:
    from pygments.token import _TokenType

_NAME = re.compile(r"[A-Za-z0-9+#.-]{1,30}")


def coloured(text: str, start: int, end: int, language: str) -> Callable[[int, int], tuple[Piece, ...]]:
    """What gives the pieces of each line of the code at `start` up to `end` of `text`."""
    tokens = [*_tokens(text, start, end, language)]
    starts = [token.start for token in tokens]

    def pieces(at: int, until: int) -> tuple[Piece, ...]:
        if not tokens:
            return (Piece(at, until, "code"),) if at < until else ()
        first, last = max(bisect_right(starts, at) - 1, 0), bisect_left(starts, until)
        return tuple(
            [
                Piece(max(token.start, at), min(token.end, until), token.ink)
                for token in tokens[first:last]
                if token.end > at
            ]
        )

    return pieces


def _tokens(text: str, start: int, end: int, language: str) -> Iterator[Piece]:
    """The tokens without gaps; nothing where the language is not known."""
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    if not _NAME.fullmatch(language):
        return
    try:
        lexer = find_lexer_class_by_name(language)()
    except ClassNotFound:
        return
    done = start
    for offset, kind, said in lexer.get_tokens_unprocessed(text[start:end]):
        if not said:
            continue
        if start + offset > done:
            yield Piece(done, start + offset, "code")
        done = start + offset + len(said)
        yield Piece(start + offset, done, _ink(kind))
    if done < end:
        yield Piece(done, end, "code")


def _ink(kind: _TokenType) -> str:
    from pygments.token import Comment, Keyword, Literal, Name, Operator, String

    for family, ink in (
        (Comment, "comment"),
        (Keyword, "keyword"),
        (Operator.Word, "keyword"),
        (Name.Tag, "keyword"),
        (String, "string"),
        (Literal, "number"),
        (Name.Function, "name"),
        (Name.Class, "name"),
        (Name.Builtin, "name"),
        (Name.Decorator, "name"),
        (Name.Attribute, "name"),
    ):
        if kind in family:
            return ink
    return ""
