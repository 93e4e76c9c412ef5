"""The place of the cursor in a blueprint, for completion."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import TypeAlias

from engine.record import Record
from engine.text import Span


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


class Place(Record):
    """The cursor's place.

    `path` leads from the root of the document to the mapping of a key, or to a value. `is_first_document` tells whether
    this is the first document with content. `siblings` are the other keys of the mapping, and `root_keys` the keys of
    the document if that is a mapping.

    `word` is the part of the word before the cursor without its quotation mark, `span` the whole word, and `quote` the
    mark or "". `rest` is the rest of the line. `column` is where the line's content starts, after any dashes.
    """

    at: At
    path: Sequence[Step]
    is_first_document: bool
    siblings: frozenset[str]
    root_keys: frozenset[str]
    word: str
    span: Span
    quote: str
    rest: str
    notation: Notation
    column: int
