"""The best impostor beside an ideal: named only where it is near whatever is not judged, and never a right answer."""

from __future__ import annotations

from collections.abc import Iterable
from json import dumps

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Blueprint
from engine.evaluation.sources import REFUSAL
from engine.functions.v8 import JavaScript
from engine.judging.panel import panel
from engine.parsing import parse
from engine.scoring.assessment import Bounds, Criterion, Grade
from engine.study.case import Case, prompt_names
from engine.study.case_reader import read_cases
from engine.study.case_scoring import NEAR, BesideIdeal, CaseCheck, beside_ideal, impostors

RENT = """\
- id: rent
  prompt: When is the rent due, on the 3rd or on the 5th?
  ideal: It is due on the 3rd.
  should: {should}
- id: notice
  prompt: What is the notice?
  ideal: A month, so until the 3rd of the next.
  should: [$contains: month]
"""


def of_rent(should: str) -> Blueprint:
    """A file in which the first of two prompts has these points."""
    return parse(RENT.replace("{should}", should)).blueprint


def labelled(*answers: str) -> tuple[Case, ...]:
    """Cases of that prompt that call these answers good."""
    return read_cases("cases:\n" + "".join(f"  - {{prompt: rent, answer: {each}, label: good}}\n" for each in answers))[
        0
    ].cases


def found(javascript: JavaScript, blueprint: Blueprint, graded: Iterable[tuple[str, str, Grade]] = ()) -> BesideIdeal:
    """What comes nearest to the first ideal; people graded answers on criteria."""

    def grades(prompt: object, subject: str) -> dict[Criterion, Grade]:
        block = blueprint.prompts[0].rubrics[0].block
        return {Criterion(block, criterion): grade for answer, criterion, grade in graded if answer == subject}

    check = CaseCheck(blueprint, javascript, panel(blueprint.header), grades=grades)
    beside = beside_ideal(check, prompt_names(blueprint)[0])
    assert beside is not None
    return beside


@pytest.mark.parametrize(
    ("should", "figures"),
    [
        ("[$contains: 3rd, $contains: due]", "ideal 100 · the prompt repeated 100"),
        ("[$contains: It is due]", "ideal 100 · the criteria pasted 100"),
        ("[$matches: '^It', $not_contains: 5th]", ""),
        ("[$not_contains: notice]", "ideal 100 · an empty answer 100"),
        ("[$matches: '3rd(?! or)', $not_contains: 5th]", "ideal 100 · another prompt's ideal 100"),
        ("[$matches: '^It is due']", ""),
        ("[Names the day, $not_contains: notice]", ""),
    ],
)
def test_the_impostor_that_comes_nearest_is_named_where_it_is_near(
    javascript: JavaScript, should: str, figures: str
) -> None:
    assert found(javascript, of_rent(should)).figures == figures


def test_in_words_a_grade_of_this_very_answer_counts_and_nothing_else(javascript: JavaScript) -> None:
    blueprint = of_rent("[Names the day, Is polite]")
    ideal, refusal = blueprint.prompts[0].ideal or "", REFUSAL
    met = [(ideal, "Names the day", Grade.FULLY_PRESENT), (ideal, "Is polite", Grade.ABSENT)]
    assert found(javascript, blueprint, met).figures == ""
    half = [*met, (refusal, "Is polite", Grade.MAJORLY_PRESENT)]
    assert found(javascript, blueprint, half).figures == "ideal 50 · a refusal at least 38"


SCORES = st.floats(0, 1)


@given(SCORES, SCORES, SCORES, SCORES)
def test_a_named_impostor_is_near_whatever_the_missing_verdicts_will_be(
    one: float, two: float, three: float, four: float
) -> None:
    ideal, best = Bounds(*sorted((one, two))), Bounds(*sorted((three, four)))
    beside = BesideIdeal(ideal, "a refusal", best)
    furthest = max(score - other for score in (ideal.low, ideal.high) for other in (best.low, best.high))
    assert beside.is_near is (furthest <= NEAR + 1e-9)
    assert bool(beside.figures) is beside.is_near


TEXTS = st.sampled_from(["It is due on the 3rd.", "A month.", REFUSAL, "I'm sorry, no.", "", "Names the day"])


@given(TEXTS, TEXTS, TEXTS, st.lists(TEXTS.filter(bool), max_size=2))
def test_what_may_be_right_is_no_impostor(ideal: str, question: str, other: str, good: list[str]) -> None:
    own, asked, others = map(dumps, (ideal, question, other))
    prompts = parse(
        f"- {{id: rent, prompt: When?, ideal: {own}, should: [Names the day, Is polite]}}\n"
        f"- {{id: notice, prompt: {asked}, ideal: {others}, should: [Is short]}}\n"
        "- {id: same, prompt: When?, ideal: The same., should: [Is short]}\n"
        "- {id: alike, prompt: Who?, ideal: Alike., should: [Names the day, Is polite]}\n"
    ).blueprint.prompts
    texts = [text for _, text in impostors(prompts[0], prompts, labelled(*map(dumps, good)))]
    assert len(texts) == len({text.strip() for text in texts})
    assert not {text.strip() for text in texts} & {ideal.strip(), "The same.", "Alike.", *good}
    assert not (ideal in (REFUSAL, "I'm sorry, no.") and REFUSAL in texts)


def test_without_an_ideal_or_a_criterion_there_is_no_impostor(javascript: JavaScript) -> None:
    for written in ("- {prompt: When?, should: [$contains: x]}\n", "- {prompt: When?, ideal: Now.}\n"):
        blueprint = parse(written).blueprint
        check = CaseCheck(blueprint, javascript, panel(blueprint.header))
        assert beside_ideal(check, prompt_names(blueprint)[0]) is None
