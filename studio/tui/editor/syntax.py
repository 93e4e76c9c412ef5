"""YAML highlighting, line by line: what a line looks like depends on it and on what it begins within.

A text is highlighted from the last line at the margin above it that begins a key, an item or a document, which is taken
to begin anew; an unclosed quotation mark colours nothing beyond it. No work grows with the text, its nesting or the
length of a line. (A parser of all of YAML, tree-sitter's, ends the process at 256 levels.)
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from engine.text.patterns import lazy
from studio.tui.editor.source_document import SourceDocument

_MOST_LINES = 500
"""How far above a line its highlighting begins at the most."""
_MOST_COLUMNS = 4_096
"""The columns of a line that are highlighted."""
_REMEMBERED = 2_048


class Kind(StrEnum):
    """Kinds of highlights, each a component class `blueprint-editor--…`. Texts have none."""

    KEY = "key"
    ESCAPE = "escape"
    NUMBER = "number"
    COMMENT = "comment"
    ANCHOR = "anchor"
    PUNCTUATION = "punctuation"


class Highlight(NamedTuple):
    """Columns `start` up to `end` of one line are of this kind."""

    start: int
    end: int
    kind: Kind


class Opened(NamedTuple):
    """What a line begins within: a quoted text, a block text of the lines right of `margin`, or open brackets."""

    quote: str = ""
    margin: int | None = None
    depth: int = 0


class _Line(NamedTuple):
    highlights: tuple[Highlight, ...]
    below: Opened


_ANEW = lazy(r"---(?:\s|$)|- |[\w$\"'][^:#]*:(?:\s|$)")
"""A line at the margin that begins a document, an item or a key."""
_QUOTED = {
    '"': re.compile(r'(?P<text>(?:[^"\\]|\\.)*+)(?P<end>"?)'),
    "'": re.compile(r"(?P<text>(?:[^']|'')*+)(?P<end>'?)"),
}
_ESCAPES = {'"': re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)"), "'": re.compile("''")}
_VALUE = lazy(
    r"""[-+]?(?: \d[\d_]*\.?\d* | \.\d+ )(?: [eE][-+]?\d+ )? | 0x[0-9a-fA-F]+ | 0o[0-7]+ | [-+]?\.inf | \.nan
      | true | false | null | ~""",
    re.VERBOSE | re.IGNORECASE,
)
_TOKEN = lazy(
    r"""(?P<blank> \s+ )
      | (?P<comment> (?<!\S)\#.* | ^%.* )
      | (?P<document> ^(?:---|\.\.\.)(?=\s|$) )
      | (?P<sign> [-?:](?=\s|$) )
      | (?P<block> [|>][-+0-9]*(?=\s*$|\s+\#) )
      | (?P<anchor> [&*][^\s,\[\]{}]+ | ![^\s,\[\]{}]* )
      | (?P<bracket> [\[\]{},] )
      | (?P<quote> ["'] )""",
    re.VERBOSE,
)
_PLAIN = lazy(r"(?: [^\s:\#] | :(?!\s|$) | (?<=\S)\# | [ \t]+(?![\s\#]) )++", re.VERBOSE)
_PLAIN_IN_BRACKETS = lazy(
    r"(?: [^\s:\#,\[\]{}] | :(?![\s,\[\]{}]|$) | (?<=\S)\# | [ \t]+(?![\s\#,\[\]{}]) )++", re.VERBOSE
)
_COLON = lazy(r"[ \t]*:(?=\s|$)")
_COLON_IN_BRACKETS = lazy(r"[ \t]*:")


class Syntax:
    """The highlights of one document."""

    def __init__(self, document: SourceDocument) -> None:
        self._document = document
        self.follow()

    def follow(self) -> None:
        """Take note that the document has changed."""
        self._within: dict[int, Opened] = {}
        """What lines begin within, as far as that was asked for."""

    def on(self, row: int, start: int = 0, end: int = _MOST_COLUMNS) -> list[Highlight]:
        """The highlights of `row` that touch the columns from `start` up to `end`, from left to right."""
        return [one for one in self._line(row).highlights if one.start <= end and one.end >= start]

    def _line(self, row: int) -> _Line:
        first, lowest = row, max(0, row - _MOST_LINES)
        while first > lowest and first not in self._within and not _ANEW.match(self._document[first]):
            first -= 1
        is_json = self._document[0][:1] in ("{", "[")
        within = self._within.setdefault(first, Opened(depth=int(is_json and first > 0)))
        for above in range(first, row):
            within = self._within[above + 1] = below(self._document[above], within)
        return _line(_shown(self._document[row]), within)


def below(line: str, within: Opened) -> Opened:
    """What the line below `line` begins within, which itself begins `within` something."""
    return _line(_shown(line), within).below


def _shown(line: str) -> str:
    """The part of a line that is highlighted; a quotation mark that ends the line ends this too."""
    if len(line) <= _MOST_COLUMNS:
        return line
    end = line[-1]
    return line[:_MOST_COLUMNS] + (end if end in _QUOTED else "")


@lru_cache(maxsize=_REMEMBERED)
def _line(line: str, within: Opened) -> _Line:
    """The highlights of a line that begins `within` something."""
    column = len(line) - len(line.lstrip(" "))
    if within.margin is not None and (not line.strip() or column > within.margin):
        return _Line((), within)
    scan = _Scan(line, within.depth)
    if within.quote:
        scan.go_on(within.quote, 0)
    while scan.at < len(line):
        scan.token()
    return _Line(tuple(scan.found), scan.below)


class _Scan:
    """The scan of one line, `at` a column: the highlights `found`, and what the line `below` begins within."""

    def __init__(self, line: str, depth: int) -> None:
        self.at = 0
        self.found: list[Highlight] = []
        self.below = Opened(depth=depth)
        self._line = line
        self._margin = -1
        """The column of the last dash or key."""

    def token(self) -> None:
        """Take the next token."""
        start, is_within = self.at, self.below.depth > 0
        token = _TOKEN.match(self._line, start)
        match None if token is None else (token.lastgroup, token[0]):
            case ("blank", blank):
                self.at += len(blank)
            case ("comment", text):
                self._add(text, Kind.COMMENT)
            case ("document" | "anchor", text):
                self._add(text, Kind.ANCHOR)
            case ("sign", sign):
                self._margin = start if sign == "-" else self._margin
                self._add(sign, Kind.PUNCTUATION)
            case ("block", sign) if not is_within:
                self._add(sign, Kind.PUNCTUATION)
                self.below = Opened(margin=self._margin)
            case ("bracket", sign) if is_within or sign in "[{":
                self.below = Opened(depth=self.below.depth + (sign in "[{") - (sign in "]}"))
                self._add(sign, Kind.PUNCTUATION)
            case ("quote", quote):
                self.go_on(quote, start + 1)
                self._key(start, _COLON_IN_BRACKETS if is_within else _COLON)
            case _:
                self._plain(start, _PLAIN_IN_BRACKETS if is_within else _PLAIN)

    def go_on(self, quote: str, start: int) -> None:
        """Go on with a quoted text to its end, or to that of the line."""
        text = _QUOTED[quote].match(self._line, start)
        end = len(self._line) if text is None or not text["end"] else text.end()
        self.found += [Highlight(*one.span(), Kind.ESCAPE) for one in _ESCAPES[quote].finditer(self._line, start, end)]
        self.at = end
        is_open = text is None or not text["end"]
        self.below = Opened(quote if is_open else "", depth=self.below.depth)

    def _plain(self, start: int, pattern: re.Pattern[str]) -> None:
        text = pattern.match(self._line, start)
        self.at = start + 1 if text is None else text.end()
        written = self._line[start : self.at].rstrip()
        if not self._key(start, _COLON) and _VALUE.fullmatch(written):
            self.found.append(Highlight(start, start + len(written), Kind.NUMBER))

    def _key(self, start: int, colon: re.Pattern[str]) -> bool:
        """Take the text from `start` for a key if a colon follows."""
        found = None if self.below.quote else colon.match(self._line, self.at)
        if found is not None:
            self._margin = start
            self.found.append(Highlight(start, start + len(self._line[start : self.at].rstrip()), Kind.KEY))
            self.at = found.end() - 1
            self._add(":", Kind.PUNCTUATION)
        return found is not None

    def _add(self, text: str, kind: Kind) -> None:
        self.found.append(Highlight(self.at, self.at + len(text), kind))
        self.at += len(text)
