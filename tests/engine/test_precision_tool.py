"""How verdicts find their reports, and what is counted of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.parsing import parse
from engine.rules import check
from engine.text.spans import LineIndex
from tests.precision.reports import Found
from tests.precision.verdicts import Judged, Verdict, matched, precision, stored

TEXT = """\
- id: p
  prompt: q
  should: [May mention a, May mention b]
- id: r
  prompt: s
  should:
    - May mention c
"""


def reports(slug: str = "optional-point") -> list[Found]:
    parsed = parse(TEXT)
    lines = LineIndex(TEXT)
    return [
        Found("a.yml", lines.position(one.span.start).line + 1, one, parsed)
        for one in check(parsed)
        if one.slug == slug
    ]


def judged(line: int, text: str = "May", rule: str = "optional-point") -> Judged:
    return Judged(rule, "a.yml", line, text, "said", Verdict.RIGHT, "as it is")


def test_a_verdict_belongs_to_the_report_of_its_rule_on_its_line() -> None:
    [pair] = matched(reports(), [judged(7)]).pairs
    assert pair[0].line == 7


def test_another_word_underlined_on_the_line_is_the_same_report() -> None:
    assert len(matched(reports(), [judged(7, "May mention c")]).pairs) == 1


def test_of_several_reports_on_a_line_the_text_decides() -> None:
    assert [one.text for one in matched(reports(), [judged(3, "May mention b")]).gone] == ["May mention b"]


def test_two_verdicts_on_a_line_take_a_report_each() -> None:
    found = matched(reports(), [judged(3), judged(3)])
    assert (len(found.pairs), [one.line for one in found.unjudged]) == (2, [7])


def test_a_verdict_whose_report_is_no_longer_made_is_gone() -> None:
    assert matched(reports(), [judged(1), judged(7, rule="no-rubric")]).pairs == ()


def test_the_arguable_count_as_not_right_in_the_strict_share_alone() -> None:
    counts = precision([Verdict.RIGHT] * 3 + [Verdict.ARGUABLE, Verdict.WRONG])
    assert (counts.strict, counts.lenient, counts.judged) == (0.6, 0.75, 5)


def test_nothing_judged_has_no_share() -> None:
    assert (precision([]).strict, precision([Verdict.ARGUABLE]).lenient) == (None, None)


def test_a_row_that_is_no_verdict_is_told_with_its_place(tmp_path: Path) -> None:
    row = {"rule": "x", "file": "a.yml", "line": 1, "text": "", "message": "", "verdict": "perhaps", "reason": "a b c"}
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    with pytest.raises(ValueError, match=r"x\.jsonl, line 1: 'perhaps'"):
        stored(tmp_path)
