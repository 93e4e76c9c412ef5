"""The exact requests to the judges of a point and their raw replies, one judge at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from engine.judging.judgement import Judgement, word_for_word
from engine.text.spans import visible
from studio.tui.dialogs.ask import Dialog
from studio.tui.key_bindings import keys_that


class WordForWord(Dialog[None]):
    """The exact requests and raw replies of `judgements`, at least one.

    The left and right arrow keys go from judge to judge; Escape, Enter, q and the key that opens it close it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(f"enter,q,{keys_that('word_for_word')}", "dismiss(None)", "Close", show=False),
        Binding("right,n", "turn(1)", "Next judge", show=False),
        Binding("left,p", "turn(-1)", "Previous judge", show=False),
    ]
    DEFAULT_CSS = """
    WordForWord > .dialog { width: 110; }
    WordForWord VerticalScroll { height: auto; max-height: 82vh; scrollbar-size-vertical: 1; padding: 0 1; }
    WordForWord Static { height: auto; }
    """

    def __init__(self, judgements: Sequence[Judgement]) -> None:
        super().__init__()
        self._judgements = judgements
        self._shown = 0

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"), VerticalScroll():
            yield Static(id="words", markup=False)

    def on_mount(self) -> None:
        """Show the first judge."""
        self._show()

    def action_turn(self, by: int) -> None:
        """Show another judge; after the last comes the first."""
        self._shown = (self._shown + by) % len(self._judgements)
        self._show()

    def _show(self) -> None:
        judgement = self._judgements[self._shown]
        count = len(self._judgements)
        dialog = self.query_one(".dialog")
        which = "" if count == 1 else f" · judge {self._shown + 1} of {count}"
        dialog.border_title = Content(visible(f"{judgement.judge.id}, word for word{which}"))
        turn = "" if count == 1 else "← → another judge · "
        dialog.border_subtitle = Content(f"{turn}↑ ↓ scroll · Esc closes")
        self.query_one("#words", Static).update(drawn(word_for_word(judgement)))
        self.query_one(VerticalScroll).scroll_home(animate=False)


def drawn(words: str) -> Content:
    """`words` from `word_for_word`, with the studio's headings distinguished from the request and the reply."""
    lines = words.rstrip("\n").split("\n")
    return Content("\n").join([Content.styled(line, _style(line)) for line in lines])


def _style(line: str) -> str:
    return "bold $ink-focus" if line.startswith("=== ") else ""
