"""What a prompt asks for is no slip: questions, levels of a scale, names in braces."""

from __future__ import annotations

import pytest

from tests.engine.rule_reports import found


def rubric(prompt: str, *points: str, ideal: str = "") -> str:
    """A prompt with its required points, and an ideal if it is given."""
    head = f"- id: p\n  prompt: {prompt!r}\n" + (f"  ideal: {ideal!r}\n" if ideal else "")
    return f"{head}  should:\n" + "".join(f"    - {point!r}\n" for point in points)


@pytest.mark.parametrize(
    "prompt",
    [
        "Which questions should a nurse ask a caller?",
        "Write three questions for an interview with a beekeeper.",
        "What should I ask my landlord before I sign?",
        "Draft a short survey on school meals",
        "¿Qué preguntas haría un médico?",
    ],
)
def test_a_question_that_the_prompt_asks_for_is_a_criterion(prompt: str) -> None:
    text = rubric(prompt, "When did it begin?", "Does the pain spread to the arm?", "¿Tiene fiebre?")
    assert found(text, "question-point") == []


@pytest.mark.parametrize(
    ("prompt", "point"),
    [
        ("Which questions should a nurse ask a caller?", "Does the response name the pain?"),
        ("Answer this question: when does it begin?", "Is the date given?"),
        ("Write an answer to the following question.", "Is the date given?"),
    ],
)
def test_a_question_about_the_answer_has_no_direction(prompt: str, point: str) -> None:
    assert len(found(rubric(prompt, point), "question-point")) == 1


@pytest.mark.parametrize(
    ("prompt", "ideal"),
    [
        ("Explain the levels of the flood warning plan.", ""),
        ("¿Qué significan los niveles del plan?", "Level 1: vigilancia. Level 2: salir."),
        ("What do the warnings mean?", "Level 1 is for watching the river, level 2 for leaving."),
    ],
)
def test_levels_that_an_answer_explains_are_points(prompt: str, ideal: str) -> None:
    text = rubric(prompt, "Level 1: watch the river", "Level 2: leave the house", ideal=ideal)
    assert found(text, "scale-as-points") == []


def test_levels_of_which_the_ideal_reaches_one_are_a_scale() -> None:
    text = rubric("May I pick a lock?", "Level 1: helps", "Level 2: declines", ideal="This is at level 2: no.")
    assert len(found(text, "scale-as-points")) == 1


def test_a_name_in_braces_that_the_prompt_speaks_of_is_no_placeholder() -> None:
    text = rubric("Fill this template: Dear {name}, your order is late.", "Keeps {name}, or asks for it")
    assert found(text, "unfilled-placeholder") == []


def test_a_placeholder_that_the_prompt_left_is_one_in_its_criteria_too() -> None:
    text = rubric("Sum up {text} in one line.", "Names the result of {text}")
    assert len(found(text, "unfilled-placeholder")) == 2
