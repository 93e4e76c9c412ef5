"""The editor of nodes: what each edit makes of a text, in blocks and in brackets, and what it refuses."""

from __future__ import annotations

import pytest

from engine.text.spans import TextEdit, apply_edits
from engine.yaml import load
from engine.yaml.edit import insert, move, quote, remove, rename, set_key, unwrap, wrap
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode


def root(text: str) -> MappingNode:
    node = load(text).documents[0].root
    assert isinstance(node, MappingNode)
    return node


def listed(text: str, key: str = "a") -> SequenceNode:
    node = root(text).get(key)
    assert isinstance(node, SequenceNode)
    return node


def made(text: str, edits: tuple[TextEdit, ...]) -> str | None:
    """`text` after `edits`; None where they were refused."""
    return apply_edits(text, edits) if edits else None


@pytest.mark.parametrize(
    ("text", "index", "after"),
    [
        ("a:\n  - x\n", 1, "a:\n  - x\n  - new\n"),
        ("a:\n  - x", 1, "a:\n  - x\n  - new"),
        ("a:\r\n- x # c\r\n\r\nb: 1\r\n", 1, "a:\r\n- x # c\r\n- new\r\n\r\nb: 1\r\n"),
        ("a:\n  - x\n  - y\n", 0, "a:\n  - new\n  - x\n  - y\n"),
        ("a:\n  - x\n  # of y\n  - y\n", 1, "a:\n  - x\n  - new\n  # of y\n  - y\n"),
        ("a:\n  - |+\n    x\n\nb: 1\n", 1, "a:\n  - |+\n    x\n\n  - new\nb: 1\n"),
        ("a: [x, y]\n", 2, "a: [x, y, new]\n"),
        ("a: [x]\n", 0, "a: [new, x]\n"),
        ("a: [\n  x\n]\n", 1, "a: [\n  x,\n  new\n]\n"),
    ],
)
def test_an_item_has_the_layout_of_its_neighbours(text: str, index: int, after: str) -> None:
    assert made(text, insert(text, listed(text), index, "new")) == after


def test_an_item_of_several_lines_is_indented() -> None:
    text = "a:\r\n  - x\r\n"
    assert made(text, insert(text, listed(text), 1, "k: 1\nl: 2")) == "a:\r\n  - x\r\n  - k: 1\r\n    l: 2\r\n"


@pytest.mark.parametrize(
    ("text", "index", "after"),
    [
        ("a:\n  - x\n  - y\n", 0, "a:\n  - y\n"),
        ("a:\n  - x # why\n  - y\n", 0, None),
        ("a:\n  - x\n  # of y\n  - y\n", 1, "a:\n  - x\n  # of y\n"),
        ("a: [x, y, z]\n", 1, "a: [x, z]\n"),
        ("a: [x, y]\n", 0, "a: [y]\n"),
        ("a: [x]\n", 0, None),
        ("a: [x, # why\n  y]\n", 1, None),
        ("a:\n  - - x\n    - y\n", 0, "a:\n"),
    ],
)
def test_an_item_goes_with_its_lines_and_no_comment(text: str, index: int, after: str | None) -> None:
    assert made(text, remove(text, listed(text), index)) == after


@pytest.mark.parametrize(
    ("text", "index", "after"),
    [
        ("a: 1\nb: 2\n", 0, "b: 2\n"),
        ("a: 1\nb: 2\n", 1, "a: 1\n"),
        ("a: 1 # why\nb: 2\n", 0, None),
        ("a: 1\n", 0, None),
        ("{a: 1, b: 2}\n", 0, "{b: 2}\n"),
    ],
)
def test_a_pair_goes_with_its_line(text: str, index: int, after: str | None) -> None:
    assert made(text, remove(text, root(text), index)) == after


@pytest.mark.parametrize(
    ("text", "source", "order", "after"),
    [
        ("a: 1\nc: 3\n", "2", (), "a: 1\nc: 3\nb: 2\n"),
        ("a: 1\nc: 3\n", "2", ("a", "b", "c"), "a: 1\nb: 2\nc: 3\n"),
        ("c: 3\n", "2", ("a", "b"), "b: 2\nc: 3\n"),
        ("a: 1\nb: 0 # why\n", "2", (), "a: 1\nb: 2 # why\n"),
        ("b:\na: 1\n", "2", (), "b: 2\na: 1\n"),
        ("b: [] # none yet\n", "\n  - x", (), "b: # none yet\n  - x\n"),
        ("b: >- # why\n  text\n", "2", (), None),
        ("b:\n  - x # why\n", "2", (), "b: 2 # why\n"),
        ("b:\n  - x # why\n  - y\n", "2", (), None),
        ('{"a": 1}\n', "2", (), '{"a": 1, "b": 2}\n'),
    ],
)
def test_a_key_gets_a_value(text: str, source: str, order: tuple[str, ...], after: str | None) -> None:
    assert made(text, set_key(text, root(text), "b", source, order)) == after


def test_a_key_is_renamed_in_its_quotes() -> None:
    text = '"a": 1\n'
    assert made(text, rename(text, root(text).pairs[0].key, "b")) == '"b": 1\n'


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a:\n  - x\n", "a:\n  - text: x\n    weight: 2\n"),
        ("a:\n  - >-\n    x\n", "a:\n  - text: >-\n      x\n    weight: 2\n"),
        ('a: ["x"]\n', 'a: [{"text": "x", "weight": 2}]\n'),
    ],
)
def test_a_scalar_becomes_the_value_of_a_key(text: str, after: str) -> None:
    assert made(text, wrap(text, scalar(listed(text).items[0]), "text", "weight", "2")) == after


def scalar(node: Node) -> ScalarNode:
    assert isinstance(node, ScalarNode)
    return node


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a:\n  - - x\n    - y\n", "a:\n  - x\n  - y\n"),
        ("a:\n  - [x, y]\n", "a:\n  - x\n  - y\n"),
        ("a: [[x, y], z]\n", "a: [x, y, z]\n"),
        ("a:\n  - # why\n    - x\n", None),
    ],
)
def test_a_list_in_a_list_is_unwrapped(text: str, after: str | None) -> None:
    inner = listed(text).items[0]
    assert isinstance(inner, SequenceNode)
    assert made(text, unwrap(text, inner)) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a:\n  - x # why\n  - y\nb:\n  - z\n", "a:\n  - y\nb:\n  - z\n  - x # why\n"),
        ("a: [x, y]\nb: [z]\n", "a: [y]\nb: [z, x]\n"),
        ("a:\n  - x\n  - y\nb: [z]\n", None),
        ("a:\n  - x\n  - y\nb:\n    - z\n", None),
        ("a: [x]\nb: [z]\n", None),
    ],
)
def test_an_item_moves_with_its_comment(text: str, after: str | None) -> None:
    assert made(text, move(text, listed(text), 0, listed(text, "b"))) == after


def test_a_text_is_quoted() -> None:
    text = "a: [it's]\n"
    assert made(text, quote(scalar(listed(text).items[0]))) == "a: ['it''s']\n"
