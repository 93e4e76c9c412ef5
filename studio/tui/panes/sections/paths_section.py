"""The alternative paths, best or not, each with its points."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from engine.evaluation.headline import group_figure, group_headline
from engine.scoring.explanation import Explanation, GroupScore, StepKind, path_label, points_text
from engine.scoring.what_if import PathStanding, change_text, lead_text, path_standings, set_text
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.parts import COST, GAIN, SEVERITY, as_sum, figure_cell, heading, score_ink
from studio.tui.panes.sections.points import PointRows


def path_rows(view: ResultView, explanation: Explanation) -> Iterator[ResultRow]:
    """Every path with its points; the best one counts."""
    if not explanation.paths:
        return
    text = "the best counts half" if explanation.required is not None else "the best is the score"
    wide = (SEVERITY, COST, GAIN) if explanation.required is None else None
    yield heading("paths", "Paths", (COST, GAIN), text, wide_tail=wide)
    points = PointRows(view, explanation)
    standings = {standing.path.path_id: standing for standing in path_standings(explanation)}
    for number, path in enumerate(explanation.paths, 1):
        yield _path_row(number, path, explanation, standings.get(path.path_id))
        yield from points.of(path, indent="   ")


class _Standing(Enum):
    """The standing of a path among all paths, as its detail states it."""

    BEST = "the best path: it is the one that counts"
    NOT_BEST = "not the best path: it does not count"
    OPEN = "which path is the best is still open"


def _standing(path: GroupScore, explanation: Explanation) -> _Standing:
    others = [each for each in explanation.paths if each is not path]
    if any(each.bounds.low > path.bounds.high for each in others):
        return _Standing.NOT_BEST
    is_certain = all(each.bounds.high <= path.bounds.low for each in others)
    if path.path_id == explanation.best_path_id and is_certain:
        return _Standing.BEST
    return _Standing.NOT_BEST if explanation.bounds.closed else _Standing.OPEN


def _best(standing: _Standing, *, is_best: bool) -> str:
    if not is_best:
        return ""
    return ", the best so far" if standing is _Standing.OPEN else ", the best"


def _beside_others(standing: PathStanding) -> str:
    """The lead of a path, and what would make it the best: `50 behind: to be the best, meet “A”`."""
    return ": ".join(filter(None, (lead_text(standing.lead), change_text(standing))))


def _in_one_line(name: str, best: str, standing: PathStanding | None) -> str:
    """`path 1, the best, 50 ahead`, or `path 2, 50 behind: meet “A”`."""
    if standing is None:
        return f"{name}{best}"
    change = set_text(standing.change) if standing.change else change_text(standing)
    lead = lead_text(standing.lead)
    place = f"{best} of equals" if best and standing.is_level else f"{best}, {lead}"
    return f"{name}{place}{f': {change}' if change else ''}"


def _path_row(
    number: int, path: GroupScore, explanation: Explanation, standing_beside: PathStanding | None
) -> ResultRow:
    is_best = path.path_id == explanation.best_path_id
    summary = group_headline(path)
    score = f"{summary.whole_figure:>3}"
    is_inverted = path.points[0].assessment.placed.inverted
    means = (step for step in explanation.steps if step.kind is StepKind.PATH_MEAN)
    working = next((step.working for step in means if step.label == path_label(number)), "")
    standing = _standing(path, explanation)
    name = path_label(number) + (" to avoid" if is_inverted else "")
    detail = [Cell(path_label(number) + (" of should_not" if is_inverted else ""), Ink.STRONG)]
    if summary.is_open:
        detail.append(Cell(", ".join(filter(None, (group_figure(path), summary.details))), Ink.YOURS))
    if path.score is None:
        none = "none of its points is judged yet" if summary.open_points else "no judge could judge any of its points"
        detail.append(Cell(f"{none}, so it does not count", Ink.DIM))
    else:
        over = "over what is judged: " if summary.is_open else ""
        detail.append(Cell(f"{over}{as_sum(working, points_text(path.score))}"))
        detail.append(Cell(standing.value))
    if standing_beside is not None:
        detail.append(Cell(_beside_others(standing_beside)))
    if path.gain:
        detail.append(Cell(f"met in full, it would add {points_text(path.gain)}", Ink.DIM))
    return ResultRow(
        key=f"path:{path.path_id}",
        text=_in_one_line(name, _best(standing, is_best=is_best), standing_beside),
        lead=(
            Cell("▸ " if is_best else "  ", Ink.STRONG),
            Cell(f"{score}  ", Ink.YOURS if summary.is_open else score_ink(path.score)),
        ),
        tail=(figure_cell(path.gain),),
        ink=Ink.STRONG if is_best else Ink.DIM,
        target=path.span,
        detail_source=tuple(detail),
    )
