"""The actions of the result that have nothing to act on, for the footer to leave out."""

from __future__ import annotations

from studio.session.views.overview_view import Overview
from studio.session.views.result_view import NoResult, ResultView
from studio.tui.panes.result_row import ResultRow

_OF_A_PROMPT = (
    *("grade", "judge", "judges", "next_variant", "fix", "word_for_word"),
    *("target", "what_if"),
)


def idle_actions(view: Overview | NoResult | ResultView | None, row: ResultRow | None) -> frozenset[str]:
    """The ids of the result's actions that do nothing for the selected `row` of `view`, None where there is none."""
    acts = {
        "choose": row is not None and row.has_destination,
        "target": isinstance(view, ResultView) and view.explanation is not None,
        "what_if": isinstance(view, ResultView) and view.explanation is not None and view.running is None,
        "sort": isinstance(view, Overview),
        "grade": row is not None and row.gradeable,
        "fix": row is not None and row.fixable,
        "judge": isinstance(view, ResultView) and _can_be_judged(view),
        "next_variant": isinstance(view, ResultView) and bool(view.beside),
        "grid": isinstance(view, Overview) or (isinstance(view, ResultView) and bool(view.beside)),
        "word_for_word": isinstance(view, ResultView) and row is not None and _is_judged(view, row),
    }
    if isinstance(view, Overview):
        acts |= dict.fromkeys(_OF_A_PROMPT, False)
    return frozenset(id for id, does in acts.items() if not does)


def _can_be_judged(view: ResultView) -> bool:
    """Whether judges would be asked about a point in words: one that is open, or has a verdict carried over."""
    if view.explanation is None or view.running is not None:
        return False
    return any(
        assessment.point.function is None and (not assessment.assessed or bool(assessment.carried_over))
        for assessment in view.assessments
    )


def _is_judged(view: ResultView, row: ResultRow) -> bool:
    return row.point is not None and bool(view.judgements.get(row.point))
