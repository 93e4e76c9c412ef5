"""The two halves of the screen: the places of the five panes, shown, hidden and sized as `window` says, and the panes
that are loaded after the first frame."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget

from studio.tui.pieces import Piece
from studio.tui.window import TWO_HALVES, Pane, Seen, window

if TYPE_CHECKING:
    from studio.session.runs import Runs
    from studio.tui.editor import BlueprintEditor
    from studio.tui.panes.all_answers import AllAnswers
    from studio.tui.panes.answer import AnswerPane
    from studio.tui.panes.criteria import Criteria


class Frame(Vertical):
    """The place of one pane, with a line to its left where another pane is."""

    DEFAULT_CSS = """
    Frame { height: 100%; border-left: solid $line; background: $background; }
    Frame:focus-within { border-left: solid $line-focus; }
    Frame.-first { border-left: none; }
    """

    def __init__(self, pane: Pane, *widgets: Widget) -> None:
        super().__init__(*widgets, id=f"pane-{pane.name.lower()}")
        self.pane = pane


class Halves(Horizontal):
    """Obeys `window`: knows which pane has the keys, which were seen before, and which one has the whole width."""

    DEFAULT_CSS = "Halves { height: 1fr; background: $background; }"

    class Arranged(Message):
        """Other panes are seen, or another one has the keys."""

    def __init__(self, outline: Widget, text: Widget) -> None:
        """The outline and the text are there from the first frame; the others are mounted into their places later."""
        first = {Pane.OUTLINE: (outline,), Pane.TEXT: (text,)}
        self.frames = {pane: Frame(pane, *first.get(pane, ())) for pane in Pane}
        super().__init__(*self.frames.values())
        self.focused = Pane.TEXT
        self.seen: tuple[Seen, ...] = ()
        self.zoomed: Pane | None = None
        self._opened: tuple[Pane, ...] = ()
        self.has_answers = False
        """Whether all answers stand in the place of the criteria."""
        self._is_split = False

    @property
    def panes(self) -> tuple[Pane, ...]:
        """The panes that are seen, from left to right."""
        return tuple(each.pane for each in self.seen)

    @property
    def is_narrow(self) -> bool:
        """Whether one pane has the whole screen."""
        return self.app.size.width < TWO_HALVES

    def pane_of(self, widget: Widget | None) -> Pane | None:
        """The pane that `widget` is in."""
        around = () if widget is None else widget.ancestors_with_self
        return next((each.pane for each in around if isinstance(each, Frame)), None)

    def give_keys(self, pane: Pane) -> None:
        """Let a pane be the one with the keys: it is seen, and what is seen already stays."""
        if pane is not self.focused:
            self.zoomed = None
        self.focused = pane
        if pane in (Pane.ANSWERS, Pane.CRITERIA):
            self.has_answers = pane is Pane.ANSWERS
        self.rearrange()

    def put(self, *panes: Pane) -> None:
        """Let panes be seen as far as there is room, in the places of others of their halves."""
        self.zoomed = None
        if Pane.CRITERIA in panes:
            self.has_answers = False
        self._opened = (*panes, *self._unlike(panes))
        self.rearrange()

    def split(self, is_split: bool) -> None:
        """Say whether two answers stand beside each other."""
        if is_split is not self._is_split:
            self._is_split = is_split
            self.rearrange()

    def zoom(self) -> None:
        """Give the pane with the keys the whole width, or show its neighbours again. A text keeps its width."""
        self.zoomed = None if self.zoomed else self.focused
        self.rearrange()

    def end_zoom(self) -> bool:
        """Show all panes again; whether one was zoomed."""
        was, self.zoomed = self.zoomed, None
        if was:
            self.rearrange()
        return was is not None

    def rearrange(self) -> None:
        """Show, hide and size the panes."""
        width = self.app.size.width
        seen = window(width, self.focused, self._opened, answers=self.has_answers, two=self._is_split)
        self._opened = (*(each.pane for each in seen), *self._unlike([each.pane for each in seen]))
        if self.zoomed is not None:
            kept = next(each.width for each in seen if each.pane is self.zoomed)
            seen = (Seen(self.zoomed, width if self.zoomed.is_list else kept),)
        if seen != self.seen:
            self.seen = seen
            widths = {each.pane: each.width for each in seen}
            with self.app.batch_update():
                for pane, frame in self.frames.items():
                    frame.set_class(pane is seen[0].pane, "-first")
                    frame.display = pane in widths
                    if pane in widths:
                        frame.styles.width = widths[pane] + (pane is not seen[0].pane)
        self.post_message(self.Arranged())

    def _unlike(self, panes: Sequence[Pane]) -> tuple[Pane, ...]:
        """Of the panes that were seen, those of a half that none of `panes` is of."""
        halves = {pane.is_list for pane in panes}
        return tuple(pane for pane in self._opened if pane.is_list not in halves)


_LOADED_FIRST = ("studio.tui.panes.criteria", "studio.tui.panes.answer")
"""Modules that take longer to import than a frame."""


def _score(extent: float) -> Piece:
    """`◔  38`, with the meaning of its colour."""
    from studio.tui.panes.criteria_rows import score_piece

    text, ink = score_piece(extent)
    return text.strip(), ink


class LatePanes:
    """The panes of results and answers; None until they are mounted."""

    def __init__(self, halves: Halves, text: BlueprintEditor) -> None:
        self._halves, self._text = halves, text
        self.criteria: Criteria | None = None
        self.answers: AllAnswers | None = None
        self.answer: AnswerPane | None = None
        self.is_filled = False
        """Whether the panes are loaded, or being loaded."""

    async def load(self) -> None:
        """Import the panes off the event loop."""
        self.is_filled = True
        for name in _LOADED_FIRST:
            await asyncio.to_thread(importlib.import_module, name)

    async def fill(self) -> None:
        """Mount the panes, which are loaded; not where the program ends meanwhile."""
        from studio.tui.panes.all_answers import AllAnswers
        from studio.tui.panes.answer import AnswerPane
        from studio.tui.panes.criteria import Criteria

        if not self._halves.is_attached:
            return
        frames = self._halves.frames
        criteria, answers, answer = Criteria(), AllAnswers(), AnswerPane()
        await frames[Pane.CRITERIA].mount(criteria)
        await frames[Pane.ANSWERS].mount(answers)
        await frames[Pane.ANSWER].mount(answer)
        self.criteria, self.answers, self.answer = criteria, answers, answer

    def show(self, runs: Runs) -> None:
        """Give each pane its view. Those whose views are costly get theirs only while they are seen."""
        if self.criteria is None or self.answer is None:
            return
        seen = self._halves.panes
        if self._halves.has_answers and self.answers is not None:
            self.answers.show_criterion(runs.criterion.view())
        self.criteria.show_beside(is_alone=self._halves.is_narrow, shows_answer=Pane.ANSWER in seen)
        self.criteria.show_view(runs.views.result(), runs.views.criterion_at_cursor())
        chosen = runs.views.answers_of_criterion() if self._halves.has_answers else ()
        self._halves.split(len(chosen) > 1)
        self.answer.show(*(chosen or (runs.views.answer(),)))
        if Pane.ANSWER in seen and not chosen:
            runs.answer_shown()
        is_hidden = Pane.CRITERIA in seen or runs.blind.sitting is not None
        self._text.show_scores(None if is_hidden else runs.views.scores(), _score)

    def target(self, pane: Pane) -> Widget | None:
        """What gets the keys of a pane; None until it is mounted."""
        match pane:
            case Pane.CRITERIA:
                return self.criteria
            case Pane.ANSWERS:
                return self.answers
            case _:
                return None if self.answer is None else self.answer.target
