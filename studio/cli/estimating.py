"""`--judge estimate`: how near answers come to the points in words, beside the score and never in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import click

from engine.estimating import Encoder, EncoderFailed, Estimate, estimate, the_encoder, what_is_missing
from engine.estimating.wording import NOT_READ, estimated_extent, estimated_score, near
from engine.evaluation.events import Scored
from engine.evaluation.export import Entry
from engine.scoring.wording import point_label
from engine.text import visible
from studio.cli.unusable import Unusable

_LONGEST_SENTENCE = 160


def refuse_unless_ready() -> None:
    """Raises `click.UsageError`, with what to do, where nothing can be estimated."""
    trouble = what_is_missing()
    if trouble is not None:
        raise Unusable(f"{trouble}. {trouble.advice}")


def with_estimates(entries: Sequence[Entry], encoder: Encoder | None = None) -> list[Entry]:
    """`entries` with an estimate where they were scored. Blocks; where one cannot be made, stderr says why."""
    encoder = encoder or the_encoder()
    count = sum(isinstance(entry.outcome, Scored) for entry in entries)
    if count:
        click.echo(f"Estimating {count} of {len(entries)} on this machine; nothing is sent.", err=True)
    return [_with_estimate(entry, encoder) for entry in entries]


def _with_estimate(entry: Entry, encoder: Encoder) -> Entry:
    if not isinstance(entry.outcome, Scored):
        return entry
    try:
        return replace(entry, estimate=estimate(entry.prompt, entry.outcome.response.subject, encoder))
    except EncoderFailed as error:
        click.echo(visible(f"{entry.prompt_key} · {entry.key}: no estimate. {error}. {error.advice}"), err=True)
        return entry


def beside(entry: Entry) -> str:
    """`≈ 43, an estimate`, where open points leave anything to estimate; else ""."""
    if entry.estimate is None or not isinstance(entry.outcome, Scored):
        return ""
    score = entry.estimate.score(entry.outcome.assessments)
    return "" if score is None else estimated_score(score)


def estimates_text(entry: Entry) -> str:
    """Each point in words with what it would amount to and the closest sentence, safe to print."""
    if entry.estimate is None or not isinstance(entry.outcome, Scored):
        return ""
    return visible("\n".join(_lines(entry.estimate, entry.outcome)))


def _lines(found: Estimate, scored: Scored) -> Iterator[str]:
    yield "  estimates: closeness of meaning, which takes no part in the score"
    for index, assessment in enumerate(scored.assessments):
        if assessment.point.text is None:
            continue
        block = "not: " if assessment.placed.inverted else ""
        point = found.points.get(index)
        if point is None:
            yield f"    ≈   –  {block}{point_label(assessment.point)}"
            yield f"           {NOT_READ}"
            continue
        yield f"    {estimated_extent(point.extent)}  {block}{point_label(assessment.point)}"
        if point.closest is None:
            yield "           the answer has no sentence"
        else:
            yield f"           closest, {near(point.closeness)}: “{_cut(point.closest.text)}”"
    if found.to_ideal is not None:
        yield f"    the whole answer and the ideal: {near(found.to_ideal)} of 1"
    yield "    They tell what an answer speaks of, not whether it says so or the opposite: studio models estimate"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SENTENCE else text[: _LONGEST_SENTENCE - 1].rstrip() + "…"
