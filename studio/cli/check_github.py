"""Diagnostics as annotations of a GitHub workflow."""

from __future__ import annotations

from collections.abc import Sequence

from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import visible
from studio.cli.checked_file import CheckedFile, below_here, sentences

_GITHUB_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}


def as_github(files: Sequence[CheckedFile]) -> list[str]:
    """One workflow command for each diagnostic, which GitHub shows beside the line.

    Columns are given only within one line: GitHub accepts none for several lines.
    """
    return [_command(file, diagnostic) for file in files for diagnostic in file.diagnostics]


def _command(file: CheckedFile, diagnostic: Diagnostic) -> str:
    place = file.place(diagnostic.span)
    last = place.end_line - (place.end_column == 1 and place.end_line > place.line)
    properties = {"file": below_here(file.name).as_posix(), "line": str(place.line)}
    if last == place.line == place.end_line:
        properties |= {"col": str(place.column), "endLine": str(last), "endColumn": str(place.end_column)}
    else:
        properties["endLine"] = str(last)
    properties["title"] = f"{diagnostic.slug} ({diagnostic.code})"
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_GITHUB_LEVELS[diagnostic.severity]} {listed}::{_data(sentences(diagnostic))}"


def _data(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
