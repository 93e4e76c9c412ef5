"""Diagnostics as a SARIF 2.1.0 log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.diagnostics import Diagnostic, Severity
from engine.text import Span
from studio.cli.checked_file import CheckedFile, Json, below_here, sentences
from studio.cli.project_addresses import CASES, DOCUMENTATION, page_address

if TYPE_CHECKING:
    from engine.cases.case_problems import CaseProblemKind

_SARIF_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}


def as_sarif(files: Sequence[CheckedFile]) -> Json:
    """A log in SARIF 2.1.0, with the page of every rule and the safe fixes."""
    from importlib.metadata import version

    from engine.cases.case_problems import CaseProblemKind
    from engine.rules import ALL
    from engine.rules.rule import reference_page

    rules: list[Json] = [
        {
            "id": rule.code,
            "name": rule.slug,
            "shortDescription": {"text": rule.summary},
            "fullDescription": {"text": rule.why},
            "help": {"text": page, "markdown": page},
            "helpUri": page_address(rule.slug),
            "defaultConfiguration": {"enabled": not rule.off, "level": _SARIF_LEVELS[rule.severity]},
        }
        for rule, page in ((rule, reference_page(rule)) for rule in ALL)
    ]
    rules += [_case_rule(kind) for kind in CaseProblemKind]
    codes = [*(rule.code for rule in ALL), *(kind.code for kind in CaseProblemKind)]
    indexes = {code: index for index, code in enumerate(codes)}
    driver: Json = {
        "name": "Blueprint Studio",
        "version": version("blueprint-studio"),
        "informationUri": DOCUMENTATION,
        "rules": rules,
    }
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


def _case_rule(kind: CaseProblemKind) -> Json:
    """A problem of case files in the list of rules."""
    return {
        "id": kind.code,
        "name": kind.value,
        "shortDescription": {"text": kind.summary},
        "fullDescription": {"text": kind.summary},
        "helpUri": f"{CASES}#problems-of-a-case-file",
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
