"""What a criterion is good for, from the labelled answers to its prompt. Nothing is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from engine.cases import Case, CaseGrade, NamedPoint, prompt_names
from engine.cases.case import ideal_case
from engine.cases.case_check import CaseCheck
from engine.cases.case_scoring import response_of
from engine.cases.criterion_counts import Freshness, UnitCounts, criterion_counts, never_fresh
from engine.providers import resolve
from engine.record import replace
from engine.text import Span

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Prompt
    from engine.criterion_loop.point_range import FoundPoint
    from engine.javascript import JavaScript
    from engine.judging.judge_runner import JudgementLookup
    from engine.judging.panel import Panel
    from engine.scoring.assessment import Criterion, Grade

_NOWHERE = Span(0, 0)


def unit_counts(
    blueprint: Blueprint,
    found: FoundPoint,
    cases: Sequence[Case],
    panel: Panel,
    javascript: JavaScript,
    cached: JudgementLookup,
    grades: Callable[[str], Mapping[Criterion, Grade]],
    is_fresh: Freshness = never_fresh,
) -> UnitCounts | None:
    """The counts of the unit of a point; None if nothing is labelled. Blocks while checks run.

    `grades` are the author's grades of an answer, by its text; they count before those in the case file.
    """
    prompt = found.prompt
    name = prompt_names(blueprint)[prompt.index]
    labelled = [*cases, *([] if prompt.ideal is None else [ideal_case(name, prompt.ideal)])]
    if not any(case.is_bad is not None for case in cases):
        return None
    providers = partial(resolve, custom=blueprint.header.models, keyless=True)
    check = CaseCheck(blueprint, javascript, panel, providers, cached)
    outcomes = check.outcomes(_graded(case, prompt, blueprint, grades) for case in labelled)
    units = criterion_counts(name, prompt, outcomes, is_fresh).units
    return next(each for each in units if found.index in each.unit.places)


def _graded(
    case: Case, prompt: Prompt, blueprint: Blueprint, grades: Callable[[str], Mapping[Criterion, Grade]]
) -> Case:
    mine = grades(response_of(case, prompt, blueprint.header).subject)
    own = (CaseGrade(NamedPoint(each.text, each.block), grade, None, _NOWHERE) for each, grade in mine.items())
    return replace(case, grades=(*case.grades, *own))
