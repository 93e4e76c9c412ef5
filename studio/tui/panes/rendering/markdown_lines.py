"""Formats Markdown for a terminal, line by line: headings, lists, quotes, tables and code.

markdown-it reads the blocks, and the types of inline tokens but not their places: here each mark of formatting
records its place. Its marks are left out where what they mean is drawn; every other letter stays, in its
place. What an answer says is never lost to a reading of it: a line that is no part of a block is drawn as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, backtick, link
from markdown_it.token import Token
from rich.cells import cell_len

from engine.text.spans import visible
from studio.tui.panes.rendering.formatted_line import Formatted, Line, Open, Piece, coloured, moved

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


_RULE_WIDTH = 24
_LANGUAGE = re.compile(r"[^\s`]*")
_CONTAINERS = re.compile(r"(?:[ \t>]|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))*(?:\[[ xX]\][ \t]+)?")
"""The marks of quotes and list items before the row of a table."""
_BAR = re.compile(r"(?<!\\)\|")
_BODY = re.compile(r"\S(?:.*\S)?")
_CODE_LEAD = "  "


def markdown_lines(source: Sequence[str], opened: Open) -> Formatted:
    """`source`, lines without their ends, as they are drawn where a block of code may be `opened` before them."""
    return _Reading(source, opened).read()


class _Reading:
    def __init__(self, source: Sequence[str], opened: Open) -> None:
        self._source = source
        self._opened = opened
        self._ahead = 1 if opened.fence else 0
        """Lines that are put before the source, to open the code that is open there."""
        self._lines = [Line(0, len(line), ()) for line in source]
        self._borders: dict[int, Open] = {}
        self._behind = Open()

    def read(self) -> Formatted:
        ahead = [f"{self._opened.fence} {self._opened.language}"] if self._ahead else []
        tokens: list[Token] = []
        markdown = reader()
        markdown.block.parse("\n".join([*ahead, *self._source, ""]), markdown, {}, tokens)
        for number, token in enumerate(tokens):
            if token.map is not None:
                rows = range(max(token.map[0] - self._ahead, 0), min(token.map[1] - self._ahead, len(self._source)))
                self._take(token, rows, tokens[number - 1])
        lines = [
            line if line.pieces or not line.end else _left_over(line, self._source[row])
            for row, line in enumerate(self._lines)
        ]
        self._borders.pop(0, None)
        return Formatted(lines, self._borders, self._behind)

    def _take(self, token: Token, rows: range, parent: Token) -> None:
        is_item_at_margin = token.type == "list_item_open" and token.level == 1 and self._source[rows[0]][:1].strip()
        if token.level == 0 or is_item_at_margin:
            self._borders[rows.start] = Open()
        match token.type:
            case "blockquote_open":
                self._contain(rows, "│ ", "│ ")
            case "list_item_open":
                bullet = f"{token.info}{token.markup}" if token.info else "•"
                if "checked" in token.meta:
                    box = "☑" if token.meta["checked"] else "☐"
                    bullet = f"{bullet} {box}" if token.info else box
                self._contain(rows, f"{bullet} ", " " * cell_len(f"{bullet} "))
            case "fence":
                self._fence(token, rows)
            case "code_block":
                self._code(rows, token.content, "")
            case "hr":
                self._put(rows[0], Piece(0, len(self._source[rows[0]]), "dim", "─" * _RULE_WIDTH))
            case "table_open":
                for row in rows:
                    start = self._inside(row)
                    self._put(row, Piece(0, start, "", ""), Piece(start, len(self._source[row]), "dim"))
            case "tr_open":
                self._put(rows[0], *self._cells(rows[0]))
            case "heading_open" if token.markup[:1] in "=-":
                self._put(rows[-1], Piece(0, len(self._source[rows[-1]]), "dim"))
            case "inline" if parent.type in ("heading_open", "paragraph_open"):
                self._text(rows, token.content, parent.markup)
            case _:
                pass

    def _contain(self, rows: range, lead: str, again: str) -> None:
        """`lead` before the first of the lines within a quote, an item or code, `again` before the others."""
        for row in rows:
            line = self._lines[row]
            if line.end and not self._source[row].isspace():
                lead = lead if row == rows.start else again
                self._lines[row] = line._replace(lead=line.lead + lead, again=line.again + again)

    def _put(self, row: int, *pieces: Piece) -> None:
        self._lines[row] = self._lines[row]._replace(pieces=tuple(piece for piece in pieces if piece.start < piece.end))

    def _text(self, rows: range, content: str, heading: str) -> None:
        """The lines of a paragraph, or of a heading, whose closing marks are left out."""
        bodies = [match.span() for match in _BODY.finditer(content)]
        filled = [row for row in rows if self._source[row].strip()]
        if len(bodies) != len(filled):
            return
        pieces = [*inline_pieces(content, "heading" if heading else "")]
        is_marked = heading.startswith("#")
        for row, (first, last) in zip(filled, bodies, strict=True):
            line, body = self._source[row].rstrip(), content[first:last]
            start = line.index(body, line.index(heading) + len(heading)) if is_marked else line.rfind(body)
            end = start + last - first
            if start < 0 or (end < len(line) and not is_marked):
                return
            rest = Piece(end, len(self._source[row]), "", "" if is_marked else None)
            self._put(row, Piece(0, start, "dim", ""), *moved(pieces, start - first, first, last), rest)

    def _inside(self, row: int) -> int:
        """The column at which a row of a table begins, behind the marks of what it stands in."""
        found = _CONTAINERS.match(self._source[row]) if self._lines[row].lead else None
        return found.end() if found else len(self._source[row]) - len(self._source[row].lstrip())

    def _cells(self, row: int) -> list[Piece]:
        """A row of a table: its bars are quiet."""
        line, start = self._source[row], self._inside(row)
        pieces = [Piece(0, start, "", "")]
        bars = [*(bar.start() for bar in _BAR.finditer(line, start)), len(line)]
        for bar in bars:
            pieces += moved([*inline_pieces(line[start:bar])], start)
            pieces.append(Piece(bar, min(bar + 1, len(line)), "dim", "│"))
            start = bar + 1
        return pieces

    def _fence(self, token: Token, rows: range) -> None:
        """A block of code: the line that opens it shows its language, the one that closes it nothing."""
        language = _LANGUAGE.match(token.info.strip())
        opened = Open(token.markup, language[0] if language else "")
        first = rows.start
        if token.map is not None and token.map[0] >= self._ahead:
            self._put(first, Piece(0, len(self._source[first]), "dim", visible(token.info.strip())))
            self._contain(range(first, first + 1), _CODE_LEAD, _CODE_LEAD)
            first += 1
        is_closed = token.content.count("\n") < rows.stop - first
        self._code(range(first, rows.stop - is_closed), token.content, opened.language)
        if is_closed:
            self._put(rows[-1], Piece(0, len(self._source[rows[-1]]), "dim", ""))
        if token.level == 0:
            self._behind = opened if not is_closed and rows.stop == len(self._source) else Open()
            for row in range(first + 1, rows.stop - is_closed):
                if self._source[row][:1].strip() and not self._source[row - 1]:
                    self._borders[row] = opened

    def _code(self, rows: range, content: str, language: str) -> None:
        """Lines of code, which are `content` without what they are set in by."""
        self._contain(rows, _CODE_LEAD, _CODE_LEAD)
        lines = content.split("\n")[: len(rows)]
        for row, line, pieces in zip(rows, lines, coloured(lines, language), strict=True):
            source = self._source[row]
            if source.endswith(line):
                start = len(source) - len(line)
                self._put(row, Piece(0, start, "dim", ""), *moved(pieces, start))
            else:  # a tab of which a part is indentation
                self._put(row, Piece(0, len(source), "code"))


def _left_over(line: Line, source: str) -> Line:
    """A line that is no part of any block: nothing but the marks of what it stands in, or drawn as it is."""
    if [*filter(str.isalnum, line.lead)] == [*filter(str.isalnum, source)]:
        return line._replace(pieces=(Piece(0, line.end, "", ""),))
    return Line(0, line.end, (Piece(0, line.end),))
