"""The right side: what is known of the prompt under the cursor, under light tabs."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Sequence
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
    from studio.session.views.what_if_view import WhatIfView
    from studio.tui.panes.conversation_pane import ConversationPane
    from studio.tui.panes.criterion_pane import CriterionPane
    from studio.tui.panes.history_pane import HistoryPane
    from studio.tui.panes.response_pane import ResponsePane
    from studio.tui.panes.result_pane import ResultPane
    from studio.tui.panes.what_if_pane import WhatIfPane

TABS = ("Result", "Response", "Conversation", "History", "Criterion")
RESULT, RESPONSE, CONVERSATION, HISTORY, CRITERION = range(len(TABS))
_LOADED_FIRST = ("studio.tui.panes.result_pane", "studio.tui.panes.response_pane", "studio.tui.panes.conversation_pane")
"""Modules that take longer to import than a frame."""
_HINT_GAP = 3
_PLACES = (Place.RESULT, Place.RESPONSE, Place.CONVERSATION, Place.HISTORY, Place.CRITERION)


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
        self._hint = ""

    def show_hint(self, hint: str) -> None:
        """Show at the right edge what a key does here, where there is room."""
        if hint != self._hint:
            self._hint = hint
            self.refresh()

    def render(self) -> Content:
        """`Result   Response   Conversation   History   Criterion    Ctrl+R`."""
        width = self.content_size.width
        names, gap = self._names
        line = Content(" " * gap).join(
            [
                Content.styled(name, "bold underline $foreground" if index == self.open else "$ink-dim")
                for index, name in enumerate(names)
            ]
        )
        room = width - line.cell_length - cell_len(self._hint) - 1
        return line if room < _HINT_GAP else Content.assemble(line, " " * room, (self._hint, "$ink-dim"))

    @property
    def _names(self) -> tuple[list[str], int]:
        """The names as they are shown, and the cells between them: fewer where the hint has room then."""
        return tab_names(TABS, self.open, self.content_size.width, beside=_HINT_GAP + cell_len(self._hint) + 1)

    def on_click(self, event: events.Click) -> None:
        """Open the tab that was clicked."""
        names, gap = self._names
        column = 1
        for index, name in enumerate(names):
            if column <= event.x < column + cell_len(name):
                self.post_message(self.Opened(index))
            column += cell_len(name) + gap


def tab_names(names: Sequence[str], open: int, width: int, beside: int = 0) -> tuple[list[str], int]:
    """The names of tabs in `width` cells, and the cells between them: those that are not open are cut if need be.

    `beside` cells are left free if two cells between the names, or three, allow it.
    """
    whole = sum(map(cell_len, names))
    for gap, free in ((3, beside), (2, beside), (3, 0), (2, 0), (1, 0)):
        if whole + gap * (len(names) - 1) + free <= width:
            return list(names), gap
    for letters in (5, 3):
        cut = [name if index == open else name[:letters] for index, name in enumerate(names)]
        if sum(map(cell_len, cut)) + len(names) - 1 <= width:
            return cut, 1
    return [name[:3] for name in names], 1


class Side(Vertical):
    """Holds the panes, which are loaded after the first frame."""

    class TabOpened(Message):
        """Another tab was opened by a click."""

    DEFAULT_CSS = """
    Side { background: $background; }
    Side > #side-empty { padding: 1 1 0 1; color: $ink-dim; height: 1fr; }
    Side > .tab-pane { display: none; height: 1fr; }
    Side > WhatIfPane { display: none; }
    Side.-tab-0 > .tab-0, Side.-tab-1 > .tab-1, Side.-tab-2 > .tab-2, Side.-tab-3 > .tab-3,
    Side.-tab-4 > .tab-4 {
        display: block;
    }
    Side.-tab-0.-what-if > ResultPane { display: none; }
    Side.-tab-0.-what-if > WhatIfPane { display: block; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="-tab-0")
        self.tabs = Tabs()
        self._empty = Static(Content("F5 runs the prompt under the cursor."), id="side-empty", markup=False)
        self.is_filled = False
        """Whether the panes are loaded, or being loaded."""
        self._composed = asyncio.Event()
        self.result: ResultPane | None = None
        self.response: ResponsePane | None = None
        self.conversation: ConversationPane | None = None
        self.history: HistoryPane | None = None
        self.criterion: CriterionPane | None = None
        self.what_if: WhatIfPane | None = None

    def compose(self) -> ComposeResult:
        yield self.tabs
        yield self._empty

    @property
    def place(self) -> Place:
        """The place of the open pane."""
        return Place.WHAT_IF if self.is_trying else _PLACES[self.open]

    @property
    def is_trying(self) -> bool:
        """Whether the what-if mode is shown in the place of the result."""
        return self.open == RESULT and self.has_class("-what-if")

    @property
    def open(self) -> int:
        """The number of the open tab."""
        return self.tabs.open

    def on_mount(self) -> None:
        """What `compose` yields is there."""
        self._composed.set()

    async def load(self) -> None:
        """Import the panes off the event loop, and wait until there is room for them."""
        self.is_filled = True
        for name in _LOADED_FIRST:
            await asyncio.to_thread(importlib.import_module, name)
        await self._composed.wait()

    async def fill(self) -> None:
        """Mount the panes, which are loaded; not where the program ends meanwhile."""
        from studio.tui.panes.conversation_pane import ConversationPane
        from studio.tui.panes.criterion_pane import CriterionPane
        from studio.tui.panes.history_pane import HistoryPane
        from studio.tui.panes.response_pane import ResponsePane
        from studio.tui.panes.result_pane import ResultPane
        from studio.tui.panes.what_if_pane import WhatIfPane

        panes = ResultPane(), ResponsePane(), ConversationPane(), HistoryPane(), CriterionPane()
        for index, pane in enumerate(panes):
            pane.add_class("tab-pane", f"tab-{index}")
        if not self._empty.is_attached:
            return
        self.what_if = WhatIfPane()
        await self.mount(*panes, self.what_if)
        await self._empty.remove()
        self.result, self.response, self.conversation, self.history, self.criterion = panes

    def show(self, runs: Runs) -> None:
        """Give each pane its view. Those whose views are costly get theirs only while open."""
        if self.result is None or self.response is None or self.conversation is None or self.history is None:
            return
        if self.open == CRITERION and self.criterion is not None:
            self.criterion.show(runs.criterion.view())
        self.result.show(runs.views.result())
        tried = runs.what_if.view()
        if tried is not None or self.has_class("-what-if"):
            self._show_what_if(tried)
        self.response.show(runs.views.response())
        if self.open in (RESPONSE, CONVERSATION) and self.display:
            runs.answer_shown()
        if self.open == CONVERSATION:
            self.conversation.show(runs.views.conversation())
        runs.history.watch(is_visible=self.open == HISTORY)
        if self.open == HISTORY:
            self.history.show(runs.views.history())

    def _show_what_if(self, view: WhatIfView | None) -> None:
        """Show or leave the what-if mode. A focus on one of its two lists moves to the other."""
        if self.what_if is None or self.result is None:
            return
        had_focus = self.result.rows.has_focus or self.what_if.rows.has_focus
        was_shown = self.has_class("-what-if")
        self.set_class(view is not None, "-what-if")
        if view is None:
            self.what_if.forget()
        else:
            self.what_if.show(view)
        if had_focus and was_shown is (view is None):
            self.focus_open()

    def show_tab(self, tab: int) -> None:
        """Open a tab. A focus within the side moves to it."""
        had_focus = self.has_focus_within
        self.remove_class(f"-tab-{self.open}")
        self.tabs.open = tab
        self.tabs.refresh()
        self.add_class(f"-tab-{tab}")
        if had_focus:
            self.focus_open()

    def focus_open(self) -> None:
        """Focus the open pane."""
        if self.result is None or self.response is None or self.conversation is None or self.history is None:
            return
        match self.open:
            case 4 if self.criterion is not None:
                self.criterion.focus_content()
            case 0 if self.is_trying and self.what_if is not None:
                self.screen.set_focus(self.what_if.rows)
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
