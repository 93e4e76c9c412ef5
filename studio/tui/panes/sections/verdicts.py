"""The verdicts on one point: their total, and one line for each."""

from __future__ import annotations

from collections.abc import Iterator

from engine.judging.judgement import Consensus, Judgement
from engine.judging.verdict import NoVerdict, Reading, Reason, Verdict
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.explanation import between_text, inversion_text, number_text
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import Cell, Ink


def verdict_summary(view: ResultView, assessment: Assessment, place: int) -> Cell:
    """The total of the judges' verdicts so far, on one line."""
    judgements = view.judgements.get(place, ())
    total = _sum(Consensus(judgements))
    if assessment.by is AssessedBy.HUMAN:
        return Cell(f"{assessment.detail}; that counts, whatever judges say", Ink.YOURS)
    if place in view.waiting:
        return Cell(f"{total}; waiting for more …" if total else "waiting for judges …", Ink.YOURS)
    extent, possible = assessment.extent, assessment.possible
    between = "" if possible is None else f", {between_text(possible.low, possible.high)}"
    if Consensus(judgements).is_undecided:
        also = f"; {total}" if total else ""
        return Cell(f"open{between}: a judge named several classes and chose none{also}", Ink.ERROR)
    if not total:
        is_open = assessment.open
        return Cell(f"{assessment.unjudged_text}: it takes no part in the score", Ink.DIM if is_open else Ink.ERROR)
    counts = " until all have judged" if extent is None else inversion_text(assessment.placed, extent)
    return Cell(f"{total}{between}{counts}", Ink.PLAIN if possible is None else Ink.YOURS)


def verdict_lines(view: ResultView, place: int) -> Iterator[Cell]:
    """Each judge of the point at `place` with its class and reflection, or the reason for having none."""
    judgements = view.judgements.get(place, ())
    if not judgements:
        return
    yield Cell("Judges  x  exact request, raw reply", Ink.YOURS)
    consensus = Consensus(judgements)
    for judgement in judgements:
        yield from _judge(consensus.name_of(judgement), judgement)


def _judge(name: str, judgement: Judgement) -> Iterator[Cell]:
    cached = ", cached" if judgement.reused else ""
    match judgement.last.reading:
        case Verdict() as verdict:
            mark = "●" if verdict.extent >= 1 else "○" if verdict.extent <= 0 else "◐"
            yield Cell(f" {mark} {number_text(verdict.extent):>4}  {name}: {verdict.label}{cached}", Ink.STRONG)
            if verdict.reflection:
                yield Cell(" ".join(verdict.reflection.split()))
            yield from _on_weval(verdict)
        case NoVerdict() as failure:
            broken = failure.reason in (Reason.FAILED, Reason.TIMED_OUT)
            mark, ink = ("!", Ink.ERROR) if broken else ("–", Ink.WARNING)
            message = " ".join(failure.message.split())
            none = "" if "no verdict" in message or failure.named else ": no verdict"
            yield Cell(f" {mark}    –  {name} {message}{none}", ink)
            if failure.named:
                yield Cell(" ".join(judgement.last.reply.split()))
            if failure.advice:
                yield Cell(failure.advice)
            yield from _on_weval(failure)


def _on_weval(reading: Reading) -> Iterator[Cell]:
    """What Weval reads in the same reply, if that differs."""
    if reading.on_weval is None:
        return
    wants = "it wants both tags, plain and closed" if reading.on_weval.extent is None else "it takes the first class"
    yield Cell(f"Weval reads {reading.on_weval} in this reply: {wants}", Ink.WARNING)


def _sum(consensus: Consensus) -> str:
    """`2 judges: 75 and 50, mean 62.5, rounded 63`, or the only verdict; empty without any."""
    verdicts = consensus.verdicts
    if not verdicts:
        return ""
    if len(verdicts) == 1:
        ((judgement, verdict),) = verdicts
        return f"{consensus.name_of(judgement)}: {verdict.label}"
    extents = [number_text(verdict.extent) for _, verdict in verdicts]
    exact, counted = number_text(consensus.mean or 0.0), number_text(consensus.extent or 0.0)
    rounded = "" if exact == counted else f", rounded {counted}"
    return f"{len(extents)} judges: {', '.join(extents[:-1])} and {extents[-1]}, mean {exact}{rounded}"
