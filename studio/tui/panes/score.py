"""The first row of the criteria: the score, whose answer it is, and how it is composed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.cells import cell_len

from engine.evaluation.headline import Headline, group_figure, headline
from engine.judging.judgement import agreement_advice
from engine.scoring.explanation import (
    Bounds,
    Explanation,
    StepKind,
    bounds_text,
    number_text,
    path_label,
    points_text,
    stored_text,
)
from engine.study.case import judges_differ
from engine.text.record import Record, replace
from engine.text.spans import count
from studio.session.views import figures
from studio.session.views.figures import age_text, from_prompts
from studio.session.views.overview_view import FileResult, ModelGroup, Overview
from studio.session.views.result_view import CandidateScore, ResultView
from studio.tui.paragraphs import Line, cells, paragraph
from studio.tui.pieces import Piece
from studio.tui.tall_list import DIM, ERROR, FOCUS, LINE, STRONG, WARNING, YOURS

if TYPE_CHECKING:
    from studio.session.what_if import Hypothesis, TriedCase

_LEAST_BAR = 6
"""Cells; where fewer are left there is no bar."""
_LONGEST = 600
"""Code points that are shown of what went wrong."""
_MOST_MODELS = 4
"""Models of a collection that are named."""
_STEPS = {
    StepKind.REQUIRED_MEAN: "required",
    StepKind.BEST_PATH: "best way",
    StepKind.COMBINED: "their mean",
}
UNREAD = "Part of this file cannot be read now. These are the criteria last read."


class Head(Record):
    """The first row at any width: a figure and whose it is, its bounds for a bar, and paragraphs below, none cut."""

    figure: str = ""
    name: str = ""
    bounds: Bounds | None = None
    is_open: bool = False
    said: tuple[tuple[Piece, ...], ...] = ()


def head_of(view: ResultView | FileResult, *, is_open: bool, is_unread: bool) -> Head:
    """The score of an answer or of the file, with its arithmetic if it is open.

    `is_unread`: the criteria below it are those of an earlier text.
    """
    if isinstance(view, ResultView) and view.tried is not None:
        return Head(said=(tuple(_tried_pieces(view.tried)),))
    head = _head_of_result(view) if isinstance(view, ResultView) else _head_of_file(view.overview)
    unread = (((UNREAD, WARNING),),) if is_unread else ()
    tree = _tree(view.explanation) if isinstance(view, ResultView) else _sums(view.overview)
    said = (*head.said, *unread, *(tree if is_open else ()))
    is_open &= head.bounds is not None
    return replace(head, said=said, is_open=is_open, bounds=None if is_open else head.bounds)


def _head_of_result(view: ResultView) -> Head:
    said = tuple((piece,) for piece in _said(view))
    if not view.is_scored:
        return Head("not run yet" if view.running is None else "…", view.answers, said=said)
    summary, published = view.headline or headline(view.explanation), view.explanation.published
    if not summary.is_scored:
        return Head("no criteria: nothing is scored", view.answers, said=said)
    if published is not None and published.score is not None:
        bounds = Bounds(published.score, published.score)
        return Head(f"{points_text(published.score)} published", view.answers, bounds, said=said)
    return Head(summary.figure, view.answers, summary.bounds, said=said)


def _head_of_file(overview: Overview) -> Head:
    total = overview.total
    if total.headline is None:
        return Head("no score yet", said=(((f"F6 runs all prompts with {overview.answers}.", DIM),),))
    name = f"{from_prompts(total.scored, overview.prompt_count)} with {overview.answers}"
    age = age_text(overview.ages, figures.now())
    said = ", ".join(filter(None, ("so far" if overview.is_running else "", age, total.headline.details)))
    return Head(total.headline.figure, name, total.headline.bounds, said=(((said, DIM),),) if said else ())


def head_lines(head: Head, width: int) -> list[Line]:
    """`72.5  gpt-4o  ━━━━╍╍╍`: the figure is never cut, the bar has what the name leaves."""
    below = [line for pieces in head.said for line in paragraph(pieces, width)]
    if not head.figure:
        return below
    mark = "▾" if head.is_open else ""
    room = max(width - cell_len(head.figure) - 2 - len(mark), 0)
    named = paragraph(head.name, room, ink=DIM, most=1)[0] if head.name and room >= _LEAST_BAR else ()
    line: Line = ((head.figure, STRONG), ("  " if named else "", ""), *named)
    left = width - cells(line) - 2
    if head.bounds is not None and left >= _LEAST_BAR:
        line = (*line, ("  ", ""), *_bar(head.bounds, left))
    return [(*line, (mark.rjust(width - cells(line)), DIM)) if mark else line, *below]


def _bar(bounds: Bounds, room: int) -> Iterator[Piece]:
    """Heavy up to the lowest possible score, dashed up to the highest, thin beyond."""
    low, high = round(bounds.low * room), round(bounds.high * room)
    yield "━" * low, FOCUS
    yield "╍" * (high - low), FOCUS
    yield "─" * (room - high), LINE


def _said(view: ResultView) -> Iterator[Piece]:
    """What to know of the score, and of the run; while it goes on no more than that, so that no row moves."""
    if view.running is not None:
        yield view.running, YOURS
        return
    if view.failed is not None:
        came = "" if view.failed.partial is None else view.failed.partial.subject.strip()
        yield view.failed.title, ERROR
        yield from ((text[:_LONGEST], "") for text in (view.failed.detail,) if text)
        yield from ((text, WARNING) for text in (view.failed.advice,) if text)
        yield from ((f"What came: {text[:_LONGEST]}", "") for text in (came,) if text)
    explanation, summary = view.explanation, view.headline or headline(view.explanation)
    if view.is_scored and summary.is_scored:
        by_today = f"by today's rubric {summary.figure}" if _is_published(explanation) else ""
        if details := ", ".join(filter(None, (by_today, summary.details))):
            yield details, YOURS
        stored = explanation.weval.stored
        if stored is not None and summary.score is not None and stored_text(summary.score) != stored_text(stored):
            yield " ".join((f"Weval stores {stored_text(stored)}.", *explanation.weval.reasons)), WARNING
    yield from ((text, DIM) for text in (view.teaching,) if text)
    yield from ((text, YOURS) for text in (view.notice,) if text)
    if view.stale:
        yield "The prompt changed since: F5 runs it again.", WARNING


def _is_published(explanation: Explanation) -> bool:
    return explanation.published is not None and explanation.published.score is not None


def _tree(explanation: Explanation) -> Iterator[tuple[Piece, ...]]:
    """How the score is composed of its groups, and each step of the arithmetic."""
    if explanation.required is not None and explanation.paths:
        low, high = (max(getattr(path.bounds, end) for path in explanation.paths) for end in ("low", "high"))
        required, best = group_figure(explanation.required), Headline(Bounds(low, high), None, None).figure
        room = max(len(required), len(best))
        yield ((f"required  {required:>{room}} ─┐", ""),)
        yield (f"best way  {best:>{room}} ─┴ their mean: ", ""), (headline(explanation).figure, STRONG)
    if explanation.is_open and explanation.steps:
        yield (("over what is judged:", DIM),)
    for step in explanation.steps:
        if step.kind is not StepKind.STORED:
            name = _STEPS.get(step.kind) or step.label.replace(path_label(0)[:-1], "way ")
            yield ((f"{name}: {step.working} = {step.figure}", DIM),)


# --- What if


def _tried_pieces(tried: Hypothesis) -> Iterator[Piece]:
    """`52.1 → 81.3 · 3 changes · a apply to the text · Esc drop`."""
    before, after = (bounds_text(each.bounds.low, each.bounds.high) for each in (tried.before, tried.after))
    yield (f"{before} → {after}" if tried.count else before), STRONG
    if tried.count:
        changes = count(tried.count, "change")
        yield f" · {changes} · a apply to the text · Esc drop", YOURS
    else:
        yield " · what if: ◂ ▸ weight, 1–5 verdict, o off · Esc ends it", YOURS


# --- Below the list


def head_said(view: ResultView | FileResult) -> Iterator[Piece]:
    """What belongs to the head: how far the judges agree, the other answers, and what changes do to labelled ones."""
    if isinstance(view, FileResult):
        yield from _file_said(view.overview)
        return
    if view.tried is not None:
        yield from _labelled(view.tried)
        return
    if view.agreement is not None:
        yield _agreement_text(view), ""
    if view.judges_cost:
        yield f"The judges cost {view.judges_cost}.", DIM
    yield from ((_candidate_text(each), STRONG if each.shown else DIM) for each in view.beside)


def _agreement_text(view: ResultView) -> str:
    assert view.agreement is not None
    said = [[word for word in view.words(place) if not word.failure] for place in view.judgements]
    compared = [words for words in said if len(words) > 1]
    agree = sum(not judges_differ(word.extent for word in words) for words in compared)
    if agree == len(compared) == 1:
        return f"The judges agree. {agreement_advice(view.agreement.interpretation)}"
    of = f"all {agree}" if agree == len(compared) else f"{agree} of {len(compared)}"
    return f"The judges agree on {of} criteria. {agreement_advice(view.agreement.interpretation)}"


def _candidate_text(each: CandidateScore) -> str:
    score = each.state if each.headline is None else each.headline.whole
    return f"{'▸' if each.shown else ' '} {each.label}  {score}"


def _labelled(tried: Hypothesis) -> Iterator[Piece]:
    answers = [each for each in tried.cases if each.case.number]
    if not answers:
        yield "No labelled answers yet: m on an answer makes one.", DIM
    pairs, before, after = tried.pairs
    if pairs:
        was = "" if before == after else f", was {before}"
        yield f"{after} of {count(pairs, 'pair')} ranked rightly{was}", DIM
    yield from map(_labelled_text, answers)


def _labelled_text(answer: TriedCase) -> Piece:
    case = answer.case
    before, after = (bounds_text(each.bounds.low, each.bounds.high) for each in (answer.before, answer.after))
    score = after if before == after else f"{before} → {after}"
    state, was = answer.after.state.value, answer.before.state.value
    flipped = "" if was == state else f", was {was}"
    label = {True: "bad", False: "good", None: ""}[case.is_bad]
    name = " · ".join(filter(None, (case.name, label, f"{case.score} wanted" if case.score is not None else "")))
    return f"{name}  {score}  {state}{flipped}", YOURS if flipped else ""


# --- The file


def _file_said(overview: Overview) -> Iterator[Piece]:
    """How the labelled answers stand, and the models that the file names."""
    if overview.cases:
        yield f"labelled answers: {overview.cases}", ""
    if overview.models:
        named = "models" if overview.names_models else "no models named: Weval takes"
        yield f"{named} {', '.join(map(_group_text, overview.models))}", DIM
    yield from ((each.problem, WARNING) for each in overview.models if each.problem)


def _group_text(group: ModelGroup) -> str:
    """`CORE (openai:a, openai:b)`, `CORE (openai:a and 23 others)`, or the one model."""
    others = len(group.models) - 1
    models = ", ".join(group.models) if others < _MOST_MODELS else f"{group.models[0]} and {others} others"
    return f"{group.collection} ({models})" if group.collection and models else group.collection or models


def _sums(overview: Overview) -> Iterator[tuple[Piece, ...]]:
    """The mean of the scores as Weval stores them."""
    total = overview.total
    if total.headline is None or not total.weights > 0:
        return
    by_weight = " by weight" if any(each.weight != 1 for each, _ in total.counted) else ""
    low, high = (number_text(each / 100) for each in (total.low, total.high))
    added, figure = low if low == high else f"({low}–{high})", total.headline.figure
    scores = count(len(total.counted), "score")
    yield ((f"the mean of {scores}{by_weight}: {added} ÷ {total.weights:g} = {figure}", DIM),)
