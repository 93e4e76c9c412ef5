"""Scalars as js-yaml 4.1.0 resolves them, and nodes as the values that JavaScript would hold."""

from __future__ import annotations

import math
from typing import Any

import pytest

from engine.yaml.nodes import Data, Node, canonical_json, to_data
from engine.yaml.tree_loader import TooLarge, check_size, load
from tests.many_cases import every
from tests.stand_ins import canonical_with_stand_ins
from tests.world import golden

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
