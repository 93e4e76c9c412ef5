"""How many other models meet a point, where that points, and rubrics drafted from their ideal."""

from __future__ import annotations

import pytest

from engine.parsing import parse
from engine.scoring.assessment import ChangedPart
from engine.study.criterion_counts import MetBy, met_by, met_by_text
from engine.study.good_answers import MOST, circularity, drafted_digest, remembered
from engine.text.record import replace
from tests.engine.builders import assessed, prompt, text

TWO = prompt([text("A"), text("B")])


def test_each_model_counts_where_its_verdict_is_known() -> None:
    models = [assessed(TWO, each) for each in ([1.0, None], [0.5, 0.0], [0.25, 0.0])]
    assert met_by(models, assessed(TWO, [1.0, None]), 2) == (MetBy(2, 3, ideal=True), MetBy(0, 2, ideal=None))


def test_a_verdict_that_is_carried_over_is_not_known() -> None:
    carried = tuple(replace(each, carried_over=(ChangedPart.CRITERIA,)) for each in assessed(TWO, [1.0, 1.0]))
    assert met_by([carried], None, 2) == (MetBy(0, 0), MetBy(0, 0))


@pytest.mark.parametrize(
    ("found", "is_met", "said"),
    [
        (
            MetBy(6, 8, True),
            False,
            "evidence: 6 of 8 other models meet this and the ideal meets it, so look at the answer",
        ),
        (MetBy(0, 8), False, "evidence: 0 of 8 other models meet this, so look at the rubric"),
        (MetBy(0, 8, True), False, "evidence: 0 of 8 other models meet this and the ideal meets it"),
        (MetBy(0, 0, False), False, "evidence: the ideal does not meet it, so look at the rubric"),
        (MetBy(3, 8), False, "evidence: 3 of 8 other models meet this"),
        (MetBy(1, 1), True, "evidence: 1 of 1 other model meets this"),
        (MetBy(0, 0), False, ""),
    ],
)
def test_evidence_points_somewhere_only_where_it_agrees(found: MetBy, is_met: bool, said: str) -> None:
    assert met_by_text(found, is_met=is_met) == said


SOURCE = "- prompt: x\n  ideal: y\n  should:\n    - Names the notice\n    - Says when\n    - $contains: z\n"


def test_drafted_criteria_are_recognised_by_their_wording() -> None:
    some = parse(SOURCE).blueprint.prompts[0]
    drafted = {drafted_digest(some, "Names  the notice"), drafted_digest(some, "Another")}
    assert circularity(some, drafted).startswith("circular: 1 of 3 points was drafted from the ideal")
    reworded = parse(SOURCE.replace("the notice", "a notice")).blueprint.prompts[0]
    assert circularity(reworded, drafted) == ""


def test_the_criteria_of_another_prompt_are_not_drafted() -> None:
    some, other = (parse(each).blueprint.prompts[0] for each in (SOURCE, SOURCE.replace("prompt: x", "prompt: w")))
    assert circularity(other, {drafted_digest(some, "Says when")}) == ""


def test_the_sentence_says_that_all_of_a_rubric_was_drafted() -> None:
    some = parse(SOURCE.replace("    - $contains: z\n", "")).blueprint.prompts[0]
    drafted = {drafted_digest(some, text) for text in ("Names the notice", "Says when")}
    assert circularity(some, drafted) == (
        "circular: all points were drafted from the ideal, so its score says little about the rubric"
    )


def test_only_the_newest_are_remembered() -> None:
    kept = remembered([str(number) for number in range(MOST)], ["1", "new"])
    assert (len(kept), kept[-1], kept[0]) == (MOST, "new", "1")
