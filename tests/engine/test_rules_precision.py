"""The rules keep the precision that was found by reading their reports on the corpus."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from engine.text.diagnostics import Severity
from tests.many_cases import every
from tests.precision.reports import default_reports, reports
from tests.precision.table import BAR, stale_independent
from tests.precision.verdicts import FOLDER, INDEPENDENT, SECOND, Judged, Matched, Verdict, matched, precision, stored
from tests.thoroughness import one_in
from tests.world import CORPUS, corpus_files, needs_corpus

JUDGED = stored()
INDEPENDENTLY = stored(INDEPENDENT)
SECONDLY = stored(SECOND)
RULES = sorted({one.rule for one in JUDGED})


@cache
def today() -> Matched:
    """The reports on some files of the corpus, on all of them where all is tried, with their verdicts."""
    files = one_in(8, corpus_files())
    names = {path.relative_to(CORPUS).as_posix() for path in files}
    return matched(reports(files=files), [one for one in JUDGED if one.file in names])


def verdicts_on_warnings(slug: str) -> list[Verdict]:
    return [one.verdict for report, one in today().pairs if one.rule == slug and report.level is not Severity.HINT]


def gone(slug: str, verdict: Verdict) -> list[Judged]:
    return [one for one in today().gone if one.rule == slug and one.verdict is verdict]


@needs_corpus
@pytest.mark.parametrize("slug", RULES)
def test_what_was_rightly_reported_is_reported_still(slug: str) -> None:
    assert gone(slug, Verdict.RIGHT) == []


@needs_corpus
@pytest.mark.thorough
@every("slug", RULES)
def test_nine_of_ten_warnings_are_things_that_an_author_would_change(slug: str) -> None:
    counts = precision(verdicts_on_warnings(slug))
    assert counts.strict is None or counts.strict >= BAR


@every("slug", RULES)
def test_a_verdict_gives_its_reason(slug: str) -> None:
    assert [one for one in JUDGED if one.rule == slug and len(one.reason.split()) < 3] == []


def test_an_independent_verdict_gives_its_reason() -> None:
    assert [one for one in [*INDEPENDENTLY, *SECONDLY] if len(one.reason.split()) < 3] == []


@needs_corpus
@pytest.mark.thorough
def test_an_independent_verdict_belongs_to_a_report_or_is_listed_as_stale() -> None:
    independent = matched(default_reports(), INDEPENDENTLY)
    listed = list(stale_independent(independent))[1:]
    assert len(independent.pairs) + len(listed) == len(INDEPENDENTLY)


@every(
    "path",
    [path for folder in (FOLDER, INDEPENDENT, SECOND) for path in sorted(folder.glob("*.jsonl"))],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_verdicts_are_kept_in_the_file_of_their_rule(path: Path) -> None:
    assert {json.loads(row)["rule"] for row in path.read_text("utf-8").splitlines()} == {path.stem}
