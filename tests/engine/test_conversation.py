"""Conversations: which turns are generated, under which system prompt, and what is judged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Message, Role
from engine.blueprint.conversation import (
    Conversation,
    ThreadTurn,
    conversation,
    subject_text,
    variants,
    with_turn_edited,
)
from engine.parsing import parse
from engine.text.spans import NOWHERE
from tests.engine.builders import blueprint, prompt
from tests.engine.short_cases import assert_says


def says(*turns: tuple[Role, str | None]) -> tuple[Message, ...]:
    return tuple(Message(NOWHERE, role, content) for role, content in turns)


USER, ASSISTANT = Role.USER, Role.ASSISTANT


def talk(*turns: tuple[Role, str | None], **fields: Any) -> Conversation:
    return conversation(prompt(messages=says(*turns), **fields), blueprint().header)


def held(_: str, text: str) -> Iterator[str]:
    """Each conversation of a file: what is asked before each answer, how it goes on, and what is judged of it."""
    written = parse(text).blueprint
    for variant, each in product(variants(written.header), written.prompts):
        said = conversation(each, written.header, variant)
        answers = ["one", "two", "three"][: max(said.pending, 1)]
        thread = said.answered(answers)
        yield f"{each.id}{variant.suffix}: temperature {said.temperature:g}, {said.pending} to be generated"
        yield from (
            f"  asked: {' / '.join(str(turn.content) for turn in turns)}" for turns, _ in said.up_to_each_answer()
        )
        yield f"  {' / '.join(f'{turn.role}: {turn.content}' for turn in thread)}"
        yield f"  judged: {subject_text(thread)}"
        if said.answer is not None:
            yield f"  as written: {subject_text(said.as_written())}"


def test_a_conversation_is_held_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("conversation_cases.txt"), held, pytestconfig)


def test_one_answer_to_several_turns_stands_at_the_end() -> None:
    thread = talk((USER, "a"), (ASSISTANT, None), (USER, "b"), (ASSISTANT, None), (USER, "c")).answered(["all"])
    assert [(turn.role, turn.content) for turn in thread][-2:] == [(USER, "c"), (ASSISTANT, "all")]
    assert sum(turn.role is ASSISTANT for turn in thread) == 1


def test_a_prompt_without_messages_has_nothing_to_generate() -> None:
    assert conversation(prompt(), blueprint().header).pending == 0


def test_an_edited_turn_tells_so_and_the_others_stay() -> None:
    thread = talk((USER, "a"), (ASSISTANT, None)).answered(["b"])
    edited = with_turn_edited(thread, 1, "c")
    assert edited == (thread[0], ThreadTurn(ASSISTANT, "c", generated=True, written=thread[1].written, edited=True))


# Laws

_MESSAGES = st.lists(
    st.tuples(st.sampled_from(Role), st.none() | st.text(max_size=5)).map(
        lambda turn: (turn[0], turn[1] if turn[0] is ASSISTANT else turn[1] or "")
    ),
    max_size=8,
)
_ANSWERS = st.lists(st.text(min_size=1, max_size=5), min_size=8, max_size=8)


@given(_MESSAGES)
def test_a_conversation_ends_with_an_assistant_turn_unless_nothing_is_said(
    turns: list[tuple[Role, str | None]],
) -> None:
    said = talk(*turns)
    assert [message.role for message in said.messages[-1:]] == ([ASSISTANT] if turns else [])


@given(_MESSAGES)
def test_the_written_messages_are_all_there_in_their_order(turns: list[tuple[Role, str | None]]) -> None:
    said = talk(*turns)
    assert [(message.role, message.content) for message in said.messages][: len(turns)] == turns
    assert [message.content for message in said.messages][len(turns) :] in ([], [None])


@given(_MESSAGES)
def test_either_turns_are_to_be_generated_or_the_last_is_written(turns: list[tuple[Role, str | None]]) -> None:
    said = talk(*turns)
    assert (said.pending > 0) == (bool(turns) and said.answer is None)


@given(_MESSAGES, _ANSWERS)
def test_a_thread_with_an_answer_for_every_gap_keeps_all_messages_in_their_places(
    turns: list[tuple[Role, str | None]], answers: list[str]
) -> None:
    said = talk(*turns)
    thread = said.answered(answers[: max(said.pending, 1)]) if said.answer is None else said.as_written()
    written = [(turn.role, turn.content) for turn in thread if not turn.generated]
    assert written == [(message.role, message.content) for message in said.messages if message.content is not None]
    assert [turn.content for turn in thread if turn.generated] == answers[: said.pending]


@given(_MESSAGES, _ANSWERS)
def test_what_is_judged_is_what_was_generated_and_nothing_that_was_written(
    turns: list[tuple[Role, str | None]], answers: list[str]
) -> None:
    said = talk(*turns, (USER, "and?"))
    given_now = answers[: said.pending]
    assert subject_text(said.answered(given_now)) == "\n\n".join(given_now)


@given(_MESSAGES)
def test_the_turns_before_each_answer_are_the_written_ones_without_gaps(turns: list[tuple[Role, str | None]]) -> None:
    said = talk(*turns, (USER, "and?"))
    before = [turn.content for written, _ in said.up_to_each_answer() for turn in written]
    assert before == [message.content for message in said.messages if message.content is not None]
