"""The points of `should_not` whose fault no answer has committed yet, by a person's word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.blueprint import Prompt
from engine.cases.case import Case, NamedPoint
from engine.cases.failed_answers import is_failed
from engine.cases.rubric_points import points_named
from engine.functions import point_text
from engine.scoring.placement import place


def untested_points(prompt: Prompt, cases: Iterable[Case]) -> tuple[int, ...]:
    """The places in `Prompt.points()` of the untested points of `should_not`. `cases` are those of this prompt.

    A point is tested by a person's grade with which it fails an answer, or by a case that names it under `fails`.
    Verdicts of judges and results of checks do not test it: they are what is to be tested.
    """
    tested = {place for case in cases for place in _committed(prompt, case)}
    return tuple(index for index, placed in enumerate(place(prompt)) if placed.inverted and index not in tested)


def _committed(prompt: Prompt, case: Case) -> Iterator[int]:
    """The points of `should_not` whose fault the answer of a case commits."""
    for grade in case.grades:
        if is_failed(1 - grade.grade.extent):
            yield from _graded(prompt, grade.point)
    if case.fails is not None:
        named = points_named(prompt, case.fails)
        yield from named if len(named) == 1 else ()


def _graded(prompt: Prompt, name: NamedPoint) -> Iterator[int]:
    """The criteria in words with this name: checks have no grades."""
    for index, placed in enumerate(place(prompt)):
        is_criterion = placed.point.function is None and point_text(placed.point) == name.text
        if is_criterion and placed.inverted and name.block in (None, placed.rubric.block):
            yield index
