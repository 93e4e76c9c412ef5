"""One-line widgets: the status line, the problem at the cursor on a narrow screen, and the footer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from engine.text.diagnostics import Diagnostic, Severity
from engine.text.record import replace
from engine.text.spans import visible
from studio.session.analysis import Tally
from studio.session.views.outline_view import StatusView
from studio.tui.editor.paint_styles import SIGNS
from studio.tui.footer import RUN, FooterEntry
from studio.tui.row_list import fit

_LEAST_RUN = 24
"""Cells that stay of the label of the key that runs."""


class StatusLine(Widget):
    """The file, whether it is saved, its problems, the answer source and the score."""

    DEFAULT_CSS = """
    StatusLine { height: 1; background: $panel; color: $foreground; }
    """

    def __init__(self, view: StatusView) -> None:
        super().__init__()
        self._view = view

    def show(self, view: StatusView) -> None:
        """Show `view`."""
        if view is not self._view:
            self._view = view
            self.refresh()

    def render(self) -> Content:
        """The line, its parts spread over the width. If they do not fit, the least important ones are left out."""
        view, width = self._view, self.size.width
        left = Content.assemble(
            " ", (visible(view.name), "bold"), (" ● not saved", "$ink-yours") if view.unsaved else ""
        )
        if view.note:
            left = Content.assemble(left, "   ", (visible(view.note), "$ink-warning"))
        problems, marks = problems_text(view.tally), problems_in_marks(view.tally)
        answers = Content.assemble(("answers: ", "$ink-dim"), visible(view.answers), " ")
        if view.progress:
            answers = Content.assemble(("running ", "$ink-dim"), (view.progress, "$ink-yours"), " ")
        score, *shorter = [_score(words) for words in view.scores] or [Content()]
        short = shorter[-1] if shorter else score
        for parts in (
            [left, problems, answers, score],
            [left, marks, answers, score],
            *([[left, marks, answers, short], [left, answers]] if view.progress else []),
            [left, problems, score],
            [left, marks, score],
            *([left, noted, words] for words in shorter[:-1] for noted in (problems, marks)),
            [left, problems, answers, short],
            [left, problems, short],
            [left, marks, short],
            [left, problems],
            [left],
        ):
            line = spread([part for part in parts if part.cell_length], width)
            if line is not None:
                return line
        return left.truncate(width, ellipsis=True)


def _score(words: str) -> Content:
    return Content.assemble((words, "bold"), " ") if words else Content()


class CursorLine(Widget):
    """The problem on the line of the cursor, for screens without room for the list of problems.

    Without one, where the result is, which such screens do not show beside the text.
    """

    DEFAULT_CSS = """
    CursorLine { height: 1; display: none; background: $background; color: $foreground; }
    """
    _INKS: ClassVar[dict[Severity, str]] = {
        Severity.ERROR: "$ink-error",
        Severity.WARNING: "$ink-warning",
        Severity.HINT: "$ink-hint",
    }

    class ResultWanted(Message):
        """The line was clicked where it names the result."""

    def __init__(self) -> None:
        super().__init__()
        self._tabs: Sequence[str] = ()
        self._diagnostic: Diagnostic | None = None

    def show(self, diagnostic: Diagnostic | None) -> None:
        """Show `diagnostic`, or nothing."""
        if diagnostic is not self._diagnostic:
            self._diagnostic = diagnostic
            self.refresh()

    def name_tabs(self, tabs: Sequence[str]) -> None:
        """Name the `tabs` that `Ctrl+R` shows; none while they are on the screen."""
        if tabs != self._tabs:
            self._tabs = tabs
            self.refresh()

    def render(self) -> Content:
        """The mark, the message, and the key that fixes the problem."""
        found = self._diagnostic
        if found is None and not self._tabs:
            return Content()
        if found is None:
            names, key = "  ".join(self._tabs), "Ctrl+R shows the result "
            gap = " " * max(self.size.width - 1 - cell_len(names) - cell_len(key), 0)
            return Content.styled(f" {names}{gap}{key}" if gap else f" {key}", "$ink-dim")
        fix = "  F4 fix " if found.fixes else " "
        message = fit(found.message, max(self.size.width - 4 - cell_len(fix), 8))
        gap = " " * max(self.size.width - 3 - cell_len(message) - cell_len(fix), 0)
        sign = (f" {SIGNS[found.severity]} ", self._INKS[found.severity])
        return Content.assemble(sign, message, gap, (fix, "$ink-dim"))

    def on_click(self) -> None:
        """Ask for the result, where the line names it."""
        if self._diagnostic is None:
            self.post_message(self.ResultWanted())


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
    another entry left out.
    """
    shown = [_cut(entry, _LEAST_RUN) if entry.action == RUN else entry for entry in entries]
    while len(shown) > 2 and _room(shown, width) < 0:
        others = [entry for entry in shown[:-2] if not entry.stays]
        shown.remove(others[-1] if others else shown[0])
    room = _room(shown, width)
    whole = next((entry for entry in entries if entry.action == RUN), None)
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


def problems_in_marks(tally: Tally | None) -> Content:
    """`●1 ▲3`, the short form. Empty before the file was checked (None)."""
    if tally is None:
        return Content()
    errors, warnings = (f"●{tally.errors} ", "$ink-error"), (f"▲{tally.warnings}", "$ink-warning")
    return Content.assemble(errors if tally.errors else "", warnings if tally.warnings else "")


def spread(parts: list[Content], width: int) -> Content | None:
    """The parts on one line with equal gaps; None if they do not fit with gaps of two cells."""
    used = sum(part.cell_length for part in parts)
    if len(parts) == 1:
        return parts[0] if used <= width else None
    room = width - used
    gaps = len(parts) - 1
    if room < gaps * 2:
        return None
    line = parts[0]
    for index, part in enumerate(parts[1:]):
        gap = room // gaps + (1 if index >= gaps - room % gaps else 0)
        line = Content.assemble(line, " " * gap, part)
    return line
