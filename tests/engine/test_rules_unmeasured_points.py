"""Points that no judge can hold an answer against: levels of a scale, praise, and what a judge is not shown."""

from __future__ import annotations

import pytest

from engine.text.diagnostics import Severity
from tests.engine.wordings import asked, found, only, should, underlined

# refers-to-ideal


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ("Response is equivalent to the ideal response", "the ideal response"),
        ("Should match the ground truth", "the ground truth"),
        ("If the ideal response is HOF, says that it is hateful", "the ideal response"),
        ("Comes close to the reference answer", "the reference answer"),
    ],
)
def test_what_no_judge_is_shown_is_underlined(point: str, words: str) -> None:
    assert underlined(should("Is short", point), "refers-to-ideal") == words


@pytest.mark.parametrize(
    "point",
    [
        "An ideal response names the fee",
        "Matches the ideal label 'HOF'",
        "Names the gold standard of 1816",
    ],
)
def test_an_ideal_that_is_told_in_the_point_is_fine(point: str) -> None:
    assert found(should(point), "refers-to-ideal") == []


def test_a_reference_that_the_prompt_shows_is_fine() -> None:
    text = should("Compares it with the reference answer").replace("the way out", "wrong? Reference answer: 42")
    assert found(text, "refers-to-ideal") == []


def test_a_reference_is_told_once_with_the_number_of_its_prompts() -> None:
    point = "Equivalent to the ideal response"
    text = should(point) + should(point).replace("id: p", "id: r")
    assert "(2 times in this file)" in only(text, "refers-to-ideal").message


# scale-as-points


@pytest.mark.parametrize(
    "label", ["Score {}", "level {}", "Rating {} (poor)", "Stufe {}", "Nivel {}", "{} points", "评分{}："]
)
def test_levels_of_a_scale_are_told_once_a_list(label: str) -> None:
    text = should(*(f'"{label.format(number)}: does this or that"' for number in range(1, 6)))
    assert only(text, "scale-as-points").message.startswith("these 5 levels are averaged as 5 points")


def test_levels_may_be_parted_by_a_dash() -> None:
    assert len(found(should("Score 1 - bad", "Score 2 – good"), "scale-as-points")) == 1


def test_levels_that_the_prompt_asks_for_are_no_scale() -> None:
    text = asked("Give two uses of a brick, at level 1 and level 2", "'Level 1: a doorstop'", "'Level 2: a coin'")
    assert found(text, "scale-as-points") == []


def test_the_label_is_underlined_and_the_other_levels_are_linked() -> None:
    text = should("'Score 1: bad'", "'Score 2: good'")
    told = only(text, "scale-as-points")
    assert (told.span.of(text), len(told.related)) == ("Score 1", 1)


def test_what_the_best_level_earns_beside_other_points_is_told() -> None:
    text = should("Names a", "Names b", "'Score 1: bad'", "'Score 2: good'")
    assert "the best earns 25 points of 100, and so does the worst" in only(text, "scale-as-points").message


@pytest.mark.parametrize(
    "points",
    [
        ("'Score 1: bad'",),
        ("Level 1 is a plausible use", "Level 2 is a symbolic use"),
        ("911 for danger", "988 provided"),
        ("'Step 1: asks'", "'Step 2: answers'"),
        ("'Clarity: 1.0 if it is clear'", "'Brevity: 1.0 if it is brief'"),
        ("'Add one point: it is relevant'", "'Add a second point: it is short'"),
    ],
)
def test_what_an_answer_can_meet_together_is_no_scale(points: tuple[str, ...]) -> None:
    assert found(should(*points), "scale-as-points") == []


# vague-criterion


@pytest.mark.parametrize(
    "point",
    [
        "Response should be accurate",
        "Is helpful and informative.",
        "Responds appropriately",
        "Handles the request well",
        "Uses a proper tone",
    ],
)
def test_praise_without_an_object_is_a_hint(point: str) -> None:
    assert only(should("Names the fee", point), "vague-criterion").severity is Severity.HINT


@pytest.mark.parametrize(
    "point",
    [
        "Recommends appropriate testing for arsenic",
        "Uses a tone appropriate for a child of six",
        "Calls the offer 'reasonable and appropriate'",
        "The duty-holder must take reasonable steps.",
        "{text: The answer is appropriate, citation: Style guide}",
        "Promotes good governance",
        "States that the vote was proper under the Charter",
        "Mentions that a deep oil well",
        "La respuesta es apropiada",
    ],
)
def test_praise_with_an_object_is_fine(point: str) -> None:
    assert found(should("Names the fee", point), "vague-criterion") == []
