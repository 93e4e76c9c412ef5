"""All problems of the file, in a drawer below the panes: whole sentences, and below them why and where."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, TypeAlias

from studio.session.reference import title_of
from studio.session.views.problems_view import Problem, ProblemRow, ProblemsView
from studio.tui.action import Place
from studio.tui.editor.painting import SIGNS
from studio.tui.paragraphs import Line, beside, paragraph
from studio.tui.session_screen import studio_of
from studio.tui.tall_list import DIM, TallList

_MOST_PLACES = 50
"""Places of a repeated cause that are listed."""
Carry: TypeAlias = Callable[[int, int], "int | None"]
"""Where an offset of the text at a revision is in the present one; None if that is no longer known."""


class Problems(TallList[ProblemRow], place=Place.PROBLEMS):
    """The drawer. It shows nothing while it is closed."""

    DEFAULT_CSS = """
    Problems {
        height: 50%; display: none; border-top: solid $line-focus;
        border-title-color: $foreground; border-title-background: $background; border-title-style: bold;
    }
    """

    ORDERS: ClassVar = {
        "as in the file": None,
        "errors first": lambda row: row.places[0].diagnostic.severity.rank,
    }

    def __init__(self) -> None:
        super().__init__("Checking …")
        self.view: ProblemsView | None = None
        self._held: tuple[ProblemRow, int] | None = None
        """What stays selected, as a row of the text at a revision."""
        self._here = 0

    # --- Which problems, and which one is selected

    def open(self, offset: int) -> None:
        """Show all problems, with the one selected that begins at `offset` of the text, or the next one."""
        self.display = True
        self._here, self._held = offset, None
        if self.view is not None:
            self._show_view(self.view, self.view.row_from(offset))
            self._hold()

    def show_view(self, view: ProblemsView, carry: Carry, *, is_complete: bool) -> None:
        """Show the problems of a newer text. The selected one stays selected; if it is gone, the next one is.

        `carry` follows offsets into the text of `view`. A problem is gone once the report `is_complete`: until then,
        rules that need JavaScript have not reported.
        """
        before, self.view = self.view, view
        if not self.display:
            return
        if before is not None:
            self._here = carry(self._here, before.revision) or 0
        same, here = None, self._here
        if self._held is not None:
            row, revision = self._held
            carried = carry(row.start, revision)
            here = row.start if carried is None else carried
            same = view.row_like(row, here)
        self._show_view(view, same or view.row_from(here))
        if same is not None or is_complete:
            self._hold()

    def _show_view(self, view: ProblemsView, row: ProblemRow | None) -> None:
        self.border_title = f"Problems {len(view.problems)}" if view.problems else "Problems"
        advice = " F5 tries the prompt under the cursor." if view.may_be_run else ""
        self.show(view.rows, empty=f"No problems found.{advice}", selected=None if row is None else self.key(row))

    def _hold(self) -> None:
        """Keep the selected problem selected, however many more come, until it is gone."""
        if self.row is not None and self.view is not None:
            self._held = self.row, self.view.revision

    def watch_at(self) -> None:
        """Keep what is selected by a key or a click."""
        super().watch_at()
        self._hold()

    @property
    def problem(self) -> Problem | None:
        """The selected problem; of several places the one at the cursor of the text, or after it."""
        return None if self.row is None else self.row.places[self.row.number_from(self._here)]

    @property
    def acts(self) -> dict[str, bool]:
        found, view = self.problem and self.problem.diagnostic, self.view
        return {
            **dict.fromkeys(("go_to_problem", "explain"), found is not None),
            "fix_problem": found is not None and bool(found.fixes),
            "fix_rule": found is not None and view is not None and found.code in view.fixed_in_bulk,
        }

    # --- How it looks

    def key(self, row: ProblemRow) -> Hashable:
        return row.start, row.cause.key, row.cause.message

    def facets(self, row: ProblemRow) -> str:
        first = row.places[0].diagnostic
        return f"{first.severity} {first.slug} {title_of(first)} {row.cause.message}"

    def draw(self, row: ProblemRow, width: int, most: int | None) -> Sequence[Line]:
        """` 33 ● Check written as text: “…” is one unknown name: remove the quotes around it    f fix`, `×23` if it is
        repeated."""
        first = row.places[0]
        where = f"×{len(row.places)}" if row.cause.is_repeated else str(first.position.line + 1)
        title, severity = title_of(first.diagnostic), first.diagnostic.severity
        return beside(
            ((f"{where:>5} ", DIM), (f"{SIGNS[severity]} ", f"list--{severity}")),
            ((f"{title}: " if title else "", DIM), (row.cause.message, "")),
            (("f fix", DIM),) if first.diagnostic.fixes else (),
            width,
        )

    def foot(self, row: ProblemRow, width: int) -> Sequence[Line]:
        """Why it is a problem, by which rule, and the places of a repeated one, from where Enter goes on."""
        if self.view is None:
            return ()
        at = row.number_from(self._here)
        problem, places = row.places[at], (*row.places[at:], *row.places[:at])
        about = f"{problem.diagnostic.severity} · {problem.diagnostic.slug}"
        if row.cause.is_repeated:
            about = f"{about} · Enter goes to line {problem.position.line + 1}, {at + 1} of {len(places)}"
        return [
            *paragraph(row.cause.why or problem.diagnostic.why or about, width),
            *paragraph(about, width, ink=DIM),
            *(_line_of(each, self.view.text, width) for each in places[:_MOST_PLACES] if row.cause.is_repeated),
        ]

    # --- What keys do

    def action_choose(self) -> None:
        """Go to the selected problem in the text."""
        if self.view is not None and self.problem is not None:
            studio_of(self).go_to(self.problem.start, self.view.revision)

    action_go_to_problem = action_choose


def _line_of(place: Problem, text: str, width: int) -> Line:
    """`  9 │ - "$icontains: 'Number 2'"`."""
    (line,) = beside(((f"{place.position.line + 1:>5} │ ", DIM),), place.line_in(text), (), width, most=1)
    return line
