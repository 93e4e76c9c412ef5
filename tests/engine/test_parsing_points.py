"""Reading of points: their forms, alternative paths, and `$ref`."""

from __future__ import annotations

import pytest

from engine.blueprint import FunctionCall
from engine.blueprint import Path as AlternativePath
from engine.parsing import parse
from engine.parsing.demands import Kind
from tests.engine.parsing_cases import THREE_LEVELS, one, prompt, rubric, should, underlined

# Points

ANYTHING = [
    ("Names it", "Names it", None),
    ("text: Names it", "Names it", None),
    ("point: Names it", "Names it", None),
    ("'Names it': the source", "Names it", None),
    ("$contains: x", None, FunctionCall("contains", "x")),
    ("$is_json", None, FunctionCall("is_json")),
    ("{fn: contains, arg: x}", None, FunctionCall("contains", "x")),
    ("{fn: contains, fnArgs: [x, 1]}", None, FunctionCall("contains", ["x", 1])),
    ("$contain: x", None, FunctionCall("contains", "x")),
    ("{fn: match, arg: x}", None, FunctionCall("matches", "x")),
    ("$is_json:", None, FunctionCall("is_json", None)),
]


@pytest.mark.parametrize(("item", "text", "function"), ANYTHING)
def test_a_point_is_read_in_every_form_of_the_documents(
    item: str, text: str | None, function: FunctionCall | None
) -> None:
    [point] = rubric(item).points()
    assert (point.text, point.function) == (text, function)


def test_a_key_of_several_lines_is_a_point_with_its_citation() -> None:
    text = "- id: p1\n  prompt: hi\n  should:\n    - ? |\n        One.\n        Two.\n      : SEC Rule\n"
    [point] = parse(text).blueprint.prompts[0].points()
    assert (point.text, point.citation) == ("One.\nTwo.\n", "SEC Rule")


@pytest.mark.parametrize("key", ["weight", "multiplier"])
def test_weight_and_citation_stand_beside_any_form(key: str) -> None:
    [point] = rubric(f"{{$contains: x, {key}: 2.5, citation: c}}").points()
    assert (point.multiplier, point.citation) == (2.5, "c")


@pytest.mark.parametrize(
    ("item", "underlined_part"),
    [("Names it", "Names it"), ("{$contains: x, weight: 2}", "$contains"), ("{fn: contains, arg: x}", "contains")],
)
def test_a_point_points_at_its_text_or_its_function(item: str, underlined_part: str) -> None:
    text = should(item)
    [point] = parse(text).blueprint.prompts[0].points()
    assert point.subject_span.of(text) == underlined_part


@pytest.mark.parametrize("name", ["should", "points", "expect", "expects", "expectations"])
def test_every_name_of_the_should_block_is_read(name: str) -> None:
    assert [point.text for point in prompt(f"{name}: [a, b]").points()] == ["a", "b"]


@pytest.mark.parametrize(
    ("item", "kind"),
    [
        ("\"$icontains: '(A)'\"", Kind.QUOTED_FUNCTION),
        ("$contains foo", Kind.DOLLAR_TEXT),
        ('"$100 is named"', Kind.DOLLAR_TEXT),
        ("42", Kind.NON_STRING_SCALAR),
        ("2024-01-01", Kind.NON_STRING_SCALAR),
        ("Mentions: something", Kind.COLON_CITATION),
        ("{}", Kind.BAD_POINT),
        ("Names it:", Kind.BAD_POINT),
        ('""', Kind.NOT_WRITTEN),
        ("", Kind.NOT_WRITTEN),
        ("point:", Kind.NOT_WRITTEN),
        ("{point: , weight: 2}", Kind.NOT_WRITTEN),
        ("[contains, kw]", Kind.LEGACY_TUPLE),
        ("[contains_any_of, [a, b]]", Kind.LEGACY_TUPLE),
        ("- $is_json\n    - b", Kind.TEXT_IN_PATH_FUNCTION),
        ("{fn: $contains, arg: x}", Kind.DOLLAR_IN_FN),
        ("{fn: contains, fnArgs: 0}", Kind.FALSY_ARGUMENT_LOST),
        ("{$contains: x, weight: 11}", Kind.BAD_WEIGHT),
        ('weight: "2"', Kind.WEIGHT_AS_POINT),
        ("{text: a, note: n}", Kind.UNKNOWN_KEY),
        ("{$contains: x, $matches: y}", Kind.UNKNOWN_KEY),
        ("$ref: nowhere", Kind.UNDEFINED_REF),
    ],
)
def test_a_point_that_is_not_read_as_it_looks_is_told_once(item: str, kind: Kind) -> None:
    assert [finding.kind for finding in parse(should(item)).findings] == [kind]


@pytest.mark.parametrize(
    ("item", "kind", "part"),
    [
        ('"$100 is named"', Kind.DOLLAR_TEXT, '"$100 is named"'),
        ("{$contains: x, weight: 11}", Kind.BAD_WEIGHT, "11"),
        ("{text: a, note: n}", Kind.UNKNOWN_KEY, "note"),
        ("{fn: $contains, arg: x}", Kind.DOLLAR_IN_FN, "$contains"),
        ("$ref: nowhere", Kind.UNDEFINED_REF, "nowhere"),
        ("Mentions: something", Kind.COLON_CITATION, "Mentions: something"),
    ],
)
def test_what_is_underlined_is_the_cause(item: str, kind: Kind, part: str) -> None:
    assert underlined(should(item), kind) == [part]


def test_a_weight_out_of_range_is_brought_within() -> None:
    assert [point.multiplier for point in rubric("{text: a, weight: 11}", "{text: a, weight: 0}").points()] == [10, 0.1]


def test_a_falsy_argument_is_honoured() -> None:
    [point] = rubric('{fn: contains, fnArgs: "", arg: x}').points()
    assert point.function == FunctionCall("contains", "")


def test_a_block_that_is_no_list_has_no_points() -> None:
    assert underlined(one("should: just text"), Kind.RUBRIC_NOT_A_LIST) == ["just text"]


# Alternative paths


def test_paths_are_numbered_among_all_entries_of_their_block() -> None:
    assert [path.index for path in rubric("req", "[a, b]", "$is_json", "[]", "[c]").paths] == [1, 3]


def test_three_levels_are_one_block_of_alternatives() -> None:
    paths = rubric("req", THREE_LEVELS, "last").paths
    assert [[point.text for point in path.points] for path in paths] == [["a", "b"], ["c"]]


def test_three_levels_work_here_and_are_flagged() -> None:
    [finding] = parse(should(THREE_LEVELS)).findings
    assert (finding.kind, finding.flagged, finding.refused) == (Kind.DEEP_NESTING, True, True)


@pytest.mark.parametrize("item", ["[[[a]]]", "[a, [b]]"])
def test_nesting_that_no_document_shows_is_an_error(item: str) -> None:
    [finding] = parse(should(item)).findings
    assert (finding.kind, finding.flagged) == (Kind.DEEP_NESTING, False)


def test_a_path_ignores_empty_items() -> None:
    [path] = rubric("[a, null, [], b]").paths
    assert [point.text for point in path.points] == ["a", "b"]


def test_a_dollar_text_in_a_path_stays_a_text() -> None:
    [path] = rubric("[$is_json, b]").entries
    assert isinstance(path, AlternativePath)
    assert path.points[0].text == "$is_json"


# $ref

DEFINITIONS = """point_defs:
  script: "r.length > 5"
  full: {point: Is polite, weight: 3, citation: manners}
  call: {$contain: x}
  again: {$ref: full}
  whole: {text: Is polite, multiplier: 3}
  twice: {$ref: whole}
  loop: {$ref: loop}
  list: [a]
---
"""


@pytest.mark.parametrize(
    ("item", "text", "function", "multiplier", "citation"),
    [
        ("$ref: script", None, FunctionCall("js", "r.length > 5"), 1, None),
        ("{$ref: script, weight: 2, citation: c}", None, FunctionCall("js", "r.length > 5"), 2, "c"),
        ("$ref: full", "Is polite", None, 3, "manners"),
        ("{$ref: full, weight: 2, citation: c}", "Is polite", None, 2, "c"),
        ("$ref: call", None, FunctionCall("contains", "x"), 1, None),
        ("$ref: again", "Is polite", None, 3, "manners"),
    ],
)
def test_a_reference_is_the_point_that_it_names_with_its_own_weight_and_citation(
    item: str, text: str | None, function: FunctionCall | None, multiplier: float, citation: str | None
) -> None:
    [point] = rubric(item, header=DEFINITIONS).points()
    assert (point.text, point.function, point.multiplier, point.citation) == (text, function, multiplier, citation)


@pytest.mark.parametrize(
    ("item", "kinds"),
    [
        ("{$ref: whole, weight: 2}", [Kind.REF_ATTRIBUTES_IGNORED]),
        ("{$ref: script, weight: 2}", []),
        ("$ref: call", []),
        ("$ref: full", [Kind.DEFINITION_COPIED, Kind.DEFINITION_COPIED]),
        ("$ref: twice", [Kind.DEFINITION_COPIED]),
        ("$ref: loop", [Kind.CIRCULAR_REF]),
        ("$ref: list", [Kind.BAD_POINT]),
        ("$ref: nowhere", [Kind.UNDEFINED_REF]),
    ],
)
def test_a_reference_that_weval_reads_otherwise_is_told(item: str, kinds: list[Kind]) -> None:
    assert [finding.kind for finding in parse(DEFINITIONS + should(item)).findings] == kinds


def test_a_reference_that_leads_nowhere_stays_a_point_that_cannot_be_checked() -> None:
    [point] = rubric("$ref: nowhere").points()
    assert point.function == FunctionCall("ref", "nowhere")


def test_defs_is_another_name_of_point_defs() -> None:
    [point] = rubric("$ref: a", header='defs: {a: "1"}\n---\n').points()
    assert point.function == FunctionCall("js", "1")
