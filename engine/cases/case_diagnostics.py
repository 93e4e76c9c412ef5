"""The problems of a case file as diagnostics, with the place in that file."""

from __future__ import annotations

from collections.abc import Iterable

from engine.cases.case_problems import CaseProblem
from engine.diagnostics import Diagnostic


def diagnostics_of(problems: Iterable[CaseProblem]) -> tuple[Diagnostic, ...]:
    """Each problem as a diagnostic of the text of the case file, in the order of that text."""
    return tuple(
        Diagnostic(
            code=problem.kind.code,
            slug=problem.kind.value,
            severity=problem.kind.severity,
            span=problem.span,
            message=problem.message,
            why=problem.advice,
        )
        for problem in sorted(problems, key=lambda each: each.span)
    )
