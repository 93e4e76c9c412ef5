"""One-line widgets: the problem at the cursor, what would help most now, and the footer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.widget import Widget

from engine.text.diagnostics import Diagnostic, Severity
from engine.text.record import replace
from engine.text.spans import visible
from studio.session.analysis import Tally
from studio.tui.editor.painting import SIGNS
from studio.tui.footer import RUN, FooterEntry
from studio.tui.pieces import fit

if TYPE_CHECKING:
    from studio.session.views.next_view import NextView

_NEXT = " Next "
_LEAST_RUN = 24
"""Cells that stay of the label of the key that runs."""


class CursorLine(Widget):
    """The problem on the line of the cursor, else the nearest one, and how many there are."""

    DEFAULT_CSS = """
    CursorLine { height: 1; background: $background; color: $foreground; }
    """
    _INKS: ClassVar[dict[Severity, str]] = {
        Severity.ERROR: "$ink-error",
        Severity.WARNING: "$ink-warning",
        Severity.HINT: "$ink-hint",
    }

    def __init__(self) -> None:
        super().__init__()
        self._diagnostic: Diagnostic | None = None
        self._tally: Tally | None = None
        self._line: int | None = None

    def show(self, diagnostic: Diagnostic | None, tally: Tally | None, *, line: int | None = None) -> None:
        """Show `diagnostic`, or nothing, and at the right edge how many problems there are.

        `line` is that of a problem elsewhere, from 1.
        """
        if diagnostic != self._diagnostic or tally != self._tally or line != self._line:
            self._diagnostic, self._tally, self._line = diagnostic, tally, line
            self.refresh()

    def render(self) -> Content:
        """The mark, the message, and the key that fixes the problem; at the right, the count."""
        found, width = self._diagnostic, self.size.width
        right = Content.assemble("  ", problems_text(self._tally), ("  F3 ", "$ink-dim"))
        if found is None:
            return Content.assemble(" " * max(width - right.cell_length, 0), right)
        fix = "  F4 fix" if found.fixes and self._line is None else ""
        where = "" if self._line is None else f"line {self._line}: "
        message = fit(f"{where}{found.message}", max(width - 4 - cell_len(fix) - right.cell_length, 8))
        gap = " " * max(width - 3 - cell_len(message) - cell_len(fix) - right.cell_length, 0)
        sign = (f" {SIGNS[found.severity]} ", self._INKS[found.severity])
        return Content.assemble(sign, message, (fix, "$ink-dim"), gap, right)


class NextLine(Widget):
    """What would help most now, with its key and its price."""

    DEFAULT_CSS = """
    NextLine { height: 1; background: $background; color: $foreground; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._view: NextView | None = None

    def show(self, view: NextView) -> None:
        """Show `view`."""
        if view is not self._view:
            self._view = view
            self.refresh()

    def render(self) -> Content:
        """The longest form that fits, with its keys bright."""
        view, room = self._view, self.size.width - len(_NEXT) - 1
        if view is None or not view.forms:
            return Content()
        form = next((form for form in view.forms if cell_len(form) <= room), fit(view.forms[-1], max(room, 1)))
        line = Content.assemble((_NEXT, "bold $ink-focus"), form)
        for key in view.keys:
            at = f" {line.plain} ".find(f" {key} ")
            line = line.stylize("bold", at, at + len(key)) if at >= 0 else line
        return line


class Footer(Widget):
    """The actions of the focused pane, on one line. A click on an entry runs its action."""

    DEFAULT_CSS = """
    Footer { height: 1; background: $panel; color: $ink-dim; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._entries: Sequence[FooterEntry] = ()
        self._shown: list[tuple[int, int, FooterEntry]] = []

    def show(self, entries: Sequence[FooterEntry]) -> None:
        """Show `entries`, as many as fit."""
        if list(entries) != list(self._entries):
            self._entries = entries
            self.refresh()

    def render(self) -> Content:
        """The entries that fit. Notes the columns of each for clicks."""
        line, column = Content(" "), 1
        self._shown = []
        for entry in fitting(self._entries, self.size.width - 1):
            piece = Content.assemble((entry.keys, "bold $foreground"), " ", visible(entry.label), "  ")
            self._shown.append((column, column + piece.cell_length - 2, entry))
            line = Content.assemble(line, piece)
            column += piece.cell_length
        return line

    async def on_click(self, event: events.Click) -> None:
        """Run the action that was clicked, where its method is: in the focused widget or around it."""
        clicked = next((entry.action for start, end, entry in self._shown if start <= event.x < end), "")
        if clicked:
            for node in (self.screen.focused or self.screen).ancestors_with_self:
                if await self.app.run_action(clicked, node):
                    return


def fitting(entries: Sequence[FooterEntry], width: int) -> list[FooterEntry]:
    """The entries that fit into `width` cells.

    The last ones are left out first, but some stay as long as possible: the one that runs the prompt, the one that
    saves unsaved changes, and the last two, help and all actions. A long name of what runs is shortened rather than
    another entry left out, but not before its price.
    """
    shown = [_cut(entry, _LEAST_RUN) if entry.action == RUN and not entry.is_priced else entry for entry in entries]
    while len(shown) > 2 and _room(shown, width) < 0:
        others = [entry for entry in shown[:-2] if not entry.stays]
        shown.remove(others[-1] if others else shown[0])
    room = _room(shown, width)
    whole = next((entry for entry in entries if entry.action == RUN and not entry.is_priced), None)
    return [_cut(whole, cell_len(each.label) + room) if whole and each.action == RUN else each for each in shown]


def _room(entries: Sequence[FooterEntry], width: int) -> int:
    """How many cells of `width` the entries leave; negative where they do not fit."""
    return width - sum(map(_cells, entries)) + 2


def _cut(entry: FooterEntry, width: int) -> FooterEntry:
    labels = (entry.label, *entry.shorter)
    return replace(
        entry, label=next((label for label in labels if _label_cells(label) <= width), fit(labels[-1], width))
    )


def _cells(entry: FooterEntry) -> int:
    return cell_len(entry.keys) + 1 + _label_cells(entry.label) + 2


def _label_cells(label: str) -> int:
    return cell_len(visible(label))


def problems_text(tally: Tally | None) -> Content:
    """`1 error · 3 warnings`; hints are counted only without errors and warnings.

    `checking …` before the file was checked (None).
    """
    if tally is None:
        return Content.styled("checking …", "$ink-dim")
    parts = [
        (f"● {tally.errors} error{'s' * (tally.errors != 1)}", "$ink-error") if tally.errors else None,
        (f"▲ {tally.warnings} warning{'s' * (tally.warnings != 1)}", "$ink-warning") if tally.warnings else None,
    ]
    counts = [Content.styled(*part) for part in parts if part]
    if not counts and tally.hints:
        return Content.styled(f"· {tally.hints} hint{'s' * (tally.hints != 1)}", "$ink-hint")
    return Content(" · ").join(counts) if counts else Content.styled("no problems", "$ink-met")
