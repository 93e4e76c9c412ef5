"""Thoughts within the text of an answer are found, and what only looks like them is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Role
from engine.blueprint.conversation import ThreadTurn
from engine.evaluation.events import ThinkBlocks, think_blocks
from engine.parsing import parse
from engine.text.spans import Span
from tests.world import corpus_files, needs_corpus

TAGS = ["<think>", "</think>", "<reasoning>", "</reasoning>", "[THINK]"]
PIECES = st.sampled_from([*TAGS, "`", "```", "\n", "hm ", "a<b "])


def blocks(text: str) -> ThinkBlocks:
    found = think_blocks(text)
    assert found is not None
    return found


def inside(text: str) -> list[str]:
    return [span.of(text) for span in blocks(text).spans]


@pytest.mark.parametrize(
    "block",
    [
        "<think>Hm.</think>",
        "<think>\nHm.\n\n</think>",
        "<THINK>Hm.</Think>",
        "<thinking>Hm.</thinking>",
        "<thought>Hm.</thought>",
        "<reasoning>Hm.</reasoning>",
        '<think budget="8">Hm.</think>',
        "< think >Hm.</ think >",
        "[THINK]Hm.[/THINK]",
        "◁think▷Hm.◁/think▷",
        "<|begin_of_thought|>Hm.<|end_of_thought|>",
        "<seed:think>Hm.</seed:think>",
        "<think>See ```python\nx = 1 </think>",
    ],
)
def test_a_block_is_found_with_its_tags(block: str) -> None:
    text = f"{block}\nParis."
    assert inside(text) == [block]
    assert blocks(text).closed


def test_a_block_within_a_line_is_found() -> None:
    assert inside("Sure! <think>Hm.</think> Paris.") == ["<think>Hm.</think>"]


def test_every_block_is_found() -> None:
    assert inside("<think>a</think> b <think>c</think> d") == ["<think>a</think>", "<think>c</think>"]


def test_a_block_that_is_not_closed_goes_on_to_the_end() -> None:
    text = "<think>Hm, Paris, or"
    assert inside(text) == [text]
    assert not blocks(text).closed


def test_an_end_without_a_beginning_closes_a_block_from_the_start() -> None:
    assert inside("Hm, Paris.\n</think>\n\nParis.") == ["Hm, Paris.\n</think>"]


def test_an_empty_block_is_a_block_without_words() -> None:
    assert blocks("<think>\n\n</think>\n\nParis.").words == 0


@pytest.mark.parametrize(
    "text",
    [
        "Paris.",
        "I think <b>Paris</b>.",
        "Write `<think>` first.",
        "Write `<think>` and then `</think>`.",
        "```html\n<think>x</think>\n```\nThat is all.",
        "Begin your answer with <think> and go on.",
        "The tag </think> ends it.",
        "<thinkers>are many</thinkers>",
        "",
    ],
)
def test_what_only_names_a_tag_is_no_block(text: str) -> None:
    assert think_blocks(text) is None


def test_words_and_share_are_those_of_the_block() -> None:
    found = blocks("<think>one two three</think> four")
    assert found.words == 3
    assert found.share == pytest.approx(28 / 33)


def test_a_block_ends_with_its_turn() -> None:
    turns = [ThreadTurn(Role.ASSISTANT, text, generated=True) for text in ("<think>Hm", "Paris.")]
    found = think_blocks("<think>Hm\n\nParis.", turns)
    assert found is not None
    assert found.spans == (Span(0, 9),)


def test_a_block_of_a_later_turn_stands_where_the_turn_does() -> None:
    turns = [ThreadTurn(Role.ASSISTANT, text, generated=True) for text in ("One.", "<think>a</think> b")]
    subject = "One.\n\n<think>a</think> b"
    found = think_blocks(subject, turns)
    assert found is not None
    assert found.spans[0].of(subject) == "<think>a</think>"


def test_a_written_turn_is_no_part_of_what_is_judged() -> None:
    turns = [ThreadTurn(Role.ASSISTANT, "<think>a</think>", generated=False), ThreadTurn(Role.ASSISTANT, "b", True)]
    assert think_blocks("b", turns) is None


ASKED = "Enclose your reasoning in <reasoning> tags, and your answer in <answer> tags. Write <think> where you must."


def answered(text: str, asked: str) -> ThinkBlocks | None:
    return think_blocks(text, [ThreadTurn(Role.SYSTEM, asked, False), ThreadTurn(Role.ASSISTANT, text, True)])


@pytest.mark.parametrize(
    "text", ["<reasoning>Hm.</reasoning> Paris.", "<reasoning>Hm, Paris", "Hm.\n</reasoning>\nParis."]
)
def test_a_tag_that_the_conversation_asks_for_is_the_form_of_the_answer(text: str) -> None:
    assert answered(text, ASKED) is None
    assert answered(text, "Be brief.") is not None


def test_a_think_block_is_one_whoever_asked_for_it() -> None:
    assert answered("<think>Hm.</think> Paris.", ASKED) is not None


@needs_corpus
def test_no_text_of_the_corpus_is_taken_for_one_that_thinks_aloud() -> None:
    """The law: what authors write, ideals and messages, has the form that they ask for; none of it is a think block."""
    found = [
        prompt.id
        for path in corpus_files()
        for prompt in parse(path.read_text("utf-8"), path).blueprint.prompts
        for text in (prompt.ideal, *(message.content for message in prompt.messages))
        if text and answered(text, f"{prompt.system} {[message.content for message in prompt.messages]}") is not None
    ]
    assert found == []


def test_evidence_rests_on_a_block_where_all_of_it_stands_there() -> None:
    found = blocks("<think>Paris</think> Paris")
    assert found.contain([Span(7, 12)])
    assert not found.contain([Span(7, 12), Span(21, 26)])
    assert not found.contain([])


@given(st.lists(PIECES, max_size=40).map("".join))
def test_blocks_lie_in_order_within_the_text_and_never_overlap(text: str) -> None:
    found = think_blocks(text)
    ends = [0, *([] if found is None else [each for span in found.spans for each in (span.start, span.end)]), len(text)]
    assert ends == sorted(ends)
