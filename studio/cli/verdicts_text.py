"""The judges of a run as text, which `run` prints below the scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.evaluation.events import AllJudged
from engine.judging.judgement import agreement_text, failure_text, judge_records
from engine.text.record import replace
from engine.text.spans import visible


def verdicts_text(judged: Sequence[AllJudged], advice: set[str]) -> str:
    """Each judge of these answers with its number of verdicts and the reasons for missing ones; for one answer, the
    agreement too. What is in `advice` is not said again. Safe to print.
    """
    return visible("\n".join(_lines(judged, advice)))


def _lines(judged: Sequence[AllJudged], advice: set[str]) -> Iterator[str]:
    records = judge_records(each.points[index].judgements for each in judged for index in sorted(each.points))
    yield "  judges"
    for record in records:
        judge = record.judge
        yield f"    {judge.id} ({judge.model}, {judge.approach}): {record.summary}"
        for failure, count in record.failures:
            new = replace(failure, advice="") if failure.advice in advice else failure
            yield f"      {failure_text(new, count)}"
            advice.add(failure.advice)
    if not records:
        yield "    no judge was asked: no point was open"
    if len(judged) == 1:
        yield f"    agreement: {agreement_text(judged[0].agreement)}"
