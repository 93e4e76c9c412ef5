"""The text of quoted and block scalars, by js-yaml's rules of folding, chomping and escaping."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from engine.text import Record, Span
from engine.yaml.nodes import Node

_END: Final = "\0"
_SINGLE = re.compile(r"[^'\n\r\0]*")
_DOUBLE = re.compile(r'[^"\\\n\r\0]*')
_BREAK = re.compile(r"\r\n|\r|\n")
_BREAKS = re.compile(r"\n(\n*)")
_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n))+")
_SPACES = re.compile(r" *")
_WHITE = re.compile(r"[ \t]*")
_LINE = re.compile(r"[^\n\r\0]*")
_CONTROL = re.compile(r"[\x00-\x08\n-\x1f]")
SEPARATOR: Final = re.compile(r"(?:---|\.\.\.)(?=[\0 \t\n\r])")
_SURROGATE: Final = "[\ud800-\udfff]"
_HEADER = re.compile(r"[|>](?P<indicators>[-+0-9]*)(?P<rest>[ \t]+(?:#[^\n\r\0]*)?)?")
_ESCAPES: Final = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_HEXADECIMAL: Final = {"x": 2, "u": 4, "U": 8}


def is_printable(text: str) -> bool:
    """Whether `text` contains no character that js-yaml refuses everywhere."""
    return text.isprintable() or not any(map(_is_refused, set(text)))


def _is_refused(character: str) -> bool:
    return (
        (character < " " and character not in "\t\n\r")
        or ("\x7f" <= character < "\xa0" and character != "\x85")
        or "\ud800" <= character < "\ue000"
        or character in "\ufffe\uffff"
    )


class Refusal(Exception):
    """js-yaml or `JSON.parse` refuses the text: the `reason`, its `offset`, and the part of the node read so far.

    `opening` is the offset of the quote or bracket still open there. `node_start` is where the last node outside
    brackets begins; `multiline_quote` is the last quoted text that spans several lines, if any.
    """

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset
        self.partial: Node | None = None
        self.opening: int | None = None
        self.node_start = offset
        self.multiline_quote: Span | None = None

    @property
    def starts(self) -> tuple[int, ...]:
        """Where what was read last begins: the node, an open quote or bracket, the quoted text."""
        quoted = None if self.multiline_quote is None else self.multiline_quote.start
        return tuple(each for each in (self.node_start, self.opening, quoted) if each is not None)


class ScalarText(Record):
    """The text of a scalar, and where reading continues.

    `end` is the offset at which reading continues, `last` the end of the scalar's last character (they differ for block
    scalars). `line_start`, `indent` and `tab` describe the line of `end`, as in `Scalars`.
    """

    text: str
    end: int
    last: int
    line_start: int
    indent: int = 0
    tab: int = -1


class _Quoted(Struct):
    """The text of a quoted scalar while its lines are joined."""

    line_start: int
    pieces: list[str] = []
    indent: int = 0
    tab: int = -1

    def add(self, piece: str, offset: int) -> None:
        """Add a part of the source unchanged; `offset` is its end. Raises `Refusal` for control characters."""
        if _CONTROL.search(piece) is not None:
            raise Refusal("expected valid JSON character", offset)
        self.pieces.append(piece)

    def break_line(self, text: str, at: int, folded: bool) -> int:
        """Read the line break at `at` and the blank lines after it; returns where the text continues."""
        lines = _BLANK_LINES.match(text, at)
        assert lines is not None
        if folded:
            count = len(_BREAK.findall(lines[0]))
            self.pieces.append(" " if count == 1 else "\n" * (count - 1))
        self.line_start = lines.end()
        spaces = _SPACES.match(text, self.line_start)
        white = _WHITE.match(text, self.line_start)
        assert spaces is not None
        assert white is not None
        self.indent = spaces.end() - self.line_start
        self.tab = text.find("\t", spaces.end(), white.end())
        return white.end()

    def done(self, end: int) -> ScalarText:
        return ScalarText(_joined_halves("".join(self.pieces)), end, end, self.line_start, self.indent, self.tab)

    def refuse_end(self, text: str, at: int, kind: str) -> None:
        """Raise `Refusal` if the text, or its document, ends at `at`."""
        if text[at] == _END:
            raise Refusal(f"unexpected end of the stream within a {kind} quoted scalar", at)
        if at == self.line_start and SEPARATOR.match(text, at) is not None:
            raise Refusal(f"unexpected end of the document within a {kind} quoted scalar", at)


def quoted(text: str, start: int, line_start: int) -> ScalarText:
    """The scalar whose opening quote is at `start`. Raises `Refusal`."""
    mark, read = text[start], _Quoted(line_start)
    kind, pattern = ("single", _SINGLE) if mark == "'" else ("double", _DOUBLE)
    at = start + 1
    while True:
        read.refuse_end(text, at, kind)
        stretch = pattern.match(text, at)
        assert stretch is not None
        at = stretch.end()
        read.add(stretch[0], at)
        if mark == "'" and text.startswith("''", at):
            read.pieces.append("'")
            at += 2
        elif text[at] == mark:
            return read.done(at + 1)
        elif text[at] == "\\" and text[at + 1] not in "\n\r":
            character, at = _escape(text, at + 1)
            read.pieces.append(character)
        elif text[at] != _END:
            is_escaped = text[at] == "\\"
            at = read.break_line(text, at + is_escaped, folded=not is_escaped)


def _joined_halves(value: str) -> str:
    """`value` with escaped surrogate pairs joined to characters, as in JavaScript."""
    if value.isascii() or re.search(_SURROGATE, value) is None:
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _escape(text: str, at: int) -> tuple[str, int]:
    """The text of the escape at `at`, after its backslash, and the offset after it. Raises `Refusal`."""
    letter = text[at]
    if letter in _ESCAPES:
        return _ESCAPES[letter], at + 1
    if letter not in _HEXADECIMAL:
        raise Refusal("unknown escape sequence", at)
    end = at + 1 + _HEXADECIMAL[letter]
    for offset in range(at + 1, end):
        if text[offset] not in "0123456789abcdefABCDEF":
            raise Refusal("expected hexadecimal character", offset)
    return _character(int(text[at + 1 : end], 16)), end


def _character(code: int) -> str:
    """The character of the code point `code`; beyond Unicode, the two halves that js-yaml computes for it."""
    if code >= 2**31:
        return chr(code & 0xFFFF)
    if code <= 0x10FFFF:
        return chr(code)
    code -= 0x10000
    return chr((code >> 10) + 0xD800 & 0xFFFF) + chr((code & 0x3FF) + 0xDC00)


def block_scalar(text: str, start: int, indent: int) -> ScalarText:
    """The scalar whose `|` or `>` is at `start`; `indent` is the lowest column that its lines may have.

    Raises `Refusal`.
    """
    header = _HEADER.match(text, start)
    assert header is not None
    chomping, width = _indicators(header["indicators"], start + 1)
    at = header.end()
    if text[at] not in "\n\r":
        raise Refusal("a line break is expected", at)
    last = at if header["rest"] is None else start + 1 + len(header["indicators"])
    block = _Block(text[start] == ">", chomping, indent if width is None else indent + width - 1, width is not None)
    while True:
        line_start = at + (2 if text.startswith("\r\n", at) else 1)
        spaces = _SPACES.match(text, line_start)
        assert spaces is not None
        at = spaces.end()
        if block.indent_known:
            at = min(at, line_start + block.indent)
        else:
            block.indent = max(block.indent, at - line_start)
        if text[at] in "\n\r":
            block.empty_lines += 1
            continue
        if at - line_start < block.indent:
            block.chomp()
            break
        line = _LINE.match(text, at)
        assert line is not None
        block.add(line[0])
        at = line.end()
        if not is_printable(line[0]):
            raise Refusal("the stream contains non-printable characters", at)
        last = at if line[0].strip(" \t") else last
        if text[at] == _END:
            break
    return ScalarText("".join(block.pieces), at, last, line_start, at - line_start)


def block_text(written: str, margin: str, header: str) -> str:
    """The text of the block scalar with the lines `written`, the first of which begins with `margin` and text.

    `written` has no refused character and no lone carriage return; `header` is `|` or `>` and a chomping indicator.
    """
    width = len(margin)
    written = written.replace("\r\n", "\n")
    whole = written[width:].replace(f"\n{margin}", "\n")
    if "\n " in whole:  # a line indented deeper than the first, or a blank line indented less
        whole = "\n".join([line[width:] for line in written.split("\n")])
    body = whole.rstrip("\n")
    breaks = "\n" if len(header) == 1 else "" if header[1] == "-" else whole[len(body) :]
    return (_folded(body) if header[0] == ">" and "\n" in body else body) + breaks


def _folded(body: str) -> str:
    if "\n " not in body and "\n\t" not in body:
        return _BREAKS.sub(lambda breaks: breaks[1] or " ", body)
    block = _Block(folded=True, chomping="", indent=0, indent_known=True)
    for line in body.split("\n"):
        if line:
            block.add(line)
        else:
            block.empty_lines += 1
    return "".join(block.pieces)


def _indicators(indicators: str, start: int) -> tuple[str, int | None]:
    chomping = ""
    width: int | None = None
    for offset, indicator in enumerate(indicators, start):
        if indicator in "+-":
            if chomping:
                raise Refusal("repeat of a chomping mode identifier", offset)
            chomping = indicator
        elif indicator == "0":
            raise Refusal("bad explicit indentation width of a block scalar; it cannot be less than one", offset)
        elif width is None:
            width = int(indicator)
        else:
            raise Refusal("repeat of an indentation width identifier", offset)
    return chomping, width


class _Block(Struct):
    """The text of a block scalar while its lines are joined."""

    folded: bool
    chomping: str
    indent: int
    indent_known: bool
    more_indented: bool = False
    empty_lines: int = 0
    pieces: list[str] = []

    def add(self, line: str) -> None:
        """Add a line of text without its indentation."""
        first = not self.pieces
        breaks = self.empty_lines if first else self.empty_lines + 1
        if self.folded:
            if line[:1] in (" ", "\t"):
                self.more_indented = True
            elif self.more_indented:
                self.more_indented = False
                breaks = self.empty_lines + 1
            elif self.empty_lines == 0:
                breaks = 0
                self.pieces.append("" if first else " ")
            else:
                breaks = self.empty_lines
        self.pieces += ("\n" * breaks, line)
        self.indent_known = True
        self.empty_lines = 0

    def chomp(self) -> None:
        """End the text as its header says: with none, one or all of its trailing line breaks."""
        if self.chomping == "+":
            self.pieces.append("\n" * (self.empty_lines + 1 if self.pieces else self.empty_lines))
        elif self.chomping == "" and self.pieces:
            self.pieces.append("\n")
