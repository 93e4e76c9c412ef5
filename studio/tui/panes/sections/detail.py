"""The detail of a point below the list: its full text, its verdict, its weight and its source."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.scoring.assessment import AssessedBy, Assessment, Grade, OnWeval
from engine.scoring.explanation import (
    Explanation,
    PointScore,
    bounds_text,
    changed_text,
    point_label,
    points_text,
    severity_text,
)
from engine.study.case import is_failed, known_extent
from engine.study.criterion_counts import met_by_text
from engine.text.spans import in_quotes
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import Cell, Ink

DetailPart = Callable[[ResultView, Explanation, PointScore, int], Iterator[Cell]]
"""One part of the detail of a point, which is given with its index in `Prompt.points()`. It may be empty."""

_LONGEST_SENTENCE = 70
"""Code points, about two lines: the grades below stay visible. The answer shows the whole sentence highlighted."""


def point_detail(view: ResultView, explanation: Explanation, point: PointScore, index: int) -> Iterator[Cell]:
    """The detail of one point, one cell for each line."""
    for part in _PARTS:
        yield from part(view, explanation, point, index)


def point_text(assessment: Assessment) -> str:
    """A point as its author wrote it, on one line."""
    point = assessment.point
    return " ".join(point.text.split()) if point.text is not None else point_label(point)


def _text(_: ResultView, __: Explanation, point: PointScore, ___: int) -> Iterator[Cell]:
    assessment = point.assessment
    if assessment.placed.inverted:
        yield Cell("The response should not:", Ink.DIM)
    text = assessment.point.text
    yield Cell(point_text(assessment) if text is None else text.strip(), Ink.STRONG)


def _verdict(view: ResultView, _: Explanation, point: PointScore, place: int) -> Iterator[Cell]:
    assessment = point.assessment
    if view.is_for_judges(place):
        from studio.tui.panes.sections.verdicts import verdict_summary  # imported here: it imports all of judging

        yield verdict_summary(view, assessment, place)
    elif assessment.errs:
        there = "Weval waits for it" if assessment.on_weval is OnWeval.NO_LIMIT else "Weval leaves it out"
        counts = f"so it counts 0 here; {there}" if assessment.assessed else "so it is not judged"
        yield Cell(
            f"{assessment.unjudged_text if assessment.failed else f'could not be checked, {counts}'}:", Ink.ERROR
        )
        yield Cell(assessment.error or "", Ink.ERROR)
    elif assessment.extent is None:
        yield Cell("not judged yet: it takes no part in the score", Ink.DIM)
    else:
        if assessment.detail:
            yield Cell(assessment.detail, Ink.YOURS if assessment.by is AssessedBy.HUMAN else Ink.PLAIN)
        if assessment.reflection:
            yield Cell(assessment.reflection, Ink.DIM)
        if assessment.placed.inverted:
            yield Cell("it is in should_not: what it names lowers the score", Ink.DIM)


def _same_as(_: ResultView, __: Explanation, point: PointScore, ___: int) -> Iterator[Cell]:
    if point.same_as:
        yield Cell(point.same_as, Ink.WARNING)


def _carried_over(_: ResultView, __: Explanation, point: PointScore, ___: int) -> Iterator[Cell]:
    """A note on a verdict from before an edit of what its judge saw."""
    if point.assessment.carried_over:
        saw = changed_text(point.assessment.carried_over)
        yield Cell(f"before this edit: its judge saw {saw}. a  asks the judges again", Ink.WARNING)


def _grades(view: ResultView, _: Explanation, point: PointScore, place: int) -> Iterator[Cell]:
    """The five grades with their keys and extents; only the keys if judges judge the point."""
    if point.assessment.point.text is None:
        return
    if view.is_for_judges(place):
        from engine.judging.judgement import named_classes

        if not point.assessment.assessed and (named := named_classes(view.judgements.get(place, ()))):
            yield Cell(named, Ink.STRONG)
        yield Cell(f"1…{len(Grade)} grades it yourself, 0 takes that back", Ink.DIM)
        return
    inverted = point.assessment.placed.inverted
    question = "How far does it do this? The score counts the opposite." if inverted else "Grade it:"
    yield Cell(f"{question}  0 takes a grade back", Ink.YOURS)
    grades = [
        f"{number} {grade.label.removesuffix(' present')} {grade.extent * 100:.0f}"
        for number, grade in enumerate(Grade, 1)
    ]
    yield Cell(" · ".join(grades[:3]))
    yield Cell(" · ".join(grades[3:]))


def _share(view: ResultView, explanation: Explanation, point: PointScore, place: int) -> Iterator[Cell]:
    weight = f"weight {point.assessment.point.multiplier:g}"
    if not point.assessment.assessed:
        if view.is_for_judges(place):
            yield Cell(f"{weight} · {point.assessment.unjudged_text}", Ink.DIM)
        return
    cost = f"costs {points_text(point.cost)}" if point.cost else "costs nothing"
    is_met = point.assessment.extent is not None and point.assessment.extent >= 1
    if is_met:
        yield Cell(f"{weight} · costs nothing", Ink.DIM)
    elif explanation.is_partial:
        yield Cell(f"{weight} · what it costs is open: part of the rubric cannot be read", Ink.DIM)
    elif points_text(point.gain) == "0.0":
        yield Cell(f"{weight} · {cost}: another path counts", Ink.DIM)
    else:
        after = bounds_text(point.met.low, point.met.high)
        yield Cell(f"{weight} · {cost}: met in full, the score would be {after}", Ink.DIM)


def _severity(_: ResultView, __: Explanation, point: PointScore, ___: int) -> Iterator[Cell]:
    if point.severity is not None:
        yield Cell(severity_text(point.assessment.placed, point.severity), Ink.DIM)


def _citation(_: ResultView, __: Explanation, point: PointScore, ___: int) -> Iterator[Cell]:
    if point.assessment.point.citation:
        yield Cell(f"source: {point.assessment.point.citation}", Ink.DIM)


def _closest(view: ResultView, _: Explanation, __: PointScore, place: int) -> Iterator[Cell]:
    """The sentence of the answer to look at first."""
    if not view.quotes(place) and (sentence := view.closest(place)):
        yield Cell(f"closest sentence: {in_quotes(cut_passage(sentence))}", Ink.CLOSEST)


def _evidence(view: ResultView, _: Explanation, point: PointScore, place: int) -> Iterator[Cell]:
    """What a check found, or nearly found, in the answer."""
    evidence = view.evidence.get(place)
    if evidence is None:
        return
    from engine.evidence.prompt_evidence import evidence_lines

    for line in evidence_lines(evidence, view.answer):
        yield Cell(line, Ink.CLOSEST if not evidence.spans else Ink.DIM)


def _met_by(view: ResultView, _: Explanation, point: PointScore, place: int) -> Iterator[Cell]:
    """How many other models meet the point: where to look, and no proof."""
    if place < len(view.met_by):
        extent = known_extent(point.assessment)
        text = met_by_text(view.met_by[place], is_met=None if extent is None else not is_failed(extent))
        if text:
            yield Cell(text, Ink.DIM)


def _quotes(view: ResultView, _: Explanation, __: PointScore, place: int) -> Iterator[Cell]:
    """What judges quote of the answer."""
    for span in view.quotes(place):
        yield Cell(f"quoted: {in_quotes(cut_passage(' '.join(span.of(view.answer).split())))}", Ink.CLOSEST)


def cut_passage(text: str) -> str:
    """`text`, or its beginning: behind a whole word, where the script parts words by blanks."""
    if len(text) <= _LONGEST_SENTENCE:
        return text
    head = text[: _LONGEST_SENTENCE - 1]
    end = head.rfind(" ", _LONGEST_SENTENCE // 2)
    return f"{head if end < 0 else head[:end]}…"


def _judges(view: ResultView, _: Explanation, __: PointScore, place: int) -> Iterator[Cell]:
    if view.is_for_judges(place):
        from studio.tui.panes.sections.verdicts import verdict_lines

        yield from verdict_lines(view, place)


_PARTS: tuple[DetailPart, ...] = (
    _text, _same_as, _verdict, _evidence, _carried_over, _quotes, _closest, _grades, _severity, _share, _met_by,
    _citation, _judges,
)  # fmt: skip
"""The judges, whose part grows, are last: what is being read does not move when a verdict arrives."""
