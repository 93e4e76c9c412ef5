"""Slips that leave valid YAML: each is named by its cause, and fixed to the only thing that it can mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.parsing import parse, weval_config
from engine.rules import check
from engine.rules.fixes import fix_text
from engine.text.diagnostics import Diagnostic
from engine.text.spans import apply_edits
from tests.engine.rule_reports import found, only, should
from tests.many_cases import every

# Slips that leave valid YAML: each is named by its cause, and fixed to the only thing that it can mean


HEAD = "- id: p\n  prompt: When is it due?\n"
MEANT = f"{HEAD}  should:\n    - Names the day\n    - Names the rent\n"

LISTS = {
    "bullets": "    • Names the day\n    • Names the rent\n",
    "bullets without a space": "    •Names the day\n    •Names the rent\n",
    "dashes of a text": "    – Names the day\n    – Names the rent\n",
    "plus signs": "    + Names the day\n    + Names the rent\n",
    "numbers": "    1. Names the day\n    2. Names the rent\n",
    "numbers in brackets": "    (1) Names the day\n    (2) Names the rent\n",
    "dashes without a space": "    -Names the day\n    -Names the rent\n",
    "one bullet before dashes": "    • Names the day\n    - Names the rent\n",
    "a sign without width before a dash": "    \u200b- Names the day\n    - Names the rent\n",
    "no first dash": "    Names the day\n    - Names the rent\n",
    "no first dash, deeper": "      Names the day\n    - Names the rent\n",
}


def problems(text: str) -> list[Diagnostic]:
    return [one for one in check(parse(text)) if one.severity != "hint"]


FIXED = {name: items for name, items in LISTS.items() if name != "a second dash that is deeper"}
"""What stands deeper is part of a text that YAML reads: no safe fix makes a point of it."""


@every("items", FIXED.values())
def test_a_list_with_spoilt_dashes_is_fixed_to_the_list(items: str) -> None:
    assert weval_config(fix_text(f"{HEAD}  should:\n{items}", None).parsed) == weval_config(parse(MEANT))


def test_a_slip_within_a_list_that_is_one_text_is_reported_and_fixed_with_it() -> None:
    text = f"{HEAD}  should:\n    • Names the day\n    // later\n    - Names the rent\n"
    assert [text.count("\n", 0, one.span.start) for one in problems(text)] == [3, 4]
    assert [point.text for point in fix_text(text, None).parsed.blueprint.prompts[0].points()] == [
        "Names the day",
        "Names the rent",
    ]


def test_a_prompt_without_its_dash_is_read_as_a_prompt() -> None:
    text = f"{MEANT}\n  id: q\n  prompt: How much?\n  should:\n    - Names the sum\n"
    assert [prompt.id for prompt in parse(text).blueprint.prompts] == ["p", "q"]


def test_a_prompt_without_the_separator_before_it_gets_one() -> None:
    text = "id: p\nprompt: When?\nshould:\n  - One\nid: q\nprompt: How?\nshould:\n  - Two\n"
    assert fix_text(text, None).text == text.replace("id: q", "---\nid: q")


@pytest.mark.parametrize("point", ["Names the day: the first", "Names the day"])
def test_a_weight_below_a_text_is_fixed_with_text(point: str) -> None:
    text = f"{HEAD}  should:\n    - {point}\n      weight: 2\n"
    [(found, weight)] = [
        (one.text, one.multiplier) for one in fix_text(text, None).parsed.blueprint.prompts[0].points()
    ]
    assert (found, weight) == (point, 2)


def test_a_weight_on_the_line_of_its_text_is_fixed_with_text() -> None:
    text = f"{HEAD}  should:\n    - Names the day weight: 2\n"
    assert "      weight: 2\n" in fix_text(text, None).text


def test_points_that_a_block_text_swallowed_are_points_again_if_the_author_says_so() -> None:
    text = "- id: p\n  prompt: |\n    When is it due?\n    should:\n      - Names the day\n      - Names the rent\n"
    [fix] = [fix for each in check(parse(text)) if each.slug == "swallowed-point" for fix in each.fixes]
    points = parse(apply_edits(text, fix.edits)).blueprint.prompts[0].points()
    assert (fix.safe, [point.text for point in points]) == (False, ["Names the day", "Names the rent"])


# Checks and names that are wrong by little: they are reported by what is wrong, and no fix keeps or reverses it


@every("signs", ["“”", "””", "’’", "““", "‚‘", "‟”", "＂＂", "″″", "„“", "«»", "»«", "‹›", "‘’"])
def test_a_name_within_any_quotation_marks_is_a_check(signs: str) -> None:
    text = should(f"{signs[0]}$icontains{signs[1]}: a b")
    [fix] = only(text, "unknown-function").fixes
    assert (fix.safe, [edit.text for edit in fix.edits]) == (True, ["$icontains: a b"])
    assert found(text, "colon-made-citation") == []


# What an author wrote and nobody reads, or a check cannot take: keys beside their like, numbers for texts


def test_a_weight_of_its_own_is_joined_only_by_the_author() -> None:
    text = should("Names it", "weight: 2")
    assert fix_text(text, None).text == text


# The traps of YAML: backslashes, tabs, comments that cut a text short


def of(slug: str, text: str, path: Path | None = None) -> list[Diagnostic]:
    return [found for found in check(parse(text, path)) if found.slug == slug]


def point(written: str) -> str:
    return f"{HEAD}  should:\n    - {written}\n"


# backslash-in-double-quotes


def test_single_quotes_mend_it() -> None:
    assert fix_text(point('$matches: "it\'s \\d"'), None).text == point(r"$matches: 'it''s \d'")


def test_every_pattern_of_a_prompt_is_mended() -> None:
    text = point('$matches: "\\d"\n    - $matches: "\\w"')
    assert fix_text(text, None).text == point("$matches: '\\d'\n    - $matches: '\\w'")


def test_beside_another_escape_the_backslash_is_written_twice() -> None:
    assert fix_text(point(r'$matches: "\d\n"'), None).text == point(r'$matches: "\\d\n"')


def test_in_json_every_lone_backslash_is_written_twice() -> None:
    text = '{"prompts": [{"id": "a", "prompt": "b", "should": [{"$matches": "\\d\\\\d"}, {"$matches": "\\w\\n"}]}]}'
    mended = fix_text(text, Path("a.json")).text
    assert mended == text.replace('"\\d', '"\\\\d').replace('"\\w', '"\\\\w')
