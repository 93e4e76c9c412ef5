"""The history of one prompt: its score over time, and one row for each earlier run. Enter opens one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from engine.store import PastRun, PastRuns, RunState
from engine.text.spans import visible
from studio.session.views import figures
from studio.session.views.figures import ago
from studio.session.views.history_view import (
    HistoryView,
    NoHistory,
    Trend,
    description_of,
    differs,
    line_of,
    marked_score_of,
    state_of,
)
from studio.tui.action import Place
from studio.tui.key_bindings import bindings
from studio.tui.row_list import Piece, Rows, fit

MOST_TRENDS = 4
_WHEN = 11
_INKS = {RunState.FAILED: "rows--error", RunState.STOPPED: "rows--warning", RunState.INTERRUPTED: "rows--warning"}


class HistoryRows(Rows[PastRun]):
    """The list of runs. A run is read when its row is first drawn."""

    place = Place.HISTORY
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.HISTORY)]

    def __init__(self) -> None:
        super().__init__("", id="history-rows")
        self.rubric = ""
        self.opened: int | None = None
        self.drawn_at = figures.now()

    def show_runs(self, runs: PastRuns) -> None:
        """Replace the runs of the same prompt. The selection stays on its run, or on the newest."""
        before, was_newest = self.row, self.selected == 0
        self.show_rows(())
        self.show_rows(runs)
        if before is not None and not was_newest:
            self.select(runs.index_of(before.number))

    def action_open_run(self) -> None:
        """Choose the selected run."""
        self.choose()

    def action_newest_run(self) -> None:
        """Ask for the newest run."""
        self.post_message(HistoryPane.NewestWanted())

    def draw(self, row: PastRun, width: int) -> list[Piece]:
        """`3 h ago    gpt-4o-mini, temp 0.7        ≠  20–100`, and its state if it ended early."""
        is_opened = row.number == self.opened
        when = fit(ago(row.began, self.drawn_at), _WHEN)
        mark = "≠" if differs(row, self.rubric) else " "
        ended = "" if is_opened else state_of(row)
        score = marked_score_of(row) if row.headline is not None or not ended else ""
        right = f"{' ' if ended else ''}{_aligned(score)}" if score else " "
        room = width - _WHEN - 1 - 3 - cell_len(ended) - len(right) - (7 if is_opened else 0)
        label = fit(row.candidate.label, room)
        return [
            (f"{when:<{_WHEN}} ", "rows--dim"),
            (label, "rows--strong" if is_opened else ""),
            (" " * max(room - cell_len(label), 0), ""),
            (" shown " if is_opened else "", "rows--hint"),
            (f" {mark} ", "rows--dim"),
            (ended, _INKS.get(row.state, "rows--dim")),
            (right, ""),
        ]


def _trend_line(trend: Trend, names: int, width: int) -> Content:
    """The name in `names` cells, the scores as steps, the newest score as a number."""
    name = fit(trend.label, names)
    steps = line_of(trend.scores, width - names - 14)
    pad = " " * (width - names - 2 - len(steps) - 10)
    return Content.assemble(
        (f"{name}{' ' * (names - cell_len(name))}  ", "$ink-dim"),
        (steps, "$ink-focus"),
        f"{pad}{_aligned(trend.newest)}",
    )


def _aligned(score: str) -> str:
    """A score in its column. The longest are bounds: `12.5–87.5`."""
    return f"{score:>9} "


class HistoryPane(Vertical):
    """Shows a `HistoryView`; posts which run the author opens."""

    DEFAULT_CSS = """
    HistoryPane { height: 1fr; padding: 0 0 0 1; }
    HistoryPane > #history-head { height: auto; padding: 0 0 1 0; }
    HistoryPane > HistoryRows { height: 1fr; min-height: 3; }
    HistoryPane > #history-detail {
        height: auto; max-height: 8; min-height: 3; padding: 0 1 0 0; border-top: solid $line;
    }
    HistoryPane > #history-detail.-empty { display: none; }
    """

    class RunOpened(Message):
        """Show an earlier run."""

        def __init__(self, run: PastRun) -> None:
            super().__init__()
            self.run = run

    class NewestWanted(Message):
        """Show the newest run again."""

    def __init__(self, clock: Callable[[], datetime] = lambda: figures.now()) -> None:
        super().__init__(id="history")
        self.rows = HistoryRows()
        self._clock = clock
        self._view: NoHistory | HistoryView | None = None

    def compose(self) -> ComposeResult:
        """The trends above, the scrolling list of runs, and the selected run in full below."""
        yield Static(id="history-head", markup=False)
        yield self.rows
        yield Static(id="history-detail", classes="-empty", markup=False)

    def show(self, view: NoHistory | HistoryView) -> None:
        """Show the history of a prompt, or why there is none."""
        if view is self._view:
            return
        is_other = self._view is None or self._view.title != view.title
        self._view = view
        if isinstance(view, NoHistory):
            self.rows.show_rows(())
        else:
            self.rows.rubric, self.rows.opened, self.rows.drawn_at = view.rubric, view.opened, self._clock()
            if is_other:
                self.rows.show_rows(())
            self.rows.show_runs(view.history.runs)
        self._show_head()
        self._show_detail()

    def on_resize(self) -> None:
        """Draw the trends for the new width."""
        self._show_head()

    def _show_head(self) -> None:
        self.query_one("#history-head", Static).update(self._head(max(self.size.width - 1, 20)))

    def _head(self, width: int) -> Content:
        view = self._view
        if view is None:
            return Content()
        if isinstance(view, NoHistory):
            return Content.assemble((visible(view.title), "bold"), "\n\n", (visible(view.teaching), "$ink-dim"))
        count = view.history.runs.total
        runs = "1 run" if count == 1 else f"{count} runs"
        title = fit(view.title, max(width - len(runs) - 2, 8))
        gap = " " * max(width - cell_len(title) - len(runs), 1)
        lines = [Content.assemble((title, "bold"), gap, (runs, "$ink-dim"))]
        trends = view.history.trends
        longest = max((len(trend.scores) for trend in trends[:MOST_TRENDS]), default=0)
        room = max(width - 14 - min(longest, width // 3), 8)
        names = min(max((cell_len(trend.label) for trend in trends[:MOST_TRENDS]), default=0), room)
        lines += [_trend_line(trend, names, width) for trend in trends[:MOST_TRENDS]]
        if len(trends) > MOST_TRENDS:
            lines.append(Content.styled(f"and {len(trends) - MOST_TRENDS} more", "$ink-dim"))
        return Content("\n").join(lines)

    def _show_detail(self) -> None:
        run = self.rows.row
        detail = self.query_one("#history-detail", Static)
        detail.set_class(run is None, "-empty")
        if run is None:
            return
        when = f"{run.began.astimezone():%Y-%m-%d %H:%M}"
        text = visible(description_of(run, self.rows.rubric))
        words = f"\n{visible(run.error_message)[:400]}" if run.error_message else ""
        detail.update(Content.assemble(f"{when} · {text}", (words, "$ink-dim")))

    def on_rows_selected(self, event: HistoryRows.Selected) -> None:
        """Describe the selected run below the list."""
        event.stop()
        self._show_detail()

    def on_rows_chosen(self, event: HistoryRows.Chosen) -> None:
        """Open the chosen run."""
        event.stop()
        if self.rows.row is not None:
            self.post_message(self.RunOpened(self.rows.row))
