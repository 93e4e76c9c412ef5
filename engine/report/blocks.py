"""The blocks that a document is made of. The forms make them inert: nothing in their texts can act.

A `str` is in the words of the program; a `Text` comes from elsewhere, and has its own direction and line breaks.
"""

from __future__ import annotations

from enum import Enum, StrEnum, auto
from typing import TypeAlias

from engine.text.record import Record
from engine.text.spans import Span


class Tone(StrEnum):
    """How a text looks where colours are shown."""

    PLAIN = ""
    DIM = "dim"
    MET = "met"
    PARTLY = "partly"
    UNMET = "unmet"


class Text(Record):
    """A text from elsewhere."""

    text: str


def text_of(words: str | Text) -> str:
    """The text itself."""
    return words.text if isinstance(words, Text) else words


class Heading(Record):
    """A heading of a level from 1; links lead to its `anchor`."""

    level: int
    words: str | Text
    anchor: str = ""


class Line(Record):
    """A paragraph."""

    words: str | Text
    tone: Tone = Tone.PLAIN


class Notes(Record):
    """Lines of one kind, from elsewhere."""

    texts: tuple[str, ...]


class Quote(Record):
    """A text word for word, below who says it. `text` is None where there is none yet."""

    text: str | None
    title: str = ""
    tone: Tone = Tone.PLAIN


class Answer(Record):
    """An answer word for word. `marks` are places in it that the points of these numbers rest on."""

    text: str
    marks: tuple[tuple[Span, int], ...]


class Pairs(Record):
    """Names, each with what there is to say of it."""

    rows: tuple[tuple[str, str], ...]


class PartKind(Enum):
    """What a part of a cell is: `EVIDENCE` is left out where the answer shows it."""

    TEXT = auto()
    OWN = auto()
    PHRASE = auto()
    CODE = auto()
    NOTE = auto()
    REMARK = auto()
    EVIDENCE = auto()


class Part(Record):
    """One line of a cell, below its `label`."""

    kind: PartKind
    text: str
    label: str = ""
    tone: Tone = Tone.PLAIN


class Cell(Record):
    """A cell with `words`, which lead `to` an anchor, or else with `parts`. `is_head`: it names its row."""

    words: str | Text = ""
    tone: Tone = Tone.PLAIN
    is_number: bool = False
    parts: tuple[Part, ...] = ()
    is_head: bool = False
    to: str = ""


class Column(Record):
    """The head of a column."""

    title: str
    is_number: bool = False


class Table(Record):
    """A table. `has_total`: its last row adds up the others."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    has_total: bool = False


class Fold(Record):
    """Blocks below a figure and its name, which can be folded away."""

    figure: str
    name: str
    children: tuple[Block, ...]


class Section(Record):
    """Blocks that belong together."""

    children: tuple[Block, ...]


Block: TypeAlias = "Heading | Line | Notes | Quote | Answer | Pairs | Table | Fold | Section"
