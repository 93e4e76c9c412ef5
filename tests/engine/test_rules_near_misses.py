"""Checks and names that are wrong by little: they are reported by what is wrong, and no fix keeps or reverses it."""

from __future__ import annotations

import pytest

from tests.engine.rule_reports import found, only, should


@pytest.mark.parametrize("signs", ["“”", "””", "’’", "““", "‚‘", "‟”", "＂＂", "″″", "„“", "«»", "»«", "‹›", "‘’"])
def test_a_name_within_any_quotation_marks_is_a_check(signs: str) -> None:
    text = should(f"{signs[0]}$icontains{signs[1]}: a b")
    [fix] = only(text, "unknown-function").fixes
    assert (fix.safe, [edit.text for edit in fix.edits]) == (True, ["$icontains: a b"])
    assert found(text, "colon-made-citation") == []
