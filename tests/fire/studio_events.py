"""What a studio in a process of its own is ordered to do, and what it tells of it. All of it can be pickled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias


class Deed(StrEnum):
    """What an author can be told to do."""

    OPEN = "open"
    TYPE = "type"
    """Write a line, and let the journal have it at once, as on blur."""
    TYPE_ON = "type on"
    """Write a line, and leave it to the journal when it writes."""
    DELETE = "delete"
    WRITE = "write"
    """Let the text be another, and let the journal have it at once."""
    SAVE = "save"
    SAVE_AS = "save as"
    RELOAD = "reload"
    RECOVER = "recover"
    RUN = "run"
    EXPORT = "export"
    ANSWER = "write an answer"
    GRADE = "grade"
    AGREE = "agree"
    """Agree to a recipient, which the settings remember."""
    LOOK = "look"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Order:
    """One deed.

    `text` is the line to write, the text, the answer or the recipient; `answers` are those to questions, by `kind_of`.
    Without `models` the answer chosen is run. `is_last`: the studio dies in it, as it was told at its start.
    """

    deed: Deed
    file: Path
    home: Path
    models: str
    text: str = ""
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    is_last: bool = False


# --- What is told


@dataclass(frozen=True, slots=True)
class Armed:
    """The studio dies from now on, as it was told at its start."""


@dataclass(frozen=True, slots=True)
class Reported:
    """What is reported of the program's own files."""

    text: str


@dataclass(frozen=True, slots=True)
class Typed:
    """The text of the editor is `text` now; `removed` are lines that the author deleted."""

    text: str
    removed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Flushed:
    """The journal has `text`, or it is on disk."""

    text: str


@dataclass(frozen=True, slots=True)
class Chose:
    """The author answered a question, by which `given_up` are discarded; `offered` is a text that it offered."""

    question: str
    answer: str
    given_up: frozenset[str] = frozenset()
    offered: str = ""


@dataclass(frozen=True, slots=True)
class Ran:
    """A run has its score, and its end is saved, with so many verdicts: none for a point that the author graded."""

    verdicts: int


@dataclass(frozen=True, slots=True)
class Graded:
    """The author graded the point in words with `grade`."""

    grade: str


@dataclass(frozen=True, slots=True)
class Agreed:
    """The settings have this recipient."""

    recipient: str


@dataclass(frozen=True, slots=True)
class Faulted:
    """The studio failed: a traceback."""

    trace: str


@dataclass(frozen=True, slots=True)
class Shown:
    """What the studio shows after an order: the end of it. `path` is None while no file is open.

    `moments` are those at which it could have died, since it was armed.
    """

    path: Path | None = None
    text: str = ""
    read_only: str | None = None
    unsaved: bool = False
    messages: tuple[str, ...] = ()
    moments: int = 0


Event: TypeAlias = "Armed | Reported | Typed | Flushed | Chose | Ran | Graded | Agreed | Faulted | Shown"
