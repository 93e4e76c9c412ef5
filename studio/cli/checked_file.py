"""A checked file, and the places of its diagnostics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from engine.text.diagnostics import Diagnostic
from engine.text.record import Record
from engine.text.spans import LineIndex, Span

_STOPS = (".", "?", "!")

Json: TypeAlias = "None | bool | int | str | list[Json] | dict[str, Json]"


class CheckedFile:
    """A file under the name that it was given by, its text, and its diagnostics.

    For a baseline it has the digest of each diagnostic, and the slugs of the rules that `ran`.
    """

    def __init__(
        self,
        name: Path,
        text: str,
        diagnostics: Sequence[Diagnostic],
        digests: Sequence[str] = (),
        ran: frozenset[str] = frozenset(),
    ) -> None:
        self.name = name
        self.text = text
        self.diagnostics = tuple(diagnostics)
        self.digests = tuple(digests)
        self.ran = ran

    def with_only(self, diagnostics: Sequence[Diagnostic]) -> CheckedFile:
        """The file with `diagnostics` in the place of its own, without digests."""
        return CheckedFile(self.name, self.text, diagnostics)

    @cached_property
    def lines(self) -> LineIndex:
        """The lines of the text."""
        return LineIndex(self.text)

    def place(self, span: Span) -> Place:
        """The lines and columns of `span`."""
        start, end = self.lines.position(span.start), self.lines.position(span.end)
        return Place(start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def below_here(name: Path) -> Path:
    """`name` relative to the working directory, if it lies below it."""
    return name.relative_to(Path.cwd()) if name.is_absolute() and name.is_relative_to(Path.cwd()) else name


def sentences(diagnostic: Diagnostic) -> str:
    """The message and the reason as one text."""
    stop = "" if diagnostic.message.endswith(_STOPS) else "."
    return f"{diagnostic.message}{stop} {diagnostic.why}".strip()


class Place(Record):
    """Lines and columns from 1, in code points; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int

    def fields(self) -> dict[str, Json]:
        """The four numbers as JSON."""
        return {
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
        }
