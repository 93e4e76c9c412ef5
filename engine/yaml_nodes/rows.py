"""What `engine.yaml_nodes.trial` sees of a text by its lines: signs, words, columns, block texts, comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from engine.patterns import lazy
from engine.text import Span
from engine.yaml_nodes.line_spans import line_end, line_start

WORD: Final = lazy(r"[^\W_]\w*")
ROUND_BULLETS: Final = "•▪‣◦●○∙⁃・･"
NUMBER: Final = r"\(?(?:\d{1,3}|[a-z]|[ivx]{2,5})[.)]"
_SIGNS: Final = lazy(
    rf"""(?:[^\S\n] | [\u200b\u200e\u200f\u2060\ufeff] | \[[ xX✓]?\](?=\s)  # blanks, and boxes
      | [-–—－{ROUND_BULLETS}]+ | [^\w\s"'\[\]{{}}()$\#&!|>%@`/<.,:;?=~\\]{{1,3}}(?=[^\S\n])  # dashes and bullets
      | ["']?{NUMBER}(?=[^\S\n]))*""",
    re.VERBOSE,
)
"""What a line has before its text: dashes, bullets, numbers and letters."""
NUMBER_SIGN: Final = lazy(rf"[\"']?{NUMBER}(?=[^\S\n])")
"""A number or a letter before a text, within its quotes too."""
_BLOCK: Final = lazy(r"(?P<head>[^#\n]*(?:[:：]|-))[^\S\n]+[|>][-+0-9]*[^\S\n]*(?:#.*)?")
"""A line that a block text follows."""
_COMMENT: Final = lazy(r"(?:[^\n]*[ \t])?#")


def lines_of(text: str) -> Iterator[Span]:
    """The lines of `text`, without their breaks."""
    start = 0
    while start < len(text):
        end = line_end(text, start)
        yield Span(start, end)
        start = end + 1


def line_at(text: str, offset: int) -> Span:
    """The line that holds `offset`."""
    return Span(line_start(text, offset), line_end(text, offset))


def behind_signs(text: str, line: Span) -> int:
    """Where `line` begins behind its signs."""
    signs = _SIGNS.match(text, line.start, line.end)
    return line.start if signs is None else signs.end()


def columns(text: str, offset: int) -> tuple[int, int]:
    """The columns of the first sign, and of what is behind the signs, of the line that holds `offset`."""
    line = line_at(text, offset)
    written = line.of(text)
    return len(written) - len(written.lstrip()), behind_signs(text, line) - line.start


def words_of(text: str, lines: Iterable[Span]) -> list[re.Match[str]]:
    """The words of `lines` behind their signs."""
    return [word for line in lines for word in WORD.finditer(text, behind_signs(text, line), line.end)]


def is_in_comment(text: str, offset: int) -> bool:
    """Whether `offset` is behind a `#` that begins a comment."""
    start = line_start(text, offset)
    return text.find("#", start, offset) >= 0 and _COMMENT.match(text, start, offset) is not None


def block_lines(text: str) -> dict[int, int]:
    """Where the lines of block texts begin, by their indentation alone, each with the number of its block text."""
    found: dict[int, int] = {}
    above, content, number = -1, 0, 0
    for line in lines_of(text):
        written = line.of(text)
        column = len(written) - len(written.lstrip(" "))
        if not written.strip():
            continue
        if 0 <= above < column >= content:
            found[line.start] = number
            content = content or column
            continue
        block = _BLOCK.fullmatch(written)
        head = "" if block is None else block["head"]
        above = -1 if block is None else head.rindex("-") if head.endswith("-") else len(head) - len(head.lstrip(" -"))
        content, number = 0, number + (block is not None)
    return found
