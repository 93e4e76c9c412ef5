"""The same slip on several lines, and slips that YAML reads as words: each is named, and one fix is enough."""

from __future__ import annotations

import pytest

from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Diagnostic
from engine.text.spans import apply_edits

RIGHT = "title: Bees\n---\n- id: a\n  prompt: Is it: late?\n  should:\n    - Names the hour\n    - Names the day\n"
PROMPT = "- id: a\n  prompt: How late is it?\n  should:\n"


def only(text: str, slug: str) -> Diagnostic:
    """The one report of a rule on a text."""
    [one] = [one for one in check(parse(text)) if one.slug == slug]
    return one


def fixed(text: str, slug: str, *, safe: bool = True) -> str:
    """The text after the fix of the one report of a rule."""
    [fix] = only(text, slug).fixes
    assert fix.safe is safe
    return apply_edits(text, fix.edits)


@pytest.mark.parametrize(
    ("written", "slug"),
    [
        ("- id:a\n  prompt:Late?\n  should:\n    - Names the hour\n", "yaml-syntax"),
        ("- id： a\n  prompt：Late?\n  should：\n    - Names the hour\n", "stray-item"),
        ("- id：a\n  prompt:Late?\n  should:\n    - Names the hour\n", "yaml-syntax"),
    ],
)
def test_keys_below_each_other_without_a_colon_of_yaml_are_one_slip(written: str, slug: str) -> None:
    assert fixed(written, slug) == "- id: a\n  prompt: Late?\n  should:\n    - Names the hour\n"


@pytest.mark.parametrize("written", ["title:Bees\ndescription:All\n---\n", "title：Bees\ndescription： All\n---\n"])
def test_a_header_of_such_keys_is_one_slip(written: str) -> None:
    assert fixed(f"{written}{PROMPT}    - Names the hour\n", "stray-item").startswith(
        "title: Bees\ndescription: All\n---"
    )


def test_a_header_that_is_no_key_is_named_beside_an_error_below() -> None:
    text = RIGHT.replace("title: ", "title:")
    assert {one.slug for one in check(parse(text))} >= {"stray-item", "yaml-syntax"}


def test_bullets_of_several_kinds_are_one_slip() -> None:
    written = f"{PROMPT}    * Names the hour\n    – Names the day\n    1. Names the year\n    • Names the era\n"
    names = [f"    - Names the {each}\n" for each in ("hour", "day", "year", "era")]
    assert only(written, "yaml-syntax").message == "lists use `-`, not `*`, `–`, `1.` or `•` (4 lines)"
    assert fixed(written, "yaml-syntax") == PROMPT + "".join(names)


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("- text:Names the hour\n      weight:2\n", "- text: Names the hour\n      weight: 2\n"),
        ("- text： Names the hour\n      weight： 2\n", "- text: Names the hour\n      weight: 2\n"),
        ("- Names the hour\n      weight:2\n", "- text: Names the hour\n      weight: 2\n"),
        ("- Names the hour\n        citation：Act 3\n", "- text: Names the hour\n      citation: Act 3\n"),
    ],
)
def test_keys_of_a_point_that_became_words_of_it_are_named(written: str, right: str) -> None:
    assert fixed(f"{PROMPT}    {written}", "key-under-text", safe=False) == f"{PROMPT}    {right}"


@pytest.mark.parametrize(
    "point", ["Names the text:book and weight:2 of it", "'text:book'", "Names the hour\n      and the weight:2 of it"]
)
def test_a_colon_within_the_words_of_a_point_is_no_key(point: str) -> None:
    assert [one for one in check(parse(f"{PROMPT}    - {point}\n")) if one.slug == "key-under-text"] == []


@pytest.mark.parametrize(("written", "right"), [("“Says: late”", '"Says: late"'), ("«Dit : tard»", '"Dit : tard"')])
def test_curly_quotes_around_a_colon_are_made_plain(written: str, right: str) -> None:
    assert fixed(f"{PROMPT}    - {written}\n", "colon-made-citation") == f"{PROMPT}    - {right}\n"


def test_a_check_in_curly_quotes_is_one_report() -> None:
    slugs = [one.slug for one in check(parse(f"{PROMPT}    - Names the hour\n    - “$icontains: veil”\n"))]
    assert slugs.count("unknown-function") == 1
    assert "unfilled-placeholder" not in slugs


@pytest.mark.parametrize(
    "swallowed", ["  models:\n    - openai:gpt-4o\n---\n- ", "  ---\n  - ", "  models: [openai:gpt-4o]\n  ---\n  - "]
)
def test_what_a_text_of_the_header_swallowed_is_moved_out(swallowed: str) -> None:
    margin = swallowed.rpartition("\n")[2][:-2]
    head = f"title: T\ndescription: |\n  A guide\n\n{swallowed}id: a\n"
    text = f"{head}{margin}  prompt: q\n{margin}  should:\n{margin}    - x\n"
    [fix] = next(one for one in check(parse(text)) if one.slug == "swallowed-point").fixes
    after = apply_edits(text, fix.edits)
    assert not fix.safe
    assert parse(after).blueprint.header.description == "A guide\n"
    assert [prompt.id for prompt in parse(after).blueprint.prompts] == ["a"]


def test_a_whole_blueprint_in_a_list_is_taken_out() -> None:
    written = "- title: T\n  prompts:\n    - id: a\n      prompt: |\n        How?\n\n        Why?\n      ideal: x\n"
    right = "title: T\nprompts:\n  - id: a\n    prompt: |\n      How?\n\n      Why?\n    ideal: x\n"
    assert fixed(written, "unknown-key", safe=False) == right
