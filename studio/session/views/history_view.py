"""The history of a prompt: when it was run, with which answers, and the scores then."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from engine.evaluation.headline import CUT_MARK
from engine.store import PastRun, PastRuns, RunState
from engine.text.record import Record
from studio.session.host import Question
from studio.session.views import figures

_STEPS = "▁▂▃▄▅▆▇█"

STATES = {
    RunState.RUNNING: "runs",
    RunState.STOPPED: "stopped",
    RunState.FAILED: "failed",
    RunState.INTERRUPTED: "interrupted",
}
"""The labels of unfinished runs."""


class Trend(Record):
    """The scores of one candidate (0–1), the earliest first; `newest` is the last one as text."""

    label: str
    scores: tuple[float, ...]
    newest: str


class ChosenRun(Record):
    """A run to open, or to compare the shown result with."""

    run: PastRun
    is_compared: bool = False


class HistoryView(Question[ChosenRun]):
    """The newest of the `total` runs of the prompt `title`, the newest first, and the trend of each candidate, the one
    that ran last first.

    `rubric` is the digest of today's rubric, `opened` the number of a run that is shown, `at` the present time.
    """

    title: str
    runs: Sequence[PastRun]
    total: int
    trends: tuple[Trend, ...]
    rubric: str
    at: datetime
    opened: int | None = None


def history_view(runs: PastRuns, title: str, rubric: str, opened: int | None) -> HistoryView:
    """The view of `runs`. Reads all of them."""
    trends = (Trend(each.newest.candidate.label, each.scores, marked_score_of(each.newest)) for each in runs.scores())
    return HistoryView(title, tuple(runs), runs.total, tuple(trends), rubric, figures.now(), opened)


def score_of(run: PastRun) -> str:
    """`37.5`; the bounds `20–100` if points were not judged, `–` if nothing was scored."""
    return "–" if run.headline is None else run.headline.figure


def marked_score_of(run: PastRun) -> str:
    """`score_of`, with the mark of a cut answer: `37.5¦`."""
    is_cut = run.headline is not None and (run.headline.is_cut or run.cut)
    return f"{score_of(run)}{CUT_MARK if is_cut else ''}"


def state_of(run: PastRun) -> str:
    """The label of an unfinished run, "" of a finished one."""
    return "withheld" if run.withheld else STATES.get(run.state, "")


def description_of(run: PastRun, rubric: str) -> str:
    """The run in words, without its time; `rubric` is the digest of the present rubric."""
    parts = [run.candidate.label]
    if run.headline is not None:
        parts.append(run.headline.said("scored"))
    elif run.state is RunState.SCORED:
        parts.append("no score was saved")
    if run.stop is not None and (run.withheld or (run.cut and not (run.headline and run.headline.is_cut))):
        parts.append(run.stop.label)
    elif run.state in STATES:
        parts.append(STATES[run.state])
    if differs(run, rubric):
        parts.append("≠ the rubric was another")
    return " · ".join(parts)


def differs(run: PastRun, rubric: str) -> bool:
    """Whether a run was scored by another rubric than the one with this digest; False if that is unknown."""
    return bool(run.rubric) and run.rubric != rubric


def line_of(scores: Sequence[float], width: int) -> str:
    """The last `width` scores (0–1) as bars, all on the same scale."""
    shown = scores[-width:] if width > 0 else ()
    return "".join(_STEPS[min(int(score * len(_STEPS)), len(_STEPS) - 1)] for score in shown)
