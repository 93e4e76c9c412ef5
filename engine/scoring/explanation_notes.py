"""Notes beside the arithmetic: open points, failures, and failures that a better path hides."""

from __future__ import annotations

from engine.blueprint import Prompt
from engine.scoring.aggregation import combined
from engine.scoring.assessment import ChangedPart
from engine.scoring.explanation import Explanation, GroupScore
from engine.scoring.explanation_text import between_text, changed_text, judge_name, listed, path_label, points_text

_UNREAD = (
    "A YAML error hides the rest of this prompt, and with it points that would count: the score can still be "
    "anywhere between 0 and 100. Fix the error, then run the prompt again."
)


def notes_on(explanation: Explanation, prompt: Prompt) -> tuple[str, ...]:
    """All notes on an explanation, those on missing verdicts first."""
    if not explanation.groups():
        return (_UNREAD if prompt.is_cut_off else _nothing_to_score(prompt),)
    return (
        *((_UNREAD,) if prompt.is_cut_off else ()),
        *_open_points(explanation),
        *_carried_over(explanation),
        *_forgiven(explanation),
    )


def _nothing_to_score(prompt: Prompt) -> str:
    """The note on a prompt without points (platform.md, A33)."""
    if prompt.ideal is None:
        return "This prompt has no points: nothing is scored."
    return "This prompt has no points: nothing is scored here. Weval would have a model draw points from the ideal."


def _open_points(explanation: Explanation) -> tuple[str, ...]:
    assessments = explanation.assessments
    failed_checks = sum(each.broken for each in assessments)
    unjudged = sum(each.failed for each in assessments)
    waiting = sum(each.open for each in assessments)
    between = between_text(explanation.bounds.low, explanation.bounds.high)
    notes: list[str] = []
    if waiting:
        notes.append(
            f"{waiting} of {len(assessments)} points {'is' if waiting == 1 else 'are'} not judged and left out: "
            f"the score can still be {between}."
        )
    if failed_checks:
        checks = "One check" if failed_checks == 1 else f"{failed_checks} checks"
        notes.append(f"{checks} could not run and {'counts' if failed_checks == 1 else 'count'} 0.")
    if unjudged:
        verb = "is" if unjudged == 1 else "are"
        notes.append(f"No judge could judge {unjudged} of {len(assessments)} points: {unjudged} {verb} left out.")
    partly = [each for each in assessments if each.assessed and each.failed_judges]
    if partly:
        judges = listed(dict.fromkeys(map(judge_name, (name for each in partly for name in each.failed_judges))))
        what = "1 point counts" if len(partly) == 1 else f"{len(partly)} points count"
        notes.append(f"{judges} failed: {what} by the mean of the other judges.")
    if (unjudged or partly) and not waiting:
        notes.append(f"With the missing verdicts, the score would be {between}.")
    return tuple(notes)


def _carried_over(explanation: Explanation) -> tuple[str, ...]:
    carried = [
        point.assessment.carried_over
        for group in explanation.groups()
        for point in group.points
        if point.assessment.carried_over
    ]
    if not carried:
        return ()
    changed = changed_text(part for part in ChangedPart if any(part in parts for parts in carried))
    verdicts, judges = (
        ("1 verdict is", "its judge") if len(carried) == 1 else (f"{len(carried)} verdicts are", "their judges")
    )
    counted = any(
        point.assessment.carried_over and point.assessment.assessed
        for group in explanation.groups()
        for point in group.points
    )
    what = (
        "The score is exact arithmetic on old verdicts, not a forecast of a new run."
        if counted
        else "The points are open."
    )
    return (f"{verdicts} from before this edit: {judges} saw {changed}. {what}",)


def _name(explanation: Explanation, group: GroupScore) -> str:
    if group.path_id is None:
        return "the required points"
    return path_label(explanation.paths.index(group) + 1)


def _forgiven(explanation: Explanation) -> tuple[str, ...]:
    """A note on paths of `should_not` that are met (below 50 after inversion) but hidden by a better path (002)."""
    scores = {path.path_id: path.score for path in explanation.paths if path.score is not None}
    best = scores.get(explanation.best_path_id)
    if best is None or explanation.best_path_id is None:
        return ()
    met = [path for path in explanation.paths if _is_alternative_met(path) and (path.score or 0.0) < best]
    if not met:
        return ()
    strict = combined(
        None if explanation.required is None else explanation.required.score, min(path.score or 0.0 for path in met)
    )
    forgiver = next(path for path in explanation.paths if path.path_id == explanation.best_path_id)
    names = listed(_name(explanation, path) for path in met)
    return (
        f"The response meets {names} of should_not, which the documents call a failure. As only the best path counts, "
        f"{_name(explanation, forgiver)} with {points_text(best)} forgives it. "
        f"If the alternative that is met decided instead, the score would be {points_text(strict or 0.0)}.",
    )


def _is_alternative_met(path: GroupScore) -> bool:
    return path.score is not None and path.score < 0.5 and path.points[0].assessment.placed.inverted
