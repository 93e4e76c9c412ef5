"""Parts of a text that are read by themselves, by the thousands: text and anchors are not copied for each."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.spans import Span
from engine.yaml import cursor, load
from engine.yaml.nodes import ScalarNode, Style
from engine.yaml.pieces import Anchors, ended_texts
from engine.yaml.reader import Reader
from tests.many_cases import every
from tests.processor_time import costs_less_than

LINES = st.lists(st.text("-:#'\"[]{}|>&*!<\\ \tab1é", max_size=12), min_size=1, max_size=8)
PIECES = st.lists(LINES.map(lambda lines: "\n".join(lines) + "\n"), min_size=4, max_size=8)


def spans(pieces: list[str]) -> list[Span]:
    """Where each of `pieces` is in all of them joined."""
    ends = [len("".join(pieces[: number + 1])) for number in range(len(pieces))]
    return [Span(end - len(piece), end) for piece, end in zip(pieces, ends, strict=True)]


def read(text: str, piece: Span) -> tuple[object, ...]:
    """What a reader makes of `piece`."""
    reader = Reader(text, piece.start, piece.end, {})
    refusal = reader.read_to_refusal()
    return (reader.documents, reader.duplicates, refusal and (refusal.reason, refusal.offset, refusal.node_start))


@given(PIECES)
def test_a_piece_reads_the_same_with_an_end_in_the_text_as_in_a_copy(pieces: list[str]) -> None:
    text = "".join(pieces)
    ended = ended_texts(text, spans(pieces))
    assert [read(ended.get(piece.end, text), piece) for piece in spans(pieces)] == [
        read(text, piece) for piece in spans(pieces)
    ]


@every("piece", ['- "a\n', "- 'a\n", "- [a\n", "- !<a\n", "- |\n a\n", "- a:\n", "- >\n\n", "- # a\n"])
def test_nothing_is_read_beyond_the_end(piece: str) -> None:
    pieces = [piece, "- b\"'] >: c\n", "- d\n", "- e\n"]
    text = "".join(pieces)
    first = spans(pieces)[0]
    assert read(ended_texts(text, spans(pieces))[first.end], first) == read(piece, Span(0, len(piece)))


def test_thousands_of_pieces_share_two_texts() -> None:
    pieces = ["- a\n"] * 5_000
    assert len({id(text) for text in ended_texts("".join(pieces), spans(pieces)).values()}) == 2


def node(text: str) -> ScalarNode:
    return ScalarNode(Span(0, 1), text, text, Style.PLAIN)


CHANGES = st.lists(st.sampled_from("abc") | st.none(), max_size=6)
"""Names of anchors that are set, and None where all are forgotten."""


def changed(anchors: Anchors, changes: list[str | None], text: str) -> None:
    for name in changes:
        if name is None:
            anchors.clear()
        else:
            anchors[name] = node(text)


@given(CHANGES, CHANGES)
def test_anchors_are_taken_back_to_those_before(first: list[str | None], then: list[str | None]) -> None:
    anchors = Anchors({"a": node("at first")})
    changed(anchors, first, "first")
    before, mark = dict(anchors), anchors.mark()
    changed(anchors, then, "then")
    assert anchors.before(mark) == before
    anchors.take_back(mark)
    assert anchors == before


MANY = 2_000
BROKEN = [
    "".join(f"a{number}: &a{number} x\n" for number in range(MANY)) + "x: [\n",
    "".join(f"- &a{number} x\n" for number in range(MANY)) + "- [\n",
    "prompts:\n" + "".join(f"  - &a{number} x\n" for number in range(MANY)) + "  - [\n",
    "".join(f"a{number}:\n- x\n- y\n" for number in range(MANY)) + "x: [\n",
]


@pytest.mark.parametrize("text", BROKEN, ids=lambda text: text[:10])
def test_good_pieces_beside_a_broken_one_are_read_without_a_copy_for_each(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    ended, known = cursor._ended, Anchors.__init__

    def ended_text(text: str, end: int) -> str:
        found = ended(text, end)
        copied.extend([] if found is text else ["text"])
        return found

    def made(anchors: Anchors, *arguments: Any) -> None:
        copied.append("anchors")
        known(anchors, *arguments)

    monkeypatch.setattr(cursor, "_ended", ended_text)
    monkeypatch.setattr(Anchors, "__init__", made)
    assert load(text).error is not None
    assert len(copied) < 100


def test_thousands_of_repeated_keys_are_looked_through_once() -> None:
    """With a look from the first key on for each, they take two minutes."""
    with costs_less_than(3):
        found = load("id: x\n" * 24_000).diagnostics
    assert {each.slug for each in found} == {"duplicate-key"}
