"""The screen of two runs compared."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar, TypeAlias

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from engine.study.two_runs import Edit, words_summary
from engine.text.spans import visible
from studio.session.views.compare_view import CompareView
from studio.session.views.outline_view import FooterView
from studio.tui.action import Place
from studio.tui.footer import entries
from studio.tui.key_bindings import bindings
from studio.tui.panes.status import Footer
from studio.tui.pieces import fit

Judge: TypeAlias = Callable[[CompareView, Callable[[int, int], None]], Awaitable[CompareView | None]]
"""Has judges complete a view, and is told of their progress; None without the author's consent."""

_STYLES = {Edit.SAME: "", Edit.REMOVED: "$ink-unmet strike", Edit.ADDED: "$ink-met underline"}
_MARKS = {Edit.SAME: ("", ""), Edit.REMOVED: ("[-", "-]"), Edit.ADDED: ("{+", "+}")}


class CompareScreen(Screen[None]):
    """Shows `view`."""

    place = Place.COMPARE
    AUTO_FOCUS = "#compare-body"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.COMPARE)]
    DEFAULT_CSS = """
    CompareScreen {
        layout: vertical;
        #compare-title { height: auto; padding: 0 1; border-bottom: solid $line; }
        #compare-body { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; background: $background; }
        #compare-text { height: auto; }
    }
    """

    def __init__(self, view: CompareView, judge: Judge) -> None:
        """`judge` has judges give the verdicts that are missing."""
        super().__init__()
        self._view = view
        self._judge_verdicts = judge
        self._width = 0

    def compose(self) -> ComposeResult:
        yield Static(_title(self._view), id="compare-title", markup=False)
        with VerticalScroll(id="compare-body"):
            yield Static(id="compare-text", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Show the keys."""
        self._show_keys()

    def _show_keys(self) -> None:
        labels = {} if self._view.unjudged else {"close_verdicts": ""}
        shown = entries(self, FooterView(), narrow=self.size.width < 100, labels=labels)
        self.query_one(Footer).show(shown)

    def on_resize(self) -> None:
        """Draw the comparison for the new width."""
        width = max(self.size.width - 3, 20)
        if width != self._width:
            self._width = width
            self.query_one("#compare-text", Static).update(_content(self._view, width))

    @work(exclusive=True)
    async def action_close_verdicts(self) -> None:
        """Ask judges for the missing verdicts, and draw the comparison with them."""
        if not self._view.unjudged:
            self.notify("No verdict is missing that judges could give.", timeout=4, markup=False)
            return
        view = await self._judge_verdicts(self._view, self._show_progress)
        if view is not None:
            self._view = view
            self.query_one("#compare-text", Static).update(_content(view, self._width))
            self._show_keys()
        self.query_one("#compare-title", Static).update(_title(self._view))

    def _show_progress(self, done: int, total: int) -> None:
        progress = f"{done} of {total} questions answered · Esc stops"
        self.query_one("#compare-title", Static).update(_title(self._view, progress))

    def action_leave(self) -> None:
        """Go back to the blueprint."""
        self.dismiss()


def _title(view: CompareView, progress: str = "") -> Content:
    return Content.assemble(
        ("Compare", "bold"), "   ", visible(view.title), (f"   {progress}".rstrip(), "$ink-dim"), "\n",
        ("  old  ", "$ink-dim"), visible(view.old), "\n",
        ("  new  ", "$ink-dim"), visible(view.new),
    )  # fmt: skip


def _content(view: CompareView, width: int) -> Content:
    sections = [_scores(view), _criteria(view, width), _words(view)]
    if view.notes:
        sections.insert(1, Content("\n").join([Content.styled(visible(each), "$ink-warning") for each in view.notes]))
    return Content("\n\n").join([each for each in sections if each.plain])


def _scores(view: CompareView) -> Content:
    name_width, width = (max(len(row[at]) for row in view.rows) for at in (0, 1))
    lines = [
        Content.assemble(
            (f"{name:<{name_width}}", "$ink-dim"),
            (f"   {figure:>{width}}", _ink(figure) if figure[:1] in "+−" else "bold"),
            (f"   {more}".rstrip(), "$ink-dim"),
        )
        for name, figure, more in view.rows
    ]
    return Content("\n").join(lines)


def _ink(text: str) -> str:
    if "…" in text:
        return "$ink-yours"
    return "$ink-met" if text.startswith("+") else "$ink-unmet" if text.startswith("−") else "$ink-dim"


def _criteria(view: CompareView, width: int) -> Content:
    lines = view.criteria
    if not lines:
        return Content()
    part = max(4, *(len(line.part) for line in lines)) + 2
    found = [Content.assemble(("Criteria", "bold"))]
    found.append(Content.styled(f"{'old':>6}{'new':>7}{'part':>{part}}  criterion", "$ink-dim"))
    for line in lines:
        change = f"  {line.change}" if line.change else ""
        label = fit(line.label, width - 15 - part - len(change))
        is_moved = line.part != "0.0"
        found.append(
            Content.assemble(
                (f"{line.old:>6}{line.new:>7}", "" if line.old != line.new else "$ink-dim"),
                (f"{line.part:>{part}}", _ink(line.part)),
                (f"  {label}", "" if is_moved else "$ink-dim"),
                (change, "$ink-dim"),
            )
        )
    return Content("\n").join(found)


def _words(view: CompareView) -> Content:
    """The answers by words: removed and added ones have marks as well as colours."""
    head = Content.assemble(("Answers", "bold"), "   ", (words_summary(view.edits), "$ink-dim"))
    pieces = [
        Content(visible(edit.text)) if edit.edit is Edit.SAME else _marked(edit.edit, edit.text) for edit in view.edits
    ]
    return Content("\n").join([head, Content("").join(pieces)])


def _marked(edit: Edit, text: str) -> Content:
    before, after = _MARKS[edit]
    return Content.styled(f"{before}{visible(text)}{after}", _STYLES[edit])
