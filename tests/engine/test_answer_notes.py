"""What is said of an answer that was cut, refused or thinks aloud, before its score is believed."""

from __future__ import annotations

import pytest

from engine.blueprint import Role
from engine.blueprint.conversation import Stop, StopReason, ThreadTurn, with_turn_edited
from engine.evaluation.events import Response, answer_json, answer_marks, answer_notes

WHOLE = Stop(StopReason.STOP, "stop")
CUT = Stop(StopReason.LENGTH, "max_tokens")


def answered(*stops: Stop | None, complete: bool = True) -> Response:
    turns = tuple(ThreadTurn(Role.ASSISTANT, "Hi.", generated=True, stop=stop) for stop in stops)
    return Response("\n\n".join(turn.content for turn in turns), turns, complete=complete)


def test_nothing_is_said_of_a_whole_answer() -> None:
    assert (answer_marks(answered(WHOLE)), answer_notes(answered(WHOLE))) == ((), ())


def test_nothing_is_said_of_an_answer_whose_end_is_not_known() -> None:
    assert (answer_marks(answered(None)), answer_notes(answered(None))) == ((), ())


def test_a_cut_answer_says_so_and_what_to_do() -> None:
    assert answer_marks(answered(CUT)) == ("cut off at the token limit",)
    [note] = answer_notes(answered(CUT))
    assert note.startswith("The answer was cut off at the token limit")
    assert "more tokens" in note


def test_a_cut_turn_is_named_and_makes_the_answer_cut() -> None:
    response = answered(CUT, WHOLE)
    assert response.stop == CUT
    assert answer_notes(response)[0].startswith("Turn 1 of 2 was cut off at the token limit")


def test_an_answer_that_the_author_stopped_says_so() -> None:
    assert answer_marks(answered(None, complete=False)) == ("stopped before its end",)


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        (Stop(StopReason.INTERRUPTED, "pause_turn"), "cut off by the server (pause_turn)"),
        (Stop(StopReason.TOOL_CALL, "tool_use"), "stopped to call a tool"),
        (Stop(StopReason.NOT_GIVEN), "does not say whether it is whole"),
        (Stop(StopReason.OTHER, "gleam"), "(gleam)"),
        (Stop(StopReason.REFUSAL, "stop"), "refused by the model in its own words"),
    ],
)
def test_every_unusual_end_has_its_note(stop: Stop, words: str) -> None:
    [note] = answer_notes(answered(stop))
    assert words in note


@pytest.mark.parametrize("reason", [StopReason.NOT_GIVEN, StopReason.OTHER, StopReason.REFUSAL, StopReason.SEQUENCE])
def test_what_may_be_whole_is_not_marked_as_cut(reason: StopReason) -> None:
    assert answer_marks(answered(Stop(reason))) == ()


def test_a_turn_that_the_author_edited_is_no_longer_cut() -> None:
    response = answered(CUT)
    edited = Response("Hi there.", with_turn_edited(response.thread, 0, "Hi there."))
    assert edited.cut == ""


def test_the_ends_of_all_turns_stand_in_the_result() -> None:
    assert answer_json(answered(CUT, WHOLE, None))["stopReason"] == {
        "reason": "length",
        "word": "max_tokens",
        "cut": True,
        "text": "cut off at the token limit",
        "turns": ["length", "stop", None],
    }


def test_nothing_stands_in_the_result_of_an_answer_that_nobody_generated() -> None:
    assert answer_json(Response("Hi.", ())) == {}


def test_a_think_block_stands_in_the_result() -> None:
    assert answer_json(Response("<think>one two</think> Hi.", ())) == {
        "thinkBlocks": {"count": 1, "tag": "<think>", "closed": True, "words": 2, "share": 0.8462}
    }


def test_a_think_block_is_said_to_be_scored_as_it_stands() -> None:
    [note] = answer_notes(Response("<think>one two</think> Hi.", ()))
    assert "a <think> block (2 words, 85% of its text)" in note
    assert "scored as it stands, as on Weval" in note


def test_a_think_block_without_its_end_is_said_to_be_open() -> None:
    [note] = answer_notes(Response("<think>one two", ()))
    assert "not closed" in note
