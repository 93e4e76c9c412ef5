"""All answers to a prompt, with what each judge says of one criterion: in its head the wording, flips on top.

Two answers that are marked stand beside each other in the pane of the answer. While the criterion is graded blind, the
view has neither names nor verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, TypeAlias

from engine.scoring.assessment import Grade
from engine.scoring.explanation import whole_text
from engine.study.case import judges_differ
from engine.study.wordings import Flip
from engine.text.record import Record, replace
from engine.text.spans import count as plural
from engine.text.spans import in_quotes, one_line
from studio.session.run_views import BESIDE
from studio.session.views.criterion_view import CriterionRow, CriterionView, SelectedAnswer
from studio.session.views.outline_view import FooterView
from studio.tui.action import Place
from studio.tui.panes.criteria_rows import score_ink
from studio.tui.panes.criterion_foot import entry, grade_scale
from studio.tui.paragraphs import Line, beside, paragraph
from studio.tui.pieces import Piece
from studio.tui.session_screen import studio_of
from studio.tui.tall_list import DIM, STRONG, WARNING, YOURS, TallList, lowest_first
from studio.tui.window import Pane

_TEACHING = (
    "Put the cursor on a criterion, or select one, and press Ctrl+K: here are all answers to its prompt, and F5 runs "
    "it alone, on these answers. Change its words and run it again to see which verdicts flip."
)
_NO_ANSWERS = "There is no answer yet. + chooses stored ones; in the text, F5 runs the prompt."
_LONGEST = 600
_LABEL = 4
_FLIPS = {Flip.UP: "↑", Flip.DOWN: "↓"}


class Head(Record):
    """The criterion, which of its wordings it is, and what it is good for."""

    view: CriterionView


Row: TypeAlias = Head | CriterionRow


def _flips_first(row: CriterionRow) -> tuple[bool, bool]:
    """What answers are sorted by: flips, then those that their label contradicts, then the rest."""
    return row.flip is None, not _contradicts(row)


class AllAnswers(TallList[Row], place=Place.CRITERION):
    """Shows a `CriterionView`. The order is set when a run of the criterion ends: a grade moves no row."""

    FILTERS = "failing · open · flipped · judges differ"
    ORDERS: ClassVar = {
        "flips first": _flips_first,
        "lowest first": lambda row: lowest_first(row.mean),
        "as they were chosen": None,
    }
    HEADS = 1

    def __init__(self) -> None:
        super().__init__(_TEACHING)
        self.view: CriterionView | None = None
        """What is shown; None while there is no criterion."""

    def footer_view(self, view: FooterView, price: str, *, narrow: bool) -> FooterView:
        """`view` with what F5 does here: it runs the criterion, at this price; "" while that is not known."""
        if self.view is None or not self.view.name:
            return replace(view, answers=("this criterion",))
        on = f"on {plural(len(self.view.rows), 'answer')}{f' ({price})' if price else ''}"
        what = on if narrow else f"this criterion {on}"
        return replace(view, answers=(what,), is_running=self.view.is_running, is_priced=True)

    @property
    def answer(self) -> CriterionRow | None:
        """The selected answer."""
        return self.row if isinstance(self.row, CriterionRow) else None

    def show_criterion(self, view: CriterionView | None) -> None:
        """Show a criterion, or how to get one."""
        if view is self.view:
            return
        before, self.view = self.view, view
        if view is None:
            self.show(())
        else:
            is_other = before is None or _subject(before) != _subject(view)
            if is_other or (before is not None and before.is_running and not view.is_running):
                self._places = {}
            selected = view.selected.answer.key if is_other and view.selected is not None else None
            self.show((Head(view), *view.rows), empty=_NO_ANSWERS, selected=selected)
            if before is None or before.marked != view.marked:
                self.draw_again()
            self.draw_foot()

    # --- Rows

    def key(self, row: Row) -> str:
        return "" if isinstance(row, Head) else row.key

    def is_selectable(self, row: Row) -> bool:
        return isinstance(row, CriterionRow)

    def facets(self, row: Row) -> str:
        """The answer, its case, and what is true of it: failing, open, flipped, judges differ."""
        if isinstance(row, Head):
            return ""
        facts = (
            ("failing", row.fails),
            ("open", row.mean is None),
            ("flipped", row.flip is not None),
            ("judges differ", judges_differ(row.now)),
        )
        return " ".join([row.answer.label, row.label, *(name for name, holds in facts if holds)])

    def draw(self, row: Row, width: int, most: int | None) -> Sequence[Line]:
        """`good  the ideal           you 1  100 → 0  ↓`; a mark stands before the name."""
        if isinstance(row, Head):
            return list(_head(row.view, width))
        view = self.view
        is_marked = view is not None and row.key in [each.answer.key for each in view.marked]
        mark: Piece = ("◆ " if is_marked else "  ", YOURS)
        if view is not None and view.is_blind:
            return beside((mark,), row.answer.label, [*_blind(row)], width)
        label = row.label or ("good" if row.answer.is_ideal else "?")
        given = [(f"you {row.grade.figure}  ", YOURS)] if row.grade is not None else []
        tail = [*given, *_extents(row), (f" {_sign(row)}", WARNING)]
        return beside(((f"{label:<{_LABEL}} ", DIM), mark), row.answer.label, tail, width)

    def foot(self, row: Row, width: int) -> Sequence[Line]:
        """How far judges and author agree, what each judge says of the selected answer, and the author's grade."""
        view = self.view
        selected = None if view is None else view.selected
        if view is None or selected is None or not isinstance(row, CriterionRow) or row.key != selected.answer.key:
            return ()
        agreement = entry([(view.agreement, YOURS)], width) if view.agreement else []
        said = [line for pieces in _said(view, selected, row) for line in entry(pieces, width)]
        tail: Piece = ("judges differ", WARNING) if judges_differ(row.now) else ("judges", DIM)
        heading = beside((), "", (tail,), width) if selected.lines and not view.is_check else []
        return [*agreement, *heading, *said]

    # --- What the author does

    def watch_at(self) -> None:
        """Look for the evidence in the selected answer."""
        super().watch_at()
        row = self.answer
        if row is not None:
            studio_of(self).session.with_runs(lambda runs: runs.criterion.select(row.key))

    @property
    def acts(self) -> dict[str, bool]:
        view, row = self.view, self.answer
        is_known, can_grade = view is not None and not view.is_blind, view is not None and view.can_grade
        return {
            "earlier_wording": view is not None and view.has_earlier,
            "grade_answer": can_grade and row is not None,
            "next_ungraded": can_grade,
            "grade_blind": can_grade,
            "confirm_grade": row is not None and row.grade is not None and not row.grade.counts,
            "choose": row is not None,
            "mark_answer": row is not None,
            "make_case": row is not None and is_known,
            "criterion_answers": is_known,
            "criterion_words": view is not None and view.has_judges and row is not None,
            "choose_judges": view is None or not view.is_check,
        }

    def action_choose(self) -> None:
        """Read the selected answer, at its evidence."""
        studio_of(self).open_pane(Pane.ANSWER)

    def action_grade_answer(self, number: int) -> None:
        """Grade the criterion on the selected answer from 1 to 5; 0 removes the grade."""
        row, view, studio = self.answer, self.view, studio_of(self)
        if row is None or view is None or not view.can_grade:
            studio.tell("Select an answer: the keys 1 to 5 grade the criterion on it. A check decides for itself.")
        else:
            grade = list(Grade)[number - 1] if number else None
            studio.session.with_runs(lambda runs: runs.criterion.grade(row.key, grade))

    def action_mark_answer(self) -> None:
        """Mark the selected answer, or take its mark back. Two that are marked are read beside each other."""
        row, runs = self.answer, studio_of(self).session.runs
        if row is not None and runs is not None:
            runs.criterion.mark(row.key)
            if len(runs.criterion.state.marked) == BESIDE:
                studio_of(self).halves.put(Pane.ANSWERS, Pane.ANSWER)

    def action_confirm_grade(self) -> None:
        """Let a grade of an earlier wording count for the present one."""
        row, studio = self.answer, studio_of(self)
        if row is None or row.grade is None or row.grade.counts:
            studio.tell("Select an answer that you graded in an earlier wording: y confirms that grade for this one.")
        else:
            grade = row.grade.grade
            studio.session.with_runs(lambda runs: runs.criterion.grade(row.key, grade))

    def action_criterion_words(self) -> None:
        """Show the exact requests to the judges and their raw replies."""
        selected = None if self.view is None else self.view.selected
        advice = "Run the criterion with judges first: then x has their requests and replies."
        studio_of(self).show_requests(() if selected is None else selected.judgements, advice)

    def go_to_ungraded(self) -> bool:
        """Select the next answer without a grade, from the selected one on; whether there is one."""
        later = [*self.rows[self.at + 1 :], *self.rows[: self.at]]
        found = next((each for each in later if isinstance(each, CriterionRow) and _is_open(each)), None)
        if found is not None:
            self.at = self.rows.index(found)
        return found is not None


def _subject(view: CriterionView) -> object:
    return view.prompt, view.name, view.is_blind


def _is_open(row: CriterionRow) -> bool:
    return not row.is_done and not row.is_graded


def _contradicts(row: CriterionRow) -> bool:
    """Whether a good answer fails the criterion. A bad one may meet it: it may be bad in another way."""
    return row.fails and (row.label == "good" or row.answer.is_ideal)


def _sign(row: CriterionRow) -> str:
    return _FLIPS[row.flip] if row.flip is not None else "!" if _contradicts(row) else " "


def _extents(row: CriterionRow) -> Iterator[Piece]:
    """`100 → 0`: what judges said of it before, on average, and what they say now."""
    if row.mean_before is not None:
        yield f"{whole_text(row.mean_before)} → ", DIM
    yield (f"{'–' if row.mean is None else whole_text(row.mean):>3}", score_ink(row.mean))


def _blind(row: CriterionRow) -> Iterator[Piece]:
    """`you 3`, while names and verdicts are hidden."""
    if row.grade is not None:
        yield f"you {row.grade.figure}", YOURS
    else:
        yield "skipped" if row.is_done else "–", DIM


def _head(view: CriterionView, width: int) -> Iterator[Line]:
    name = one_line(view.name, longest=_LONGEST) or "All answers to this prompt"
    negated = [("should not: ", DIM)] if view.is_inverted else []
    yield from paragraph([*negated, (in_quotes(name) if view.can_grade else name, STRONG)], width)
    for line in (f"{view.wording} · {view.state}", *view.foot):
        yield from paragraph(line, width, ink=DIM)
    yield ()


def _said(view: CriterionView, selected: SelectedAnswer, row: CriterionRow) -> Iterator[list[Piece]]:
    """`gpt-4.1-mini  25  Touches on it, but without saying so outright.`; then what to know, and the grade."""
    for line in selected.lines:
        yield [(f"{line.judge}  ", DIM), (f"{line.verdict}  ", STRONG), (line.reflection, "")]
    if selected.note:
        yield [(selected.note, WARNING if selected.needs_care else YOURS)]
    if selected.is_closest:
        yield [("The closest sentence is lit up in the answer: a place to look.", DIM)]
    if view.can_grade:
        yield from grade_scale("" if row.grade is None else row.grade.figure, is_inverted=view.is_inverted)
