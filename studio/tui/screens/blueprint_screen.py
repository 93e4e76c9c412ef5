"""The screen for one blueprint: outline, editor, result and problems, each given its view of the session."""

from __future__ import annotations

from functools import partial
from inspect import iscoroutine
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from engine.files.open_files import OpenedFile
from engine.text.spans import Span
from studio.session.resources import Resources
from studio.session.session import Session
from studio.session.state import State, Where
from studio.session.views.outline_view import StatusView
from studio.tui.action import Action, Place
from studio.tui.actions import ACTIONS
from studio.tui.dialogs.dialog_host import DialogHost
from studio.tui.editor import BlueprintEditor
from studio.tui.footer import entries, keys_here
from studio.tui.panes.outline import Outline
from studio.tui.panes.problems import Problems
from studio.tui.panes.status import CursorLine, Footer, Here, NextLine
from studio.tui.panes.strip import PaneStrip
from studio.tui.screens.halves import Halves, LatePanes
from studio.tui.session_screen import SessionScreen
from studio.tui.window import Pane

if TYPE_CHECKING:
    from engine.study.matrix_view import SecondRun

_BOTH_LINES = 28
"""The height from which on the problem at the cursor and the next step have a line each."""


class BlueprintScreen(SessionScreen, place=Place.BLUEPRINT):
    """One open blueprint."""

    AUTO_FOCUS = "BlueprintEditor"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+z", "undo", "Undo", show=False),  # in the text, these two are the text area's own
        Binding("ctrl+y", "redo", "Redo", show=False),
    ]
    DEFAULT_CSS = """
    BlueprintScreen {
        layout: vertical;
        #banner { height: auto; padding: 0 1; color: $ink-warning; background: $panel; display: none; }
        #editor {
            width: 1fr; height: 100%; scrollbar-size: 0 1;
            & .list--met { color: $ink-met; }
            & .list--partly { color: $ink-partly; }
            & .list--unmet { color: $ink-unmet; }
        }
    }
    """

    def __init__(
        self,
        file: OpenedFile,
        resources: Resources,
        *,
        wrap: bool,
        collections: Path | None,
        published: Path | None,
        selected: Span,
    ) -> None:
        """`collections` is the folder of the model collections; without it, a `models` folder above the file.

        `published` is a result file to show with the file; `wrap` says whether long lines are wrapped; `selected` is
        selected first, with the cursor at its end.
        """
        super().__init__()
        self._selected = selected
        self._file = file
        self._resources = resources
        self._wrap = wrap
        self._collections = collections
        self._published = published
        self.editor = BlueprintEditor(id="editor")
        self._strip = PaneStrip(StatusView(file.path.name))
        self.outline = Outline(id="outline")
        self.problems = Problems()
        self.halves = Halves(self.outline, self.editor)
        self.panes = LatePanes(self.halves, self.editor)
        self._cursor_line = CursorLine()
        self._next_line = NextLine()
        self._footer = Footer()
        self._loaded = 0
        self._banner = Static(id="banner", markup=False)

    def compose(self) -> ComposeResult:
        yield self._strip
        yield self._banner
        yield self.halves
        yield self.problems
        yield self._cursor_line
        yield self._next_line
        yield self._footer

    def on_mount(self) -> None:
        """Show the text; everything else follows after the first frame."""
        self.halves.rearrange()
        self.editor.soft_wrap = self._wrap
        self.editor.load(self._file.text, read_only=self._file.read_only is not None)
        host = DialogHost(self.app)
        self.session = Session(self._file, self.snapshot(), host, self._resources, collections=self._collections)
        self.editor.tooltip_at = self.session.summary_at
        self.editor.tell_refused = self.session.refuse_change
        self.session.subscribe(partial(self.call_later, self._session_changed))
        self._draw_file()
        self._draw_footer()
        self.watch(self.editor, "soft_wrap", self._remember_wrap, init=False)
        if self._selected.end:
            self.editor.select_span(self._selected)
            self.session.move(self.editor.cursor_offset)
            if self._selected.start == self._selected.end:
                self.call_after_refresh(lambda: self.editor.go_to(self.editor.cursor_offset))
        self.call_after_refresh(self.session.begin)

    async def on_unmount(self) -> None:
        """Close the session. The journal gets the text up to the last key."""
        self.session.edit(self.snapshot())
        self.session.close()
        await self.session.closed()

    # --- Drawing the session

    def _session_changed(self, before: State, now: State) -> None:
        if self._is_leaving:
            return
        if self.session.runs is not None and not self.panes.is_filled:
            self._fill_panes()
        if now.file is not before.file:
            self._draw_file()
        if now.analysis is not before.analysis or now.collections is not before.collections:
            self._draw_problems()
        self.outline.show(self.session.outline())
        if now.analysis is not before.analysis or now.cursor != before.cursor:
            self._follow_cursor()
        self._strip.view = self.session.status()
        self._draw_cursor_line()
        self.draw_panes()
        self._draw_footer()

    @property
    def _is_leaving(self) -> bool:
        """Whether the screen, or the whole application, is about to be removed."""
        return not self.is_attached or self not in self.app.screen_stack

    def _draw_file(self) -> None:
        """Load the text that the session has for the editor, and show why the file is read-only."""
        loaded = self.session.state.file.loaded
        if loaded.number != self._loaded:
            self._loaded = loaded.number
            if loaded.revision in (None, self.editor.revision):
                self.editor.replace_text(loaded.text, loaded.edits)
                self.session.edit(self.snapshot())
                self.session.file.shown(loaded)
            else:  # typed meanwhile
                self.session.look_at_file()
        if self.editor.read_only != self.session.state.is_read_only:
            self.editor.read_only = self.session.state.is_read_only
        self._draw_banner()
        self._strip.view = self.session.status()

    def _draw_banner(self) -> None:
        text = self.session.banner()
        if text != self._banner.content:
            self._banner.display = text != ""
            self._banner.update(text)

    def _draw_problems(self) -> None:
        analysis, view = self.session.state.analysis, self.session.problems()
        if analysis is None:
            return
        if analysis.parsed.tree.error is None:
            self.editor.completing.header = analysis.header
        self.editor.completing.collections = self.session.state.collections
        before = self.problems.view
        if view is not None:
            is_complete = analysis.complete and view.revision == self.editor.revision
            self.problems.show_view(view, self.editor.carry, is_complete=is_complete)
        if view is not None and view is not before:
            self.editor.show_diagnostics(view.revision, analysis.diagnostics or (), analysis.notes)
        self._draw_banner()

    def _follow_cursor(self) -> None:
        """Select the prompt at the cursor in the outline, unless it has the focus, and say what is wrong there."""
        analysis, offset = self.session.state.analysis, self.session.state.cursor
        if analysis is None:
            return
        if not self.outline.has_focus:
            self.outline.select(analysis.prompt_number(offset))
        self._draw_cursor_line()

    def _draw_cursor_line(self) -> None:
        """Show the problem at the cursor, else the nearest, and the next step; on a low screen one of them."""
        here, view = next(iter(self.editor.diagnostics_on_cursor_line()), None), self.session.problems()
        nearest = None if here is not None or view is None else view.nearest(self.session.state.cursor)
        tally, runs = self.session.status().tally, self.session.runs
        if nearest is None:
            self._cursor_line.here = Here(here, tally)
        else:
            self._cursor_line.here = Here(nearest.diagnostic, tally, nearest.position.line + 1)
        if runs is not None:
            self._next_line.view = runs.next_step.view()
        is_problem = here is not None and self.halves.focused is Pane.TEXT and self.session.state.progress is None
        is_tall = self.size.height >= _BOTH_LINES
        self._cursor_line.display = not self.problems.display and (is_tall or is_problem)
        self._next_line.display = is_tall or not self._cursor_line.display

    @work(group="panes are mounted", exclusive=True)
    async def _fill_panes(self) -> None:
        await self.panes.load()
        if self._is_leaving:  # while it waited
            return
        await self.panes.fill()
        if self._is_leaving:  # while they were mounted: their contents are gone, or never came
            return
        self.draw_panes()
        self._draw_footer()
        self.filled.set()
        if self._published is not None:
            published, self._published = self._published, None
            self.session.with_runs(lambda runs: runs.open_published(published))

    def draw_panes(self) -> None:
        """Give the panes of results and answers their views."""
        if self.session.runs is not None and self.session.state.analysis is not None:
            self.panes.show(self.session.runs)

    def on_descendant_focus(self) -> None:
        """The pane with the keys is seen, and the footer shows what it can do."""
        self._draw_cursor_line()
        pane = self.halves.pane_of(self.focused)
        if pane is not None and pane is not self.halves.focused:
            self.halves.give_keys(pane)
        else:
            self._draw_footer()

    def on_halves_arranged(self) -> None:
        """Give the panes that are seen now their views, and say which they are. The criteria show verdicts."""
        if Pane.CRITERIA in self.halves.panes and self.session.runs is not None:
            self.session.runs.blind.end()
        self._strip.seen, self._strip.focused = self.halves.panes, self.halves.focused
        self.draw_panes()
        self._draw_footer()

    def on_tall_list_selected(self) -> None:
        """The footer shows what the selected row can do."""
        self._draw_footer()

    def on_resize(self) -> None:
        """Give the panes their widths."""
        self.halves.rearrange()
        self._draw_cursor_line()
        self.call_after_refresh(self.editor.scroll_cursor_visible)

    def _draw_footer(self) -> None:
        if self.has_left_typing:
            self.has_left_typing = self.editor.typed_at not in (None, self.editor.cursor_offset)
        labels = {"last_typed": "go back"} if self.has_left_typing else {}
        if self.halves.zoomed is not None:
            labels["zoom"] = "all panes"
        runs, view = self.session.runs, self.session.footer()
        if Pane.ANSWERS in self.halves.panes and self.panes.answers is not None and runs is not None:
            price = runs.next_step.price_of_criterion()
            view = self.panes.answers.footer_view(view, price, narrow=self.halves.is_narrow)
        self._footer.entries = entries(self, view, narrow=self.halves.is_narrow, labels=labels)
        panes, in_criteria = self.halves.panes, self.halves.focused is Pane.CRITERIA
        seen = Pane.ANSWER in panes, Pane.ANSWERS in panes
        self.session.keys_at(Where(keys_here(self), in_criteria, *seen))

    # --- The text

    def on_source_area_edited(self) -> None:
        """Submit the text; it is painted: the echo of a key waits for nothing done here."""
        self.submit_text()

    def on_source_area_cursor_moved(self) -> None:
        """Show what belongs to the place of the cursor."""
        self.session.move(self.editor.cursor_offset)
        self._follow_cursor()

    def _remember_wrap(self, wrap: bool) -> None:
        self.session.remember(lambda settings: setattr(settings, "wrap", wrap))

    action_undo = SessionScreen.undo

    def action_redo(self) -> None:
        """Make the change that was taken back last again, from any pane."""
        self.editor.action_redo()

    # --- Commands

    def action_do(self, name: str) -> None:
        """Run the command of an action, by its place and its id: `blueprint.save`."""
        self.do(next(action for action in ACTIONS if f"{action.place}.{action.id}" == name))

    def do(self, action: Action) -> None:
        """Run the command of an action on the text up to the last key."""
        self.submit_text()
        work = None if action.does is None else action.does(self)
        if iscoroutine(work):
            self.begin(work, action.id)

    # --- The matrix

    async def show_matrix(self, second: SecondRun | None = None) -> None:
        """Show the matrix of all models, with `second` laid under it; then the result of the cell that was opened."""
        from engine.study.matrix import point_names
        from studio.session.views.result_view import ResultView
        from studio.tui.screens.matrix_screen import MatrixScreen

        runs = await self.session.ready()
        opened = await self.app.push_screen_wait(MatrixScreen(runs, runs.prompt_name, second))
        if opened is None:
            return
        cell, criterion = opened
        prompt, analysis = runs.show_cell(*cell), self.session.state.analysis
        if prompt is None or analysis is None:
            return
        self.show_text_at(prompt.span.start, analysis.revision)
        self.open_pane(Pane.ANSWER)
        self.open_pane(Pane.CRITERIA)
        view = runs.views.result()
        names = point_names(each.placed for each in view.assessments) if isinstance(view, ResultView) else ()
        if self.panes.criteria is not None and criterion in names:
            self.panes.criteria.select_criterion(names.index(criterion))
