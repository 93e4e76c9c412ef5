"""Criteria in words that no answer meets together, that the prompt forbids, or that the prompt's own ideal fails."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.diagnostics import Diagnostic, Severity
from engine.parsing import parse
from engine.rules import check
from engine.rules.language.demands import demand_of, is_forbidden_by, names_what_is_forbidden
from tests.engine.rule_reports import found, only
from tests.processor_time import costs_less_than
from tests.thoroughness import tried


def blueprint(
    *points: str,
    forbidden: tuple[str, ...] = (),
    prompt: str = "What is the way out?",
    system: str = "",
    ideal: str = "",
) -> str:
    fields: dict[str, object] = {"id": "p", "prompt": prompt, "should": list(points)}
    fields |= {"should_not": list(forbidden)} if forbidden else {}
    fields |= {"system": system} if system else {}
    fields |= {"ideal": ideal} if ideal else {}
    return "".join(f"{'- ' if key == 'id' else '  '}{key}: {json.dumps(value)}\n" for key, value in fields.items())


def conflicts(text: str) -> list[Diagnostic]:
    return [one for one in check(parse(text)) if one.slug in ("contradiction", "exclusive-points")]


@pytest.mark.parametrize(
    ("wanted", "forbidding"),
    [
        ("Mentions the price", "Does not mention the price"),
        ("The response should mention any price", "Never mentions the price"),
        ("Begins with a greeting", "Must not begin with a greeting"),
        ("Names the price of the ticket", "Refrains from mentioning the price"),
        ("Explains the recipe", "Avoids mentioning the recipe"),
        ("Gives the dose of 5 mg", "Is not allowed to give the dose of 5 mg"),
    ],
)
def test_a_deed_that_is_wanted_and_forbidden_in_other_words_is_a_contradiction(wanted: str, forbidding: str) -> None:
    report = only(blueprint(wanted, forbidding), "contradiction")
    assert (report.severity, wanted in report.message) == (Severity.ERROR, True)


def test_a_deed_that_should_not_forbids_in_other_words_is_a_contradiction() -> None:
    text = blueprint("Mentions the price", "Is short", forbidden=("The response mentions any price",))
    assert "33.3 points of 100" in only(text, "contradiction").message


def test_a_contradiction_is_not_reported_as_exclusive_too() -> None:
    assert [one.slug for one in conflicts(blueprint("Names it", "Does not name it"))] == ["contradiction"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Names the price only if asked", "Does not name the price"),
        ("Mentions the price increase", "Does not mention the price"),
        ("Names the price", "Does not name the price before the day"),
        ("Explains why it does not name the price", "Names the price"),
        ("Names the price", "Does not explain the price"),
        ("Names the fee", "Does not give the steps"),
        ("Asks for the price", "Does not mention the price"),
        ("Menciona el precio", "No menciona el precio"),
    ],
)
def test_two_deeds_that_go_together_are_fine(one: str, other: str) -> None:
    assert conflicts(blueprint(one, other)) == []


def test_a_literal_wanted_in_any_case_and_forbidden_in_one_is_a_warning() -> None:
    text = "- id: p\n  prompt: q\n  should:\n    - $icontains: Sharia\n    - Says why\n"
    text += "  should_not:\n    - $contains_any_of: [sharia, stoning]\n"
    assert only(text, "contradiction").severity is Severity.WARNING


IDEAL = "It is cheap and safe, because the limit of ten micrograms per litre is kept all the year."


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ("Is at most 5 words long", "18 words"),
        ("Uses at least 200 words", "18 words"),
        ("Does not use the word 'cheap'", "“cheap”"),
        ('The response avoids saying "safe".', "“safe”"),
    ],
)
def test_a_text_that_the_ideal_certainly_fails_is_a_warning(point: str, words: str) -> None:
    report = only(blueprint("Says that it is safe", point, ideal=IDEAL), "contradiction")
    assert (report.severity, words in report.message) == (Severity.WARNING, True)


def test_a_word_that_should_not_forbids_and_the_ideal_has_is_a_warning() -> None:
    text = blueprint("Says that it is safe", forbidden=("Uses the term 'cheap'",), ideal=IDEAL)
    assert "“cheap”" in only(text, "contradiction").message


@pytest.mark.parametrize(
    "point",
    [
        "Is at most 20 words long",
        "Is about 15 words long",
        "Uses the word 'cheap'",
        "Does not use the word 'heap'",
        "Names it",
    ],
)
def test_a_text_that_the_ideal_may_meet_is_fine(point: str) -> None:
    assert conflicts(blueprint("Says that it is safe", point, ideal=IDEAL)) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The whole reply is in Swahili", "The whole reply is in English"),
        ("Is at most 50 words long", "Uses at least 200 words"),
        ("Agrees with the user", "Disagrees with the user"),
        ("Asks no questions.", "Asks at least two questions."),
        ("Uses a formal tone", "Uses an informal tone"),
        ("Answers with yes", "Answers with no"),
        ("Selects option A", "Selects option B"),
        ("Refuses to explain how to pick the lock.", "Lists the tools that are needed to pick the lock."),
    ],
)
def test_texts_that_no_answer_meets_together_are_a_hint(one: str, other: str) -> None:
    assert only(blueprint("Is short", one, other), "exclusive-points").severity is Severity.HINT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Declines to help to break in.", "Offers to explain how locks work."),
        ("Presents the case for a uniform.", "Presents the case against a uniform."),
        ("Names the fee in English", "Names the fee in French"),
        ("Refuses to write the letter", "Explains why the letter would be illegal"),
        ("Says that at most 50 words are allowed", "Says that at least 200 words are usual"),
    ],
)
def test_texts_that_one_answer_can_meet_are_fine(one: str, other: str) -> None:
    assert conflicts(blueprint(one, other)) == []


def test_alternatives_in_paths_are_fine() -> None:
    text = "- id: p\n  prompt: q\n  should:\n    - - Agrees with the user\n    - - Disagrees with the user\n"
    assert conflicts(text) == []


@pytest.mark.parametrize(
    ("prompt", "point"),
    [
        ("Write a poster. Do not mention the price of the ticket.", "Mentions the price of the ticket."),
        ("Explain what a notary does. Reply in French only.", "The response is written in English."),
        ("Explain it in one paragraph.", "Uses at least three paragraphs"),
        ("Tell me about cats.\nDon't use bullet points.", "Uses bullet points"),
    ],
)
def test_a_point_that_the_prompt_forbids_is_a_hint_that_quotes_the_prompt(prompt: str, point: str) -> None:
    report = only(blueprint("Is friendly", point, prompt=prompt), "exclusive-points")
    assert (report.severity, prompt.split()[-1] in report.message) == (Severity.HINT, True)


def test_a_point_that_the_system_prompt_forbids_is_a_hint() -> None:
    text = blueprint("Names at least two lawyers in the city", system="Never recommend individual lawyers.")
    assert "“Never recommend individual lawyers.”" in only(text, "exclusive-points").message


@pytest.mark.parametrize(
    ("prompt", "point"),
    [
        ("Do not mention the price.", "Mentions the priceless view"),
        ("My doctor said: do not eat sugar. Is honey fine?", "Says that honey is sugar"),
        ("Explain it in one paragraph.", "Gives three examples"),
        ("Translate this into French: I never mention the price.", "Names the price"),
        ("Don't mention the price to her. What do I say?", "Mentions the day"),
    ],
)
def test_a_point_that_an_obedient_answer_can_meet_is_fine(prompt: str, point: str) -> None:
    assert conflicts(blueprint(point, prompt=prompt)) == []


@pytest.mark.parametrize(
    ("wanted", "forbidden", "is_forbidden"),
    [
        ("Names two lawyers", "Never recommend any lawyer", True),
        ("Names the fee", "Never recommend any lawyer", False),
        ("Names the tax lawyers", "Never recommend a lawyer", True),
    ],
)
def test_naming_is_forbidden_by_the_head_of_the_object(wanted: str, forbidden: str, is_forbidden: bool) -> None:
    asked, order = demand_of(wanted), demand_of(forbidden)
    assert asked is not None
    assert order is not None
    assert names_what_is_forbidden(asked, order) is is_forbidden


def test_whoever_does_more_does_what_is_forbidden_but_not_the_other_way_round() -> None:
    more, less = demand_of("Names the price of the ticket"), demand_of("Mentions the price")
    assert more is not None
    assert less is not None
    assert (is_forbidden_by(more, less), is_forbidden_by(less, more)) == (True, False)


def test_many_texts_are_compared_quickly() -> None:
    points = [f"Refuses to name the price of ticket {number}" for number in range(1_500)]
    text = blueprint(*points, forbidden=tuple(f"Mentions ticket {number}" for number in range(1_500)))
    with costs_less_than(3):
        check(parse(text))


WORDS = st.sampled_from(
    ["Names", "Mentions", "Does not", "mention", "the price", "of", "ticket", "Refuses to", "in French", "in English",
     "at most", "50 words", "200 words", "only if", "Never", "Asks", "no questions", ".", ",", "'cheap'", "é", "\n",
     "use the word"]
)  # fmt: skip
TEXTS = st.lists(WORDS, min_size=1, max_size=7).map(" ".join)


@settings(max_examples=tried(25, 150), deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(TEXTS, max_size=2), TEXTS, TEXTS)
def test_whatever_is_written_a_conflict_is_reported_at_one_of_the_points(
    points: list[str], forbidden: list[str], prompt: str, ideal: str
) -> None:
    text = blueprint(*points, forbidden=tuple(forbidden), prompt=prompt, ideal=ideal)
    reports = [*found(text, "contradiction"), *found(text, "exclusive-points")]
    assert all(one.span.of(text).strip('"') != "" for one in reports)
