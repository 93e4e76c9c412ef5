"""What `engine.yaml.trial` sees of a text: its rows, what begins there, and where its words are after edits."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, final

from engine.text import Record, Span, lazy, replace
from engine.text.spans import changed_lines
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, Style, property_name
from engine.yaml.pieces import split_pieces
from engine.yaml.reader import Reader
from engine.yaml.slips import LIST_KEYS, line_at, line_start, lines_of

WORD: Final = lazy(r"[^\W_]\w*")
ROUND_BULLETS: Final = "•▪‣◦●○∙⁃・･"
NUMBER: Final = r"\(?(?:\d{1,3}|[a-z]|[ivx]{2,5})[.)]"
SIGNS: Final = rf"""(?:[^\S\n] | [\u200b\u200e\u200f\u2060\ufeff] | \[[ xX✓]?\](?=\s)  # blanks, and boxes
      | [-–—－{ROUND_BULLETS}]+ | [^\w\s"'\[\]{{}}()$\#&!|>%@`/<.,:;?=~\\]{{1,3}}(?=[^\S\n])  # dashes and bullets
      | ["']?{NUMBER}(?=[^\S\n]))*"""
"""What a line has before its text: dashes, bullets, numbers and letters; a verbose pattern."""
_SIGNS: Final = lazy(SIGNS, re.VERBOSE)
NUMBER_SIGN: Final = lazy(rf"[\"']?{NUMBER}(?=[^\S\n])")
"""A number or a letter before a text, within its quotes too."""
_BLOCK: Final = lazy(
    rf"(?P<head>[^#\n]*(?:[:：]|(?P<sign>[-*+–—{ROUND_BULLETS}])))[^\S\n]+[|>][-+0-9]*[^\S\n]*(?:#.*)?"
)
"""A line that a block text follows, behind a key or the sign of an item."""
_COMMENT: Final = lazy(r"(?:[^\n]*[ \t])?#")


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
        is_item = block is not None and block["sign"] is not None
        above = -1 if block is None else len(head) - 1 if is_item else len(head) - len(head.lstrip(" -"))
        content, number = 0, number + (block is not None)
    return found


_MAY_GO: Final = frozenset(["text", "point", "i", "gi", "ig", "x"])
"""Words that a safe fix may remove: keys of a point that YAML needs no more, flags of a pattern, the mark in a box."""
_NAME_END: Final = lazy(r"[\"']?[ \t]*[:：]")
_VALUES: Final = frozenset(["true", "false"])
_FOREIGN_COMMENT: Final = lazy(r"[ \t]*(?:#|//|<!--|/\*|```|~~~)|\w")
"""A line that is meant as a comment, or is prose outside every prompt."""
_ALIKE: Final = 0.5
_LONGEST: Final = 2_000
"""How many words that differ are compared one by one."""


@final
class CarriedWords:
    """Where words are after edits: `words` by their places before, `origins` the other way.

    `gone` are the words that are lost, or that become a comment within a prompt.
    """

    def __init__(self, before: str, after: str) -> None:
        self.words: dict[int, int] = {}
        self.gone: list[int] = []
        self._before, self._after = before, after
        self._new = list(lines_of(after))
        self._changed: set[int] = set()
        """The lines after the edits that were not there before, or follow others."""
        lines = list(lines_of(before))
        old, new = [line.of(before) for line in lines], [line.of(after) for line in self._new]
        rest = next((at for at, pair in enumerate(zip(old[::-1], new[::-1], strict=False)) if pair[0] != pair[1]), 0)
        at, new_at = 0, 0
        for change in (*changed_lines(old[: len(old) - rest], new[: len(new) - rest]), None):
            end = len(old) if change is None else change.low
            for line, other in zip(lines[at:end], self._new[new_at:], strict=False):
                by = other.start - line.start
                self.words.update(
                    (word.start(), word.start() + by) for word in WORD.finditer(before, line.start, line.end)
                )
            if change is not None:
                at, new_at = change.high, change.new_high
                self._changed.update(range(change.new_low, max(new_at, change.new_low + 1)))
                self._align(lines[change.low : at], self._new[change.new_low : new_at])
        self.origins = {new: old for old, new in self.words.items()}

    def is_same(self, span: Span) -> bool:
        """Whether the lines of `span`, in the text after the edits, are as before."""
        ends = (span.start, max(span.end - 1, span.start))
        first, last = (bisect_right(self._new, Span(at, len(self._after))) for at in ends)
        return self._changed.isdisjoint(range(first - 1, last))

    def _align(self, old: Sequence[Span], new: Sequence[Span]) -> None:
        """Carry the words of lines that were changed."""
        before, after = words_of(self._before, old), words_of(self._after, new)
        if len(before) + len(after) > _LONGEST:
            self.gone += [word.start() for word in before[:1]]
            return
        names = ([word[0].casefold() for word in words] for words in (before, after))
        for _, low, high, new_low, new_high in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
            last = after[new_high - 1][0].casefold() if new_high > new_low else ""
            for word, at in zip(before[low:high], range(new_low, new_low + high - low), strict=True):
                other = after[at] if at < new_high else None
                if other is not None and self._is_alike(word, other[0]):
                    self.words[word.start()] = other.start()
                    is_kept = not is_in_comment(self._after, other.start()) or self._may_be_comment(word)
                elif word[0].casefold() in last:
                    is_kept = True
                    if at == new_low:
                        self.words[word.start()] = after[new_high - 1].start()
                else:
                    is_kept = word[0] in _MAY_GO or self._is_sign(word)
                if not is_kept:
                    self.gone.append(word.start())

    def _is_sign(self, word: re.Match[str]) -> bool:
        """Whether a word is an escape, or in a comment."""
        return self._before[max(word.start() - 1, 0)] == "\\" or is_in_comment(self._before, word.start())

    def _is_alike(self, word: re.Match[str], other: str) -> bool:
        """Whether `other` may stand for `word`: it is a name, or much like it."""
        if self._before[max(word.start() - 1, 0)] == "$" or _NAME_END.match(self._before, word.end()):
            return True
        return other in _VALUES or SequenceMatcher(None, word[0].casefold(), other.casefold()).ratio() >= _ALIKE

    def _may_be_comment(self, word: re.Match[str]) -> bool:
        start = line_at(self._before, word.start()).start
        return is_in_comment(self._before, word.start()) or _FOREIGN_COMMENT.match(self._before, start) is not None


_REMEMBERED: Final = 16
"""How many texts are read only once: many edits of one are tried."""


class Entry(Record):
    """An item, a key, or both, that begins with a word.

    `block` is the first word of the prompt's key that holds it, `prompt` that of the prompt; -1 for none. `criterion`
    is its text if it is an item that is only a text. `owner` is the first word of the key whose argument it is,
    `sibling` that of the first argument, `path` that of the path that it is in, but does not begin.
    """

    is_key: bool
    is_prompt: bool
    block: int
    prompt: int
    criterion: str | None = None
    owner: int = -1
    sibling: int = -1
    path: int = -1


class Text(Record):
    """A text that could be read: where, and the name of its key; "" for a point, "-" for another item.

    `is_list` where it stands in place of a list of points or of a prompt.
    """

    span: Span
    key: str
    is_list: bool


@final
class RowReading:
    """The `entries` of a text by their first words, and the first words of the values of `text` with their keys'."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.entries: dict[int, Entry] = {}
        self.values: dict[int, int] = {}
        self.bracketed: set[int] = set()
        """The first words of paths that stand in brackets."""
        self._texts: list[Text] = []
        self._pieces: list[tuple[int, int]] = []
        """Where each piece begins, and up to where it can be read."""
        anchors: dict[str, Node] = {}
        for piece in split_pieces(text, 0):
            reader = Reader(text, piece.start, piece.end, anchors)
            refusal = reader.read_to_refusal()
            reader.add_anchors(anchors)
            end = piece.end if refusal is None else line_start(text, min(refusal.offset, *refusal.starts))
            self._pieces.append((piece.start, end))
            for document in reader.documents:
                if document.root is not None:
                    self._walk(document.root, Entry(False, True, -1, -1), end)

    def is_known(self, offset: int) -> bool:
        """Whether the text could be read at `offset`."""
        at = bisect_right(self._pieces, offset, key=lambda piece: piece[0]) - 1
        return at >= 0 and offset < self._pieces[at][1]

    def text_at(self, offset: int) -> Text | None:
        """The text that holds `offset`."""
        at = bisect_right(self._texts, offset, key=lambda text: text.span.start) - 1
        return self._texts[at] if at >= 0 and offset < self._texts[at].span.end else None

    def word(self, span: Span) -> int:
        """The first word of `span` behind a number, -1 for none."""
        number = NUMBER_SIGN.match(self._text, span.start, span.end)
        found = WORD.search(self._text, span.start if number is None else number.end(), span.end)
        return -1 if found is None else found.start()

    def _walk(self, node: Node, at: Entry, end: int, key: str = "") -> None:
        """Note what is in `node`, the value of `key`; `at` has the places of its items."""
        if isinstance(node, SequenceNode):
            is_listed = key in LIST_KEYS or at.is_prompt
            sibling = -1 if is_listed or not node.items else self.word(node.items[0].span)
            for item in node.items:
                criterion = item.value if isinstance(item, ScalarNode) and isinstance(item.value, str) else None
                entry = replace(at, criterion=criterion, owner=-1 if is_listed else at.owner, sibling=sibling)
                word = self._note(item.span, entry, end)
                if isinstance(item, SequenceNode) and item.flow and word < end:
                    self.bracketed.add(word)
                name = key if isinstance(item, SequenceNode) else "" if is_listed else "-"
                inner = replace(at, prompt=word, is_prompt=False) if at.is_prompt else at
                if isinstance(item, SequenceNode) and at.block >= 0 > at.path:
                    inner = replace(inner, path=word)
                self._walk(item, inner, end, "prompts" if at.is_prompt and criterion else name)
        elif isinstance(node, MappingNode):
            for pair in node.pairs:
                word = self._note(pair.key.span, Entry(True, False, at.block, at.prompt, path=at.path), end)
                name = property_name(pair.key)
                if name in ("text", "point"):
                    self.values[self.word(pair.value.span)] = word
                is_list = at.is_prompt and name == "prompts"
                block = -1 if is_list else word if at.block < 0 else at.block
                self._walk(pair.value, Entry(False, is_list, block, at.prompt, owner=word, path=at.path), end, name)
        elif isinstance(node, ScalarNode) and node.span.start < end:
            is_one_line = self._text.find("\n", node.span.start, node.span.end) < 0
            is_list = (key in LIST_KEYS or at.is_prompt) and (node.style is Style.PLAIN or is_one_line)
            self._texts.append(Text(node.span, key, is_list))

    def _note(self, span: Span, entry: Entry, end: int) -> int:
        word = self.word(span)
        if 0 <= word < end:
            known = self.entries.get(word)
            self.entries[word] = entry if known is None else replace(known, is_key=known.is_key or entry.is_key)
        return word


@lru_cache(maxsize=_REMEMBERED)
def row_reading(text: str) -> RowReading:
    """The rows of `text`; those of the last few texts are remembered."""
    return RowReading(text)
