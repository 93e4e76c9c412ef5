"""Scales, measures, references and permissions in criteria, in the forms of school rubrics and published sets."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rules.language.ideals import reference_in
from engine.rules.language.permissions import permission_in
from engine.rules.language.scales import grade_of, level_of, measure_in
from tests.engine.rule_reports import HEAD, found, only, should
from tests.processor_time import costs_less_than
from tests.thoroughness import tried


def referred(text: str) -> str | None:
    reference = reference_in(text)
    return None if reference is None else text[reference.start : reference.end]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Is the same as the expected output", "the expected output"),
        ("Covers every element of the gold-standard answer.", "the gold-standard answer"),
        ("Contains the three marking points of the model answer", "the model answer"),
        ("The option is consistent with the answer key", "the answer key"),
        ("Semantically similar to idealResponse", "idealResponse"),
        ("Gives the same conditions as in the sample answer", "the sample answer"),
        ("As in the ideal response, names the fee", "the ideal response"),
        ("Does not deviate from the reference solution", "the reference solution"),
        ("Is at least as good as the reference answer", "the reference answer"),
        ("Matches the ideal.", "the ideal"),
        ("Includes all facts in the reference text", "the reference text"),
        ("The number corresponds to the expected answer", "the expected answer"),
        ("Covers all key facts listed in the ideal.", "the ideal"),
        ("Is as good as or better than the reference.", "the reference"),
    ],
)
def test_whatever_the_ideal_is_called_no_judge_sees_it(text: str, words: str) -> None:
    assert referred(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "Says that there is no single ideal weight",
        "Close to the ideal of a good citizen",
        "Refers to the ideal gas law",
        "States the correct answer, 42.2 km",
        "Explains what ground truth means in remote sensing",
        "Mentions that the reference must name the landlord",
        "Follows the given example",
        "Is based on the provided text",
        "Compares the two given answers",
        "Includes an answer key with ten items",
        "Says that BLEU compares n-grams with a reference translation",
        "An ideal answer covers what the ideal response would be",
        "Entspricht der reference answer und ist nicht zu lang",
    ],
)
def test_an_ideal_that_is_content_or_known_is_no_reference(text: str) -> None:
    assert referred(text) is None


def test_a_provided_solution_that_the_prompt_provides_is_shown() -> None:
    point = "The move is identical to the provided solution"
    shown = f"- id: p\n  prompt: 'Solution: Qg7. Is it mate?'\n  should:\n    - {point}\n"
    assert (len(found(should(point), "refers-to-ideal")), found(shown, "refers-to-ideal")) == (1, [])


@pytest.mark.parametrize(
    "labels",
    [
        ("Excellent", "Good", "Fair", "Poor"),
        ("Grade A", "Grade B"),
        ("Full credit", "Partial credit", "No credit"),
        ("100%", "50%", "0%"),
        ("Exceeds expectations", "Meets expectations"),
        ("Pass", "Fail"),
        ("High", "Medium", "Low"),
        ("5/5", "3/5"),
        ("Level one", "Level two"),
        ("Best", "Worst"),
        ("Green", "Amber", "Red"),
        ("4 pts", "2 pts"),
    ],
)
def test_levels_are_known_by_numbers_and_by_words(labels: tuple[str, ...]) -> None:
    text = should(*(f'"{label}: does this or that"' for label in labels))
    assert only(text, "scale-as-points").message.startswith(f"these {len(labels)} levels")


@pytest.mark.parametrize(
    "points",
    [
        ("'Good: names it'", "'High: names it'"),
        ("Good governance is named", "Poor people are named"),
        ("'Risk: names it'", "'Cost: names it'"),
        ("Low-income families are named", "High taxes are named"),
        ("'Excellent: names it'",),
        ("Passes the ball", "Fails the test"),
    ],
)
def test_words_that_are_no_labels_of_one_scale_are_fine(points: tuple[str, ...]) -> None:
    assert found(should(*points), "scale-as-points") == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ASR: 1.0 if it complies", "1.0 if"),
        ("Gets 2 points if the date is named", "2 points if"),
        ("Contains a slur (rating 10)", "(rating 10)"),
        ("Is empathic (1 = strongly disagree, 5 = strongly agree)", "1 = strongly disagree, 5 ="),
        ("Rate the clarity from 1 to 10", "Rate the clarity from 1"),
        ("Scores at least 4 out of 5 on helpfulness", "Scores at least 4 out of 5"),
        ("Classification accuracy ≥ 90%", "accuracy ≥ 90"),
        ("F1 >= 0.8", "F1 >= 0.8"),
        ("ROUGE-L above 0.5", "ROUGE-L above 0.5"),
        ("Helpful on a scale of 1 to 5", "on a scale of 1"),
        ("Names coal (2 points)", "(2 points)"),
        ("+1 for hand washing", "+1 for"),
        ("At least 80% accuracy", "At least 80% accuracy"),
        ("Names coal = 2 points", "= 2 points"),
        ("Award one point for each cause", "Award one point"),
        ("Recall@5 ≥ 0.8 against our list", "Recall@5 ≥ 0.8"),
        ("Cohen's kappa with the coder is at least 0.7", "kappa with the coder is at least 0.7"),
    ],
)
def test_a_measure_is_found_with_its_number(text: str, words: str) -> None:
    measure = measure_in(text)
    assert measure is not None
    assert text[measure.start : measure.end] == words


@pytest.mark.parametrize(
    "text",
    [
        "Maintains factual accuracy about the treaty, signed in 1840",
        "States a magnitude 7.8 or about 7.8",
        "Adds the scores to 11",
        "Three penalty points and a fine of £100",
        "Explains that an F1 above 0.8 is rare",
        "Gives an example with 0.5 and 1.0",
        "Calls 112 if there is danger",
        "Identifies that Thai has majority support (5 out of 8 people)",
        "Names one of the 2 causes if asked",
        "Says that the rate is above 5%",
        "Return 'yes' or 'no' and an integer score (0-5).",
    ],
)
def test_a_number_that_the_answer_states_is_no_measure(text: str) -> None:
    assert measure_in(text) is None


def test_measures_are_reported_once_a_file_with_their_places() -> None:
    text = should("'ASR: 1.0 if it complies'", "'RR: 1.0 if it refuses'")
    text += text.replace("id: p", "id: r")
    report = only(text, "metric-as-point")
    assert ("(4 points in 2 prompts)" in report.message, len(report.related)) == (True, 3)


def test_marks_are_a_weight() -> None:
    assert only(should("Names coal (2 points)"), "metric-as-point").message.endswith("give the point a `weight`")


def test_levels_of_a_scale_are_not_reported_twice() -> None:
    assert found(should("'Score 1: 1.0 if bad'", "'Score 2: 1.0 if good'"), "metric-as-point") == []


@pytest.mark.parametrize(
    "text",
    [
        "The response can offer a follow-up question",
        "Mentions units (not required)",
        "It is acceptable to also name tablets",
        "The answer is free to mention the court",
        "If possible, names the year",
        "Nice to have: names the year",
        "Extra credit: names the year",
        "Names the year (if possible)",
        "It is not necessary to name the year",
        "Feel free to add a pun",
        "A plus if it knows the union",
        "Naming the strings would earn extra marks",
        "Models can add a warning on fluoride if they so wish",
        "The answer need not mention the coda",
        "It would be nice if it had an address",
        "Names the year if possible",
    ],
)
def test_what_is_only_allowed_is_found_in_every_form(text: str) -> None:
    assert permission_in(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "The request must be in writing (email is acceptable).",
        "A public authority is not required to reply",
        "States that the user may appeal",
        "The response can be verified by the source",
        "Offers an optional exercise at the end",
        "May elections in Ruritania are not known to it",
        "Names the tax (not the fee)",
    ],
)
def test_what_the_content_allows_is_required_all_the_same(text: str) -> None:
    assert permission_in(text) is None


@pytest.mark.parametrize(
    "point",
    [
        "Whether the response names the regulation.",
        "Check whether there are pictures",
        "Can the reader tell from the answer how it is measured",
        "Mentions the cereal (yes/no)",
        "In what ways does the response weigh the price?",
    ],
)
def test_a_question_is_found_without_its_mark(point: str) -> None:
    assert len(found(should("Names it", point), "question-point")) == 1


@pytest.mark.parametrize(
    "point",
    [
        "Says whether the fee is due",
        "Asks how well it went",
        "Is the first to name it",
        "Is kind, whether or not asked",
    ],
)
def test_a_statement_with_a_question_in_it_is_fine(point: str) -> None:
    assert found(should("Names it", point), "question-point") == []


@pytest.mark.parametrize(
    "point",
    [
        "The answer is good and complete",
        "Answer is correct",
        "Correctly answers the question",
        "Responds to the user helpfully",
        "Is thorough and clear.",
    ],
)
def test_praise_is_vague_in_other_words_too(point: str) -> None:
    assert len(found(should("Names it", point), "vague-criterion")) == 1


@pytest.mark.parametrize(
    "point",
    [
        "Is grammatically correct",
        "Correctly names the treaty",
        "Is clear about the dose",
        "Answers the question in French",
    ],
)
def test_praise_with_a_measure_is_fine_in_other_words_too(point: str) -> None:
    assert found(should("Names it", point), "vague-criterion") == []


@pytest.mark.parametrize(
    "point",
    [
        "Should the user be a minor, mentions the consent of the parents",
        "Assuming that the user is alone, asks who is near",
        "In case of danger, gives a number",
        "Provided that the lease is written, names the notice",
    ],
)
def test_a_condition_is_found_in_other_words_too(point: str) -> None:
    assert len(found(should("Names it", point), "conditional-point")) == 1


BITS = ("1 = strongly ", "same as the ", "(rating ", "(not ", "1 point if ", "good and ", "score ")
HOSTILE = [each * 3_000 for each in BITS]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:8])
def test_a_hostile_text_is_read_at_once(text: str) -> None:
    with costs_less_than(1):
        for read in (reference_in, permission_in, measure_in, grade_of, level_of):
            read(text)
        found(f"{HEAD}  should:\n    - 'x {text}'\n", "vague-criterion")


PARTS = st.sampled_from(
    ["score 1", "excellent", ":", "-", "(rating 10)", "the ideal", "answer", "same as", "may", "mention", "F1", "≥",
     "1.0", "if", "é", "価", "'", "(", ")", "not required", "correct", "key", "points", "\n", "is", "good"]
)  # fmt: skip


@settings(max_examples=tried(50, 200))
@given(st.lists(PARTS, max_size=12).map(" ".join))
def test_whatever_is_written_places_lie_within_the_text(text: str) -> None:
    reference, measure, grade, permission = reference_in(text), measure_in(text), grade_of(text), permission_in(text)
    places = [(each.start, each.end) for each in (reference, measure) if each is not None]
    places += [each[:2] for each in (grade, permission) if each is not None]
    assert all(0 <= start < end <= len(text) for start, end in places)
