"""Finds the lists and keys that enclose the cursor, in the tree of the text around it.

The word at the cursor is replaced by a mark that no author writes. The text may be unfinished, so two errors are
repaired and the text is read again: an open bracket is closed after the mark, and an unreadable line is left out unless
the cursor's line is indented into the value that begins there.
"""

from __future__ import annotations

import json
import re
from enum import Enum, auto
from typing import TypeAlias

from engine.text.record import Record
from engine.text.spans import Span
from engine.yaml.json_reader import read_json
from engine.yaml.layout import line_end, line_start
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, property_name
from engine.yaml.reader import Reader
from engine.yaml.scalar_text import Refusal
from engine.yaml.slips import placed_lines

MARK = "\ue000"
"""The mark in place of the word at the cursor: a plain scalar of one private-use character."""

_MAX_READINGS = 12
"""The upper bound of attempts, each with one more unreadable line left out or one more bracket closed."""

_MAX_INVALID_JSON = 8000
"""Invalid JSON up to this many characters is read as YAML, at about 3,000 characters a millisecond."""

_LEAD = re.compile(r" *(?:-[ \t]+)*")
_KEY_START = re.compile(r"[ ]*(?:-[ ]+)*[\w$-]+:(?=\s)")
_JSON_PROMPTS = re.compile(r"^[\s\ufeff]*\[\s*|\"prompts\"\s*:\s*\[\s*")
_LINE_END = re.compile(r"[\r\n]")
_COMMA = re.compile(r"\s*,\s*")
_CLOSING = {"[": "]", "{": "}"}


class Item(Enum):
    """The step from a list into one of its items."""

    ITEM = auto()


ITEM = Item.ITEM

Step: TypeAlias = str | Item
"""One step of a path: into the value of a key, or into an item of a list."""


class At(Enum):
    """The role of the word at the cursor: a key, a value, or a list item that may become either."""

    KEY = auto()
    VALUE = auto()
    ITEM = auto()


class Notation(Enum):
    """The notation of the text around the cursor."""

    BLOCK = auto()
    FLOW = auto()
    JSON = auto()


class Enclosing(Record):
    """The path from the root of the document to the mapping of a key, or to a value, and the keys beside it.

    `siblings` are the other keys of the mapping in which the mark is a key or a value, and `root_keys` the keys of the
    document if that is a mapping. `in_brackets` tells whether the mark is in a flow list or flow mapping.
    """

    at: At
    path: tuple[Step, ...]
    siblings: frozenset[str]
    root_keys: frozenset[str]
    in_brackets: bool


class Place(Enclosing):
    """The cursor's place: what encloses the word at it, and the word.

    `is_first_document` tells whether this is the first document with content. `word` is the part of the word before the
    cursor without its quotation mark, `span` the whole word, and `quote` the mark or "". `rest` is the rest of the
    line. `column` is where the line's content starts, after any dashes.
    """

    is_first_document: bool
    word: str
    span: Span
    quote: str
    rest: str
    notation: Notation
    column: int


def enclosing_in_json(above: str) -> Enclosing | None:
    """The path to the end of `above`, the start of a JSON text. Invalid JSON such as `,]` is read as YAML."""
    above = _without_prompts_above(above)
    try:
        root: Node | None = read_json(f'{above}"{MARK}": null')
    except Refusal as error:
        root = error.partial
    found = None if root is None else _find(root, len(above))
    if isinstance(found, Enclosing):
        return found
    if len(above) > _MAX_INVALID_JSON:
        return None
    return enclosing_in_yaml(_LINE_END.sub(" ", above), f"{MARK}: ", "")  # lines of JSON need no indentation


def enclosing_in_yaml(above: str, mark: str, below: str) -> Enclosing | None:
    """The path to `mark`, which starts with `MARK`, between two parts of a document (or of one item of its list)."""
    for left in reversed(range(_MAX_READINGS)):
        text, at = f"{above}{mark}{below}", len(above)
        reader = Reader(text, 0, len(text), {})
        try:
            reader.read()
            repaired = None
        except Refusal as refusal:
            repaired = _repaired(text, Span(at, at + len(mark)), refusal)
        if repaired is None or not left:
            roots = [document.root for document in reader.documents if document.root is not None]
            found = next(filter(None, (_find(root, at) for root in roots)), None)
            if not isinstance(found, ScalarNode):
                return found
            if _encloses(text, found.span.start, at):
                return None
            repaired = (
                _without_value(text, found.span.start, at),
                below,
            )  # an open quote
        above, below = repaired
    return None


def _without_prompts_above(above: str) -> str:
    """`above` without the complete prompts of its list, so that the cost of reading does not grow with them."""
    prompts = _JSON_PROMPTS.search(above)
    if prompts is None:
        return above
    decoder, at = json.JSONDecoder(), prompts.end()
    try:
        while comma := _COMMA.match(above, decoder.raw_decode(above, at)[1]):
            at = comma.end()
    except (ValueError, RecursionError):  # here the unfinished prompt begins
        return above[: prompts.end()] + above[at:]
    return above


# --- Repairs of unreadable text


def _repaired(text: str, mark: Span, refusal: Refusal) -> tuple[str, str] | None:
    """The text above and below the mark after a repair of the cause of `refusal`.

    None if the mark is inside the cause, such as an open quote: then there is nothing to complete.
    """
    above, below = text[: mark.start], text[mark.end :]
    here, _ = line_around(text, mark.start)
    if "document separator" in refusal.reason and text.startswith("- ", refusal.offset) and refusal.offset < here:
        return above[refusal.offset :], below  # `---` is missing before this list
    cause = _cause(refusal, text)
    start, end = line_around(text, cause)
    if start > mark.start:
        block_end = _block_end(text, here, mark.end)
        return above, f"\n{text[block_end:]}" if cause < block_end else text[mark.end : start] + text[end:]
    if start < here and not _encloses(text, cause, mark.start):
        return _without_value(text, cause, mark.start), below
    if cause == refusal.opening and text[cause] in _CLOSING and refusal.offset >= mark.end:
        return above, (below if below.strip("]}") == "" else "") + _CLOSING[text[cause]]
    if start == here and refusal.opening is None:
        end = _before_deeper(text, here)
        return None if end == here else (text[:end] + text[here : mark.start], below)
    return None


def _cause(refusal: Refusal, text: str) -> int:
    """The offset where the error began: an open quote or bracket, a multi-line key, or the offset of the refusal."""
    quoted, offset = refusal.multiline_quote, refusal.offset
    if quoted is not None and "\n" not in text[quoted.end : offset]:
        return quoted.start
    if refusal.opening is not None:
        return refusal.opening
    return refusal.node_start if "multiline key" in refusal.reason else offset


def _without_value(text: str, cause: int, mark: int) -> str:
    """The text above `mark` without the value on the line of `cause`; a key without a value is removed too."""
    start, end = line_around(text, cause)
    key = _KEY_START.match(text, start, end)
    value_start = start if key is None or key.end() == end else key.end()
    return text[:value_start] + text[end:mark]


def _encloses(text: str, cause: int, mark: int) -> bool:
    """Whether the line of `mark`, and all above it, are indented into the value that begins at `cause`."""
    start, end = line_around(text, cause)
    content = content_start(text, start)
    column = content - start + (content < cause)
    lines = placed_lines(text[end : line_end(text, mark)], end)
    return all(line.is_blank or line.column >= column for line in lines)


def _block_end(text: str, start: int, end: int) -> int:
    """The end of the block of lines that are indented below the line at `start`, from `end` on."""
    column = content_start(text, start) - start
    below = line_end(text, end) + 1
    lines = placed_lines(text[below:], below)
    return next((line.start for line in lines if not line.is_blank and line.column <= column), len(text))


def _before_deeper(text: str, start: int) -> int:
    """The start of the lines directly above `start` that are indented further."""
    own, *above = reversed(list(placed_lines(text[: line_end(text, start)], 0)))
    for line in above:
        if not line.is_blank and line.column <= own.column:
            break
        start = line.start
    return start


def content_start(text: str, start: int, end: int | None = None) -> int:
    """The offset of the content of the line at `start`, after its indentation and dashes, searched up to `end`."""
    lead = _LEAD.match(text, start, len(text) if end is None else end)
    return start if lead is None else lead.end()


def line_around(text: str, offset: int) -> tuple[int, int]:
    """The start and end of the line of `offset`, without its line end."""
    return line_start(text, offset), line_end(text, offset)


# --- The path in the tree


def _find(root: Node, mark: int) -> Enclosing | ScalarNode | None:
    """The path to the scalar that starts at `mark`, or the scalar that contains the mark, or None."""
    path: list[Step] = []
    siblings = frozenset[str]()
    in_brackets, at, node = False, At.KEY, root
    while isinstance(node, SequenceNode | MappingNode):
        in_brackets = in_brackets or node.flow
        if isinstance(node, SequenceNode):
            path.append(ITEM)
            at, siblings = At.ITEM, frozenset[str]()
            inner = next((item for item in node.items if _covers(item.span, mark)), None)
        else:
            pair = next((pair for pair in node.pairs if _covers(pair.span, mark)), None)
            if pair is None:
                return None
            is_key = _covers(pair.key.span, mark)
            siblings = frozenset(property_name(other.key) for other in node.pairs if other is not pair)
            if is_key:
                at = At.ITEM if at is At.ITEM and node.span.start == mark else At.KEY
            else:
                path.append(property_name(pair.key))
                at = At.VALUE
            inner = pair.key if is_key else pair.value
        if inner is None:
            return None
        node = inner
    if not isinstance(node, ScalarNode):
        return None
    if node.span.start != mark:
        return node
    root_keys = [property_name(pair.key) for pair in root.pairs] if isinstance(root, MappingNode) else []
    return Enclosing(at, tuple(path), siblings, frozenset(root_keys), in_brackets)


def _covers(span: Span, offset: int) -> bool:
    return span.start <= offset < span.end
