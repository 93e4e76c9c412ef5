"""Scalars as js-yaml 4.1.0 resolves them, and nodes as the values that JavaScript would hold."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest

from engine.yaml.nodes import Data, Node, canonical_json, javascript_number, to_data
from engine.yaml.tree_loader import TooLarge, check_size, load
from tests.stand_ins import canonical_with_stand_ins


def root(text: str) -> Node:
    tree = load(text)
    assert tree.error is None
    found = tree.documents[0].root
    assert found is not None
    return found


def data(text: str) -> Data:
    return to_data(root(text))


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("true", True),
        ("TRUE", True),
        ("tRUE", "tRUE"),
        ("false", False),
        ("False", False),
        ("FALSE", False),
        ("fALSE", "fALSE"),
        ("True", True),
        ("null", None),
        ("Null", None),
        ("~", None),
        ("NULL", None),
        ("nULL", "nULL"),
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("0b101", 5),
        ("-0b1", -1),
        ("0o8", "0o8"),
        ("1_000", 1000),
        ("1_", "1_"),
        ("_1", "_1"),
        ("+1", 1),
        ("1e3", 1000.0),
        ("1.e3", 1000.0),
        (".5", 0.5),
        (".", "."),
        ("1e", "1e"),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("12:30", "12:30"),
        ("9007199254740993", 9007199254740992),
        ("12345678901234567890", 12345678901234567000.0),
        ("1e400", math.inf),
        ("20240131", 20240131),
        ("2024-01-31", datetime(2024, 1, 31, tzinfo=UTC)),
        ("2024-1-3", "2024-1-3"),
        ("2024-02-30", datetime(2024, 3, 1, tzinfo=UTC)),
        ("2024-13-45", datetime(2025, 2, 14, tzinfo=UTC)),
        ("2024-1-3 10:20:30.1239 +05:30", datetime(2024, 1, 3, 4, 50, 30, 123000, tzinfo=UTC)),
        ("0001-01-01", datetime(1901, 1, 1, tzinfo=UTC)),
        ("!!str 42", "42"),
        ('!!int "5"', 5),
        ("!!float 5", 5),
        ("! 12", "12"),
        ("!!set {a, b}", {"a": None, "b": None}),
        ("!!pairs [a: 1, a: 2]", [["a", 1], ["a", 2]]),
        ("!!binary aGVsbG8=", {"0": 104, "1": 101, "2": 108, "3": 108, "4": 111}),
    ],
)
def test_a_plain_scalar_means_what_js_yaml_makes_of_it(written: str, value: Data) -> None:
    assert data(f"x: {written}") == {"x": value}


def test_nan_is_a_number() -> None:
    assert canonical_with_stand_ins(data("x: .nan")) == '{"x":{"nan":true}}'


@pytest.mark.parametrize("written", ['!!bool "yes"', "!!null x", "!foo bar", "!!js/undefined ''", "!!int x", "!!seq x"])
def test_a_tag_that_cannot_be_honoured_is_an_error(written: str) -> None:
    assert load(f"x: {written}").error is not None


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("b: 1\na: 2\n", ["b", "a"]),
        ("b: 1\n10: x\n9: y\n", ["9", "10", "b"]),
        ("1.0: x\n", ["1"]),
        ("? [a, b]\n: x\n", ["a,b"]),
        ("{{ x }}: y\n", ["[object Object]"]),
        ("null: x\n", ["null"]),
        ("2024-01-31: x\n", ["Wed Jan 31 2024 00:00:00 GMT+0000 (Coordinated Universal Time)"]),
    ],
)
def test_keys_are_named_and_ordered_as_in_javascript(text: str, keys: list[str]) -> None:
    found = data(text)
    assert isinstance(found, dict)
    assert list(found) == keys


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("base: &b {x: 1, y: 2}\nc:\n  <<: *b\n  y: 3\n", {"x": 1, "y": 3}),
        ("c:\n  y: 3\n  <<: {x: 1, y: 2}\n", {"y": 3, "x": 1}),
        ("c:\n  <<: [{x: 1}, {x: 2, z: 3}]\n", {"x": 1, "z": 3}),
        ("c:\n  '<<': 5\n", {"<<": 5}),
    ],
)
def test_merges_bring_in_what_is_not_there(text: str, value: Data) -> None:
    found = data(text)
    assert isinstance(found, dict)
    assert found["c"] == value


def test_an_anchor_may_be_given_again() -> None:
    assert data("- &a 1\n- *a\n- &a 2\n- *a\n") == [1, 1, 2, 2]


@pytest.mark.parametrize("text", ["a: 1\na: 2\n", '1: x\n"1": y\n', "{a: 1, a: 2}\n", "- x: 1\n  x: 2\n"])
def test_a_key_told_twice_is_an_error_that_names_both_places(text: str) -> None:
    tree = load(text)
    assert tree.error is not None
    assert tree.error.reason == "duplicated mapping key"
    assert [(found.slug, len(found.related)) for found in tree.diagnostics] == [("duplicate-key", 1)]


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize("text", ["&a [*a]\n", "x: &a\n  y: *a\n", BOMB])
def test_aliases_that_unfold_without_end_are_refused(text: str) -> None:
    tree = load(text)
    with pytest.raises(TooLarge):
        check_size(tree)


@pytest.mark.parametrize("text", ["[" * 5000, "- " * 5000, "{a: " * 5000, "? " * 5000], ids=["[", "-", "{", "?"])
def test_deep_nesting_is_an_error_and_no_crash(text: str) -> None:
    assert load(text).error is not None


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e-7, "1e-7"),
        (1.5e-10, "1.5e-10"),
        (0.000001, "0.000001"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (123456789012345678, "123456789012345680"),
        (-2.5, "-2.5"),
        (5e-324, "5e-324"),
        (10**400, "Infinity"),
        (math.nan, "NaN"),
    ],
)
def test_numbers_are_printed_as_javascript_prints_them(number: float, printed: str) -> None:
    assert javascript_number(number) == printed


def test_canonical_json_sorts_keys_by_utf16_units() -> None:
    assert canonical_json({"\uffee": 1, "😀": 2, "a": 3}) == '{"a":3,"😀":2,"\uffee":1}'


def test_canonical_json_has_null_for_what_json_lacks() -> None:
    assert canonical_json([math.nan, math.inf, "\ud83d"]) == '[null,null,"\\ud83d"]'
