"""What the rules say of the corpus: the counts that were verified by reading, and what is not reported."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import ALL, Checker
from engine.text.diagnostics import Severity
from tests.world import corpus_files, needs_corpus

pytestmark = needs_corpus


EVERY_RULE = Checker(rule.selected() for rule in ALL)
BAD_REGEX = Checker(rule for rule in ALL if rule.slug == "bad-regex")


@cache
def _reports() -> dict[tuple[str, Severity], list[str]]:
    """The files of all reports, by slug and level."""
    found: dict[tuple[str, Severity], list[str]] = defaultdict(list)
    for path in corpus_files():
        for diagnostic in EVERY_RULE.check(parse(path.read_text("utf-8"), path)):
            found[diagnostic.slug, diagnostic.severity].append(str(path))
    return found


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("slug", "severity", "reports", "files"),
    [
        ("quoted-function", Severity.ERROR, 89, 11),
        ("duplicate-prompt-id", Severity.ERROR, 3, 3),
        ("bad-tool-use", Severity.ERROR, 1, 1),
        ("yaml-syntax", Severity.ERROR, 2, 2),
        ("single-element-path", Severity.HINT, 19, 1),
        ("single-element-path", Severity.WARNING, 2, 1),
        ("paths-in-should-not", Severity.WARNING, 20, 1),
        ("lone-path", Severity.WARNING, 7, 6),
        ("or-groups-merged", Severity.WARNING, 1, 1),
        ("path-outweighs", Severity.WARNING, 2, 1),
        ("path-outweighs", Severity.HINT, 3, 2),
        ("duplicate-path", Severity.WARNING, 0, 0),
        ("contained-path", Severity.WARNING, 23, 2),
        ("duplicate-point", Severity.WARNING, 0, 0),
        ("contradiction", Severity.ERROR, 0, 0),
        ("exclusive-points", Severity.HINT, 0, 0),
        ("same-prompt-other-expectation", Severity.WARNING, 8, 2),
        ("double-negative", Severity.WARNING, 16, 2),
        ("ambiguous-negative", Severity.WARNING, 11, 8),
        ("refers-to-ideal", Severity.WARNING, 11, 4),
        ("optional-point", Severity.WARNING, 56, 25),
        ("scale-as-points", Severity.WARNING, 12, 2),
        ("question-point", Severity.WARNING, 1, 1),
        ("conditional-point", Severity.HINT, 10, 6),
        ("vague-criterion", Severity.HINT, 10, 7),
        ("refers-to-other-point", Severity.HINT, 4, 4),
        ("metric-as-point", Severity.WARNING, 2, 2),
        ("stale-fact", Severity.HINT, 2, 2),
        ("unknown-key", Severity.WARNING, 4, 3),
        ("no-rubric", Severity.WARNING, 0, 0),
        ("no-rubric", Severity.HINT, 6, 6),
        ("extracted-rubric", Severity.HINT, 1, 1),
        ("unstable-prompt-id", Severity.HINT, 1, 1),
        ("deprecated-key", Severity.HINT, 57, 57),
        ("comment-ate-text", Severity.WARNING, 0, 0),
        ("unknown-function", Severity.ERROR, 0, 0),
        ("colon-made-citation", Severity.WARNING, 0, 0),
    ],
)
def test_a_rule_reports_what_was_read_and_counted(slug: str, severity: Severity, reports: int, files: int) -> None:
    found = _reports().get((slug, severity), [])
    assert (len(found), len(set(found))) == (reports, files)


def test_no_pattern_of_a_file_that_weval_reads_is_refused(javascript: JavaScript) -> None:
    refused = [
        path.name
        for path in corpus_files()
        if (parsed := parse(path.read_text("utf-8"), path)).weval.error is None and BAD_REGEX.check(parsed, javascript)
    ]
    assert refused == []
