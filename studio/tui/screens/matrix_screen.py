"""The matrix: prompts × answers, or the criteria of one prompt × answers; with a second result laid under it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from textual import work
from textual.app import ComposeResult
from textual.screen import Screen

from engine.study.matrix import MEAN, CriterionRow, PointName, RowOrder
from engine.study.matrix_view import Cell, MatrixOptions, SecondRun
from engine.study.two_runs import unjudged_answers
from engine.text.record import replace
from studio.session.host import telling
from studio.session.views.outline_view import FooterView
from studio.tui.action import Place
from studio.tui.footer import entries
from studio.tui.key_bindings import Placed
from studio.tui.panes.matrix_table import MatrixTable
from studio.tui.panes.status import Footer
from studio.tui.window import TWO_HALVES

if TYPE_CHECKING:
    from studio.session.runs import Runs

_EMPTY = "Nothing was run yet. F9 marks several models, F6 runs all prompts with the one shown; v shows the next."


OpenedCell: TypeAlias = tuple[Cell, PointName | None]
"""The cell that the author opened, with the criterion if it is of one."""


class MatrixScreen(Placed, Screen[OpenedCell | None], place=Place.MATRIX):
    """Shows the matrix of the runs of a file. Its result is the cell that was opened, None where it was left."""

    AUTO_FOCUS = "MatrixTable"
    DEFAULT_CSS = "MatrixScreen { layout: vertical; }"

    def __init__(self, runs: Runs, prompt: str = "", second: SecondRun | None = None) -> None:
        """`prompt` is the prompt whose criteria are shown first, "" for all prompts; `second` is laid under it."""
        super().__init__()
        self._runs = runs
        self.options = MatrixOptions(prompt)
        self._table = MatrixTable(_EMPTY)
        self._footer = Footer()
        self._second = second

    def compose(self) -> ComposeResult:
        yield self._table
        yield self._footer

    def on_mount(self) -> None:
        """Draw the matrix, and again whenever a run changes."""
        self._unsubscribe = self._runs.session.subscribe(lambda _before, _now: self.call_later(self._draw))
        self._draw()
        self._runs.restore_all()

    def on_unmount(self) -> None:
        """Follow the runs no longer."""
        self._unsubscribe()

    def _draw(self, selected: str | None = None) -> None:
        view = self._runs.views.matrix(self.options, self._second)
        if view is self._table.view:
            return
        if len(view.labels) == 1 and self.options.order is RowOrder.SPREAD and not view.is_second_shown:
            self._set(replace(self.options, order=RowOrder.COST), selected)  # one column has no spread
            return
        self._table.show_view(view, selected=selected)
        self._show_keys()

    def on_resize(self) -> None:
        """Show as many keys as have room."""
        self._show_keys()

    def _show_keys(self) -> None:
        labels = {"close_verdicts": ""} if self._second is None else {"second_run": "end comparison"}
        if self._second is not None and not any(unjudged_answers([each]) for each in self._second.cells.values()):
            labels["close_verdicts"] = ""
        self._footer.entries = entries(self, FooterView(), narrow=self.size.width < TWO_HALVES, labels=labels)

    def _set(self, options: MatrixOptions, selected: str | None = None) -> None:
        self.options = options
        self._draw(selected)

    @property
    def _cell(self) -> Cell | None:
        """The names of the selected cell, or of the one that its criterion is of."""
        view, line = self._table.view, self._table.row
        return None if view is None or line is None or not view.labels else view.cell(line.row, self._table.column)

    # --- Actions

    def on_tall_list_chosen(self) -> None:
        """Open the cell that was clicked."""
        self.action_open_cell()

    def action_open_cell(self) -> None:
        """Open the result of the selected cell."""
        cell, line = self._cell, self._table.row
        if cell is not None and line is not None:
            self.dismiss((cell, line.row.name if isinstance(line.row, CriterionRow) else None))

    def action_sort(self) -> None:
        """Sort the rows in the next order."""
        self._set(replace(self.options, order=self.options.order.next))

    def action_switch(self) -> None:
        """Switch between all prompts and the criteria of the selected one."""
        cell = self._cell
        if cell is None:
            return
        if self.options.prompt:
            self._set(replace(self.options, prompt=""), cell[0])
        else:
            self._set(replace(self.options, prompt=cell[0]))

    def action_difference(self) -> None:
        """Show each column less the selected one, then less the mean of the others, then the scores again."""
        if self.options.less is not None:
            self._set(replace(self.options, less=None if self.options.less == MEAN else MEAN))
        elif self._table.view is not None and len(self._table.view.labels) > 1:
            self._set(replace(self.options, less=self._table.column))
        else:
            self.notify("A difference needs a second column: F9 marks several models.", timeout=4, markup=False)

    def action_judge(self) -> None:
        """Show the scores under the next judge alone; after the last, those of all together."""
        judges = () if self._table.view is None else self._table.view.all_judges.judges
        if not judges:
            self.notify("No judge has judged anything here.", timeout=4, markup=False)
            return
        at = judges.index(self.options.judge) + 1 if self.options.judge in judges else 0
        self._set(replace(self.options, judge=judges[at] if at < len(judges) else ""))

    @work(exclusive=True)
    async def action_second_run(self) -> None:
        """Lay a second result under the matrix, or take it away."""
        view, second = self._table.view, None
        with telling(self._runs.host):
            if self._second is None and view is not None:
                cell = self._cell if view.prompt is not None else None
                second = await self._runs.second.ask_under(view.all_judges, cell)
            self._second = second
            self._set(replace(self.options, order=RowOrder.SPREAD, less=None, judge=""))

    @work(exclusive=True)
    async def action_close_verdicts(self) -> None:
        """Ask judges for the missing verdicts of the selected cell, and draw the matrix with them."""
        second, cell = self._second, self._cell
        if second is None or cell is None or cell not in second.cells or not unjudged_answers([second.cells[cell]]):
            self.notify("No verdict is missing that judges could give.", timeout=4, markup=False)
            return
        with telling(self._runs.host):
            self._second = await self._runs.second.judge(second, cell, self._show_progress)
        self._table.show_progress("")
        self._draw()

    def _show_progress(self, done: int, total: int) -> None:
        self._table.show_progress(f"{done} of {total} questions answered · Esc stops")

    def action_leave(self) -> None:
        """Leave the matrix."""
        self.dismiss(None)
