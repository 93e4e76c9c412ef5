"""The problems of the file: a list, and below it the selected one with its reason."""

from __future__ import annotations

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from engine.text.spans import visible
from studio.session.reference import title_of
from studio.session.views.problems_view import ProblemsView, RepeatedRow
from studio.tui.footer import ActionsChanged
from studio.tui.panes.problem_list import ProblemList
from studio.tui.panes.problem_selection import Carry


class Problems(Vertical):
    """The problems pane. `ProblemList` emits `Chosen`, `FixWanted`, `FixRuleWanted` and `PageWanted`."""

    DEFAULT_CSS = """
    Problems { height: 100%; }
    Problems > ProblemList { height: 1fr; }
    Problems > #why { height: 4; padding: 1 1 0 2; color: $ink-dim; background: $background; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.list = ProblemList()
        self._why = Static(id="why", markup=False)
        self._explained = ("", "", "")
        self._idle_actions = self.list.idle_actions

    def compose(self) -> ComposeResult:
        yield self.list
        yield self._why

    @property
    def view(self) -> ProblemsView | None:
        """The view that is shown."""
        return self.list.view

    def show(self, view: ProblemsView, carry: Carry, *, is_complete: bool) -> None:
        """Show the problems, as `ProblemList.show`."""
        before = self.list.view
        is_known = before is view or (
            before is not None and (view.places, view.causes) == (before.places, before.causes)
        )
        if is_known:
            self.list.show_text(view, is_complete=is_complete)
        else:
            self.list.show(view, carry, is_complete=is_complete)
            self._explain()

    def select_at(self, offset: int) -> None:
        """Select the problem that covers `offset`, if there is one, without posting `Selected`."""
        if self.list.select_at(offset):
            self._explain()

    def on_resize(self) -> None:
        """Explain the problem in the new width."""
        self.call_after_refresh(self._explain)

    def on_rows_selected(self) -> None:
        """Explain the row that was selected."""
        self._explain()

    def _explain(self) -> None:
        if self.list.idle_actions != self._idle_actions:
            self._idle_actions = self.list.idle_actions
            self.post_message(ActionsChanged())
        explained = self._explanation()
        if explained == self._explained:
            return
        self._explained = explained
        place, message, why = map(visible, explained)
        self._why.update(
            Content.assemble((place, "$ink-dim"), (message, "$foreground"), "\n" if why else "", why), layout=False
        )

    def _explanation(self) -> tuple[str, str, str]:
        """Which of several places is described, the message, and the reason."""
        row, problem, place = self.list.row, self.list.problem, self.list.place_at_cursor
        if row is None or problem is None:
            return "", "", ""
        title = title_of(problem.diagnostic)
        if isinstance(row, RepeatedRow) and place is None:
            return "", self._titled(title, row.cause.message), row.cause.why
        count, line = len(problem.cause.reports), problem.position.line + 1
        where = "" if place is None else f"line {line}, {place + 1} of {count} · "
        return where, self._titled(title, problem.diagnostic.message, where), problem.diagnostic.why

    def _titled(self, title: str, message: str, where: str = "") -> str:
        """The message behind its rule's title, where both fit on one line: the reason needs the other two."""
        titled = f"{title}: {message}"
        return titled if title and cell_len(visible(where + titled)) <= self._why.content_size.width else message
