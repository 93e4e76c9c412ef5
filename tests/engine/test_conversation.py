"""Conversations: which turns are generated, under which system prompt, and what is judged."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import ABSENT, Message, Role
from engine.blueprint.conversation import (
    Conversation,
    ThreadTurn,
    Variant,
    conversation,
    subject_text,
    variants,
    with_turn_edited,
)
from engine.text.spans import NOWHERE
from tests.engine.builders import blueprint, prompt
from tests.many_cases import every


def says(*turns: tuple[Role, str | None]) -> tuple[Message, ...]:
    return tuple(Message(NOWHERE, role, content) for role, content in turns)


USER, ASSISTANT = Role.USER, Role.ASSISTANT

CLARIFY_TAXES = says(
    (USER, "I need help with my taxes."),
    (ASSISTANT, None),
    (USER, "I changed jobs mid-year and moved states."),
    (ASSISTANT, None),
    (USER, "Anything else I should consider?"),
)


def talk(*turns: tuple[Role, str | None], **fields: Any) -> Conversation:
    return conversation(prompt(messages=says(*turns), **fields), blueprint().header)


def test_a_final_user_message_asks_for_one_more_turn() -> None:
    assert conversation(prompt(messages=CLARIFY_TAXES), blueprint().header).pending == 3


def test_a_final_null_turn_asks_for_no_turn_beside_it() -> None:
    assert talk((USER, "a"), (ASSISTANT, None)).pending == 1


def test_each_turn_is_generated_in_its_place() -> None:
    said = conversation(prompt(messages=CLARIFY_TAXES), blueprint().header).up_to_each_answer()
    assert [[turn.content for turn in turns] for turns, _ in said] == [
        ["I need help with my taxes."],
        ["I changed jobs mid-year and moved states."],
        ["Anything else I should consider?"],
    ]


def test_a_written_last_turn_is_the_answer_and_no_model_is_asked() -> None:
    written = talk((USER, "a"), (ASSISTANT, "b"))
    assert (written.answer, written.pending, subject_text(written.as_written())) == ("b", 0, "b")


def test_a_written_turn_followed_by_a_null_turn_is_generated_after_it() -> None:
    assert talk((USER, "a"), (ASSISTANT, "Well,"), (ASSISTANT, None)).pending == 1


def test_the_subject_joins_generated_turns_by_a_blank_line() -> None:
    thread = conversation(prompt(messages=CLARIFY_TAXES), blueprint().header).answered(["one", "two", "three"])
    assert subject_text(thread) == "one\n\ntwo\n\nthree"


def test_one_answer_to_several_turns_stands_at_the_end() -> None:
    thread = conversation(prompt(messages=CLARIFY_TAXES), blueprint().header).answered(["all"])
    assert [turn.content for turn in thread][-2:] == ["Anything else I should consider?", "all"]
    assert sum(turn.role is ASSISTANT for turn in thread) == 1


def test_an_answer_takes_the_place_of_a_written_last_turn() -> None:
    thread = talk((USER, "a"), (ASSISTANT, "b")).answered(["the ideal"])
    assert [(turn.content, turn.generated) for turn in thread] == [("a", False), ("the ideal", True)]


@every(
    ("systems", "own", "variant", "expected"),
    [
        (("header",), ABSENT, ABSENT, "header"),
        (("header",), "own", ABSENT, "own"),
        (("header",), None, ABSENT, None),
        (("one", "two"), "own", "two", "two"),
        (("one", None), ABSENT, None, None),
        ((), ABSENT, ABSENT, None),
    ],
)
def test_the_system_prompt_is_the_variants_else_the_prompts_else_the_headers(
    systems: tuple[str | None, ...], own: object, variant: str | None, expected: str | None
) -> None:
    header = blueprint(systems=systems).header
    assert conversation(prompt(system=own), header, Variant(system=variant)).system == expected


@every(
    ("header", "own", "variant", "expected"),
    [
        (0.2, 0.5, 0.9, 0.9),
        (0.2, 0.5, None, 0.5),
        (0.2, None, None, 0.2),
        (None, None, None, 0.0),
        (0.2, 0.0, None, 0.0),
    ],
)
def test_the_temperature_is_the_variants_else_the_prompts_else_the_headers_else_0(
    header: float | None, own: float | None, variant: float | None, expected: float
) -> None:
    settings = blueprint(temperature=header).header
    assert conversation(prompt(temperature=own), settings, Variant(temperature=variant)).temperature == expected


def test_the_system_prompt_opens_the_thread() -> None:
    header = blueprint(systems=("Be brief.",)).header
    thread = conversation(prompt(messages=says((USER, "a"))), header).answered(["b"])
    assert [turn.role for turn in thread] == [Role.SYSTEM, USER, ASSISTANT]


def test_a_blueprint_without_permutations_has_one_variant_without_suffix() -> None:
    assert variants(blueprint(temperature=0.3, systems=("a",)).header) == (Variant(),)


def test_variants_are_named_by_temperature_and_by_place_of_the_system_prompt() -> None:
    header = blueprint(temperatures=(0.0, 0.7), systems=("a", None)).header
    assert [variant.suffix for variant in variants(header)] == [
        "[temp:0][sp_idx:0]",
        "[temp:0][sp_idx:1]",
        "[temp:0.7][sp_idx:0]",
        "[temp:0.7][sp_idx:1]",
    ]


def test_a_temperature_is_named_with_all_its_digits() -> None:
    header = blueprint(temperatures=(0.123456789, 1.0)).header
    assert [variant.suffix for variant in variants(header)] == ["[temp:0.123456789]", "[temp:1]"]


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
