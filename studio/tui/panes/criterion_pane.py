"""The pane of one criterion: its wording, the answers with their verdicts, and the selected answer with evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from engine.blueprint import RenderAs
from engine.scoring.assessment import Grade
from engine.text.spans import in_quotes, visible
from studio.session.views.criterion_view import CriterionRow, CriterionView, NoCriterion, SelectedAnswer
from studio.tui.action import Place
from studio.tui.footer import ActionsChanged
from studio.tui.key_bindings import bindings
from studio.tui.panes.criterion_rows import CriterionRows, heading
from studio.tui.panes.passages import Passages
from studio.tui.panes.stack import Passage
from studio.tui.panes.steady_text import SteadyText

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement

_TEACHING = (
    "Put the cursor on a criterion, or select one, and press Ctrl+K: here are all answers to its prompt, and F5 runs "
    "it alone, on these answers. Change its words and run it again to see which verdicts flip."
)
_NO_ANSWERS = "There is no answer yet. + chooses stored ones; c on the Response tab makes a case."
_LONGEST_NAME = 300


class CriterionPane(Vertical):
    """Shows a `CriterionView`; posts what the author wants of it."""

    place = Place.CRITERION
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.CRITERION)]

    DEFAULT_CSS = """
    CriterionPane { height: 1fr; padding: 0 0 0 1; }
    CriterionPane > #criterion-head { height: auto; max-height: 7; padding: 0 1 0 0; }
    CriterionPane > #criterion-columns { height: auto; padding: 1 0 0 0; color: $ink-dim; }
    CriterionPane > #criterion-rows { height: auto; min-height: 2; max-height: 32%; }
    CriterionPane > #criterion-said {
        height: auto; max-height: 30%; border-top: solid $line; padding: 0 1 0 0; scrollbar-size-vertical: 1;
    }
    CriterionPane > #criterion-answer { height: 1fr; min-height: 2; border-top: solid $line; }
    CriterionPane > #criterion-foot { dock: bottom; height: auto; padding: 0 1 0 0; border-top: solid $line; }
    CriterionPane.-empty > #criterion-columns, CriterionPane.-empty > #criterion-rows,
    CriterionPane.-empty > #criterion-foot, CriterionPane.-unsaid > #criterion-said,
    CriterionPane.-alone > #criterion-answer, CriterionPane.-footless > #criterion-foot { display: none; }
    CriterionPane.-reading > #criterion-rows, CriterionPane.-reading > #criterion-columns,
    CriterionPane.-reading > #criterion-head { display: none; }
    """

    class AnswerSelected(Message):
        """Another answer is selected, by its digest."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class GradeGiven(Message):
        """Grade the answer with the digest `key`; None removes the grade."""

        def __init__(self, key: str, grade: Grade | None) -> None:
            super().__init__()
            self.key = key
            self.grade = grade

    class WordsWanted(Message):
        """Show the exact requests to judges and their raw replies."""

        def __init__(self, judgements: tuple[Judgement, ...]) -> None:
            super().__init__()
            self.judgements = judgements

    def __init__(self) -> None:
        super().__init__(id="criterion", classes="-empty -alone -unsaid")
        self.rows = CriterionRows()
        self._shown: NoCriterion | CriterionView | None = None
        self._selected: SelectedAnswer | None = None
        self.idle_actions = _idle(None, None)
        """The ids of the actions that have nothing to act on."""

    def compose(self) -> ComposeResult:
        """The criterion, its answers, what is said of the selected one, that answer, and what the criterion catches."""
        yield SteadyText(id="criterion-head")
        yield SteadyText(id="criterion-columns")
        yield self.rows
        with VerticalScroll(id="criterion-said", can_focus=False):
            yield SteadyText(id="criterion-said-text")
        yield Passages(selects=False, id="criterion-answer")
        yield SteadyText(id="criterion-foot")

    @property
    def answer(self) -> Passages:
        """The view of the selected answer."""
        return self.query_one("#criterion-answer", Passages)

    @property
    def is_reading(self) -> bool:
        """Whether the answer has the pane to itself."""
        return self.has_class("-reading")

    @property
    def view(self) -> CriterionView | None:
        """What is shown; None while there is no criterion."""
        return self._shown if isinstance(self._shown, CriterionView) else None

    def show(self, view: NoCriterion | CriterionView) -> None:
        """Show a criterion, or how to get one."""
        if view is self._shown:
            return
        before, self._shown = self.view, view
        match view:
            case NoCriterion(prompt):
                title = (visible(prompt) or "Header", "bold")
                self._text("head", Content.assemble(title, "\n\n", (_TEACHING, "$ink-dim")))
                self.rows.view = None
                self.rows.show_rows(())
                self._show_answer(None)
                self.remove_class("-reading")
            case CriterionView():
                self._text("head", _head(view))
                self.rows.view = view
                is_other = before is None or (before.prompt, before.name) != (view.prompt, view.name)
                self.rows.show_rows(view.rows, empty=_NO_ANSWERS)
                if is_other and view.selected is not None:
                    self._select_key(view.selected.answer.key)
                self._show_answer(view.selected)
        self._show_columns()
        self.set_class(self.view is None, "-empty")
        self.set_class(self.view is None or not self.view.foot, "-footless")
        self._report_selection()

    def on_resize(self) -> None:
        """Draw the column headings for the new width."""
        self._show_columns()

    @property
    def target(self) -> Widget:
        """What gets the keys: the list, or the answer that is being read."""
        return self.answer if self.is_reading else self.rows

    def _text(self, part: str, content: Content) -> None:
        self.query_one(f"#criterion-{part}", SteadyText).set_text(content)

    def _show_columns(self) -> None:
        width = self.rows.scrollable_content_region.width - 1
        if self.view is not None and width > 0:
            self._text("columns", Content(visible(f" {heading(self.view, width)}")))
            lines = (line if len(line) <= width else line.replace(" · ", "\n") for line in self.view.foot)
            self._text("foot", Content(visible("\n".join(lines))))

    def _select_key(self, key: str) -> None:
        index = next((place for place, row in enumerate(self.rows.rows) if row.key == key), 0)
        self.rows.select(index)

    def _show_answer(self, selected: SelectedAnswer | None) -> None:
        before, self._selected = self._selected, selected
        self.set_class(selected is None, "-alone")
        self.set_class(selected is None or not _said(selected).plain, "-unsaid")
        if selected is None:
            return
        self._text("said-text", _said(selected))
        is_other = before is None or before.answer.key != selected.answer.key
        self.answer.set_class(selected.is_closest, "-closest")
        passage = Passage("answer", selected.answer.subject, (), RenderAs.PLAINTEXT, selected.evidence)
        if (passage,) != self.answer.passages:
            self.answer.show((passage,), from_start=is_other)
        if selected.evidence and (is_other or before is None or before.evidence != selected.evidence):
            self.answer.bring_into_view(min(selected.evidence))

    @property
    def row(self) -> CriterionRow | None:
        """The selected answer."""
        return self.rows.row

    def on_rows_selected(self, event: CriterionRows.Selected) -> None:
        """Show the selected answer."""
        event.stop()
        self._report_selection()

    def on_rows_chosen(self, event: CriterionRows.Chosen) -> None:
        """Give the answer the pane, at its evidence."""
        event.stop()
        self._report_selection()
        if self._selected is not None:
            self.add_class("-reading")
            self.screen.set_focus(self.target)
            if self._selected.evidence:
                self.answer.bring_into_view(min(self._selected.evidence))

    def stop_reading(self) -> bool:
        """Go back from the answer to the list; whether it was being read."""
        if not self.is_reading:
            return False
        self.remove_class("-reading")
        self.screen.set_focus(self.target)
        return True

    def _report_selection(self) -> None:
        row = self.row
        if row is not None and (self._selected is None or self._selected.answer.key != row.key):
            self.post_message(self.AnswerSelected(row.key))
        idle = _idle(self.view, row)
        if idle != self.idle_actions:
            self.idle_actions = idle
            self.post_message(ActionsChanged())

    def _notify(self, message: str) -> None:
        self.notify(message, timeout=4, markup=False)

    def action_grade_answer(self, number: int) -> None:
        """Grade the criterion on the selected answer from 1 to 5; 0 removes the grade."""
        if self.row is None or self.view is None or self.view.is_check:
            self._notify("Select an answer: the keys 1 to 5 grade the criterion on it. A check decides for itself.")
            return
        self.post_message(self.GradeGiven(self.row.key, list(Grade)[number - 1] if number else None))

    def action_confirm_grade(self) -> None:
        """Let a grade of an earlier wording count for the present one."""
        row = self.row
        if row is None or row.grade is None or row.grade.counts:
            self._notify("Select an answer whose grade has a ?: it is of an earlier wording, and y confirms it.")
            return
        self.post_message(self.GradeGiven(row.key, row.grade.grade))

    def action_criterion_words(self) -> None:
        """Show the exact requests to the judges and their raw replies."""
        judgements = () if self._selected is None else self._selected.judgements
        if judgements:
            self.post_message(self.WordsWanted(judgements))
        else:
            self._notify("Run the criterion with judges first: then x has their requests and replies.")

    def action_show_answer(self) -> None:
        """Give the selected answer the pane, at its evidence; from there, go back to the list."""
        if not self.stop_reading():
            self.rows.choose()


def _head(view: CriterionView) -> Content:
    name = " ".join(visible(view.name).split())
    name = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
    shown = name if view.is_check else in_quotes(name)
    negated = ("not: ", "$ink-dim") if view.is_inverted else ""
    return Content.assemble(
        negated, (shown, "bold"), "\n", (view.wording, ""), (f" · {visible(view.state)}", "$ink-dim")
    )


def _said(selected: SelectedAnswer) -> Content:
    """What each judge says of the selected answer, and what to know of it."""
    lines: list[Content] = []
    for line in selected.lines:
        reflection = " ".join(visible(line.reflection).split())
        lines.append(
            Content.assemble(
                (visible(line.judge), "bold"),
                f" {visible(line.verdict)}",
                (f" · {reflection}" if reflection else "", "$ink-dim"),
            )
        )
    if selected.note:
        lines.append(Content.styled(visible(selected.note), "$ink-warning" if selected.needs_care else "$ink-yours"))
    if selected.is_closest:
        lines.append(Content.styled("The closest sentence is marked: a place to look.", "$ink-dim"))
    return Content("\n").join(lines)


def _idle(view: CriterionView | None, row: CriterionRow | None) -> frozenset[str]:
    acts = {
        "earlier_wording": view is not None and view.has_earlier,
        "grade_answer": view is not None and row is not None and not view.is_check,
        "confirm_grade": row is not None and row.grade is not None and not row.grade.counts,
        "show_answer": row is not None,
        "criterion_answers": view is not None,
        "criterion_words": view is not None and view.has_judges and row is not None,
        "judges": view is None or not view.is_check,
    }
    return frozenset(id for id, does in acts.items() if not does)
