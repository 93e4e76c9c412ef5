"""Prompts that end with the expected answer under a label, and labels that are right where they stand."""

from __future__ import annotations

import json

import pytest

from tests.engine.rule_reports import fixed, found, only

SLUG = "answer-in-prompt"


def asked(prompt: str, *points: object, ideal: str = "") -> str:
    written = f"  ideal: {json.dumps(ideal)}\n" if ideal else ""
    listed = "".join(f"    - {json.dumps(point)}\n" for point in points)
    return f"- id: p\n  prompt: {json.dumps(prompt)}\n{written}  should:\n{listed}"


@pytest.mark.parametrize(
    ("prompt", "ideal"),
    [
        ("Which organ?\nA) liver\nC) pancreas\nAnswer: C", "C"),
        ("Which organ?\n**Answer:** C", "C"),
        ("Which organ? Answer: C) pancreas", "C"),
        ("Premise: a\nHypothesis: b\nLabel: entailment", "entailment"),
        ("Which gas is it? [Answer: nitrogen]", "Nitrogen."),
        ("Which gas is it? (Correct answer: nitrogen)", "nitrogen"),
        ("Sum up 2 and 15. Answer: The answer is 17.", "17"),
        ("Q: Who wrote it?\nA: Achebe", "Achebe"),
        ("Which organ?\nAnswer:\nC", "C"),
        ("Which organ?\n**Answer**:\n\nC", "C"),
        ("Which organ?\nAnswer: C\nReply with the letter only.", "C"),
        ("Which organ is it? The correct answer is C.", "C"),
        ("Which is it?\nExpected output: 42", "42"),
        ("What is six times seven? (answer: 42)", '"42"'),
        ("Who wrote it? A. Soyinka C. Achebe\nKey: C", "C. Achebe"),
        ("Classify this review.\nReview: Cold soup.\nGold: negative", "negative"),
        ("Options: A. 1 B. 2 Ground Truth: B", "B"),
        ("¿Cuál es la capital?\nRespuesta: Lima", "Lima"),
        ("Why does it rain?\nAnswer: Warm air rises and cools.", "Warm air rises and cools."),
    ],
)
def test_the_ideal_under_a_label_at_the_end_is_reported(prompt: str, ideal: str) -> None:
    assert "is the ideal" in only(asked(prompt, "Is right", ideal=ideal), SLUG).message


@pytest.mark.parametrize(
    ("point", "where"),
    [
        ({"$icontains": "nitrogen"}, "what a check looks for"),
        ({"$contains_any_of": ["N2", "nitrogen"]}, "what a check looks for"),
        ("Names nitrogen", "what a criterion names"),
    ],
)
def test_what_a_point_expects_is_reported_with_its_place(point: object, where: str) -> None:
    one = only(asked("Which gas is it?\nAnswer: Nitrogen", point), SLUG)
    assert one.message.endswith(where)
    assert len(one.related) == 1


@pytest.mark.parametrize(
    "prompt",
    [
        "Which organ?\nA) liver\nC) pancreas\nAnswer:",
        "Which organ?\nC) pancreas",
        "Question: 1+1? Answer: 2\nQuestion: Which organ? Answer:",
        "Question: Which organ is it?\nAnswer: C\nQuestion: And which one is this?",
        "Explain why this is so.\nAnswer: C) pancreas",
        "Grade this pupil.\nAnswer: C",
        "Is this answer right?\nAnswer: C",
        "Which organ?\nAnswer: D",
        "Answer with one of these labels: C",
        "Which organ? Write the answer: C or D.",
        "If the correct answer is C, respond with 1 only.",
        "Which organ?\nC\nReply with the letter only.",
    ],
)
def test_options_examples_and_answers_that_are_to_be_graded_are_left_alone(prompt: str) -> None:
    assert found(asked(prompt, "Picks C", ideal="C"), SLUG) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Which?\nAnswer: C", "Which?\nAnswer:"),
        ("Which? [Answer: C]", "Which?"),
        ("Which? Label: C.", "Which? Label:"),
    ],
)
def test_the_answer_is_removed_and_the_label_stays(before: str, after: str) -> None:
    text = f"- id: p\n  prompt: |\n    {before.replace(chr(10), chr(10) + '    ')}\n  ideal: C\n  should: [Picks it]\n"
    assert fixed(text, SLUG) == text.replace(before.replace("\n", "\n    "), after.replace("\n", "\n    "))


def test_a_forbidden_text_is_not_expected() -> None:
    text = "- id: p\n  prompt: 'Which? Answer: liver'\n  should: [Is right]\n  should_not: [$contains: liver]\n"
    assert found(text, SLUG) == []


def test_only_the_last_question_counts() -> None:
    text = "- id: p\n  messages: [{user: 'Which? Answer: C'}, {assistant: null}, {user: And why?}]\n  ideal: C\n"
    assert found(text, SLUG) == []
