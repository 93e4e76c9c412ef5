"""What each judge of a run did, as lines of text: what `run` prints below the arithmetic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engine.evaluation.events import AllJudged
from engine.judging import Judgement, PanelJudge
from engine.judging.agreement import Agreement
from engine.text import visible


def verdicts_text(judged: AllJudged) -> str:
    """Every judge that was asked, how often it judged and why not, and how far they agree. Safe to print."""
    return visible("\n".join(_lines(judged)))


def _lines(judged: AllJudged) -> Iterator[str]:
    by_judge: dict[PanelJudge, list[Judgement]] = {}
    for index in sorted(judged.points):
        for judgement in judged.points[index].judgements:
            by_judge.setdefault(judgement.judge, []).append(judgement)
    yield "  judges"
    for judge, judgements in by_judge.items():
        yield from _judge(judge, judgements)
    if not by_judge:
        yield "    nobody was asked: no point was open"
    yield f"    agreement: {_agreement(judged.agreement)}"


def _judge(judge: PanelJudge, judgements: list[Judgement]) -> Iterator[str]:
    said = sum(each.verdict is not None for each in judgements)
    reused = sum(each.reused for each in judgements)
    kept = f" ({reused} kept from before)" if reused else ""
    yield f"    {judge.id} ({judge.model}, {judge.approach}): {said} of {len(judgements)} judged{kept}"
    failures = Counter((each.failure.told, each.failure.advice) for each in judgements if each.failure is not None)
    for (told, advice), count in failures.items():
        points = "1 point" if count == 1 else f"{count} points"
        yield f"      {points}: {' '.join(f'{told}. {advice}'.split())}"


def _agreement(agreement: Agreement | None) -> str:
    if agreement is None:
        return "not to be told, as no point has two verdicts"
    items = "1 point" if agreement.items == 1 else f"{agreement.items} points"
    return f"{agreement.alpha:g} over {items} (Krippendorff's alpha), {agreement.interpretation}"
