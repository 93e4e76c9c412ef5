"""Choosing a fix: every intent by name, and what the highlighted one changes, before it is applied."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from engine.diagnostics import Fix
from engine.text import visible
from studio.dialogs.ask import Dialog, choice_prompt
from studio.dialogs.diff import unified

_INKS = {"+": "$ink-met", "-": "$ink-unmet", "@": "$ink-dim", " ": ""}


class ChooseFix(Dialog[Fix]):
    """The `fixes` for one thing that was `said` about `text`. Enter applies the highlighted one, Escape none.

    `effect` tells in words what a fix does to the score, None where nothing is known. It may block for a moment: the
    words come once they are there.
    """

    DEFAULT_CSS = """
    ChooseFix #diff { height: auto; max-height: 14; border-top: solid $line; padding: 0 1; scrollbar-size-vertical: 1; }
    ChooseFix #lines { text-wrap: nowrap; text-overflow: ellipsis; }
    ChooseFix > .dialog { width: 92; }
    """

    def __init__(
        self, title: str, said: str, fixes: Sequence[Fix], text: str, effect: Callable[[Fix], str | None] | None = None
    ) -> None:
        super().__init__()
        self._effect = effect
        self._title = title
        self._said = said
        self._fixes = fixes
        self._text = text

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(f"Fix {visible(self._title)}")
            dialog.border_subtitle = Content("Enter applies · Esc leaves the text as it is")
            yield Static(Content(visible(self._said)), classes="said", markup=False)
            yield OptionList(
                *(Option(_prompt(fix), id=str(number)) for number, fix in enumerate(self._fixes)),
                markup=False,
            )
            with VerticalScroll(id="diff", can_focus=False):
                yield Static(id="lines", markup=False)

    def on_mount(self) -> None:
        """Ask what the fixes do to the score."""
        if self._effect is not None:
            self.run_worker(self._tell_effects(self._effect))

    async def _tell_effects(self, effect: Callable[[Fix], str | None]) -> None:
        options = self.query_one(OptionList)
        for number, fix in enumerate(self._fixes):
            told = await asyncio.to_thread(effect, fix)
            if told is not None:
                options.replace_option_prompt(str(number), _prompt(fix, told))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show what the highlighted fix changes."""
        fix = self._fixes[int(event.option_id or 0)]
        lines = [
            Content.styled(f"{' ' if line.sign == '@' else line.sign} {visible(line.text)}", _INKS[line.sign])
            for line in unified(self._text, fix.edits)
        ]
        self.query_one("#lines", Static).update(Content("\n").join(lines))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Answer with the fix."""
        self.dismiss(self._fixes[int(event.option_id or 0)])


def _prompt(fix: Fix, effect: str | None = None) -> Content:
    """A fix with what it does on the line below."""
    return choice_prompt(fix.title, effect or _usual(fix))


def _usual(fix: Fix) -> str:
    if fix.safe:
        return "safe: keeps what is meant"
    adds_comments = all(edit.span.start == edit.span.end and edit.text.lstrip().startswith("#") for edit in fix.edits)
    return "a comment: nothing else changes, and it is not told here again" if adds_comments else _CHANGES


_CHANGES = "changes what is scored or said"
