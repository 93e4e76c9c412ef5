"""Judges' replies as they really come, and what is read of each."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Judge
from engine.blueprint.conversation import StopReason
from engine.judging.judgement import Agreement, Attempt, Consensus, Interpretation, Judgement, JudgeShare, agreement
from engine.judging.panel import ALL_SCALES, FIVE_STEPS, TEN_STEPS, Approach, PanelJudge, Scale, Step
from engine.judging.verdict import (
    MAX_REPLY_LENGTH,
    NoVerdict,
    Reading,
    Reason,
    Verdict,
    WevalReading,
    read_verdict,
    spans,
    weval_reading,
)
from engine.models.chat import ChatRequest
from engine.scoring.assessment import StoredJudgement
from tests.engine.short_cases import assert_says
from tests.expected import of_kind, present
from tests.many_cases import every
from tests.processor_time import costs_less_than
from tests.world import SHARED, golden, needs_shared

PARTLY = "CLASS_PARTIALLY_PRESENT"


def read(reply: str, scale: Scale = FIVE_STEPS, stop: StopReason = StopReason.STOP) -> Verdict | NoVerdict:
    return read_verdict(reply, scale, stop)


def said(mark: str, reply: str) -> Iterator[str]:
    """All that is read of a reply: the verdict, or why there is none. `mark` names another scale, or why it ended."""
    stop = next((each for each in StopReason if each.name in mark), StopReason.STOP)
    found = read(reply, TEN_STEPS if "ten" in mark else FIVE_STEPS, stop)
    match found:
        case Verdict():
            yield f"{found.extent:g}, {found.label}{', in passing' if found.in_passing else ''}: {found.reflection}"
        case NoVerdict():
            named = "".join(f" {each.extent:g}" for each in found.named)
            yield f"no verdict: {found.message} ({found.reason.name}){named}. {found.advice}"
    if found.on_weval is not None:
        yield f"on Weval: {found.on_weval}"


def test_a_reply_is_read_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("judge_replies.txt"), said, pytestconfig)


def extent(reply: str, scale: Scale = FIVE_STEPS) -> float:
    verdict = of_kind(Verdict, read(reply, scale))
    return verdict.extent


def reason(reply: str, stop: StopReason = StopReason.STOP) -> Reason:
    verdict = of_kind(NoVerdict, read(reply, stop=stop))
    return verdict.reason


@every("scale", ALL_SCALES, ids=lambda scale: scale.name)
@every("shown", [FIVE_STEPS, TEN_STEPS], ids=lambda scale: scale.name)
def test_the_names_of_every_scale_are_understood(scale: Scale, shown: Scale) -> None:
    for step in scale.steps:
        told = extent(f"<classification>{step.name}</classification>", shown)
        assert told == pytest.approx(step.extent, abs=0.001)


def tag(name: str, dress: str) -> str:
    return f"<classification>{dress.replace('X', name)}</classification>"


STEPS = st.sampled_from(FIVE_STEPS.steps)
NOISE = st.sampled_from(["", "\n\n", " So: ", "It names the Moon. ", "é😀 ", "月は見えない。"])
QUOTED = st.builds(tag, STEPS.map(lambda step: step.name), st.just("X"))
THOUGHTS = st.builds(
    "<{0}{1}>{2}</{0}>".format,
    st.sampled_from(["think", "THINK", "thinking", "Reasoning"]),
    st.sampled_from(["", ' for="3s"']),
    st.lists(QUOTED | NOISE, max_size=3).map("".join),
)
REFLECTIONS = st.builds(
    "<{0}>{1}</{0}>".format,
    st.sampled_from(["reflection", "Reflection", "REFLECTION"]),
    st.lists(QUOTED | NOISE, max_size=3).map("".join),
)
FENCES = st.builds(
    "\n{0}{1}\n{2}\n{0}\n".format,
    st.sampled_from(["```", "~~~~"]),
    st.sampled_from(["", "xml"]),
    st.lists(QUOTED | NOISE, max_size=3).map("".join),
)
DRESSES = st.sampled_from(["X", " X\n", "**X**", "`X`", "X (0.5)", "<b>X</b>", "X - as it says"])
VERDICTS = st.tuples(STEPS, DRESSES, st.sampled_from([str, str.lower]))


@given(
    before=st.lists(THOUGHTS | REFLECTIONS | FENCES | NOISE, max_size=5).map("".join),
    verdicts=st.lists(VERDICTS, min_size=1, max_size=3),
    after=st.lists(THOUGHTS | REFLECTIONS | FENCES | NOISE, max_size=3).map("".join),
)
def test_one_class_outside_of_thoughts_reflections_and_fences_counts_and_different_ones_do_not(
    before: str, verdicts: list[tuple[Step, str, Callable[[str], str]]], after: str
) -> None:
    said = "".join(tag(written(step.name), dress) for step, dress, written in verdicts)
    found = read(f"{before}{said}{after}")
    extents = {step.extent for step, _, _ in verdicts}
    if len(extents) == 1:
        assert isinstance(found, Verdict)
        assert {found.extent} == extents
    else:
        assert isinstance(found, NoVerdict)
        assert found.reason is Reason.SEVERAL_CLASSES
        assert {each.extent for each in found.named} == extents


MARKS = (
    *("<think>", "</think>", "<reflection>", "</reflection>", "<classification>", "<|message|>", "CLASS_ABSENT", "\\"),
    *("```", "~~~", "\n", " ", "Reflection:", "Classification:", '"reason": "', '"', "a"),
)


@given(st.lists(st.sampled_from(MARKS)).map("".join))
def test_the_parts_of_a_reply_are_the_whole_reply(reply: str) -> None:
    assert "".join(span.text for span in spans(reply)) == reply


@every(
    "number", ["1" + "0" * 400, "-1" + "0" * 400, "1e999", "NaN", "-Infinity", "1" * 5000], ids=lambda each: each[:20]
)
def test_a_number_past_the_scale_in_json_is_no_verdict(number: str) -> None:
    assert reason(f'{{"reflection": "x", "score": {number}}}') is Reason.OFF_FORM


@needs_shared
def test_the_small_cases_are_read_as_they_say() -> None:
    rows = json.loads((SHARED / "cases" / "judge_replies.json").read_text("utf-8"))
    wrong = [row for row in rows if _as_words(read(row["reply"])) != row["right"].partition(":")[0]]
    assert rows
    assert not wrong


def _as_words(found: Verdict | NoVerdict) -> str:
    if isinstance(found, Verdict):
        return found.label
    return {Reason.SEVERAL_CLASSES: "two classes", Reason.DECLINED: "declined"}.get(found.reason, found.reason)


PIECES = st.sampled_from(
    [
        *(step.name for scale in ALL_SCALES for step in scale.steps),
        *("<classification>", "</classification>", "<reflection>", "</reflection>", "<coverage_extent>", "<think>"),
        *("</think>", "&lt;", "```", "**", '"classification": "', '{"reflection": "', "\\", "Classification:", "\n"),
        *("0.5", "1", "-3", "1e9", "150%", "not ", "I can't ", "assess this", "if ", "CLASS_", "\u0000", "\ud800", "İ"),
    ]
)


@given(
    st.one_of(st.text(), st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=30).map("".join)),
    st.sampled_from([FIVE_STEPS, TEN_STEPS]),
    st.sampled_from(list(StopReason)),
)
def test_no_reply_raises_or_leaves_the_scale(reply: str, scale: Scale, stop: StopReason) -> None:
    match read_verdict(reply, scale, stop):
        case Verdict(extent, step):
            assert 0 <= extent <= 1
            assert step is None or step in [each for known in ALL_SCALES for each in known.steps]
        case NoVerdict(_, told):
            assert told


@every(
    "piece",
    ["<reflection>", "*", " ", "<classification>", '"reflection": "', "class", "CLASS_ABSENT ", "<", "I'm sorry ", "'"],
)
def test_no_reply_takes_long_to_read(piece: str) -> None:
    reply = (piece * MAX_REPLY_LENGTH)[:MAX_REPLY_LENGTH]
    with costs_less_than(2):
        read(reply, stop=StopReason.LENGTH)


def test_a_reply_without_end_is_no_verdict() -> None:
    assert reason(f"{'x' * MAX_REPLY_LENGTH}<classification>{PARTLY}</classification>") is Reason.OFF_FORM


# Judges' replies and their consensus, held against the platform's own rows


REPLIES = golden("judge_replies")
CONSENSUS = golden("consensus")
DEPARTURES: dict[str, tuple[float | None, str]] = {
    row: (extent, why)
    for row, (extent, why) in json.loads(
        (Path(__file__).parents[1] / "data" / "judge_reply_departures.json").read_text("utf-8")
    ).items()
}
"""By the id of a row: the extent that is read here and not on Weval (None: no verdict), and why.

What stands in a think block or in the reflection is no verdict, and of several classifications the last counts. A reply
that Weval cannot read, for its case, attributes, open tags, JSON, labels or a class of another scale, is read where it
names one class.
"""


def row_id(row: dict[str, Any]) -> str:
    return str(row["id"])


def extent_of(reading: Reading) -> float | None:
    return reading.extent if isinstance(reading, Verdict) else None


def expected(row: dict[str, Any]) -> float | None:
    return DEPARTURES[row_id(row)][0] if row_id(row) in DEPARTURES else row.get("coverage_extent")


@needs_shared
@every("row", REPLIES, ids=row_id)
def test_what_weval_reads_is_known(row: dict[str, Any]) -> None:
    assert weval_reading(row["reply"], TEN_STEPS) == WevalReading(row.get("coverage_extent"), row.get("reflection", ""))


@needs_shared
@every("row", REPLIES, ids=row_id)
def test_a_reply_is_read_as_on_weval_or_departs_for_a_stated_reason(row: dict[str, Any]) -> None:
    assert extent_of(read_verdict(row["reply"], TEN_STEPS)) == expected(row)


@needs_shared
@every("row", REPLIES, ids=row_id)
def test_a_departure_is_said_beside_the_verdict(row: dict[str, Any]) -> None:
    reading = read_verdict(row["reply"], TEN_STEPS)
    there = WevalReading(row.get("coverage_extent"), row.get("reflection", ""))
    assert reading.on_weval == (there if row_id(row) in DEPARTURES else None)


@needs_shared
def test_every_departure_is_one_of_a_row() -> None:
    assert DEPARTURES.keys() <= {row_id(row) for row in REPLIES}
    assert len(REPLIES) == 250


# Consensus


def judged(name: str | None) -> Judgement:
    step = None if name is None else TEN_STEPS.step(name)
    reading = NoVerdict(Reason.FAILED, "failed") if step is None else Verdict(step.extent, step, "")
    return Judgement(PanelJudge("j", "x:m", Approach.STANDARD), "c", (Attempt(ChatRequest("m", ()), "", reading),))


@needs_shared
@every("row", CONSENSUS, ids=row_id)
def test_the_verdicts_of_several_judges_come_to_what_they_do_on_weval(row: dict[str, Any]) -> None:
    consensus = Consensus(tuple(map(judged, row["classes"])))
    assert consensus.extent == row["extent"]
    assert consensus.counted_extent(row["inv"]) == row["final"]
    assert (consensus.failed != ()) == (row["error"] is not None)


@needs_shared
def test_no_row_of_the_consensus_departs() -> None:
    assert len(CONSENSUS) == 200


# Judge agreement, held against the platform's


STAND_INS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def extent_from(value: Any) -> float | None:
    return STAND_INS[next(iter(value))] if isinstance(value, dict) else value


def points_of(row: dict[str, Any]) -> list[list[StoredJudgement]]:
    return [
        [
            StoredJudgement(judgement["judgeModelId"], extent_from(judgement.get("coverageExtent")))
            for judgement in assessment.get("individualJudgements", [])
        ]
        for assessment in row["assessments"]
    ]


def judges_of(row: dict[str, Any]) -> list[Judge]:
    return [Judge(judge["model"], judge["approach"], judge.get("id")) for judge in row["judges"]]


def expected_agreement(result: dict[str, Any] | None) -> Agreement | None:
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
    assert agreement(points_of(row), judges_of(row)) == expected_agreement(row["result"])


def judgements_of(*extents: float | None) -> list[StoredJudgement]:
    return [StoredJudgement(f"judge-{number}(a:x)", each) for number, each in enumerate(extents)]


def test_without_two_judgements_of_one_point_there_is_nothing_to_compare() -> None:
    assert agreement([judgements_of(0.5), judgements_of(0.5, None), judgements_of(0.5, math.nan), []], []) is None


def test_judges_who_say_the_same_agree_perfectly() -> None:
    found = present(agreement([judgements_of(0.5, 0.5), judgements_of(1, 1)], []))
    assert (found.alpha, found.interpretation) == (1, Interpretation.RELIABLE)


SCORES = st.lists(
    st.lists(st.sampled_from([0, 0.001, 0.125, 0.25, 0.5, 0.75, 0.875, 1]), min_size=2, max_size=4),
    min_size=1,
    max_size=6,
)


@given(SCORES)
def test_alpha_is_at_most_1_and_1_only_where_all_agree(scores: list[list[float]]) -> None:
    found = present(agreement([judgements_of(*item) for item in scores], []))
    assert found.alpha <= 1
    assert (found.alpha < 1) or all(max(item) - min(item) < 0.05 for item in scores)


@given(SCORES, st.randoms())
def test_the_order_of_points_does_not_change_alpha(scores: list[list[float]], random: Any) -> None:
    shuffled = random.sample(scores, len(scores))
    one, other = (agreement([judgements_of(*item) for item in order], []) for order in (scores, shuffled))
    assert one is not None
    assert other is not None
    assert math.isclose(one.alpha, other.alpha, abs_tol=0.0011)
