"""The effect of an edit of the rubric on the score of an existing answer. Nothing is requested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.conversation import ThreadTurn
from engine.evaluation.headline import Headline, headline
from engine.evaluation.point_assessment import assess
from engine.parsing import Parsed, parse
from engine.scoring.assessment import Assessment
from engine.scoring.explanation_builder import explain
from engine.text import TextEdit, apply_edits

if TYPE_CHECKING:
    from engine.javascript import JavaScript


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """An answer to one prompt, and the verdicts on its text points, by their text.

    A verdict also holds for a point that moves to the other block, where it counts inverted.
    """

    text: str
    thread: tuple[ThreadTurn, ...] = ()
    model: str = ""
    verdicts: Mapping[str, Assessment] = field(default_factory=dict[str, Assessment])

    @classmethod
    def from_assessments(
        cls, text: str, assessments: Sequence[Assessment], thread: tuple[ThreadTurn, ...] = (), model: str = ""
    ) -> KnownAnswer:
        """An answer with the verdicts on its text points, of judges and the author."""
        verdicts = {
            criterion: each for each in assessments if (criterion := each.point.text) is not None and each.assessed
        }
        return cls(text, thread, model, verdicts)


@dataclass(frozen=True, slots=True)
class Effect:
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


def effect_of(
    parsed: Parsed, index: int, edits: Sequence[TextEdit], answer: KnownAnswer, javascript: JavaScript
) -> Effect | None:
    """The effect of `edits` on the score of the prompt at `index` of the prompt list. Blocks while checks run.

    None where the prompt is missing before or after the edit, or has no points in either.
    """
    after = parse(apply_edits(parsed.text, edits), parsed.path)
    old = next((prompt for prompt in parsed.blueprint.prompts if prompt.index == index), None)
    new = next((prompt for prompt in after.blueprint.prompts if prompt.index == index), None)
    if old is None or new is None or after.tree.error is not None or not (old.points() or new.points()):
        return None
    return Effect(_headline(old, answer, javascript), _headline(new, answer, javascript))


def _headline(prompt: Prompt, answer: KnownAnswer, javascript: JavaScript) -> Headline:
    assessed = assess(prompt, answer.text, javascript, thread=answer.thread, model=answer.model)
    return headline(explain(prompt, [_with_verdict(each, answer.verdicts) for each in assessed]))


def _with_verdict(assessment: Assessment, verdicts: Mapping[str, Assessment]) -> Assessment:
    text = assessment.point.text
    known = None if text is None else verdicts.get(text)
    if known is None or known.extent is None:
        return assessment
    extent = known.extent if known.placed.inverted == assessment.placed.inverted else 1 - known.extent
    return replace(assessment, extent=extent, by=known.by, carried_over=known.carried_over)
