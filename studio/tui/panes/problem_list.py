"""The list of problems, in the order of the text.

A repeated cause is one row with the number of its places, which it opens and closes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.binding import BindingType
from textual.message import Message

from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import visible
from studio.session.reference import title_of
from studio.session.views.problems_view import ProblemRow, ProblemsView, RepeatedRow, Row, ShownRows
from studio.tui.action import Place
from studio.tui.footer import ActionsChanged
from studio.tui.key_bindings import bindings
from studio.tui.panes.problem_selection import Carry, HeldProblem, is_same, row_after, row_of_held
from studio.tui.row_list import Piece, Rows, fit

if TYPE_CHECKING:
    from engine.rules.causes import CauseKey

MARKS = {Severity.ERROR: "●", Severity.WARNING: "▲", Severity.HINT: "·"}

_OF_A_PROBLEM = frozenset(("go_to_problem", "fix_problem", "fix_rule", "explain_problem"))
_OF_PLACES = frozenset(("open_places", "close_places"))
_MOST_SLUG = 24
_LEAST_WIDTH_WITH_SLUGS = 70
_LEAST_WIDTH_WITH_KEYS = 100
"""Narrower rows leave their cells to the message: the footer has the keys of the selected one."""
_CLOSED, _OPEN, _BELOW = "▸ ", "▾ ", "│ "


class ProblemList(Rows[Row]):
    """The list of problems. Enter goes to the selected one, or opens and closes the places of a repeated cause."""

    place = Place.PROBLEMS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.PROBLEMS)]

    class FixWanted(Message):
        """`f` was pressed on a problem, or on a row of several: then the author chooses between one and all."""

        def __init__(self, diagnostic: Diagnostic, *, of_several: bool) -> None:
            super().__init__()
            self.diagnostic = diagnostic
            self.of_several = of_several

    class FixRuleWanted(Message):
        """`a` was pressed: all problems of the rule of this one."""

        def __init__(self, diagnostic: Diagnostic) -> None:
            super().__init__()
            self.diagnostic = diagnostic

    class PageWanted(Message):
        """`w` was pressed on a problem."""

        def __init__(self, diagnostic: Diagnostic) -> None:
            super().__init__()
            self.diagnostic = diagnostic

    class Folded(Message):
        """The places of a repeated cause were shown or hidden."""

    def __init__(self) -> None:
        super().__init__("Checking …")
        self._view: ProblemsView | None = None
        self._shown = ShownRows()
        self._opened: set[CauseKey] = set()
        self._at_cursor: tuple[CauseKey, int, int] | None = None
        self._held: HeldProblem | None = None
        self._slug_width = 0
        self._place_width = 0
        self._fold_width = 0

    @property
    def view(self) -> ProblemsView | None:
        """The view that is shown."""
        return self._view

    @property
    def problem(self) -> ProblemRow | None:
        """The selected problem. Of a row of several: the one at the cursor of the text, otherwise the first."""
        row = self.row
        if isinstance(row, RepeatedRow):
            return row.places[self.place_at_cursor or 0]
        return row

    @property
    def place_at_cursor(self) -> int | None:
        """Which place of the selected row of several, from 0, is at the cursor of the text; None for none of them."""
        row, at_cursor = self.row, self._at_cursor
        if not isinstance(row, RepeatedRow) or at_cursor is None:
            return None
        key, place, count = at_cursor
        return place if (key, count) == (row.cause.key, len(row.places)) else None

    @property
    def idle_actions(self) -> frozenset[str]:
        """The ids of the actions that have nothing to act on."""
        row, problem = self.row, self.problem
        if row is None or problem is None or self._view is None:
            return _OF_A_PROBLEM | _OF_PLACES
        idle: set[str] = set(_OF_PLACES)
        if isinstance(row, RepeatedRow):
            idle.add("go_to_problem")
            idle.remove("close_places" if self.is_open(row) else "open_places")
        elif row.cause.is_repeated:
            idle.remove("close_places")
        if not problem.diagnostic.fixes:
            idle.add("fix_problem")
        if problem.diagnostic.code not in self._view.fixed_in_bulk:
            idle.add("fix_rule")
        return frozenset(idle)

    def is_open(self, row: RepeatedRow) -> bool:
        """Whether the places of `row` are shown below it."""
        return row.cause.key in self._opened

    def show(self, view: ProblemsView, carry: Carry, *, is_complete: bool) -> None:
        """Show the problems. Open causes stay open, and the selected problem stays selected.

        `carry` follows offsets into the text of `view`. `is_complete`: no more problems of that text will come.
        """
        self._view = view
        shown, held = view.shown(self._opened), self._held
        here = None if held is None else carry(held.start, held.revision)
        if held is not None and here is None:
            here = held.start
        known = None if held is None or here is None else row_of_held(held, shown.rows, here)
        self._lay_out(shown, row_after(view, shown, here or 0) if known is None else known)
        if known is not None or is_complete:
            self.hold()

    def show_text(self, view: ProblemsView, *, is_complete: bool) -> None:
        """Show the same problems in a newer text, of which open causes show lines."""
        self._view = view
        row, held = self.row, self._held
        if is_complete or (row is not None and held is not None and is_same(held.row, row)):
            self.hold()
        if self._opened:
            self.refresh()

    def hold(self) -> None:
        """Keep the selected problem selected, however many more come, until it is gone."""
        if self.row is not None and self._view is not None:
            self._held = HeldProblem(self.row, self._view.revision)

    def watch_selected(self, old: int, new: int) -> None:
        """Keep what is selected by a key or a click."""
        super().watch_selected(old, new)
        self.hold()

    def on_focus(self) -> None:
        """Keep what is selected when the author comes to the list."""
        self.hold()

    def _lay_out(self, shown: ShownRows, selected: int | None = None) -> None:
        """Show the rows. The column of rule names is as wide as the longest, up to 24 cells."""
        view = self._view
        if view is None:
            return
        self._shown = shown
        slugs = {cause.key.code: view.places[cause.reports[0]].diagnostic.slug for cause in view.causes}
        counts = [len(cause.reports) for cause in view.causes if cause.is_repeated]
        last_line = view.places[-1].position.line + 1 if view.places else 1
        self._slug_width = min(max(map(len, slugs.values()), default=0), _MOST_SLUG)
        self._place_width = max(len(str(last_line)) + 4, 6)
        self._fold_width = len(_CLOSED) if counts else 0
        advice = " F5 tries the prompt under the cursor." if view.may_be_run else ""
        self.show_rows(shown.rows, empty=f"No problems found.{advice}", selected=selected)

    def select_at(self, offset: int) -> bool:
        """Select the row of the problem that covers `offset`, without posting `Selected`; whether there is one."""
        if self._view is None:
            return False
        places = self._view.places
        number = bisect_right(places, offset, key=lambda row: row.diagnostic.span.start) - 1
        if number < 0 or offset > places[number].diagnostic.span.end:
            return False
        reports = places[number].cause.reports
        self._at_cursor = places[number].cause.key, bisect_left(reports, number), len(reports)
        self.select(self._shown.row_of[number])
        self.hold()
        return True

    def choose(self) -> None:
        """Choose the selected problem, or open or close the places of the selected row."""
        if isinstance(self.row, RepeatedRow):
            self._fold(self.row, is_open=not self.is_open(self.row))
        else:
            super().choose()

    def action_go_to_problem(self) -> None:
        """Choose the selected row."""
        self.choose()

    def action_open_places(self) -> None:
        """Show the places of the selected row; if they are shown, go to the first."""
        if isinstance(self.row, RepeatedRow):
            if self.is_open(self.row):
                self.selected += 1
            else:
                self._fold(self.row, is_open=True)

    def action_close_places(self) -> None:
        """Close the places of the selected row, or those around it."""
        row = self.row
        if isinstance(row, RepeatedRow):
            self._fold(row, is_open=False)
        elif row is not None and row.cause.is_repeated:
            above = range(self.selected - 1, -1, -1)
            number = next(each for each in above if isinstance(self.rows[each], RepeatedRow))
            self.selected = number
            self.action_close_places()

    def _fold(self, row: RepeatedRow, *, is_open: bool) -> None:
        if is_open == self.is_open(row):
            return
        if is_open:
            self._opened.add(row.cause.key)
        else:
            self._opened.discard(row.cause.key)
        if self._view is not None:
            self._lay_out(self._view.shown(self._opened))
        self.bring_selected_into_view()
        self.post_message(self.Folded())
        self.post_message(ActionsChanged())

    def action_fix_problem(self) -> None:
        """Ask for the fix of the selected problem."""
        if self.problem is not None:
            self.post_message(self.FixWanted(self.problem.diagnostic, of_several=isinstance(self.row, RepeatedRow)))

    def action_fix_rule(self) -> None:
        """Ask for the fix of all problems of the rule of the selected one."""
        if self.problem is not None:
            self.post_message(self.FixRuleWanted(self.problem.diagnostic))

    def action_explain_problem(self) -> None:
        """Ask for the page of the selected problem's rule."""
        if self.problem is not None:
            self.post_message(self.PageWanted(self.problem.diagnostic))

    def same(self, old: Row, new: Row) -> bool:
        """Problems are the same if cause and message are; edits above may have moved them."""
        return is_same(old, new)

    def draw(self, row: Row, width: int) -> list[Piece]:
        """`33:11 ● quoted-function  message`, or `▸ ×23 ● quoted-function  message`, and `34:7 │ line` below it.

        The title of the rule stands before the message where there is room for both.
        """
        match row:
            case RepeatedRow():
                fold = _OPEN if self.is_open(row) else _CLOSED
                return self._draw_problem((fold, f"×{len(row.places)}"), row.diagnostic, row.cause.message, width)
            case ProblemRow() if row.cause.is_repeated:
                return self._draw_place(row, width)
            case ProblemRow():
                return self._draw_problem(("", row.place), row.diagnostic, row.diagnostic.message, width)

    def _draw_problem(self, place: tuple[str, str], diagnostic: Diagnostic, message: str, width: int) -> list[Piece]:
        fold, where = place
        slug_width = self._slug_width if width >= _LEAST_WIDTH_WITH_SLUGS else 0
        keys = self._keys(diagnostic, of_several=bool(fold) and width >= _LEAST_WIDTH_WITH_KEYS)
        slug = fit(diagnostic.slug, slug_width)
        left = self._fold_width + self._place_width + 3 + (slug_width + 2 if slug_width else 0)
        room = width - left - (len(keys) + 2 if keys else 1)
        title = f"{title}: " if (title := title_of(diagnostic)) else ""
        title = title if cell_len(title) + cell_len(visible(message)) <= room else ""
        text = fit(message, room - cell_len(title))
        return [
            (f"{fold:<{self._fold_width}}", "rows--dim"),
            (f"{where:<{self._place_width}} ", "" if fold else "rows--dim"),
            (f"{MARKS[diagnostic.severity]} ", f"rows--{diagnostic.severity}"),
            (f"{slug:<{slug_width}}  " if slug_width else "", "rows--dim"),
            (title, "rows--dim"),
            (text, ""),
            (" " * (room - cell_len(title) - cell_len(text) + 1), ""),
            (f"{keys} " if keys else "", "rows--dim"),
        ]

    def _draw_place(self, row: ProblemRow, width: int) -> list[Piece]:
        """One place of a repeated cause, with its line of the text."""
        assert self._view is not None
        left = f"{'':<{self._fold_width}}{row.place:<{self._place_width}}   {_BELOW}"
        return [(left, "rows--dim"), (fit(row.line_in(self._view.text), width - len(left) - 1), "")]

    def _keys(self, diagnostic: Diagnostic, *, of_several: bool) -> str:
        """What can be done on the row, as far as it needs a word beside the footer."""
        keys = ["f fix"] if diagnostic.fixes else []
        if of_several and self._view is not None and diagnostic.code in self._view.fixed_in_bulk:
            keys.append("a fix all")
        return "  ".join(keys)
