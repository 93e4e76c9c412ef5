"""A check that is written almost as one is an error, and every fix of it makes the check: never a text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from engine import functions
from engine.blueprint import FunctionCall
from engine.diagnostics import Diagnostic, Severity
from engine.parsing import Parsed, parse
from engine.parsing.findings import Kind
from engine.parsing.normalised_form import normal_function_name
from engine.rules import ALL, Checker
from engine.rules.fixes.application import fix_text
from engine.rules.source.check_texts import check_text
from engine.rules.source.slash_patterns import slashed_pattern
from engine.text import Span, apply_edits
from engine.yaml_nodes import load
from engine.yaml_nodes.nodes import Data, ScalarNode, SequenceNode, Style
from tests.every import every as over
from tests.world import corpus_files, needs_corpus

EVERY = Checker(ALL)
USUAL = Checker()
ORDINARY = {"call", "match", "contain", "external"}
"""The names that are also ordinary words, so that no fix of them is safe without a check's own sign."""
BESIDE = {"Says why", "Says that it is not known", "Asks where"}
JSON_FILE = Path("a.json")

ARGUMENTS: dict[str, tuple[str, Data]] = {
    "text": ("notary", "notary"),
    "word": ("notary", "notary"),
    "pattern": ("notar(y|ies)", "notar(y|ies)"),
    "[text, …]": ("[notary, clerk]", ["notary", "clerk"]),
    "[pattern, …]": ("[notary, clerk]", ["notary", "clerk"]),
    "[n, [text, …]]": ("[1, [notary, clerk]]", [1, ["notary", "clerk"]]),
    "[n, [pattern, …]]": ("[1, [notary, clerk]]", [1, ["notary", "clerk"]]),
    "[low, high]": ("[50, 100]", [50, 100]),
    "true": ("true", True),
    "JavaScript": ("r.length", "r.length"),
    "tool name": ("search", "search"),
    "{name, where}": ("{name: search, where: {q: x}}", {"name": "search", "where": {"q": "x"}}),
    "[low, high, name]": ("[1, 2, search]", [1, 2, "search"]),
    "[tool name, …]": ("[search, fetch]", ["search", "fetch"]),
    "{service: name, …} or {url: address, …}": ("{url: 'https://a.org/b'}", {"url": "https://a.org/b"}),
}
"""For each shape of an argument one that is sound: as it is written behind a name, and as it is read."""

NAMES = [(name, function) for function in functions.ALL for name in function.names]

Writing = Callable[[str, str], str]

WITH_SIGN: dict[str, Writing] = {
    "no colon": lambda name, argument: f"${name} {argument}",
    "full-width colon": lambda name, argument: f"${name}：{argument}",
    "full-width colon and blank": lambda name, argument: f"${name}： {argument}",
    "no blank behind the colon": lambda name, argument: f"${name}:{argument}",
    "equals sign": lambda name, argument: f"${name} = {argument}",
    "semicolon": lambda name, argument: f"${name}; {argument}",
    "arrow": lambda name, argument: f"${name} -> {argument}",
    "brackets": lambda name, argument: f"${name}({argument})",
    "full-width dollar": lambda name, argument: f"＄{name} {argument}",
    "blank behind the dollar": lambda name, argument: f"$ {name} {argument}",
    "capitals": lambda name, argument: f"${name.capitalize()} {argument}",
    "upper case": lambda name, argument: f"${name.upper()}: {argument}",
    "hyphens": lambda name, argument: f"${name.replace('_', '-')} {argument}",
}
"""What one text with a `$` may look like, whole."""


def sound(function: functions.PointFunction) -> tuple[str, Data]:
    return ARGUMENTS[function.argument]


def in_block(item: str, key: str = "should") -> str:
    return f"- id: a\n  prompt: Who certifies it?\n  {key}:\n    - {item}\n    - Says why\n"


def in_path(item: str) -> str:
    return (
        "- id: a\n  prompt: Who certifies it?\n  should:\n"
        f"    - - {item}\n      - Says why\n    - - Says that it is not known\n      - Asks where\n"
    )


def quoted_in_block(item: str) -> str:
    return in_block(json.dumps(item, ensure_ascii=False))


def quoted_in_single(item: str) -> str:
    return in_block("'" + item.replace("'", "''") + "'", "should_not")


def quoted_in_path(item: str) -> str:
    return in_path(json.dumps(item, ensure_ascii=False))


def quoted_in_brackets(item: str) -> str:
    written = json.dumps(item, ensure_ascii=False)
    return f"- id: a\n  prompt: Who certifies it?\n  should: [{written}, Says why]\n"


def behind_text(item: str) -> str:
    return in_block(f"text: {json.dumps(item, ensure_ascii=False)}\n      weight: 2")


def in_block_scalar(item: str) -> str:
    return in_block(f"|\n      {item}")


def in_definition(item: str) -> str:
    written = json.dumps(item, ensure_ascii=False)
    return f"point_defs:\n  fee: {written}\n---\n- id: a\n  prompt: Who?\n  should:\n    - $ref: fee\n    - Says why\n"


PLACES: dict[str, Callable[[str], str]] = {
    "quoted": quoted_in_block,
    "single quotes under should_not": quoted_in_single,
    "expect": lambda item: in_block(json.dumps(item, ensure_ascii=False), "expect"),
    "points": lambda item: in_block(json.dumps(item, ensure_ascii=False), "points"),
    "path": quoted_in_path,
    "brackets": quoted_in_brackets,
    "behind text": behind_text,
    "block scalar": in_block_scalar,
}


def errors_of(text: str, path: Path | None = None) -> list[Diagnostic]:
    slugs = ("quoted-function", "unknown-function")
    found = EVERY.check(parse(text, path))
    return [each for each in found if each.slug in slugs and each.severity is Severity.ERROR]


def calls(parsed: Parsed) -> list[FunctionCall | None]:
    return [point.function for prompt in parsed.blueprint.prompts for point in prompt.points()]


def texts(parsed: Parsed) -> list[str | None]:
    return [point.text for prompt in parsed.blueprint.prompts for point in prompt.points()]


def fixed(text: str, found: Diagnostic, path: Path | None = None) -> list[Parsed]:
    return [parse(apply_edits(text, fix.edits), path) for fix in found.fixes]


def made_texts(text: str, path: Path | None = None) -> list[str]:
    """The points in words that any fix of any rule makes of something else, but for those that stand beside it."""
    before = parse(text, path)
    known = {*texts(before), *BESIDE}
    fixes = [fix for found in EVERY.check(before) for fix in found.fixes]
    after = [texts(parse(apply_edits(text, fix.edits), path)) for fix in fixes]
    return [each for made in after for each in made if each is not None and each not in known]


def together(items: list[str], place: Callable[[str], str]) -> str:
    """One file with a prompt for each of `items`."""
    return "".join(place(item).replace("id: a", f"id: a{index}", 1) for index, item in enumerate(items))


def every(writing: Writing) -> tuple[list[str], list[tuple[functions.PointFunction | None, object]]]:
    """Each name in one writing, and the check that each of them means."""
    items = [writing(name, sound(function)[0]) for name, function in NAMES]
    return items, [meant(name, sound(function)[1]) for name, function in NAMES]


def by_fixes(text: str, found: list[Diagnostic], path: Path | None = None) -> Parsed:
    """`text` with the only fix of each of `found` applied."""
    fixes = [fix for each in found for fix in each.fixes]
    assert len(fixes) == len(found)
    return parse(apply_edits(text, [edit for fix in fixes for edit in fix.edits]), path)


def checks(parsed: Parsed) -> list[tuple[functions.PointFunction | None, object]]:
    return [call for call in map(written, calls(parsed)) if call is not None]


def meant(name: str, argument: Data) -> tuple[functions.PointFunction | None, Data]:
    return functions.find(normal_function_name(name)), argument


def written(call: FunctionCall | None) -> tuple[functions.PointFunction | None, object] | None:
    return None if call is None else (functions.find(call.name), call.args)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("writing", WITH_SIGN)
def test_a_text_that_begins_with_a_check_is_an_error_fixed_to_the_check(writing: str, place: str) -> None:
    items, expected = every(WITH_SIGN[writing])
    text = together(items, PLACES[place])
    found = errors_of(text)
    after = by_fixes(text, found)
    assert (len(found), checks(after), errors_of(after.text)) == (len(items), expected, [])


@pytest.mark.parametrize("writing", WITH_SIGN)
def test_a_definition_that_begins_with_a_check_is_an_error_fixed_to_the_check(writing: str) -> None:
    for item, expected in zip(*every(WITH_SIGN[writing]), strict=True):
        text = in_definition(item)
        after = by_fixes(text, errors_of(text))
        assert (checks(after), errors_of(after.text)) == ([expected], []), item


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("writing", WITH_SIGN)
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

ITEMS: dict[str, Callable[[str], str]] = {
    "should": in_block,
    "should_not": lambda item: in_block(item, "should_not"),
    "expectations": lambda item: in_block(item, "expectations"),
    "path": in_path,
    "brackets": lambda item: f"- id: a\n  prompt: Who certifies it?\n  should: [{item}, Says why]\n",
}


def errors_and_yaml(text: str) -> list[Diagnostic]:
    return [each for each in USUAL.check(parse(text)) if each.severity is Severity.ERROR]


@pytest.mark.parametrize("place", ITEMS)
@pytest.mark.parametrize("writing", MAPPINGS)
def test_a_check_that_is_no_mapping_with_its_name_is_an_error_fixed_to_the_check(writing: str, place: str) -> None:
    for item, expected in zip(*every(MAPPINGS[writing]), strict=True):
        text = ITEMS[place](item)
        after = by_fixes(text, errors_and_yaml(text))
        assert (checks(after), errors_and_yaml(after.text)) == ([expected], []), item


@pytest.mark.parametrize("place", ITEMS)
@pytest.mark.parametrize("writing", MAPPINGS)
def test_no_fix_makes_a_text_of_a_check_without_its_name(writing: str, place: str) -> None:
    items, _ = every(MAPPINGS[writing])
    for item in items[:: len(ITEMS)]:
        assert made_texts(ITEMS[place](item)) == [], item


@pytest.mark.parametrize("writing", {**WITH_SIGN, **WITHOUT_SIGN})
def test_a_text_that_begins_with_a_check_is_fixed_in_json(writing: str) -> None:
    items, expected = every({**WITH_SIGN, **WITHOUT_SIGN}[writing])
    prompts = [{"id": str(index), "prompt": "Who?", "should": [item, "Says why"]} for index, item in enumerate(items)]
    text = json.dumps({"prompts": prompts}, ensure_ascii=False)
    assert checks(by_fixes(text, errors_of(text, JSON_FILE), JSON_FILE)) == expected


def test_a_key_that_is_a_name_is_fixed_in_json() -> None:
    items = [{name: sound(function)[1]} for name, function in NAMES]
    prompts = [{"id": str(index), "prompt": "Who?", "should": [item, "Says why"]} for index, item in enumerate(items)]
    text = json.dumps({"prompts": prompts}, ensure_ascii=False)
    assert checks(by_fixes(text, errors_of(text, JSON_FILE), JSON_FILE)) == every(WITH_SIGN["no colon"])[1]


@pytest.mark.parametrize("writing", ["no colon", "full-width colon", "equals sign"])
@pytest.mark.parametrize("name", [name for name, _ in NAMES])
def test_the_fix_is_safe_unless_the_name_is_also_an_ordinary_word(name: str, writing: str) -> None:
    function = functions.find(name)
    assert function is not None
    [found] = errors_of(quoted_in_block(WITH_SIGN[writing](name, sound(function)[0])))
    assert [fix.safe for fix in found.fixes] == [name not in ORDINARY]


@pytest.mark.parametrize("name", [name for name, _ in NAMES])
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
    ('$matches "^Report #[0-9]"  # why', '$matches: "^Report #[0-9]"  # why'),
    ("$icontains 'No #1'", "$icontains: 'No #1'"),
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
    ("function: icontains notary", "$icontains: 'notary'"),
    ("Icontains notary", "$icontains: notary"),
    ("$icontains notary\n      weight: 2", "$icontains: notary\n      weight: 2"),
    ("icontains: notary\n      note: why", "$icontains: notary\n      note: why"),
    ("text: 'icontains: notary'", "$icontains: notary"),
]


@pytest.mark.parametrize(("item", "expected"), NEAR_NAMES)
def test_a_name_that_is_nearly_one_is_fixed_to_it(item: str, expected: str) -> None:
    text = in_block(item)
    [found] = errors_and_yaml(text)
    assert apply_edits(text, found.fixes[0].edits) == in_block(expected)


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "item", ["contains: the fee that the clerk asks for", "js: the language is named", "Contains: fees", "match: a b"]
)
def test_what_may_be_a_sentence_is_made_a_check_only_when_the_author_says_so(item: str) -> None:
    [found] = errors_of(in_block(item))
    assert [fix.safe for fix in found.fixes] == [False]


def test_a_sentence_behind_the_name_of_a_check_that_cannot_take_it_has_no_fix() -> None:
    [found] = errors_of(in_block("call: 999 is named"))
    assert found.fixes == ()


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
@pytest.mark.parametrize("place", ITEMS)
def test_a_reference_that_is_written_almost_as_one_is_fixed_to_it(item: str, place: str) -> None:
    text = DEFINED + ITEMS[place](item)
    [found] = [each for each in errors_of(text) if each.severity is Severity.ERROR]
    [after] = fixed(text, found)
    assert FunctionCall("js", "r.length > 100") in calls(after)
    assert made_texts(text) == []


@pytest.mark.parametrize("item", ["ref: Notaries Act 2016", "Ref: page 12", "'ref: fee'"])
def test_a_source_is_no_reference(item: str) -> None:
    assert errors_of(DEFINED + in_block(item)) == []


# Checks of the corpus, spoiled


SPOILED: dict[str, str] = {
    "no colon": r"\1\2\3 ",
    "full-width colon": r"\1\2\3：",
    "equals sign": r"\1\2\3 = ",
    "no dollar": r"\1\3: ",
}
CHECK_LINE = re.compile(r"^(\s*(?:- )+)(\$)(\w+): (?=[^\s|>])")


@cache
def parsed_file(path: Path) -> Parsed:
    return parse(path.read_text("utf-8"), path)


@cache
def messages_of(path: Path) -> frozenset[tuple[str, str]]:
    """What is reported of a file as it is: rule and message."""
    return frozenset((found.code, found.message) for found in USUAL.check(parsed_file(path)))


def spoiled(path: Path, writing: str) -> Iterator[tuple[Parsed, str]]:
    """A few checks of a file, each written wrongly by itself, with the file as it was."""
    before = parsed_file(path)
    lines = before.text.split("\n")
    places = [index for index, line in enumerate(lines) if CHECK_LINE.match(line)][:4]
    for index in places if before.tree.error is None else ():
        line = CHECK_LINE.sub(SPOILED[writing], lines[index])
        yield before, "\n".join([*lines[:index], line, *lines[index + 1 :]])


@needs_corpus
@pytest.mark.parametrize("writing", SPOILED)
@over("path", corpus_files(), ids=str)
def test_a_spoiled_check_of_the_corpus_is_an_error_and_put_right(path: Path, writing: str) -> None:
    for before, text in spoiled(path, writing):
        known = messages_of(path)
        found = [each for each in USUAL.check(parse(text, path)) if each.severity is Severity.ERROR]
        after = [made for each in found if (each.code, each.message) not in known for made in fixed(text, each, path)]
        assert calls(before) in [calls(made) for made in after]
        assert [each for made in after for each in texts(made) if each not in texts(before)] == []


# Patterns between slashes


SLASHED = [
    ("$matches: /notar(y|ies)/i", "$imatches: 'notar(y|ies)'", True),
    ("$matches: /notar(y|ies)/", "$matches: 'notar(y|ies)'", True),
    ("$imatches: /notary/gi", "$imatches: 'notary'", True),
    ("$not_matches: /notary/i", "$not_imatches: 'notary'", True),
    ("$matches: /notary/", "$matches: 'notary'", False),
    ("$contains: /notary/i", "$imatches: 'notary'", False),
    ("$matches_all_of: [/a/i, /b/i]", "$imatch_all_of: ['a', 'b']", True),
    ("$matches: /a\\/b/i", "$imatches: 'a/b'", True),
    ("$matches /notary/i", "$imatches: 'notary'", True),
    ("matches: /notary/i", "$imatches: 'notary'", True),
]


@pytest.mark.parametrize(("item", "expected", "safe"), SLASHED)
def test_a_pattern_between_slashes_is_an_error_fixed_to_the_function(item: str, expected: str, *, safe: bool) -> None:
    text = in_block(item)
    [found] = errors_and_yaml(text)
    assert [(apply_edits(text, fix.edits), fix.safe) for fix in found.fixes] == [(in_block(expected), safe)]


@pytest.mark.parametrize("item", ["$matches: /notary/s", "$matches: /notary/m", "$matches_all_of: [/a/i, b]"])
def test_a_flag_that_no_function_has_leaves_the_pattern_without_a_fix(item: str) -> None:
    [found] = errors_of(in_block(item))
    assert found.fixes == ()


@pytest.mark.parametrize("item", ["$contains: /etc/passwd", "$contains: /etc/", "$matches: a/b/i", "$js: /a/i.test(r)"])
def test_a_path_is_no_pattern_between_slashes(item: str) -> None:
    assert errors_of(in_block(item)) == []


# No character is lost


AUTHORED = st.text(st.sampled_from("ab \"'\\:#{}[],$/\u00e9\u4e2d\U0001f600\u00a01"), min_size=1, max_size=12).filter(
    lambda text: bool(text.strip())
)
TEXT_FUNCTIONS = ["icontains", "contains", "starts_with", "not_icontains", "tool_called"]


def without_outer_quotes(argument: str) -> str:
    """What an author means by a text that is one quotation of YAML, whole."""
    tree = load(f"[{argument.strip()}]")
    root = tree.documents[0].root if tree.error is None and len(tree.documents) == 1 else None
    node = root.items[0] if isinstance(root, SequenceNode) and len(root.items) == 1 else None
    is_quoted = isinstance(node, ScalarNode) and node.style in (Style.SINGLE, Style.DOUBLE)
    is_whole = is_quoted and node is not None and node.span == Span(1, len(tree.text) - 1)
    return node.text if isinstance(node, ScalarNode) and is_whole else argument


def is_unclear(argument: str) -> bool:
    """Whether the outer quotation marks may be YAML's, though YAML would not read them so."""
    return re.fullmatch(r'"(?:[^"\\]|\\.)*"', argument.strip()) is not None


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(argument=AUTHORED, name=st.sampled_from(TEXT_FUNCTIONS), place=st.sampled_from(["quoted", "path", "brackets"]))
@example(argument='"label": "yes"', name="icontains", place="quoted")
@example(argument="'label': 'yes'", name="icontains", place="brackets")
@example(argument="42", name="icontains", place="quoted")
@example(argument=" trailing ", name="icontains", place="quoted")
@example(argument='{"label": "yes", "n": [1]}', name="icontains", place="brackets")
@example(argument="# not a comment", name="icontains", place="path")
@example(argument="true", name="contains", place="quoted")
def test_the_argument_of_a_quoted_check_keeps_every_character(argument: str, name: str, place: str) -> None:
    assume(without_outer_quotes(argument))
    assume(not is_unclear(argument) and slashed_pattern(argument, name) is None)
    text = PLACES[place](f"${name}: {argument}")
    [found] = [each for each in errors_of(text) if each.slug == "quoted-function"]
    [after] = fixed(text, found)
    assert meant(name, without_outer_quotes(argument)) in map(written, calls(after))


@settings(max_examples=200, deadline=None)
@given(value=st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text("ab: ,'\"", max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", min_size=1), inner, max_size=3),
    max_leaves=5,
))  # fmt: skip
def test_a_text_of_json_is_looked_for_as_it_is_written(value: object) -> None:
    argument = json.dumps(value)
    assume(not argument.startswith('"'))
    text = quoted_in_block(f"$icontains: {argument}")
    [found] = errors_of(text)
    [after] = fixed(text, found)
    assert meant("icontains", argument) in map(written, calls(after))


LABELS = "generative-ai-for-hate-speech-detection-cross-dataset.yml"


@needs_corpus
def test_the_four_labels_of_the_corpus_keep_their_quotation_marks() -> None:
    [path] = [path for path in corpus_files() if path.name == LABELS]
    after = fix_text(path.read_text("utf-8"), path)
    labels = [call.args for call in calls(after.parsed) if call is not None and '"label"' in str(call.args)]
    hateful = '"label": "the semantics of the provided text is hateful"'
    other = '"label": "the semantics of the provided text is non-hateful"'
    assert labels == [hateful, other, other, hateful]


@needs_corpus
def test_every_quoted_check_of_the_corpus_becomes_a_sound_one_with_what_is_written_in_it() -> None:
    for path in corpus_files():
        parsed = parse(path.read_text("utf-8"), path)
        found = [finding.detail for finding in parsed.findings if finding.kind is Kind.QUOTED_FUNCTION]
        for detail in found:
            check = check_text(detail)
            assert check is not None
            assert check.check is not None
            letters = re.sub(r"[^\w]", "", str(check.check.argument))
            assert re.sub(r"[^\w]", "", detail).endswith(letters), detail


IN_MARKS = {
    "**$icontains: court fee**": "court fee",
    "__$icontains: court fee__": "court fee",
    "_$icontains: court fee_": "court fee",
    "**$icontains**: court fee": "court fee",
    "“$icontains: court fee”": "court fee",
    "‘$icontains: court fee’": "court fee",
    "“icontains: court fee”": "court fee",
    "“$icontains”: “court fee”": "“court fee”",
    "($icontains: court fee)": "court fee",
    "• $icontains: court fee": "court fee",
    "2. $icontains: court fee": "court fee",
    "$icontains\u200b: court fee": "court fee",
    "✅ $icontains: court fee": "court fee",
}
"""Checks with something around them, as they are copied from other texts, and what they look for."""


@pytest.mark.parametrize("item", IN_MARKS)
def test_what_stands_around_a_check_is_no_part_of_its_argument(item: str) -> None:
    assert calls(parse(fix_text(in_block(item), None).text))[:1] == [FunctionCall("icontains", IN_MARKS[item])]


@pytest.mark.parametrize("item", IN_MARKS)
def test_what_stands_around_a_quoted_check_is_no_part_of_its_argument(item: str) -> None:
    assert calls(parse(fix_text(quoted_in_block(item), None).text))[:1] == [FunctionCall("icontains", IN_MARKS[item])]


@pytest.mark.parametrize("item", IN_MARKS)
def test_no_fix_makes_a_text_of_a_check_with_something_around_it(item: str) -> None:
    assert made_texts(in_block(item)) == []


@pytest.mark.parametrize(
    "item", ['["matches", "^a$", 2]', "[contains, x, 0.5]", "[word_count_between, 5, 9]", "[Contains, x, 2]"]
)
def test_a_tuple_that_no_check_is_made_of_stays_an_error(item: str) -> None:
    text = in_block(item)
    assert {each.slug for each in errors_and_yaml(fix_text(text, None).text)} >= {"legacy-tuple"}


def test_a_tuple_whose_name_has_a_capital_is_fixed_to_the_check() -> None:
    after = parse(fix_text(in_block('["Contains", "court fee"]'), None).text)
    assert calls(after)[:1] == [FunctionCall("contains", "court fee")]


@pytest.mark.parametrize("item", ["Says: that the fee is due: now", "Note: the court: the one in town"])
def test_a_criterion_with_two_colons_is_quoted_whole(item: str) -> None:
    assert texts(parse(fix_text(in_block(item), None).text))[:1] == [item]


def test_a_box_before_a_check_is_no_part_of_it() -> None:
    after = parse(fix_text(in_block("[x] $icontains: court fee"), None).text)
    assert calls(after)[:1] == [FunctionCall("icontains", "court fee")]


def test_a_negation_before_a_check_is_no_text() -> None:
    assert calls(parse(fix_text(in_block("not $icontains: fee"), None).text))[:1] == [
        FunctionCall("not_icontains", "fee")
    ]


@pytest.mark.parametrize("item", ['"$!icontains: fee"', "$-icontains: fee"])
def test_no_fix_makes_a_text_of_a_check_behind_another_sign(item: str) -> None:
    assert made_texts(in_block(item)) == []


def test_a_sign_of_block_texts_is_no_argument_for_sure() -> None:
    text = in_block("$js |\n      r.length > 5")
    assert fix_text(text, None).text == text


@pytest.mark.parametrize("points", ["$icontains: fee\n    $matches: due", "text: Says it\n    $icontains: fee"])
def test_several_points_that_are_no_list_are_not_made_one_item(points: str) -> None:
    text = f"- id: a\n  prompt: Who?\n  should:\n    {points}\n"
    assert fix_text(text, None).text == text


def test_a_sign_of_block_texts_behind_a_colon_in_quotes_is_an_argument() -> None:
    after = parse(fix_text(quoted_in_block("$icontains: > 5 days"), None).text)
    assert calls(after)[:1] == [FunctionCall("icontains", "> 5 days")]


QUOTES_WITHIN_QUOTES = {
    "'$icontains: 'notary''": "$icontains: 'notary'",
    '"$icontains: "notary""': '$icontains: "notary"',
    '"$matches: "^a$""': "$matches: '^a$'",
    '"$matches: "\\d+""': "$matches: '\\d+'",
}


@pytest.mark.parametrize(("item", "expected"), QUOTES_WITHIN_QUOTES.items())
def test_a_check_in_quotes_that_its_argument_is_in_as_well_is_fixed_to_the_check(item: str, expected: str) -> None:
    assert (
        fix_text(f"- prompt: x\n  should:\n    - {item}\n", None).text == f"- prompt: x\n  should:\n    - {expected}\n"
    )


@pytest.mark.parametrize("behind", [" and more", ', "x"', " weight: 2", "'s"])
@pytest.mark.parametrize("check", ["\"$icontains: 'dignity'\"", "'$icontains: dignity'"])
def test_a_quoted_check_with_more_behind_it_is_left_as_an_error(check: str, behind: str) -> None:
    text = f"- prompt: x\n  should:\n    - {check}{behind}\n"
    mended = fix_text(text, None)
    assert (mended.text, {each.severity for each in mended.remaining} >= {Severity.ERROR}) == (text, True)
