"""`Headline`: how every screen, command and dialog shows a score. It never sounds surer than its bounds.

    37.5
    20–100, 1 of 4 points judged
    100.0, 2 checks could not run, cut off at the token limit

While a point is open the headline starts with the bounds; it never shows the mean over the judged points. Where there
is little room, the studio shows its parts: `figure` or `whole_figure`, then `judged_text`, then `remark_texts`.

To add a remark (a fact that a reader of the score must know), add a member to `Remark`, with a value that is stored in
databases and never changes, and its row to `_REMARKS`: its text for one and for several, and the function that counts
it in an explanation and its answer. Every screen, command and the history then show it, and totals add it up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from engine.evaluation.events import Response
from engine.evaluation.think_blocks import think_blocks
from engine.providers.chat import USUAL_MAX_TOKENS, StopReason
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Bounds, Explanation, GroupScore
from engine.scoring.explanation_text import bounds_text, whole


class Remark(StrEnum):
    """The remarks beside a score, in the order of the headline."""

    UNREAD_FILE = "unread-file"
    UNREAD_POINTS = "unread-points"
    FAILED_CHECKS = "failed-checks"
    CARRIED_OVER = "carried-over"
    CUT_OFF = "cut-off"
    INTERRUPTED = "interrupted"
    TOOL_CALL = "tool-call"
    STOPPED = "stopped"
    THINKS_ALOUD = "thinks-aloud"
    IGNORED_TEMPERATURE = "ignored-temperature"
    OWN_TOKEN_LIMIT = "own-token-limit"


@dataclass(frozen=True, slots=True)
class _RemarkText:
    """`one` is the text for a count of 1, `many` the text for other counts, with `{n}` for the count."""

    one: str
    many: str
    count: Callable[[Explanation, Response | None], int]


def _of_no_prompt(_: Explanation, __: Response | None) -> int:
    return 0


def _unread_points(explanation: Explanation, _: Response | None) -> int:
    return int(explanation.is_partial)


def _failed_checks(explanation: Explanation, _: Response | None) -> int:
    return sum(each.error is not None and each.assessed for each in _assessments(explanation))


def _carried_over(explanation: Explanation, _: Response | None) -> int:
    return explanation.carried_over


def _ended_by(reason: StopReason) -> Callable[[Explanation, Response | None], int]:
    def count(_: Explanation, response: Response | None) -> int:
        return int(response is not None and response.stop is not None and response.stop.reason is reason)

    return count


def _stopped(_: Explanation, response: Response | None) -> int:
    return int(response is not None and not response.complete)


def _thinks_aloud(_: Explanation, response: Response | None) -> int:
    return int(response is not None and think_blocks(response.subject, response.thread) is not None)


def _ignored_temperature(_: Explanation, response: Response | None) -> int:
    return int(response is not None and response.ignores_temperature)


def _own_token_limit(_: Explanation, response: Response | None) -> int:
    return int(response is not None and response.token_limit is not None)


_REMARKS: Mapping[Remark, _RemarkText] = {
    Remark.UNREAD_FILE: _RemarkText(
        "part of the file cannot be read", "{n} parts of the file cannot be read", _of_no_prompt
    ),
    Remark.UNREAD_POINTS: _RemarkText(
        "part of the rubric cannot be read", "part of {n} rubrics cannot be read", _unread_points
    ),
    Remark.FAILED_CHECKS: _RemarkText("1 check could not run", "{n} checks could not run", _failed_checks),
    Remark.CARRIED_OVER: _RemarkText("1 verdict carried over", "{n} verdicts carried over", _carried_over),
    Remark.CUT_OFF: _RemarkText(
        "cut off at the token limit", "{n} answers cut off at the token limit", _ended_by(StopReason.LENGTH)
    ),
    Remark.INTERRUPTED: _RemarkText(
        "cut off by the server", "{n} answers cut off by the server", _ended_by(StopReason.INTERRUPTED)
    ),
    Remark.TOOL_CALL: _RemarkText(
        "stopped to call a tool", "{n} answers stopped to call a tool", _ended_by(StopReason.TOOL_CALL)
    ),
    Remark.STOPPED: _RemarkText("stopped before its end", "{n} answers stopped before their end", _stopped),
    Remark.THINKS_ALOUD: _RemarkText("with a think block", "{n} answers with a think block", _thinks_aloud),
    Remark.IGNORED_TEMPERATURE: _RemarkText(
        "the model ignores temperature", "{n} answers at a temperature of the model's own", _ignored_temperature
    ),
    Remark.OWN_TOKEN_LIMIT: _RemarkText(
        f"another token limit than Weval's {USUAL_MAX_TOKENS:,}",
        f"{{n}} answers with another token limit than Weval's {USUAL_MAX_TOKENS:,}",
        _own_token_limit,
    ),
}


_CUT_SHORT = frozenset({Remark.CUT_OFF, Remark.INTERRUPTED, Remark.TOOL_CALL, Remark.STOPPED})
CUT_MARK = "¦"
"""Marks the figure of an answer that was cut short, where there is no room for the words."""
CARRIED_MARK = "*"
"""Marks a figure that includes verdicts carried over."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The score of one prompt or of several, ready to be shown.

    `bounds` (0–1) are the lowest and the highest score still possible; both are the score once no point is open.
    `judged` counts the assessed points among `points`; both are None where that was not recorded. `remarks` holds the
    remarks that apply, in the order of `Remark`, with their counts.
    """

    bounds: Bounds
    judged: int | None
    points: int | None
    remarks: tuple[tuple[Remark, int], ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the score can still move."""
        return not self.bounds.closed

    @property
    def is_scored(self) -> bool:
        """Whether there is anything to score: points, or a part of the rubric that cannot be read."""
        return self.points != 0 or any(remark is Remark.UNREAD_POINTS for remark, _ in self.remarks)

    @property
    def figure(self) -> str:
        """The score (0–100, one decimal), `37.5`, or its bounds, `20–100`; `–` where there is nothing to score."""
        return bounds_text(self.bounds.low, self.bounds.high) if self.is_scored else "–"

    @property
    def whole_figure(self) -> str:
        """The score (0–100, rounded as Weval rounds stored scores), `38`, or its bounds; `–` as in `figure`."""
        low, high = self.whole_bounds
        if not self.is_scored:
            return "–"
        return f"{low}" if low == high else f"{low}–{high}"

    @property
    def is_cut(self) -> bool:
        """Whether an answer that the score includes was cut short."""
        return any(remark in _CUT_SHORT for remark, _ in self.remarks)

    @property
    def marked_whole_figure(self) -> str:
        """`whole_figure` with the marks for a cut answer and for verdicts carried over: `38¦*`."""
        return f"{self.whole_figure}{self._marks}"

    @property
    def _marks(self) -> str:
        carried = any(remark is Remark.CARRIED_OVER for remark, _ in self.remarks)
        return f"{CUT_MARK if self.is_cut else ''}{CARRIED_MARK if carried else ''}"

    @property
    def whole_bounds(self) -> tuple[int, int]:
        """The bounds from 0 to 100 as whole numbers, each rounded as Weval rounds stored scores."""
        return whole(self.bounds.low), whole(self.bounds.high)

    @property
    def whole(self) -> str:
        """The headline in whole numbers: `20–100, 1 of 4 points judged`."""
        return ", ".join(filter(None, (self.whole_figure, self.details)))

    @property
    def judged_text(self) -> str:
        """`1 of 4 points judged`; "" once all are."""
        if self.judged is None or self.points is None:
            return "not all points judged" if self.is_open else ""
        if self.judged == self.points:
            return ""
        return f"{self.judged} of {self.points} {'point' if self.points == 1 else 'points'} judged"

    @property
    def remark_texts(self) -> tuple[str, ...]:
        """The remarks, each in a few words."""
        return tuple(
            _REMARKS[remark].one if count == 1 else _REMARKS[remark].many.format(n=count)
            for remark, count in self.remarks
        )

    @property
    def details(self) -> str:
        """All that follows the figure: `1 of 4 points judged, cut off at the token limit`, or ""."""
        return ", ".join(filter(None, (self.judged_text, *self.remark_texts)))

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.figure, self.details)))


def headline(explanation: Explanation, response: Response | None = None) -> Headline:
    """The headline of one prompt with one answer. `response` is None where only the score is known."""
    assessments = _assessments(explanation)
    counts = {remark: text.count(explanation, response) for remark, text in _REMARKS.items()}
    judged = sum(each.assessed for each in assessments)
    return Headline(explanation.bounds, judged, len(assessments), in_order(counts))


def group_headline(group: GroupScore) -> Headline:
    """The headline of the required points alone, or of one path."""
    judged = sum(point.assessment.assessed for point in group.points)
    return Headline(group.bounds, judged, len(group.points))


def in_order(counts: Mapping[Remark, int]) -> tuple[tuple[Remark, int], ...]:
    """The remarks with a count of at least 1, in the order of the headline."""
    return tuple((remark, count) for remark in Remark if (count := counts.get(remark, 0)))


def overall(headlines: Iterable[tuple[float, Headline]], unread: int = 0) -> Headline | None:
    """The headline of several prompts, each with its weight: the weighted mean of the scores as Weval stores them.

    Prompts without points are left out, unless part of their rubric cannot be read. None where no prompt is left or
    the weights add up to 0. `unread` counts the parts of the file that cannot be read (`Broken.unread`).
    """
    scored = [(weight, each) for weight, each in headlines if each.is_scored]
    weights = sum(weight for weight, _ in scored)
    if not weights > 0:
        return None
    low = sum(each.whole_bounds[0] * weight for weight, each in scored) / weights / 100
    high = sum(each.whole_bounds[1] * weight for weight, each in scored) / weights / 100
    counts = Counter({Remark.UNREAD_FILE: unread})
    for _, each in scored:
        counts.update(dict(each.remarks))
    judged, points = sum(each.judged or 0 for _, each in scored), sum(each.points or 0 for _, each in scored)
    return Headline(Bounds(low, high), judged, points, in_order(counts))


def _assessments(explanation: Explanation) -> list[Assessment]:
    return [point.assessment for group in explanation.groups() for point in group.points]
