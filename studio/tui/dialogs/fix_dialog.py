"""The choice of a fix: each by name, with objections, and the diff of the highlighted one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static
from textual.widgets.option_list import Option

from engine.text.diagnostics import Fix
from engine.text.record import Record
from engine.text.spans import edits_between, visible
from studio.session.questions import FixChoice, FixQuestion
from studio.tui.dialogs.ask import Dialog, choice_prompt
from studio.tui.dialogs.diff import DiffLine, drawn, unified
from studio.tui.dialogs.hanging import Hanging
from studio.tui.option_lists import Options

if TYPE_CHECKING:
    from engine.rules.fixes import FixedText


_DIFF_ROWS = 14
"""How many rows of a diff are shown at a time."""


class _Everywhere(Record):
    """A fix, by its number, applied to all reports of its rule, and the diff of that."""

    number: int
    outcome: FixedText
    lines: Sequence[DiffLine]


class ChooseFix(Dialog[FixChoice]):
    """The fixes for one problem. Enter applies the highlighted one, Escape none.

    The fixes are tried in the background. An objection is shown below its fix, and Enter applies the fix only after
    the objection, if any, is shown. `a` changes between this problem and all of its rule; a fix of all is applied only
    after its diff is shown.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "everywhere", "All of this rule", show=False),
        Binding("pagedown", "scroll_diff(1)", "Down in the diff", show=False, priority=True),
        Binding("pageup", "scroll_diff(-1)", "Up in the diff", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    ChooseFix #diff { height: auto; max-height: 14; border-top: solid $line; padding: 0 1; scrollbar-size-vertical: 1; }
    ChooseFix #lines { text-wrap: nowrap; text-overflow: ellipsis; }
    ChooseFix > .dialog { width: 92; }
    """

    def __init__(self, question: FixQuestion) -> None:
        super().__init__()
        self._title = question.title
        self._question_text = question.text
        self._fixes = fixes = question.fixes
        self._text = question.source
        self._known = question.known
        self._effects: dict[int, str] = {}
        self._objections: dict[int, str] = {} if self._known.objection else dict.fromkeys(range(len(fixes)), "")
        self._wanted: int | None = None
        self._for_all = question.for_all
        self._everywhere: _Everywhere | None = None

    @property
    def is_trying(self) -> bool:
        """Whether the author waits for a fix that is being tried: the one that was chosen, or one for all reports."""
        return self._wanted is not None or (self._for_all and self._everywhere is None)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(visible(self._title))
            dialog.border_subtitle = Content(self._keys())
            yield Static(Content(visible(self._question_text)), id="fix-text", classes="dialog-text", markup=False)
            yield Options(
                *(Option(self._prompt(number), id=str(number)) for number in range(len(self._fixes))),
                markup=False,
            )
            with VerticalScroll(id="diff", can_focus=False):
                yield Static(id="lines", markup=False)

    def on_mount(self) -> None:
        """Try the fixes, and compute what they do to the score."""
        self.run_worker(self._try_all())

    async def _try_all(self) -> None:
        for number in range(len(self._fixes)):
            if number not in self._objections:
                await self._try(number)
        if self._known.effect is None:
            return
        for number, fix in enumerate(self._fixes):
            effect = await asyncio.to_thread(self._known.effect, fix)
            if effect is not None:
                self._effects[number] = effect
                self._refresh(number)

    async def _try(self, number: int) -> None:
        assert self._known.objection is not None
        self._objections[number] = await asyncio.to_thread(self._known.objection, self._fixes[number])
        self._refresh(number)
        if self._wanted == number and not self._objections[number]:
            self.dismiss(FixChoice(self._fixes[number]))
        if self._wanted == number:
            self._wanted = None
            self._show_keys()

    def _refresh(self, number: int) -> None:
        self.query_one(Options).replace_option_prompt(str(number), self._prompt(number))

    def _prompt(self, number: int) -> Hanging:
        """A fix, with its objection and its effect on the lines below."""
        fix = self._fixes[number]
        detail = self._effects.get(number) or _usual_effect(fix)
        return choice_prompt(fix.title, detail, warning=self._objections.get(number, ""))

    def _keys(self) -> str:
        if self.is_trying:
            return "Trying it … · Esc changes nothing"
        keys = "Enter applies · Esc changes nothing"
        if self._for_all:
            more = "PgDn: more · " if self._everywhere and len(self._everywhere.lines) > _DIFF_ROWS else ""
            return f"{more}Enter applies all · a: only this one · Esc changes nothing"
        several = self._known.everywhere is not None and self._known.reports > 1
        return f"a: all {self._known.reports} of this rule · {keys}" if several else keys

    def on_option_list_option_highlighted(self, event: Options.OptionHighlighted) -> None:
        """Show what the highlighted fix changes."""
        self._show_changes(int(event.option_id or 0))

    def on_option_list_option_selected(self, event: Options.OptionSelected) -> None:
        """Answer with the fix. If it is still being tried, wait for an objection first, or for the diff of them all."""
        number = int(event.option_id or 0)
        if self._for_all:
            if self._everywhere is not None and self._everywhere.number == number:
                self.dismiss(FixChoice(self._fixes[number], self._everywhere.outcome))
        elif number in self._objections:
            self.dismiss(FixChoice(self._fixes[number]))
        else:
            self._wanted = number
            self._show_keys()

    def action_everywhere(self) -> None:
        """Show the diff of the highlighted fix applied to all reports of its rule, or again to this one only."""
        number = self.query_one(Options).highlighted
        if self._known.everywhere is None or self._known.reports < 2 or number is None:
            return
        self._for_all = not self._for_all
        self._wanted = None
        self._show_text(self._question_text)
        self._show_changes(number)

    def _show_changes(self, number: int) -> None:
        """Show what a fix changes, at this place or everywhere."""
        if not self._for_all or self._known.everywhere is None:
            self._show(unified(self._text, self._fixes[number].edits))
        elif self._everywhere is not None and self._everywhere.number == number:
            self._show_everywhere(self._everywhere)
        else:
            self._everywhere = None
            self._show_keys()
            self.run_worker(self._try_everywhere(number, self._known.everywhere), group="everywhere", exclusive=True)

    async def _try_everywhere(self, number: int, everywhere: Callable[[Fix], FixedText]) -> None:
        tried = await asyncio.to_thread(self._tried_everywhere, number, everywhere)
        if self._for_all and self.query_one(Options).highlighted == number:
            self._everywhere = tried
            self._show_everywhere(tried)

    def _tried_everywhere(self, number: int, everywhere: Callable[[Fix], FixedText]) -> _Everywhere:
        outcome = everywhere(self._fixes[number])
        return _Everywhere(number, outcome, unified(self._text, edits_between(self._text, outcome.text)))

    def _show_everywhere(self, tried: _Everywhere) -> None:
        left = tried.outcome.left
        others = f" {len(left)} left out: {left[0].objection}." if left else ""
        self._show(tried.lines)
        self._show_text(f"Applies to {tried.outcome.applied} of {self._known.reports} problems of this rule.{others}")

    def action_scroll_diff(self, pages: int) -> None:
        """Show more of a long diff."""
        diff = self.query_one("#diff", VerticalScroll)
        diff.scroll_relative(y=pages * max(diff.size.height - 1, 1), animate=False)

    def _show_text(self, text: str) -> None:
        self.query_one("#fix-text", Static).update(Content(visible(text)))
        self._show_keys()

    def _show_keys(self) -> None:
        self.query_one(".dialog").border_subtitle = Content(self._keys())

    def _show(self, lines: Sequence[DiffLine]) -> None:
        self.query_one("#lines", Static).update(drawn(lines))


def _usual_effect(fix: Fix) -> str:
    if fix.safe:
        return "safe: keeps the meaning"
    adds_comments = all(edit.span.start == edit.span.end and edit.text.lstrip().startswith("#") for edit in fix.edits)
    if adds_comments:
        return "a comment: nothing else changes, and this is no longer reported here"
    return "changes what is scored or reported"
