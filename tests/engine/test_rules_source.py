"""Writing YAML into an author's file, finding places in it, and the spelling of names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.parsing import parse
from engine.rules.rule import nearest_names, one_letter_off
from engine.rules.source.regexes import patterns_of
from engine.yaml.layout import dash_before, quoted, source_offset
from engine.yaml.nodes import ScalarNode
from engine.yaml.tree_loader import load

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
PRINTABLE = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=20)


def scalar(source: str) -> ScalarNode:
    root = load(source).documents[0].root
    assert isinstance(root, ScalarNode)
    return root


@given(TEXTS)
def test_a_quoted_text_reads_as_exactly_this_text(text: str) -> None:
    assert scalar(quoted(text)).value == text


@given(PRINTABLE, st.data())
def test_a_character_in_single_quotes_is_found_in_the_source(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    source = "'" + text.replace("'", "''") + "'"
    place = source_offset(source, scalar(source), at)
    assert place is not None
    assert source[place] == text[at]


@pytest.mark.parametrize(
    ("source", "offset", "place"),
    [
        ('"a\\\\d(b"', 3, 5),
        ('"\\x41b"', 1, 5),
        ('"\\u00e9b"', 1, 7),
        ('"a"', 1, 2),
        ("plain", 2, 2),
        ("a plain\n  text", 2, None),
        ("|\n  block\n", 0, 4),
        ("|2\n    a\n\n  bc\n", 7, 12),
        (">\n  block\n", 0, None),
    ],
)
def test_a_character_is_found_behind_escapes(source: str, offset: int, place: int | None) -> None:
    assert source_offset(source, scalar(source), offset) == place


@pytest.mark.parametrize(
    ("text", "dash"),
    [
        ("- x", 0),
        ("  -   x", 2),
        ("- # why\n  x", 0),
        ("a:\n- - x", 5),
        ("--- x", None),
        ("-\tx", None),
        ("[x", None),
        ("key: a-b x", None),
    ],
)
def test_the_dash_of_a_list_item_is_told_from_other_dashes(text: str, dash: int | None) -> None:
    assert dash_before(text, text.index("x")) == dash


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("should", "shoud", True),
        ("should", "shuold", True),
        ("should", "shquld", True),
        ("should", "shoulds", True),
        ("should", "shall", False),
        ("", "a", True),
        ("ab", "ba", True),
        ("abc", "cba", False),
    ],
)
def test_one_letter_off(one: str, other: str, near: bool) -> None:
    assert one_letter_off(one, other) is near
    assert one_letter_off(other, one) is near


@given(st.text(max_size=8), st.text(max_size=8))
def test_being_one_letter_off_does_not_depend_on_the_order(one: str, other: str) -> None:
    assert one_letter_off(one, other) == one_letter_off(other, one)


@pytest.mark.parametrize(
    ("word", "names"),
    [("Contains", ("contains",)), ("contians", ("contains",)), ("frobnicate", ()), ("contains_", ("contains",))],
)
def test_the_one_name_that_can_be_meant_is_found(word: str, names: tuple[str, ...]) -> None:
    assert nearest_names(word, ["contains", "icontains", "ends_with"]) == names


@pytest.mark.parametrize(
    ("point", "patterns"),
    [
        ("$matches: a", [("a", "")]),
        ("$imatches: a", [("a", "i")]),
        ("$matches: (?i)a", [("a", "i")]),
        ("$not_imatches: a", [("a", "i")]),
        ("$matches_all_of: [a, b]", [("a", ""), ("b", "")]),
        ("$imatch_at_least_n_of: [1, [a, b]]", [("a", "i"), ("b", "i")]),
        ("$contains: a", []),
        ("$tool_args_match: {name: a, where: b}", []),
        ("$matches: 3", []),
    ],
)
def test_the_patterns_of_a_point_with_the_flags_they_run_with(point: str, patterns: list[tuple[str, str]]) -> None:
    [prompt] = parse(f"- id: p\n  prompt: q\n  should:\n    - {point}\n").blueprint.prompts
    assert [(found.bare, found.flags) for found in patterns_of(prompt.points()[0])] == patterns
