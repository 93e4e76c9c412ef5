"""The output formats of `studio check`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from engine.diagnostics import Diagnostic, Fix
from studio.cli.checked_file import CheckedFile, Json


def formatted(layout: str, files: Sequence[CheckedFile], *, incomplete: bool = False) -> str:
    """All diagnostics as `text`, `json`, `github` or `sarif`, with a newline at the end.

    `incomplete`: something could not be checked, so the output does not claim that there are no problems.
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
