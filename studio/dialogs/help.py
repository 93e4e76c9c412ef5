"""F1: what the focused pane is for, and every key that works there now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from engine.text import visible
from studio.actions import Action, key_label
from studio.dialogs.ask import Dialog


class Help(Dialog[None]):
    """Help on one pane. Escape, Enter, q and F1 close it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,q,f1", "dismiss(None)", "Close", show=False)]
    DEFAULT_CSS = """
    Help > .dialog { width: 84; }
    Help VerticalScroll { height: auto; max-height: 30; scrollbar-size-vertical: 1; padding: 0 1; }
    Help #keys { height: auto; padding: 0 0 1 0; }
    Help .said { padding: 1 0; }
    """

    def __init__(self, title: str, said: str, groups: Sequence[tuple[str, Sequence[Action]]]) -> None:
        super().__init__()
        self._title = title
        self._said = said
        self._groups = groups

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(visible(self._title))
            dialog.border_subtitle = Content("Esc closes")
            with VerticalScroll():
                yield Static(Content(visible(self._said)), classes="said", markup=False)
                yield Static(self._keys(), id="keys", markup=False)

    def _keys(self) -> Content:
        lines: list[Content] = []
        for title, actions in self._groups:
            if not actions:
                continue
            lines += [Content.styled(title, "$ink-dim")]
            for action in actions:
                key = key_label(action.key) if action.key else "Ctrl+P"
                lines.append(Content.assemble((f"  {key:<8}", "bold"), action.label))
                lines.append(Content.styled(f"          {action.help}", "$ink-dim"))
        return Content("\n").join(lines)
