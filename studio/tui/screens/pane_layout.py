"""Room to read: a pane that takes the whole screen, and dividers that move by mouse and keys."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from textual import events, on
from textual.widget import Widget

from studio.session.session import Session
from studio.tui.pane_sizes import Divider, Remembered, Room, Sizes, fitted, problems_height, sizes_at, with_sizes
from studio.tui.screens.session_screen import SessionScreen

if TYPE_CHECKING:
    from textual.timer import Timer

_COLUMNS, _ROWS = 4, 2
"""How far one press of a key moves a divider."""
_REMEMBER_SECONDS = 0.5
"""A divider that is moved by keys is remembered once it rests this long."""


class Pane(Enum):
    """The parts of the screen that can take all of it, by the CSS class that says so."""

    OUTLINE = "-zoom-outline"
    EDITOR = "-zoom-editor"
    SIDE = "-zoom-side"
    PROBLEMS = "-zoom-problems"


_IS_TALL = (Divider.PROBLEMS, Divider.SHARED)
"""The dividers that set a height."""


class PaneLayout(SessionScreen):
    """Zooms panes and moves dividers."""

    panes_remembered: Remembered
    """Sizes by the width of the screen, as in the settings."""

    def __init__(self) -> None:
        super().__init__()
        self._pane_sizes: dict[Divider, int] = {}
        self._dragged: Divider | None = None
        self._remember_later: Timer | None = None
        self._problem_rows = 0
        self._problem_line = 0

    @property
    def pane_widgets(self) -> dict[Pane, Widget]:
        """The widget of each pane."""
        return {
            Pane.OUTLINE: self.query_one("#outline-pane"),
            Pane.EDITOR: self.editor,
            Pane.SIDE: self.side,
            Pane.PROBLEMS: self.query_one("#problems-pane"),
        }

    # --- Zoom

    @property
    def zoomed(self) -> Pane | None:
        """The pane that has the whole screen."""
        return next((pane for pane in Pane if self.has_class(pane.value)), None)

    @property
    def focused_pane(self) -> Pane:
        """The pane that has the focus."""
        focused = self.focused
        around = () if focused is None else focused.ancestors_with_self
        return next((pane for pane, widget in self.pane_widgets.items() if widget in around), Pane.EDITOR)

    def action_zoom(self) -> None:
        """Give the whole screen to the focused pane, or show all panes again."""
        if self.zoomed is None:
            self.add_class(self.focused_pane.value, "-zoomed")
            self.layout_changed()
            self.call_after_refresh(self.editor.scroll_cursor_visible)
        else:
            self.end_zoom()

    def end_zoom(self) -> bool:
        """Show all panes again; whether one was zoomed."""
        if self.zoomed is None:
            return False
        self.remove_class("-zoomed", *(pane.value for pane in Pane))
        self.layout_changed()
        self.call_after_refresh(self.editor.scroll_cursor_visible)
        return True

    def follow_focus(self) -> None:
        """End the zoom if another pane has the focus now."""
        zoomed = self.zoomed
        if zoomed is not None and self.focused is not None and self.focused_pane is not zoomed:
            self.end_zoom()

    def layout_changed(self) -> None:
        """Give panes that were shown or hidden their sizes, and show what keys do now."""
        self.apply_sizes()
        self.draw_keys()

    @property
    def layout_labels(self) -> dict[str, str]:
        """The footer's labels of the keys whose effect depends on what is shown."""
        if self.zoomed is not None:
            return {"zoom": "all panes"}
        if self.has_class("-share-result"):
            return {"result": "text alone"}
        return {"result": "share the height"} if self.has_class("-show-result") else {}

    @property
    def tabs_hint(self) -> str:
        """What a key does with the tabs of the result, as they are shown."""
        if self.zoomed is not None:
            return "F12 all panes"
        if self.has_class("-share-result"):
            return "Ctrl+R text alone"
        if self.has_class("-show-result"):
            return "Ctrl+R share the height"
        return "F12 zoom" if self.side.has_focus_within else "Ctrl+R"

    def draw_keys(self) -> None:
        """Show what keys do now."""
        raise NotImplementedError

    # --- Dividers

    def recall_sizes(self) -> None:
        """Give the panes the sizes that are remembered for this width of the screen."""
        self._pane_sizes = sizes_at(self.panes_remembered, self.size.width)
        self.apply_sizes()

    def apply_sizes(self) -> None:
        """Set the sizes of the panes that are laid out now; a zoomed pane has none of its own."""
        for pane in self.pane_widgets.values():
            for rule in ("width", "min_width", "max_width", "height", "min_height", "max_height"):
                if pane.styles.inline.has_rule(rule):
                    setattr(pane.styles, rule, None)
        if self.zoomed is None:
            for divider in self._dividers():
                if divider in self._pane_sizes and divider is not Divider.PROBLEMS:
                    self._give_size(divider, fitted(divider, self._pane_sizes[divider], self._room_for(divider)))
            self._size_problems()

    def _size_problems(self) -> None:
        given = self._pane_sizes.get(Divider.PROBLEMS)
        room = self._room_for(Divider.PROBLEMS)
        self._give_size(Divider.PROBLEMS, problems_height(self._problem_rows, given, room))

    def fit_problems(self, *, may_shrink: bool = False) -> None:
        """Let the height of the problems follow their rows.

        The pane grows at once. It gives rows back only once the cursor is on another line, or if it `may_shrink`: it
        does not come and go while a line is being typed. It waits for the list of completions, which would move.
        """
        if self.editor.completing.is_open:
            return
        rows, line = len(self.problems.list.rows), self.editor.cursor_location[0]
        may_shrink = may_shrink or line != self._problem_line
        if rows > self._problem_rows or (rows < self._problem_rows and may_shrink):
            self._problem_rows, self._problem_line = rows, line
            if self.zoomed is None:
                self._size_problems()

    def _dividers(self) -> tuple[Divider, ...]:
        """The dividers of the present layout."""
        if not self.has_class("-narrow"):
            return Divider.OUTLINE, Divider.SIDE, Divider.PROBLEMS
        shared = (Divider.SHARED,) if self.has_class("-share-result") else ()
        return Divider.OUTLINE, Divider.PROBLEMS, *shared

    def _resized(self, divider: Divider) -> Widget:
        match divider:
            case Divider.OUTLINE:
                return self.pane_widgets[Pane.OUTLINE]
            case Divider.PROBLEMS:
                return self.pane_widgets[Pane.PROBLEMS]
            case Divider.SIDE | Divider.SHARED:
                return self.side

    def _give_size(self, divider: Divider, size: int) -> None:
        styles = self._resized(divider).styles
        if divider in _IS_TALL:
            styles.height = styles.min_height = styles.max_height = size
        else:
            styles.width = styles.min_width = styles.max_width = size

    def _size_at(self, divider: Divider) -> int:
        size = self._resized(divider).outer_size
        return size.height if divider in _IS_TALL else size.width

    def _room_for(self, divider: Divider) -> Room:
        """What there is to divide, with what other panes were given, not what they have: they may not be laid out."""

        def width(other: Divider) -> int:
            return self._pane_sizes.get(other) or self._size_at(other)

        return Room(
            self.size.width,
            self.size.height,
            outline=0 if divider is Divider.OUTLINE else width(Divider.OUTLINE),
            side=0 if divider is Divider.SIDE else width(Divider.SIDE),
        )

    def action_divider_back(self) -> None:
        """Move the nearest divider to the left, or up."""
        self._move_divider(-1)

    def action_divider_on(self) -> None:
        """Move the nearest divider to the right, or down."""
        self._move_divider(1)

    def _nearest(self) -> Divider | None:
        """The divider at the edge of the focused pane; from the text, that of the result."""
        dividers = self._dividers()
        match self.focused_pane:
            case Pane.OUTLINE:
                return Divider.OUTLINE
            case Pane.PROBLEMS:
                return Divider.PROBLEMS
            case Pane.SIDE | Pane.EDITOR:
                return next((each for each in (Divider.SIDE, Divider.SHARED) if each in dividers), None)

    def _move_divider(self, by: int) -> None:
        divider = self._nearest()
        if divider is None or self.zoomed is not None:
            self.notify("Here this pane has the whole screen: there is no divider to move.", timeout=3, markup=False)
            return
        grows = by if divider is Divider.OUTLINE else -by  # all other dividers are before their panes
        self.resize_pane(divider, self._size_at(divider) + grows * (_ROWS if divider in _IS_TALL else _COLUMNS))
        if self._remember_later is not None:
            self._remember_later.stop()
        self._remember_later = self.set_timer(_REMEMBER_SECONDS, self._remember)

    def resize_pane(self, divider: Divider, size: int) -> None:
        """Give a pane a size, as far as there is room."""
        self._pane_sizes[divider] = fitted(divider, size, self._room_for(divider))
        self._give_size(divider, self._pane_sizes[divider])

    def action_reset_panes(self) -> None:
        """Forget the sizes at this width."""
        self._pane_sizes = {}
        self.apply_sizes()
        self._remember()

    def _remember(self) -> None:
        self._remember_later = None
        remember(self.session, self.size.width, self._pane_sizes)
        self.panes_remembered = with_sizes(self.panes_remembered, self.size.width, self._pane_sizes)

    # --- The mouse

    def _divider_at(self, x: int, y: int) -> Divider | None:
        """The divider at a cell of the screen."""
        for divider in self._dividers() if self.zoomed is None else ():
            widget = self._resized(divider)
            if not widget.is_on_screen or not widget.display or not widget.region.contains(x, y):
                continue
            region = widget.region
            edge = {
                Divider.OUTLINE: x == region.right - 1,
                Divider.SIDE: x == region.x,
                Divider.PROBLEMS: y == region.y,
                Divider.SHARED: y == region.y,
            }
            if edge[divider]:
                return divider
        return None

    @on(events.MouseDown)
    def _grasp(self, event: events.MouseDown) -> None:
        divider = self._divider_at(event.screen_x, event.screen_y)
        if divider is not None and event.button == 1:
            event.stop()
            self._dragged = divider
            self._resized(divider).capture_mouse()

    @on(events.MouseMove)
    def _drag(self, event: events.MouseMove) -> None:
        if self._dragged is None:
            return
        event.stop()
        region = self._resized(self._dragged).region
        match self._dragged:
            case Divider.OUTLINE:
                size = event.screen_x - region.x + 1
            case Divider.SIDE:
                size = region.right - event.screen_x
            case Divider.PROBLEMS | Divider.SHARED:
                size = region.bottom - event.screen_y
        self.resize_pane(self._dragged, size)

    @on(events.MouseUp)
    def _let_go(self, event: events.MouseUp) -> None:
        if self._dragged is not None:
            event.stop()
            self._resized(self._dragged).release_mouse()
            self._dragged = None
            self._remember()


def remember(session: Session, width: int, sizes: Sizes) -> None:
    """Save the sizes for this width of the screen."""
    kept = dict(sizes)
    session.remember(lambda settings: setattr(settings, "panes", with_sizes(settings.panes, width, kept)))
