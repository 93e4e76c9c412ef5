"""The earlier runs of a prompt: its scores over time, and a row for each run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from engine.store import PastRun, RunState
from engine.text.spans import visible
from studio.session.views.figures import ago
from studio.session.views.history_view import (
    ChosenRun,
    HistoryView,
    Trend,
    description_of,
    differs,
    line_of,
    marked_score_of,
    state_of,
)
from studio.tui.dialogs.ask import Dialog
from studio.tui.paragraphs import Line, beside, cells, paragraph
from studio.tui.tall_list import DIM, STRONG, TallList, lowest_first, rule

_MOST_TRENDS = 4
_LONGEST_WORDS = 400
_WHEN, _SCORE = 12, 9
_INKS = {RunState.FAILED: "list--error", RunState.STOPPED: "list--warning", RunState.INTERRUPTED: "list--warning"}


class Runs(TallList[PastRun]):
    """The runs, the newest first; below them, the selected one in words and the trends."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("s", "sort", "Sort", show=False)]
    ORDERS: ClassVar = {"newest first": None, "lowest score first": lambda run: lowest_first(run.score)}

    def __init__(self, view: HistoryView) -> None:
        super().__init__()
        self._view = view
        self.show(view.runs)

    def key(self, row: PastRun) -> int:
        return row.number

    def facets(self, row: PastRun) -> str:
        return f"{row.candidate.label} {state_of(row)} {marked_score_of(row)}"

    def draw(self, row: PastRun, width: int, most: int | None) -> Sequence[Line]:
        """`3 h ago      gpt-4o-mini, temp 0.7        ≠  20–100`, and its state if it ended early."""
        is_opened = row.number == self._view.opened
        ended = "" if is_opened else state_of(row)
        score = marked_score_of(row) if row.headline is not None or not ended else ""
        tail = (
            (" shown" if is_opened else "", "list--hint"),
            (" ≠ " if differs(row, self._view.rubric) else "   ", DIM),
            (ended, _INKS.get(row.state, DIM)),
            (f"{score:>{0 if ended else _SCORE}}", ""),
        )
        label = ((row.candidate.label, STRONG if is_opened else ""),)
        return beside(((f"{ago(row.began, self._view.at):<{_WHEN}} ", DIM),), label, tail, width, most=most)

    def foot(self, row: PastRun, width: int) -> Sequence[Line]:
        """The selected run in words, and each candidate's scores over time."""
        words = f"{row.began.astimezone():%Y-%m-%d %H:%M} · {description_of(row, self._view.rubric)}"
        error = paragraph(row.error_message[:_LONGEST_WORDS], width, ink=DIM) if row.error_message else []
        return [*paragraph(words, width), *error, rule(width), *_trend_lines(self._view.trends, width)]


def _trend_lines(trends: Sequence[Trend], width: int) -> Iterator[Line]:
    """A line for each trend: its name, its scores as steps, the newest score as a number."""
    longest = max((len(each.scores) for each in trends[:_MOST_TRENDS]), default=0)
    room = max(width - _SCORE - 3 - min(longest, width // 3), 8)
    names = min(max((cells(((visible(each.label), ""),)) for each in trends[:_MOST_TRENDS]), default=0), room)
    for trend in trends[:_MOST_TRENDS]:
        (name,) = paragraph(trend.label, names, ink=DIM, most=1)
        steps = line_of(trend.scores, width - names - _SCORE - 3)
        pad = names - cells(name) + 2
        score = f"{trend.newest:>{width - names - 2 - len(steps)}}"
        yield (*name, (" " * pad, ""), (steps, "list--focus"), (score, ""))
    if len(trends) > _MOST_TRENDS:
        yield ((f"and {len(trends) - _MOST_TRENDS} more", DIM),)


class EarlierRuns(Dialog[ChosenRun], asks=HistoryView):
    """Lists the runs. Enter opens one, and c compares the shown result with it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Open", show=False),
        Binding("c", "choose(True)", "Compare", show=False),
    ]
    DEFAULT_CSS = """
    EarlierRuns > .dialog { width: 92; height: 80%; }
    EarlierRuns TallList { background: $surface; }
    """

    def __init__(self, view: HistoryView) -> None:
        count = len(view.runs)
        total = f"{view.total:,} run{'s' * (view.total != 1)}"
        title = f"{view.title} · {total if count == view.total else f'newest {count} of {total}'}"
        super().__init__(title, "Enter opens · c compares · / filters · s sorts · Esc closes")
        self.list = Runs(view)

    def content(self) -> ComposeResult:
        yield self.list

    def on_tall_list_chosen(self) -> None:
        """Open the run that was clicked."""
        self.action_choose()

    def action_choose(self, is_compared: bool = False) -> None:
        """Answer with the selected run."""
        if self.list.row is not None:
            self.dismiss(ChosenRun(self.list.row, is_compared))
