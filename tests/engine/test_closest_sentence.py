"""The closest sentence of an answer for a criterion: a place in the text, and no number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evidence.passages import closest_sentence, sentences

DEPOSIT = "Says that the deposit must be protected in a scheme"
COURT = "Mentions the county court"
ANSWER = "Bake the cake. A judge of the county court can hear it. Your money has to be held in a **protection** scheme."


def closest(criterion: str, answer: str) -> str | None:
    found = closest_sentence(criterion, answer)
    return None if found is None else found.of(answer)


@pytest.mark.parametrize(
    ("criterion", "answer", "sentence"),
    [
        (DEPOSIT, ANSWER, "Your money has to be held in a **protection** scheme."),
        (COURT, ANSWER, "A judge of the county court can hear it."),
        ("Names three leases in Paraná", "None.\n\n- The lease: 3, from Parana.\n", "The lease: 3, from Parana."),
        ("Называет старое дерево", "Привет. Это старое дерево.", "Это старое дерево."),
    ],
    ids=["endings", "words", "plurals, numbers, accents", "other letters"],
)
def test_the_sentence_that_shares_the_rarest_words_is_closest(criterion: str, answer: str, sentence: str) -> None:
    assert closest(criterion, answer) == sentence


def test_a_word_that_stands_in_few_sentences_counts_more() -> None:
    answer = "The county court sits here. The county court sits there. A deposit scheme of the court."
    assert closest("A court of the county keeps the deposit in a scheme", answer) == "A deposit scheme of the court."


def test_of_two_that_are_as_close_the_first_is_shown() -> None:
    assert closest(COURT, "A county court. The county court.") == "A county court."


@pytest.mark.parametrize(
    "answer",
    [
        "The court.",
        "Mentions that which others mention.",
        "Bake the cake.",
        " … ",
        "The county court. " * 4000,
    ],
    ids=["one shared word", "common words", "nothing shared", "no sentence", "a very long answer"],
)
def test_with_fewer_than_two_shared_rare_words_there_is_none(answer: str) -> None:
    assert closest(COURT, answer) is None


@given(st.lists(st.sampled_from(["The county court.", "A court!", "County.", "Hello?"]), max_size=6).map(" ".join))
def test_the_closest_sentence_is_one_of_the_answer(answer: str) -> None:
    assert closest_sentence(COURT, answer) in {*sentences(answer), None}
