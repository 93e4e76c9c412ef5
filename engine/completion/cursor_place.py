"""Where in a blueprint the cursor stands, as far as completion wants to know it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from engine.text import Span


class Item(Enum):
    """The step from a list into one of its items."""

    ITEM = auto()


ITEM = Item.ITEM

Step: TypeAlias = str | Item
"""One step from the outside to the inside: into the value of a key, or into an item of a list."""


class At(Enum):
    """What begins at the cursor's word: a key, the value of one, or an item that may become either."""

    KEY = auto()
    VALUE = auto()
    ITEM = auto()


class Notation(Enum):
    """How the text around the cursor is written."""

    BLOCK = auto()
    FLOW = auto()
    JSON = auto()


@dataclass(frozen=True, slots=True)
class Place:
    """The cursor's place.

    `path` leads from the document's root to what the cursor is in: for a key, to its mapping; for a value, to it.
    `first` says that the document is the first with anything in it, `siblings` which keys the mapping has besides the
    one at the cursor, and `outermost` those of the mapping that the whole document is.

    `word` is the part of the word before the cursor, without its quotation mark, `span` the whole of it; `quote` is
    that mark, "" where there is none. `rest` is what follows on the line, `column` where the word begins.
    """

    at: At
    path: Sequence[Step]
    first: bool
    siblings: frozenset[str]
    outermost: frozenset[str]
    word: str
    span: Span
    quote: str
    rest: str
    notation: Notation
    column: int
