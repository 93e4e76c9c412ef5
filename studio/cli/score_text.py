"""A score and its arithmetic as text, for `run` and `explain`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from engine.blueprint import Prompt
from engine.evaluation.headline import Headline, group_figure
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation, GroupScore
from engine.scoring.explanation_text import changed_text, path_label, point_label, points_text, weight_text
from engine.scoring.what_if import PathStanding, change_text, lead_text, path_standings
from engine.study.good_answers import circularity
from engine.text.spans import visible

_WIDEST_STEP = 37


def explained_text(title: str, headline: Headline | str, explanation: Explanation, circular: str = "") -> str:
    """The whole explanation under `title` and its `headline`, safe to print.

    `circular` says that the ideal is no evidence on the rubric, "" where it is.
    """
    return visible("\n".join(_lines(f"{title}: {headline}", explanation, circular)))


def circular_text_of(prompt: Prompt) -> str:
    """Whether points of `prompt` were drafted from its ideal, by the settings; "" if none was. Blocks."""
    from engine.files.user_settings import Settings

    return circularity(prompt, frozenset(Settings.load().drafted))


def _lines(title: str, explanation: Explanation, circular: str) -> Iterator[str]:
    yield title
    if explanation.score is not None and explanation.is_open:
        yield "  over what is judged:"
    for step in explanation.steps:
        yield f"  {step.label:<{_WIDEST_STEP}} {step.figure:>6}  {step.working}"
    yield from (f"    {reason}" for reason in explanation.weval.reasons)
    if explanation.groups():
        yield ""
        yield _row("", "score", "weight", "cost", "gain", "severity", "points")
    numbers = count(1)
    if explanation.required is not None:
        yield from _points(explanation.required, explanation, numbers)
    standings = path_standings(explanation)
    for number, path in enumerate(explanation.paths, 1):
        yield from _path(number, path, explanation, standings)
        yield from _points(path, explanation, numbers, indent="  ")
    yield from _listed("notes", explanation.notes)
    if explanation.advice or explanation.against_ideal or circular:
        yield ""
        yield "  why low" if explanation.against_ideal is None else f"  why low: {explanation.against_ideal}"
        if circular:
            yield f"    {circular}"
        yield from (f"  {number:>3}  {advice.text}" for number, advice in enumerate(explanation.advice, 1))


def _path(number: int, path: GroupScore, explanation: Explanation, standings: Sequence[PathStanding]) -> Iterator[str]:
    scores = [each.score for each in explanation.paths if each.score is not None]
    best = path.path_id == explanation.best_path_id and any(score < (path.score or 0.0) for score in scores)
    so_far = " so far" if explanation.is_open else ""
    label = f"{path_label(number)}{f', the best{so_far}' if best else ''}"
    label += "" if path.bounds.closed else f": {group_figure(path)}"
    score = points_text(path.score if path.bounds.closed else None)
    yield _row("", score, "", "", points_text(path.gain), "", label)
    yield from (f"      {line}" for line in _standing_lines(path, standings))


def _standing_lines(path: GroupScore, standings: Sequence[PathStanding]) -> Iterator[str]:
    """The lead of a path and the smallest change that makes it the best; nothing for a lone path."""
    for standing in standings:
        if standing.path.path_id == path.path_id:
            yield ": ".join(filter(None, (lead_text(standing.lead), change_text(standing))))


def _points(group: GroupScore, explanation: Explanation, numbers: Iterator[int], indent: str = "") -> Iterator[str]:
    for point, number in zip(group.points, numbers, strict=False):
        assessment = point.assessment
        yield _row(
            f"{number}",
            "error" if assessment.errs else points_text(assessment.extent),
            weight_text(assessment.point.multiplier),
            points_text(point.cost),
            points_text(point.gain),
            points_text(point.severity),
            f"{indent}{'not: ' if assessment.placed.inverted else ''}{point_label(assessment.point)}",
        )
        if point.same_as:
            yield f"      {point.same_as}"
        if assessment.carried_over:
            yield f"      before this edit: its judge saw {changed_text(assessment.carried_over)}"
        if assessment.detail:
            yield f"      {' '.join(assessment.detail.split())}"
        yield from (f"        {line}" for line in _reflections(assessment))


def _row(number: str, score: str, weight: str, cost: str, gain: str, severity: str, text: str) -> str:
    """A row of the table of points, whose last column may be of any length."""
    return f"  {number:>2} {score:>5} {weight:>6} {cost:>5} {gain:>5} {severity:>8}  {text}"


def _reflections(assessment: Assessment) -> Iterator[str]:
    """The reasons of judges, services and scripts, unless the detail contains them."""
    if assessment.reflection and assessment.reflection != assessment.detail:
        yield from (line for line in assessment.reflection.splitlines() if line.strip())


def _listed(title: str, entries: tuple[str, ...]) -> Iterator[str]:
    if entries:
        yield ""
        yield f"  {title}"
        yield from (f"    {entry}" for entry in entries)
