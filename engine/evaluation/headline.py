"""`Headline`: how every screen, command and dialog shows a score. It never sounds surer than its bounds.

    37.5
    20–100, 1 of 4 criteria judged
    50.0, between 33 and 67, gpt-4o-mini failed on 1 criterion
    100.0, 2 checks could not run, cut off at the token limit
    not judged yet

While a point is open the headline starts with the bounds; it never shows the mean over the judged points. Where judges
failed, the bounds follow the score. Where there is little room, the studio shows its parts: `figure` or `whole_figure`,
then `judged_text`, then `remark_texts`.

To add a remark (a fact that a reader of the score must know), add a member to `Remark`, with a value that is stored in
databases and never changes; its text for one and for several to `_REMARKS`; and to `_OF_POINTS` or `_OF_ANSWERS` when
it applies. Every screen, command and the history then show it, and totals add it up.

`effect_of` is the effect of an edit of the rubric on the score of an existing answer. Nothing is requested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Prompt
from engine.blueprint.conversation import StopReason
from engine.evaluation.events import Response, think_blocks
from engine.evaluation.point_assessment import assess
from engine.models.chat import USUAL_MAX_TOKENS
from engine.parsing import Parsed, parse
from engine.scoring.assessment import ANY_EXTENT, AssessedBy, Assessment
from engine.scoring.explanation import (
    Bounds,
    Explanation,
    GroupScore,
    between_text,
    bounds_text,
    judge_name,
    listed,
    points_text,
    range_text,
    whole,
)
from engine.scoring.explanation_builder import explain
from engine.text.record import Record
from engine.text.spans import TextEdit, apply_edits, count

if TYPE_CHECKING:
    from engine.functions.v8 import JavaScript


class Remark(StrEnum):
    """The remarks beside a score, in the order of the headline."""

    UNREAD_FILE = "unread-file"
    UNREAD_POINTS = "unread-points"
    UNJUDGED = "unjudged"
    FAILED_JUDGES = "failed-judges"
    FAILED_CHECKS = "failed-checks"
    CARRIED_OVER = "carried-over"
    AS_WEVAL = "as-weval"
    CUT_OFF = "cut-off"
    INTERRUPTED = "interrupted"
    TOOL_CALL = "tool-call"
    STOPPED = "stopped"
    THINKS_ALOUD = "thinks-aloud"
    IGNORED_TEMPERATURE = "ignored-temperature"
    OWN_TOKEN_LIMIT = "own-token-limit"


_REMARKS: Mapping[Remark, tuple[str, str]] = {
    Remark.UNREAD_FILE: ("part of the file cannot be read", "{n} parts of the file cannot be read"),
    Remark.UNREAD_POINTS: ("part of the rubric cannot be read", "part of {n} rubrics cannot be read"),
    Remark.UNJUDGED: ("no judge could judge 1 criterion", "no judge could judge {n} criteria"),
    Remark.FAILED_JUDGES: ("{judges} failed on 1 criterion", "{judges} failed on {n} criteria"),
    Remark.FAILED_CHECKS: ("1 check could not run", "{n} checks could not run"),
    Remark.CARRIED_OVER: ("1 verdict before this edit", "{n} verdicts before this edit"),
    Remark.AS_WEVAL: ("judged as on Weval", "{n} answers judged as on Weval"),
    Remark.CUT_OFF: ("cut off at the token limit", "{n} answers cut off at the token limit"),
    Remark.INTERRUPTED: ("cut off by the server", "{n} answers cut off by the server"),
    Remark.TOOL_CALL: ("stopped to call a tool", "{n} answers stopped to call a tool"),
    Remark.STOPPED: ("stopped before its end", "{n} answers stopped before their end"),
    Remark.THINKS_ALOUD: ("with a think block", "{n} answers with a think block"),
    Remark.IGNORED_TEMPERATURE: ("the model ignores temperature", "{n} answers at a temperature of the model's own"),
    Remark.OWN_TOKEN_LIMIT: (
        f"another token limit than Weval's {USUAL_MAX_TOKENS:,}",
        f"{{n}} answers with another token limit than Weval's {USUAL_MAX_TOKENS:,}",
    ),
}
"""The text for a count of 1, and for other counts, with `{n}` for the count and `{judges}` for those that failed."""
_OF_POINTS: Mapping[Remark, Callable[[Assessment], bool]] = {
    Remark.UNJUDGED: lambda point: point.failed,
    Remark.FAILED_JUDGES: lambda point: point.assessed and point.by is AssessedBy.JUDGE and point.error is not None,
    Remark.FAILED_CHECKS: lambda point: point.broken,
    Remark.CARRIED_OVER: lambda point: bool(point.carried_over),
}
_OF_ANSWERS: Mapping[Remark, Callable[[Response], bool]] = {
    Remark.CUT_OFF: lambda answer: _ended(answer) is StopReason.LENGTH,
    Remark.INTERRUPTED: lambda answer: _ended(answer) is StopReason.INTERRUPTED,
    Remark.TOOL_CALL: lambda answer: _ended(answer) is StopReason.TOOL_CALL,
    Remark.STOPPED: lambda answer: not answer.complete,
    Remark.THINKS_ALOUD: lambda answer: think_blocks(answer.subject, answer.thread) is not None,
    Remark.IGNORED_TEMPERATURE: lambda answer: answer.ignores_temperature,
    Remark.OWN_TOKEN_LIMIT: lambda answer: answer.token_limit is not None,
}


def _ended(answer: Response) -> StopReason | None:
    return None if answer.stop is None else answer.stop.reason


_CUT_SHORT = frozenset({Remark.CUT_OFF, Remark.INTERRUPTED, Remark.TOOL_CALL, Remark.STOPPED})
_OF_VERDICTS = frozenset({Remark.UNJUDGED, Remark.FAILED_JUDGES, Remark.CARRIED_OVER, Remark.AS_WEVAL})
CUT_MARK = "¦"
"""Marks the figure of an answer that was cut short, where there is no room for the words."""
NOT_JUDGED = "not judged yet"
CARRIED_MARK = "*"
"""Marks a figure that includes verdicts from before an edit."""


class Headline(Record):
    """The score of one prompt or of several, ready to be shown.

    `bounds` (0–1) are the lowest and the highest score that missing verdicts leave; both are the score where none is.
    `judged` counts the assessed points among `points`; both are None where that was not recorded. `remarks` holds the
    remarks that apply, in the order of `Remark`, with their counts. `mean` is the score over the assessed points.
    `failed_judges` are the names of those that failed where others judged.
    """

    bounds: Bounds
    judged: int | None
    points: int | None
    remarks: tuple[tuple[Remark, int], ...] = ()
    mean: float | None = None
    failed_judges: tuple[str, ...] = ()

    @property
    def score(self) -> float | None:
        """The score (0–1); None while points wait for a verdict or cannot be read, and if no judge could judge any."""
        if self.bounds.closed:
            return self.bounds.low
        return None if self.open_points != 0 or self._is_partial else self.mean

    @property
    def open_points(self) -> int | None:
        """How many points wait for a verdict: those that no judge could judge do not; None where it is not known."""
        if self.judged is None or self.points is None:
            return None
        return self.points - self.judged - dict(self.remarks).get(Remark.UNJUDGED, 0)

    @property
    def is_open(self) -> bool:
        """Whether there is no score yet."""
        return self.score is None

    @property
    def is_failed(self) -> bool:
        """Whether no judge could judge any of its points: it is in the bounds of a mean alone, at 0 and at 1."""
        return self.is_open and self.open_points == 0 and not self._is_partial

    @property
    def is_unjudged(self) -> bool:
        """Whether nothing is judged or checked at all."""
        return not self._is_partial and self.judged == 0 and bool(self.points) and self.bounds == ANY_EXTENT

    @property
    def is_scored(self) -> bool:
        """Whether there is anything to score: points, or a part of the rubric that cannot be read."""
        return self.points != 0 or self._is_partial

    @property
    def _is_partial(self) -> bool:
        return Remark.UNREAD_POINTS in dict(self.remarks)

    @property
    def figure(self) -> str:
        """The score (0–100, one decimal), `37.5`, or its bounds, `20–100`; `–` where there is nothing to score.

        Where judges failed, `50.0, between 33 and 67`.
        """
        if not self.is_scored or self.is_unjudged:
            return NOT_JUDGED if self.is_scored else "–"
        bounds = bounds_text(self.bounds.low, self.bounds.high)
        if self.score is None or "–" not in bounds:
            return bounds
        return f"{points_text(self.score)}, {between_text(self.bounds.low, self.bounds.high)}"

    @property
    def short_figure(self) -> str:
        """As `figure`; where judges failed, `50.0 (33–67)`."""
        bounds = bounds_text(self.bounds.low, self.bounds.high)
        return self.figure if self.score is None or "–" not in bounds else f"{points_text(self.score)} ({bounds})"

    @property
    def whole_figure(self) -> str:
        """The score (0–100, rounded as Weval rounds stored scores), `38`, or its bounds; `–` as in `figure`.

        Where judges failed, `50 (33–67)`.
        """
        if not self.is_scored:
            return "–"
        bounds = range_text(*self.whole_bounds)
        return bounds if self.score is None or "–" not in bounds else f"{whole(self.score)} ({bounds})"

    @property
    def is_cut(self) -> bool:
        """Whether an answer that the score includes was cut short."""
        return not _CUT_SHORT.isdisjoint(dict(self.remarks))

    @property
    def marked_whole_figure(self) -> str:
        """`whole_figure` with the marks for a cut answer and for verdicts from before an edit: `38¦*`."""
        carried = CARRIED_MARK if Remark.CARRIED_OVER in dict(self.remarks) else ""
        return f"{self.whole_figure}{CUT_MARK if self.is_cut else ''}{carried}"

    @property
    def whole_bounds(self) -> tuple[int, int]:
        """The bounds from 0 to 100 as whole numbers, each rounded as Weval rounds stored scores."""
        return whole(self.bounds.low), whole(self.bounds.high)

    @property
    def counted(self) -> tuple[int, int]:
        """What means and costs count, as Weval stores scores: the score twice or, without one, its bounds."""
        return self.whole_bounds if self.score is None else (whole(self.score), whole(self.score))

    @property
    def counted_bounds(self) -> Bounds:
        """`counted` from 0 to 1."""
        return Bounds(self.counted[0] / 100, self.counted[1] / 100)

    @property
    def whole(self) -> str:
        """The headline in whole numbers: `20–100, 1 of 4 criteria judged`."""
        return ", ".join(filter(None, (self.figure if self.is_unjudged else self.whole_figure, self.details)))

    @property
    def judged_text(self) -> str:
        """`1 of 4 criteria judged`; "" once all are, and where none is."""
        if self.judged is None or self.points is None:
            return "not all criteria judged" if self.is_open else ""
        if self.is_unjudged or not self.open_points:
            return ""
        return f"{self.judged} of {count(self.points, 'criterion', 'criteria')} judged"

    @property
    def remark_texts(self) -> tuple[str, ...]:
        """The remarks, each in a few words."""
        judges = listed(self.failed_judges) if self.failed_judges else "a judge"
        return tuple(_REMARKS[remark][count != 1].format(n=count, judges=judges) for remark, count in self.remarks)

    @property
    def in_sentence(self) -> str:
        """The score within a line, with what is to know of its verdicts: `0–100`, `37.5 (1 verdict before this edit)`.

        Where judges failed, `50.0, between 33 and 67 (gpt-4o-mini failed on 1 criterion)`.
        """
        return self._with_verdicts(bounds_text(self.bounds.low, self.bounds.high) if self.is_unjudged else self.figure)

    @property
    def by_itself(self) -> str:
        """As `in_sentence`, where no sentence says what it is: `not judged yet (no judge could judge 1 criterion)`."""
        return self._with_verdicts(self.figure)

    def _with_verdicts(self, figure: str) -> str:
        return f"{figure} ({self.verdicts_text})" if self.verdicts_text else figure

    @property
    def verdicts_text(self) -> str:
        """What is to know of its verdicts: `gpt-4o-mini failed on 1 criterion, 1 verdict before this edit`, or ""."""
        remarks = zip(self.remarks, self.remark_texts, strict=True)
        return ", ".join(text for (remark, _), text in remarks if remark in _OF_VERDICTS)

    @property
    def details(self) -> str:
        """All that follows the figure: `1 of 4 criteria judged, cut off at the token limit`, or ""."""
        return ", ".join(filter(None, (self.judged_text, *self.remark_texts)))

    def said(self, verb: str, text: str = "") -> str:
        """`scored 37.5`, by this verb and, if given, `text`; `not judged yet` where nothing was judged."""
        return text or str(self) if self.is_unjudged else f"{verb} {text or self}"

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.figure, self.details)))


def headline(explanation: Explanation, response: Response | None = None) -> Headline:
    """The headline of one prompt with one answer. `response` is None where only the score is known."""
    counts = {Remark.UNREAD_POINTS: int(explanation.is_partial), Remark.AS_WEVAL: int(explanation.as_weval)}
    if response is not None:
        counts |= {remark: int(applies(response)) for remark, applies in _OF_ANSWERS.items()}
    return points_headline(explanation.assessments, explanation.bounds, explanation.score, counts)


def group_headline(group: GroupScore) -> Headline:
    """The headline of the required points alone, or of one path."""
    return points_headline([point.assessment for point in group.points], group.bounds, group.score)


def group_figure(group: GroupScore) -> str:
    """The figure of the required points alone, or of one path; `failed` if no judge could judge any of them."""
    shown = group_headline(group)
    return "failed" if shown.is_failed else shown.figure


def points_headline(
    assessments: Sequence[Assessment], bounds: Bounds, score: float | None, more: Mapping[Remark, int] | None = None
) -> Headline:
    """The headline of points with the remarks on them, and with those in `more`."""
    counts = {remark: sum(map(applies, assessments)) for remark, applies in _OF_POINTS.items()}
    judged = sum(each.assessed for each in assessments)
    judges = (judge_name(label) for each in assessments if each.assessed for label in each.failed_judges)
    remarks = in_order({**counts, **(more or {})})
    return Headline(bounds, judged, len(assessments), remarks, score, tuple(dict.fromkeys(judges)))


def in_order(counts: Mapping[Remark, int]) -> tuple[tuple[Remark, int], ...]:
    """The remarks with a count of at least 1, in the order of the headline."""
    return tuple((remark, count) for remark in Remark if (count := counts.get(remark, 0)))


def overall(headlines: Iterable[tuple[float, Headline]], unread: int = 0) -> Headline | None:
    """The headline of several prompts, each with its weight: the weighted mean of the scores as Weval stores them.

    A prompt of which no judge could judge any point counts in the bounds alone. Prompts without points are left out,
    unless part of their rubric cannot be read. None where no prompt is left or the weights add up to 0. `unread` counts
    the parts of the file that cannot be read (`Broken.unread`).
    """
    scored = [(weight, each) for weight, each in headlines if each.is_scored]
    weights = sum(weight for weight, _ in scored)
    if not weights > 0:
        return None
    low = sum(whole(each.bounds.low) * weight for weight, each in scored) / weights / 100
    high = sum(whole(each.bounds.high) * weight for weight, each in scored) / weights / 100
    counts = Counter({Remark.UNREAD_FILE: unread})
    for _, each in scored:
        counts.update(dict(each.remarks))
    judged, points = sum(each.judged or 0 for _, each in scored), [each.points for _, each in scored]
    count = None if all(each is None for each in points) else sum(filter(None, points))
    known = [(weight, whole(each.score)) for weight, each in scored if each.score is not None]
    known_weights = sum(weight for weight, _ in known)
    mean = sum(score * weight for weight, score in known) / known_weights / 100 if known_weights > 0 else None
    names = tuple(sorted({name for _, each in scored for name in each.failed_judges}))
    return Headline(Bounds(low, high), judged, count, in_order(counts), mean, names)


class Edited(Record):
    """A prompt before an edit and after it, and the blueprint that the edit makes."""

    before: Prompt
    after: Prompt
    blueprint: Blueprint


class Effect(Record):
    """The headline of the score before an edit and after it."""

    before: Headline
    after: Headline

    @property
    def changes(self) -> bool:
        """Whether the headline changes: the score, its bounds or its details."""
        return self.before != self.after

    def __str__(self) -> str:
        """`50–100 → 25–75, 2 of 4 criteria judged`; details that differ are on both sides."""
        before, after = self.before, self.after
        if not self.changes:
            return f"the score stays {before}"
        return f"{before.figure if before.details == after.details else before} → {after}"


def edited(parsed: Parsed, index: int, edits: Sequence[TextEdit]) -> Edited | None:
    """The prompt at `index` of the prompt list with `edits`.

    None where the prompt is missing before or after them, or has no points in either.
    """
    after = parse(apply_edits(parsed.text, edits), parsed.path)
    old, new = (
        next((prompt for prompt in each.blueprint.prompts if prompt.index == index), None) for each in (parsed, after)
    )
    if old is None or new is None or after.tree.error is not None or not (old.points() or new.points()):
        return None
    return Edited(old, new, after.blueprint)


def effect_of(
    parsed: Parsed, index: int, edits: Sequence[TextEdit], answer: str, javascript: JavaScript
) -> Effect | None:
    """The effect of `edits` on what checks make of `answer`, which nobody judged. Blocks while they run."""
    found = edited(parsed, index, edits)
    if found is None:
        return None
    before, after = (headline(explain(each, assess(each, answer, javascript))) for each in (found.before, found.after))
    return Effect(before, after)
