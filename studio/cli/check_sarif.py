"""Diagnostics as a SARIF 2.1.0 log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import Span
from studio.cli.checked_file import CheckedFile, Json, below_here, sentences

if TYPE_CHECKING:
    from engine.rules.rule import Rule
    from engine.study.case_reader import CaseProblemKind

_SARIF_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}


def as_sarif(files: Sequence[CheckedFile]) -> Json:
    """A log in SARIF 2.1.0, with the safe fixes and the page of each rule that it reports."""
    from importlib.metadata import version

    from engine.rules import ALL
    from engine.study.case_reader import CaseProblemKind

    reported = {each.code for file in files for each in file.diagnostics}
    rules = {rule.code: _rule(rule) for rule in ALL if rule.code in reported}
    rules |= {kind.code: _case_rule(kind) for kind in CaseProblemKind if kind.code in reported}
    indexes = {code: index for index, code in enumerate(rules)}
    driver: Json = {"name": "Blueprint Studio", "version": version("blueprint-studio"), "rules": list(rules.values())}
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


def _rule(rule: Rule) -> Json:
    from engine.rules.rule import reference_page

    page = reference_page(rule)
    return {
        "id": rule.code,
        "name": rule.slug,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"enabled": not rule.off, "level": _SARIF_LEVELS[rule.severity]},
    }


def _case_rule(kind: CaseProblemKind) -> Json:
    """A problem of case files in the list of rules."""
    return {
        "id": kind.code,
        "name": kind.value,
        "shortDescription": {"text": kind.summary},
        "fullDescription": {"text": kind.summary},
        "defaultConfiguration": {"enabled": True, "level": _SARIF_LEVELS[kind.severity]},
    }


def _result(file: CheckedFile, diagnostic: Diagnostic, indexes: dict[str, int]) -> Json:
    result: dict[str, Json] = {
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

    name = below_here(file.name)
    return {"uri": name.as_uri() if name.is_absolute() else quote(name.as_posix(), errors="surrogateescape")}


def _region(file: CheckedFile, span: Span) -> Json:
    place = file.place(span)
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
