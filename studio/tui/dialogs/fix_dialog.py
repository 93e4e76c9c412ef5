"""Fixes: the choice of one with its diff, the list of those that were applied, and other questions with a diff."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from engine.text.diagnostics import Fix
from engine.text.record import Record
from engine.text.spans import LineIndex, Span, TextEdit, apply_edits, changed_lines, count, edits_between, visible
from studio.session.fixes import FixReport, GoTo, Revert
from studio.session.host import Choice, DifferenceQuestion, FixChoice, FixQuestion
from studio.tui.dialogs.ask import Answer, Ask, Choices, choice_prompt
from studio.tui.dialogs.hanging import Hanging
from studio.tui.option_lists import Options

if TYPE_CHECKING:
    from engine.rules.fixes import FixedText


_CONTEXT = 2
_MOST_SHOWN = 400
"""How many lines of a diff are shown."""
_INKS = {"+": "$ink-met", "-": "$ink-unmet", "@": "$ink-dim", " ": ""}


class DiffLine(Record):
    """One line. `sign` is `+`, `-`, a space, or `@` for the line number above a hunk; `text` has no line break."""

    sign: str
    text: str


def unified(text: str, edits: Sequence[TextEdit]) -> list[DiffLine]:
    """The lines that `edits` change, with two lines of context. The cost grows with their span, not with the text."""
    if not edits:
        return []
    index = LineIndex(text)
    first = max(index.position(min(edit.span.start for edit in edits)).line - _CONTEXT, 0)
    last = min(index.position(max(edit.span.end for edit in edits)).line + _CONTEXT, index.line_count - 1)
    piece = Span(index.line_span(first).start, index.line_span(last).end)
    before = piece.of(text)
    after = apply_edits(before, [edit.shifted(-piece.start) for edit in edits])
    return _hunks(before.splitlines(), after.splitlines(), first + 1)


def _hunks(old: Sequence[str], new: Sequence[str], first: int) -> list[DiffLine]:
    """The changes with their context; `first` is the number of the first old line."""
    lines: list[DiffLine] = []
    shown = 0
    for change, following in zip_longest(changes := changed_lines(old, new), changes[1:]):
        low = max(change.low - _CONTEXT, shown)
        if low > shown or not lines:
            lines.append(DiffLine("@", f"line {first + low}"))
        high = min(change.high + _CONTEXT, len(old) if following is None else following.low)
        lines += [DiffLine(" ", line) for line in old[low : change.low]]
        lines += [DiffLine("-", line) for line in old[change.low : change.high]]
        lines += [DiffLine("+", line) for line in new[change.new_low : change.new_high]]
        lines += [DiffLine(" ", line) for line in old[change.high : high]]
        shown = high
    return lines


def drawn(lines: Sequence[DiffLine]) -> Content:
    """The lines as they are shown: coloured by their signs, and cut after many."""
    shown = [
        Content.styled(f"{' ' if line.sign == '@' else line.sign} {visible(line.text)}", _INKS[line.sign])
        for line in lines[:_MOST_SHOWN]
    ]
    if len(lines) > _MOST_SHOWN:
        shown.append(Content.styled(f"  … {len(lines) - _MOST_SHOWN} lines more", "$ink-dim"))
    return Content("\n").join(shown)


class WithDiff(Choices[Answer]):
    """A question with choices above a diff, which the page keys scroll."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "scroll_diff(1)", "Down in the diff", show=False, priority=True),
        Binding("pageup", "scroll_diff(-1)", "Up in the diff", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    WithDiff #diff { border-top: solid $line; padding: 0 1; }
    WithDiff #lines { text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def content(self) -> ComposeResult:
        yield from super().content()
        self.lines = Static(id="lines", markup=False)
        self.diff = VerticalScroll(self.lines, id="diff", classes="fits", can_focus=False)
        yield self.diff

    def show_diff(self, lines: Sequence[DiffLine]) -> None:
        """Show these lines."""
        self.lines.update(drawn(lines))
        self.call_after_refresh(self.fit)

    def action_scroll_diff(self, pages: int) -> None:
        """Show more of a long diff."""
        self.diff.scroll_relative(y=pages * max(self.diff.size.height - 1, 1), animate=False)


class AskWithDifference(WithDiff[str], Ask, asks=DifferenceQuestion):
    """A question with choices, above the diff from one text to the other."""

    def __init__(self, question: DifferenceQuestion) -> None:
        super().__init__(question)
        self._texts = question.before, question.after

    @work
    async def on_mount(self) -> None:
        """Show the diff."""
        self.show_diff(await asyncio.to_thread(_changes, *self._texts))


def _changes(before: str, after: str) -> list[DiffLine]:
    return unified(before, edits_between(before, after))


# --- The choice of a fix


class ChooseFix(WithDiff[FixChoice], asks=FixQuestion):
    """The fixes for one problem. Enter applies the highlighted one, Escape none.

    The fixes are tried in the background. An objection is shown below its fix, and Enter applies the fix only after
    the objection, if any, is shown. `a` changes between this problem and all of its rule; a fix of all is applied only
    after its diff is shown.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("a", "everywhere", "All of this rule", show=False)]
    DEFAULT_CSS = "ChooseFix > .dialog { width: 92; }"

    def __init__(self, question: FixQuestion) -> None:
        self._question = question
        self._fixes, self._known = question.fixes, question.known
        self._effects: dict[int, str] = {}
        self._objections: dict[int, str] = {}
        self._wanted: int | None = None
        self._for_all = question.for_all
        self._everywhere: FixedText | None = None
        """The text with the highlighted fix applied to all reports, once its diff is shown."""
        super().__init__(question.title, question.text, _numbered(fix.title for fix in self._fixes))

    @property
    def is_trying(self) -> bool:
        """Whether the author waits for a fix that is being tried: the one that was chosen, or one for all reports."""
        return self._wanted is not None or (self._for_all and self._everywhere is None)

    def fit(self) -> None:
        super().fit()
        self.call_after_refresh(self._show_keys)

    @work
    async def on_mount(self) -> None:
        """Try the fixes, and compute what they do to the score."""
        for number, fix in enumerate(self._fixes):
            self._objections[number] = await asyncio.to_thread(self._known.objection, fix)
            self.show_again(str(number))
            if self._wanted == number:
                self._wanted = None
                self._show_keys()
                if not self._objections[number]:
                    self.dismiss(FixChoice(fix))
        for number, fix in enumerate(self._fixes):
            if effect := await asyncio.to_thread(self._known.effect, fix):
                self._effects[number] = effect
                self.show_again(str(number))

    def prompt(self, choice: Choice) -> Hanging:
        """A fix, with its objection and its effect on the lines below."""
        number = int(choice.id)
        detail = self._effects.get(number) or _usual_effect(self._fixes[number])
        return choice_prompt(choice.label, detail, warning=self._objections.get(number, ""))

    def _keys(self) -> str:
        if self.is_trying:
            return "Trying it … · Esc changes nothing"
        keys = "Enter applies · Esc changes nothing"
        if self._for_all:
            more = "PgDn: more · " if self._everywhere and self.diff.max_scroll_y else ""
            return f"{more}Enter applies all · a: only this one · Esc changes nothing"
        return f"a: all {self._known.reports} of this rule · {keys}" if self._known.reports > 1 else keys

    def on_option_list_option_highlighted(self, event: Options.OptionHighlighted) -> None:
        """Show what the highlighted fix changes."""
        self._show_changes(int(event.option_id or 0))

    def take(self, id: str) -> None:
        """Answer with the fix. If it is still being tried, wait for an objection first, or for the diff of them all."""
        number = int(id)
        if self._for_all:
            if self._everywhere is not None:
                self.dismiss(FixChoice(self._fixes[number], self._everywhere))
        elif number in self._objections:
            self.dismiss(FixChoice(self._fixes[number]))
        else:
            self._wanted = number
            self._show_keys()

    def action_everywhere(self) -> None:
        """Show the diff of the highlighted fix applied to all reports of its rule, or again to this one only."""
        number = self.query_one(Options).highlighted
        if self._known.reports < 2 or number is None:
            return
        self._for_all = not self._for_all
        self._wanted = None
        self._show_changes(number)

    def _show_changes(self, number: int) -> None:
        """Show what a fix changes, at this place or everywhere."""
        self._everywhere = None
        self._show_text(self._question.text)
        if self._for_all:
            self._show_everywhere(self._fixes[number])
        else:
            self.show_diff(unified(self._question.source, self._fixes[number].edits))

    @work(group="everywhere", exclusive=True)
    async def _show_everywhere(self, fix: Fix) -> None:
        assert self._known.everywhere is not None
        tried = await asyncio.to_thread(self._known.everywhere, fix)
        lines = await asyncio.to_thread(_changes, self._question.source, tried.text)
        if not self._for_all:
            return
        self._everywhere = tried
        self.show_diff(lines)
        others = f" {len(tried.left)} left out: {tried.left[0].objection}." if tried.left else ""
        self._show_text(f"Applies to {tried.applied} of {self._known.reports} problems of this rule.{others}")

    def _show_text(self, text: str) -> None:
        self.text.update(Content(visible(text)))
        self._show_keys()

    def _show_keys(self) -> None:
        self.frame.border_subtitle = Content(self._keys())


def _usual_effect(fix: Fix) -> str:
    if fix.safe:
        return "safe: keeps the meaning"
    adds_comments = all(edit.span.start == edit.span.end and edit.text.lstrip().startswith("#") for edit in fix.edits)
    if adds_comments:
        return "a comment: nothing else changes, and this is no longer reported here"
    return "changes what is scored or reported"


# --- The list of applied fixes


_MOST_LINES = 4
"""How many lines of a place are shown before its fix, and after it."""


class AppliedFixes(Choices[GoTo | Revert], asks=FixReport):
    """The places that fixes changed, in the order of the text, and the number of fixes not applied."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "revert", "Revert this fix", show=False),
        Binding("ctrl+z", "revert_all", "Revert all", show=False),
    ]
    DEFAULT_CSS = """
    AppliedFixes > .dialog { width: 96; }
    AppliedFixes OptionList { text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, report: FixReport) -> None:
        self._places = places = report.places
        title = f"{count(len({id(place.fix) for place in places}), 'fix', 'fixes')} applied"
        keys = "Enter goes there · u reverts this one · Ctrl+Z all · Esc closes"
        super().__init__(title, _left_text(report), _numbered("" for _ in places), keys)

    def prompt(self, choice: Choice) -> Content:
        place = self._places[int(choice.id)]
        rows: list[Content | str] = [
            Content(visible(f"line {place.line}  {place.fix.diagnostic.slug}: {place.fix.fix.title}"))
        ]
        for sign, ink, lines in (("-", "$ink-unmet", place.lines.before), ("+", "$ink-met", place.lines.after)):
            rows += [Content.styled(f"  {sign} {visible(line)}", ink) for line in lines[:_MOST_LINES]]
            if len(lines) > _MOST_LINES:
                rows.append(Content.styled(f"  {sign} … {len(lines) - _MOST_LINES} more", ink))
        return Content("\n").join(rows)

    def take(self, id: str) -> None:
        """Answer with the place to go to."""
        self.dismiss(GoTo(self._places[int(id)].lines.offset))

    def action_revert(self) -> None:
        """Revert the fix of the highlighted place."""
        number = self.query_one(Options).highlighted
        if number is not None:
            self.dismiss(Revert(self._places[number].fix))

    def action_revert_all(self) -> None:
        """Revert all fixes."""
        self.dismiss(Revert(None))


def _left_text(report: FixReport) -> str:
    """How many fixes were not applied, and why; "" if all were."""
    if not report.left:
        return ""
    first = report.left[0]
    number = count(len(report.left), "fix", "fixes")
    return f"{number} not applied: {first.diagnostic.slug}, “{first.fix.title}” {first.objection}"


def _numbered(labels: Iterable[str]) -> list[Choice]:
    """Choices whose ids are their numbers, from 0."""
    return [Choice(str(number), label) for number, label in enumerate(labels)]
