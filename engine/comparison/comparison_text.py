"""The text of differences, their causes, criteria and words."""

from __future__ import annotations

from collections.abc import Iterator

from engine.comparison.answer_words import Edit, WordEdit, changed_words
from engine.comparison.corners import Cause, FourCorners
from engine.comparison.criterion_changes import CriterionChange
from engine.comparison.differences import Part
from engine.comparison.joint_intervals import Interval
from engine.comparison.scored_answer import headline_of, own_headlines
from engine.scoring.assessment import Assessment
from engine.scoring.explanation_text import bounds_text, points_text, signed_text, weight_text

CAUSES = {
    Cause.ANSWER: ("answer", "new less old answer, by the old rubric"),
    Cause.RUBRIC: ("rubric", "new less old rubric, on the old answer"),
    Cause.INTERACTION: ("interaction", "the rest: the new rubric moves the new answer by more, or by less"),
    Cause.VERDICT: ("judged again", "other verdicts on the same questions"),
}
"""The name of each part of a difference, and what it is."""


def range_text(low: float, high: float) -> str:
    """A difference of scores (−1 to 1): `+4.2`, or `−10…+30` while points are open."""
    one, other = signed_text(low), signed_text(high)
    return one if one == other else f"{one.removesuffix('.0')}…{other.removesuffix('.0')}"


def difference_text(interval: Interval) -> str:
    """A difference of scores (−1 to 1): `+4.2`, or `−10…+30`."""
    return range_text(interval.low, interval.high)


def part_text(*parts: Part) -> str:
    """The sum of the parts of criteria or prompts in a difference: `+4.2`, or `−10…+30`."""
    return range_text(sum(each.least for each in parts), sum(each.most for each in parts))


def score_text(interval: Interval) -> str:
    """A score of 0–1: `45.8`, or `20–100`."""
    return bounds_text(interval.low, interval.high)


def corner_texts(corners: FourCorners) -> tuple[str, str, str, str]:
    """The scores of the corners; those of the two runs as these have them themselves."""
    old, new = own_headlines(corners)
    _, new_on_old, old_on_new, _ = map(score_text, corners.scores)
    return old.figure, new_on_old, old_on_new, new.figure


def verdicts_text(corners: FourCorners) -> str:
    """What is to know of the verdicts of both runs: `1 verdict before this edit, gpt-4o-mini failed on 1 point`."""
    both = (headline_of(each.assessments).verdicts_text for each in (corners.old, corners.new))
    return "; ".join(dict.fromkeys(filter(None, both)))


def cause_text(corners: FourCorners) -> str:
    """What moves the score, in words: `answer, rubric`; "" if nothing does."""
    words = {Cause.ANSWER: "answer", Cause.RUBRIC: "rubric", Cause.VERDICT: "verdict"}
    named = [words[cause] for cause in corners.causes if cause in words]
    return ", ".join(named) or ("answer and rubric together" if corners.causes else "")


def cause_word(corners: FourCorners) -> str:
    """The cause in a word: `answer`, `rubric`, `verdict`, or `several`; "" if nothing moves the score."""
    text = cause_text(corners)
    return "several" if "," in text or " " in text else text


def extent_of(assessment: Assessment | None) -> str:
    """The extent of a criterion after inversion: `75.0`; `–` where the rubric lacks it, `open` while it is."""
    if assessment is None:
        return "–"
    return points_text(assessment.extent) if assessment.assessed else "failed" if assessment.failed else "open"


def change_text(change: CriterionChange) -> str:
    """What else changed: `new`, `gone`, `reworded, weight 2, was 1`."""
    if change.old is None:
        return "new"
    if change.new is None:
        return "gone"
    parts = ["reworded"] if change.is_reworded else []
    before, now = change.old.point.multiplier, change.new.point.multiplier
    if before != now:
        parts.append(f"weight {weight_text(now)}, was {weight_text(before)}")
    if change.old.placed.inverted is not change.new.placed.inverted:
        parts.append("now in should_not" if change.new.placed.inverted else "now in should")
    if (change.old.placed.path_id is None) is not (change.new.placed.path_id is None):
        parts.append("now required" if change.new.placed.path_id is None else "now on a path")
    return ", ".join(parts)


def words_summary(edits: tuple[WordEdit, ...]) -> str:
    """`3 words removed, 5 added`; `the same answer`."""
    if not any(each.edit is not Edit.SAME for each in edits):
        return "the same answer"
    removed, added = changed_words(edits)
    return f"{removed} {'word' if removed == 1 else 'words'} removed, {added} added"


def marked_words(edits: tuple[WordEdit, ...]) -> str:
    """The difference in one text: `within [-14-]{+30+} days`."""
    return "".join(_marked(edits))


def _marked(edits: tuple[WordEdit, ...]) -> Iterator[str]:
    for each in edits:
        match each.edit:
            case Edit.SAME:
                yield each.text
            case Edit.REMOVED:
                yield f"[-{each.text}-]"
            case Edit.ADDED:
                yield f"{{+{each.text}+}}"
