"""Where things stand: exact spans, whether a line is known as a whole or read token by token."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.text.spans import Span
from engine.yaml import recovery
from engine.yaml import scalars as scalar_reader
from engine.yaml.collection_reader import Pairs
from engine.yaml.nodes import AliasNode, MappingNode, Node, ScalarNode, SequenceNode, Style
from engine.yaml.pieces import ended_texts
from engine.yaml.reader import Reader
from engine.yaml.recovery import Recovered
from engine.yaml.scalar_text import Refusal
from engine.yaml.tree_loader import load
from tests.engine.test_yaml_against_js_yaml import edited
from tests.many_cases import every
from tests.pieces import pieces
from tests.processor_time import costs_less_than
from tests.thoroughness import one_in, tried
from tests.world import corpus_files, needs_corpus

# Where things stand: exact spans, whether a line is known as a whole or read token by token


# Where things stand: exact spans, whether a line is known as a whole or read token by token


IN_BLOCKS = (Style.LITERAL, Style.FOLDED)


def nodes(node: Node) -> Iterator[Node]:
    yield node
    match node:
        case SequenceNode():
            for item in node.items:
                yield from nodes(item)
        case MappingNode():
            for pair in node.pairs:
                yield from nodes(pair.key)
                yield from nodes(pair.value)
        case ScalarNode() | AliasNode():
            pass


def scalars(text: str) -> list[ScalarNode]:
    roots = [document.root for document in load(text).documents if document.root is not None]
    return [node for root in roots for node in nodes(root) if isinstance(node, ScalarNode)]


class TokenReader(Reader):
    """A reader that knows no line as a whole."""

    def _usual_pairs(self, column: int, pairs: Pairs) -> bool:
        return False

    def _usual_items(self, column: int, items: list[Node]) -> bool:
        return False


def outcome(reader: Reader) -> object:
    """All that a reader finds out about its text."""
    try:
        reader.read()
    except Refusal as refusal:
        return reader.documents, reader.duplicates, vars(refusal)
    return reader.documents, reader.duplicates


def by_tokens(text: str) -> object:
    return outcome(TokenReader(text, 0, len(text), {}))


def by_lines(text: str) -> object:
    return outcome(Reader(text, 0, len(text), {}))


@needs_corpus
@every("path", one_in(3, corpus_files()), ids=str)
def test_the_slice_of_every_block_scalar_ends_with_its_last_line(path: Path) -> None:
    text = path.read_text("utf-8")
    for scalar in scalars(text):
        if scalar.style in IN_BLOCKS and scalar.text.strip():
            last = scalar.text.rstrip("\n").rsplit("\n", 1)[-1].rsplit(" ", 1)[-1]
            assert scalar.span.of(text).endswith(last)


@needs_corpus
@every("path", one_in(3, corpus_files()), ids=str)
def test_lines_and_tokens_give_the_same_nodes_of_the_corpus(path: Path) -> None:
    text = path.read_text("utf-8")
    assert by_lines(text) == by_tokens(text)


@needs_corpus
@every("seed", range(10))
def test_lines_and_tokens_give_the_same_nodes_and_refusals_of_edited_blueprints(seed: int) -> None:
    chance = random.Random(seed)
    texts = [edited(chance) for _ in range(60)]
    assert [text for text in texts if by_lines(text) != by_tokens(text)] == []


PIECES = pieces("pieces of any YAML")


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@example("--- a:\n \t b:: c\n")
def test_lines_and_tokens_give_the_same_nodes_and_refusals_of_any_text(text: str) -> None:
    assert by_lines(text) == by_tokens(text)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_a_node_lies_inside_its_parent(text: str) -> None:
    for document in load(text).documents:
        for node in nodes(document.root) if document.root is not None else ():
            assert 0 <= node.span.start <= node.span.end <= len(text)
            for inner in node.items if isinstance(node, SequenceNode) else ():
                assert node.span.start <= inner.span.start <= inner.span.end <= node.span.end


@every(
    ("text", "slices"),
    [
        ("😀: é x\nb: 'q'\n", ["😀", "é x", "b", "'q'"]),
        ("\ufeffa: b\n", ["a", "b"]),
        ("a: |\r\n  x\r\n\r\n\r\nb: c\r\n", ["a", "|\r\n  x", "b", "c"]),
        ("a:\n  - 1\n\n# c\nb:\n", ["a", "1", "b", ""]),
        ("a: &x b\nc: !!str d\n", ["a", "&x b", "c", "!!str d"]),
    ],
)
def test_spans_count_code_points(text: str, slices: list[str]) -> None:
    assert [scalar.span.of(text) for scalar in scalars(text)] == slices


def test_a_block_collection_ends_with_its_last_character() -> None:
    text = "a:\n  - x\n  - y  # why\n\n# more\nb: c\n"
    root = load(text).documents[0].root
    assert isinstance(root, MappingNode)
    assert root.pairs[0].value.span.of(text) == "- x\n  - y"
    assert root.span == Span(0, len(text) - 1)


def test_a_value_left_out_is_an_empty_span_behind_the_colon() -> None:
    root = load("a:   \nb: 1\n").documents[0].root
    assert isinstance(root, MappingNode)
    assert root.pairs[0].value.span == Span(2, 2)


# What holds of any text for the reader alone: it answers, in time, and with places inside the text


LAW_SIGNS = "-:#'\"[]{}|>&*!%@`,?<=~.\\ \t\r\n\u00a0\u0085\u2028\ufeff\0ab1é😀"


@given(st.text() | st.text(LAW_SIGNS, max_size=60), st.booleans())
@example("h:\r\tb", False)
@example("- !f\n-\t", False)
def test_any_text_is_read_or_told_of_at_a_place_inside_it(text: str, is_json: bool) -> None:
    tree = load(text, is_json=is_json)
    places = [found.span for found in tree.diagnostics]
    assert (tree.error is not None) == bool(places)
    assert [place for place in places if not 0 <= place.start <= place.end <= len(text)] == []


LAUGHS = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40))
SIZE = tried(5_000, 30_000)


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
    with costs_less_than(tried(2, 8)):
        load(text)


# Parts of a text that are read by themselves, by the thousands: text and anchors are not copied for each


LINES = st.lists(st.text("-:#'\"[]{}|>&*!<\\ \tab1é", max_size=12), min_size=1, max_size=8)
PIECE_LINES = st.lists(LINES.map(lambda lines: "\n".join(lines) + "\n"), min_size=4, max_size=8)


def spans(pieces: list[str]) -> list[Span]:
    """Where each of `pieces` is in all of them joined."""
    ends = [len("".join(pieces[: number + 1])) for number in range(len(pieces))]
    return [Span(end - len(piece), end) for piece, end in zip(pieces, ends, strict=True)]


def read(text: str, piece: Span) -> tuple[object, ...]:
    """What a reader makes of `piece`."""
    reader = Reader(text, piece.start, piece.end, {})
    refusal = reader.read_to_refusal()
    return (reader.documents, reader.duplicates, refusal and (refusal.reason, refusal.offset, refusal.node_start))


@given(PIECE_LINES)
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


MANY = 500
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
    ended = scalar_reader._ended

    def ended_text(text: str, end: int) -> str:
        found = ended(text, end)
        copied.extend([] if found is text else ["text"])
        return found

    def part(*arguments: Any) -> Recovered:
        copied.append("anchors")
        return Recovered(*arguments)

    monkeypatch.setattr(scalar_reader, "_ended", ended_text)
    monkeypatch.setattr(recovery, "Recovered", part)
    assert load(text).error is not None
    assert len(copied) < 100


def test_thousands_of_repeated_keys_are_looked_through_once() -> None:
    """With a look from the first key on for each, they take two minutes."""
    with costs_less_than(3):
        found = load("id: x\n" * 24_000).diagnostics
    assert {each.slug for each in found} == {"duplicate-key"}
