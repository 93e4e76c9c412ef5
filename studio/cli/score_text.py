"""A score and its arithmetic as text, for `run` and `explain`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import Prompt
from engine.cases.drafted_criteria import circularity
from engine.evaluation.headline import Headline, group_headline
from engine.scoring import AssessedBy, Assessment, Explanation, GroupScore, PointScore, StepKind, to_fixed
from engine.scoring.explanation_text import changed_text, path_label, point_label, points_text, weight_text
from engine.scoring.path_changes import PathStanding, path_standings
from engine.scoring.target_text import change_text, lead_text, weight_change_text
from engine.scoring.waterfall import tenths_text, waterfall
from engine.text import visible

_WIDEST_LABEL = 46


def explained_text(title: str, headline: Headline | str, explanation: Explanation, circular: str = "") -> str:
    """The whole explanation under `title` and its `headline`, safe to print.

    `circular` says that the ideal is no evidence on the rubric, "" where it is.
    """
    return visible("\n".join(_lines(f"{title}: {headline}", explanation, circular)))


def circular_text_of(prompt: Prompt) -> str:
    """Whether points of `prompt` were drafted from its ideal, by the settings; "" if none was. Blocks."""
    from engine.workspace.user_settings import Settings  # here, as it brings pydantic

    return circularity(prompt, frozenset(Settings.load().drafted))


def _lines(title: str, explanation: Explanation, circular: str) -> Iterator[str]:
    yield title
    if explanation.score is not None and explanation.is_open:
        yield "  over what is judged:"
    for step in explanation.steps:
        stored = step.kind is StepKind.STORED
        result = to_fixed(step.result, 2) if stored else points_text(step.result)
        yield f"  {_cut(step.label):<{_WIDEST_LABEL}} {result:>6}  {step.working}"
    yield from (f"    {reason}" for reason in explanation.weval.reasons)
    if explanation.groups():
        yield ""
        yield f"  {'points':<{_WIDEST_LABEL}} {'score':>6} {'weight':>7} {'cost':>6} {'gain':>6} {'severity':>8}"
    if explanation.required is not None:
        yield from _points(explanation.required, explanation)
    standings = path_standings(explanation)
    for number, path in enumerate(explanation.paths, 1):
        yield from _path(number, path, explanation, standings)
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
    score = _score(path.score) if path.bounds.closed else group_headline(path).whole_figure
    gain = explanation.certain_gain(path.met)
    yield f"  {_cut(label):<{_WIDEST_LABEL}} {score:>6} {'':>7} {'':>6} {points_text(gain):>6}"
    yield from (f"      {line}" for line in _standing_lines(number, path, standings))
    yield from _points(path, explanation, "  ")


def _standing_lines(number: int, path: GroupScore, standings: Sequence[PathStanding]) -> Iterator[str]:
    """The lead of a path and the smallest change that makes it the best; nothing for a lone path."""
    for standing in standings:
        if standing.path.path_id == path.path_id:
            yield ": ".join(filter(None, (lead_text(standing.lead), change_text(standing, 70))))
            yield from weight_change_text(standing, number)


def _points(group: GroupScore, explanation: Explanation, indent: str = "") -> Iterator[str]:
    costs = {id(fall.point): fall.tenths for fall in waterfall(explanation)}
    for point in group.points:
        gain = explanation.certain_gain(point.met)
        yield _point(point, costs.get(id(point), 0), gain, indent)
        if point.assessment.carried_over:
            yield f"  {indent}    before this edit: its judge saw {changed_text(point.assessment.carried_over)}"
        if point.assessment.detail:
            yield f"  {indent}    {' '.join(point.assessment.detail.split())}"
        yield from (f"  {indent}      {line}" for line in _reflections(point.assessment))


def _point(point: PointScore, cost: int, gain: float, indent: str) -> str:
    assessment = point.assessment
    label = _cut(f"{indent}{'not: ' if assessment.placed.inverted else ''}{point_label(assessment.point)}")
    weight = weight_text(assessment.point.multiplier)
    figures = f"{tenths_text(cost):>6} {points_text(gain):>6} {_score(point.severity):>8}"
    return f"  {label:<{_WIDEST_LABEL}} {_verdict(assessment):>6} {weight:>7} {figures}"


def _reflections(assessment: Assessment) -> Iterator[str]:
    """The reasons of judges, services and scripts, unless the detail contains them."""
    if assessment.by is not AssessedBy.HUMAN and assessment.reflection and assessment.reflection != assessment.detail:
        yield from (line for line in assessment.reflection.splitlines() if line.strip())


def _verdict(assessment: Assessment) -> str:
    if assessment.errs:
        return "error"
    return _score(assessment.extent if assessment.assessed else None)


def _score(extent: float | None) -> str:
    return "–" if extent is None else points_text(extent)


def _cut(label: str) -> str:
    return label if len(label) <= _WIDEST_LABEL else f"{label[: _WIDEST_LABEL - 1]}…"


def _listed(title: str, entries: tuple[str, ...]) -> Iterator[str]:
    if entries:
        yield ""
        yield f"  {title}"
        yield from (f"    {entry}" for entry in entries)
