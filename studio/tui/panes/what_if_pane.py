"""The what-if mode of the result: every point with what it would be, and what that does to all answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from engine.scoring.assessment import Grade
from engine.scoring.explanation import bounds_text, path_label, whole_text
from engine.study.case import CaseState
from studio.session.views.what_if_view import WhatIfCase, WhatIfPath, WhatIfPoint, WhatIfView
from studio.tui.action import Place
from studio.tui.key_bindings import bindings
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.result_rows import ResultRows
from studio.tui.panes.sections.parts import heading, score_ink
from studio.tui.row_list import fit

_TEACHING = "a applies it · Esc drops it"
_STATE_INKS = {
    CaseState.PASSED: Ink.MET,
    CaseState.FAILED: Ink.UNMET,
    CaseState.UNDECIDED: Ink.YOURS,
}


class WhatIfPane(Vertical):
    """Shows a `WhatIfView`; posts the changes that the author wants to try."""

    DEFAULT_CSS = """
    WhatIfPane { height: 1fr; padding: 0 0 0 1; }
    WhatIfPane > #what-if-head { height: auto; padding: 0 1 1 0; }
    WhatIfPane > #what-if-rows { height: 1fr; min-height: 4; scrollbar-gutter: stable; }
    WhatIfPane > #what-if-foot { height: 5; padding: 0 1 0 0; border-top: solid $line; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.WHAT_IF)]

    class Weighed(Message):
        """Step the weight of a point up (1) or down (−1)."""

        def __init__(self, place: int, by: int) -> None:
            super().__init__()
            self.place = place
            self.by = by

    class Graded(Message):
        """Give a point in words another verdict."""

        def __init__(self, place: int, grade: Grade) -> None:
            super().__init__()
            self.place = place
            self.grade = grade

    class TakenBack(Message):
        """Take all changes of a point back."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    class Switched(Message):
        """Switch a point off, or on again."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    class Flattened(Message):
        """Make the points of a path required, or a path again."""

        def __init__(self, path_id: str) -> None:
            super().__init__()
            self.path_id = path_id

    class Loosened(Message):
        """Loosen a check to its nearest miss, or take that back."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    def __init__(self) -> None:
        super().__init__(id="what-if")
        self._view: WhatIfView | None = None

    def compose(self) -> ComposeResult:
        """The score before and after, the rows, and a line on the selected one."""
        yield Static(id="what-if-head", markup=False)
        yield ResultRows("", id="what-if-rows")
        yield Static(id="what-if-foot", markup=False)

    @property
    def rows(self) -> ResultRows:
        """The list."""
        return self.query_one(ResultRows)

    def show(self, view: WhatIfView) -> None:
        """Show the changes as they are now."""
        if view is self._view:
            return
        is_new = self._view is None or self._view.title != view.title
        self._view = view
        self._show_head()
        self.rows.show_rows(tuple(what_if_rows(view)), empty="")
        if is_new:
            self.rows.select_first()
        self._show_foot()

    def forget(self) -> None:
        """Show nothing: the mode has ended."""
        self._view = None

    def on_resize(self) -> None:
        """Draw the head for the new width."""
        self._show_head()

    def _show_head(self) -> None:
        if self._view is not None:
            self.query_one("#what-if-head", Static).update(_head(self._view, max(self.size.width - 1, 20)))

    def _show_foot(self) -> None:
        view, row = self._view, self.rows.row
        lines: list[Content] = []
        if view is not None and row is not None:
            lines += [Content.styled(cell.text, "$ink-dim") for cell in row.detail]
        self.query_one("#what-if-foot", Static).update(Content("\n").join(lines))

    def on_rows_selected(self, event: ResultRows.Selected) -> None:
        """Show the detail of the selected row."""
        event.stop()
        self._show_foot()

    def _point(self) -> WhatIfPoint | None:
        row = self.rows.row
        if self._view is None or row is None or row.point is None:
            self._notify("Select a point: the keys change its weight or its verdict, or switch it off.")
            return None
        return self._view.points[row.point]

    def _notify(self, message: str) -> None:
        self.notify(message, timeout=4, markup=False)

    def action_heavier(self) -> None:
        """Step the weight of the selected point up."""
        if (point := self._point()) is not None:
            self.post_message(self.Weighed(point.place, 1))

    def action_lighter(self) -> None:
        """Step the weight of the selected point down."""
        if (point := self._point()) is not None:
            self.post_message(self.Weighed(point.place, -1))

    def action_try_grade(self, number: int) -> None:
        """Give the selected point the verdict 1 to 5; 0 takes all its changes back."""
        point = self._point()
        if point is None:
            return
        if number == 0:
            self.post_message(self.TakenBack(point.place))
        elif point.is_criterion:
            self.post_message(self.Graded(point.place, list(Grade)[number - 1]))
        else:
            self._notify("A check decides for itself: l loosens it, o switches it off.")

    def action_switch_off(self) -> None:
        """Switch the selected point off, or on again."""
        if (point := self._point()) is not None:
            self.post_message(self.Switched(point.place))

    def action_loosen(self) -> None:
        """Loosen the selected check to its nearest miss, or take that back."""
        point = self._point()
        if point is None:
            return
        if point.is_criterion:
            self._notify("Only a check can be loosened: a criterion is yours to word.")
        else:
            self.post_message(self.Loosened(point.place))

    def action_flatten(self) -> None:
        """Flatten the selected path, or the path of the selected point; or take that back."""
        row = self.rows.row
        if self._view is None or row is None:
            return
        number = self._view.points[row.point].path_number if row.point is not None else None
        for path in self._view.paths:
            if row.key == f"path:{path.path_id}" or path.number == number:
                self.post_message(self.Flattened(path.path_id))
                return
        self._notify("Select a path, or a point on one: f makes all its points required.")


def _head(view: WhatIfView, width: int) -> Content:
    """The title with the number of changes, and `52.1 → 81.3`: always two lines, so that nothing moves."""
    before, after = (bounds_text(each.low, each.high) for each in (view.before, view.after))
    score = f"{before} → {after}" if view.count else before
    changes = "no change yet" if view.count == 0 else "1 change" if view.count == 1 else f"{view.count} changes"
    title = fit(view.title, max(width - cell_len(changes) - 12, 8))
    gap = " " * max(width - cell_len(title) - 9 - cell_len(changes), 1)
    first = Content.assemble((title, "bold"), ("  What if", "$ink-yours"), gap, (changes, "$ink-dim"))
    teaching = fit(_TEACHING, max(width - cell_len(score) - 3, 0))
    return Content("\n").join([first, Content.assemble((score, "bold"), "   ", (teaching, "$ink-dim"))])


def what_if_rows(view: WhatIfView) -> Iterator[ResultRow]:
    """The points, each below its path, then the labelled answers."""
    required = [point for point in view.points if point.path_number is None]
    if required:
        yield heading("points", "Points", (Cell("would be", Ink.DIM),))
        yield from (_point_row(point, "") for point in required)
    if view.paths:
        yield ResultRow("gap:paths", "", selectable=False)
        yield heading("paths", "Paths", (Cell("would be", Ink.DIM),))
    for path in view.paths:
        yield _path_row(path)
        yield from (_point_row(point, "   ") for point in view.points if point.path_number == path.number)
    yield ResultRow("gap:cases", "", selectable=False)
    yield from _case_rows(view)


def _point_row(point: WhatIfPoint, indent: str) -> ResultRow:
    then = None if point.is_off else point.extent_then
    mark = "–" if point.is_off else "?" if then is None else "●" if then >= 1 else "○" if then <= 0 else "◐"
    score = "off" if point.is_off else f"{whole_text(then):>3}"
    lead = [Cell(indent), Cell(f"{mark} {score}  ", Ink.DIM if point.is_off else score_ink(then))]
    if point.inverted:
        lead.append(Cell("not: ", Ink.DIM))
    changes = list(_changes(point))
    tail = Cell(f"  {' · '.join(changes) or f'weight {point.weight:g}'}", Ink.YOURS if changes else Ink.DIM)
    detail = [Cell(point.text, Ink.STRONG)]
    if point.loosened:
        detail.append(Cell(f"loosened: {point.loosened}"))
    elif point.can_loosen:
        detail.append(Cell("l loosens this check to its nearest miss"))
    return ResultRow(
        f"point:{point.place}",
        point.text,
        lead=tuple(lead),
        tail=(tail,),
        ink=Ink.DIM if point.is_off else Ink.PLAIN,
        point=point.place,
        detail_source=tuple(detail),
    )


def _changes(point: WhatIfPoint) -> Iterator[str]:
    if point.is_off:
        yield "off"
        return
    if point.loosened:
        yield "loosened"
    if point.extent != point.extent_then:
        yield f"was {'open' if point.extent is None else whole_text(point.extent)}"
    if point.weight != point.weight_then:
        yield f"weight {point.weight:g} → {point.weight_then:g}"


def _path_row(path: WhatIfPath) -> ResultRow:
    counts = path.is_best and not path.is_flat
    state = ", the best" if counts else ""
    text = f"{path_label(path.number)}{', flattened: all of it is required' if path.is_flat else state}"
    return ResultRow(
        f"path:{path.path_id}",
        text,
        lead=(
            Cell("▸ " if counts else "  ", Ink.STRONG),
            Cell("      " if path.is_flat else f"{whole_text(path.mean):>3}  ", score_ink(path.mean)),
        ),
        ink=Ink.YOURS if path.is_flat else Ink.STRONG if counts else Ink.DIM,
        detail_source=(Cell("f makes all its points required, or a path again", Ink.DIM),),
    )


def _case_rows(view: WhatIfView) -> Iterator[ResultRow]:
    if not view.cases:
        text = "none yet: c on Response"
        yield heading("cases", "Labelled answers", text=text)
        return
    columns = Cell(f"{'score':>9}  {'':<9}", Ink.DIM)
    yield heading("cases", "Labelled answers", (columns,))
    if view.pairs:
        yield ResultRow("pairs", _pairs_text(view), lead=(Cell("  "),), ink=Ink.DIM, selectable=False)
    for number, case in enumerate(view.cases):
        yield _case_row(number, case)


def _pairs_text(view: WhatIfView) -> str:
    was = "" if view.pairs_before == view.pairs_after else f", was {view.pairs_before}"
    noun = "pair" if view.pairs == 1 else "pairs"
    return f"{view.pairs_after} of {view.pairs} {noun} ranked rightly{was}"


def _case_row(number: int, case: WhatIfCase) -> ResultRow:
    before, after = (bounds_text(each.low, each.high) for each in (case.before, case.after))
    flipped = case.state_before is not case.state_after
    text = " · ".join(filter(None, (case.name, case.label, f"{case.wanted} wanted" if case.wanted else "")))
    return ResultRow(
        f"case:{number}",
        text,
        lead=(Cell("↕ " if flipped else "  ", Ink.YOURS),),
        tail=(
            Cell(f"  {after:>9}", Ink.DIM if before == after else Ink.PLAIN),
            Cell(f"  {case.state_after.value:<9}", _STATE_INKS.get(case.state_after, Ink.DIM)),
        ),
        detail_source=(
            Cell(text, Ink.STRONG),
            Cell(f"as the rubric is: {before}, {case.state_before.value}"),
            Cell(f"with the changes: {after}, {case.state_after.value}"),
        ),
    )
