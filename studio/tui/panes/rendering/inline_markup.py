"""The formatting within a paragraph, a heading or a cell, as markdown-it reads it: code, strong, emphasis, struck out,
links.

markdown-it reports the types of inline tokens but not their places; here each mark of formatting records its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, backtick, link
from markdown_it.token import Token

from studio.tui.panes.rendering.formatted_line import Piece

_MARK = re.compile(r"[\\`*_~\[]")
"""What every mark of formatting has: most lines have none, and are not read."""
_INKS = {"em_close": "emphasis", "strong_close": "strong", "s_close": "struck", "link_close": "link"}


class _PlacedInline(StateInline):
    """Records where each token that is not plain text begins in the source."""

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token = super().push(ttype, tag, nesting)
        before = self.tokens[-2].meta if len(self.tokens) > 1 else {}
        of_same_run = before.get("rule_at") == self.pos
        at = before["at"] + len(self.tokens[-2].content) if of_same_run else self.pos
        token.meta = {"rule_at": self.pos, "at": at}
        return token


def _recording_the_end(rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    """`rule`, which also records where its last token ends."""

    def run(state: StateInline, silent: bool) -> bool:
        found = rule(state, silent)
        if found and not silent and state.tokens and state.tokens[-1].type in ("code_inline", "link_close"):
            state.tokens[-1].meta.setdefault("end", state.pos)
        return found

    return run


@lru_cache(maxsize=1)
def reader() -> MarkdownIt:
    """CommonMark with tables, tasks and what is struck out.

    HTML, entities and bare addresses stay as they are written; a link definition is a paragraph like any other, since
    nothing that an answer says is left out, and no block rests on what another says.
    """
    markdown = MarkdownIt("commonmark", {"html": False, "tasklists": True})
    markdown.enable(["table", "strikethrough"])
    markdown.disable(["reference", "entity", "autolink", "image", "fragments_join"])
    markdown.inline.ruler.at("backticks", _recording_the_end(backtick))
    markdown.inline.ruler.at("link", _recording_the_end(link))
    return markdown


def inline_pieces(source: str, ink: str = "") -> Iterator[Piece]:
    """The pieces of `source`, which may have several lines; `ink` is that of the whole."""
    marks = sorted(_marks(source), key=lambda mark: mark.start) if _MARK.search(source) else []
    if not marks:
        if source:
            yield Piece(0, len(source), ink)
        return
    borders = sorted({0, len(source), *(at for mark in marks for at in (mark.start, mark.end))})
    replaced = {mark.start: mark for mark in marks if mark.shown is not None}
    styled = [mark for mark in marks if mark.shown is None]
    open_now: list[Piece] = []
    following = 0
    for at, until in pairwise(borders):
        while following < len(styled) and styled[following].start <= at:
            open_now.append(styled[following])
            following += 1
        open_now = [mark for mark in open_now if mark.end > at]
        inks = " ".join(dict.fromkeys(name for name in (ink, *(mark.ink for mark in open_now)) if name))
        mark = replaced.get(at)
        yield Piece(at, until, inks if mark is None else mark.ink or inks, None if mark is None else mark.shown)


def _marks(source: str) -> Iterator[Piece]:
    """Styled ranges, and marks that are drawn otherwise than they are written."""
    state = _PlacedInline(source, reader(), {}, [])
    state.md.inline.tokenize(state)
    for token in state.tokens:
        if "at" in token.meta:
            token.meta.setdefault("end", token.meta["at"] + len(token.content))
    for rule in state.md.inline.ruler2.getRules(""):
        rule(state)
    opened: list[int] = []
    for token in state.tokens:
        if "at" not in token.meta:
            continue
        at, end = token.meta["at"], token.meta["end"]
        if token.nesting > 0:
            opened.append(end)
        elif token.nesting < 0:
            yield Piece(opened.pop(), at, _INKS[token.type])
        match token.type:
            case "code_inline":
                yield from _code(token, at, end)
            case "link_open":
                is_image = source[max(at - 3, 0) : at - 1].endswith("!") and source[max(at - 3, 0)] != "\\"
                yield Piece(at - 1 - is_image, at, "dim", "")
            case "link_close":
                yield from _address(source, at, end)
            case "text_special" if token.content != token.markup:
                yield Piece(at, at + 1, "dim", "")
            case "hardbreak" if source[at] == "\\":
                yield Piece(at, at + 1, "dim", "")
            case _ if not token.content and at < end:  # a mark of emphasis that has its counterpart
                yield Piece(at, end, "", "")
            case _:
                pass


def _code(token: Token, at: int, end: int) -> Iterator[Piece]:
    """Code between backticks, without the blank that may stand on each side of it."""
    body = at + len(token.markup), end - len(token.markup)
    blank = (body[1] - body[0] - len(token.content)) // 2
    yield Piece(at, body[0] + blank, "code", "")
    yield Piece(body[0] + blank, body[1] - blank, "code")
    yield Piece(body[1] - blank, end, "code", "")


def _address(source: str, at: int, end: int) -> Iterator[Piece]:
    """The address of a link stands behind its words, in brackets. It is shown, and nothing follows it."""
    address = source[at + 2 : end - 1]
    yield Piece(at, at + 2, "dim", " (" if address else "")
    yield Piece(at + 2, end - 1, "dim")
    yield Piece(end - 1, end, "dim", None if address else "")
