"""The editor of nodes: what each edit makes of a text, in blocks and in brackets, and what it refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Any, TypeAlias

import pytest

from engine.text.spans import TextEdit, apply_edits
from engine.yaml.edit import insert, move, quote, remove, rename, set_key, unwrap, wrap
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, holds_bytes, property_name, to_data
from engine.yaml.tree_loader import load
from tests.engine.short_cases import assert_says
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


def scalar(node: Node) -> ScalarNode:
    assert isinstance(node, ScalarNode)
    return node


def edits_of(order: str, text: str) -> tuple[TextEdit, ...]:
    """What an order makes of a text: of the list under `a`, or of the mapping that the text is."""
    name, *more = order.replace("⏎", "\n").split(" ", 2)
    match name:
        case "insert":
            return insert(text, listed(text), int(more[0]), more[1])
        case "remove":
            return remove(text, listed(text) if more[0] == "item" else root(text), int(more[1]))
        case "rename":
            return rename(text, root(text).pairs[0].key, more[0])
        case "quote":
            return quote(scalar(listed(text).items[0]))
        case "wrap":
            return wrap(text, scalar(listed(text).items[0]), "text", "weight", "2")
        case "unwrap":
            inner = listed(text).items[0]
            assert isinstance(inner, SequenceNode)
            return unwrap(text, inner)
        case "move":
            return move(text, listed(text), 0, listed(text, "b"))
        case _:
            return set_key(text, root(text), "b", " ".join(more), tuple(name.removeprefix("set")))


def edited(order: str, text: str) -> Iterator[str]:
    edits = edits_of(order, text)
    after = apply_edits(text, edits)
    yield from after.removesuffix("\n").split("\n") if edits else ["refused"]
    yield from () if after.endswith("\n") else ["without a line break at the end"]


def test_an_edit_makes_of_a_text_what_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(FilePath(__file__).with_name("yaml_edit_cases.txt"), edited, pytestconfig)


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
