"""The panes that are loaded after the first frame, in their places."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING

from textual.widget import Widget

from studio.tui.pieces import Piece
from studio.tui.window import Pane

if TYPE_CHECKING:
    from studio.session.runs import Runs
    from studio.tui.editor import BlueprintEditor
    from studio.tui.panes.all_answers import AllAnswers
    from studio.tui.panes.answer import AnswerPane
    from studio.tui.panes.criteria import Criteria
    from studio.tui.screens.halves import Halves

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
