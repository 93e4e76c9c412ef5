"""The pane of a result: the score and its arithmetic, every point, every path, and what to improve."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message

from engine.scoring.assessment import Grade
from engine.text.spans import Span, visible
from studio.session.views.overview_view import Order, Overview
from studio.session.views.result_view import NoResult, ResultView
from studio.tui.action import Place
from studio.tui.footer import ActionsChanged
from studio.tui.key_bindings import bindings
from studio.tui.panes.overview import overview_rows
from studio.tui.panes.overview.prompts import order_at
from studio.tui.panes.overview.sorting import Sorting
from studio.tui.panes.result_detail import detail_content
from studio.tui.panes.result_head import head_content, overview_head
from studio.tui.panes.result_keys import idle_actions
from studio.tui.panes.result_row import ResultRow
from studio.tui.panes.result_rows import ResultRows
from studio.tui.panes.sections import result_rows
from studio.tui.panes.steady_text import SteadyText

if TYPE_CHECKING:
    from engine.evaluation.tool_use import Finding
    from engine.judging.judgement import Judgement


class ResultPane(Vertical):
    """Shows a result or the overview of the blueprint; posts the author's requests about it."""

    DEFAULT_CSS = """
    ResultPane { height: 1fr; padding: 0 0 0 1; }
    ResultPane > #result-head { height: auto; padding: 0 1 1 0; }
    ResultPane > #result-rows { height: 1fr; min-height: 4; scrollbar-gutter: stable; }
    ResultPane > #result-detail {
        height: auto; max-height: 60%; border-top: solid $line; padding: 0 1 0 0; scrollbar-size-vertical: 1;
    }
    ResultPane > #result-detail.-filling { height: 60%; }
    ResultPane > #result-detail.-overview { max-height: 35%; }
    ResultPane > #result-detail.-empty { display: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.RESULT)]

    class GradeGiven(Message):
        """Grade the point at `index` of `Prompt.points()`; None removes the grade."""

        def __init__(self, index: int, grade: Grade | None) -> None:
            super().__init__()
            self.index = index
            self.grade = grade

    class PlaceChosen(Message):
        """Go to a place in the blueprint."""

        def __init__(self, span: Span) -> None:
            super().__init__()
            self.span = span

    class RuleChosen(Message):
        """Go to a rule of the tool policy in the blueprint."""

        def __init__(self, rule: Finding) -> None:
            super().__init__()
            self.rule = rule

    class AnswerWanted(Message):
        """Show `evidence` in the answer."""

        def __init__(self, evidence: tuple[Span, ...]) -> None:
            super().__init__()
            self.evidence = evidence

    class PointSelected(Message):
        """Another row is selected: highlight its evidence in the answer.

        `index` is that of its point in `Prompt.points()`, None for other rows; these have their own `evidence`.
        """

        def __init__(self, index: int | None, evidence: tuple[Span, ...] = ()) -> None:
            super().__init__()
            self.index = index
            self.evidence = evidence

    class CandidateChosen(Message):
        """Show the result of another candidate, by its key."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class PromptChosen(Message):
        """Show the result of a prompt, by its number from 1."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class FixWanted(Message):
        """Fix the problem at a place in the blueprint."""

        def __init__(self, span: Span) -> None:
            super().__init__()
            self.span = span

    class WordsWanted(Message):
        """Show the exact requests to the judges of a point and their raw replies."""

        def __init__(self, judgements: tuple[Judgement, ...]) -> None:
            super().__init__()
            self.judgements = judgements

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: Overview | NoResult | ResultView | None = None
        self._selected: tuple[int | None, tuple[Span, ...]] = (None, ())
        self._view: ResultView | None = None
        self._overview: Overview | None = None
        self._sorting = Sorting()
        self._detailed = ""
        self._head_lines = 0
        self.idle_actions = idle_actions(None, None)
        """The ids of the actions that have nothing to act on."""

    def compose(self) -> ComposeResult:
        """The head, the scrolling rows, and the selected row in full below."""
        yield SteadyText(id="result-head")
        yield ResultRows("", id="result-rows")
        with VerticalScroll(id="result-detail", can_focus=False):
            yield SteadyText(id="result-detail-text")

    @property
    def _head(self) -> SteadyText:
        return self.query_one("#result-head", SteadyText)

    @property
    def rows(self) -> ResultRows:
        """The list."""
        return self.query_one(ResultRows)

    @property
    def row(self) -> ResultRow | None:
        """The selected row."""
        return self.rows.row

    def show(self, view: Overview | NoResult | ResultView) -> None:
        """Show a result, the blueprint as a whole, or why there is no result."""
        if view is self._shown:
            return
        self._shown = view
        match view:
            case NoResult(title, teaching):
                self._show_nothing(title, teaching)
            case ResultView():
                self._show_result(view)
            case _:
                self._show_overview(view)
        self._report_selection()

    def _show_nothing(self, title: str, teaching: str) -> None:
        self._view, self._overview, self._head_lines = None, None, 0
        head = Content.assemble((visible(title), "bold"), "\n\n", (visible(teaching), "$ink-dim"))
        self._head.set_text(head)
        self._head.set_least_height(0)
        self.rows.show_rows(())
        self._show_detail()

    def _show_result(self, view: ResultView) -> None:
        """Show a result. For the same prompt as before, selection and scroll position stay."""
        is_new = self._view is None or self._view.prompt.id != view.prompt.id
        self._view, self._overview = view, None
        if is_new:
            self._head_lines = 0
        self._show_head()
        self.rows.show_rows(result_rows(view), empty="")
        if is_new or (self.row is not None and not self.row.selectable):
            self.rows.select_first()
        self._show_detail()

    def _show_overview(self, view: Overview) -> None:
        """Show the overview. If it was shown before, selection and scroll position stay."""
        is_new = self._overview is None
        self._view, self._overview, self._head_lines = None, view, 0
        self._show_head()
        self._show_overview_rows()
        if is_new:
            self.rows.select_first()
            self._show_detail()

    def _show_overview_rows(self) -> None:
        if self._overview is not None:
            arranged = self._sorting.arranged(self._overview)
            self.rows.show_rows(overview_rows(self._overview, arranged, self._sorting.order), empty="")
            self._show_detail()

    def select_section(self, key: str) -> None:
        """Select the row with this key, the first of a section, and bring its section into view."""
        for index, row in enumerate(self.rows.rows):
            if row.key == key:
                self.rows.selected = index
                self.rows.scroll_to(y=index - 1, animate=False, force=True, immediate=True)

    def on_resize(self) -> None:
        """Draw the head and the detail for the new width."""
        self._let_head_shrink()
        self._show_head()
        self._show_detail()

    def _show_head(self) -> None:
        """Draw the head. It never shrinks during a run, so that the list below keeps its place."""
        view, head, width = self._view, self._head, max(self.size.width - 1, 20)
        if self._overview is not None:
            head.set_text(overview_head(self._overview, width))
            head.set_least_height(0)
        if view is None:
            return
        content = head_content(view, width)
        head.set_text(content)
        if view.running is not None:
            begins = view.explanation is None
            width = head.content_size.width  # 0 while the pane is out of sight
            height = content.get_height({}, width) if width else 0
            self._head_lines = max(0 if begins else self._head_lines, height)
        head.set_least_height(self._head_lines + 1)

    def _show_detail(self) -> None:
        """Draw the selected row in full. While verdicts arrive, the detail has its full height and grows downwards."""
        row = self.row
        content = Content() if row is None else detail_content(row, max(self.size.width - 3, 20))
        detail = self.query_one("#result-detail", VerticalScroll)
        detail.set_class(not content.plain, "-empty")
        detail.set_class(self._overview is not None, "-overview")
        self.query_one("#result-detail-text", SteadyText).set_text(content)
        if row is None or row.key != self._detailed:
            self._detailed = "" if row is None else row.key
            detail.scroll_home(animate=False)
            detail.remove_class("-filling")
        if row is not None and self._view is not None and row.point in self._view.waiting:
            detail.add_class("-filling")

    def on_rows_selected(self, event: ResultRows.Selected) -> None:
        """Show the detail of the newly selected row, and report the selection."""
        event.stop()
        self._let_head_shrink()
        self._show_detail()
        self._report_selection()

    def _let_head_shrink(self) -> None:
        """Give the head its own height again, once no run goes on and the author does something."""
        if self._head_lines and self._view is not None and self._view.running is None:
            self._head_lines = 0
            self._head.set_least_height(1)

    def _report_selection(self) -> None:
        """Post the selection and the usable actions where they changed."""
        row = self.row
        selected = (None, ()) if row is None else (row.point, row.evidence)
        if selected != self._selected:
            self._selected = selected
            self.post_message(self.PointSelected(*selected))
        idle = idle_actions(self._shown, row)
        if idle != self.idle_actions:
            self.idle_actions = idle
            self.post_message(ActionsChanged())

    def on_rows_chosen(self, event: ResultRows.Chosen) -> None:
        """Go to what the row is about: a result, its line in the blueprint, or its place in the answer."""
        event.stop()
        row = self.row
        if row is None:
            return
        if row.candidate is not None:
            self.post_message(self.CandidateChosen(row.candidate))
        elif row.prompt is not None:
            self.post_message(self.PromptChosen(row.prompt))
        elif row.target is not None:
            self.post_message(self.PlaceChosen(row.target))
        elif row.rule is not None:
            self.post_message(self.RuleChosen(row.rule))
        elif row.evidence:
            self.post_message(self.AnswerWanted(row.evidence))

    def on_result_rows_heading_clicked(self, event: ResultRows.HeadingClicked) -> None:
        """Sort by the clicked column heading."""
        event.stop()
        order = order_at(event.row, event.from_right)
        if order is not None:
            self._sort(order)

    def action_choose(self) -> None:
        """Go to the source of the selected row."""
        self.rows.choose()

    def action_sort(self) -> None:
        """Sort the prompts of the blueprint in the next order."""
        if self._overview is not None:
            self._sort(self._sorting.order.next)
        else:
            self._notify("There is nothing to sort here. With the cursor in the header, s sorts the prompts.")

    def _notify(self, message: str) -> None:
        self.notify(message, timeout=4, markup=False)

    def _sort(self, order: Order) -> None:
        if self._overview is not None:
            self._sorting.choose(order)
            self._show_overview_rows()
            self.rows.bring_selected_into_view()

    def action_more(self) -> None:
        """Scroll the detail by a page; from its end back to its start."""
        detail = self.query_one("#result-detail", VerticalScroll)
        if detail.scroll_offset.y >= detail.max_scroll_y:
            detail.scroll_home(animate=False)
        else:
            detail.scroll_page_down(animate=False)

    def action_grade(self, number: int) -> None:
        """Give the selected point in words a grade of 1 to 5; 0 removes it."""
        row = self.row
        if row is None or row.point is None or not row.gradeable:
            self._notify("Select a point in words: the keys 1 to 5 grade it. A check decides for itself.")
            return
        self.post_message(self.GradeGiven(row.point, list(Grade)[number - 1] if number else None))

    def action_word_for_word(self) -> None:
        """Show the exact requests to the judges of the selected point and their raw replies."""
        row = self.row
        point = None if row is None else row.point
        judgements = () if self._view is None or point is None else self._view.judgements.get(point, ())
        if judgements:
            self.post_message(self.WordsWanted(judgements))
        else:
            self._notify("Select a point that a judge has judged: x shows its request and its reply.")

    def action_fix(self) -> None:
        """Fix the problem that the selected row describes."""
        row = self.row
        if row is not None and row.fixable and row.target is not None:
            self.post_message(self.FixWanted(row.target))
        else:
            self._notify("Select a row under “Why low” that is marked with f: f makes its change.")
