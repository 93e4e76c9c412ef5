"""The effect of a fix on the score of the last answer, or else of the ideal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.diagnostics import Fix
from studio.session.analysis import Analysis
from studio.session.run import Run

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.evaluation.effect import KnownAnswer
    from engine.javascript import JavaScript


def effect_on_score(
    analysis: Analysis, prompt: Prompt | None, run: Run | None, javascript: Callable[[], JavaScript]
) -> Callable[[Fix], str | None] | None:
    """A function that describes the effect of a fix on the score of `prompt`; None without an answer or an ideal.

    The function runs checks: call it off the event loop.
    """
    if prompt is None:
        return None
    known = _answer(prompt, run)
    if known is None:
        return None
    who, answer = known
    index = prompt.index

    def describe(fix: Fix) -> str | None:
        from engine.evaluation.effect import effect_of

        effect = effect_of(analysis.parsed, index, fix.edits, answer, javascript())
        return None if effect is None else f"{effect}   {who}"

    return describe


def _answer(prompt: Prompt, run: Run | None) -> tuple[str, KnownAnswer] | None:
    from engine.evaluation.effect import KnownAnswer

    if run is not None and run.response is not None and run.response.subject:
        label, model = run.label, run.answered.key
        known = KnownAnswer.from_assessments(
            run.response.subject, run.assessments, run.response.thread, model, run.judgements
        )
        return f"with {label}", known
    return ("with the ideal", KnownAnswer(prompt.ideal)) if prompt.ideal else None
