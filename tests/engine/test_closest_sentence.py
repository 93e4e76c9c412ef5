"""The closest sentence of an answer for each criterion: a place in the text, and no number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.closest_sentence import Closest, MiniLM, Sentence, closest_sentences, sentences
from engine.closest_sentence.closest import is_readable
from engine.models.weights import MINILM
from tests.closest_sentence.by_words import ByWords
from tests.closest_sentence.weights import INSTALLED_IN, needs_encoder
from tests.engine.builders import check, prompt, text

TREE, RIVER = "Names the tree", "Names the river"


def of(rubric: Prompt, answer: str) -> Closest:
    return closest_sentences(rubric, answer, ByWords())


def texts(found: Closest) -> dict[int, str | None]:
    return {index: None if sentence is None else sentence.text for index, sentence in found.items()}


def test_each_point_in_words_has_the_sentence_that_is_closest() -> None:
    answer = "Hello there. The tree is old. A river names a tree."
    found = of(prompt([text(TREE), check("contains", "x"), text(RIVER)]), answer)
    assert texts(found) == {0: "A river names a tree.", 2: "A river names a tree."}


def test_the_closest_sentence_has_its_place_in_the_answer() -> None:
    answer = "Nothing.\n\n- The **tree**.\n"
    closest = of(prompt([text(TREE)]), answer)[0]
    assert closest is not None
    assert closest.span.of(answer) == "The **tree**."


def test_of_two_that_are_as_close_the_first_is_shown() -> None:
    assert texts(of(prompt([text(TREE)]), "A tree. The tree.")) == {0: "A tree."}


def test_should_not_has_the_sentence_that_may_do_what_is_unwanted() -> None:
    assert texts(of(prompt([text(RIVER)], [text(TREE)]), "The tree. The river."))[1] == "The tree."


def test_an_answer_without_a_sentence_has_none() -> None:
    assert of(prompt([text(TREE)], [text(RIVER)]), " … ") == {0: None, 1: None}


def test_a_criterion_in_other_letters_is_left_out() -> None:
    assert of(prompt([text("Называет дерево"), text(TREE)]), "The tree.").keys() == {1}


def test_an_answer_in_other_letters_has_no_sentence_that_is_read() -> None:
    assert of(prompt([text(TREE)]), "Это дерево.") == {0: None}


def test_sentences_in_other_letters_are_passed_over() -> None:
    assert texts(of(prompt([text(TREE)]), "Это дерево. Hello.")) == {0: "Hello."}


@pytest.mark.parametrize(
    ("said", "read"), [("Ångström, §42", True), ("42", True), ("日本語 ok", False), ("да no", True)]
)
def test_most_letters_decide_whether_a_text_is_read(said: str, read: bool) -> None:
    assert is_readable(said) is read


def test_a_closest_sentence_has_no_number() -> None:
    assert Sentence.__struct_fields__ == ("span", "text")


@given(st.lists(st.sampled_from(["The tree.", "A river!", "Names.", "Hello?"]), max_size=6).map(" ".join))
def test_the_closest_sentence_is_one_of_the_answer(answer: str) -> None:
    found = of(prompt([text(TREE), text(RIVER)]), answer)
    assert set(found.values()) <= {*sentences(answer), None}


@needs_encoder
def test_the_installed_encoder_finds_the_sentence_that_speaks_of_the_criterion() -> None:
    encoder = MiniLM(INSTALLED_IN / "models" / MINILM.name)
    rubric = prompt([text("Says that the deposit must be protected in a scheme"), text("Mentions the county court")])
    answer = "Bake the cake. A judge of the local court can hear it. Your money has to be held in a protection scheme."
    try:
        found = closest_sentences(rubric, answer, encoder)
    finally:
        encoder.close()
    assert texts(found) == {
        0: "Your money has to be held in a protection scheme.",
        1: "A judge of the local court can hear it.",
    }
