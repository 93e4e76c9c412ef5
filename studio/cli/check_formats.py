"""The output formats of `studio check`: text, JSON, annotations of a GitHub workflow, and a SARIF 2.1.0 log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TextIO

from msgspec.structs import asdict, astuple

from engine.study.case_reader import CaseProblemKind
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.spans import Span, visible
from engine.yaml.nodes import Data
from studio.cli.check_files import CheckedFile, below_here, sentences
from studio.cli.check_options import Layout
from studio.cli.check_text import WHOLE, Summary, as_text

if TYPE_CHECKING:
    from engine.rules.rule import Rule

_GITHUB_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}
_SARIF_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}
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
            yield from _listed(_object(*each) for each in _found(files))
        case Layout.GITHUB:
            yield from (f"{_command(*each)}\n" for each in _found(files))
        case Layout.SARIF:
            yield json.dumps(as_sarif(files), ensure_ascii=True, indent=2) + "\n"


def _found(files: Sequence[CheckedFile]) -> Iterator[tuple[CheckedFile, Diagnostic]]:
    return ((file, diagnostic) for file in files for diagnostic in file.diagnostics)


def _listed(items: Iterable[Data]) -> Iterator[str]:
    """A JSON list of `items`, some hundred in a piece, as `json.dumps` writes it with an indentation of 2."""
    written = (json.dumps(item, ensure_ascii=True, indent=2).replace("\n", "\n  ") for item in items)
    before = "[\n  "
    while some := list(islice(written, _IN_A_PIECE)):
        yield before + ",\n  ".join(some)
        before = ",\n  "
    yield "[]\n" if before.startswith("[") else "\n]\n"


def _object(file: CheckedFile, diagnostic: Diagnostic) -> Data:
    related: list[Data] = [
        {**asdict(file.place(related.span)), "message": related.message} for related in diagnostic.related
    ]
    return {
        "file": str(file.name),
        "code": diagnostic.code,
        "slug": diagnostic.slug,
        "severity": diagnostic.severity.value,
        "flagged": diagnostic.flagged,
        **asdict(file.place(diagnostic.span)),
        "message": diagnostic.message,
        "why": diagnostic.why,
        "related": related,
        "fixes": [_fix(file, fix) for fix in sorted(diagnostic.fixes, key=lambda fix: not fix.safe)],
    }


def _fix(file: CheckedFile, fix: Fix) -> Data:
    edits: list[Data] = [{**asdict(file.place(edit.span)), "text": edit.text} for edit in fix.edits]
    return {"title": fix.title, "safe": fix.safe, "edits": edits}


# --- GitHub


# One workflow command for each diagnostic, which GitHub shows beside the line. It takes no columns of several lines.


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


# --- SARIF


def as_sarif(files: Sequence[CheckedFile]) -> Data:
    """A log in SARIF 2.1.0, with the safe fixes and the page of each rule that it reports."""
    from importlib.metadata import version

    from engine.rules import ALL
    from engine.rules.rule import reference_page

    reported = {each.code for file in files for each in file.diagnostics}
    rules = {
        rule.code: _rule(rule, rule.slug, rule.why, reference_page(rule), is_on=not rule.off)
        for rule in ALL
        if rule.code in reported
    }
    rules |= {kind.code: _rule(kind, kind.value, kind.summary) for kind in CaseProblemKind if kind.code in reported}
    indexes = {code: index for index, code in enumerate(rules)}
    driver: Data = {"name": "Blueprint Studio", "version": version("blueprint-studio"), "rules": list(rules.values())}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_result(*each, indexes) for each in _found(files)],
            }
        ],
    }


def _rule(rule: Rule | CaseProblemKind, name: str, why: str, page: str = "", *, is_on: bool = True) -> Data:
    """A rule, or a kind of problem of case files, in the list of rules."""
    pages: dict[str, Data] = {"help": {"text": page, "markdown": page}} if page else {}
    return {
        "id": rule.code,
        "name": name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": why},
        **pages,
        "defaultConfiguration": {"enabled": is_on, "level": _SARIF_LEVELS[rule.severity]},
    }


def _result(file: CheckedFile, diagnostic: Diagnostic, indexes: dict[str, int]) -> Data:
    result: dict[str, Data] = {
        "ruleId": diagnostic.code,
        "level": _SARIF_LEVELS[diagnostic.severity],
        "message": {"text": sentences(diagnostic)},
        "locations": [{"physicalLocation": _location(file, diagnostic.span)}],
        "properties": {"flagged": diagnostic.flagged},
    }
    if diagnostic.code in indexes:
        result["ruleIndex"] = indexes[diagnostic.code]
    if diagnostic.related:
        result["relatedLocations"] = [
            {"physicalLocation": _location(file, related.span), "message": {"text": related.message}}
            for related in diagnostic.related
        ]
    fixes: list[Data] = [
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


def _location(file: CheckedFile, span: Span) -> Data:
    return {"artifactLocation": _artifact(file), "region": _region(file, span)}


def _artifact(file: CheckedFile) -> Data:
    from urllib.parse import quote

    name = below_here(file.name)
    return {"uri": name.as_uri() if name.is_absolute() else quote(name.as_posix(), errors="surrogateescape")}


def _region(file: CheckedFile, span: Span) -> Data:
    return dict(zip(("startLine", "startColumn", "endLine", "endColumn"), astuple(file.place(span)), strict=True))
