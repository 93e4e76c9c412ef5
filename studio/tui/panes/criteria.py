"""The criteria of a prompt, the dearest first, below its score; in the header, the dearest of all prompts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from engine.scoring.assessment import Grade
from engine.text.record import Record, replace
from studio.session.views.overview_view import FileCriterion, FileResult
from studio.session.views.result_view import ResultView
from studio.tui.action import Place
from studio.tui.actions.fixing import fix_at
from studio.tui.panes.criteria_notes import note_rows
from studio.tui.panes.criteria_rows import (
    CriteriaRow,
    Order,
    arranged,
    carried,
    costs_of,
    criteria_rows,
    facets_of,
    file_rows,
    with_prompts,
)
from studio.tui.panes.criterion_foot import criterion_foot, entry, passage, verdict_said
from studio.tui.panes.score import head_lines, head_of, head_said
from studio.tui.paragraphs import Line, beside
from studio.tui.session_screen import studio_of
from studio.tui.tall_list import DIM, TallList, lowest_first
from studio.tui.window import Pane

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement
    from studio.session.what_if import Hypothesis

_BLANK = 2
"""Lines that may not stay blank while a way through a block is a line."""
_LEAST_PASSAGE = 2
"""Lines of the answer that stand in the foot where the criteria have the whole screen."""


class _Arranged(Record):
    """How the criteria of a prompt are arranged: their places in order, what they were, and the newest run then."""

    places: tuple[int, ...]
    view: ResultView
    newest: int


class Criteria(TallList[CriteriaRow], place=Place.RESULT):
    """Shows a result or the file as a whole; `is_alone` and `shows_answer` say what is seen beside it."""

    FILTERS = "failing · open · judges differ · should_not"
    ORDERS: ClassVar = {
        Order.DEAREST: None,
        Order.FILE: lambda row: (row.to.number, row.to.place),
        Order.SCORE: lambda row: lowest_first(row.to.assessment.extent),
    }
    HEADS = 1

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("F5 runs the prompt under the cursor.", id=id)
        self.is_alone = True
        self.shows_answer = False
        self._view: FileResult | ResultView | None = None
        self._whole: ResultView | None = None
        """The view whose criteria are shown: the last one of a text that could be read."""
        self._arranged: dict[str, _Arranged] = {}
        self._at_cursor: int | None = None
        self._ways_open: frozenset[str] = frozenset()
        self._tree_is_open = False

    # --- What is shown

    def show_view(self, view: FileResult | ResultView, at_cursor: int | None = None) -> None:
        """Show a result, or the file as a whole. `at_cursor`: the place of the criterion at the cursor of the text,
        which is selected once it comes to stand there."""
        was_at, self._at_cursor = self._at_cursor, at_cursor
        if view is not self._view:
            self._show_other(view)
        if at_cursor is not None and at_cursor != was_at:
            self.select_criterion(at_cursor)

    def _show_other(self, view: FileResult | ResultView) -> None:
        before, self._view = self._view, view
        selected: Hashable = None
        if isinstance(view, ResultView) and not self._is_unread:
            has_ended = self._arrange(view)
            is_other = self._whole is None or self._whole.prompt.id != view.prompt.id
            self._whole = view
            if has_ended or is_other:
                self._ways_open = frozenset()
                selected = self._first_to_read()
        elif not self._is_unread and (self._whole is not None or before is None):
            self._whole, selected = None, "head"
        self._show_rows(selected)

    @property
    def _is_unread(self) -> bool:
        """Whether the criteria stay that were read last, as those of the present text cannot be."""
        view, whole = self._view, self._whole
        if whole is None or whole.is_unread or view is None or not view.is_unread:
            return False
        return isinstance(view, FileResult) or view.prompt.id == whole.prompt.id

    def _show_rows(self, selected: Hashable = None) -> None:
        rows = self._made_rows()
        if rows != self._all or selected is not None:
            self.show(rows, selected=selected)
        else:
            self.draw_foot()
        self._tell()

    def _made_rows(self) -> Sequence[CriteriaRow]:
        if self._view is None:
            return ()
        head = head_of(self._view, is_open=self._tree_is_open, is_unread=self._is_unread)
        first = CriteriaRow("head", head=head, said=tuple(head_said(self._view)))
        if self._whole is None:
            return (first, *(file_rows(self._view) if isinstance(self._view, FileResult) else ()))
        criteria = criteria_rows(self._whole, self._arranged[self._whole.prompt.id].places)
        if self._is_unread:
            return (first, *map(_dimmed, criteria))
        return (first, *criteria, *note_rows(self._whole))

    def _arrange(self, view: ResultView) -> bool:
        """Set the order where a run of the prompt has ended, else keep it; whether a run has."""
        known = self._arranged.get(view.prompt.id)
        has_ended = view.running is None and (known is None or view.started > known.newest)
        if known is None or has_ended:
            places = arranged(view, Order(self.order) if view.is_scored else Order.FILE)
        else:
            places = carried(known.places, known.view, view)
        newest = known.newest if known is not None and view.running is not None else view.newest
        self._arranged[view.prompt.id] = _Arranged(places, view, newest)
        return has_ended

    def _first_to_read(self) -> Hashable:
        """The criterion at the cursor of the text, else the dearest one."""
        assert self._whole is not None
        if self._at_cursor is not None and self._at_cursor < len(self._whole.assessments):
            self._ways_open |= {self._whole.assessments[self._at_cursor].placed.path_id or ""}
            return f"point:{self._at_cursor}"
        costs = costs_of(self._whole)
        dearest = max(self._arranged[self._whole.prompt.id].places, key=lambda place: costs[place], default=None)
        return "head" if dearest is None else f"point:{dearest}"

    def select_criterion(self, place: int) -> None:
        """Select a criterion by its place in `Prompt.points()`."""
        if self._whole is not None and place < len(self._whole.assessments):
            self._open_way(self._whole.assessments[place].placed.path_id)
            self.select(f"point:{place}")

    def show_beside(self, *, is_alone: bool, shows_answer: bool) -> None:
        """Say what is seen beside the criteria: whether they have the whole screen, and whether the answer is."""
        if (is_alone, shows_answer) != (self.is_alone, self.shows_answer):
            self.is_alone, self.shows_answer = is_alone, shows_answer
            self.draw_foot()

    # --- The order: criteria of a prompt stay in their blocks and ways, those of the file stand one by one

    @property
    def _by(self) -> Callable[[CriteriaRow], Any] | None:
        return super()._by if self._whole is None else None

    def put_in_order(self) -> None:
        """Set the order of the criteria that are shown."""
        if self._whole is not None:
            known = self._arranged[self._whole.prompt.id]
            self._arranged[self._whole.prompt.id] = replace(known, places=arranged(self._whole, Order(self.order)))
            self._all = self._made_rows()
        super().put_in_order()

    # --- Ways that do not count are a line each where the rows fill the pane, whatever stands below them

    def _found(self) -> Sequence[CriteriaRow]:
        rows = super()._found()
        if self._whole is None:
            return tuple(with_prompts(rows))
        counts = self._whole.explanation.best_path_id
        if self.filter or counts is None or self._width <= 0:
            return rows
        is_open = {None, counts}
        for way in [row.way for row in rows if row.is_way]:
            shown = sum(len(self._lines_of(row, self._width, None)) for row in rows if row.is_way or row.way in is_open)
            if shown + _BLANK <= self.scrollable_content_region.height:
                is_open.add(way)
        return [row for row in rows if row.is_way or row.way in is_open | self._ways_open]

    def _open_way(self, way: str | None) -> None:
        if way is not None and way not in self._ways_open:
            self._ways_open |= {way}
            self._show()

    def on_resize(self) -> None:
        """Lay out for the new size, with as many ways open as have room."""
        self._show()

    def watch_at(self) -> None:
        """Open the way of the selected row, and light up its evidence."""
        super().watch_at()
        if self.row is not None and self.row.is_way:
            self._open_way(self.row.way)
        self._tell()

    def _tell(self) -> None:
        """Have the evidence of the selected criterion lit up."""
        selected = (None, ()) if self.row is None else (self.row.point, self.row.evidence)
        session = studio_of(self).session if self.is_mounted else None
        if session is not None and session.runs is not None and session.state.row != selected:
            session.runs.selection.select_row(*selected)

    # --- How rows are drawn

    def key(self, row: CriteriaRow) -> Hashable:
        return row.key

    def is_selectable(self, row: CriteriaRow) -> bool:
        return not row.is_heading

    def facets(self, row: CriteriaRow) -> str:
        if row.point is not None and self._whole is not None:
            return facets_of(self._whole.assessments[row.point], self._whole.words(row.point))
        if isinstance(row.to, FileCriterion):
            return facets_of(row.to.assessment, row.to.words, row.to.prompt)
        return "" if row.is_heading else " ".join(text for text, _ in row.pieces)

    def draw(self, row: CriteriaRow, width: int, most: int | None) -> Sequence[Line]:
        if row.head is not None:
            return head_lines(row.head, width)
        return beside(row.lead, row.pieces, row.tail, width)

    def foot(self, row: CriteriaRow, width: int) -> Sequence[Line]:
        view = self._whole
        if view is not None and row.point is not None:
            return self._criterion_foot(view, row.point, width)
        said = [[piece] for piece in row.said]
        if isinstance(row.to, FileCriterion):
            said = verdict_said(row.to.assessment, row.to.words)
        return [line for pieces in said for line in entry(pieces, width)]

    def _criterion_foot(self, view: ResultView, place: int, width: int) -> Sequence[Line]:
        """The foot of a criterion; with the passage of the answer always at one pane, else where rows are blank."""
        above, below = criterion_foot(view, place, width)
        taken = self._laid.height + self._top_lines + 1 + len(above) + len(below)
        free = self.scrollable_content_region.height - taken
        most = max(free, _LEAST_PASSAGE) if self.is_alone else 0 if self.shows_answer else free
        lit = passage(view, place, width, most) if most > 0 and place not in view.evidence else ()
        return [*above, *lit, *below]

    # --- Actions

    @property
    def acts(self) -> dict[str, bool]:
        view, row = self._view, self.row
        result = view if isinstance(view, ResultView) and not self._is_unread else None
        is_scored = result is not None and result.is_scored
        is_trying = result is not None and result.tried is not None
        return {
            "choose": row is not None and any((row.head, row.to is not None, row.evidence)),
            "grade": row is not None and row.can_grade and is_scored,
            "word_for_word": bool(self._judgements),
            "fix": row is not None and row.can_fix,
            "judge": result is not None and result.judge_price is not None,
            "next_variant": result is not None and bool(result.beside),
            "what_if": is_scored and not is_trying and result is not None and result.running is None,
            "target": is_scored,
            "history": result is not None,
            "grid": isinstance(view, FileResult) or (result is not None and bool(result.beside)),
            **dict.fromkeys(("apply_what_if", "lighter", "heavier", "switch_off"), is_trying),
            "loosen": is_trying and row is not None and row.point is not None and not row.can_grade,
        }

    @property
    def footer_labels(self) -> dict[str, str]:
        """The label that says a price."""
        price = self._view.judge_price if isinstance(self._view, ResultView) else None
        return {"judge": f"judge ({price.rpartition(', ')[2]})" if price else "judge"}

    def action_choose(self) -> None:
        """Open the arithmetic of the score, or go to what the row is about."""
        row, studio = self.row, studio_of(self)
        if row is None:
            return
        if row.head is not None:
            self._tree_is_open = not self._tree_is_open
            self._show_rows()
        elif row.to is None and row.evidence:
            studio.open_pane(Pane.ANSWER)
        elif (runs := studio.session.runs) is not None and row.to is not None:
            place = runs.views.place_of(row.to)
            if place is None:
                studio_of(self).tell("It is no longer in this blueprint.")
            else:
                studio.go_to(*place)

    def action_grade(self, number: int) -> None:
        """Give the selected criterion a grade of 1 to 5; 0 removes it. In what if, try it."""
        grade = list(Grade)[number - 1] if number else None
        row, place = self.row, self._tried_place
        if place is not None and grade is None:
            self._try(lambda tried: tried.without(place))
        elif row is None or row.point is None or not row.can_grade:
            studio_of(self).tell("Select a criterion in words: the keys 1 to 5 grade it. A check decides for itself.")
        elif place is not None:
            self._try(lambda tried: tried.with_point(place, grade=grade))
        else:
            point = row.point
            studio_of(self).session.with_runs(lambda runs: runs.grade(point, grade))

    @property
    def _judgements(self) -> tuple[Judgement, ...]:
        place = None if self.row is None else self.row.point
        return () if self._whole is None or place is None else self._whole.judgements.get(place, ())

    def action_word_for_word(self) -> None:
        """Show the exact requests to the judges of the selected criterion and their raw replies."""
        advice = "Select a criterion that a judge has judged: x shows its request and its reply."
        studio_of(self).show_requests(self._judgements, advice)

    def action_fix(self) -> None:
        """Fix the problem where the selected row is written."""
        row, studio = self.row, studio_of(self)
        runs = studio.session.runs
        place = None if row is None or not row.can_fix or runs is None else runs.views.place_of(row.to)
        here = None if place is None else studio.editor.carry(*place)
        if here is not None:
            studio.begin(fix_at(studio, here))
        else:
            studio_of(self).tell("Nothing here has a fix. F4 fixes the problem at the cursor of the text.")

    # --- What if

    @property
    def _tried_place(self) -> int | None:
        """The place of the selected criterion in what if; None outside of it."""
        is_trying = isinstance(self._view, ResultView) and self._view.tried is not None
        return self.row.point if is_trying and self.row is not None else None

    def _try(self, change: Callable[[Hypothesis], Hypothesis]) -> None:
        studio_of(self).session.with_runs(lambda runs: runs.what_if.attempt(change))

    def action_heavier(self) -> None:
        """Step the weight of the selected criterion up; make a way required, or a way again."""
        self._weigh(1)

    def action_lighter(self) -> None:
        """Step the weight of the selected criterion down; make a way required, or a way again."""
        self._weigh(-1)

    def _weigh(self, by: int) -> None:
        row, place = self.row, self._tried_place
        if place is not None:
            self._try(lambda tried: tried.weighed(place, by))
        elif row is not None and row.is_way and (way := row.way) is not None:
            self._try(lambda tried: tried.flattened(way))

    def action_switch_off(self) -> None:
        """Try the score without the selected criterion, or with it again."""
        if (place := self._tried_place) is not None:
            self._try(lambda tried: tried.switched(place))

    def action_loosen(self) -> None:
        """Loosen the selected check to its nearest miss, or take that back."""
        place = self._tried_place
        if place is not None and self.row is not None and not self.row.can_grade:
            studio_of(self).session.with_runs(lambda runs: runs.what_if.loosen(place))


def _dimmed(row: CriteriaRow) -> CriteriaRow:
    """A row of a text that cannot be read now: it is there to read."""
    lead, tail = (tuple((text, DIM) for text, _ in pieces) for pieces in (row.lead, row.tail))
    text = "".join(each for each, _ in row.pieces)
    return CriteriaRow(row.key, text, DIM, lead, tail, way=row.way, is_heading=row.is_heading)
