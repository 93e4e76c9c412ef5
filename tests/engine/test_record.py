"""Records: frozen, told apart by their fields, and given back when nobody needs them."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from engine.blueprint import FunctionCall, Point
from engine.record import replace
from engine.text import Span
from engine.yaml_nodes import load
from engine.yaml_nodes.nodes import ScalarNode, Style

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
