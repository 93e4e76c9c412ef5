"""What `studio check` found, in the forms in which it can be told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from engine.diagnostics import Diagnostic, Fix
from engine.text import LineIndex, Span

Json: TypeAlias = "None | bool | int | str | list[Json] | dict[str, Json]"


class CheckedFile:
    """A file by the name that it was given under, its text, and what was found in it."""

    def __init__(self, name: Path, text: str, diagnostics: Sequence[Diagnostic]) -> None:
        self.name = name
        self.text = text
        self.diagnostics = tuple(diagnostics)

    @cached_property
    def lines(self) -> LineIndex:
        """The lines of the text."""
        return LineIndex(self.text)

    def place(self, span: Span) -> Place:
        """Where `span` lies, counted as people do."""
        start, end = self.lines.position(span.start), self.lines.position(span.end)
        return Place(start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def below_here(name: Path) -> Path:
    """`name` as seen from the working directory where it lies in it: what other programs show beside a repository."""
    return name.relative_to(Path.cwd()) if name.is_absolute() and name.is_relative_to(Path.cwd()) else name


def sentences(diagnostic: Diagnostic) -> str:
    """The message and the reason, for a place that shows both as one text."""
    return f"{diagnostic.message.rstrip('.')}. {diagnostic.why}".strip()


@dataclass(frozen=True, slots=True)
class Place:
    """Lines and columns from 1, in code points; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int

    def fields(self) -> dict[str, Json]:
        """The four numbers as they stand in JSON."""
        return {
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
        }


def told(layout: str, files: Sequence[CheckedFile], *, incomplete: bool = False) -> str:
    """All that was found, as `text`, `json`, `github` or `sarif`, with a line break at its end.

    `incomplete` tells that something could not be checked: then nobody is told that nothing is wrong.
    """
    match layout:
        case "json":
            return json.dumps(as_json(files), ensure_ascii=True, indent=2) + "\n"
        case "sarif":
            from studio.cli.check_sarif import as_sarif

            return json.dumps(as_sarif(files), ensure_ascii=True, indent=2) + "\n"
        case "github":
            from studio.cli.check_github import as_github

            return "".join(f"{line}\n" for line in as_github(files))
        case _:
            from studio.cli.check_text import as_text

            return as_text(files, incomplete=incomplete)


def as_json(files: Sequence[CheckedFile]) -> Json:
    """The list that DESIGN's machine-readable surface gives for `check`."""
    return [_object(file, diagnostic) for file in files for diagnostic in file.diagnostics]


def _object(file: CheckedFile, diagnostic: Diagnostic) -> Json:
    related: list[Json] = [
        {**file.place(related.span).fields(), "message": related.message} for related in diagnostic.related
    ]
    return {
        "file": str(file.name),
        "code": diagnostic.code,
        "slug": diagnostic.slug,
        "severity": diagnostic.severity.value,
        "flagged": diagnostic.flagged,
        **file.place(diagnostic.span).fields(),
        "message": diagnostic.message,
        "why": diagnostic.why,
        "related": related,
        "fixes": [_fix(file, fix) for fix in sorted(diagnostic.fixes, key=lambda fix: not fix.safe)],
    }


def _fix(file: CheckedFile, fix: Fix) -> Json:
    edits: list[Json] = [{**file.place(edit.span).fields(), "text": edit.text} for edit in fix.edits]
    return {"title": fix.title, "safe": fix.safe, "edits": edits}
