"""The deletion test on the whole screen: which sentence of an ideal is noticed by which check."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar, TypeAlias

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from engine.deletion_test.deletion_text import summary_text
from engine.text import Span, visible
from studio.session.views.deletion_view import DeletionView
from studio.tui.dialogs.ask import Dialog
from studio.tui.key_bindings import keys_that
from studio.tui.panes.result_detail import detail_content
from studio.tui.panes.result_rows import ResultRows
from studio.tui.screens.deletion_rows import deletion_rows

Judge: TypeAlias = Callable[[DeletionView, Callable[[int, int], None]], Awaitable[DeletionView | None]]
"""Has judges try the criteria of a view, and is told of their progress; None without the author's consent."""

_MEANING = (
    "Each sentence of the ideal is deleted in turn, and the checks that need nobody run again. A check notices if its "
    "score falls."
)


class DeletionScreen(Dialog[Span]):
    """Shows `view`. Enter answers with the place of the selected row, Escape with None.

    `a` has `judge` try the criteria; closing the screen ends that.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(f"q,{keys_that('deletion_test')}", "dismiss(None)", "Close", show=False),
        Binding("enter", "choose", "Go there", show=False),
        Binding("a", "judge", "Try criteria with judges", show=False),
    ]
    DEFAULT_CSS = """
    DeletionScreen > .dialog { width: 100%; max-width: 100%; height: 100%; max-height: 100%; }
    DeletionScreen #deletion-summary { height: auto; padding: 0 1 1 1; }
    DeletionScreen ResultRows { height: 1fr; background: $surface; }
    DeletionScreen #deletion-detail {
        height: auto; max-height: 40%; min-height: 4; border-top: solid $line; padding: 0 1; scrollbar-size-vertical: 1;
    }
    DeletionScreen #deletion-detail-text { height: auto; }
    """

    def __init__(self, view: DeletionView, judge: Judge) -> None:
        super().__init__()
        self._view = view
        self._judge = judge
        self._rows = ResultRows("The ideal has no sentence, and the rubric no check that can run here.")

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(visible(f"Deletion test · {self._view.name}"))
            dialog.border_subtitle = Content(self._keys)
            yield Static(self._summary, id="deletion-summary", markup=False)
            yield self._rows
            with VerticalScroll(id="deletion-detail", can_focus=False):
                yield Static(id="deletion-detail-text", markup=False)

    @property
    def _keys(self) -> str:
        judges = "a asks judges about criteria · " if self._view.test.criteria else ""
        return f"{judges}Enter goes there · Esc closes"

    @property
    def _summary(self) -> Content:
        return Content.assemble((summary_text(self._view.test), "bold"), "\n", (_MEANING, "$ink-dim"))

    def on_mount(self) -> None:
        """Show the rows, the first one selected."""
        self._rows.show_rows(deletion_rows(self._view))
        self._rows.select_first()
        self._rows.focus()
        self.call_after_refresh(self._show_detail)

    def on_resize(self) -> None:
        """Draw the detail for the new width."""
        self._show_detail()

    def on_rows_selected(self, event: ResultRows.Selected) -> None:
        """Show the detail of the newly selected row."""
        event.stop()
        self._show_detail()

    def on_rows_chosen(self, event: ResultRows.Chosen) -> None:
        """Answer with the place of the chosen row."""
        event.stop()
        self.action_choose()

    def action_choose(self) -> None:
        """Answer with the place of the selected row."""
        row = self._rows.row
        if row is not None and row.target is not None:
            self.dismiss(row.target)

    @work(exclusive=True)
    async def action_judge(self) -> None:
        """Try the criteria with judges, and show what they depend on."""
        if not self._view.test.criteria:
            self.notify("There is no criterion in words to try.", timeout=4, markup=False)
            return
        view = await self._judge(self._view, self._show_progress)
        self.query_one(".dialog").border_subtitle = Content(self._keys)
        if view is not None:
            self._view = view
            self.query_one("#deletion-summary", Static).update(self._summary)
            self._rows.show_rows(deletion_rows(view))
            self._show_detail()

    def _show_progress(self, done: int, total: int) -> None:
        self.query_one(".dialog").border_subtitle = Content(f"{done} of {total} questions answered · Esc stops")

    def _show_detail(self) -> None:
        row = self._rows.row
        content = Content() if row is None else detail_content(row, max(self._rows.size.width - 2, 20))
        self.query_one("#deletion-detail-text", Static).update(content)
