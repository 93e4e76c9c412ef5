"""The screen of a grid: prompts × models, or the criteria of one prompt × models."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from engine.study.grid_view import GridMode, GridOptions, GridView, SecondRun
from engine.study.matrix import CriterionRow
from engine.study.scored_answer import PointName
from engine.text.record import Record, replace
from engine.text.spans import visible
from studio.session.views.outline_view import FooterView
from studio.tui.action import Place
from studio.tui.footer import entries
from studio.tui.key_bindings import bindings
from studio.tui.panes.grid_table import GridHead, GridTable
from studio.tui.panes.status import Footer
from studio.tui.row_list import Rows

if TYPE_CHECKING:
    from studio.session.runs import Runs
    from studio.session.state import State

_EMPTY = "Nothing was run yet. F9 marks several models, F6 runs all prompts with the one shown; v shows the next."


class OpenedCell(Record):
    """The cell that the author opened: the name of a prompt, the key of a column, and the criterion if it is of one."""

    prompt: str
    column: str
    criterion: PointName | None = None


class GridScreen(Screen[OpenedCell | None]):
    """Shows the grid of the runs of a file. Its result is the cell that was opened, None where it was left."""

    place = Place.GRID
    AUTO_FOCUS = "GridTable"
    HORIZONTAL_BREAKPOINTS: ClassVar[list[tuple[int, str]] | None] = [(0, "-narrow"), (100, "-wide")]  # pyright: ignore[reportIncompatibleVariableOverride]
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.GRID)]
    DEFAULT_CSS = """
    GridScreen {
        layout: vertical;
        #grid-title { height: 2; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        GridTable { height: 1fr; }
        #grid-detail { height: auto; min-height: 4; max-height: 8; border-top: solid $line; padding: 0 1; }
    }
    """

    def __init__(self, runs: Runs, prompt: str = "") -> None:
        """`prompt` is the prompt whose criteria are shown first; "" for all prompts."""
        super().__init__()
        self._runs = runs
        mode = GridMode.CRITERIA if prompt else GridMode.PROMPTS
        self.options = GridOptions(mode, prompt=prompt)
        self._table = GridTable(_EMPTY)
        self._view: GridView | None = None
        self._second: SecondRun | None = None
        self._unsubscribe: Callable[[], None] | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="grid-title", markup=False)
        yield GridHead(self._table)
        yield self._table
        yield Static(id="grid-detail", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Draw the grid, and again whenever a run changes."""
        self._unsubscribe = self._runs.session.subscribe(self._session_changed)
        self._draw()
        self._runs.restore_all()

    def on_unmount(self) -> None:
        """Follow the runs no longer."""
        if self._unsubscribe is not None:
            self._unsubscribe()

    def _session_changed(self, before: State, now: State) -> None:
        self.call_later(self._draw)

    def _draw(self) -> None:
        view = self._runs.views.grid(self.options, self._second)
        if view is self._view:
            return
        self._view = view
        self._table.show(view)
        self._draw_head()
        self.call_after_refresh(self._draw_detail)  # it counts the criteria of all prompts
        self.query_one(Footer).show(entries(self, FooterView(), narrow=self.has_class("-narrow")))

    def _draw_head(self) -> None:
        view = self._view
        if view is None:
            return
        title = Content.assemble(
            ("Grid", "bold"), "   ", visible(view.source.title), "   ", visible(view.title), "\n",
            (visible(view.state), "$ink-dim"),
        )  # fmt: skip
        self.query_one("#grid-title", Static).update(title)
        self.query_one(GridHead).refresh()

    def _draw_detail(self) -> None:
        view = self._view
        if view is None:
            return
        lines = view.detail(self._table.selected, self._table.column)
        first, *rest = lines or ("",)
        content = Content.assemble(visible(first), *[("\n" + visible(each), "$ink-dim") for each in rest if each])
        self.query_one("#grid-detail", Static).update(content)

    def on_resize(self) -> None:
        """Draw the head for the new width."""
        self.call_after_refresh(self._draw_head)

    @on(Rows.Selected)
    def _row_selected(self) -> None:
        self._draw_detail()

    @on(GridTable.ColumnSelected)
    def _column_selected(self) -> None:
        self._draw_head()
        self._draw_detail()

    @on(Rows.Chosen)
    def _cell_chosen(self) -> None:
        self.action_open_cell()

    def _set(self, options: GridOptions) -> None:
        self.options = options
        self._draw()

    # --- Actions

    def action_open_cell(self) -> None:
        """Open the result of the selected cell."""
        view, index = self._view, self._table.row
        if view is None or index is None or not view.labels:
            return
        column, row = view.grid.columns[self._table.column], view.rows[index]
        if isinstance(row, CriterionRow) and view.prompt is not None:
            self.dismiss(OpenedCell(view.prompt.name, column, row.name))
        else:
            self.dismiss(OpenedCell(view.line(index).key, column))

    def action_sort(self) -> None:
        """Sort the rows in the next order."""
        self._set(replace(self.options, order=self.options.order.next))

    def action_switch(self) -> None:
        """Switch between all prompts and the criteria of the selected one."""
        view, index = self._view, self._table.row
        if view is None or index is None:
            return
        if self.options.mode is GridMode.CRITERIA:
            self._set(replace(self.options, mode=GridMode.PROMPTS))
            names = [row.name for row in self._table.view.rows] if self._table.view is not None else []
            if self.options.prompt in names:
                self._table.select(names.index(self.options.prompt))
            self._draw_detail()
        else:
            self._set(replace(self.options, mode=GridMode.CRITERIA, prompt=view.line(index).key))

    def action_difference(self) -> None:
        """Show each column less the selected one, then less the mean of the others, then the scores again."""
        column = self._table.column
        if self.options.less_mean:
            self._set(replace(self.options, less=None, less_mean=False))
        elif self.options.less is not None:
            self._set(replace(self.options, less=None, less_mean=True))
        elif self._view is not None and len(self._view.labels) > 1:
            self._set(replace(self.options, less=column))
        else:
            self.notify("A difference needs a second column: F9 marks several models.", timeout=4, markup=False)

    def action_judge(self) -> None:
        """Show the scores under the next judge alone; after the last, those of all together."""
        judges = () if self._view is None else self._view.source.judges
        if not judges:
            self.notify("No judge has judged anything here.", timeout=4, markup=False)
            return
        at = judges.index(self.options.judge) + 1 if self.options.judge in judges else 0
        self._set(replace(self.options, judge=judges[at] if at < len(judges) else ""))

    @work(exclusive=True)
    async def action_second_run(self) -> None:
        """Lay a second run under the grid, or take it away."""
        if self._second is not None:
            self._second = None
        elif self._view is not None:
            self._second = await self._runs.comparison.second_run(self._view.source)
            if self._second is not None:
                self.options = replace(self.options, mode=GridMode.PROMPTS, less=None, less_mean=False, judge="")
        self._draw()

    def action_leave(self) -> None:
        """Leave the grid."""
        self.dismiss(None)
