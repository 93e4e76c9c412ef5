"""A check that is written almost as one is an error, and every fix of it makes the check: never a text."""

from __future__ import annotations

import json

import pytest

from engine import functions
from engine.blueprint import FunctionCall
from engine.parsing import parse
from engine.text.diagnostics import Severity
from engine.text.spans import apply_edits
from tests import many_cases
from tests.engine.broken_checks import (
    ITEMS,
    JSON_FILE,
    NAMES,
    ORDINARY,
    PLACES,
    USUAL,
    WITH_SIGN,
    Writing,
    by_fixes,
    calls,
    checks,
    errors_and_yaml,
    errors_of,
    every,
    fixed,
    in_block,
    made_texts,
    names_at,
    quoted_in_block,
    sound,
    together,
)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("writing", WITH_SIGN)
def test_a_text_that_begins_with_a_check_is_an_error_fixed_to_the_check(writing: str, place: str) -> None:
    items, expected = every(WITH_SIGN[writing], names_at(place, PLACES))
    text = together(items, PLACES[place])
    found = errors_of(text)
    after = by_fixes(text, found)
    assert (len(found), checks(after), errors_of(after.text)) == (len(items), expected, [])


@many_cases.every("place", PLACES)
@many_cases.every("writing", WITH_SIGN)
def test_no_fix_makes_a_text_of_what_begins_with_a_check(writing: str, place: str) -> None:
    items, _ = every(WITH_SIGN[writing])
    for item in items[:: len(PLACES)]:
        assert made_texts(PLACES[place](item)) == [], item


WITHOUT_SIGN: dict[str, Writing] = {
    "name and colon": lambda name, argument: f"{name}: {argument}",
    "full-width colon": lambda name, argument: f"{name}：{argument}",
    "equals sign": lambda name, argument: f"{name} = {argument}",
    "brackets": lambda name, argument: f"{name}({argument})",
}
"""What one text without a `$` may look like, whole."""


@pytest.mark.parametrize("place", ["quoted", "single quotes under should_not", "expect", "path", "brackets"])
@pytest.mark.parametrize("writing", WITHOUT_SIGN)
def test_a_quoted_text_that_begins_with_a_name_is_an_error_fixed_to_the_check(writing: str, place: str) -> None:
    items, expected = every(WITHOUT_SIGN[writing])
    text = together(items, PLACES[place])
    found = errors_of(text)
    after = by_fixes(text, found)
    assert (len(found), checks(after), errors_of(after.text)) == (len(items), expected, [])


MAPPINGS: dict[str, Writing] = {
    "no dollar": lambda name, argument: f"{name}: {argument}",
    "no dollar, weight": lambda name, argument: f"{{{name}: {argument}, weight: 2}}",
    "no dollar, quoted key": lambda name, argument: f'"{name}": {argument}',
    "full-width dollar": lambda name, argument: f"＄{name}: {argument}",
    "blank behind the dollar": lambda name, argument: f"$ {name}: {argument}",
    "upper case": lambda name, argument: f"${name.upper()}: {argument}",
    "capital": lambda name, argument: f"${name.capitalize()}: {argument}",
    "other keys": lambda name, argument: f"{{function: {name}, arg: {argument}}}",
    "dollar behind fn": lambda name, argument: f"{{fn: ${name}, arg: {argument}}}",
    "upper case behind fn": lambda name, argument: f"{{fn: {name.upper()}, arg: {argument}}}",
    "no colon": lambda name, argument: f"${name} {argument}",
}
"""What an item may look like that YAML reads as a mapping, or as a text without quotes."""


@pytest.mark.parametrize("place", ITEMS)
@pytest.mark.parametrize("writing", MAPPINGS)
def test_a_check_that_is_no_mapping_with_its_name_is_an_error_fixed_to_the_check(writing: str, place: str) -> None:
    for item, expected in zip(*every(MAPPINGS[writing], names_at(place, ITEMS)), strict=True):
        text = ITEMS[place](item)
        after = by_fixes(text, errors_and_yaml(text))
        assert (checks(after), errors_and_yaml(after.text)) == ([expected], []), item


@many_cases.every("place", ITEMS)
@many_cases.every("writing", MAPPINGS)
def test_no_fix_makes_a_text_of_a_check_without_its_name(writing: str, place: str) -> None:
    items, _ = every(MAPPINGS[writing])
    for item in items[:: len(ITEMS)]:
        assert made_texts(ITEMS[place](item)) == [], item


@many_cases.every("writing", {**WITH_SIGN, **WITHOUT_SIGN})
def test_a_text_that_begins_with_a_check_is_fixed_in_json(writing: str) -> None:
    items, expected = every({**WITH_SIGN, **WITHOUT_SIGN}[writing])
    prompts = [{"id": str(index), "prompt": "Who?", "should": [item, "Says why"]} for index, item in enumerate(items)]
    text = json.dumps({"prompts": prompts}, ensure_ascii=False)
    assert checks(by_fixes(text, errors_of(text, JSON_FILE), JSON_FILE)) == expected


def test_a_key_that_is_a_name_is_fixed_in_json() -> None:
    items = [{name: sound(function)[1]} for name, function in NAMES]
    prompts = [{"id": str(index), "prompt": "Who?", "should": [item, "Says why"]} for index, item in enumerate(items)]
    text = json.dumps({"prompts": prompts}, ensure_ascii=False)
    assert checks(by_fixes(text, errors_of(text, JSON_FILE), JSON_FILE)) == every(WITH_SIGN["no colon"], NAMES)[1]


@pytest.mark.parametrize("writing", ["no colon", "full-width colon", "equals sign"])
@many_cases.every("name", [name for name, _ in NAMES])
def test_the_fix_is_safe_unless_the_name_is_also_an_ordinary_word(name: str, writing: str) -> None:
    function = functions.find(name)
    assert function is not None
    [found] = errors_of(quoted_in_block(WITH_SIGN[writing](name, sound(function)[0])))
    assert [fix.safe for fix in found.fixes] == [name not in ORDINARY]


@many_cases.every("name", [name for name, _ in NAMES])
def test_the_fix_of_a_name_without_dollar_is_safe_unless_it_is_also_an_ordinary_word(name: str) -> None:
    function = functions.find(name)
    assert function is not None
    [found] = errors_of(in_block(f"{name}: {sound(function)[0]}"))
    assert [fix.safe for fix in found.fixes] == [name not in ORDINARY]


NEAR_NAMES = [
    ("$icontans notary", "$icontains: notary"),
    ("$icontian notary", "$icontains: notary"),
    ("icontans: notary", "$icontains: notary"),
    ("$icontains any of [notary, clerk]", "$icontains_any_of: [notary, clerk]"),
    ("$icontainsAnyOf: [notary, clerk]", "$icontains_any_of: [notary, clerk]"),
    ("icontains-any-of: [notary, clerk]", "$icontains_any_of: [notary, clerk]"),
    ("Icontains: notary", "$icontains: notary"),
    ("not $icontains notary", "$not_icontains: notary"),
    ("$contains any of the words", "$contains: any of the words"),
    ("$icontains label: yes", "$icontains: 'label: yes'"),
    ('$icontains "label": "yes"', '$icontains: \'"label": "yes"\''),
    ("$icontains notary:", "$icontains: notary"),
    ("$icontains notary: a: b", '$icontains: "notary: a: b"'),
    ('"$icontains: notary": Notaries Act', "$icontains: notary\n      citation: Notaries Act"),
    ("fn: icontains notary", "fn: icontains\n      arg: notary"),
    ("{name: icontains, value: notary}", "{fn: icontains, arg: notary}"),
    ("icontains: 42", "$icontains: '42'"),
    ("icontains_any_of: notary, clerk", "$icontains_any_of: [notary, clerk]"),
    ("$contains_any_of notary, clerk", "$contains_any_of: [notary, clerk]"),
    ("$icontains notary # why", "$icontains: notary # why"),
    ("is_json", "$is_json: true"),
    ("is_json: yes", "$is_json: true"),
    ("$icontains>notary", "$icontains: notary"),
    ("$icontains/notary/i", "$imatches: 'notary'"),
    ("$icontains:: notary", "$icontains: notary"),
    ("$$icontains: notary", "$icontains: notary"),
    ("${icontains}: notary", "$icontains: notary"),
    ("$(icontains): notary", "$icontains: notary"),
    ("€icontains: notary", "$icontains: notary"),
    ("\\$icontains: notary", "$icontains: notary"),
    ("@icontains: notary", '$icontains: "notary"'),
    ("`$icontains: notary`", '$icontains: "notary"'),
    ("**$icontains**: notary", '$icontains: "notary"'),
    ("'`$icontains: notary`'", "$icontains: notary"),
    ("not icontains: notary", "$not_icontains: notary"),
    ("not contains: notary", "$not_contains: notary"),
    ("NOT icontains: notary", "$not_icontains: notary"),
    ("$include notary", "$contains: notary"),
    ("$regex: notary", "$matches: notary"),
    ("$word_count_between 50 100", "$word_count_between: [50, 100]"),
    ("Icontains notary", "$icontains: notary"),
    ("$icontains notary\n      weight: 2", "$icontains: notary\n      weight: 2"),
    ("icontains: notary\n      note: why", "$icontains: notary\n      note: why"),
    ("text: 'icontains: notary'", "$icontains: notary"),
]


@many_cases.every(("item", "expected"), NEAR_NAMES)
def test_a_name_that_is_nearly_one_is_fixed_to_it(item: str, expected: str) -> None:
    text = in_block(item)
    [found] = errors_and_yaml(text)
    assert apply_edits(text, found.fixes[0].edits) == in_block(expected)


@many_cases.every(
    "item",
    [
        "$100 is named",
        '"$100 is named"',
        "$USD 100 is named",
        "$PATH is exported",
        "contains the fee",
        "matches the tone of the letter",
        "Contains a clear mention of the fee",
        "'call: 999 is named'",
        "'Match: the tone of the letter is kept'",
        "Call 999 is named",
        "External sources are named",
        "text: contains the fee",
        "Starts with a greeting",
        "JSON is valid",
        "'`$match` is explained as a stage'",
        "Contains: a clear mention of the fee",
        "Match: FIFA World Cup 2010",
        "Fact-check: claims are supported",
        "Starts with: a greeting",
        "JS: the language is named",
        "start_date is given",
        "is_valid is explained",
        "€100 is named",
        "'@mentions the author'",
        "Contains (in any order) the three names",
        "text: '$100 is named'",
    ],
)
def test_an_ordinary_criterion_is_no_broken_check(item: str) -> None:
    assert errors_of(in_block(item)) == []


def test_a_text_that_begins_with_a_sum_stays_one_that_dollar_text_fixes() -> None:
    text = in_block("$100 is named")
    [found] = errors_and_yaml(text)
    assert (found.slug, apply_edits(text, found.fixes[0].edits)) == (
        "dollar-text", in_block("text: '$100 is named'"),
    )  # fmt: skip


@many_cases.every(
    "item", ["contains: the fee that the clerk asks for", "js: the language is named", "Contains: fees", "match: a b"]
)
def test_what_may_be_a_sentence_is_made_a_check_only_when_the_author_says_so(item: str) -> None:
    [found] = errors_of(in_block(item))
    assert [fix.safe for fix in found.fixes] == [False]


def test_a_sentence_behind_the_name_of_a_check_that_cannot_take_it_has_no_fix() -> None:
    [found] = errors_of(in_block("call: 999 is named"))
    assert found.fixes == ()


@many_cases.every(
    ("block", "expected"),
    [
        ("$icontains notary", "\n    - $icontains: notary"),
        ("'$icontains: notary'", "\n    - $icontains: notary"),
        ("{icontains: notary}", "\n    - {$icontains: notary}"),
        ("\n    icontains: notary", "\n    - $icontains: notary"),
    ],
)
def test_a_check_in_the_place_of_a_list_becomes_a_list_of_the_check(block: str, expected: str) -> None:
    head = "- id: a\n  prompt: Who?\n  should:"
    text = f"{head} {block}\n".replace(": \n", ":\n")
    [fix] = [fix for found in USUAL.check(parse(text)) if found.slug == "rubric-not-a-list" for fix in found.fixes]
    assert apply_edits(text, fix.edits) == f"{head}{expected}\n"
    assert made_texts(text) == []


DEFINED = "point_defs:\n  fee: r.length > 100\n---\n"


@many_cases.every(
    "item",
    [
        "$ref fee",
        "$ref：fee",
        "$ref = fee",
        '"$ref: fee"',
        "$Ref: fee",
        "＄ref: fee",
        "$refs: fee",
        "ref: fee",
        "$ref(fee)",
    ],
)
@many_cases.every("place", ITEMS)
def test_a_reference_that_is_written_almost_as_one_is_fixed_to_it(item: str, place: str) -> None:
    text = DEFINED + ITEMS[place](item)
    [found] = [each for each in errors_of(text) if each.severity is Severity.ERROR]
    [after] = fixed(text, found)
    assert FunctionCall("js", "r.length > 100") in calls(after)
    assert made_texts(text) == []


@many_cases.every("item", ["ref: Notaries Act 2016", "Ref: page 12", "'ref: fee'"])
def test_a_source_is_no_reference(item: str) -> None:
    assert errors_of(DEFINED + in_block(item)) == []
