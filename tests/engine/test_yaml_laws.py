"""What holds of any text for the reader alone: it answers, in time, and with places inside the text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.yaml.tree_loader import load
from tests.processor_time import costs_less_than

SIGNS = "-:#'\"[]{}|>&*!%@`,?<=~.\\ \t\r\n\u00a0\u0085\u2028\ufeff\0ab1é😀"


@given(st.text() | st.text(SIGNS, max_size=60), st.booleans())
@example("h:\r\tb", False)
@example("- !f\n-\t", False)
def test_any_text_is_read_or_told_of_at_a_place_inside_it(text: str, is_json: bool) -> None:
    tree = load(text, is_json=is_json)
    places = [found.span for found in tree.diagnostics]
    assert (tree.error is not None) == bool(places)
    assert [place for place in places if not 0 <= place.start <= place.end <= len(text)] == []


LAUGHS = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40))
SIZE = 30_000


@pytest.mark.parametrize(
    "text",
    [
        *("[" * SIZE, "{" * SIZE, "- " * SIZE, '"' * SIZE, "&a " * SIZE, "? " * SIZE, " " * SIZE, "\t" * SIZE),
        *("!" * SIZE, "*a " * SIZE, "?\n" * SIZE, "- 'a\n" * (SIZE // 5), "- a: b: c\n" * (SIZE // 10)),
        *("- &a x\n- *a\n" * (SIZE // 12), "a" * SIZE, "a: " * SIZE, "[" + "a, " * SIZE, LAUGHS),
    ],
    ids=lambda text: repr(text[:8]),
)
def test_no_text_takes_long(text: str) -> None:
    with costs_less_than(8):
        load(text)
