"""Scalars as js-yaml 4.1.0 resolves them, and nodes as the values that JavaScript would hold."""

from __future__ import annotations

import json
import math
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.record import DEEPEST, TooDeep, is_deeper, read_json
from engine.yaml.nodes import Bytes, Data, MappingNode, Node, canonical_json, iso_date, to_data
from engine.yaml.tree_loader import TooLarge, check_size, load
from tests.js_yaml import without_recovery
from tests.many_cases import every
from tests.stand_ins import canonical_with_stand_ins
from tests.world import golden, needs_shared

# Scalars as js-yaml 4.1.0 resolves them, and nodes as the values that JavaScript would hold


def root(text: str) -> Node:
    tree = load(text)
    assert tree.error is None
    found = tree.documents[0].root
    assert found is not None
    return found


def data(text: str) -> Data:
    return to_data(root(text))


def test_nan_is_a_number() -> None:
    assert canonical_with_stand_ins(data("x: .nan")) == '{"x":{"nan":true}}'


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@every("text", ["&a [*a]\n", "x: &a\n  y: *a\n", BOMB])
def test_aliases_that_unfold_without_end_are_refused(text: str) -> None:
    tree = load(text)
    with pytest.raises(TooLarge):
        check_size(tree)


@every("text", ["[" * 5000, "- " * 5000, "{a: " * 5000, "? " * 5000])
def test_deep_nesting_is_an_error_and_no_crash(text: str) -> None:
    assert load(text).error is not None


def test_canonical_json_sorts_keys_by_utf16_units() -> None:
    assert canonical_json({"\uffee": 1, "😀": 2, "a": 3}) == '{"a":3,"😀":2,"\uffee":1}'


def test_canonical_json_has_null_for_what_json_lacks() -> None:
    assert canonical_json([math.nan, math.inf, "\ud83d"]) == '[null,null,"\\ud83d"]'


# What hardly anybody writes, read as js-yaml 4.1.0 reads it all the same


def test_merges_of_merges_are_each_read_once() -> None:
    lines = ["a0: &a0 {x: 1}", *(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 60))]
    tree = load("\n".join(lines))
    assert tree.error is None


# Reading YAML and JSON, held against the platform's own answers


ROWS = golden("parse_cases")


def name_of(row: dict[str, Any]) -> str:
    return str(row.get("name") or row.get("file") or row.get("index")).encode("unicode_escape").decode()


def is_syntax_error(row: dict[str, Any]) -> bool:
    return "yaml_reason" in row or str(row["error"]).startswith("Failed to parse JSON")


@every("row", ROWS, ids=name_of)
def test_what_the_platform_cannot_read_is_an_error_and_nothing_else_is(row: dict[str, Any]) -> None:
    tree = load(row["content"], is_json=row["file_type"] == "json")
    assert (tree.error is not None) is is_syntax_error(row)


# JSON as `JSON.parse` reads it


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def json_data(text: str) -> Data:
    tree = load(text, is_json=True)
    assert tree.error is None
    root = tree.documents[0].root
    assert root is not None
    return to_data(root)


@given(VALUES, st.booleans(), st.sampled_from([None, 2]))
def test_what_was_written_is_read(value: Data, ascii_only: bool, indent: int | None) -> None:
    assert json_data(json.dumps(value, ensure_ascii=ascii_only, indent=indent)) == value


def test_the_last_of_two_equal_keys_wins() -> None:
    assert json_data('{"a": 1, "a": 2}') == {"a": 2}


def test_a_merge_key_is_a_key_like_any_other() -> None:
    assert json_data('{"<<": {"a": 1}}') == {"<<": {"a": 1}}


def test_a_value_has_its_exact_span() -> None:
    text = '{"é": [1, "😀", {"b": null}]}'
    root = load(text, is_json=True).documents[0].root
    assert isinstance(root, MappingNode)
    assert root.pairs[0].value.span.of(text) == '[1, "😀", {"b": null}]'


def test_what_stands_before_an_error_is_kept() -> None:
    root = load('{"a": 1, "b": [2, x]}', is_json=True).documents[0].root
    assert root is not None
    assert to_data(root) == {"a": 1, "b": [2]}


# The official test suite of YAML, and mutations of its texts, read as js-yaml 4.1.0 reads them


def in_javascript(data: Data) -> Any:
    """A value in the form of the golden rows, which keeps the order of keys."""
    match data:
        case Bytes():
            return {"b": "".join(f"{byte:02x}" for byte in data.values())}
        case dict():
            return {"o": [[name, in_javascript(value)] for name, value in data.items()]}
        case list():
            return [in_javascript(item) for item in data]
        case datetime():
            return {"d": iso_date(data)}
        case bool() | str() | None:
            return data
        case _:
            return {"n": canonical_json(data)}


@needs_shared
@every("row", golden("yaml_suite"), ids=lambda row: row["name"])
def test_a_text_has_the_values_that_js_yaml_reads_or_is_refused(row: dict[str, Any]) -> None:
    tree = without_recovery(row["text"])
    if "err" in row:
        assert tree.error is not None
    else:
        documents = [None if each.root is None else in_javascript(to_data(each.root)) for each in tree.documents]
        assert (tree.error, documents) == (None, row["ok"])


# JSON of others: its depth and its numbers have bounds, and within them it is read as it stands


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_what_is_written_is_read(data: Any) -> None:
    assert read_json(json.dumps(data)) == data


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_levels_are_counted(opening: str) -> None:
    closing = "]" if opening == "[" else "}"
    assert read_json(opening * DEEPEST + "1" + closing * DEEPEST) is not None
    with pytest.raises(TooDeep):
        read_json(opening * (DEEPEST + 1) + "1" + closing * (DEEPEST + 1))


@every("depth", [990, 5_000, 500_000])
def test_a_depth_that_the_reader_gives_up_on_is_too_deep(depth: int) -> None:
    with pytest.raises(TooDeep):
        read_json("[" * depth + "]" * depth)


def test_a_long_list_is_not_deep() -> None:
    assert not is_deeper([[]] * 100_000, 2)


@every(("digits", "sign"), [(309, ""), (309, "-"), (5_000, ""), (400_000, "-")])
def test_an_integer_that_is_no_double_is_infinite(digits: int, sign: str) -> None:
    assert read_json(sign + "9" * digits) == float(f"{sign}inf")


def test_the_longest_integer_is_a_double() -> None:
    assert math.isfinite(float(read_json("9" * 308)))
