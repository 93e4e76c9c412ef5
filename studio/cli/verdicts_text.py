"""The judges of a run as text, which `run` prints below the arithmetic."""

from __future__ import annotations

from collections.abc import Iterator

from engine.evaluation.events import AllJudged
from engine.judging.judge_record import JudgeRecord, agreement_text, failure_text, judge_records
from engine.text import visible


def verdicts_text(judged: AllJudged) -> str:
    """Each judge with its number of verdicts and the reasons for missing ones; their agreement. Safe to print."""
    return visible("\n".join(_lines(judged)))


def _lines(judged: AllJudged) -> Iterator[str]:
    records = judge_records(judged.points[index].judgements for index in sorted(judged.points))
    yield "  judges"
    for record in records:
        yield from _judge(record)
    if not records:
        yield "    no judge was asked: no point was open"
    yield f"    agreement: {agreement_text(judged.agreement)}"


def _judge(record: JudgeRecord) -> Iterator[str]:
    judge = record.judge
    yield f"    {judge.id} ({judge.model}, {judge.approach}): {record.summary}"
    for failure, count in record.failures:
        yield f"      {failure_text(failure, count)}"
