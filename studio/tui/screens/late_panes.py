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
    from studio.tui.panes.conversation_pane import ConversationPane
    from studio.tui.panes.history_pane import HistoryPane
    from studio.tui.panes.response_pane import ResponsePane
    from studio.tui.panes.result_pane import ResultPane
    from studio.tui.panes.what_if_pane import WhatIfPane
    from studio.tui.screens.halves import Halves

_LOADED_FIRST = ("studio.tui.panes.result_pane", "studio.tui.panes.response_pane", "studio.tui.panes.conversation_pane")
"""Modules that take longer to import than a frame."""
RESPONSE, CONVERSATION, HISTORY = Place.RESPONSE, Place.CONVERSATION, Place.HISTORY
_OF_ANSWER = (RESPONSE, CONVERSATION, HISTORY)


class LatePanes:
    """The panes of results and answers; None until they are mounted."""

    def __init__(self, halves: Halves) -> None:
        self._halves = halves
        self.result: ResultPane | None = None
        self.response: ResponsePane | None = None
        self.conversation: ConversationPane | None = None
        self.history: HistoryPane | None = None
        self.answers: AllAnswers | None = None
        self.what_if: WhatIfPane | None = None
        self.is_filled = False
        """Whether the panes are loaded, or being loaded."""
        self.of_answer = RESPONSE
        """What the pane of the answer shows: the response, the conversation, or earlier runs."""

    async def load(self) -> None:
        """Import the panes off the event loop."""
        self.is_filled = True
        for name in _LOADED_FIRST:
            await asyncio.to_thread(importlib.import_module, name)

    async def fill(self) -> None:
        """Mount the panes, which are loaded; not where the program ends meanwhile."""
        from studio.tui.panes.all_answers import AllAnswers
        from studio.tui.panes.conversation_pane import ConversationPane
        from studio.tui.panes.history_pane import HistoryPane
        from studio.tui.panes.response_pane import ResponsePane
        from studio.tui.panes.result_pane import ResultPane
        from studio.tui.panes.what_if_pane import WhatIfPane

        if not self._halves.is_attached:
            return
        frames = self._halves.frames
        result, what_if, answers = ResultPane(), WhatIfPane(), AllAnswers()
        what_if.display = False
        response, conversation, history = ResponsePane(), ConversationPane(), HistoryPane()
        await frames[Pane.CRITERIA].mount(result, what_if)
        await frames[Pane.ANSWERS].mount(answers)
        await frames[Pane.ANSWER].mount(response, conversation, history)
        for pane in (result, what_if, answers, response, conversation, history):
            composed = asyncio.Event()
            pane.call_later(composed.set)
            await composed.wait()
        self.what_if, self.answers = what_if, answers
        self.result, self.response, self.conversation, self.history = result, response, conversation, history
        self.show_of_answer(RESPONSE)

    @property
    def is_trying(self) -> bool:
        """Whether the what-if mode is shown in the place of the criteria."""
        return self.what_if is not None and self.what_if.display

    def show_of_answer(self, place: Place) -> None:
        """Let the pane of the answer show the response, the conversation, or earlier runs."""
        self.of_answer = self._halves.frames[Pane.ANSWER].place = place
        for each, pane in zip(_OF_ANSWER, (self.response, self.conversation, self.history), strict=True):
            if pane is not None:
                pane.display = each is place

    @property
    def next_of_answer(self) -> Place:
        """What the pane of the answer can show besides, by turns."""
        return _OF_ANSWER[(_OF_ANSWER.index(self.of_answer) + 1) % len(_OF_ANSWER)]

    def show(self, runs: Runs) -> None:
        """Give each pane its view. Those whose views are costly get theirs only while they are seen."""
        if self.result is None or self.response is None or self.conversation is None or self.history is None:
            return
        seen = self._halves.panes
        if Pane.ANSWERS in seen and self.answers is not None:
            self.answers.show_criterion(runs.criterion.view())
        self.result.show(runs.views.result())
        tried = runs.what_if.view()
        if tried is not None or self.is_trying:
            self._show_what_if(tried)
        self.response.show(runs.views.response())
        is_seen = Pane.ANSWER in seen
        if is_seen and self.of_answer is not HISTORY:
            runs.answer_shown()
        if is_seen and self.of_answer is CONVERSATION:
            self.conversation.show(runs.views.conversation())
        runs.history.watch(is_visible=is_seen and self.of_answer is HISTORY)
        if is_seen and self.of_answer is HISTORY:
            self.history.show(runs.views.history())

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
            case _ if self.of_answer is CONVERSATION:
                return None if self.conversation is None else self.conversation.list
            case _ if self.of_answer is HISTORY:
                return None if self.history is None else self.history.rows
            case _:
                return None if self.response is None else self.response.target
