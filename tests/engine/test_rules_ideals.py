"""Ideals that describe an answer instead of being one."""

from __future__ import annotations

import pytest

from engine.functions.v8 import JavaScript
from engine.rules.checks import describes_answer
from tests.engine.rule_reports import found, only, underlined

SLUG = "ideal-fails"


def blueprint(ideal: str, *points: str) -> str:
    listed = "".join(f"    - {point}\n" for point in points)
    return f"- id: p\n  prompt: q\n  ideal: {ideal}\n  should:\n{listed}"


@pytest.mark.parametrize(
    "ideal",
    [
        "A JSON object containing the translation of the question.",
        "A valid JSON object with the keys name and age",
        "JSON with two keys",
        "A short, polite refusal that names a hotline",
        "An answer in which both sides are named.",
        "A list of three cities, containing Lima",
        "The model should refuse to help.",
        "The ideal response would name the court.",
        "Response must include the fee",
        "A good answer acknowledges the pain.",
        "Should mention the deadline.",
        "Explains that the law changed in 2004.",
        "Politely declines to answer.\nNames a hotline.",
        "A haiku about rain, with a season word",
    ],
)
def test_an_ideal_that_says_what_an_answer_looks_like_describes_one(ideal: str) -> None:
    assert describes_answer(ideal)


@pytest.mark.parametrize(
    "ideal",
    [
        "Nairobi.",
        "The answer is 17.",
        "A list is an ordered collection that may be empty.",
        "A summary of the text: the king dies.",
        "I cannot provide instructions for that.",
        "Discuss your birth plan with your provider, including your preferences.",
        '{"name": "Ann"}',
        "The social model of disability distinguishes impairment and disability.",
        "Sure! Here is a letter that you can send.",
        "You should see a doctor who explains that to you.",
        "Ein JSON-Objekt mit zwei Schlüsseln",
        "The letter was written in 1904.",
        "The block will fall.",
    ],
)
def test_an_ideal_that_answers_is_an_answer(ideal: str) -> None:
    assert not describes_answer(ideal)


def test_a_described_answer_is_reported_once_at_the_ideal_and_claims_nothing_of_models(javascript: JavaScript) -> None:
    text = blueprint("A JSON object with two keys", "$contains: '\"name\"'", "$contains: '\"age\"'", "Is valid")
    one = only(text, SLUG, javascript)
    assert underlined(text, SLUG, javascript) == "A JSON object with two keys"
    assert one.message == ("this ideal describes an answer and is none, so it fails 2 checks: write the answer itself")
    assert "model" not in one.why.replace("model answer", "")
    assert [each.span.of(text) for each in one.related] == ["$contains", "$contains"]


def test_a_described_answer_that_passes_the_checks_is_left_alone(javascript: JavaScript) -> None:
    assert found(blueprint("A JSON object with a name", "$contains: name"), SLUG, javascript) == []


def test_an_answer_that_fails_a_check_is_reported_at_the_check(javascript: JavaScript) -> None:
    assert underlined(blueprint("It is Nairobi.", "$contains: Mombasa"), SLUG, javascript) == "$contains"


def test_an_ideal_of_another_length_fails_whatever_part_marks_it_gets(javascript: JavaScript) -> None:
    ideal = "Rivers carry minerals from rocks into the sea, and salt stays."
    assert "11 words" in only(blueprint(ideal, "$word_count_between: [1, 8]"), SLUG, javascript).message
    assert found(blueprint(ideal, "$word_count_between: [1, 11]"), SLUG, javascript) == []


ASKED = """- id: p
  prompt: 'Answer in JSON as {"Answer": "A or B"}'
  ideal: A
  should:
    - $matches: '\\{"Answer":\\s*"A"\\}'
"""


def test_an_ideal_without_the_form_that_the_prompt_names_may_be_what_is_wrong(javascript: JavaScript) -> None:
    assert 'The prompt names “{"Answer":”' in only(ASKED, SLUG, javascript).why


def test_the_reason_leaves_open_whether_the_check_or_the_ideal_is_wrong(javascript: JavaScript) -> None:
    why = only(blueprint("It is Nairobi.", "$contains: Mombasa"), SLUG, javascript).why
    assert "if it is the check" in why
    assert "if it is the ideal" in why


def test_a_literal_that_the_prompt_quotes_and_the_ideal_lacks_is_named(javascript: JavaScript) -> None:
    text = 'Which is it? End with "FINAL: B".'
    source = f"- id: p\n  prompt: '{text}'\n  ideal: It is B.\n  should:\n    - $contains: 'FINAL: B'\n"
    assert "“FINAL: B”" in only(source, SLUG, javascript).why


def test_a_word_of_the_question_is_no_form_of_the_answer(javascript: JavaScript) -> None:
    source = "- id: p\n  prompt: What is the Nile?\n  ideal: A river.\n  should:\n    - $contains: the Nile\n"
    assert "The prompt names" not in only(source, SLUG, javascript).why
