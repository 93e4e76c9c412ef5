"""Slips that leave valid YAML: each is named by its cause, and fixed to the only thing that it can mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.parsing import parse, weval_config
from engine.rules import check
from engine.rules.fixes import fix_text
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import TextEdit, apply_edits
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
DEEPER = "    - Names the day\n      - Names the rent\n"
CAUSES = {
    "bullets": "lists use `-`, not `•`",
    "numbers": "lists use `-`, not `1.`",
    "dashes without a space": "put a space after `-`",
    "no first dash": "put `- ` before this",
}


def problems(text: str) -> list[Diagnostic]:
    return [one for one in check(parse(text)) if one.severity != "hint"]


FIXED = {name: items for name, items in LISTS.items() if name != "a second dash that is deeper"}
"""What stands deeper is part of a text that YAML reads: no safe fix makes a point of it."""


@every("items", FIXED.values())
def test_a_list_with_spoilt_dashes_is_fixed_to_the_list(items: str) -> None:
    assert weval_config(fix_text(f"{HEAD}  should:\n{items}", None).parsed) == weval_config(parse(MEANT))


@every("name", CAUSES)
def test_a_list_with_spoilt_dashes_is_named_by_its_cause(name: str) -> None:
    [found] = problems(f"{HEAD}  should:\n{LISTS[name]}")
    assert found.message.startswith(CAUSES[name])


def test_a_second_dash_that_is_deeper_is_named_and_stays_until_its_author_says_so() -> None:
    [found] = problems(f"{HEAD}  should:\n{DEEPER}")
    assert (found.message.split(":")[0], [fix.safe for fix in found.fixes]) == (
        "this `-` stands too far right",
        [False],
    )


def test_bullets_of_two_kinds_are_two_problems_with_one_fix() -> None:
    text = f"{HEAD}  should:\n    • Names the day\n    * Names the rent\n    * Names the sum\n"
    assert [one.message.split(":")[0] for one in problems(text)] == ["lists use `-`, not `•`", "lists use `-`, not `*`"]
    assert fix_text(text, None).text == text.replace("•", "-").replace("*", "-")


def test_a_slip_within_a_list_that_is_one_text_is_reported_and_fixed_with_it() -> None:
    text = f"{HEAD}  should:\n    • Names the day\n    // later\n    - Names the rent\n"
    assert [text.count("\n", 0, one.span.start) for one in problems(text)] == [3, 4]
    assert [point.text for point in fix_text(text, None).parsed.blueprint.prompts[0].points()] == [
        "Names the day",
        "Names the rent",
    ]


def test_a_prompt_without_its_dash_is_one_problem_at_its_first_line() -> None:
    text = f"{MEANT}\n  id: q\n  prompt: How much?\n  should:\n    - Names the sum\n"
    [found] = problems(text)
    assert (found.span.of(text), "a new prompt starts here" in found.message) == ("id: q", True)


def test_a_prompt_without_its_dash_is_read_as_a_prompt() -> None:
    text = f"{MEANT}\n  id: q\n  prompt: How much?\n  should:\n    - Names the sum\n"
    assert [prompt.id for prompt in parse(text).blueprint.prompts] == ["p", "q"]


def test_three_prompts_without_dashes_are_three_problems_and_are_fixed() -> None:
    rest = "".join(f"  id: {name}\n  prompt: How {name}?\n  should:\n    - Names it\n" for name in "qrs")
    assert len(problems(MEANT + rest)) == 3
    assert [one.id for one in fix_text(MEANT + rest, None).parsed.blueprint.prompts] == ["p", "q", "r", "s"]


def test_a_prompt_without_the_separator_before_it_gets_one() -> None:
    text = "id: p\nprompt: When?\nshould:\n  - One\nid: q\nprompt: How?\nshould:\n  - Two\n"
    assert fix_text(text, None).text == text.replace("id: q", "---\nid: q")


def test_a_second_check_in_an_item_starts_an_item_of_its_own() -> None:
    text = f"{HEAD}  should:\n    - $icontains: rent\n      $matches: Nairobi\n"
    [found] = problems(text)
    assert found.message == "only the first check of this item runs: start a new `- ` for `$matches`"
    assert fix_text(text, None).text == text.replace("      $matches", "    - $matches")


def test_each_further_check_in_an_item_is_reported() -> None:
    text = f"{HEAD}  should:\n    - $icontains: rent\n      $matches: day\n      $not_contains: month\n"
    assert len(problems(text)) == 2


def test_prompts_inside_a_list_become_a_key_of_the_header() -> None:
    inner = f"- prompts:\n{MEANT.replace('- id', '    - id', 1).replace(chr(10) + '  ', chr(10) + '      ')}"
    text = f"title: T\n---\n{inner}"
    [fix] = [fix for each in check(parse(text)) for fix in each.fixes if "`---`" in fix.title]
    assert (fix.safe, apply_edits(text, fix.edits)) == (False, text.replace("---\n- prompts", "prompts"))


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


# The same slip on several lines, and slips that YAML reads as words: each is named, and one fix is enough


RIGHT = "title: Bees\n---\n- id: a\n  prompt: Is it: late?\n  should:\n    - Names the hour\n    - Names the day\n"
PROMPT = "- id: a\n  prompt: How late is it?\n  should:\n"


def test_a_header_that_is_no_key_is_named_beside_an_error_below() -> None:
    text = RIGHT.replace("title: ", "title:")
    assert {one.slug for one in check(parse(text))} >= {"stray-item", "yaml-syntax"}


def test_a_check_in_curly_quotes_is_one_report() -> None:
    slugs = [one.slug for one in check(parse(f"{PROMPT}    - Names the hour\n    - “$icontains: veil”\n"))]
    assert slugs.count("unknown-function") == 1
    assert "unfilled-placeholder" not in slugs


# `prompts:` as an item of the list of prompts, beside other errors of the YAML


NESTED = "- prompts:\n    - id: b\n      prompt: Why?\n      should:\n        - Says why\n"
SOUND = "- id: a\n  prompt: Why?\n  should:\n    - Says why\n"
BROKEN = {
    "a colon in a text": "- id: c\n  description: one: two\n  prompt: Why?\n  should:\n    - Says why\n",
    "a quotation mark left open": '- id: c\n  prompt: "Why?\n  should:\n    - Says why\n',
    "a bracket left open": "- id: c\n  prompt: Why?\n  should: [Says why\n",
    "a tab": "- id: c\n  prompt: Why?\n\tshould:\n    - Says why\n",
    "a star": "- id: c\n  prompt: Why?\n  should:\n    * Says why\n",
    "a key twice": "- id: c\n  id: d\n  prompt: Why?\n  should:\n    - Says why\n",
}
HEADERS = {
    "no header": "",
    "a header": "title: Notice\n---\n",
    "a header with an error": "title: Notice: periods\n---\n",
    "a header with a bracket left open": "models: [openai:gpt-4o\n---\n",
}


def nested_prompts_lines(text: str) -> list[int]:
    """The lines, from 1, where `prompts` is reported as an item of the list."""
    found = [
        each
        for each in check(parse(text))
        if each.slug == "unknown-key" and each.message.startswith("`prompts` cannot")
    ]
    return [text.count("\n", 0, each.span.start) + 1 for each in found]


def fixes_of_nested_prompts(text: str) -> list[TextEdit]:
    """The edits that make `prompts` a key of the header."""
    found = [each for each in check(parse(text)) if each.message.startswith("`prompts` cannot")]
    return [edit for each in found for fix in each.fixes for edit in fix.edits]


@every("header", HEADERS)
@every("error", BROKEN)
@every("order", [(0, 1, 2), (1, 0, 2), (2, 0, 1)], ids=str)
def test_it_is_reported_beside_an_error_of_the_yaml(header: str, error: str, order: tuple[int, ...]) -> None:
    pieces = (NESTED, SOUND, BROKEN[error])
    text = HEADERS[header] + "".join(pieces[index] for index in order)
    lines = [text.count("\n", 0, text.index("- prompts:")) + 1]
    assert nested_prompts_lines(text) == lines
    assert any(each.severity is Severity.ERROR for each in check(parse(text)))


@every("header", HEADERS)
def test_it_is_reported_where_the_error_is_within_its_own_list(header: str) -> None:
    text = HEADERS[header] + SOUND + NESTED.replace("id: b", "id: b\n      description: one: two")
    assert nested_prompts_lines(text) == [text.count("\n", 0, text.index("- prompts:")) + 1]


OTHER_ITEMS = {
    **BROKEN,
    "a note": "- note: one: two\n",
    "a lone dash": "-\n  note: one: two\n",
    "a text": '- "Why?\n',
    "not a list item": "note: [a\n- note: 'b\n",
}


@every("error", OTHER_ITEMS)
def test_it_is_no_fix_to_make_it_a_key_beside_items_that_could_not_be_read(error: str) -> None:
    for text in (NESTED + OTHER_ITEMS[error], OTHER_ITEMS[error] + NESTED):
        assert fixes_of_nested_prompts(text) == []


@every("header", HEADERS)
@every("within", ["", "      description: one: two\n"])
def test_it_becomes_a_key_of_the_header_where_it_is_the_only_item(header: str, within: str) -> None:
    nested = NESTED.replace("      prompt: Why?\n", f"{within}      prompt: Why?\n")
    assert "- prompts:" not in apply_edits(HEADERS[header] + nested, fixes_of_nested_prompts(HEADERS[header] + nested))


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


TRAPS_HEAD = "- id: a\n  prompt: Say hello.\n"


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
