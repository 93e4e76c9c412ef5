"""The engine of Blueprint Studio: everything except the terminal.

Data flows one way: text → nodes → blueprint → diagnostics; prompt → conversation → assessments → score → explanation.
No module here imports `studio` or Textual. The functions below are the public API; each imports its package when it is
first called, so `import engine` is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable
    from pathlib import Path

    from engine.blueprint import Blueprint, Prompt
    from engine.evaluation.events import Event
    from engine.evaluation.sources import AnswerSource
    from engine.evaluation.verdicts import Judges
    from engine.functions.v8 import JavaScript
    from engine.parsing import Parsed
    from engine.scoring import Assessment, PointExtent
    from engine.text.diagnostics import Diagnostic

__all__ = ["aggregate", "check", "evaluate", "parse"]


def parse(text: str, path: Path | None = None) -> Parsed:
    """Read a blueprint. Never raises for what an author wrote: problems are in `Parsed.findings` and `.tree`.

    `path` names the blueprint, and decides whether `text` is JSON (`.json`) or YAML.
    """
    from engine import parsing

    return parsing.parse(text, path)


def check(text: str, path: Path | None = None, *, javascript: JavaScript | None = None) -> tuple[Diagnostic, ...]:
    """All diagnostics of a blueprint, in the order of the text.

    Rules that compile or run something (`bad-regex`, `ideal-fails`) run only if `javascript` is given.
    """
    from engine import rules

    return rules.check(parse(text, path), javascript)


def evaluate(
    prompt: Prompt, blueprint: Blueprint, source: AnswerSource, *, javascript: JavaScript, judges: Judges | None = None
) -> AsyncIterator[Event]:
    """Run one prompt with one answer source: events as they happen, the last one `Scored` or `Failed`.

    With `judges`, they judge the points in words, and the last event is `AllJudged` or `Failed`. Closing the iterator
    cancels the run.
    """
    from engine.evaluation import prompt_evaluation

    return prompt_evaluation.evaluate(prompt, blueprint, source, javascript=javascript, judges=judges)


def aggregate(assessments: Iterable[Assessment | PointExtent]) -> float:
    """The score that Weval would compute from `assessments`, 0–1 and unrounded (002, "The Algorithm").

    Points without an extent are left out; a group in which all are left out counts 0; no points at all give 0.
    """
    from engine import scoring

    return scoring.aggregate(assessments)
