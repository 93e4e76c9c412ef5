"""What completion offers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from engine.text import Span


class Kind(Enum):
    """What a candidate is."""

    FUNCTION = "function"
    ALIAS = "alias"
    KEY = "key"
    VALUE = "value"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing that can be written.

    `text` takes the place of the completed span, its lines ended by LF, and the cursor goes to `cursor` in it,
    `0 <= cursor <= len(text)`. `argument` is the shape of what stands behind it, `example` a line that works, and
    `caution` what an author should know before taking it, each "" where there is nothing to say.
    """

    label: str
    text: str
    cursor: int
    kind: Kind
    summary: str
    argument: str = ""
    example: str = ""
    caution: str = ""


@dataclass(frozen=True, slots=True)
class Completions:
    """The candidates for the word in `span`, the best first; there is at least one.

    `typed` is the part of the word before the cursor. `unasked` is true while a point function's name
    is being typed: the list may then open by itself.
    """

    span: Span
    typed: str
    candidates: tuple[Candidate, ...]
    unasked: bool


@dataclass(frozen=True, slots=True)
class Known:
    """The names that a blueprint, and the folders around it, give to things."""

    definitions: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
