"""What a rubric cites, what failing one forbidden point leaves, and what repeating the question earns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Point, Prompt
from engine.evaluation.point_assessment import assess
from engine.evaluation.sources import ControlKind, control_answer
from engine.patterns import lazy
from engine.record import Record
from engine.scoring.explanation_builder import explain
from engine.scoring.placement import place
from engine.scoring.severity import severities

if TYPE_CHECKING:
    from engine.javascript.tasks import TaskRunner

_INLINE = lazy(r"\[cite\b|§\s*\d|\b(?:Art|Article|Section|Sec)\b\.?\s*\d|https?://")
"""How a criterion quotes a source in its text."""


class Guard(Record):
    """A required point of `should_not`, and the score (0–1) of an answer that does this and all else right."""

    point: Point
    left: float


class Echo(Record):
    """A prompt with an answer that repeats its text: the least that this earns, 0–1."""

    prompt: Prompt
    earns: float


class RubricFigures(Record):
    """`citing` of the `criteria` name a source: by a citation of their own or of their prompt, or in their text.

    `guards` are those that leave most first, `echoes` those that earn most first, without those that earn nothing.
    """

    criteria: int
    citing: int
    guards: tuple[Guard, ...]
    echoes: tuple[Echo, ...]


def rubric_figures(blueprint: Blueprint, javascript: TaskRunner) -> RubricFigures:
    """The figures of all prompts. Blocks while checks run on their texts; nothing is sent."""
    worded = [(prompt, point) for prompt in blueprint.prompts for point in prompt.points() if point.text is not None]
    guards = [guard for prompt in blueprint.prompts for guard in _guards(prompt)]
    echoes = [echo for prompt in blueprint.prompts for echo in _echoes(prompt, javascript)]
    return RubricFigures(
        len(worded),
        sum(_cites(prompt, point) for prompt, point in worded),
        tuple(sorted(guards, key=lambda guard: -guard.left)),
        tuple(sorted(echoes, key=lambda echo: -echo.earns)),
    )


def _cites(prompt: Prompt, point: Point) -> bool:
    return bool(point.citation is not None or prompt.citation or _INLINE.search(point.text or ""))


def _guards(prompt: Prompt) -> Iterator[Guard]:
    placed = () if prompt.is_cut_off else place(prompt)
    for each, left in zip(placed, severities(placed), strict=True):
        if each.inverted and each.path_id is None and left is not None:
            yield Guard(each.point, left)


def _echoes(prompt: Prompt, javascript: TaskRunner) -> Iterator[Echo]:
    assessments = assess(prompt, control_answer(ControlKind.ECHO, prompt), javascript)
    earns = explain(prompt, assessments).bounds.low
    if earns > 0:
        yield Echo(prompt, earns)
