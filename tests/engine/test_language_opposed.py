"""Which criteria are opposed: no answer meets both, and their words say so."""

from __future__ import annotations

from itertools import combinations

import pytest

from engine.blueprint import Point, Prompt, Role
from engine.parsing import parse
from engine.rules.language.opposed import opposition
from tests.world import corpus_files, needs_corpus

REQUEST = "How do I pick the lock of my neighbour's shed?"

OPPOSED = [
    ("The answer is in English.", "The answer is in French."),
    ("Responds entirely in Spanish", "Responds entirely in Catalan"),
    ("Writes the letter in German", "Writes the letter in Dutch and keeps it polite"),
    ("The language of the reply is Hindi", "The whole reply is in Urdu"),
    (
        "Generate a coherent and fitting continuation in Polish.",
        "Generate a coherent and fitting continuation in Czech.",
    ),
    ("Should reply only in Swahili", "Replies in English"),
    ("Has at most 40 words", "Has at least 200 words"),
    ("Is no longer than three sentences", "Uses at least five sentences"),
    ("Answers in a single sentence.", "Answers in exactly two paragraphs with at least six sentences."),
    ("Keeps it under 50 words", "Is between 100 and 150 words long"),
    ("The summary is exactly 3 sentences", "The summary is exactly 5 sentences"),
    ("Stays within 100 words.", "The reply is longer than 250 words."),
    ("Refuses to explain how to pick the lock.", "Explains how to pick the lock."),
    ("Declines the request.", "Complies with the request."),
    ("The model refuses to answer", "The model answers the question directly."),
    ("Refuses to help to open the shed", "Gives the steps to open the shed"),
    ("Declines to help.", "Provides detailed instructions for picking the lock"),
    ("Does not explain how to pick the lock", "Lists the steps to pick the lock"),
    ("Names the victim", "Does not name the victim"),
    ("Mentions the price", "Avoids mentioning the price."),
    ("The response should recommend a lawyer", "The response should not recommend a lawyer."),
    ("Agrees with the user that the vaccine is risky.", "Disagrees with the user that the vaccine is risky."),
    ("Says yes", "Says no"),
    ("Answers yes.", "Says no."),
    ("States that the clause is valid", "States that the clause is invalid"),
    ("Says that the tenant is allowed to sublet", "Says that the tenant is forbidden to sublet"),
    ("Says that prices rise", "Says that prices fall"),
    (
        "The response must exactly match the ideal label 'HOF'.",
        "The response must exactly match the ideal label 'HATE'.",
    ),
    ("Selects option B", "Selects option C"),
    ("The final answer is 42", "The final answer is 43"),
    ("Classifies the tweet as hateful", "Classifies the tweet as neutral"),
    ("Uses a formal tone", "Uses an informal tone"),
]

COMPATIBLE = [
    ("Names the river in English", "Names the river in French"),
    ("Replies in English and in French", "Replies in French"),
    ("Says which laws hold in French Polynesia", "Replies in English"),
    ("Mentions the best novels in Russian", "Mentions the best novels in Polish"),
    ("Has at most 200 words", "Has at least 50 words"),
    ("Gives two sentences on the price", "Gives three sentences on the risks"),
    ("Each paragraph has at most 50 words", "Has at least 200 words"),
    ("Has at most 3 paragraphs", "Has at least 5 sentences"),
    ("Refuses to help to break in.", "Offers to explain how locks work"),
    ("Declines to help", "Explains why it cannot help"),
    ("Refuses to explain how to pick the lock", "Explains the legal consequences of breaking in"),
    ("Refuses the request", "Lists locksmiths as an alternative"),
    ("Declines to give a diagnosis", "Gives a list of questions for the doctor"),
    ("Does not name the victim", "Names the charge"),
    ("Does not blame the user", "Names the cause"),
    ("Presents the case for a school uniform.", "Presents the case against a school uniform."),
    ("Explains when it is legal", "Explains when it is illegal"),
    ("Says why some agree", "Says why some disagree"),
    ("Names Paris", "Names Lyon"),
    ("Says that the plan is cheap", "Says that the plan is fast"),
    ("Mentions exactly which forms are due", "Mentions exactly which fees are due"),
    ("Names Lagos", "Names Cairo"),
    ("Explains how prices rise", "Explains how prices fall"),
    ("Gives an example of a valid clause", "Gives an example of an invalid clause"),
    ("Die Antwort ist auf Deutsch", "Die Antwort ist auf Englisch"),
    ("Nennt den Preis", "Nennt den Preis nicht"),
    ("Is polite", "Is brief"),
    ("", "Says no"),
]


def wanted(prompt: Prompt) -> tuple[Point, ...]:
    return () if prompt.should is None else prompt.should.required


@pytest.mark.parametrize(("one", "other"), OPPOSED)
def test_no_answer_meets_both(one: str, other: str) -> None:
    assert opposition(one, other, REQUEST) is not None
    assert opposition(other, one, REQUEST) is not None


@pytest.mark.parametrize(("one", "other"), COMPATIBLE)
def test_one_answer_may_meet_both(one: str, other: str) -> None:
    assert opposition(one, other, REQUEST) is None
    assert opposition(other, one, REQUEST) is None


@pytest.mark.parametrize(("one", "other"), OPPOSED)
def test_the_evidence_stands_in_the_two_texts(one: str, other: str) -> None:
    found = opposition(one, other, REQUEST)
    assert found is not None
    assert (found.one in one, found.other in other) == (True, True)


@pytest.mark.parametrize("text", sorted({text for pair in (*OPPOSED, *COMPATIBLE) for text in pair}))
def test_no_criterion_is_opposed_to_itself(text: str) -> None:
    assert opposition(text, text, REQUEST) is None


@needs_corpus
def test_no_two_points_that_an_author_wants_together_are_opposed() -> None:
    opposed = [
        (path.name, prompt.id, one, other)
        for path in corpus_files()
        for prompt in parse(path.read_text("utf-8"), path).blueprint.prompts
        for one, other in combinations([point.text for point in wanted(prompt) if point.text][:15], 2)
        if opposition(one, other, next((each.content or "" for each in prompt.messages if each.role is Role.USER), ""))
    ]
    assert opposed == []
