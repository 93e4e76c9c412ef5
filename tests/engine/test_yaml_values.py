"""Scalars as js-yaml 4.1.0 resolves them, and nodes as the values that JavaScript would hold."""

from __future__ import annotations

import hashlib
import math
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.text.spans import LineIndex
from engine.yaml import Data, Node, load
from engine.yaml.nodes import TooLarge, canonical_json, javascript_number, to_data
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


@every(
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


@every("written", ['!!bool "yes"', "!!null x", "!foo bar", "!!js/undefined ''", "!!int x", "!!seq x"])
def test_a_tag_that_cannot_be_honoured_is_an_error(written: str) -> None:
    assert load(f"x: {written}").error is not None


@every(
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


@every(
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


@every("text", ["a: 1\na: 2\n", '1: x\n"1": y\n', "{a: 1, a: 2}\n", "- x: 1\n  x: 2\n"])
def test_a_key_told_twice_is_an_error_that_names_both_places(text: str) -> None:
    tree = load(text)
    assert tree.error is not None
    assert tree.error.reason == "duplicated mapping key"
    assert [(found.slug, len(found.related)) for found in tree.diagnostics] == [("duplicate-key", 1)]


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@every("text", ["&a [*a]\n", "x: &a\n  y: *a\n", BOMB])
def test_aliases_that_unfold_without_end_are_refused(text: str) -> None:
    node = root(text)
    with pytest.raises(TooLarge):
        to_data(node)


@every("text", ["[" * 5000, "- " * 5000, "{a: " * 5000, "? " * 5000])
def test_deep_nesting_is_an_error_and_no_crash(text: str) -> None:
    assert load(text).error is not None


@every(
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


# What hardly anybody writes, read as js-yaml 4.1.0 reads it all the same


def documents(text: str) -> list[Data]:
    tree = load(text)
    assert tree.error is None
    return [None if document.root is None else to_data(document.root) for document in tree.documents]


@every(
    ("text", "value"),
    [
        ("!!str\n1", 1),
        ("!!str\n~", ""),
        ("!!str\ntrue", True),
        ("!!str\nword", "word"),
        ("!!merge\n~", None),
        ("- &a ~\n- !!str\n  *a", [None, ""]),
        ("!!set\n{a}", {"a": None}),
        ("!<?> '1'", 1),
        ("!<?>", None),
        ("!!merge", None),
        ("!!binary ''", {"0": 0, "1": 0, "2": 0}),
        ("!!binary ====", {"0": 0, "1": 0, "2": 0}),
    ],
)
def test_a_tag_is_put_on_what_stands_behind_it(text: str, value: Data) -> None:
    assert documents(text) == [value]


@every(
    "text",
    [
        "!!int\n1",
        "!!float\n.nan",
        "!!timestamp\n2024-01-01",
        "!!null\n1",
        "!<?>\n1",
        "!<?> [1]",
        "!!str\n[a]",
        "!<>",
        "!!omap [!!binary aA==]",
    ],
)
def test_a_tag_that_does_not_fit_is_refused(text: str) -> None:
    assert load(text).error is not None


@every(
    ("text", "value"),
    [
        ("{! <<: {a: 1}}", {"<<": {"a": 1}}),
        ("{!!merge '<<': {a: 1}}", {"a": 1}),
        ("{!!merge : {a: 1}}", {"a": 1}),
        ("{!<?> '<<': {a: 1}}", {"a": 1}),
        ("!!omap [{<<: {a: 1}}]", [{"a": 1}]),
        ("!!pairs [{a: 1, <<: {a: 2}}]", [["a", 1]]),
        ("!!set {<<: {a}}", {"a": None}),
        ("a: 1\n!!binary aGk= : 2", {"a": 1, "104,105": 2}),
        ("{[!!binary aGk=, x]: 2}", {"104,105,x": 2}),
        ("b: 2\n!!merge '<<': {a: 1}\n", {"b": 2, "a": 1}),
    ],
)
def test_tags_see_keys_as_javascript_does(text: str, value: Data) -> None:
    assert documents(text) == [value]


@every(
    ("text", "value"),
    [
        ("&a\n<<: *a\nb: 1\n", {"b": 1}),
        ("&a {b: 1, <<: *a, c: 2}", {"b": 1, "c": 2}),
        ("&a\nb: 1\nc:\n  <<: *a\n  d: 2\n", {"b": 1, "c": {"b": 1, "d": 2}}),
        ("&a\nb: 1\nc:\n  <<: [*a, {e: 3}]\n", {"b": 1, "c": {"b": 1, "e": 3}}),
        ("&a [{b: 1}, {<<: *a}]", [{"b": 1}, {"b": 1}]),
        ("&a [x, {*a : 1}]", ["x", {"x": 1}]),
    ],
)
def test_what_is_merged_into_itself_is_what_there_is_of_it_so_far(text: str, value: Data) -> None:
    assert documents(text) == [value]


@every(
    ("text", "value"),
    [
        ("- &a\n  |\n   t\n- *a", [["t\n", {}]]),
        ("&a [&a x, *a ]", [["x", "x"]]),
        ("a: &c !\nb: *c", [{"a": None, "b": []}]),
        ("[&c ! , *c ]", [[None, None]]),
        ("-\n...\n-", [[None], [None]]),
        ("!!pairs\n---", [None, None]),
        ("- a\n...\n- b\n- c\n---\n- d", [["a"], ["b", "c"], ["d"]]),
        ("g: !!binary >\n...", [{"g": {"0": 0, "1": 0, "2": 0}}]),
        ("- a\r- b: |\r    c\r\r    d\r", [["a", {"b": "c\n\nd\n"}]]),
        ("{\n\t?''}", [{"?''": None}]),
    ],
)
def test_oddities_of_js_yaml_are_kept(text: str, value: list[Data]) -> None:
    assert documents(text) == value


@every("text", ["&a\n---\n*a", "- ? b: &c !\n  : *c\n  c:", "!!binary |\n---", "{\n ?}"])
def test_oddities_of_js_yaml_are_refused(text: str) -> None:
    assert load(text).error is not None


def test_the_error_of_the_whole_is_no_duplicate_that_is_met_behind_it() -> None:
    error = load("- '\n-\n  a: 1\n  a: 2\n").error
    assert error is not None
    assert error.reason == "unexpected end of the stream within a single quoted scalar"


def test_merges_of_merges_are_each_read_once() -> None:
    lines = ["a0: &a0 {x: 1}", *(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 60))]
    tree = load("\n".join(lines))
    assert tree.error is None


# Where YAML 1.1 and js-yaml 4.1.0 part ways: js-yaml's reading counts


LONG = "k" * 1100


@every(
    ("text", "value"),
    [
        ("models: [openai:gpt-4o-mini]\n", {"models": ["openai:gpt-4o-mini"]}),
        ("x: {a:1}\n", {"x": {"a:1": None}}),
        ("x: {a: b?c}\n", {"x": {"a": "b?c"}}),
        ("x: [?a]\n", {"x": ["?a"]}),
        ("-\ta\n", ["a"]),
        (f"{LONG}: 1\n", {LONG: 1}),
        ('x: "\\ud83d"\n', {"x": "\ud83d"}),
        ('x: "\\ud83d\\ude00"\n', {"x": "😀"}),
        ("x: a\u2028b\n", {"x": "a\u2028b"}),
        ("x: a\u0085b\n", {"x": "a\u0085b"}),
        ('x: "a\u2029b"\n', {"x": "a\u2029b"}),
        ("x: |\n  a\u2028b\n", {"x": "a\u2028b\n"}),
        ("x: a\ufeffb\n", {"x": "a\ufeffb"}),
        ("x: 'a  \n  b'\n", {"x": "a   b"}),
        ("--- a: 1\n", {"a": 1}),
        ("a: 'b\nc'\n", {"a": "b c"}),
        ("x: |\n    a\n   \n    b\n", {"x": "a\n\nb\n"}),
        ("should:\n  - \n- id: b\n", {"should": [None, {"id": "b"}]}),
    ],
)
def test_what_js_yaml_takes_is_read_as_it_reads_it(text: str, value: Data) -> None:
    assert documents(text) == [value]


@every(
    "text",
    [
        "x: |# c\n  a\n",
        "x:\n|\n a\n",
        "x: {a: b\nc}\n",
        "x: [-]\n",
        "x: a\x7fb\n",
        "a: 1\n...\nb: [\n",
        "? - [a]\n",
        "x: |\n      \n    a\n",
        "&a a: 1\n",
    ],
)
def test_what_js_yaml_refuses_is_refused_though_yaml_1_1_takes_it(text: str) -> None:
    assert load(text).error is not None


@every(
    ("text", "value"),
    [
        ("", []),
        ("\n", []),
        ("# only a comment\n", [None]),
        ("a: 1\n---\n", [{"a": 1}, None]),
        ("---\n---\n", [None, None]),
        ("a: 1\n...\n", [{"a": 1}]),
        ("a: |\n  x", [{"a": "x\n"}]),
        ("\ufeffa: 1", [{"a": 1}]),
    ],
)
def test_documents_are_counted_as_js_yaml_counts_them(text: str, value: list[Data]) -> None:
    assert documents(text) == value


# Reading YAML and JSON, held against the platform's own answers


ROWS = golden("parse_cases")
REFUSED = [row for row in ROWS if "yaml_reason" in row]
OTHER_SUM = "hash/numbers"
"""The hash of this row was made of `1e21` written out with all its noughts, which JavaScript does not do."""


def hashed(*names: str) -> list[dict[str, Any]]:
    return [row for name in names for row in golden(name) if row["ok"] and row.get("name") != OTHER_SUM]


def name_of(row: dict[str, Any]) -> str:
    return str(row.get("name") or row.get("file") or row.get("index")).encode("unicode_escape").decode()


def is_syntax_error(row: dict[str, Any]) -> bool:
    return "yaml_reason" in row or str(row["error"]).startswith("Failed to parse JSON")


@every("row", ROWS, ids=name_of)
def test_what_the_platform_cannot_read_is_an_error_and_nothing_else_is(row: dict[str, Any]) -> None:
    tree = load(row["content"], is_json=row["file_type"] == "json")
    assert (tree.error is not None) is is_syntax_error(row)


@every("row", REFUSED, ids=name_of)
def test_an_error_has_the_reason_and_the_place_that_js_yaml_names(row: dict[str, Any]) -> None:
    error = load(row["content"]).error
    assert error is not None
    place = LineIndex(row["content"]).position(error.offset)
    assert (error.reason, {"line": place.line, "column": place.column}) == (row["yaml_reason"], row["yaml_mark"])


@every("row", REFUSED, ids=name_of)
def test_every_error_is_told_to_the_author(row: dict[str, Any]) -> None:
    assert load(row["content"]).diagnostics


@every("row", hashed("parse_cases"), ids=name_of)
def test_canonical_json_has_the_platforms_hash(row: dict[str, Any]) -> None:
    assert_hash(row)


@needs_shared
@every("row", hashed("parse_corpus", "docs_examples"), ids=name_of)
def test_canonical_json_of_the_corpus_and_the_documents_has_the_platforms_hash(row: dict[str, Any]) -> None:
    assert_hash(row)


def assert_hash(row: dict[str, Any]) -> None:
    written = canonical_with_stand_ins(row["config"]).encode("utf-8", "surrogatepass")
    assert hashlib.sha256(written).hexdigest() == row["canonical_sha256"]
