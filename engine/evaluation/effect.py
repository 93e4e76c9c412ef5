"""The effect of an edit of the rubric on the score of an existing answer. Nothing is requested."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Prompt
from engine.evaluation.headline import Headline, headline
from engine.evaluation.point_assessment import assess
from engine.parsing import Parsed, parse
from engine.scoring.explanation_builder import explain
from engine.text.record import Record
from engine.text.spans import TextEdit, apply_edits

if TYPE_CHECKING:
    from engine.javascript import JavaScript


class Edited(Record):
    """A prompt before an edit and after it, and the blueprint that the edit makes."""

    before: Prompt
    after: Prompt
    blueprint: Blueprint


class Effect(Record):
    """The headline of the score before an edit and after it."""

    before: Headline
    after: Headline

    @property
    def changes(self) -> bool:
        """Whether the headline changes: the score, its bounds or its details."""
        return self.before != self.after

    def __str__(self) -> str:
        """`50–100 → 25–75, 2 of 4 points judged`; details that differ are on both sides."""
        before, after = self.before, self.after
        if not self.changes:
            return f"the score stays {before}"
        return f"{before.figure if before.details == after.details else before} → {after}"


def edited(parsed: Parsed, index: int, edits: Sequence[TextEdit]) -> Edited | None:
    """The prompt at `index` of the prompt list with `edits`.

    None where the prompt is missing before or after them, or has no points in either.
    """
    after = parse(apply_edits(parsed.text, edits), parsed.path)
    old, new = (
        next((prompt for prompt in each.blueprint.prompts if prompt.index == index), None) for each in (parsed, after)
    )
    if old is None or new is None or after.tree.error is not None or not (old.points() or new.points()):
        return None
    return Edited(old, new, after.blueprint)


def effect_of(
    parsed: Parsed, index: int, edits: Sequence[TextEdit], answer: str, javascript: JavaScript
) -> Effect | None:
    """The effect of `edits` on what checks make of `answer`, which nobody judged. Blocks while they run."""
    found = edited(parsed, index, edits)
    if found is None:
        return None
    before, after = (headline(explain(each, assess(each, answer, javascript))) for each in (found.before, found.after))
    return Effect(before, after)
