"""The page on precision counts the verdicts of the reports that it lists."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from engine.parsing import parse
from engine.rules import Checker
from engine.text.spans import LineIndex
from tests.precision.page import page
from tests.precision.reports import Found
from tests.precision.verdicts import Judged, Verdict, matched

TEXT = """\
- prompt: What is a bond?
  should:
    - Names a loan.
    - May mention the interest.
    - Could add an example.
"""


def found_in(text: str) -> list[Found]:
    parsed = parse(text, Path("a.yml"))
    lines = LineIndex(parsed.text)
    reported = [one for one in Checker().check(parsed) if one.slug == "optional-point"]
    return [Found("a.yml", lines.position(one.span.start).line + 1, one, parsed) for one in reported]


def judged_as(report: Found, verdict: Verdict) -> Judged:
    return Judged(report.slug, report.file, report.line, report.text, "a message", verdict, "a reason of three words")


def rows() -> list[str]:
    found = found_in(TEXT)
    verdicts = [judged_as(found[0], Verdict.RIGHT), judged_as(found[1], Verdict.ARGUABLE)]
    independent = matched(found, [judged_as(found[0], Verdict.WRONG)])
    second = matched(found, [judged_as(found[1], Verdict.RIGHT)])
    return list(page(found, matched(found, verdicts), independent, second, 1, date(2026, 11, 23), "abc1234"))


def test_a_rule_has_its_reports_its_verdicts_and_its_share() -> None:
    assert "| `optional-point` | warning | 2 | 1 | 2 | 1 | 1 | 0 | 50% |" in rows()


def test_the_sum_is_that_of_all_rules_of_the_table() -> None:
    assert [row for row in rows() if row.startswith("| **all**")] == [
        "| **all** |  | 2 | 1 | 2 | 1 | 1 | 0 | 50% |",
        "| **all** |  | 0 | 0 | 0 | 0 | 0 | 0 |  |",
    ]


def test_the_page_names_its_day_and_its_commit() -> None:
    assert "on 2026-11-23, at commit abc1234." in " ".join(rows())


def test_the_independent_reading_has_its_own_table_and_names_what_is_below_the_bar() -> None:
    own = rows()[rows().index("## An independent reader") :]
    assert "| `optional-point` | warning | 1 | 0 | 0 | 1 | 0% |" in own
    assert "- below the bar: `optional-point` (warning)" in own


def test_the_second_reading_has_its_own_totals() -> None:
    assert any("second reader, errors and warnings: 1 of 1 right" in row for row in rows())
