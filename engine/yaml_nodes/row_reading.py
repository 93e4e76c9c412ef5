"""What the rows of a text begin, as far as the text can be read."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import Final, final

from engine.record import Record, replace
from engine.text import Span
from engine.yaml_nodes.anchors import Anchors
from engine.yaml_nodes.key_names import LIST_KEYS
from engine.yaml_nodes.line_spans import line_start
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, SequenceNode, Style, property_name
from engine.yaml_nodes.pieces import split_pieces
from engine.yaml_nodes.reader import Reader, Refusal
from engine.yaml_nodes.rows import NUMBER_SIGN, WORD

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
        anchors = Anchors()
        for piece in split_pieces(text, 0):
            reader = Reader(text, piece.start, piece.end, anchors)
            refusal = reader.read_to_refusal()
            end = piece.end if refusal is None else line_start(text, _first_doubt(refusal))
            self._pieces.append((piece.start, end))
            for document in reader.documents:
                if document.root is not None:
                    self._walk(document.root, Entry(False, True, -1, -1), end)

    def is_known(self, offset: int) -> bool:
        """Whether the text could be read at `offset`."""
        at = bisect_right(self._pieces, offset, key=_start) - 1
        return at >= 0 and offset < self._pieces[at][1]

    def text_at(self, offset: int) -> Text | None:
        """The text that holds `offset`."""
        at = bisect_right(self._texts, offset, key=_start_of_text) - 1
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


def _first_doubt(refusal: Refusal) -> int:
    """Where what was read last begins: what is there may be meant otherwise."""
    quote = refusal.multiline_quote
    places = (refusal.opening, None if quote is None else quote.start)
    return min(refusal.offset, refusal.node_start, *(each for each in places if each is not None))


def _start(piece: tuple[int, int]) -> int:
    return piece[0]


def _start_of_text(text: Text) -> int:
    return text.span.start
