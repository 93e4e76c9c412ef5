"""What hardly anybody writes, read as js-yaml 4.1.0 reads it all the same."""

from __future__ import annotations

import pytest

from engine.yaml.nodes import Data, to_data
from engine.yaml.tree_loader import load


def documents(text: str) -> list[Data]:
    tree = load(text)
    assert tree.error is None
    return [None if document.root is None else to_data(document.root) for document in tree.documents]


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("text", ["&a\n---\n*a", "- ? b: &c !\n  : *c\n  c:", "!!binary |\n---", "{\n ?}"])
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
