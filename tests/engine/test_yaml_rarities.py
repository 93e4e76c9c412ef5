"""What hardly anybody writes, read as js-yaml 4.1.0 reads it all the same."""

from __future__ import annotations

import pytest

from engine.yaml_nodes import Data, load
from engine.yaml_nodes.values import to_data


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
    ["!!int\n1", "!!float\n.nan", "!!timestamp\n2024-01-01", "!!null\n1", "!<?>\n1", "!<?> [1]", "!!str\n[a]", "!<>"],
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
        ("b: 2\n!!merge '<<': {a: 1}\n", {"b": 2, "a": 1}),
    ],
)
def test_a_key_merges_by_its_tag(text: str, value: Data) -> None:
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
