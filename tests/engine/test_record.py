"""Records: frozen, told apart by their fields, and given back when nobody needs them."""

from __future__ import annotations

import ast
import gc
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.blueprint import FunctionCall, Point
from engine.text.record import replace
from engine.text.spans import Span
from engine.yaml.nodes import ScalarNode, Style
from engine.yaml.tree_loader import load

SPAN = Span(3, 7)
LONG = "x" * 100_000


def test_nobody_sets_a_field_anew() -> None:
    with pytest.raises(AttributeError):
        setattr(SPAN, "start", 4)  # noqa: B010  # the type checker knows it already


def test_the_same_fields_make_the_same_record() -> None:
    assert {Point(SPAN, SPAN, "a"), Point(Span(3, 7), Span(3, 7), "a")} == {Point(SPAN, SPAN, text="a")}


def test_another_field_makes_another_record() -> None:
    assert Point(SPAN, SPAN, "a") != replace(Point(SPAN, SPAN, "a"), text="b")


def test_a_record_of_lists_has_no_hash() -> None:
    with pytest.raises(TypeError):
        hash(FunctionCall("contains_any_of", ["a"]))


def test_spans_sort_by_where_they_begin_and_then_end() -> None:
    assert sorted([Span(3, 9), SPAN, Span(1, 8)]) == [Span(1, 8), SPAN, Span(3, 9)]


def test_the_fields_of_a_pattern_come_in_their_order() -> None:
    match ScalarNode(SPAN, 1, "1", Style.PLAIN):
        case ScalarNode(span, value, text, style):
            assert (span, value, text, style) == (SPAN, 1, "1", Style.PLAIN)


@pytest.mark.parametrize("text", ["&a {self: *a, text: LONG}", "&a [*a, LONG]", "&a\n- text: LONG\n  self: *a\n- *a\n"])
def test_a_collection_that_holds_itself_is_given_back(text: str) -> None:
    tracemalloc.start()
    try:
        for _ in range(20):
            load(text.replace("LONG", LONG))
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < 2 * len(LONG)
    finally:
        tracemalloc.stop()


# --- Records write themselves: no field map by hand where `as_json` writes the same

ENGINE = Path(__file__).parents[2] / "engine"


def camel(name: str) -> str:
    first, *others = name.split("_")
    return "".join((first, *(each.title() for each in others)))


def record_fields(trees: list[ast.Module]) -> Iterator[frozenset[str]]:
    """The names under which each record of `engine` writes itself."""
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.ClassDef) and any(
            isinstance(base, ast.Name) and base.id == "Record" for base in node.bases
        ):
            fields = [each.target for each in node.body if isinstance(each, ast.AnnAssign)]
            yield frozenset(camel(each.id) for each in fields if isinstance(each, ast.Name))


def maps_by_hand(tree: ast.Module) -> Iterator[frozenset[str]]:
    """The keys of each literal that maps every field of one name to the field's own name in JSON."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict) and len(node.keys) > 1:
            pairs = [
                (key.value, value.value.id)
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(value, ast.Attribute)
                if isinstance(key.value, str) and isinstance(value.value, ast.Name) and camel(value.attr) == key.value
            ]
            if len(pairs) == len(node.keys) and len({of for _, of in pairs}) == 1:
                yield frozenset(key for key, _ in pairs)


def test_records_write_themselves() -> None:
    trees = {path: ast.parse(path.read_text("utf-8")) for path in sorted(ENGINE.rglob("*.py"))}
    records = set(record_fields(list(trees.values())))
    assert [
        (path.name, sorted(keys)) for path, tree in trees.items() for keys in maps_by_hand(tree) if keys in records
    ] == []
