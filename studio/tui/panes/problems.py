"""The problems of the file: a list in the order of the text, and below it the selected one with its reason."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from engine.diagnostics import Diagnostic, Severity
from engine.text import visible
from studio.session.reference import explained
from studio.session.views.problems_view import ProblemRow, ProblemsView
from studio.tui.action import Place
from studio.tui.footer import ActionsChanged
from studio.tui.key_bindings import bindings
from studio.tui.row_list import Piece, Rows, fit

MARKS = {Severity.ERROR: "●", Severity.WARNING: "▲", Severity.HINT: "·"}


_OF_A_PROBLEM = frozenset(("go_to_problem", "fix_problem", "explain_problem"))
_FIX = frozenset(("fix_problem",))


class ProblemList(Rows[ProblemRow]):
    """The list of problems."""

    place = Place.PROBLEMS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.PROBLEMS)]

    class FixWanted(Message):
        """`f` was pressed on a problem."""

        def __init__(self, diagnostic: Diagnostic) -> None:
            super().__init__()
            self.diagnostic = diagnostic

    class PageWanted(Message):
        """`w` was pressed on a problem."""

        def __init__(self, diagnostic: Diagnostic) -> None:
            super().__init__()
            self.diagnostic = diagnostic

    def __init__(self) -> None:
        super().__init__("Checking …")
        self._slug_width = 0

    @property
    def idle_actions(self) -> frozenset[str]:
        """The ids of the actions that have nothing to act on."""
        if self.row is None:
            return _OF_A_PROBLEM
        return frozenset() if self.row.diagnostic.fixes else _FIX

    def show_rows(self, rows: Sequence[ProblemRow], *, empty: str | None = None) -> None:
        """Show the rows. The column of rule names is as wide as the longest, up to 24 cells."""
        self._slug_width = min(max((len(row.diagnostic.slug) for row in rows), default=0), 24)
        super().show_rows(rows, empty=empty)

    def action_go_to_problem(self) -> None:
        """Choose the selected problem."""
        self.choose()

    def action_fix_problem(self) -> None:
        """Ask for the selected problem's fix."""
        if self.row is not None:
            self.post_message(self.FixWanted(self.row.diagnostic))

    def action_explain_problem(self) -> None:
        """Ask for the page of the selected problem's rule."""
        if self.row is not None:
            self.post_message(self.PageWanted(self.row.diagnostic))

    def same(self, old: ProblemRow, new: ProblemRow) -> bool:
        """Problems are the same if rule and message are; edits above may have moved them."""
        return old.diagnostic.slug == new.diagnostic.slug and old.diagnostic.message == new.diagnostic.message

    def draw(self, row: ProblemRow, width: int) -> list[Piece]:
        """`33:11 ● quoted-function  message`."""
        diagnostic = row.diagnostic
        place_width = max(len(str(self.rows[-1].position.line + 1)) + 4, 6)
        slug_width = self._slug_width if width >= 70 else 0
        fixable = "f fix" if diagnostic.fixes else ""
        slug = fit(diagnostic.slug, slug_width)
        left = place_width + 3 + (slug_width + 2 if slug_width else 0)
        room = width - left - (len(fixable) + 2 if fixable else 1)
        message = fit(diagnostic.message, room)
        return [
            (f"{row.place:<{place_width}} ", "rows--dim"),
            (f"{MARKS[diagnostic.severity]} ", f"rows--{diagnostic.severity}"),
            (f"{slug:<{slug_width}}  " if slug_width else "", "rows--dim"),
            (message, ""),
            (" " * (room - cell_len(message) + 1), ""),
            (f"{fixable} " if fixable else "", "rows--dim"),
        ]


class Problems(Vertical):
    """The problems pane. `ProblemList` emits `Chosen`, `FixWanted` and `PageWanted`."""

    DEFAULT_CSS = """
    Problems { height: 100%; }
    Problems > ProblemList { height: 1fr; }
    Problems > #why { height: 3; padding: 0 1 0 2; color: $ink-dim; background: $background; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.list = ProblemList()
        self._why = Static(id="why", markup=False)
        self._explained: str | None = None
        self._idle_actions = self.list.idle_actions
        self._view: ProblemsView | None = None

    def compose(self) -> ComposeResult:
        yield self.list
        yield self._why

    @property
    def view(self) -> ProblemsView | None:
        """The view that is shown."""
        return self._view

    def show(self, view: ProblemsView | None) -> None:
        """Show the problems."""
        if view is None or view is self._view:
            return
        is_first, self._view = self._view is None, view
        if is_first or view.rows != self.list.rows:
            self.list.show_rows(view.rows, empty="No problems found. F5 tries the prompt under the cursor.")
            self._explain()

    def select_at(self, offset: int) -> None:
        """Select the problem that covers `offset`, if there is one, without posting `Selected`."""
        index = bisect_right(self.list.rows, offset, key=lambda row: row.diagnostic.span.start) - 1
        if index >= 0 and offset <= self.list.rows[index].diagnostic.span.end:
            self.list.select(index)
            self._explain()

    def on_rows_selected(self) -> None:
        """Explain the row that was selected."""
        self._explain()

    def _explain(self) -> None:
        row = self.list.row
        if self.list.idle_actions != self._idle_actions:
            self._idle_actions = self.list.idle_actions
            self.post_message(ActionsChanged())
        shown = None if row is None else explained(row.diagnostic)
        if shown == self._explained:
            return
        self._explained = shown
        message, _, why = visible(shown or "").partition("\n")
        text = Content.assemble((message, "$foreground"), "\n" if why else "", why)
        self._why.update(text, layout=False)
