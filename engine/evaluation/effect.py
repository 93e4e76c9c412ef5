"""The effect of an edit of the rubric on the score of an existing answer. Nothing is requested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.conversation import ThreadTurn
from engine.evaluation.headline import Headline, headline
from engine.evaluation.point_assessment import assess
from engine.parsing import Parsed, parse
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.explanation_builder import explain
from engine.scoring.explanation_text import OLD_VERDICTS
from engine.text import TextEdit, apply_edits

if TYPE_CHECKING:
    from engine.javascript import JavaScript
    from engine.judging.judgement import Judgement


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """An answer to one prompt, and the verdicts on its text points, by their text.

    A verdict also holds for a point that moves to the other block, where it counts inverted. The judges of the criteria
    in `seen_alone` saw no other criteria.
    """

    text: str
    thread: tuple[ThreadTurn, ...] = ()
    model: str = ""
    verdicts: Mapping[str, Assessment] = field(default_factory=dict[str, Assessment])
    seen_alone: frozenset[str] = frozenset()

    @classmethod
    def from_assessments(
        cls,
        text: str,
        assessments: Sequence[Assessment],
        thread: tuple[ThreadTurn, ...] = (),
        model: str = "",
        judgements: Mapping[int, Sequence[Judgement]] | None = None,
    ) -> KnownAnswer:
        """An answer with the verdicts on its text points, of judges and the author.

        `judgements` are those of the judges, by the place of the point; unknown judges count as holistic.
        """
        verdicts = {
            criterion: each for each in assessments if (criterion := each.point.text) is not None and each.assessed
        }
        alone = (
            criterion
            for index, given in (judgements or {}).items()
            if (criterion := assessments[index].point.text) is not None and _saw_one_criterion(given)
        )
        return cls(text, thread, model, verdicts, frozenset(alone))


@dataclass(frozen=True, slots=True)
class Effect:
    """The headline of the score before an edit and after it.

    `on_old_verdicts`: verdicts count after it whose judges saw other criteria.
    """

    before: Headline
    after: Headline
    on_old_verdicts: bool = False

    @property
    def changes(self) -> bool:
        """Whether the headline changes: the score, its bounds or its details."""
        return self.before != self.after

    def __str__(self) -> str:
        """`50–100 → 25–75, 2 of 4 points judged`; details that differ are on both sides."""
        before, after = self.before, self.after
        basis = f" ({OLD_VERDICTS})" if self.on_old_verdicts else ""
        if not self.changes:
            return f"the score stays {before}{basis}"
        return f"{before.figure if before.details == after.details else before} → {after}{basis}"


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
    return Effect(
        _headline(old, answer, javascript), _headline(new, answer, javascript), _on_old_verdicts(old, new, answer)
    )


def _saw_one_criterion(judgements: Sequence[Judgement]) -> bool:
    """Whether no judge with a verdict was holistic."""
    given = [each for each in judgements if each.verdict is not None]
    return bool(given) and all(each.judge.approach.value != "holistic" for each in given)


def _on_old_verdicts(old: Prompt, new: Prompt, answer: KnownAnswer) -> bool:
    """Whether a verdict counts in `new` whose judges saw the criteria of `old`, and these are others now."""
    before, after = (sorted(each.text for each in prompt.points() if each.text is not None) for prompt in (old, new))
    if before == after:
        return False
    judged = {text for text, each in answer.verdicts.items() if each.by is AssessedBy.JUDGE} - answer.seen_alone
    return not judged.isdisjoint(after)


def _headline(prompt: Prompt, answer: KnownAnswer, javascript: JavaScript) -> Headline:
    assessed = assess(prompt, answer.text, javascript, thread=answer.thread, model=answer.model)
    return headline(explain(prompt, [_with_verdict(each, answer.verdicts) for each in assessed]))


def _with_verdict(assessment: Assessment, verdicts: Mapping[str, Assessment]) -> Assessment:
    text = assessment.point.text
    known = None if text is None else verdicts.get(text)
    return assessment if known is None else known.moved_to(assessment.placed)
