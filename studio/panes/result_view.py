"""What the result pane shows, as data: rows with their explanation, made from an evaluation. Pure; no widget here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.evaluation.events import Failed
from engine.scoring import to_fixed
from engine.scoring.assessment import AssessedBy, Assessment, Grade
from engine.scoring.explanation import Explanation, GroupScore, PointScore, StepKind
from engine.scoring.wording import point_label
from engine.text import Span

if TYPE_CHECKING:
    from engine.judging.agreement import Agreement
    from engine.judging.judgement import Judgement


@dataclass(frozen=True, slots=True)
class ResultView:
    """The result of one prompt with one answer source, as far as it has come.

    `answers` names the source as the screen does ("the ideal"). `running` says what is being done, None when nothing
    is. `stale` tells that the prompt or its rubric changed since. `assessments` are in the order of `Prompt.points()`.
    `fixable` are the places in the blueprint for which there is a fix. `judgements` is what judges said so far, by
    place in `Prompt.points()`, `waiting` the places they still have to speak of, `agreement` how far they agree.
    """

    prompt: Prompt
    answers: str
    explanation: Explanation | None = None
    assessments: tuple[Assessment, ...] = ()
    failed: Failed | None = None
    running: str | None = None
    stale: bool = False
    fixable: tuple[Span, ...] = ()
    judgements: Mapping[int, tuple[Judgement, ...]] = field(default_factory=dict[int, "tuple[Judgement, ...]"])
    waiting: frozenset[int] = frozenset()
    agreement: Agreement | None = None


class Ink(StrEnum):
    """What a piece of a row means; each has a component class of the same name."""

    PLAIN = ""
    DIM = "rows--dim"
    STRONG = "rows--strong"
    ERROR = "rows--error"
    MET = "result--met"
    PARTLY = "result--partly"
    UNMET = "result--unmet"
    YOURS = "result--yours"


@dataclass(frozen=True, slots=True)
class Cell:
    """A short text of fixed width within a row."""

    text: str
    ink: Ink = Ink.PLAIN


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One row: what stands left, the text that gets the room between, and what is aligned right.

    `key` says which row it is across refreshes. `point` is the index in `Prompt.points()` of the point it shows,
    `target` where Enter goes, `mendable` whether `f` mends what is there. `detail` is shown below the list while the
    row is selected.
    """

    key: str
    text: str
    lead: tuple[Cell, ...] = ()
    tail: tuple[Cell, ...] = ()
    ink: Ink = Ink.PLAIN
    point: int | None = None
    gradeable: bool = False
    target: Span | None = None
    mendable: bool = False
    detail: tuple[Cell, ...] = ()
    selectable: bool = True


def hundred(score: float) -> str:
    """A score of 0–1 as the screen prints it: of 100, with one decimal."""
    return to_fixed(score * 100, 1)


def result_rows(view: ResultView) -> tuple[ResultRow, ...]:
    """All rows for `view`, in the order of the screen: points, paths, why low, the arithmetic, notes."""
    explanation = view.explanation
    if explanation is None:
        return ()
    indices = {id(assessment): index for index, assessment in enumerate(view.assessments)}
    return (
        *_required_rows(explanation, indices),
        *_path_rows(explanation, indices),
        *_advice_rows(explanation, view.fixable),
        *_arithmetic_rows(explanation),
        *_note_rows(explanation),
    )


def _heading(key: str, title: str, tail: tuple[Cell, ...] = (), said: str = "") -> ResultRow:
    lead = (Cell(f"{title}  " if said else title, Ink.STRONG),)
    return ResultRow(f"heading:{key}", said, lead=lead, tail=tail, ink=Ink.DIM, selectable=False)


_WEIGHT_WIDTH, _COSTS_WIDTH = 8, 7
_COSTS = Cell("costs".rjust(_COSTS_WIDTH), Ink.DIM)


def _weighs(explanation: Explanation) -> bool:
    """Whether any point has a weight of its own: only then is the column worth its room."""
    return any(point.assessment.point.multiplier != 1 for group in explanation.groups() for point in group.points)


def _gap(key: str) -> ResultRow:
    return ResultRow(f"gap:{key}", "", selectable=False)


def _required_rows(explanation: Explanation, indices: dict[int, int]) -> Iterator[ResultRow]:
    if explanation.required is None:
        return
    weight = (Cell("weight".rjust(_WEIGHT_WIDTH), Ink.DIM),) if _weighs(explanation) else ()
    yield _heading("points", "Points", (*weight, _COSTS))
    for point in explanation.required.points:
        yield _point_row(point, explanation, indices[id(point.assessment)], indent="")


def _path_rows(explanation: Explanation, indices: dict[int, int]) -> Iterator[ResultRow]:
    if not explanation.paths:
        return
    if explanation.required is not None:
        yield _gap("paths")
    said = "the best is half of this score" if explanation.required is not None else "the best is the score"
    yield _heading("paths", "Paths", (_COSTS,), said)
    for number, path in enumerate(explanation.paths, 1):
        yield _path_row(number, path, explanation)
        for point in path.points:
            yield _point_row(point, explanation, indices[id(point.assessment)], indent="   ")


def _path_row(number: int, path: GroupScore, explanation: Explanation) -> ResultRow:
    is_best = path.path_id == explanation.best_path_id
    score = "  –" if path.score is None else f"{path.score * 100:3.0f}"
    is_inverted = path.points[0].assessment.placed.inverted
    working = next((step.working for step in explanation.steps if f"({path.path_id})" in step.label), "")
    best = "the best path: it is the one that counts" if is_best else "not the best path: it does not count"
    detail = [Cell(f"path {number}, {path.path_id}" + (" of should_not" if is_inverted else ""), Ink.STRONG)]
    if path.score is None:
        detail.append(Cell("nothing of it is judged yet, so it takes no part", Ink.DIM))
    else:
        detail += [Cell(_sum(working, hundred(path.score))), Cell(best)]
    if path.costs > 0:
        detail.append(Cell(f"met in full, it would add {hundred(path.costs)}", Ink.DIM))
    return ResultRow(
        key=f"path:{path.path_id}",
        text=f"path {number}" + (" to keep clear of" if is_inverted else "") + (", the best" if is_best else ""),
        lead=(Cell("▸ " if is_best else "  ", Ink.STRONG), Cell(f"{score}  ", _ink(path.score))),
        tail=(_costs(path.costs),),
        ink=Ink.STRONG if is_best else Ink.DIM,
        target=path.span,
        detail=tuple(detail),
    )


def _point_row(point: PointScore, explanation: Explanation, index: int, indent: str) -> ResultRow:
    assessment = point.assessment
    mark, ink = _mark(assessment)
    score = "  –" if assessment.extent is None else f"{assessment.extent * 100:3.0f}"
    weight = Cell(f"{assessment.point.multiplier:g}".rjust(_WEIGHT_WIDTH), Ink.DIM)
    costs = _costs(point.costs) if assessment.assessed else Cell("–".rjust(_COSTS_WIDTH), Ink.DIM)
    lead = [Cell(indent), Cell(f"{mark} {score}  ", ink)]
    if assessment.placed.inverted:
        lead.append(Cell("not: ", Ink.DIM))
    return ResultRow(
        key=f"point:{index}",
        text=point_text(assessment),
        lead=tuple(lead),
        tail=(weight, costs) if _weighs(explanation) else (costs,),
        point=index,
        gradeable=assessment.point.function is None,
        target=assessment.point.subject_span,
        detail=tuple(_point_detail(point, explanation)),
    )


def point_text(assessment: Assessment) -> str:
    """A point as its author wrote it, on one line."""
    point = assessment.point
    return " ".join(point.text.split()) if point.text is not None else point_label(point, longest=2000)


def _mark(assessment: Assessment) -> tuple[str, Ink]:
    if assessment.error is not None:
        return "!", Ink.ERROR
    if assessment.extent is None:
        return "?", Ink.DIM
    if assessment.extent >= 1:
        return "●", Ink.MET
    if assessment.extent <= 0:
        return "○", Ink.UNMET
    return "◐", Ink.PARTLY


def _ink(score: float | None) -> Ink:
    if score is None:
        return Ink.DIM
    return Ink.MET if score >= 1 else Ink.UNMET if score <= 0 else Ink.PARTLY


def _costs(costs: float) -> Cell:
    return Cell(hundred(costs).rjust(_COSTS_WIDTH), Ink.DIM if costs < 0.0005 else Ink.PLAIN)


def _point_detail(point: PointScore, explanation: Explanation) -> Iterator[Cell]:
    assessment = point.assessment
    if assessment.placed.inverted:
        yield Cell("The response should not:", Ink.DIM)
    text = assessment.point.text
    yield Cell(point_text(assessment) if text is None else text.strip(), Ink.STRONG)
    yield from _verdict(assessment)
    if text is not None:
        yield from _grade_scale(assessment)
    if assessment.assessed:
        yield Cell(_share(point, explanation), Ink.DIM)
    if assessment.point.citation:
        yield Cell(f"source: {assessment.point.citation}", Ink.DIM)


def _verdict(assessment: Assessment) -> Iterator[Cell]:
    if assessment.error is not None:
        counts = "so it counts 0 here; Weval leaves it out" if assessment.assessed else "so it is not judged"
        yield Cell(f"could not be checked, {counts}:", Ink.ERROR)
        yield Cell(assessment.error, Ink.ERROR)
    elif assessment.extent is None:
        yield Cell("not judged yet: it takes no part in the score", Ink.DIM)
    else:
        if assessment.detail:
            yield Cell(assessment.detail, Ink.YOURS if assessment.by is AssessedBy.HUMAN else Ink.PLAIN)
        if assessment.reflection:
            yield Cell(assessment.reflection, Ink.DIM)
        if assessment.placed.inverted:
            yield Cell(f"it is in should_not, so it counts {assessment.extent * 100:.0f} here", Ink.DIM)


def _share(point: PointScore, explanation: Explanation) -> str:
    weight = f"weight {point.assessment.point.multiplier:g}"
    if point.costs <= 0.0005:
        met = point.assessment.extent is not None and point.assessment.extent >= 1
        return f"{weight} · costs nothing" + ("" if met else ": another path counts")
    after = (explanation.score or 0.0) + point.costs
    return f"{weight} · costs {hundred(point.costs)}: met in full, the score would be {hundred(after)}"


_GRADE_MEANINGS = ("none of it", "a hint of it", "about half of it", "most of it", "all of it")


def _grade_scale(assessment: Assessment) -> Iterator[Cell]:
    """The five grades with their keys and what they mean."""
    asked = "How far does it do this? The score counts the opposite." if assessment.placed.inverted else "Grade it:"
    yield Cell(f"{asked}  0 takes a grade back", Ink.YOURS)
    for number, (grade, meaning) in enumerate(zip(Grade, _GRADE_MEANINGS, strict=True), 1):
        yield Cell(f" {number}  {grade.label:<18} {grade.extent * 100:3.0f}  {meaning}")


def _advice_rows(explanation: Explanation, fixable: Sequence[Span]) -> Iterator[ResultRow]:
    if not explanation.advice and explanation.against_ideal is None:
        return
    yield _gap("why")
    yield _heading("why", "Why low")
    if explanation.against_ideal is not None:
        yield ResultRow(
            "ideal", explanation.against_ideal, lead=(Cell("    "),), detail=(Cell(explanation.against_ideal),)
        )
    for number, advice in enumerate(explanation.advice, 1):
        gain = f"+{hundred(advice.gain)}"
        can = [Cell(f"adds {hundred(advice.gain)}: {hundred(advice.after)} then", Ink.DIM)]
        mendable = advice.span is not None and any(_touch(advice.span, span) for span in fixable)
        if mendable:
            can.append(Cell("f  mend this in the blueprint", Ink.YOURS))
        yield ResultRow(
            key=f"advice:{advice.text}",
            text=advice.text,
            lead=(Cell(f"{number:2}  ", Ink.DIM),),
            tail=(Cell(gain.rjust(8), Ink.MET), *((Cell("  f fix", Ink.YOURS),) if mendable else ())),
            target=advice.span,
            mendable=mendable,
            detail=(Cell(advice.text), *can),
        )


def _touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


_STEP_NAMES = {
    StepKind.REQUIRED_MEAN: "required points",
    StepKind.BEST_PATH: "best path",
    StepKind.COMBINED: "their mean",
    StepKind.STORED: "Weval stores",
}


def _arithmetic_rows(explanation: Explanation) -> Iterator[ResultRow]:
    if not explanation.steps:
        return
    yield _gap("arithmetic")
    yield _heading("arithmetic", "Arithmetic", said="in the order it is done")
    for number, step in enumerate(explanation.steps):
        is_stored = step.kind is StepKind.STORED
        result = to_fixed(step.result, 2) if is_stored else hundred(step.result)
        detail = [Cell(step.label, Ink.STRONG), Cell(step.working if is_stored else _sum(step.working, result))]
        if is_stored:
            detail += [Cell(reason) for reason in explanation.weval.reasons]
        name = _STEP_NAMES.get(step.kind) or step.label.partition(" (")[0]
        yield ResultRow(
            key=f"step:{number}",
            text="two decimals" if is_stored else step.working,
            lead=(Cell(f"  {name:<17}", Ink.DIM if is_stored else Ink.PLAIN),),
            tail=(Cell(result.rjust(_COSTS_WIDTH)),),
            ink=Ink.DIM,
            detail=tuple(detail),
        )


def _sum(working: str, result: str) -> str:
    """A working with its result; a single figure is no sum."""
    return f"{working} = {result}" if " " in working else f"its only point: {result}"


def _note_rows(explanation: Explanation) -> Iterator[ResultRow]:
    notes = (*explanation.notes, *explanation.weval.reasons)
    if not notes:
        return
    yield _gap("notes")
    yield _heading("notes", "Notes")
    for number, note in enumerate(notes):
        yield ResultRow(f"note:{number}", note, lead=(Cell("  "),), detail=(Cell(note),))
