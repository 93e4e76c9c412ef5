"""The effect of a fix on the score of the last answer, or else of the ideal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING

from engine.text.diagnostics import Fix
from engine.text.record import replace
from studio.session.analysis import Analysis
from studio.session.run import Run

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Prompt
    from engine.evaluation.headline import Effect
    from engine.functions.v8 import JavaScript


def effect_on_score(
    analysis: Analysis,
    prompt: Prompt | None,
    run: Run | None,
    rescored: Callable[[Run, Blueprint], Coroutine[None, None, Run | None]] | None,
    javascript: Callable[[], JavaScript],
) -> Callable[[Fix], str | None] | None:
    """A function that describes the effect of a fix on the score of `prompt`; None without an answer or an ideal.

    The function blocks: call it off the event loop. This one is called on it.
    """
    if prompt is None:
        return None
    from engine.evaluation.headline import Effect, edited, effect_of

    index, ideal, loop = prompt.index, prompt.ideal, asyncio.get_running_loop()
    if run is None or rescored is None or run.response is None or not run.response.subject:
        if not ideal:
            return None
        return lambda fix: _text(effect_of(analysis.parsed, index, fix.edits, ideal, javascript()), "the ideal")
    shown = run

    def describe(fix: Fix) -> str | None:
        found = edited(analysis.parsed, index, fix.edits)
        if found is None or shown.headline is None:
            return None
        scoring = rescored(replace(shown, prompt=found.after), found.blueprint)
        now: Run | None = asyncio.run_coroutine_threadsafe(scoring, loop).result()
        return None if now is None or now.headline is None else _text(Effect(shown.headline, now.headline), shown.label)

    return describe


def _text(effect: Effect | None, answer: str) -> str | None:
    return None if effect is None else f"{effect}   with {answer}"
