"""The right side: result, response, conversation and history of the prompt under the cursor, under light tabs."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from studio.tui.action import Place

if TYPE_CHECKING:
    from studio.session.runs import Runs
    from studio.tui.panes.conversation_pane import ConversationPane
    from studio.tui.panes.history_pane import HistoryPane
    from studio.tui.panes.response_pane import ResponsePane
    from studio.tui.panes.result_pane import ResultPane

TABS = ("Result", "Response", "Conversation", "History")
RESULT, RESPONSE, CONVERSATION, HISTORY = range(len(TABS))
_LOADED_FIRST = ("studio.tui.panes.result_pane", "studio.tui.panes.response_pane", "studio.tui.panes.conversation_pane")
"""Modules that take longer to import than a frame."""
_PLACES = (Place.RESULT, Place.RESPONSE, Place.CONVERSATION, Place.HISTORY)


class Tabs(Widget):
    """The names of the tabs on one line; the open one is bold and underlined."""

    DEFAULT_CSS = """
    Tabs { height: 1; color: $ink-dim; background: $background; padding: 0 0 0 1; }
    """

    class Opened(Message):
        """Another tab was clicked."""

        def __init__(self, tab: int) -> None:
            super().__init__()
            self.tab = tab

    def __init__(self) -> None:
        super().__init__()
        self.open = 0

    def render(self) -> Content:
        """`Result   Response   Conversation   History`."""
        return Content("   ").join(
            [
                Content.styled(name, "bold underline $foreground" if index == self.open else "$ink-dim")
                for index, name in enumerate(TABS)
            ]
        )

    def on_click(self, event: events.Click) -> None:
        """Open the tab that was clicked."""
        column = 1
        for index, name in enumerate(TABS):
            if column <= event.x < column + cell_len(name):
                self.post_message(self.Opened(index))
            column += cell_len(name) + 3


class Side(Vertical):
    """Holds the panes, which are loaded after the first frame."""

    class TabOpened(Message):
        """Another tab was opened by a click."""

    DEFAULT_CSS = """
    Side { background: $background; }
    Side > #side-empty { padding: 1 1 0 1; color: $ink-dim; height: 1fr; }
    Side > .tab-pane { display: none; height: 1fr; }
    Side.-tab-0 > .tab-0, Side.-tab-1 > .tab-1, Side.-tab-2 > .tab-2, Side.-tab-3 > .tab-3 {
        display: block;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="-tab-0")
        self._is_filled = False
        self.result: ResultPane | None = None
        self.response: ResponsePane | None = None
        self.conversation: ConversationPane | None = None
        self.history: HistoryPane | None = None

    def compose(self) -> ComposeResult:
        yield Tabs()
        yield Static(Content("F5 runs the prompt under the cursor."), id="side-empty", markup=False)

    @property
    def place(self) -> Place:
        """The place of the open pane."""
        return _PLACES[self.open]

    @property
    def open(self) -> int:
        """The number of the open tab."""
        return self.query_one(Tabs).open

    @property
    def is_filled(self) -> bool:
        """Whether the panes are loaded, or being loaded."""
        return self._is_filled

    async def fill(self) -> None:
        """Import the panes off the event loop, and mount them."""
        self._is_filled = True
        for name in _LOADED_FIRST:
            await asyncio.to_thread(importlib.import_module, name)
        from studio.tui.panes.conversation_pane import ConversationPane
        from studio.tui.panes.history_pane import HistoryPane
        from studio.tui.panes.response_pane import ResponsePane
        from studio.tui.panes.result_pane import ResultPane

        panes = ResultPane(), ResponsePane(), ConversationPane(), HistoryPane()
        for index, pane in enumerate(panes):
            pane.add_class("tab-pane", f"tab-{index}")
        await self.query_one("#side-empty").remove()
        await self.mount(*panes)
        self.result, self.response, self.conversation, self.history = panes

    def show(self, runs: Runs) -> None:
        """Give each pane its view. Conversation and history, whose views are costly, get theirs only while open."""
        if self.result is None or self.response is None or self.conversation is None or self.history is None:
            return
        self.result.show(runs.views.result())
        self.response.show(runs.views.response())
        if self.open == CONVERSATION:
            self.conversation.show(runs.views.conversation())
        runs.history.watch(is_visible=self.open == HISTORY)
        if self.open == HISTORY:
            self.history.show(runs.views.history())

    def show_tab(self, tab: int) -> None:
        """Open a tab. A focus within the side moves to it."""
        had_focus = self.has_focus_within
        tabs = self.query_one(Tabs)
        self.remove_class(f"-tab-{tabs.open}")
        tabs.open = tab
        tabs.refresh()
        self.add_class(f"-tab-{tab}")
        if had_focus:
            self.focus_open()

    def focus_open(self) -> None:
        """Focus the open pane."""
        if self.result is None or self.response is None or self.conversation is None or self.history is None:
            return
        match self.open:
            case 0:
                self.screen.set_focus(self.result.rows)
            case 1:
                self.response.focus_content()
            case 3:
                self.screen.set_focus(self.history.rows)
            case _:
                self.screen.set_focus(self.conversation.list)

    def on_tabs_opened(self, event: Tabs.Opened) -> None:
        """Open the tab that was clicked."""
        event.stop()
        self.show_tab(event.tab)
        self.post_message(self.TabOpened())
