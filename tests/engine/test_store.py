"""Responses and grades outlive the program."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Block, Message, Prompt, Role
from engine.blueprint.conversation import Stop, StopReason
from engine.evaluation.events import Response, ThreadTurn
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import Approach, PanelJudge
from engine.judging.verdict import NoVerdict, Reason, Verdict
from engine.models.chat import ChatRequest, Turn, Usage
from engine.scoring.assessment import Criterion, Grade
from engine.store import PromptPlace, Store
from engine.text.record import replace
from engine.text.spans import Span

PLACE = PromptPlace("a.yml", "p1")
KIND = Criterion(Block.SHOULD, "Is kind")
TEXTS = st.text(st.characters(exclude_categories=()))
IN_MEMORY = Store(Path(":memory:"))
RUDE = Criterion(Block.SHOULD_NOT, "Is kind")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "studio.sqlite3"


def response(subject: str) -> Response:
    turn = ThreadTurn(Role.ASSISTANT, subject, generated=True, stop=Stop(StopReason.LENGTH, "max_tokens"))
    return Response(subject, (turn,), "m", 1.5, Usage(3, 4))


def forget_all_and_be_stopped(store: Store) -> None:
    with store.writing() as connection:
        connection.execute("DELETE FROM judgement")
        raise KeyboardInterrupt


def test_of_a_change_that_fails_half_way_nothing_is_kept(path: Path) -> None:
    store = Store(path)
    store.grade(PLACE, "the answer", KIND, Grade.ABSENT)
    with pytest.raises(KeyboardInterrupt):
        forget_all_and_be_stopped(store)
    assert store.grades(PLACE, "the answer") == {KIND: Grade.ABSENT}


def test_the_latest_response_comes_back_whole_after_a_restart(path: Path) -> None:
    store = Store(path)
    store.save_response(PLACE, "openai:m", response("first"))
    store.save_response(PLACE, "openai:m", response("second"))
    store.close()
    assert Store(path).latest_response(PLACE, "openai:m") == response("second")


def test_responses_of_another_source_are_not_mistaken_for_it(path: Path) -> None:
    store = Store(path)
    store.save_response(PLACE, "ideal", response("first"))
    assert store.latest_response(PLACE, "openai:m") is None


def test_grades_are_found_again_after_a_restart(path: Path) -> None:
    store = Store(path)
    store.grade(PLACE, "the answer", KIND, Grade.MAJORLY_PRESENT)
    store.close()
    assert Store(path).grades(PLACE, "the answer") == {KIND: Grade.MAJORLY_PRESENT}


def test_a_grade_belongs_to_one_answer(path: Path) -> None:
    store = Store(path)
    store.grade(PLACE, "the answer", KIND, Grade.FULLY_PRESENT)
    assert store.grades(PLACE, "another answer") == {}


def test_the_same_words_in_both_blocks_are_two_criteria(path: Path) -> None:
    store = Store(path)
    store.grade(PLACE, "x", KIND, Grade.FULLY_PRESENT)
    store.grade(PLACE, "x", RUDE, Grade.ABSENT)
    assert store.grades(PLACE, "x") == {KIND: Grade.FULLY_PRESENT, RUDE: Grade.ABSENT}


def test_a_later_grade_replaces_the_earlier_and_none_takes_it_back(path: Path) -> None:
    store = Store(path)
    store.grade(PLACE, "x", KIND, Grade.FULLY_PRESENT)
    store.grade(PLACE, "x", KIND, Grade.ABSENT)
    assert store.grades(PLACE, "x") == {KIND: Grade.ABSENT}
    store.grade(PLACE, "x", KIND, None)
    assert store.grades(PLACE, "x") == {}


@given(TEXTS)
def test_every_response_comes_back_as_it_was(text: str) -> None:
    IN_MEMORY.save_response(PLACE, "ideal", response(text))
    assert IN_MEMORY.latest_response(PLACE, "ideal") == response(text)


@given(TEXTS, TEXTS)
def test_every_grade_comes_back_for_its_criterion(answer: str, criterion: str) -> None:
    graded = Criterion(Block.SHOULD, criterion)
    IN_MEMORY.grade(PLACE, answer, graded, Grade.ABSENT)
    assert IN_MEMORY.grades(PLACE, answer)[graded] is Grade.ABSENT


def test_a_prompt_without_an_id_keeps_its_place_when_its_rubric_changes() -> None:
    said = (Message(Span(0, 1), Role.USER, "hello"),)
    one = Prompt(0, Span(0, 9), "hash-1", Span(0, 0), id_written=False, messages=said)
    two = Prompt(0, Span(0, 99), "hash-2", Span(0, 0), id_written=False, messages=said)
    assert PromptPlace.of(Path("a.yml"), one) == PromptPlace.of(Path("a.yml"), two)


# What judges said

REQUEST = ChatRequest("m", (Turn(Role.USER, "Is it kind?"),))
SAID = Judgement(
    PanelJudge("one", "here:m", Approach.STANDARD),
    "Is kind",
    (Attempt(REQUEST, "CLASS_ABSENT \ud800", Verdict(0.0, None, "No.")),),
    "this machine",
    key="k",
)


def test_what_a_judge_said_is_found_again_word_for_word_after_a_restart(path: Path) -> None:
    store = Store(path)
    store.save_judgement(SAID)
    store.close()
    assert Store(path).judgement(SAID.key) == SAID


def test_another_key_finds_nothing(path: Path) -> None:
    store = Store(path)
    store.save_judgement(SAID)
    assert store.judgement("another") is None


def test_the_newest_judgement_of_a_key_is_found(path: Path) -> None:
    store = Store(path)
    later = replace(SAID, attempts=(Attempt(REQUEST, "CLASS_ABSENT", Verdict(1.0, None, "Yes.")),))
    store.save_judgement(SAID)
    store.save_judgement(later)
    assert store.judgement("k") == later


def test_a_judge_that_has_not_judged_is_asked_anew(path: Path) -> None:
    store = Store(path)
    silent = replace(SAID, attempts=(Attempt(REQUEST, "", NoVerdict(Reason.EMPTY, "answered nothing")),))
    store.save_judgement(silent)
    assert store.judgement(silent.key) is None
    store.save_judgement(SAID)
    store.save_judgement(silent)
    assert store.judgement(silent.key) == SAID


def test_a_judgement_of_another_version_is_asked_anew(path: Path) -> None:
    store = Store(path)
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO judge_reply VALUES (1, 'k', '{\"later\": 1}', '')")
    assert store.judgement("k") is None
