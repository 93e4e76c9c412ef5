"""The section on the published result of this answer: its score, its reasons, and points that are gone since."""

from __future__ import annotations

from collections.abc import Iterator

from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation, points_text
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.detail import point_text
from studio.tui.panes.sections.parts import COLUMN_WIDTH, heading


def published_rows(_: ResultView, explanation: Explanation) -> Iterator[ResultRow]:
    """The published score, remarks on it, and the points that are gone since, each with its verdict."""
    published = explanation.published
    if published is None:
        return
    figure = points_text(published.score)
    yield heading("published", "Published", (Cell(figure.rjust(COLUMN_WIDTH), Ink.STRONG),))
    for number, words in enumerate((*published.reasons, *published.since)):
        yield ResultRow(f"published:{number}", words, lead=(Cell("  "),), detail_source=(Cell(words),))
    for number, assessment in enumerate(published.gone):
        yield _gone_row(number, assessment)


def _gone_row(number: int, assessment: Assessment) -> ResultRow:
    score = "  –" if assessment.extent is None or assessment.broken else f"{assessment.extent * 100:3.0f}"
    text = point_text(assessment)
    lines = [f"{text}: no longer in the blueprint", assessment.detail]
    if assessment.reflection and assessment.reflection != assessment.detail:
        lines.append(assessment.reflection)
    return ResultRow(
        f"published:gone:{number}",
        text,
        lead=(Cell(f"– {score}  ", Ink.DIM),),
        tail=(Cell("gone".rjust(COLUMN_WIDTH), Ink.DIM),),
        ink=Ink.DIM,
        detail_source=tuple(Cell(each) for each in lines if each),
    )
