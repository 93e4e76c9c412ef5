"""The head of a result: what was run, the score, and the shape of its arithmetic; or those of the whole blueprint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from engine.scoring import to_fixed
from engine.scoring.explanation import Explanation
from engine.text import visible
from studio.panes.overview.view import Overview
from studio.panes.result_view import ResultView, hundred
from studio.panes.rows import fit

if TYPE_CHECKING:
    from engine.judging.agreement import Agreement


def overview_head(view: Overview, width: int) -> Content:
    """Title, score, and what it is from: three lines whatever is known, so that nothing moves as scores come."""
    total = view.total
    title = _beside(view.title or "Untitled", "the blueprint", width)
    if total.score is None:
        teaching = fit(f"F6 runs all prompts with {view.answers}", width)
        return Content("\n").join([title, Content.styled("no score yet", "bold"), Content.styled(teaching, "$ink-dim")])
    score = f"{total.score:.1f}"
    room = max(width - len(score) - 2, 8)
    full = round(total.score / 100 * room)
    bar = ("━" * full, "$ink-focus"), ("─" * (room - full), "$line-focus")
    so_far = "so far, " if total.so_far or view.going else ""
    said = f"{so_far}from {len(total.scored)} of {len(view.prompts)} prompts with {view.answers}"
    lines = [title, Content.assemble((score, "bold"), "  ", *bar), Content.styled(fit(said, width), "$ink-dim")]
    return Content("\n").join(lines)


def head_content(view: ResultView, width: int) -> Content:
    """The head for a pane of `width` cells: what was run, the score, and the shape of its arithmetic."""
    lines = [_beside(view.prompt.id, view.answers, width)]
    if view.failed is not None:
        lines += _failure_lines(view)
    if view.explanation is not None:
        lines += [_score_line(view.explanation, width), *_shape_lines(view.explanation)]
    if view.agreement is not None:
        lines.append(_agreement_line(view.agreement, view.judges_cost))
    if view.running is not None:
        lines.append(Content.styled(visible(view.running), "$ink-yours"))
    if view.notice:
        lines.append(Content.styled(visible(view.notice), "$ink-yours"))
    if view.stale:
        lines.append(Content.styled("The prompt changed since: F5 runs it again.", "$ink-warning"))
    return Content("\n").join(lines)


def _beside(name: str, said: str, width: int) -> Content:
    """A title, and a word on it at the right edge."""
    answers = fit(said, max(width - min(cell_len(name), width // 2) - 2, 10))
    title = fit(name, max(width - cell_len(answers) - 2, 8))
    gap = " " * max(width - cell_len(title) - cell_len(answers), 1)
    return Content.assemble((title, "bold"), gap, (answers, "$ink-dim"))


def _failure_lines(view: ResultView) -> list[Content]:
    assert view.failed is not None
    lines = [Content.styled(visible(view.failed.title), "bold $ink-error")]
    if view.failed.detail:
        lines.append(Content(visible(view.failed.detail)[:600]))
    if view.failed.advice:
        lines.append(Content.styled(visible(view.failed.advice), "$ink-warning"))
    return lines


def _score_line(explanation: Explanation, width: int) -> Content:
    if explanation.score is None:
        return Content.styled("no score yet", "bold")
    score = hundred(explanation.score)
    room = max(width - len(score) - 2, 8)
    return Content.assemble((score, "bold"), "  ", *_bar(explanation, room))


def _bar(explanation: Explanation, room: int) -> list[tuple[str, str]]:
    """Heavy up to the lowest score possible, broken up to the highest, thin beyond."""
    low = round(explanation.bounds.low * room)
    high = round(explanation.bounds.high * room)
    return [("━" * low, "$ink-focus"), ("╍" * (high - low), "$ink-focus"), ("─" * (room - high), "$line-focus")]


def _shape_lines(explanation: Explanation) -> list[Content]:
    lines: list[Content] = []
    if not explanation.bounds.closed:
        waiting = sum(not point.assessment.assessed for group in explanation.groups() for point in group.points)
        low, high = hundred(explanation.bounds.low), hundred(explanation.bounds.high)
        points = "1 point is" if waiting == 1 else f"{waiting} points are"
        lines.append(Content.styled(f"between {low} and {high}: {points} not judged", "$ink-yours"))
    required, best = explanation.required, _best(explanation)
    if required is not None and required.score is not None and best is not None:
        score = hundred(explanation.score or 0.0)
        lines.append(Content(f"required points  {hundred(required.score):>6} ─┐"))
        lines.append(Content.assemble(f"best path        {hundred(best):>6} ─┴ their mean: ", (score, "bold")))
    elif best is not None:
        lines.append(Content.styled(f"the best of {len(explanation.paths)} paths", "$ink-dim"))
    elif required is not None and required.score is not None:
        weights = {point.assessment.point.multiplier for point in required.points if point.assessment.assessed}
        count = sum(point.assessment.assessed for point in required.points)
        by = "" if len(weights) == 1 else " by weight"
        lines.append(Content.styled("1 point" if count == 1 else f"the mean of {count} points{by}", "$ink-dim"))
    if explanation.weval.stored is not None:
        differs = " and differs: see Notes" if explanation.weval.reasons else ""
        so_far = "" if explanation.bounds.closed else " so far"
        stored = f"Weval stores {to_fixed(explanation.weval.stored, 2)}{so_far}{differs}"
        lines.append(Content.styled(stored, "$ink-dim"))
    return lines


def _agreement_line(agreement: Agreement, cost: str) -> Content:
    items = "1 point" if agreement.items == 1 else f"{agreement.items} points"
    beside = f" · they cost {cost}" if cost else ""
    said = f"judges agree on {items}: {agreement.alpha:g}, {agreement.interpretation}{beside}"
    return Content.styled(said, "$ink-dim")


def _best(explanation: Explanation) -> float | None:
    return next((path.score for path in explanation.paths if path.path_id == explanation.best_path_id), None)
