"""The output formats of `studio check`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TextIO

from engine.text.diagnostics import Diagnostic, Fix
from studio.cli.check_github import as_github
from studio.cli.check_options import Layout
from studio.cli.check_text import WHOLE, Summary, as_text
from studio.cli.checked_file import CheckedFile, Json

_IN_A_PIECE = 500
"""Diagnostics that are written at a time."""


def formatted(layout: Layout, files: Sequence[CheckedFile]) -> str:
    """All diagnostics in the form of `layout`, with a newline at the end."""
    return "".join(pieces(layout, files, summary=WHOLE))


def pieces(
    layout: Layout, files: Sequence[CheckedFile], stream: TextIO | None = None, *, summary: Summary | None = None
) -> Iterator[str]:
    """As `formatted`, in pieces: the diagnostics of a large file take a hundred megabytes as JSON values.

    The text is laid out for `stream`, standard output unless given, and ends with a `summary` or none.
    """
    match layout:
        case Layout.TEXT:
            yield as_text(files, stream, summary=summary)
        case Layout.JSON:
            yield from _listed(as_json(files))
        case Layout.GITHUB:
            yield from (f"{line}\n" for line in as_github(files))
        case Layout.SARIF:
            from studio.cli.check_sarif import as_sarif  # with the pages of all rules, which only this form needs

            yield json.dumps(as_sarif(files), ensure_ascii=True, indent=2) + "\n"


def as_json(files: Sequence[CheckedFile]) -> Iterator[Json]:
    """The items of the list that DESIGN's machine-readable surface gives for `check`."""
    return (_object(file, diagnostic) for file in files for diagnostic in file.diagnostics)


def _listed(items: Iterable[Json]) -> Iterator[str]:
    """A JSON list of `items`, some hundred in a piece, as `json.dumps` writes it with an indentation of 2."""
    written = (json.dumps(item, ensure_ascii=True, indent=2).replace("\n", "\n  ") for item in items)
    before = "[\n  "
    while some := list(islice(written, _IN_A_PIECE)):
        yield before + ",\n  ".join(some)
        before = ",\n  "
    yield "[]\n" if before.startswith("[") else "\n]\n"


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
