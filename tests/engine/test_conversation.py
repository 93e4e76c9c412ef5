"""Conversations: which turns are generated, under which system prompt, and what is judged."""

from __future__ import annotations

import pytest

from engine.blueprint import ABSENT, Message, Role
from engine.conversation import Conversation, ThreadTurn, Variant, conversation, subject_text, transcript, variants
from tests.engine.builders import NOWHERE, blueprint, prompt


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


def talk(*turns: tuple[Role, str | None], **fields: object) -> Conversation:
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


def test_a_transcript_divides_turns_by_dashes_and_marks_what_was_generated() -> None:
    thread = (
        ThreadTurn(USER, "a", generated=False),
        ThreadTurn(ASSISTANT, "b", generated=False),
        ThreadTurn(ASSISTANT, "c", generated=True),
    )
    line = "-" * 40
    assert transcript(thread) == f"USER:\na\n{line}\nASSISTANT (fixed):\nb\n{line}\nASSISTANT (generated):\nc"


def test_a_prompt_without_messages_has_nothing_to_generate() -> None:
    assert conversation(prompt(), blueprint().header).pending == 0
