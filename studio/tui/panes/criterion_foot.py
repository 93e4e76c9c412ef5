"""What belongs to one criterion: its weight and source, each judge with verdict and reason, and the author's grade."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.evidence.passages import sentence_text
from engine.evidence.prompt_evidence import evidence_lines
from engine.judging.judgement import named_classes
from engine.scoring.assessment import AssessedBy, Assessment, Grade, OnWeval
from engine.scoring.explanation import (
    PointScore,
    bounds_text,
    changed_text,
    points_text,
    severity_text,
    weight_text,
    whole_text,
)
from engine.study.case import is_failed, judges_differ, known_extent
from engine.study.criterion_counts import met_by_text
from studio.session.views.result_view import JudgeWord, ResultView
from studio.tui.panes.criteria_rows import INDENT, score_ink
from studio.tui.paragraphs import Line, beside, paragraph
from studio.tui.pieces import Piece
from studio.tui.tall_list import CLOSEST, DIM, ERROR, STRONG, WARNING, YOURS

_SCALE: Piece = ("1 no · 2 · 3 half · 4 · 5 yes", YOURS)


def entry(pieces: Sequence[Piece], width: int, *, most: int | None = None, end: str = "") -> list[Line]:
    """A paragraph whose further lines are indented; `end` stands behind the ellipsis where it is cut."""
    *lines, last = paragraph(pieces, width - 3 - len(end), most=most)
    if end and last[-1][0] == "…":
        last = (*last, (end, last[-1][1]))
    first, *more = (*lines, last)
    return [((" ", ""), *first), *((("   ", ""), *line) for line in more)]


def criterion_foot(view: ResultView, place: int, width: int) -> tuple[list[Line], list[Line]]:
    """The lines on a criterion, above the answer's passage and below it."""
    point = next(
        point
        for group in view.explanation.groups()
        for point in group.points
        if point.assessment is view.assessments[place]
    )
    above = [line for pieces in _verdicts(view, point, place) for line in entry(pieces, width)]
    below = [line for pieces in _yours(view, point, place) for line in entry(pieces, width)]
    return [*_about(view, point, place, width), *above], below


def passage(view: ResultView, place: int, width: int, most: int | None) -> list[Line]:
    """What is lit up in the answer, in at most so many lines."""
    lit = view.lit(place) if view.answer else None
    if lit is None or not lit.spans:
        return []
    texts = " … ".join(f"⟦{sentence_text(span, view.answer)}⟧" for span in lit.spans)
    name = "closest sentence" if lit.is_closest else "answer"
    return entry([(f"{name}  ", DIM), (texts, CLOSEST)], width, most=most, end="⟧")


def _about(view: ResultView, point: PointScore, place: int, width: int) -> list[Line]:
    """The weight where it is not 1, the citation in one line, and whether the judges agree."""
    criterion = point.assessment.point
    weight = "" if criterion.multiplier == 1 else f"weight {weight_text(criterion.multiplier)}"
    about = " · ".join(filter(None, (weight, " ".join((criterion.citation or "").split()))))
    words, lead = view.words(place), ((" " * INDENT, ""),)
    differ = judges_differ(each.extent for each in words)
    tail: Piece = ("judges differ", WARNING) if differ else ("judges" if words else "", DIM)
    return beside(lead, ((about, DIM),), (tail,), width, most=1) if about or words else []


def _verdicts(view: ResultView, point: PointScore, place: int) -> Iterator[list[Piece]]:
    """What to know of the verdict, each judge, and what a check found."""
    assessment = point.assessment
    if point.same_as:
        yield [(point.same_as, WARNING)]
    if assessment.carried_over:
        saw = changed_text(assessment.carried_over)
        yield [(f"before this edit: the judges saw {saw}. J asks them again", WARNING)]
    words = view.words(place)
    if words or place not in view.waiting:
        yield from verdict_said(assessment, words)
    if place in view.waiting:
        yield [("waiting for more judges …" if words else "waiting for the judges …", YOURS)]
    if (evidence := view.evidence.get(place)) is not None:
        for line in evidence_lines(evidence, view.answer):
            yield [(line, DIM if evidence.spans else CLOSEST)]


def verdict_said(assessment: Assessment, words: Sequence[JudgeWord]) -> Iterator[list[Piece]]:
    """Each judge with verdict and reason; without judges what a check found, or that nobody judged it yet."""
    for word in words:
        yield _judge(word)
        if word.on_weval:
            yield [(word.on_weval, WARNING)]
    if not words:
        yield from _without_judges(assessment)


def _judge(word: JudgeWord) -> list[Piece]:
    if word.failure:
        return [(f"{word.judge}  ", DIM), (f"–  {word.failure}. ", WARNING), (word.reason, "")]
    verdict = whole_text(word.extent), score_ink(word.extent)
    return [(f"{word.judge}  ", DIM), verdict, (f"  {word.reason}" if word.reason else "", "")]


def _without_judges(assessment: Assessment) -> Iterator[list[Piece]]:
    if assessment.errs:
        there = "Weval waits for it" if assessment.on_weval is OnWeval.NO_LIMIT else "Weval leaves it out"
        counts = f"could not be checked: counts 0 here, {there}" if assessment.broken else assessment.unjudged_text
        yield [(f"{counts}. {assessment.error}", ERROR)]
    elif assessment.extent is None:
        yield [("not judged yet", DIM)]
    elif assessment.by is not AssessedBy.HUMAN:
        if assessment.detail:
            yield [("check  " if assessment.by is AssessedBy.FUNCTION else "", DIM), (assessment.detail, "")]
        if assessment.reflection:
            yield [(assessment.reflection, DIM)]


def _yours(view: ResultView, point: PointScore, place: int) -> Iterator[list[Piece]]:
    """The author's grade, what may be changed, and what the criterion does to the score."""
    assessment = point.assessment
    if view.tried is not None:
        yield from _tried(view, place)
    elif assessment.point.function is None and view.is_scored:
        yield from _grade(view, assessment, place)
    said = severity_text(assessment.placed, point.severity) if point.severity is not None else ""
    if point.gain and not view.explanation.is_partial and points_text(point.gain) != "0.0":
        said = " · ".join(filter(None, (f"met in full: {bounds_text(point.met.low, point.met.high)}", said)))
    if said:
        yield [(said, DIM)]
    extent = known_extent(assessment)
    if place < len(view.met_by):
        text = met_by_text(view.met_by[place], is_met=None if extent is None else not is_failed(extent))
        if text:
            yield [(text, DIM)]


def _grade(view: ResultView, assessment: Assessment, place: int) -> Iterator[list[Piece]]:
    """The grade, below the classes that judges named."""
    judgements = view.judgements.get(place, ())
    if judgements and not assessment.assessed and (named := named_classes(judgements)):
        yield [(named, STRONG)]
    extent = assessment.extent if assessment.by is AssessedBy.HUMAN else None
    extent = 1 - extent if extent is not None and assessment.placed.inverted else extent
    given = next((str(number) for number, grade in enumerate(Grade, 1) if grade.extent == extent), "")
    yield from grade_scale(given, is_inverted=assessment.placed.inverted)


def grade_scale(given: str, *, is_inverted: bool) -> Iterator[list[Piece]]:
    """`you –  1 no · 2 · 3 half · 4 · 5 yes`: the grade that is `given`, "" for none, and the keys for another."""
    if is_inverted:
        yield [("how far does it do this? The score counts the opposite", YOURS)]
    yield [("  you ", DIM), (f"{given or '–'}  ", STRONG), _SCALE, ("  0 takes it back" if given else "", DIM)]


def _tried(view: ResultView, place: int) -> Iterator[list[Piece]]:
    assert view.tried is not None
    point = view.tried.points[place]
    was, said = point.assessment, ["off"] if point.is_off else []
    if point.is_reweighed:
        said.append(f"weight {was.point.multiplier:g} → {point.weight:g}")
    if was.extent != point.extent:
        said.append(f"{whole_text(was.extent)} → {whole_text(point.extent)}")
    if point.loosened:
        said.append(f"loosened: {point.loosened.title}")
    if said:
        yield [(f"tried: {' · '.join(said)}  0 takes it back", YOURS)]
    elif point.misses:
        yield [("l loosens this check to its nearest miss", YOURS)]
    elif was.point.text is not None:
        yield [_SCALE]
