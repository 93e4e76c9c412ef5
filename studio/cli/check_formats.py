"""What `studio check` found, in the forms in which it can be told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from engine.diagnostics import Diagnostic, Fix, Severity
from engine.text import LineIndex, Span, visible

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


def told(layout: str, files: Sequence[CheckedFile]) -> str:
    """All that was found, as `text`, `json`, `github` or `sarif`, with a line break at its end."""
    match layout:
        case "json":
            return json.dumps(as_json(files), ensure_ascii=True, indent=2) + "\n"
        case "sarif":
            return json.dumps(as_sarif(files), ensure_ascii=True, indent=2) + "\n"
        case "github":
            return "".join(f"{line}\n" for line in as_github(files))
        case _:
            from studio.cli.check_text import as_text

            return as_text(files)


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


_GITHUB_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}


def as_github(files: Sequence[CheckedFile]) -> list[str]:
    """One workflow command for each diagnostic, which GitHub shows beside the line."""
    return [_command(file, diagnostic) for file in files for diagnostic in file.diagnostics]


def _command(file: CheckedFile, diagnostic: Diagnostic) -> str:
    place = file.place(diagnostic.span)
    properties = {
        "file": file.name.as_posix(),
        "line": str(place.line),
        "col": str(place.column),
        "endLine": str(place.end_line),
        "endColumn": str(place.end_column),
        "title": f"{diagnostic.slug} ({diagnostic.code})",
    }
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_GITHUB_LEVELS[diagnostic.severity]} {listed}::{_data(_sentences(diagnostic))}"


def _sentences(diagnostic: Diagnostic) -> str:
    """The message and the reason, for a place that shows both as one text."""
    return f"{diagnostic.message.rstrip('.')}. {diagnostic.why}".strip()


def _data(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


_SARIF_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}


def as_sarif(files: Sequence[CheckedFile]) -> Json:
    """A log in SARIF 2.1.0 with every rule's page; of the fixes, the safe ones."""
    from importlib.metadata import version

    from engine.rules import ALL

    rules: list[Json] = [
        {
            "id": rule.code,
            "name": rule.slug,
            "shortDescription": {"text": rule.summary or rule.slug},
            "help": {"text": rule.page, "markdown": rule.page},
            "defaultConfiguration": {"level": _SARIF_LEVELS[rule.severity]},
        }
        for rule in ALL
    ]
    indexes = {rule.code: index for index, rule in enumerate(ALL)}
    driver: Json = {"name": "Blueprint Studio", "version": version("blueprint-studio"), "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_result(file, each, indexes) for file in files for each in file.diagnostics],
            }
        ],
    }


def _result(file: CheckedFile, diagnostic: Diagnostic, indexes: dict[str, int]) -> Json:
    result: dict[str, Json] = {
        "ruleId": diagnostic.code,
        "level": _SARIF_LEVELS[diagnostic.severity],
        "message": {"text": _sentences(diagnostic)},
        "locations": [{"physicalLocation": _location(file, diagnostic.span)}],
    }
    if diagnostic.code in indexes:
        result["ruleIndex"] = indexes[diagnostic.code]
    if diagnostic.related:
        result["relatedLocations"] = [
            {"physicalLocation": _location(file, related.span), "message": {"text": related.message}}
            for related in diagnostic.related
        ]
    fixes: list[Json] = [
        {
            "description": {"text": fix.title},
            "artifactChanges": [
                {
                    "artifactLocation": _artifact(file),
                    "replacements": [
                        {"deletedRegion": _region(file, edit.span), "insertedContent": {"text": edit.text}}
                        for edit in fix.edits
                    ],
                }
            ],
        }
        for fix in diagnostic.fixes
        if fix.safe
    ]
    if fixes:
        result["fixes"] = fixes
    return result


def _location(file: CheckedFile, span: Span) -> Json:
    return {"artifactLocation": _artifact(file), "region": _region(file, span)}


def _artifact(file: CheckedFile) -> Json:
    from urllib.parse import quote

    return {"uri": file.name.as_uri() if file.name.is_absolute() else quote(file.name.as_posix())}


def _region(file: CheckedFile, span: Span) -> Json:
    place = file.place(span)
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
