"""A conversation as turns to show: written, to be generated, generated, edited; and where the system prompt is from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint.conversation import Variant, conversation, variants, with_turn_edited
from engine.evaluation.events import Response
from engine.parsing import parse
from studio.session.run_selection import turns_before
from studio.session.views.answer_view import ShownTurn, TurnState, shown_turns
from tests.studio.text_files import text_file

TALK = text_file("thread.yml")


def shown(text: str, number: int = 0, **more: object) -> tuple[ShownTurn, ...]:
    blueprint = parse(text).blueprint
    variant = variants(blueprint.header)[number]
    return shown_turns(blueprint.prompts[0], blueprint.header, variant, **more)  # pyright: ignore[reportArgumentType]


def words(turns: tuple[ShownTurn, ...]) -> list[str]:
    return [f"{turn.text}|{(turn.origin or turn.state).value}" for turn in turns]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("system: A\n---\n- prompt: b\n", "A|from the header"),
        ("system: A\n---\n- prompt: b\n  system: C\n", "C|from this prompt"),
        ("system: A\n---\n- prompt: b\n  system: null\n", "|none: this prompt clears it with system: null"),
        ("systems: [A, null]\n---\n- prompt: b\n", "A|from this variant"),
        ("systems: [null, A]\n---\n- prompt: b\n", "|none in this variant"),
        ("title: t\n---\n- prompt: b\n", "b|written"),
        ("title: t\n---\n- prompt: b\n  system: null\n", "b|written"),
    ],
)
def test_a_thread_begins_with_the_system_prompt_and_where_it_is_from(text: str, said: str) -> None:
    assert words(shown(text))[0] == said


def test_what_arrived_is_generated_and_the_newest_turn_is_being_generated() -> None:
    assert words(shown(TALK, arrived=("a", "b"), running=True))[1:] == [
        "One?|written",
        "a|generated",
        "Two?|written",
        "Fixed.|written",
        "Three?|written",
        "b|being generated …",
    ]


def test_a_turn_that_stood_before_is_generated_while_the_next_one_is_waited_for() -> None:
    turns = shown(TALK, prefilled=("a",), running=True)
    assert [turn.state for turn in turns if turn.generated is not None] == [TurnState.GENERATED, TurnState.GENERATING]


def test_turns_know_their_place_in_the_blueprint() -> None:
    spans = [turn.span for turn in shown(TALK)[1:]]
    assert ["" if span is None else span.of(TALK) for span in spans] == [
        "user: One?",
        "assistant: null",
        "user: Two?",
        "ai: Fixed.",
        "user: Three?",
        "",
    ]


def test_a_thread_that_was_kept_is_laid_beside_the_messages() -> None:
    blueprint = parse(TALK).blueprint
    talk = conversation(blueprint.prompts[0], blueprint.header)
    went = shown(TALK, thread=talk.answered(["a", "b"]))
    kept = tuple(turn.__class__(turn.role, turn.content, turn.generated) for turn in talk.answered(["a", "b"]))
    assert shown(TALK, thread=kept) == went


def test_an_edited_turn_says_so() -> None:
    blueprint = parse(TALK).blueprint
    thread = with_turn_edited(conversation(blueprint.prompts[0], blueprint.header).answered(["a", "b"]), 2, "mine")
    assert words(shown(TALK, thread=thread))[2] == "mine|edited by you"


def test_a_conversation_that_was_stopped_shows_what_is_left_of_it() -> None:
    blueprint = parse(TALK).blueprint
    thread = conversation(blueprint.prompts[0], blueprint.header).answered(["a", "b"])[:3]
    assert words(shown(TALK, thread=thread, complete=False))[2:] == [
        "a|stopped before its end",
        "Two?|written",
        "Fixed.|written",
        "Three?|written",
        "|to be generated",
    ]


_MESSAGES = st.lists(st.sampled_from(["user: q", "assistant: null", "ai: w", "system: s"]), min_size=1, max_size=7).map(
    lambda lines: "- messages:\n" + "".join(f"    - {line}\n" for line in lines) + "    - user: last\n"
)


@given(_MESSAGES, st.lists(st.text("ab", min_size=1), min_size=8, max_size=8))
def test_a_whole_thread_has_the_turns_of_the_thread_as_written_in_their_places(text: str, said: list[str]) -> None:
    before = shown(text)
    blueprint = parse(text).blueprint
    talk = conversation(blueprint.prompts[0], blueprint.header, Variant())
    after = shown(text, thread=talk.answered(said[: talk.pending]))
    assert [(turn.role, turn.span, turn.generated) for turn in after] == [
        (turn.role, turn.span, turn.generated) for turn in before
    ]


@given(_MESSAGES, st.lists(st.text("ab", min_size=1), max_size=8))
def test_while_it_grows_a_thread_never_loses_or_moves_a_turn(text: str, arrived: list[str]) -> None:
    before, now = shown(text), shown(text, arrived=tuple(arrived), running=True)
    assert [(turn.role, turn.span) for turn in now] == [(turn.role, turn.span) for turn in before]
    assert sum(turn.state is TurnState.GENERATING for turn in now) <= 1


@given(st.lists(st.text("ab"), max_size=4), st.integers(0, 5))
def test_what_stood_before_a_turn_is_there_as_a_whole_or_not_at_all(said: list[str], number: int) -> None:
    blueprint = parse("- messages: [{user: a}, {ai: null}, {user: b}, {ai: null}, {user: c}, {ai: null}]\n").blueprint
    talk = conversation(blueprint.prompts[0], blueprint.header)
    thread = talk.answered(said) if said else ()
    before = turns_before(Response("", thread), number)
    assert before is None or len(before) == number
