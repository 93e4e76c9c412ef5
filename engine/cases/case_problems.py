"""Problems of a case file, by itself and beside its blueprint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum

from engine.blueprint import Blueprint, Prompt
from engine.cases.case import Case, CaseFile, NamedPoint
from engine.cases.prompt_names import DERIVED, prompt_names
from engine.cases.rubric_points import criteria_of, points_named
from engine.diagnostics import Severity
from engine.record import Record
from engine.text import Span, in_quotes


class CaseProblemKind(StrEnum):
    """The kinds of problems, by the slugs under which they are reported."""

    UNREADABLE = "case-unreadable"
    UNUSABLE = "case-unusable"
    ORPHANED = "case-orphaned"
    UNCOUNTED = "case-uncounted"
    REPEATED = "case-repeated"
    MISQUOTED = "case-misquoted"

    @property
    def code(self) -> str:
        """The stable code: `C001`."""
        return f"C{list(CaseProblemKind).index(self) + 1:03d}"

    @property
    def summary(self) -> str:
        """What it means, in a sentence."""
        return _SUMMARIES[self]

    @property
    def severity(self) -> Severity:
        """An error where a case cannot be read, a warning where a part of it does not count."""
        is_error = self in (CaseProblemKind.UNREADABLE, CaseProblemKind.UNUSABLE)
        return Severity.ERROR if is_error else Severity.WARNING


_SUMMARIES = {
    CaseProblemKind.UNREADABLE: "The YAML of a case file cannot be read.",
    CaseProblemKind.UNUSABLE: "A key or value of a case is not of the documented form, or nothing is expected of it.",
    CaseProblemKind.ORPHANED: "The prompt of a case is not in the blueprint.",
    CaseProblemKind.UNCOUNTED: "A grade, or the point that a case should fail, names no point of the rubric.",
    CaseProblemKind.REPEATED: "The same answer to the same prompt stands in the case file before.",
    CaseProblemKind.MISQUOTED: "The quote of a case is not in its answer.",
}


class CaseProblem(Record):
    """One problem of a case file: what is wrong at `span`, and what to do."""

    kind: CaseProblemKind
    span: Span
    message: str
    advice: str


def problems_with(file: CaseFile, blueprint: Blueprint) -> Iterator[CaseProblem]:
    """What does not fit between the cases and their blueprint, in the order of the file.

    A case of a prompt that no longer exists is reported and left as it is.
    """
    names = prompt_names(blueprint)
    prompts = {names[prompt.index]: prompt for prompt in blueprint.prompts}
    answers: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for case in file.cases:
        prompt = prompts.get(case.prompt)
        answers[case.prompt, case.turns] += 1
        if answers[case.prompt, case.turns] == 2:
            yield CaseProblem(
                CaseProblemKind.REPEATED,
                case.span,
                f"case {case.number} repeats the answer of an earlier case to `{case.prompt}`",
                "Each answer counts once for each time that it is written: remove one of them.",
            )
        if case.is_misquoted:
            yield CaseProblem(
                CaseProblemKind.MISQUOTED,
                case.span,
                f"the answer of case {case.number} does not have its quote",
                "Write a passage of the answer under `quote`, word for word, or leave it out.",
            )
        if prompt is None:
            yield _orphaned(case, prompts)
        else:
            yield from _uncounted(case, prompt)


def _orphaned(case: Case, prompts: Mapping[str, Prompt]) -> CaseProblem:
    if case.prompt.startswith(DERIVED):
        why = "Its messages, system prompt or tools have changed. If the answer still fits, write the prompt's id here."
    else:
        known = ", ".join(f"`{name}`" for name in list(prompts)[:8])
        why = f"Write the id of a prompt of this blueprint, such as {known}." if known else "It has no prompts."
    return CaseProblem(
        CaseProblemKind.ORPHANED, case.prompt_span, f"there is no prompt `{case.prompt}` in the blueprint", why
    )


def _uncounted(case: Case, prompt: Prompt) -> Iterator[CaseProblem]:
    if case.fails is not None:
        found = points_named(prompt, case.fails)
        if len(found) != 1:
            yield CaseProblem(CaseProblemKind.UNCOUNTED, case.span, *_which_point(case.fails, len(found)))
    criteria = criteria_of(prompt)
    for grade in case.grades:
        if grade.point.text not in {each.text for each in criteria}:
            wording = in_quotes(_short(grade.point))
            message = f"no criterion of `{case.prompt}` is worded {wording}, so this grade does not count"
            advice = "If the grade holds for the new wording as well, write that wording here."
            yield CaseProblem(CaseProblemKind.UNCOUNTED, grade.span, message, advice)


def _which_point(point: NamedPoint, count: int) -> tuple[str, str]:
    if count:
        message = f"{count} points are {in_quotes(_short(point))}: which one should the answer fail?"
        return message, "Write `fails: {block: should_not, criterion: …}`, and word the points differently."
    message = f"no point is {in_quotes(_short(point))}, so it is unknown whether the answer fails it"
    return message, "Write the point as in the blueprint, a check in quotes: `'$contains: x'`."


def _short(point: NamedPoint) -> str:
    line = " ".join(point.text.split())
    return line if len(line) <= 60 else f"{line[:58].rstrip()} …"
