"""The list of applied fixes, place by place: go to one, revert one, or revert all."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static
from textual.widgets.option_list import Option

from engine.rules.fixes import AppliedFix
from engine.text.record import Record
from engine.text.spans import visible
from studio.session.fixes import ChangedPlace, FixReport
from studio.tui.dialogs.ask import Dialog
from studio.tui.option_lists import Options

_MOST_LINES = 4
"""How many lines of a place are shown before its fix, and after it."""


class GoTo(Record):
    """Go to this offset of the text after all fixes."""

    offset: int


class Revert(Record):
    """Revert this fix; None reverts all of them."""

    fix: AppliedFix | None


Request: TypeAlias = GoTo | Revert


class AppliedFixes(Dialog[Request]):
    """The places that fixes changed, in the order of the text, and the number of fixes not applied."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "revert", "Revert this fix", show=False),
        Binding("ctrl+z", "revert_all", "Revert all", show=False),
    ]
    DEFAULT_CSS = """
    AppliedFixes > .dialog { width: 96; }
    AppliedFixes OptionList { max-height: 22; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, report: FixReport) -> None:
        super().__init__()
        self._places = report.places
        self._left = report.left

    def compose(self) -> ComposeResult:
        fixes = {id(place.fix) for place in self._places}
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(f"{_count(len(fixes), 'fix', 'fixes')} applied")
            dialog.border_subtitle = Content("Enter goes there · u reverts this one · Ctrl+Z all · Esc closes")
            if self._left:
                yield Static(Content(visible(self._left_text())), classes="dialog-text", markup=False)
            yield Options(
                *(Option(_prompt(place), id=str(number)) for number, place in enumerate(self._places)), markup=False
            )

    def _left_text(self) -> str:
        first = self._left[0]
        return (
            f"{_count(len(self._left), 'fix', 'fixes')} not applied: "
            f"{first.diagnostic.slug}, “{first.fix.title}” {first.objection}"
        )

    def on_option_list_option_selected(self, event: Options.OptionSelected) -> None:
        """Answer with the place to go to."""
        self.dismiss(GoTo(self._places[int(event.option_id or 0)].lines.offset))

    def action_revert(self) -> None:
        """Revert the fix of the highlighted place."""
        number = self.query_one(Options).highlighted
        if number is not None:
            self.dismiss(Revert(self._places[number].fix))

    def action_revert_all(self) -> None:
        """Revert all fixes."""
        self.dismiss(Revert(None))


def _prompt(place: ChangedPlace) -> Content:
    head = f"line {place.line}  {place.fix.diagnostic.slug}: {place.fix.fix.title}"
    rows: list[Content | str] = [Content(visible(head))]
    for sign, ink, lines in (("-", "$ink-unmet", place.lines.before), ("+", "$ink-met", place.lines.after)):
        rows += [Content.styled(f"  {sign} {visible(line)}", ink) for line in lines[:_MOST_LINES]]
        if len(lines) > _MOST_LINES:
            rows.append(Content.styled(f"  {sign} … {len(lines) - _MOST_LINES} more", ink))
    return Content("\n").join(rows)


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
