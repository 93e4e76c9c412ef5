"""The criteria of a prompt as rows: by blocks, in an order, each with its score and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.evaluation.headline import group_headline
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation, GroupScore, PointScore, point_label, points_text, whole_text
from engine.scoring.what_if import path_standings, set_text
from engine.study.case import is_failed, judges_differ
from engine.text.record import Record
from engine.text.spans import Span, one_line
from studio.session.views.overview_view import FileCriterion, FileResult
from studio.session.views.result_view import JudgeWord, ResultView
from studio.tui.pieces import Piece
from studio.tui.tall_list import DIM, ERROR, MET, PARTLY, STRONG, UNMET, WARNING, YOURS

if TYPE_CHECKING:
    from engine.evaluation.tool_use import Finding
    from studio.session.what_if import Hypothesis, TriedPoint
    from studio.tui.panes.score import Head

_OPEN = 1e-9
"""Where a criterion without a verdict stands: before those that cost nothing."""
INDENT = 7
"""Cells before the text of a criterion: its mark and its score."""
_LONGEST_PROMPT = 160
"""Code points of a prompt that stand above its criteria."""


class Order(StrEnum):
    """The orders of the criteria; `s` goes to the next one."""

    DEAREST = "dearest first"
    FILE = "as in the file"
    SCORE = "lowest score first"


class CriteriaRow(Record):
    """One row: `lead` at the left, `text` whole beside it, and `tail` at the right of its first line.

    `ink` is that of a text in one piece.

    `point` is the place of its criterion in `Prompt.points()`, `way` the path that it is on, where there are several.
    Enter goes `to` a criterion, of this prompt or another, a place in the blueprint or a rule of the tool policy, else
    to `evidence` in the answer. `said` are the paragraphs below the list. The first row is the `head`.
    """

    key: str
    text: str | tuple[Piece, ...] = ""
    ink: str = ""
    lead: tuple[Piece, ...] = (("  ", ""),)
    tail: tuple[Piece, ...] = ()
    point: int | None = None
    way: str | None = None
    to: int | Span | FileCriterion | Finding | None = None
    evidence: tuple[Span, ...] = ()
    can_grade: bool = False
    can_fix: bool = False
    is_heading: bool = False
    said: tuple[Piece, ...] = ()
    head: Head | None = None

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Its text."""
        return ((self.text, self.ink),) if isinstance(self.text, str) else self.text

    @property
    def is_way(self) -> bool:
        """Whether it is the line of a way through a block of paths."""
        return self.way is not None and self.point is None


def heading(key: str, text: str) -> CriteriaRow:
    """A quiet heading."""
    return CriteriaRow(f"heading:{key}", text, DIM, (("── ", DIM),), is_heading=True)


def criterion_text(assessment: Assessment) -> str:
    """A criterion as its author wrote it, on one line."""
    point = assessment.point
    return " ".join(point.text.split()) if point.text is not None else point_label(point)


def is_fixable(view: ResultView, span: Span) -> bool:
    """Whether a problem that has a fix touches `span`."""
    return any(each.start <= span.end and span.start <= each.end for each in view.fixable)


def score_ink(score: float | None) -> str:
    """The colour of a score of 0–1."""
    return DIM if score is None else MET if score >= 1 else UNMET if score <= 0 else PARTLY


def score_piece(extent: float | None, mark: str = "") -> Piece:
    """The mark and the score of a criterion, `INDENT` cells wide."""
    mark = mark or (" " if extent is None else "○◔◐◕●"[max(int(extent * 4), extent > 0)])
    return f"{mark} {whole_text(extent):>3}  ", score_ink(extent)


# --- The order


class _Criterion(Record):
    """A criterion with its group; `number` is that of its way, from 1, 0 for a required one."""

    place: int
    point: PointScore
    group: GroupScore
    number: int


def _criteria(view: ResultView) -> Iterator[_Criterion]:
    places = {id(assessment): place for place, assessment in enumerate(view.assessments)}
    first = view.explanation.required is None
    for number, group in enumerate(view.explanation.groups(), first):
        for point in group.points:
            yield _Criterion(places[id(point.assessment)], point, group, number)


def costs_of(view: ResultView) -> dict[int, float]:
    """What each criterion takes from the score, by its place; 0 where that is open."""
    return {each.place: each.point.cost or 0.0 for each in _criteria(view)}


def _cost(criteria: Sequence[_Criterion]) -> float:
    costs = [each.point.cost for each in criteria]
    return -round(sum(_OPEN if cost is None else cost for cost in costs), 9)


def _first(criteria: Sequence[_Criterion]) -> float:
    return min(each.place for each in criteria)


def _lowest(criteria: Sequence[_Criterion]) -> float:
    extents = [each.point.assessment.extent for each in criteria]
    return min(2.0 if extent is None else extent for extent in extents)


def arranged(view: ResultView, order: Order) -> tuple[int, ...]:
    """The places of all criteria in `order`; those of a block, and of a way through it, stay together."""
    value = {Order.DEAREST: _cost, Order.FILE: _first, Order.SCORE: _lowest}[order]
    return _sorted(view, value, view.explanation.best_path_id if order is Order.DEAREST else None)


def carried(places: Sequence[int], before: ResultView, now: ResultView) -> tuple[int, ...]:
    """`places` of the criteria `before` for those of `now`: one that is new follows the one before it in the file."""
    if len(places) == len(now.assessments):
        return tuple(places)
    known = {criterion_text(before.assessments[place]): rank for rank, place in enumerate(places)}
    ranks: list[int] = []
    for each in now.assessments:
        ranks.append(known.get(criterion_text(each), ranks[-1] if ranks else -1))
    return _sorted(now, lambda criteria: min(ranks[each.place] for each in criteria))


def _sorted(
    view: ResultView, value: Callable[[Sequence[_Criterion]], float], first_way: str | None = None
) -> tuple[int, ...]:
    every, blocks, ways = list(_criteria(view)), dict[bool, list[_Criterion]](), dict[int, list[_Criterion]]()
    for each in every:
        blocks.setdefault(each.number > 0, []).append(each)
        ways.setdefault(each.number, []).append(each)
    of_block = {block: (value(criteria), block) for block, criteria in blocks.items()}
    of_way = {
        number: (criteria[0].group.path_id != first_way, value(criteria), number) for number, criteria in ways.items()
    }

    every.sort(key=lambda each: (of_block[each.number > 0], of_way[each.number], value([each]), each.place))
    return tuple(each.place for each in every)


# --- The rows


def criteria_rows(view: ResultView, places: Sequence[int]) -> Iterator[CriteriaRow]:
    """The criteria in the order of `places`, under headings where there are paths."""
    criteria = {each.place: each for each in _criteria(view)}
    has_ways, before = bool(view.explanation.paths), None
    for each in (criteria[place] for place in places):
        is_new = before is None or before.number != each.number
        if has_ways and is_new and (before is None or not (before.number and each.number)):
            yield heading("ways" if each.number else "required", _block_text(view.explanation, each))
        if is_new and each.number and len(view.explanation.paths) > 1:
            yield _way_row(view, each)
        yield _criterion_row(view, each)
        before = each


def _block_text(explanation: Explanation, first: _Criterion) -> str:
    share = "half of the score" if explanation.required is not None else "the whole score"
    if not first.number:
        return f"required, {share}"
    return f"any one of these earns {share}" if len(explanation.paths) > 1 else f"these together, {share}"


def _way_row(view: ResultView, first: _Criterion) -> CriteriaRow:
    explanation, way, tried = view.explanation, first.group, view.tried
    assert way.path_id is not None
    is_flat = tried is not None and way.path_id in tried.flat
    counts = way.path_id == (explanation if tried is None else tried.after).best_path_id and not is_flat
    is_inverted = way.points[0].assessment.placed.inverted
    name = f"way {first.number}{' to avoid' if is_inverted else ''}"
    text = _way_text(name, way, explanation, counts=counts) if tried is None else _tried_text(name, tried, way.path_id)
    return CriteriaRow(
        f"way:{way.path_id}",
        *text,
        lead=(("▸ " if counts else "  ", STRONG),),
        tail=() if tried is None else (("◂▸ a way again" if is_flat else "◂▸ all required", YOURS),),
        way=way.path_id,
        to=first.place,
        said=tuple(_way_said(explanation, way)) if tried is None else (),
    )


def _way_text(name: str, way: GroupScore, explanation: Explanation, *, counts: bool) -> Piece:
    """`way 2 counts · 50`, `way 1 · 38, less`."""
    figure = group_headline(way).whole_figure
    others = [each for each in explanation.paths if each is not way]
    if way.score is None:
        return f"{name} · not judged yet" if explanation.best_path_id is not None else name, DIM
    if counts:
        is_certain = all(each.bounds.high <= way.bounds.low for each in others)
        return f"{name} counts{'' if is_certain else ' so far'} · {figure}", STRONG
    highest = max(each.bounds.low for each in others)
    less = ", less" if highest > way.bounds.high else ", as much" if way.bounds.closed else ", may still count"
    return f"{name} · {figure}{less}", DIM


def _tried_text(name: str, tried: Hypothesis, way: str) -> Piece:
    if way in tried.flat:
        return f"{name}, all of it required", YOURS
    figure = whole_text(tried.mean(way))
    return (f"{name} counts · {figure}", STRONG) if way == tried.after.best_path_id else (f"{name} · {figure}", DIM)


def _way_said(explanation: Explanation, way: GroupScore) -> Iterator[Piece]:
    standing = next((each for each in path_standings(explanation) if each.path is way), None)
    if standing is not None and standing.change:
        yield f"To count instead, an answer has to {set_text(standing.change)}.", ""
    elif standing is not None and standing.change is None and not standing.can_tie:
        yield "No answer can make it count.", WARNING
    if way.gain:
        yield f"Met in full, it adds {points_text(way.gain)}.", DIM


def _criterion_row(view: ResultView, each: _Criterion) -> CriteriaRow:
    assessment, place = each.point.assessment, each.place
    tried = None if view.tried is None else view.tried.points[place]
    several = each.number > 0 and len(view.explanation.paths) > 1
    return CriteriaRow(
        f"point:{place}",
        tuple(_criterion_pieces(assessment, DIM if tried is not None and tried.is_off else "")),
        lead=(("  " if several else "", ""), _lead(view, place, tried)),
        tail=_cost_piece(each.point.cost) if tried is None else _tried_tail(tried, each.point.cost),
        point=place,
        way=each.group.path_id if several else None,
        to=place,
        can_grade=assessment.point.function is None,
        can_fix=is_fixable(view, assessment.point.span),
    )


def _lead(view: ResultView, place: int, tried: TriedPoint | None) -> Piece:
    assessment = view.assessments[place]
    if tried is not None:
        return ("– off  ", DIM) if tried.is_off else score_piece(tried.extent)
    if place in view.waiting:
        return f"… {whole_text(assessment.extent):>3}  ", YOURS
    if assessment.errs:
        return f"! {whole_text(assessment.extent):>3}  ", ERROR
    return score_piece(assessment.extent)


def _cost_piece(cost: float | None) -> tuple[Piece, ...]:
    """What a criterion takes from the score; nothing where that is 0, or open."""
    figure = points_text(cost)
    return () if figure in ("–", "0.0") else ((f"{f'−{figure}':>5}", ""),)


def _tried_tail(tried: TriedPoint, cost: float | None) -> tuple[Piece, ...]:
    """The weight as it would be, between the keys that step it, before the cost."""
    weight = f"◂{tried.weight:g}▸ ", YOURS if tried.count else DIM
    return weight, *(_cost_piece(cost) or ((" " * 5, ""),))


def _criterion_pieces(assessment: Assessment, ink: str) -> Iterator[Piece]:
    if assessment.carried_over:
        yield "before this edit: ", WARNING
    if assessment.placed.inverted:
        yield "should not: ", DIM
    yield criterion_text(assessment), ink


def facets_of(assessment: Assessment, words: Sequence[JudgeWord], asked: str = "") -> str:
    """What the filter finds a criterion by: its text, what is true of it, and at the file what its prompt `asked`."""
    extent = assessment.extent
    facets = (
        ("open", extent is None),
        ("failing", extent is not None and is_failed(extent)),
        ("judges differ", judges_differ(each.extent for each in words)),
        ("should_not", assessment.placed.inverted),
    )
    return " ".join([criterion_text(assessment), *(facet for facet, applies in facets if applies), asked])


# --- The file


def file_rows(view: FileResult) -> Iterator[CriteriaRow]:
    """The dearest criteria of all prompts, then the open ones."""
    for each in view.criteria:
        yield CriteriaRow(
            f"prompt:{each.number}:{each.place}",
            tuple(_criterion_pieces(each.assessment, "")),
            lead=(score_piece(each.assessment.extent, "!" if each.assessment.errs else ""),),
            tail=_cost_piece(each.cost),
            to=each,
        )


def with_prompts(rows: Sequence[CriteriaRow]) -> Iterator[CriteriaRow]:
    """`rows` of the file, below what the prompt of each asks, said once where several follow each other."""
    before = 0
    for row in rows:
        if isinstance(row.to, FileCriterion) and row.to.number != before:
            before = row.to.number
            yield heading(row.key, f"{before}  {one_line(row.to.prompt, longest=_LONGEST_PROMPT)}")
        yield row
