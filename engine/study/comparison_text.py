"""The text of differences: of answers by words, of two runs, and of their criteria."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from enum import StrEnum

from engine.scoring.assessment import Assessment
from engine.scoring.explanation_text import points_text, signed_text, weight_text
from engine.study.differences import CriterionChange, Part
from engine.study.scored_answer import headline_of
from engine.study.two_runs import Combination, TwoRuns
from engine.text.record import Record

_MANY_WORDS = 4000
"""In answers of more words together, frequent words are no places where the two are taken to agree: that would take
time that grows with the square of their number."""
_WORDS = re.compile(r"\w+(?:['’.\-]\w+)*|\s+|[^\w\s]")


class Edit(StrEnum):
    """What happened to a piece of text."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


class WordEdit(Record):
    """A piece of the old answer, of the new one, or of both."""

    edit: Edit
    text: str


def word_difference(old: str, new: str) -> tuple[WordEdit, ...]:
    """The pieces of both answers in order. Those of the old, and of the new answer, give its text back exactly."""
    one, other = _WORDS.findall(old), _WORDS.findall(new)
    matcher = SequenceMatcher(None, one, other, autojunk=len(one) + len(other) > _MANY_WORDS)
    return tuple(_merged(_edits(matcher, one, other)))


def changed_words(edits: tuple[WordEdit, ...]) -> tuple[int, int]:
    """How many words were removed, and how many were added."""
    removed = sum(_count(each.text) for each in edits if each.edit is Edit.REMOVED)
    return removed, sum(_count(each.text) for each in edits if each.edit is Edit.ADDED)


def _count(text: str) -> int:
    return len(text.split())


def _edits(matcher: SequenceMatcher[str], old: list[str], new: list[str]) -> Iterator[WordEdit]:
    for _, start, end, new_start, new_end in matcher.get_opcodes():
        removed, added = "".join(old[start:end]), "".join(new[new_start:new_end])
        if removed == added:
            yield WordEdit(Edit.SAME, removed)
        else:
            yield WordEdit(Edit.REMOVED, removed)
            yield WordEdit(Edit.ADDED, added)


def _merged(edits: Iterator[WordEdit]) -> Iterator[WordEdit]:
    """The edits without empty ones. A blank alone between two changes is part of both, so that changes read as one."""
    waiting: dict[Edit, str] = {Edit.REMOVED: "", Edit.ADDED: ""}
    pieces = [each for each in edits if each.text]
    for at, piece in enumerate(pieces):
        is_between = 0 < at < len(pieces) - 1 and any(waiting.values())
        if piece.edit is Edit.SAME and piece.text.isspace() and "\n" not in piece.text and is_between:
            waiting = {edit: text + piece.text for edit, text in waiting.items()}
        elif piece.edit is Edit.SAME:
            yield from (WordEdit(edit, text) for edit, text in waiting.items() if text)
            waiting = dict.fromkeys(waiting, "")
            yield piece
        else:
            waiting[piece.edit] += piece.text
    yield from (WordEdit(edit, text) for edit, text in waiting.items() if text)


# --- Two runs and their criteria


def part_text(*parts: Part) -> str:
    """The sum of parts of a difference of scores (−1 to 1): `+4.2`, or `−10…+30` while points are open."""
    one, other = signed_text(sum(each.least for each in parts)), signed_text(sum(each.most for each in parts))
    return one if one == other else f"{one.removesuffix('.0')}…{other.removesuffix('.0')}"


LINES = {
    Combination.OLD: "old result",
    Combination.NEW: "new result",
    Combination.OLD_ON_NEW: "old answer on the new rubric",
    Combination.NEW_ON_OLD: "new answer on the old rubric",
}
"""The name of the score of each answer by each rubric, in the order in which they are shown."""


def two_runs_rows(runs: TwoRuns) -> list[tuple[str, str, str]]:
    """The four scores with the difference of the results below these: a name, a figure, and what is another one."""
    scores = [(name, runs.scores[of].figure, "") for of, name in LINES.items()]
    return [*scores[:2], ("difference", part_text(runs.difference), other_text(runs)), *scores[2:]]


def verdicts_text(runs: TwoRuns) -> str:
    """What is to know of the verdicts of both runs: `1 verdict before this edit, gpt-4o-mini failed on 1 point`."""
    both = (headline_of(each.assessments).verdicts_text for each in (runs.old, runs.new))
    return "; ".join(dict.fromkeys(filter(None, both)))


def other_text(runs: TwoRuns) -> str:
    """What is another one where the score moved: `answer, rubric`; "" if it did not."""
    return ", ".join(runs.other) if runs.difference.least or runs.difference.most else ""


def other_word(runs: TwoRuns) -> str:
    """The same in a word: `answer`, `rubric`, `verdict`, or `several`."""
    text = other_text(runs)
    return "several" if "," in text else text


def missing_text(count: int, advice: str) -> str:
    """`1 verdict is missing: that is why there are ranges.`, with `advice`; "" if none is."""
    verdicts = "1 verdict is" if count == 1 else f"{count} verdicts are"
    return f"{verdicts} missing: that is why there are ranges.{advice}" if count else ""


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
    marks = {Edit.SAME: "{}", Edit.REMOVED: "[-{}-]", Edit.ADDED: "{{+{}+}}"}
    return "".join(marks[each.edit].format(each.text) for each in edits)
