"""The head of a result, of one prompt or of the blueprint: what was run, the score, and how it is composed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from engine.evaluation.headline import Headline, group_figure, headline
from engine.scoring.explanation import Bounds, Explanation, GroupScore, points_text, stored_text
from engine.text.spans import visible
from studio.session.views import figures
from studio.session.views.figures import age_text, from_prompts
from studio.session.views.overview_view import Overview
from studio.session.views.result_view import ResultView
from studio.tui.row_list import fit

if TYPE_CHECKING:
    from engine.judging.judgement import Agreement


def overview_head(view: Overview, width: int) -> Content:
    """Title, score and what it is computed from: always three lines, so that nothing moves while scores arrive; then
    any remarks."""
    total = view.total
    title = _beside(view.title or "Untitled", "the blueprint", width)
    if total.headline is None:
        teaching = fit(f"F6 runs all prompts with {view.answers}", width)
        return Content("\n").join([title, Content.styled("no score yet", "bold"), Content.styled(teaching, "$ink-dim")])
    so_far = "so far, " if view.is_running else ""
    judged = f"{total.headline.judged_text}, " if total.headline.judged_text else ""
    room = max(width - cell_len(judged), 8)
    age = age_text(view.ages, figures.now())
    prompts = f"{so_far}{from_prompts(total.scored, view.prompt_count)}{f', {age}' if age else ''}"
    named = f"{prompts} with {view.answers}"
    text = named if cell_len(named) <= room else fit(prompts, room)  # each row names the answers in its detail
    about = Content.assemble((judged, "$ink-yours"), (text, "$ink-dim"))
    remarks = [Content.styled(fit(words, width), "$ink-yours") for words in total.headline.remark_texts]
    return Content("\n").join([title, _score_line(total.headline, width), about, *remarks])


def head_content(view: ResultView, width: int) -> Content:
    """The head for a pane of `width` cells: what was run, the score, and how it is composed."""
    lines = [_beside(view.prompt.id, view.answers, width)]
    if view.failed is not None:
        lines += _failure_lines(view)
    if view.explanation is not None:
        lines += _headline_lines(view, view.explanation, width)
        lines += _shape_lines(view.explanation)
    if view.agreement is not None:
        lines.append(_agreement_line(view.agreement, view.judges_cost))
    if view.running is not None:
        lines.append(Content.styled(visible(view.running), "$ink-yours"))
    if view.notice:
        lines.append(Content.styled(visible(view.notice), "$ink-yours"))
    if view.stale:
        lines.append(Content.styled("The prompt changed since: F5 runs it again.", "$ink-warning"))
    return Content("\n").join(lines)


def _beside(name: str, text: str, width: int) -> Content:
    """A title, and a text at the right edge."""
    answers = fit(text, max(width - min(cell_len(name), width // 2) - 2, 10))
    title = fit(name, max(width - cell_len(answers) - 2, 8))
    gap = " " * max(width - cell_len(title) - cell_len(answers), 1)
    return Content.assemble((title, "bold"), gap, (answers, "$ink-dim"))


def _failure_lines(view: ResultView) -> list[Content]:
    assert view.failed is not None
    lines = [Content.styled(visible(view.failed.title), "bold $ink-error")]
    if view.failed.detail:
        lines.append(Content(visible(view.failed.detail)[:600]))
    if view.failed.advice:
        lines.append(Content.styled(visible(view.failed.advice), "$ink-warning"))
    if view.failed.partial is not None and (came := view.failed.partial.subject.strip()):
        lines.append(Content(f"What came: {visible(came)[:600]}"))
    return lines


def _headline_lines(view: ResultView, explanation: Explanation, width: int) -> list[Content]:
    summary = view.headline or headline(explanation)
    if not summary.is_scored:
        return [Content.styled("no points: nothing is scored", "bold")]
    published = explanation.published
    if published is not None and published.score is not None:
        return _published_lines(published.score, summary, width)
    details = [Content.styled(summary.details, "$ink-yours")] if summary.details else []
    return [_score_line(summary, width), *details]


def _published_lines(score: float, summary: Headline, width: int) -> list[Content]:
    """The published score, and the score of the same answer by the present rubric."""
    figure = f"{points_text(score)} published"
    room = max(width - len(figure) - 2, 8)
    here = f", {summary.details}" if summary.details else ""
    return [
        Content.assemble((figure, "bold"), "  ", *_bar(Bounds(score, score), room)),
        Content.assemble("by today's rubric ", (summary.figure, "bold"), (here, "$ink-yours")),
    ]


def _score_line(summary: Headline, width: int) -> Content:
    room = max(width - len(summary.figure) - 2, 8)
    return Content.assemble((summary.figure, "bold"), "  ", *_bar(summary.bounds, room))


def _bar(bounds: Bounds, room: int) -> list[tuple[str, str]]:
    """A bar: heavy up to the lowest possible score, dashed up to the highest, thin beyond."""
    low = round(bounds.low * room)
    high = round(bounds.high * room)
    return [("━" * low, "$ink-focus"), ("╍" * (high - low), "$ink-focus"), ("─" * (room - high), "$line-focus")]


def _shape_lines(explanation: Explanation) -> list[Content]:
    """How the score is composed of its groups, and what Weval stores once no point is open."""
    lines: list[Content] = []
    required, best = explanation.required, _best_path(explanation.paths)
    if required is not None and best is not None:
        of_required, of_score = group_figure(required), headline(explanation).figure
        width = max(len(of_required), len(best), 6)
        lines.append(Content(f"required points  {of_required:>{width}} ─┐"))
        lines.append(Content.assemble(f"best path        {best:>{width}} ─┴ their mean: ", (of_score, "bold")))
    elif best is not None:
        count = len(explanation.paths)
        lines.append(Content.styled("1 path" if count == 1 else f"the best of {count} paths", "$ink-dim"))
    elif required is not None:
        weights = {point.assessment.point.multiplier for point in required.points}
        count = len(required.points)
        by = "" if len(weights) == 1 else " by weight"
        lines.append(Content.styled("1 point" if count == 1 else f"the mean of {count} points{by}", "$ink-dim"))
    if explanation.weval.stored is not None:
        differs = " and differs: see Notes" if explanation.weval.reasons else ""
        stored = f"Weval stores {stored_text(explanation.weval.stored)}{differs}"
        lines.append(Content.styled(stored, "$ink-dim"))
    return lines


def _agreement_line(agreement: Agreement, cost: str) -> Content:
    items = "1 point" if agreement.items == 1 else f"{agreement.items} points"
    beside = f" · they cost {cost}" if cost else ""
    alpha = f"{agreement.alpha:g}".replace("-", "−")
    text = f"judges agree on {items}: {alpha}, {agreement.interpretation}{beside}"
    return Content.styled(text, "$ink-dim")


def _best_path(paths: Sequence[GroupScore]) -> str | None:
    """The figure of the best path, whichever it will be; None without paths."""
    if not paths:
        return None
    bounds = Bounds(max(path.bounds.low for path in paths), max(path.bounds.high for path in paths))
    return Headline(bounds, None, None).figure
