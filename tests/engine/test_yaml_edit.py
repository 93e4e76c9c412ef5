"""The editor of nodes: what each edit makes of a text, in blocks and in brackets, and what it refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from engine.text.spans import TextEdit, apply_edits
from engine.yaml.edit import insert, move, quote, remove, rename, set_key, unwrap, wrap
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, holds_bytes, property_name, to_data
from engine.yaml.tree_loader import load
from tests.many_cases import every
from tests.world import golden, needs_shared

_EMPTY_ITEM = re.compile(r"-[ \t]*(?:#.*)?$", re.MULTILINE)
Path: TypeAlias = "tuple[str | int, ...]"


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


@every(
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


@every(
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


@every(
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


@every(
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


@every(
    ("text", "after"),
    [
        ("a:\n  - x\n", "a:\n  - text: x\n    weight: 2\n"),
        ("a:\n  - >-\n    x\n", "a:\n  - text: >-\n      x\n    weight: 2\n"),
        ("a:\n  - |+\n    x\n\nb: 1\n", "a:\n  - text: |+\n      x\n\n    weight: 2\nb: 1\n"),
        ('a: ["x"]\n', 'a: [{"text": "x", "weight": 2}]\n'),
    ],
)
def test_a_scalar_becomes_the_value_of_a_key(text: str, after: str) -> None:
    assert made(text, wrap(text, scalar(listed(text).items[0]), "text", "weight", "2")) == after


def scalar(node: Node) -> ScalarNode:
    assert isinstance(node, ScalarNode)
    return node


@every(
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


@every(
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


# What an edit makes reads as what was meant, or it is refused


def collections(node: Node, path: Path = ()) -> Iterator[tuple[SequenceNode | MappingNode, Path]]:
    """The lists and mappings in `node`, each with the keys and indexes that lead to it."""
    match node:
        case SequenceNode(items=items):
            yield node, path
            for index, item in enumerate(items):
                yield from collections(item, (*path, index))
        case MappingNode(pairs=pairs) if not holds_bytes(node):
            yield node, path
            for pair in pairs:
                yield from collections(pair.value, (*path, property_name(pair.key)))
        case _:
            return


def of_path(data: Any, path: Path) -> Any:
    for step in path:
        data = data[step]
    return data


def texts() -> list[str]:
    """Texts of the official test suite, without aliases and tags, and without an item that is still empty.

    js-yaml continues the list of such an item, whatever the column of the next dash.
    """
    found = [row["text"] for row in golden("yaml_suite")][::20]
    return [
        text
        for text in found
        if not any(sign in text for sign in ("*", "!", "<<", "?")) and _EMPTY_ITEM.search(text) is None
    ]


@needs_shared
def test_an_inserted_element_reads_as_itself_among_the_others() -> None:
    for text in texts():
        tree = load(text)
        root = tree.documents[0].root if tree.error is None and len(tree.documents) == 1 else None
        for node, path in collections(root) if root is not None else ():
            count = len(node.items if isinstance(node, SequenceNode) else node.pairs)
            edits = insert(text, node, count, "new" if isinstance(node, SequenceNode) else "new: 1")
            wanted = to_data(root) if root is not None else None
            if isinstance(node, SequenceNode):
                of_path(wanted, path).append("new")
            else:
                of_path(wanted, path)["new"] = 1
            after = load(apply_edits(text, edits)).documents[0].root
            assert not edits or (after is not None and to_data(after) == wanted), text
