"""Reading again after an edit: always what reading the whole text gives, at the cost of the piece that changed."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.parsing import Parsed, Reading, parse, reading, weval_config
from engine.rules.source.node_search import nodes_around
from engine.text import Span
from engine.yaml_nodes import load
from engine.yaml_nodes.pieces import Pieces, in_pieces
from tests.world import corpus_files, needs_corpus

STREAM = """title: A stream
models: [openai:gpt-4o-mini]
---
- id: one
  prompt: "What is it?"
  should:
    - Says it
    - $contains: it
- id: two
  messages:
    - user: |
        Tell me.

        - now
  should_not:
    - "Refuses: flatly"
    - - a path
      - of two
---
id: three
prompt: >
  Folded
should: wrong
---
"""
LIST = "- id: one\n  prompt: a\n  should: [b]\n- prompt: c\n  should:\n  - {text: d, weight: 99}\n# last\n"
SNIPPETS = [
    *("q", " ", "\n", "- ", "\n- ", "---\n", "\n---\n", '"', "'", "|\n", ">", ": ", "#", "[", "{", "]", "}", ",", "\t"),
    *("\r\n", "é", "\u2028", "&a ", "*a", "? ", "- id: x\n", "\n\n", "%", "...\n", "- $ref: x\n", "!!str ", "<<: "),
    *("\ufeff", "-", "~", "noCache: true\n", "render_as: html\n", "point_defs: {x: y}\n", "  id: z\n", "", ""),
]


def said(parsed: Parsed) -> tuple[object, ...]:
    """Everything that can be observed of a parsed text."""
    forms = weval_config(parsed), reading(parsed)
    return (parsed.blueprint, parsed.findings, parsed.weval, parsed.broken, parsed.structure, parsed.tree, *forms)


@st.composite
def edits(draw: st.DrawFn, text: str) -> str:
    """`text` after one edit."""
    start = draw(st.integers(0, len(text)))
    end = min(len(text), start + draw(st.sampled_from([0, 0, 0, 1, 2, 9, 60])))
    return text[:start] + draw(st.sampled_from(SNIPPETS)) + text[end:]


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from([STREAM, LIST]))
def test_after_any_edits_it_says_what_reading_the_whole_says(data: st.DataObject, text: str) -> None:
    again = Reading()
    for _ in range(4):
        assert said(again.read(text)) == said(parse(text))
        text = data.draw(edits(text))


@needs_corpus
@pytest.mark.parametrize("seed", range(6))
def test_after_edits_of_corpus_files_it_says_what_reading_the_whole_says(seed: int) -> None:
    chance = random.Random(seed)
    for path in chance.sample(corpus_files(), 12):
        text = path.read_bytes().decode("utf-8")[:40_000]
        again = Reading()
        again.read(text)
        for _ in range(4):
            start = chance.randrange(len(text) + 1)
            text = text[:start] + chance.choice(SNIPPETS) + text[start + chance.choice([0, 0, 1, 20]) :]
            assert said(again.read(text)) == said(parse(text)), path.name


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("What", "Why"),
        ("Says it", "Says it\n    - And that"),
        ("A stream", "Another"),
        ("three", "four"),
        ("Tell", "Ask"),
    ],
)
def test_only_the_piece_that_changed_is_read(old: str, new: str) -> None:
    again = Reading()
    before = again.read(STREAM)
    after = again.read(STREAM.replace(old, new, 1))
    assert isinstance(after.tree.documents, Pieces)
    same = [now is then for now, then in zip(after.blueprint.prompts, before.blueprint.prompts, strict=True)]
    start = STREAM.index(old)
    assert same == [prompt.span.end < start for prompt in before.blueprint.prompts]


@pytest.mark.parametrize("new", ['"Says it', "Says: it: twice", "[Says it", "Says it\n  -"])
def test_where_the_piece_that_changed_is_broken_the_others_are_taken_as_they_were(new: str) -> None:
    text = STREAM.replace("Says it", new)
    again = Reading()
    before = again.read(STREAM)
    broken = again.read(text)
    assert said(broken) == said(parse(text))
    assert broken.blueprint.prompts[1].messages[0].content == before.blueprint.prompts[1].messages[0].content
    assert isinstance(broken.tree.documents, Pieces)
    assert broken.tree.error is not None
    assert said(again.read(STREAM)) == said(before)


@pytest.mark.parametrize(
    "text",
    [
        '- id: "a\n- b"\n- c\n',
        "- &a x\n- *a\n",
        "a: 1\n",
        "- [a,\n- b]\n",
        "- a\n- b\n...\n",
    ],
)
def test_a_text_whose_lines_do_not_tell_its_pieces_is_read_whole(text: str) -> None:
    pieces = in_pieces(load(text))
    assert pieces is None or len(pieces.pieces) == 1


def test_the_nodes_around_a_place_are_found_without_moving_the_others() -> None:
    text = STREAM.replace("A stream", "Another title")
    again = Reading()
    again.read(STREAM)
    tree = again.read(text).tree
    start = text.index("Says it")
    whole = list(nodes_around(load(text), Span(start, start + 7)))
    assert list(nodes_around(tree, Span(start, start + 7)))[1:] == whole[1:]
