"""Ideals that describe an answer instead of being one."""

from __future__ import annotations

import pytest

from engine.rules.functions.trial_subjects import describes_answer


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
