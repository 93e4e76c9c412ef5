"""A check that is written almost as one is an error, and every fix of it makes the check: never a text."""

from __future__ import annotations

import json

import pytest

from engine import functions
from engine.blueprint import FunctionCall
from engine.text.diagnostics import Severity
from tests import many_cases
from tests.engine.broken_checks import (
    ITEMS,
    JSON_FILE,
    NAMES,
    ORDINARY,
    PLACES,
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
@many_cases.every("writing", WITH_SIGN)
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
@many_cases.every("writing", WITHOUT_SIGN)
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
@many_cases.every("writing", MAPPINGS)
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
