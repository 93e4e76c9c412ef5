"""What a criterion is good for, from the labelled answers to its prompt. Nothing is sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.study.case import Case, prompt_names
from engine.study.criterion_counts import Freshness, UnitCounts, criterion_counts

if TYPE_CHECKING:
    from engine.study.case_scoring import CaseCheck
    from engine.study.wordings import FoundPoint


def unit_counts(
    check: CaseCheck, found: FoundPoint, cases: Sequence[Case], is_fresh: Freshness | None = None
) -> UnitCounts | None:
    """The counts of the unit of a point; None if nothing is labelled. Blocks while checks run."""
    prompt = found.prompt
    name = prompt_names(check.blueprint)[prompt.index]
    if not any(case.is_bad is not None for case in cases):
        return None
    outcomes = (*check.outcomes(cases), *check.ideals([name]))
    units = criterion_counts(name, prompt, outcomes, is_fresh).units
    return next(each for each in units if found.index in each.unit.places)
