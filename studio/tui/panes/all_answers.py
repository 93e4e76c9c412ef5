"""All answers to a prompt, with what each judge says of one criterion: in its head the wording, flips on top."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, TypeAlias

from textual.binding import BindingType

from engine.functions.function_text import count as plural
from engine.scoring.assessment import Grade
from engine.scoring.explanation import whole_text
from engine.study.wordings import Flip
from engine.text.record import Record
from engine.text.spans import in_quotes, one_line
from studio.session.views.criterion_view import CriterionRow, CriterionView, NoCriterion, SelectedAnswer
from studio.tui.action import Place
from studio.tui.footer import ActionsChanged
from studio.tui.key_bindings import bindings
from studio.tui.paragraphs import Line, beside, paragraph
from studio.tui.pieces import Piece
from studio.tui.session_screen import studio_of
from studio.tui.tall_list import DIM, STRONG, TallList
from studio.tui.window import Pane

_TEACHING = (
    "Put the cursor on a criterion, or select one, and press Ctrl+K: here are all answers to its prompt, and F5 runs "
    "it alone, on these answers. Change its words and run it again to see which verdicts flip."
)
_NO_ANSWERS = "There is no answer yet. + chooses stored ones; in the text, F5 runs the prompt."
_LONGEST = 600
_LABEL = 4
_FLIPS = {Flip.UP: "↑", Flip.DOWN: "↓"}
_MET, _FAILED = 0.75, 0.5
GRADES = "1 no · 2 · 3 half · 4 · 5 yes"


class Head(Record):
    """The criterion, which of its wordings it is, and what it is good for."""

    view: CriterionView


Row: TypeAlias = Head | CriterionRow


class AllAnswers(TallList[Row]):
    """Shows a `CriterionView`. The order is set when a run of the criterion ends: a grade moves no row."""

    place = Place.CRITERION
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.CRITERION)]

    def __init__(self) -> None:
        super().__init__(_TEACHING)
        self._view: NoCriterion | CriterionView | None = None
        self._order: tuple[str, ...] = ()
        self.idle_actions = _idle(None, None)
        """The ids of the actions that have nothing to act on."""

    @property
    def view(self) -> CriterionView | None:
        """What is shown; None while there is no criterion."""
        return self._view if isinstance(self._view, CriterionView) else None

    @property
    def what_runs(self) -> str:
        """What F5 does here."""
        view = self.view
        if view is None:
            return "run this criterion"
        return "stop" if view.is_running else f"run this criterion on {plural(len(view.rows), 'answer')}"

    @property
    def answer(self) -> CriterionRow | None:
        """The selected answer."""
        return self.row if isinstance(self.row, CriterionRow) else None

    def show_criterion(self, view: NoCriterion | CriterionView) -> None:
        """Show a criterion, or how to get one."""
        if view is self._view:
            return
        before, self._view = self.view, view
        match view:
            case NoCriterion():
                self.show(())
            case CriterionView():
                is_other = before is None or (before.prompt, before.name) != (view.prompt, view.name)
                if is_other or (before is not None and before.is_running and not view.is_running):
                    self._order = tuple(row.key for row in sorted(view.rows, key=_rank))
                places = {key: place for place, key in enumerate(self._order)}
                rows = sorted(view.rows, key=lambda row: places.get(row.key, len(places)))
                selected = view.selected.answer.key if is_other and view.selected is not None else None
                self.show((Head(view), *rows), empty=_NO_ANSWERS, selected=selected)
                self.draw_foot()
        self._report()

    # --- Rows

    def key(self, row: Row) -> str:
        return "" if isinstance(row, Head) else row.key

    def is_selectable(self, row: Row) -> bool:
        return isinstance(row, CriterionRow)

    def facets(self, row: Row) -> str:
        """The answer, its case, and what is true of it: failing, open, flipped, judges differ."""
        if isinstance(row, Head):
            return ""
        known = [each for each in row.now if each is not None]
        facts = (
            ("failing", bool(known) and _mean(row.now) < _FAILED),
            ("open", not known),
            ("flipped", row.flip is not None),
            ("judges differ", bool(known) and max(known) - min(known) >= _FAILED),
        )
        return " ".join([row.answer.label, row.label, *(name for name, holds in facts if holds)])

    def draw(self, row: Row, width: int, most: int | None) -> Sequence[Line]:
        """`good  the ideal                  100 → 0  ↓`."""
        if isinstance(row, Head):
            return list(_head(row.view, width))
        tail = [*_extents(row), (f" {_sign(row)}", "list--warning")]
        label = row.label or ("good" if row.answer.is_ideal else "?")
        return beside(((f"{label:<{_LABEL}}  ", DIM),), row.answer.label, tail, width)

    def foot(self, row: Row, width: int) -> Sequence[Line]:
        """What each judge says of the selected answer, what to know of it, and the author's grade."""
        view = self.view
        selected = None if view is None else view.selected
        if view is None or selected is None or self.key(row) != selected.answer.key:
            return ()
        return [(("─" * width, "list--line"),), *_said(view, selected, width), *_grade(view, row, width)]

    # --- What the author does

    def watch_at(self) -> None:
        """Look for the evidence in the selected answer."""
        super().watch_at()
        row = self.answer
        if row is not None:
            studio_of(self).session.with_runs(lambda runs: runs.criterion.select(row.key))
        self._report()

    def _report(self) -> None:
        idle = _idle(self.view, self.answer)
        if idle != self.idle_actions:
            self.idle_actions = idle
            self.post_message(ActionsChanged())

    def action_show_answer(self) -> None:
        """Read the selected answer, at its evidence."""
        studio_of(self).open_pane(Pane.ANSWER)

    def choose(self) -> None:
        """A click on the selected answer reads it."""
        self.action_show_answer()

    def action_grade_answer(self, number: int) -> None:
        """Grade the criterion on the selected answer from 1 to 5; 0 removes the grade."""
        if self.answer is None or self.view is None or self.view.is_check:
            self._tell("Select an answer: the keys 1 to 5 grade the criterion on it. A check decides for itself.")
        else:
            self._grade(self.answer.key, list(Grade)[number - 1] if number else None)

    def action_confirm_grade(self) -> None:
        """Let a grade of an earlier wording count for the present one."""
        row = self.answer
        if row is None or row.grade is None or row.grade.counts:
            self._tell("Select an answer that you graded in an earlier wording: y confirms that grade for this one.")
        else:
            self._grade(row.key, row.grade.grade)

    def _grade(self, key: str, grade: Grade | None) -> None:
        studio_of(self).session.with_runs(lambda runs: runs.criterion.grade(key, grade))

    def action_criterion_words(self) -> None:
        """Show the exact requests to the judges and their raw replies."""
        selected = None if self.view is None else self.view.selected
        if selected is None or not selected.judgements:
            self._tell("Run the criterion with judges first: then x has their requests and replies.")
            return
        from studio.tui.dialogs.page import WordForWord

        self.app.push_screen(WordForWord(selected.judgements))

    def _tell(self, message: str) -> None:
        self.notify(message, timeout=4, markup=False)


def _rank(row: CriterionRow) -> tuple[bool, bool]:
    """Flips first, then answers that their label contradicts."""
    return row.flip is None, not _contradicts(row)


def _mean(extents: Sequence[float | None]) -> float:
    known = [each for each in extents if each is not None]
    return sum(known) / len(known) if known else 0.0


def _contradicts(row: CriterionRow) -> bool:
    """Whether a good answer fails the criterion. A bad one may meet it: it may be bad in another way."""
    is_known = any(each is not None for each in row.now)
    return is_known and (row.label == "good" or row.answer.is_ideal) and _mean(row.now) < _FAILED


def _sign(row: CriterionRow) -> str:
    return _FLIPS[row.flip] if row.flip is not None else "!" if _contradicts(row) else " "


def _extents(row: CriterionRow) -> Iterator[Piece]:
    """`100 → 0`: what judges said of it before, on average, and what they say now."""
    if any(each is not None for each in row.before):
        yield f"{whole_text(_mean(row.before))} → ", DIM
    if not any(each is not None for each in row.now):
        yield "  –", DIM
        return
    now = _mean(row.now)
    ink = "list--met" if now >= _MET else "list--unmet" if now < _FAILED else "list--partly"
    yield f"{whole_text(now):>3}", ink


def _head(view: CriterionView, width: int) -> Iterator[Line]:
    name = one_line(view.name, longest=_LONGEST)
    negated = [("should not: ", DIM)] if view.is_inverted else []
    yield from paragraph([*negated, (name if view.is_check else in_quotes(name), STRONG)], width)
    for line in (f"{view.wording} · {view.state}", *view.foot):
        yield from paragraph(line, width, ink=DIM)
    yield ()


def _said(view: CriterionView, selected: SelectedAnswer, width: int) -> Iterator[Line]:
    """`  gpt-4.1-mini  25  Touches on it, but without saying so outright.`"""
    for number, line in enumerate(selected.lines):
        heading = ((" judges", DIM),) if number == 0 and not view.is_check else ()
        said = [(f"{line.judge}  ", STRONG), (f"{line.verdict}  ", ""), (line.reflection, DIM)]
        yield from beside((("  ", ""),), said, heading, width)
    if selected.note:
        ink = "list--warning" if selected.needs_care else "list--yours"
        yield from paragraph(selected.note, width, ink=ink)
    if selected.is_closest:
        yield from paragraph("The closest sentence is lit up in the answer: a place to look.", width, ink=DIM)


def _grade(view: CriterionView, row: Row, width: int) -> Iterator[Line]:
    """`   you –  1 no · 2 · 3 half · 4 · 5 yes`."""
    if view.is_check or not isinstance(row, CriterionRow):
        return
    if view.is_inverted:
        yield from paragraph("How far does it do this? The score counts the opposite.", width, ink=DIM)
    given = "–" if row.grade is None else str(list(Grade).index(row.grade.grade) + 1) + "?" * (not row.grade.counts)
    yield (("  you ", "list--yours"), (f"{given}  ", STRONG), (GRADES, DIM))


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
