"""Judge agreement, held against the platform's."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Judge
from engine.judging.judgement import Agreement, Interpretation, JudgeShare, agreement
from engine.scoring.assessment import StoredJudgement
from tests.many_cases import every
from tests.world import golden, needs_shared

STAND_INS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def extent(value: Any) -> float | None:
    return STAND_INS[next(iter(value))] if isinstance(value, dict) else value


def points_of(row: dict[str, Any]) -> list[list[StoredJudgement]]:
    return [
        [
            StoredJudgement(judgement["judgeModelId"], extent(judgement.get("coverageExtent")))
            for judgement in assessment.get("individualJudgements", [])
        ]
        for assessment in row["assessments"]
    ]


def judges_of(row: dict[str, Any]) -> list[Judge]:
    return [Judge(judge["model"], judge["approach"], judge.get("id")) for judge in row["judges"]]


def expected(result: dict[str, Any] | None) -> Agreement | None:
    if result is None:
        return None
    return Agreement(
        result["krippendorffsAlpha"],
        result["numItems"],
        result["numJudges"],
        result["numComparisons"],
        Interpretation(result["interpretation"]),
        result["judgeSetFingerprint"],
        tuple(
            JudgeShare(judge["judgeId"], judge["model"], judge["approach"], judge["assessmentCount"])
            for judge in result["judgesUsed"]
        ),
    )


@needs_shared
@every("row", golden("agreement"), ids=lambda row: row["id"])
def test_judges_agree_as_far_as_on_the_platform(row: dict[str, Any]) -> None:
    assert agreement(points_of(row), judges_of(row)) == expected(row["result"])


def judged(*extents: float | None) -> list[StoredJudgement]:
    return [StoredJudgement(f"judge-{number}(a:x)", each) for number, each in enumerate(extents)]


def test_without_two_judgements_of_one_point_there_is_nothing_to_compare() -> None:
    assert agreement([judged(0.5), judged(0.5, None), judged(0.5, math.nan), []], []) is None


def test_judges_who_say_the_same_agree_perfectly() -> None:
    found = agreement([judged(0.5, 0.5), judged(1, 1)], [])
    assert found is not None
    assert (found.alpha, found.interpretation) == (1, Interpretation.RELIABLE)


SCORES = st.lists(
    st.lists(st.sampled_from([0, 0.001, 0.125, 0.25, 0.5, 0.75, 0.875, 1]), min_size=2, max_size=4),
    min_size=1,
    max_size=6,
)


@given(SCORES)
def test_alpha_is_at_most_1_and_1_only_where_all_agree(scores: list[list[float]]) -> None:
    found = agreement([judged(*item) for item in scores], [])
    assert found is not None
    assert found.alpha <= 1
    assert (found.alpha < 1) or all(max(item) - min(item) < 0.05 for item in scores)


@given(SCORES, st.randoms())
def test_the_order_of_points_does_not_change_alpha(scores: list[list[float]], random: Any) -> None:
    shuffled = random.sample(scores, len(scores))
    one, other = (agreement([judged(*item) for item in order], []) for order in (scores, shuffled))
    assert one is not None
    assert other is not None
    assert math.isclose(one.alpha, other.alpha, abs_tol=0.0011)
