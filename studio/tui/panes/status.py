"""One-line widgets: the problem at the cursor, what would help most now, and the footer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from engine.text.diagnostics import Diagnostic
from engine.text.record import Record, replace
from engine.text.spans import count, visible
from studio.session.analysis import Tally
from studio.tui.editor.painting import SIGNS
from studio.tui.footer import RUN, FooterEntry
from studio.tui.pieces import clickable, fit

if TYPE_CHECKING:
    from studio.session.views.next_view import NextView

_NEXT = " Next "
_LEAST_RUN = 24
"""Cells that stay of the label of the key that runs."""


class OneLine(Widget):
    """A widget of one line."""

    DEFAULT_CSS = "OneLine { height: 1; background: $background; color: $foreground; }"


class Here(Record):
    """A problem, or None, and how many there are. `line` is that of a problem elsewhere than at the cursor, from 1."""

    diagnostic: Diagnostic | None = None
    tally: Tally | None = None
    line: int | None = None


class CursorLine(OneLine):
    """The problem on the line of the cursor, else the nearest one, and how many there are."""

    here: reactive[Here] = reactive(Here())

    def render(self) -> Content:
        """The mark, the message, and the key that fixes the problem; at the right, the count."""
        found, line, width = self.here.diagnostic, self.here.line, self.size.width
        right = Content.assemble("  ", problems_text(self.here.tally), ("  F3 ", "$ink-dim"))
        if found is None:
            return Content.assemble(" " * max(width - right.cell_length, 0), right)
        fix = "  F4 fix" if found.fixes and line is None else ""
        where = "" if line is None else f"line {line}: "
        message = fit(f"{where}{found.message}", max(width - 4 - cell_len(fix) - right.cell_length, 8))
        gap = " " * max(width - 3 - cell_len(message) - cell_len(fix) - right.cell_length, 0)
        sign = (f" {SIGNS[found.severity]} ", f"$ink-{found.severity}")
        return Content.assemble(sign, message, (fix, "$ink-dim"), gap, right)


class NextLine(OneLine):
    """What would help most now, with its key and its price."""

    view: reactive[NextView | None] = reactive(None)

    def render(self) -> Content:
        """The longest form that fits, with its keys bright."""
        view, room = self.view, self.size.width - len(_NEXT) - 1
        if view is None or not view.forms:
            return Content()
        form = next((form for form in view.forms if cell_len(form) <= room), fit(view.forms[-1], max(room, 1)))
        line = Content.assemble((_NEXT, "bold $ink-focus"), form)
        for key in view.keys:
            at = f" {line.plain} ".find(f" {key} ")
            line = line.stylize("bold", at, at + len(key)) if at >= 0 else line
        return line


class Footer(OneLine):
    """The actions of the focused pane, on one line. A click on an entry runs its action."""

    DEFAULT_CSS = "Footer { background: $panel; color: $ink-dim; }"

    entries: reactive[Sequence[FooterEntry]] = reactive(())

    def __init__(self) -> None:
        super().__init__()
        self.auto_links = False

    def render(self) -> Content:
        """The entries that fit."""
        shown = fitting(self.entries, self.size.width - 1)
        pieces = [Content.assemble((each.keys, "bold $foreground"), f" {visible(each.label)}  ") for each in shown]
        keys = (clickable(piece, ("run", (each.action,))) for piece, each in zip(pieces, shown, strict=True))
        return Content.assemble(" ", *keys)

    async def action_run(self, action: str) -> None:
        """Run what was clicked, where its method is: in the focused widget or around it."""
        for node in (self.screen.focused or self.screen).ancestors_with_self if action else ():
            if await self.app.run_action(action, node):
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
    hints = 0 if tally.errors or tally.warnings else tally.hints
    counts = [
        Content.styled(f"{mark} {count(number, noun)}", f"$ink-{noun}")
        for mark, number, noun in (("●", tally.errors, "error"), ("▲", tally.warnings, "warning"), ("·", hints, "hint"))
        if number
    ]
    return Content(" · ").join(counts) if counts else Content.styled("no problems", "$ink-met")
