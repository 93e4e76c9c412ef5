"""Completion candidates."""

from __future__ import annotations

from enum import Enum

from engine.record import Record
from engine.text import Span


class Kind(Enum):
    """The kind of a candidate."""

    FUNCTION = "function"
    ALIAS = "alias"
    KEY = "key"
    VALUE = "value"
    NAME = "name"


class Candidate(Record):
    """One completion.

    `text`, with LF line ends, replaces the completed span. The cursor then moves to the offset `cursor` in it,
    `0 <= cursor <= len(text)`. `argument` is the shape of the value, `example` a valid line, and `caution` a warning;
    each is "" if there is none.
    """

    label: str
    text: str
    cursor: int
    kind: Kind
    summary: str
    argument: str = ""
    example: str = ""
    caution: str = ""


class Completions(Record):
    """The candidates for the word in `span`, at least one, best first.

    `typed` is the part of the word before the cursor. `opens_itself` is true while the name of a point function is
    being typed: the list may then open without a key.
    """

    span: Span
    typed: str
    candidates: tuple[Candidate, ...]
    opens_itself: bool


class Known(Record):
    """The names that a blueprint and the folders around it define."""

    definitions: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
