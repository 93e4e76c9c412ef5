"""What lists call prompts: their own words, a phrase of many said once, and no two that look alike."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Message, Prompt, Role
from engine.parsing import parse
from engine.text.record import replace
from engine.text.spans import NOWHERE
from studio.session.prompt_names import own_words, prompt_names, shared_phrase, told_apart, without
from tests.engine.builders import prompt
from tests.thoroughness import one_in
from tests.world import CORPUS, corpus_files, needs_corpus

TEXTS = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "d", "Act,", "Act"]), min_size=1, max_size=14).map(" ".join), max_size=9
)


def saying(id: str, *turns: tuple[Role, str | None]) -> Prompt:
    return prompt(id=id, messages=tuple(Message(NOWHERE, role, content) for role, content in turns))


def asked(*texts: str) -> list[Prompt]:
    return [saying(f"p{number}", (Role.USER, text)) for number, text in enumerate(texts)]


def names(prompts: Sequence[Prompt]) -> list[str]:
    return list(prompt_names([replace(each, index=number) for number, each in enumerate(prompts)]).names)


@pytest.mark.parametrize(
    ("turns", "words"),
    [
        (((Role.USER, "What is\n  the  notice?"),), "What is the notice?"),
        (((Role.USER, "Hello"), (Role.ASSISTANT, None), (Role.USER, "And now?")), "And now?"),
        (((Role.USER, "Hello"), (Role.ASSISTANT, "Yes?")), "Hello"),
        (((Role.SYSTEM, "Be brief."),), "Be brief."),
        ((), ""),
    ],
)
def test_a_conversation_is_called_by_the_last_words_of_its_user(
    turns: tuple[tuple[Role, str | None], ...], words: str
) -> None:
    assert own_words(saying("p", *turns)) == words


@pytest.mark.parametrize(
    ("texts", "phrase"),
    [
        (["Under the Freedom of Information Act, who?", "What does the Freedom of Information Act, say?"],
         "the Freedom of Information Act,"),
        (["one two three x", "one two three y"], ""),  # three words
        (["one two three four", "five", "six", "seven"], ""),  # one of four
        (["one two three four x", "y one two three four", *"abcd"], "one two three four"),  # a third
        (["one two three four … x", "one two three four y"], ""),  # its own … would be misread
        (["a b c d elephant", "a b c d elephant", "a b c d"], "a b c d elephant"),  # spares most
        (["a b c d e"], ""),
        ([], ""),
    ],
)  # fmt: skip
def test_a_phrase_of_four_words_or_more_that_a_third_share_is_said_once(texts: list[str], phrase: str) -> None:
    assert shared_phrase(texts) == phrase


def test_prompts_that_share_all_their_words_or_have_none_are_called_by_their_ids() -> None:
    assert names(asked("Yes", "Yes", "", "No")) == ["p0 · Yes", "p1 · Yes", "p2", "No"]
    assert names([*asked("Yes"), *asked("Yes")]) == ["p0 · Yes", "p0#2 · Yes"]


@given(TEXTS)
def test_a_phrase_can_be_read_back_and_enough_texts_have_it(texts: list[str]) -> None:
    phrase = shared_phrase(texts)
    short = [without(phrase, text) for text in texts]
    assert [f" {text} ".replace(" … ", f" {phrase} ")[1:-1] for text in short] == texts
    if phrase:
        assert len(phrase.split(" ")) >= 4
        assert sum("…" in text.split(" ") for text in short) >= max(2, len(texts) / 3)


@given(TEXTS, st.integers(12, 40))
def test_what_is_seen_of_two_prompts_is_never_the_same(texts: list[str], width: int) -> None:
    called = names(asked(*texts))
    shown = told_apart(called, [f"p{number}" for number in range(len(texts))], lambda name: name[:width], width)
    assert len({name[:width] for name in shown}) == len(texts)


def test_a_name_goes_on_where_it_differs_from_those_that_begin_alike() -> None:
    called = ["Ambiguous context: two men met. Who lied?", "Ambiguous context: two men met. Write a note.", "Why?"]
    assert told_apart(called, ["a", "b", "c"], lambda name: name[:24], 24) == (
        "Ambiguous … Who lied?", "Ambiguous … Write a note.", "Why?"
    )  # fmt: skip


@needs_corpus
def test_no_two_prompts_of_a_file_of_the_corpus_look_alike() -> None:
    for file in one_in(10, corpus_files()):
        prompts = parse(file.read_text("utf-8"), file).blueprint.prompts
        called = prompt_names(prompts)
        for width in (36, 84, 130):
            shown = told_apart(
                called.names, [each.id for each in prompts], lambda name, width=width: name[:width], width
            )
            assert len({name[:width] for name in shown}) == len(prompts), file


@needs_corpus
def test_the_name_of_a_law_is_said_once_for_all_questions_about_it() -> None:
    file = CORPUS / "uk-foia.yml"
    called = prompt_names(parse(file.read_text("utf-8"), file).blueprint.prompts)
    assert called.phrase == "the UK Freedom of Information Act"
    assert called.names[1].startswith("Under … 2000, is a public authority required")
