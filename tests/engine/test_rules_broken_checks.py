"""A check that is written almost as one is an error, and every fix of it makes the check, with every character of it,
and never a text."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from engine import functions
from engine.blueprint import FunctionCall, normal_function_name
from engine.functions import PointFunction
from engine.parsing import Parsed, parse
from engine.parsing.demands import Kind
from engine.rules import ALL, Checker
from engine.rules.source.check_names import slashed_pattern
from engine.rules.source.misspelt_checks import read_check
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import Span, apply_edits
from engine.yaml.nodes import ScalarNode, SequenceNode, Style, to_data
from engine.yaml.tree_loader import load
from tests.checked_corpus import checked, read
from tests.many_cases import every
from tests.pieces import pieces
from tests.thoroughness import THOROUGH, one_in, tried
from tests.world import corpus_files, needs_corpus

EVERY = Checker(ALL)
SLUGS = ("quoted-function", "unknown-function")
NAMED = Checker(rule for rule in ALL if rule.slug in SLUGS)
USUAL = Checker()
ORDINARY = {"call", "match", "contain", "external"}
"""The names that are also ordinary words, so that no fix of them is safe without a check's own sign."""
BESIDE = {"Says why", "Says that it is not known", "Asks where"}
JSON_FILE = Path("a.json")

ARGUMENTS = {
    "text": "notary",
    "word": "notary",
    "pattern": "notar(y|ies)",
    "[text, …]": "[notary, clerk]",
    "[pattern, …]": "[notary, clerk]",
    "[n, [text, …]]": "[1, [notary, clerk]]",
    "[n, [pattern, …]]": "[1, [notary, clerk]]",
    "[low, high]": "[50, 100]",
    "true": "true",
    "JavaScript": "r.length",
    "tool name": "search",
    "{name, where}": "{name: search, where: {q: x}}",
    "[low, high, name]": "[1, 2, search]",
    "[tool name, …]": "[search, fetch]",
    "{service: name, …} or {url: address, …}": "{url: 'https://a.org/b'}",
}
"""For each shape of an argument one that is sound."""

NAMES = [(name, ARGUMENTS[function.argument]) for function in functions.ALL for name in function.names]
"""Every name of a check with a sound argument."""
WITH_SIGN, WITHOUT_SIGN = pieces("texts that begin with a check"), pieces("texts that begin with the name of a check")
MAPPINGS = pieces("items that are no mapping with a check's name")
TEXT_PLACES, ITEM_PLACES = pieces("places of a text"), pieces("places of an item")
QUOTED, IN_BLOCK = TEXT_PLACES[0], ITEM_PLACES[0]

Meant = tuple[PointFunction | None, object]


def item(writing: str, name: str, argument: str) -> str:
    return writing.format(
        name=name,
        argument=argument,
        capitalised=name.capitalize(),
        capitals=name.upper(),
        hyphened=name.replace("_", "-"),
    )


def placed(place: str, item: str) -> str:
    single = "'" + item.replace("'", "''") + "'"
    return place.format(plain=item, double=json.dumps(item, ensure_ascii=False), single=single)


def meant(name: str, argument: str) -> Meant:
    """The check that is meant by a name and what YAML reads of its argument."""
    [document] = load(argument).documents
    assert document.root is not None
    return functions.find(normal_function_name(name)), to_data(document.root)


def names_at(place: str, places: Collection[str]) -> Sequence[tuple[str, str]]:
    """The names that are tried at one of `places`: other ones at each."""
    return NAMES if THOROUGH else NAMES[list(places).index(place) :: 4 * len(places)]


def errors_of(text: str, path: Path | None = None) -> list[Diagnostic]:
    return [each for each in NAMED.check(parse(text, path)) if each.severity is Severity.ERROR and each.slug in SLUGS]


def errors_and_yaml(text: str) -> list[Diagnostic]:
    return [each for each in USUAL.check(parse(text)) if each.severity is Severity.ERROR]


def calls(parsed: Parsed) -> list[FunctionCall | None]:
    return [point.function for prompt in parsed.blueprint.prompts for point in prompt.points()]


def checks(parsed: Parsed) -> list[Meant]:
    return [(functions.find(call.name), call.args) for call in calls(parsed) if call is not None]


def texts(parsed: Parsed) -> list[str | None]:
    return [point.text for prompt in parsed.blueprint.prompts for point in prompt.points()]


def fixed(text: str, found: Diagnostic, path: Path | None = None) -> list[Parsed]:
    return [parse(apply_edits(text, fix.edits), path) for fix in found.fixes]


def by_fixes(text: str, found: list[Diagnostic], path: Path | None = None) -> Parsed:
    """`text` with the only fix of each of `found` applied."""
    fixes = [fix for each in found for fix in each.fixes]
    assert len(fixes) == len(found)
    return parse(apply_edits(text, [edit for fix in fixes for edit in fix.edits]), path)


def made_texts(text: str) -> list[str]:
    """The points in words that any fix of any rule makes of something else, but for those that stand beside it."""
    before = parse(text)
    known = {*texts(before), *BESIDE}
    fixes = [fix for found in EVERY.check(before) for fix in found.fixes]
    after = [texts(parse(apply_edits(text, fix.edits))) for fix in fixes]
    return [each for made in after for each in made if each is not None and each not in known]


def assert_fixed_to_the_checks(place: str, writing: str) -> None:
    """One file with a prompt for each name: an error each, and by their fixes the checks."""
    names = names_at(place, TEXT_PLACES)
    written = [placed(place, item(writing, *each)) for each in names]
    text = "".join(each.replace("id: a", f"id: a{index}", 1) for index, each in enumerate(written))
    found = errors_of(text)
    after = by_fixes(text, found)
    assert (len(found), checks(after), errors_of(after.text)) == (len(names), [meant(*each) for each in names], [])


@every(("place", "writing"), [*product(TEXT_PLACES, WITH_SIGN)])
def test_a_text_that_begins_with_a_check_is_an_error_fixed_to_the_check(place: str, writing: str) -> None:
    assert_fixed_to_the_checks(place, writing)


@every(("place", "writing"), [*product(TEXT_PLACES[:6], WITHOUT_SIGN)])
def test_a_quoted_text_that_begins_with_a_name_is_an_error_fixed_to_the_check(place: str, writing: str) -> None:
    assert_fixed_to_the_checks(place, writing)


@every(("place", "writing"), [*product(ITEM_PLACES, MAPPINGS)])
def test_a_check_that_is_no_mapping_with_its_name_is_an_error_fixed_to_the_check(place: str, writing: str) -> None:
    for name, argument in names_at(place, ITEM_PLACES):
        text = placed(place, item(writing, name, argument))
        after = by_fixes(text, errors_and_yaml(text))
        assert (checks(after), errors_and_yaml(after.text)) == ([meant(name, argument)], []), text


@every(("place", "writing"), [*product(TEXT_PLACES, WITH_SIGN), *product(ITEM_PLACES, MAPPINGS)])
def test_no_fix_makes_a_text_of_a_check(place: str, writing: str) -> None:
    for name, argument in one_in(8, NAMES)[::8]:
        assert made_texts(placed(place, item(writing, name, argument))) == [], name


@every("item", pieces("checks with something around them"))
def test_no_fix_makes_a_text_of_a_check_with_something_around_it(item: str) -> None:
    assert made_texts(placed(IN_BLOCK, item)) == []


def in_json(points: Sequence[object]) -> str:
    prompts = [{"id": str(index), "prompt": "Who?", "should": [each, "Says why"]} for index, each in enumerate(points)]
    return json.dumps({"prompts": prompts}, ensure_ascii=False)


@every("writing", [*WITH_SIGN, *WITHOUT_SIGN])
def test_a_text_that_begins_with_a_check_is_fixed_in_json(writing: str) -> None:
    names = one_in(8, NAMES)
    text = in_json([item(writing, *each) for each in names])
    assert checks(by_fixes(text, errors_of(text, JSON_FILE), JSON_FILE)) == [meant(*each) for each in names]


def test_a_key_that_is_a_name_is_fixed_in_json() -> None:
    text = in_json([{name: meant(name, argument)[1]} for name, argument in NAMES])
    assert checks(by_fixes(text, errors_of(text, JSON_FILE), JSON_FILE)) == [meant(*each) for each in NAMES]


@every(("name", "argument"), NAMES)
def test_the_fix_is_safe_unless_the_name_is_also_an_ordinary_word(name: str, argument: str) -> None:
    quoted = [placed(QUOTED, item(writing, name, argument)) for writing in (*WITH_SIGN[:2], WITH_SIGN[4])]
    found = errors_of("".join([*quoted, placed(IN_BLOCK, f"{name}: {argument}")]))
    assert [[fix.safe for fix in each.fixes] for each in found] == [[name not in ORDINARY]] * 4


@every(("place", "item"), [*product(ITEM_PLACES, pieces("references written almost as such"))])
def test_a_reference_that_is_written_almost_as_one_is_fixed_to_it(place: str, item: str) -> None:
    text = f"point_defs:\n  fee: r.length > 100\n---\n{placed(place, item)}"
    [found] = [each for each in errors_of(text) if each.severity is Severity.ERROR]
    [after] = fixed(text, found)
    assert FunctionCall("js", "r.length > 100") in calls(after)
    assert made_texts(text) == []


# Checks of the corpus, spoiled


SPOILED = (r"\1\2\3 ", r"\1\2\3：", r"\1\2\3 = ", r"\1\3: ")
CHECK_LINE = re.compile(r"^(\s*(?:- )+)(\$)(\w+): (?=[^\s|>])")


def spoiled(before: Parsed, writing: str) -> Iterator[str]:
    """Two checks of a file, each written wrongly by itself."""
    lines = before.text.split("\n")
    places = [index for index, line in enumerate(lines) if CHECK_LINE.match(line)][:2]
    for index in places if before.tree.error is None else ():
        yield "\n".join([*lines[:index], CHECK_LINE.sub(writing, lines[index]), *lines[index + 1 :]])


@needs_corpus
@pytest.mark.parametrize("writing", SPOILED)
@every("path", one_in(12, corpus_files()), ids=str)
def test_a_spoiled_check_of_the_corpus_is_an_error_and_put_right(path: Path, writing: str) -> None:
    before = read(path)
    known = {(found.code, found.message) for found in checked(path)}
    for text in spoiled(before, writing):
        found = [each for each in USUAL.check(parse(text, path)) if each.severity is Severity.ERROR]
        after = [made for each in found if (each.code, each.message) not in known for made in fixed(text, each, path)]
        assert calls(before) in [calls(made) for made in after]
        assert [each for made in after for each in texts(made) if each not in texts(before)] == []


@needs_corpus
def test_every_quoted_check_of_the_corpus_becomes_a_sound_one_with_what_is_written_in_it() -> None:
    for path in corpus_files():
        for detail in [each.detail for each in read(path).findings if each.kind is Kind.QUOTED_FUNCTION]:
            check = read_check(detail)
            assert check is not None
            assert check.check is not None
            letters = re.sub(r"[^\w]", "", str(check.check.argument))
            assert re.sub(r"[^\w]", "", detail).endswith(letters), detail


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


@settings(
    max_examples=tried(60, 400),
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(
    argument=AUTHORED,
    name=st.sampled_from(TEXT_FUNCTIONS),
    place=st.sampled_from([QUOTED, TEXT_PLACES[4], TEXT_PLACES[5]]),
)
@example(argument='"label": "yes"', name="icontains", place=QUOTED)
@example(argument="'label': 'yes'", name="icontains", place=TEXT_PLACES[5])
@example(argument="42", name="icontains", place=QUOTED)
@example(argument=" trailing ", name="icontains", place=QUOTED)
@example(argument='{"label": "yes", "n": [1]}', name="icontains", place=TEXT_PLACES[5])
@example(argument='[["a", null], {"b": true}]', name="icontains", place=QUOTED)
@example(argument="# not a comment", name="icontains", place=TEXT_PLACES[4])
@example(argument="true", name="contains", place=QUOTED)
def test_the_argument_of_a_quoted_check_keeps_every_character(argument: str, name: str, place: str) -> None:
    assume(without_outer_quotes(argument))
    assume(not is_unclear(argument) and slashed_pattern(argument, name) is None)
    text = placed(place, f"${name}: {argument}")
    [found] = [each for each in errors_of(text) if each.slug == "quoted-function"]
    [after] = fixed(text, found)
    assert (functions.find(name), without_outer_quotes(argument)) in checks(after)
