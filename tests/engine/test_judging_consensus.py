"""What several judges amount to: mean, rounding, inversion, agreement, and who is left out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Role
from engine.evaluation.verdicts import consensus_assessment
from engine.judging.judgement import Attempt, Consensus, Interpretation, Judgement, agreement_of
from engine.judging.panel import FIVE_STEPS, TEN_STEPS, Approach, PanelJudge
from engine.judging.verdict import NoVerdict, Reading, Reason, Verdict
from engine.models.chat import ChatRequest, Turn
from engine.scoring.sums import place
from tests.engine.builders import prompt, text

REQUEST = ChatRequest("m", (Turn(Role.USER, "Grade this."),))
DECLINED = NoVerdict(Reason.DECLINED, "declined to judge")


def judge(name: str) -> PanelJudge:
    return PanelJudge(name, f"here:{name}", Approach.STANDARD)


def judgement(name: str, reading: Reading) -> Judgement:
    return Judgement(judge(name), "c", (Attempt(REQUEST, "raw", reading),))


def verdict(extent: float, reflection: str = "") -> Verdict:
    step = next((step for step in (*FIVE_STEPS.steps, *TEN_STEPS.steps) if step.extent == extent), None)
    return Verdict(extent, step, reflection)


def consensus(*readings: Reading) -> Consensus:
    return Consensus(tuple(judgement(name, reading) for name, reading in zip("abcdef", readings, strict=False)))


SEVERAL = NoVerdict(Reason.SEVERAL_CLASSES, "named several classes", named=(Verdict(0.0, None, ""),))


def test_a_point_is_open_while_a_judge_is_not_asked_or_named_several_classes_whatever_others_say() -> None:
    beside = {reason: consensus(verdict(0.75), NoVerdict(reason, "x")) for reason in Reason}
    opens = [reason for reason, agreed in beside.items() if agreed.counted_extent(inverted=False) is None]
    assert opens == [Reason.SEVERAL_CLASSES, Reason.NOT_ASKED]
    agreed = consensus(verdict(0.75, "Most."), SEVERAL)
    assert (agreed.mean, agreed.extent, agreed.counted_extent(inverted=True)) == (0.75, None, None)
    assert agreed.reflection == "a: Most.\nb: raw"
    assert consensus(verdict(0.75), verdict(1), SEVERAL).summary == (
        "a: majorly present, b: fully present; c named several classes"
    )
    open_point = consensus_assessment(place(prompt([text("the Moon")]))[0], agreed)
    assert (open_point.extent, open_point.error, open_point.by) == (None, None, None)
    assert open_point.detail == "a: majorly present; b named several classes"


@pytest.mark.parametrize(
    ("extents", "extent", "inverted"),
    [
        ([0.75], 0.75, 0.25),
        ([1, 0.75], 0.88, 0.12),
        ([0.001], 0.0, 1.0),
        ([0.125], 0.13, 0.87),
        ([0.125, 0], 0.06, 0.94),
        ([1, 1, 0.875], 0.96, 0.04),
        ([0.5, 0.25, 0.25], 0.33, 0.67),
    ],
)
def test_the_mean_is_rounded_to_two_decimals_before_it_is_inverted(
    extents: Sequence[float], extent: float, inverted: float
) -> None:
    agreed = consensus(*map(verdict, extents))
    assert agreed.extent == agreed.counted_extent(inverted=False) == extent
    assert agreed.counted_extent(inverted=True) == pytest.approx(inverted, abs=1e-12)


def test_a_judge_that_has_not_judged_is_left_out_and_reported() -> None:
    agreed = consensus(verdict(1.0), DECLINED, verdict(0.5))
    assert agreed.extent == 0.75
    assert [each.judge.id for each in agreed.failed] == ["b"]
    assert agreed.summary == "a: fully present, c: partially present; mean 0.75; b declined to judge"
    assert agreed.error == "b declined to judge"


def test_judges_without_an_id_go_by_their_models() -> None:
    said = [(name, verdict(extent, "Why.")) for name, extent in (("a", 1.0), ("b", 0.0))]
    agreed = Consensus(
        tuple(
            Judgement(PanelJudge("standard", f"here:{name}", Approach.STANDARD), "c", (Attempt(REQUEST, "raw", each),))
            for name, each in said
        )
    )
    assert agreed.summary == "a: fully present, b: absent; mean 0.5"
    assert agreed.reflection == "a: Why.\nb: Why."


def test_one_verdict_is_reported_without_a_mean() -> None:
    assert consensus(verdict(1.0)).summary == "a: fully present"


def test_where_nobody_judged_there_is_no_extent_but_every_reason() -> None:
    agreed = consensus(DECLINED, NoVerdict(Reason.EMPTY, "answered nothing"))
    assert (agreed.extent, agreed.mean, agreed.counted_extent(inverted=True)) == (None, None, None)
    assert agreed.error == agreed.summary == "a declined to judge; b answered nothing"


def test_without_judges_that_is_the_reason() -> None:
    assert Consensus(()).error == "there is no judge to ask"


def test_reflections_stand_under_the_names_of_their_judges() -> None:
    assert consensus(verdict(1, "Says so.")).reflection == "Says so."
    assert consensus(verdict(1, "Says so."), verdict(0)).reflection == "a: Says so."
    assert consensus(verdict(1, "Says so."), verdict(0, "Not at all.")).reflection == "a: Says so.\nb: Not at all."
    assert consensus(verdict(1)).reflection is None


def test_agreement_compares_the_verdicts_and_knows_the_backup_s_model() -> None:
    points = [consensus(verdict(1), verdict(0.75), DECLINED), consensus(verdict(0), DECLINED, verdict(0))]
    found = agreement_of(points)
    assert found is not None
    assert (found.items, found.comparisons, found.interpretation) == (2, 2, Interpretation.RELIABLE)
    assert [(each.judge_id, each.model, each.assessments) for each in found.judges] == [
        ("a", "here:a", 2),
        ("b", "here:b", 1),
        ("c", "here:c", 1),
    ]


def test_one_judge_alone_agrees_with_nobody() -> None:
    assert agreement_of([consensus(verdict(1)), consensus(verdict(0), DECLINED)]) is None


@given(
    st.lists(st.sampled_from([step.extent for step in (*FIVE_STEPS.steps, *TEN_STEPS.steps)]), min_size=1, max_size=6)
)
def test_a_consensus_lies_between_its_verdicts_but_for_rounding(extents: list[float]) -> None:
    extent = consensus(*map(verdict, extents)).extent
    assert extent is not None
    assert min(extents) - 0.005 <= extent <= max(extents) + 0.005
    assert 0 <= extent <= 1
