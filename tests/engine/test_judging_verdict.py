"""Judges' replies as they really come, and what is read of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint.conversation import StopReason
from engine.judging.panel import ALL_SCALES, FIVE_STEPS, TEN_STEPS, Scale, Step
from engine.judging.verdict import MAX_REPLY_LENGTH, NoVerdict, Reason, Verdict, read_verdict, spans
from tests.engine.short_cases import assert_says
from tests.many_cases import every
from tests.processor_time import costs_less_than
from tests.world import SHARED, needs_shared

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
    verdict = read(reply, scale)
    assert isinstance(verdict, Verdict), verdict
    return verdict.extent


def reason(reply: str, stop: StopReason = StopReason.STOP) -> Reason:
    verdict = read(reply, stop=stop)
    assert isinstance(verdict, NoVerdict), verdict
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
