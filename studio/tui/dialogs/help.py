"""F1: what the focused pane is for, and its keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from engine.text.glossary import Word
from engine.text.spans import visible
from studio.tui.action import Action
from studio.tui.actions import ACTIONS
from studio.tui.dialogs.ask import Dialog
from studio.tui.key_bindings import keys_that

_PALETTE = next(action.keys for action in ACTIONS if action.id == "palette")


class Help(Dialog[None]):
    """Help on one pane. Escape, Enter, q and F1 close it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(f"enter,q,{keys_that('help')}", "dismiss(None)", "Close", show=False)
    ]
    DEFAULT_CSS = """
    Help > .dialog { width: 84; }
    Help VerticalScroll { height: auto; max-height: 82vh; scrollbar-size-vertical: 1; padding: 0 1; }
    Help .group { height: auto; padding: 1 0 0 0; }
    Help .key { height: auto; padding: 0 0 0 2; }
    Help .key-name { width: 12; }
    Help .key-help { width: 1fr; height: auto; }
    Help .word { height: auto; padding: 0 0 0 2; }
    Help .dialog-text { padding: 1 0 0 0; }
    """

    def __init__(
        self,
        title: str,
        text: str,
        groups: Sequence[tuple[str, Sequence[Action]]],
        words: Sequence[Word],
    ) -> None:
        """`words` are defined below the actions."""
        super().__init__()
        self._words = words
        self._title = title
        self._text = text
        self.groups = groups

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(visible(self._title))
            dialog.border_subtitle = Content("Esc closes")
            with VerticalScroll():
                if self._text:
                    yield Static(Content(visible(self._text)), classes="dialog-text", markup=False)
                for title, actions in self.groups:
                    if actions:
                        yield Static(Content.styled(title, "$ink-dim"), classes="group", markup=False)
                    for action in actions:
                        with Horizontal(classes="key"):
                            key = action.keys or _PALETTE
                            yield Static(Content.styled(key, "bold"), classes="key-name", markup=False)
                            yield Static(
                                Content.assemble(action.label, "\n", (action.help, "$ink-dim")),
                                classes="key-help",
                                markup=False,
                            )
                if self._words:
                    yield Static(Content.styled("Words", "$ink-dim"), classes="group", markup=False)
                for word in self._words:
                    name = Content.assemble((word.name, "bold"), (f" · {word.of}", "$ink-dim"))
                    yield Static(Content.assemble(name, "\n", (word.meaning, "$ink-dim")), classes="word", markup=False)
