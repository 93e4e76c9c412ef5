"""Slips that leave valid YAML: each is named by its cause, and fixed to the only thing that it can mean."""

from __future__ import annotations

import pytest

from engine.parsing import parse, weval_config
from engine.rules import check
from engine.rules.fixes import fix_text
from engine.text.diagnostics import Diagnostic
from engine.text.spans import apply_edits

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


@pytest.mark.parametrize("items", FIXED.values(), ids=FIXED)
def test_a_list_with_spoilt_dashes_is_fixed_to_the_list(items: str) -> None:
    assert weval_config(fix_text(f"{HEAD}  should:\n{items}", None).parsed) == weval_config(parse(MEANT))


@pytest.mark.parametrize("name", CAUSES)
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
