"""The panes that are loaded after the first frame, in their places."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING

from textual.widget import Widget

from studio.tui.action import Place
from studio.tui.window import Pane

if TYPE_CHECKING:
    from studio.session.runs import Runs
    from studio.session.views.what_if_view import WhatIfView
    from studio.tui.panes.all_answers import AllAnswers
    from studio.tui.panes.answer import AnswerPane
    from studio.tui.panes.result_pane import ResultPane
    from studio.tui.panes.what_if_pane import WhatIfPane
    from studio.tui.screens.halves import Halves

_LOADED_FIRST = ("studio.tui.panes.result_pane", "studio.tui.panes.answer")
"""Modules that take longer to import than a frame."""


class LatePanes:
    """The panes of results and answers; None until they are mounted."""

    def __init__(self, halves: Halves) -> None:
        self._halves = halves
        self.result: ResultPane | None = None
        self.answers: AllAnswers | None = None
        self.answer: AnswerPane | None = None
        self.what_if: WhatIfPane | None = None
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
        from studio.tui.panes.result_pane import ResultPane
        from studio.tui.panes.what_if_pane import WhatIfPane

        if not self._halves.is_attached:
            return
        frames = self._halves.frames
        result, what_if, answers, answer = ResultPane(), WhatIfPane(), AllAnswers(), AnswerPane()
        what_if.display = False
        await frames[Pane.CRITERIA].mount(result, what_if)
        await frames[Pane.ANSWERS].mount(answers)
        await frames[Pane.ANSWER].mount(answer)
        for pane in (result, what_if, answers, answer):
            composed = asyncio.Event()
            pane.call_later(composed.set)
            await composed.wait()
        self.result, self.what_if, self.answers, self.answer = result, what_if, answers, answer

    @property
    def is_trying(self) -> bool:
        """Whether the what-if mode is shown in the place of the criteria."""
        return self.what_if is not None and self.what_if.display

    def show(self, runs: Runs) -> None:
        """Give each pane its view. Those whose views are costly get theirs only while they are seen."""
        if self.result is None or self.answer is None:
            return
        seen = self._halves.panes
        if Pane.ANSWERS in seen and self.answers is not None:
            self.answers.show_criterion(runs.criterion.view())
        self.result.show(runs.views.result())
        tried = runs.what_if.view()
        if tried is not None or self.is_trying:
            self._show_what_if(tried)
        chosen = runs.views.answer_of_criterion() if self._halves.has_answers else None
        self.answer.show(runs.views.answer() if chosen is None else chosen)
        if Pane.ANSWER in seen and chosen is None:
            runs.answer_shown()

    def _show_what_if(self, view: WhatIfView | None) -> None:
        """Show or leave the what-if mode. A focus on one of its two lists moves to the other."""
        if self.what_if is None or self.result is None:
            return
        had_focus = self.result.rows.has_focus or self.what_if.rows.has_focus
        was_shown = self.is_trying
        self.result.display, self.what_if.display = view is None, view is not None
        self._halves.frames[Pane.CRITERIA].place = Place.RESULT if view is None else Place.WHAT_IF
        if view is None:
            self.what_if.forget()
        else:
            self.what_if.show(view)
        if had_focus and was_shown is (view is None) and (target := self.target(Pane.CRITERIA)) is not None:
            target.focus()

    def target(self, pane: Pane) -> Widget | None:
        """What gets the keys of a pane; None until it is mounted."""
        match pane:
            case Pane.CRITERIA if self.is_trying and self.what_if is not None:
                return self.what_if.rows
            case Pane.CRITERIA:
                return None if self.result is None else self.result.rows
            case Pane.ANSWERS:
                return self.answers
            case _:
                return None if self.answer is None else self.answer.target
