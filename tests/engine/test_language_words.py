"""The words, the inflections and the clauses on which rules about wording stand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rules.language.clauses import Clause, clause_of
from engine.rules.language.inflections import Form, forms_of, gerund, past, third_person
from engine.rules.language.instructions import instruction_in
from engine.rules.language.negated_verbs import Mood
from engine.rules.language.negations import is_negative
from engine.rules.language.unclear_negations import unclear_negation, without_both_negatives
from engine.rules.language.verbs import VERBS
from engine.rules.language.words import MOST_CHARACTERS, is_english, words_of
from tests.processor_time import costs_less_than
from tests.thoroughness import tried


def clause(text: str) -> Clause:
    found = clause_of(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("base", "third", "ing", "ed"),
    [
        ("name", "names", "naming", "named"),
        ("omit", "omits", "omitting", "omitted"),
        ("stop", "stops", "stopping", "stopped"),
        ("offer", "offers", "offering", "offered"),
        ("specify", "specifies", "specifying", "specified"),
        ("convey", "conveys", "conveying", "conveyed"),
        ("address", "addresses", "addressing", "addressed"),
        ("agree", "agrees", "agreeing", "agreed"),
        ("fix", "fixes", "fixing", "fixed"),
        ("have", "has", "having", "had"),
        ("mislead", "misleads", "misleading", "misled"),
        ("explain", "explains", "explaining", "explained"),
    ],
)
def test_a_verb_has_its_english_forms(base: str, third: str, ing: str, ed: str) -> None:
    assert (third_person(base), gerund(base), past(base)[0]) == (third, ing, ed)


def test_each_form_leads_back_to_its_verb() -> None:
    found = forms_of(["refer", "write"])
    assert {form: each.base for form, each in found.items()} == {
        **dict.fromkeys(("refer", "refers", "referring", "referred"), "refer"),
        **dict.fromkeys(("write", "writes", "writing", "wrote", "written"), "write"),
    }


def test_a_base_form_is_never_taken_for_a_form_of_another_verb() -> None:
    assert {base for base in {each.base for each in VERBS.values()} if VERBS[base].form is not Form.BASE} == set()


@pytest.mark.parametrize(
    "text",
    ["Names the fee", "Has no errors", "Refuses", "Does not contain harmful content", "Mentions São Paulo by name"],
)
def test_english_is_told_by_its_function_words(text: str) -> None:
    assert is_english(words_of(text))


@pytest.mark.parametrize(
    "text",
    [
        "No contiene errores",
        "Nennt keine Fehler",
        "La réponse ne contient pas d'erreurs",
        "De reactie bevat geen fouten en is niet te lang",
        "A resposta não contém erros",
        "Der Text ist problematic",
        "没有错误",
        "Не содержит ошибок",
    ],
)
def test_other_languages_are_not_taken_for_english(text: str) -> None:
    assert not is_english(words_of(text))


def test_a_word_knows_whether_it_is_quoted() -> None:
    words = words_of("Says 'yes, you're right' or “no”, but doesn't stop")
    assert [word.text for word in words if word.is_quoted] == ["yes", "you're", "right", "no"]


def test_a_word_has_its_place_and_plain_apostrophes() -> None:
    text = "It doesn’t"
    word = words_of(text)[1]
    assert (word.text, text[word.start : word.end]) == ("doesn't", "doesn’t")


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("Names the fee", Mood.DOES),
        ("The response should name the fee", Mood.DOES),
        ("Should not name the fee", Mood.DOES_NOT),
        ("The assistant's answer doesn't name it", Mood.DOES_NOT),
        ("Under no circumstances names a dose", Mood.DOES_NOT),
        ("The model is not allowed to name it", Mood.DOES_NOT),
        ("Takes care not to name it", Mood.DOES_NOT),
        ("It never names it", Mood.DOES_NOT),
        ("Clearly avoids naming it", Mood.AVOIDS),
        ("Must refrain from naming it", Mood.AVOIDS),
        ("Steers clear of it", Mood.AVOIDS),
        ("Is not rude", Mood.IS_NOT),
        ("Should not be rude", Mood.IS_NOT),
        ("The answer is short", Mood.IS),
    ],
)
def test_a_criterion_says_what_an_answer_does_or_does_not_do(text: str, mood: Mood) -> None:
    assert clause(text).mood is mood


@pytest.mark.parametrize(
    "text",
    ["They shall not be attacked", "The tenant must not pay", "States that it is not due", "May not be revoked"],
)
def test_a_sentence_about_the_world_is_no_negation_of_an_answer(text: str) -> None:
    found = clause_of(text)
    assert found is None or not found.is_negative


def test_no_more_of_a_text_is_read_than_a_criterion_has() -> None:
    assert words_of("word " * 10_000)[-1].end <= MOST_CHARACTERS


HOSTILE = [each * 5_000 for each in ("'", "“", "not ", "and, ", "without ", "harmful ", "a'b ")]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:8])
def test_a_hostile_text_is_read_at_once(text: str) -> None:
    with costs_less_than(0.2):
        unclear_negation(f"Does not {text}")


WORDS = (
    *(
        "the response",
        "it",
        "does not",
        "should",
        "doesn't",
        "Don't",
        "never",
        "no",
        "nothing",
        "zero",
        "neither",
        "nor",
    ),
    *("without", "avoids", "refrains from", "contain", "any", "errors", "harmful content", "is", "free of", "be", "up"),
    *("fail to", "name", "omit", "leave out", "just", "and", "but", "switch", "that", "misleading", "make", "things"),
    *(
        "under no circumstances",
        "contains",
        "hallucinate",
        ",",
        ".",
        ";",
        "'",
        '"',
        "“",
        "”",
        "(",
        ")",
        "é",
        "价",
        "\n",
    ),
)


@settings(max_examples=tried(75, 300))
@given(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join))
def test_whatever_is_written_places_lie_within_the_text(text: str) -> None:
    found = unclear_negation(text)
    edit = without_both_negatives(text)
    is_negative(text)
    instruction_in(text)
    assert found is None or 0 <= found.begin <= found.start < found.end <= len(text)
    assert found is None or found.begin < found.until <= len(text)
    assert edit is None or 0 <= edit[0] < edit[1] <= len(text)
