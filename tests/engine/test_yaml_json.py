"""JSON as `JSON.parse` reads it, with spans."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from engine.yaml.nodes import Data, MappingNode, to_data
from engine.yaml.tree_loader import load

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def data(text: str) -> Data:
    tree = load(text, is_json=True)
    assert tree.error is None
    root = tree.documents[0].root
    assert root is not None
    return to_data(root)


@given(VALUES, st.booleans(), st.sampled_from([None, 2]))
def test_what_was_written_is_read(value: Data, ascii_only: bool, indent: int | None) -> None:
    assert data(json.dumps(value, ensure_ascii=ascii_only, indent=indent)) == value


def test_the_last_of_two_equal_keys_wins() -> None:
    assert data('{"a": 1, "a": 2}') == {"a": 2}


def test_a_merge_key_is_a_key_like_any_other() -> None:
    assert data('{"<<": {"a": 1}}') == {"<<": {"a": 1}}


def test_a_value_has_its_exact_span() -> None:
    text = '{"é": [1, "😀", {"b": null}]}'
    root = load(text, is_json=True).documents[0].root
    assert isinstance(root, MappingNode)
    assert root.pairs[0].value.span.of(text) == '[1, "😀", {"b": null}]'


def test_what_stands_before_an_error_is_kept() -> None:
    root = load('{"a": 1, "b": [2, x]}', is_json=True).documents[0].root
    assert root is not None
    assert to_data(root) == {"a": 1, "b": [2]}
