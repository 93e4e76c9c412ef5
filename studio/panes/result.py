"""The result of one prompt: the score and how it came about, every point, every path, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from engine.scoring import to_fixed
from engine.scoring.assessment import Grade
from engine.scoring.explanation import Explanation
from engine.text import Span, visible
from studio.panes.result_view import Cell, Ink, ResultRow, ResultView, hundred
from studio.panes.rows import Piece, Rows, fit
from studio.panes.sections import result_rows

if TYPE_CHECKING:
    from engine.judging.agreement import Agreement
    from engine.judging.judgement import Judgement
    from engine.tool_use import Finding

_INKS = {
    Ink.PLAIN: "",
    Ink.DIM: "$ink-dim",
    Ink.STRONG: "bold",
    Ink.ERROR: "$ink-error",
    Ink.WARNING: "$ink-warning",
    Ink.MET: "$ink-met",
    Ink.PARTLY: "$ink-partly",
    Ink.UNMET: "$ink-unmet",
    Ink.YOURS: "$ink-yours",
    Ink.ESTIMATE: "$ink-estimate",
}


class ResultRows(Rows[ResultRow]):
    """The rows of a result. Headings and gaps are passed over."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"result--met", "result--partly", "result--unmet", "result--yours"}

    DEFAULT_CSS = """
    ResultRows > .result--met { color: $ink-met; }
    ResultRows > .result--partly { color: $ink-partly; }
    ResultRows > .result--unmet { color: $ink-unmet; }
    ResultRows > .result--yours { color: $ink-yours; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "choose", "Go there", show=False)]

    def draw(self, row: ResultRow, width: int) -> list[Piece]:
        """Lead, the text in what room there is, and the columns at the right."""
        lead = sum(cell_len(cell.text) for cell in row.lead)
        tail = sum(cell_len(cell.text) for cell in row.tail)
        text = fit(row.text, width - lead - tail)
        pad = " " * max(width - lead - cell_len(text) - tail, 0)
        pieces = [*((cell.text, cell.ink) for cell in row.lead), (text, row.ink), (pad, "")]
        return [*((str(said), str(ink)) for said, ink in pieces), *((cell.text, str(cell.ink)) for cell in row.tail)]

    def same(self, old: ResultRow, new: ResultRow) -> bool:
        """A row is known by its key: its figures may change."""
        return old.key == new.key

    def action_move(self, by: int) -> None:
        """To the next row that says something of its own."""
        index = self.selected + by
        while 0 <= index < len(self.rows):
            if self.rows[index].selectable:
                self.selected = index
                return
            index += by

    def validate_selected(self, index: int) -> int:
        """The nearest row that says something of its own, the one below of two."""
        index = super().validate_selected(index)
        there = [place for place, row in enumerate(self.rows) if row.selectable]
        return min(there, key=lambda place: (abs(place - index), -place), default=index)

    def action_choose(self) -> None:
        """Go to the source of the row."""
        self.choose()

    def select_first(self) -> None:
        """Select the first row that says something of its own."""
        self.select(0)


class ResultPane(Vertical):
    """Shows a `ResultView`; emits what the author wants done with it, and does nothing itself."""

    DEFAULT_CSS = """
    ResultPane { height: 1fr; padding: 0 0 0 1; }
    ResultPane > #result-head { height: auto; padding: 0 1 1 0; }
    ResultPane > #result-rows { height: 1fr; min-height: 4; }
    ResultPane > #result-detail {
        height: auto; max-height: 60%; border-top: solid $line; padding: 0 1 0 0; scrollbar-size-vertical: 1;
    }
    ResultPane > #result-detail.-filling { height: 60%; }
    ResultPane > #result-detail.-empty { display: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(number), f"grade({number})", "Grade", show=False) for number in range(6)),
        Binding("f", "fix", "Fix", show=False),
        Binding("a", "screen.judge", "Judge", show=False),
        Binding("v", "screen.next_variant", "Next variant", show=False),
        Binding("w", "screen.judges", "Who judges", show=False),
        Binding("x", "word_for_word", "Word for word", show=False),
    ]

    class GradeGiven(Message):
        """The author graded the point at `index` of `Prompt.points()`; None takes the grade back."""

        def __init__(self, index: int, grade: Grade | None) -> None:
            super().__init__()
            self.index = index
            self.grade = grade

    class PlaceChosen(Message):
        """The author wants to see a place in the blueprint."""

        def __init__(self, span: Span) -> None:
            super().__init__()
            self.span = span

    class RuleChosen(Message):
        """The author wants to see where a rule of the policy of tools is written."""

        def __init__(self, rule: Finding) -> None:
            super().__init__()
            self.rule = rule

    class AnswerWanted(Message):
        """The author wants to see `evidence` in the answer."""

        def __init__(self, evidence: tuple[Span, ...]) -> None:
            super().__init__()
            self.evidence = evidence

    class PointSelected(Message):
        """Another point is selected (its index in `Prompt.points()`), or none: its evidence is wanted.

        `evidence` is that of a row which is no point: the places in the answer themselves.
        """

        def __init__(self, index: int | None, evidence: tuple[Span, ...] = ()) -> None:
            super().__init__()
            self.index = index
            self.evidence = evidence

    class CandidateChosen(Message):
        """The author wants to see the result of another candidate, by its key."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class FixWanted(Message):
        """The author wants to mend what is at a place in the blueprint."""

        def __init__(self, span: Span) -> None:
            super().__init__()
            self.span = span

    class WordsWanted(Message):
        """The author wants to read what was sent to the judges of a point, and what came back."""

        def __init__(self, judgements: tuple[Judgement, ...]) -> None:
            super().__init__()
            self.judgements = judgements

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._view: ResultView | None = None
        self._teaching = ""
        self._detailed = ""
        self._head_lines = 0

    def compose(self) -> ComposeResult:
        """The head stands still; the rows scroll; the selected row shows in full below."""
        yield Static(id="result-head")
        yield ResultRows("", id="result-rows")
        with VerticalScroll(id="result-detail", can_focus=False):
            yield Static(id="result-detail-text")

    @property
    def rows(self) -> ResultRows:
        """The list."""
        return self.query_one(ResultRows)

    @property
    def row(self) -> ResultRow | None:
        """The selected row."""
        return self.rows.row

    def show_nothing(self, title: str, teaching: str) -> None:
        """There is no result: `teaching` tells the next step in one line."""
        self._view, self._teaching, self._head_lines = None, teaching, 0
        head = Content.assemble((visible(title), "bold"), "\n\n", (visible(teaching), "$ink-dim"))
        self.query_one("#result-head", Static).update(head)
        self.query_one("#result-head").styles.min_height = 0
        self.rows.show_rows(())
        self._show_detail()

    def show(self, view: ResultView) -> None:
        """Show `view`. Where it is the same prompt as before, the selection and the place stay."""
        is_new = self._view is None or self._view.prompt.id != view.prompt.id
        self._view = view
        if is_new:
            self._head_lines = 0
        self._show_head()
        self.rows.show_rows(result_rows(view), empty="")
        if is_new or (self.row is not None and not self.row.selectable):
            self.rows.select_first()
        self._show_detail()

    def on_resize(self) -> None:
        """The bar has the width of the pane."""
        if self._view is not None:
            self._show_head()

    def _show_head(self) -> None:
        """While something runs, the head only grows: what it loses at the end leaves room, and the list stays."""
        view = self._view
        if view is None:
            return
        content = head_content(view, max(self.size.width - 3, 20))
        head = self.query_one("#result-head", Static)
        head.update(content)
        if view.running is not None:
            begins = view.explanation is None
            width = head.content_size.width  # 0 while the pane is out of sight
            height = content.get_height({}, width) if width else 0
            self._head_lines = max(0 if begins else self._head_lines, height)
        head.styles.min_height = self._head_lines + 1

    def _show_detail(self) -> None:
        """The selected row in full. What grows while it is read, as verdicts come, grows below what is there."""
        row = self.row
        cells = list(row.detail) if row is not None else []
        detail = self.query_one("#result-detail", VerticalScroll)
        detail.set_class(not cells, "-empty")
        self.query_one("#result-detail-text", Static).update(_lines(cells))
        if row is None or row.key != self._detailed:
            self._detailed = "" if row is None else row.key
            detail.scroll_home(animate=False)
            detail.remove_class("-filling")
        if row is not None and self._view is not None and row.point in self._view.waiting:
            detail.add_class("-filling")

    def on_rows_selected(self, event: ResultRows.Selected) -> None:
        """Another row: show it in full, and say which point it is."""
        event.stop()
        self._show_detail()
        row = self.row
        self.post_message(self.PointSelected(None) if row is None else self.PointSelected(row.point, row.evidence))

    def on_rows_chosen(self, event: ResultRows.Chosen) -> None:
        """Enter goes to what the row speaks of: its line in the blueprint, or its place in the answer."""
        event.stop()
        row = self.row
        if row is None:
            return
        if row.candidate is not None:
            self.post_message(self.CandidateChosen(row.candidate))
        elif row.target is not None:
            self.post_message(self.PlaceChosen(row.target))
        elif row.rule is not None:
            self.post_message(self.RuleChosen(row.rule))
        elif row.evidence:
            self.post_message(self.AnswerWanted(row.evidence))

    def action_grade(self, number: int) -> None:
        """Grade the selected text point by the key pressed; 0 takes the grade back."""
        row = self.row
        if row is None or row.point is None or not row.gradeable:
            return
        self.post_message(self.GradeGiven(row.point, list(Grade)[number - 1] if number else None))

    def action_word_for_word(self) -> None:
        """Show what was sent to the judges of the selected point, and what they answered."""
        row = self.row
        if self._view is None or row is None:
            return
        judgements = self._view.judgements.get(row.point, ()) if row.point is not None else ()
        if judgements:
            self.post_message(self.WordsWanted(judgements))
        else:
            self.notify("Select a point that a judge has judged: x shows its request and its reply.", markup=False)

    def action_fix(self) -> None:
        """Mend what the selected advice speaks of."""
        row = self.row
        if row is not None and row.mendable and row.target is not None:
            self.post_message(self.FixWanted(row.target))


def _lines(cells: list[Cell]) -> Content:
    return Content("\n").join([Content.styled(visible(cell.text), _INKS[cell.ink]) for cell in cells])


def head_content(view: ResultView, width: int) -> Content:
    """The head for a pane of `width` cells: what was run, the score, and the shape of its arithmetic."""
    lines = [_title_line(view, width)]
    if view.failed is not None:
        lines += _failure_lines(view)
    if view.explanation is not None:
        lines += [_score_line(view.explanation, width), *_shape_lines(view.explanation)]
    if view.estimate is not None or view.estimating:
        lines += _estimate_lines(view)
    if view.agreement is not None:
        lines.append(_agreement_line(view.agreement, view.judges_cost))
    if view.running is not None:
        lines.append(Content.styled(visible(view.running), "$ink-yours"))
    if view.notice:
        lines.append(Content.styled(visible(view.notice), "$ink-yours"))
    if view.stale:
        lines.append(Content.styled("The prompt changed since: F5 runs it again.", "$ink-warning"))
    return Content("\n").join(lines)


def _estimate_lines(view: ResultView) -> list[Content]:
    from studio.panes.sections.estimates import estimate_line  # here, as it brings what most runs do without

    line = estimate_line(view)
    return [Content.styled(line, "$ink-estimate")] if line else []


def _title_line(view: ResultView, width: int) -> Content:
    answers = fit(view.answers, max(width - min(cell_len(view.prompt.id), width // 2) - 2, 10))
    title = fit(view.prompt.id, max(width - cell_len(answers) - 2, 8))
    gap = " " * max(width - cell_len(title) - cell_len(answers), 1)
    return Content.assemble((title, "bold"), gap, (answers, "$ink-dim"))


def _failure_lines(view: ResultView) -> list[Content]:
    assert view.failed is not None
    lines = [Content.styled(visible(view.failed.title), "bold $ink-error")]
    if view.failed.detail:
        lines.append(Content(visible(view.failed.detail)[:600]))
    if view.failed.advice:
        lines.append(Content.styled(visible(view.failed.advice), "$ink-warning"))
    return lines


def _score_line(explanation: Explanation, width: int) -> Content:
    if explanation.score is None:
        return Content.styled("no score yet", "bold")
    score = hundred(explanation.score)
    room = max(width - len(score) - 2, 8)
    return Content.assemble((score, "bold"), "  ", *_bar(explanation, room))


def _bar(explanation: Explanation, room: int) -> list[tuple[str, str]]:
    """Heavy up to the lowest score possible, broken up to the highest, thin beyond."""
    low = round(explanation.bounds.low * room)
    high = round(explanation.bounds.high * room)
    return [("━" * low, "$ink-focus"), ("╍" * (high - low), "$ink-focus"), ("─" * (room - high), "$line-focus")]


def _shape_lines(explanation: Explanation) -> list[Content]:
    lines: list[Content] = []
    if not explanation.bounds.closed:
        waiting = sum(not point.assessment.assessed for group in explanation.groups() for point in group.points)
        low, high = hundred(explanation.bounds.low), hundred(explanation.bounds.high)
        points = "1 point is" if waiting == 1 else f"{waiting} points are"
        lines.append(Content.styled(f"between {low} and {high}: {points} not judged", "$ink-yours"))
    required, best = explanation.required, _best(explanation)
    if required is not None and required.score is not None and best is not None:
        score = hundred(explanation.score or 0.0)
        lines.append(Content(f"required points  {hundred(required.score):>6} ─┐"))
        lines.append(Content.assemble(f"best path        {hundred(best):>6} ─┴ their mean: ", (score, "bold")))
    elif best is not None:
        lines.append(Content.styled(f"the best of {len(explanation.paths)} paths", "$ink-dim"))
    elif required is not None and required.score is not None:
        weights = {point.assessment.point.multiplier for point in required.points if point.assessment.assessed}
        count = sum(point.assessment.assessed for point in required.points)
        by = "" if len(weights) == 1 else " by weight"
        lines.append(Content.styled("1 point" if count == 1 else f"the mean of {count} points{by}", "$ink-dim"))
    if explanation.weval.stored is not None:
        differs = " and differs: see Notes" if explanation.weval.reasons else ""
        so_far = "" if explanation.bounds.closed else " so far"
        stored = f"Weval stores {to_fixed(explanation.weval.stored, 2)}{so_far}{differs}"
        lines.append(Content.styled(stored, "$ink-dim"))
    return lines


def _agreement_line(agreement: Agreement, cost: str) -> Content:
    items = "1 point" if agreement.items == 1 else f"{agreement.items} points"
    beside = f" · they cost {cost}" if cost else ""
    said = f"judges agree on {items}: {agreement.alpha:g}, {agreement.interpretation}{beside}"
    return Content.styled(said, "$ink-dim")


def _best(explanation: Explanation) -> float | None:
    return next((path.score for path in explanation.paths if path.path_id == explanation.best_path_id), None)
