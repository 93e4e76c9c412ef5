"""The screen on which a blueprint is written: outline, text, result, problems, and what connects them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from engine.text import Span, visible
from engine.workspace import OpenedFile
from studio.session.checking import Analysis, Checking
from studio.tui.actions import Place, bindings
from studio.tui.editor import BlueprintEditor
from studio.tui.panes.outline import Outline
from studio.tui.panes.problems import ProblemList, Problems
from studio.tui.panes.rows import Rows
from studio.tui.panes.status import FootLine, HereLine, Standing, StatusLine
from studio.tui.screens.keeping import JOURNAL_SECONDS, Keeping
from studio.tui.screens.mending import Mending
from studio.tui.screens.side import RESULT, TABS, Side
from studio.tui.screens.trying_actions import TryingActions

if TYPE_CHECKING:
    from engine.evaluation.headline import Headline
    from studio.tui.app import Studio
    from studio.tui.screens.trying import Trying


class BlueprintScreen(TryingActions):
    """One open blueprint."""

    app: Studio  # pyright: ignore[reportIncompatibleMethodOverride]
    place = Place.BLUEPRINT
    AUTO_FOCUS = "BlueprintEditor"
    HORIZONTAL_BREAKPOINTS: ClassVar[list[tuple[int, str]] | None] = [(0, "-narrow"), (100, "-wide")]  # pyright: ignore[reportIncompatibleVariableOverride]
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.BLUEPRINT)]
    DEFAULT_CSS = """
    BlueprintScreen {
        layers: base over;
        layout: vertical;
        #banner { height: auto; padding: 0 1; color: $ink-warning; background: $panel; display: none; }
        #banner.-said { display: block; }
        #body { height: 1fr; layout: horizontal; }
        #outline-pane {
            width: 22%; min-width: 26; max-width: 36; height: 100%; border-right: solid $line; background: $background;
        }
        #outline-pane > Outline { height: 1fr; }
        .pane-title { height: 1; padding: 0 1; color: $ink-dim; }
        #outline-pane:focus-within { border-right: solid $line-focus; }
        #outline-pane:focus-within > .pane-title { color: $foreground; text-style: bold; }
        #editor { width: 1fr; height: 100%; scrollbar-size: 0 1; }
        #side { width: 40%; min-width: 44; max-width: 84; height: 100%; border-left: solid $line; }
        #side:focus-within { border-left: solid $line-focus; }
        #problems-pane {
            height: 25%; min-height: 7; max-height: 14; border-top: solid $line; background: $background;
            border-title-color: $ink-dim; border-title-background: $background; border-title-style: none;
        }
        #problems-pane:focus-within {
            border-top: solid $line-focus; border-title-color: $foreground; border-title-style: bold;
        }

        &.-narrow #outline-pane {
            display: none; layer: over; dock: left; width: 34; max-width: 90%; height: 100%;
        }
        &.-narrow.-show-outline #outline-pane { display: block; }
        &.-narrow HereLine { display: block; }
        &.-narrow.-show-problems HereLine, &.-narrow.-show-result HereLine { display: none; }
        &.-narrow #problems-pane {
            display: none; height: 11; max-height: 60%;
        }
        &.-narrow #why { height: 4; }
        &.-narrow.-show-problems #problems-pane { display: block; }
        &.-narrow #side { display: none; width: 100%; max-width: 100%; border-left: none; }
        &.-narrow.-show-result #side { display: block; }
        &.-narrow.-show-result #editor { display: none; }
        &.-narrow.-share-result #body { layout: vertical; }
        &.-narrow.-share-result #editor { height: 1fr; width: 100%; }
        &.-narrow.-share-result #side { display: block; height: 55%; border-top: solid $line; }
    }
    """

    class Analysed(Message):
        """The checking thread has something new to say."""

        def __init__(self, analysis: Analysis) -> None:
            super().__init__()
            self.analysis = analysis

    class CheckingFailed(Message):
        """The checking thread came upon something that it could not handle."""

    def __init__(self, file: OpenedFile, collections: Path | None = None, published: Path | None = None) -> None:
        """`collections` is the folder of the model collections, where it is not any `models` above the file.

        `published` is a result file to show of it.
        """
        super().__init__()
        self._first = file
        self.collections = collections
        """The folder of the model collections, where it is not any `models` above the file."""
        self._published = published
        self.editor = BlueprintEditor(id="editor")
        self.editor.told_at = self._told_at
        self.side = Side(id="side")
        self.mending = Mending(self)
        self._status = StatusLine(Standing(file.path.name))
        self._outline = Outline(id="outline")
        self._problems = Problems()
        self._problems_pane = Vertical(self._problems, id="problems-pane")
        self._here = HereLine()
        self._foot = FootLine()
        self._headlines: dict[str, Headline] = {}
        self._counted = 0
        self._mistakes: tuple[str, ...] = ()
        self._submits = False
        self._side_is_loading = False
        self._checking = Checking(
            publish=lambda analysis: self.post_message(self.Analysed(analysis)),
            failed=lambda: self.post_message(self.CheckingFailed()),
            javascript=lambda: self.app.javascript,
            collections=collections,
        )

    def compose(self) -> ComposeResult:
        yield self._status
        yield Static(id="banner", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="outline-pane"):
                yield Static("Outline", classes="pane-title", markup=False)
                yield self._outline
            yield self.editor
            yield self.side
        self._problems_pane.border_title = Content("Problems")
        yield self._here
        yield self._problems_pane
        yield self._foot

    def on_mount(self) -> None:
        """Show the text first; all else comes behind the first frame."""
        self.editor.soft_wrap = self.app.look.wrap
        self.editor.load(self._first.text, read_only=self._first.read_only is not None)
        self.keeping = Keeping(self, self._first, self.editor, self._file_changed)
        self._file_changed()
        self._refresh_foot()
        self.call_after_refresh(self._behind_the_first_frame)

    def on_unmount(self) -> None:
        """Stop what works for this screen."""
        self._checking.close()
        if self.trying is not None:
            self.trying.close()

    # --- Behind the first frame

    @work
    async def _behind_the_first_frame(self) -> None:
        self._submit()
        self._checking.start()
        self._find_collections()
        self.set_interval(JOURNAL_SECONDS, self._journal)
        await self.keeping.remember()
        await self.keeping.offer_recovery()

    @work(group="loading")
    async def _find_collections(self) -> None:
        from engine.model_collections import Collections

        there = Collections(self._first.path, self.collections)
        self.editor.completing.collections = await asyncio.to_thread(there.names)

    @work(group="journal", exclusive=True)
    async def _journal(self) -> None:
        await self.keeping.write_journal()

    def _load_side_once(self) -> None:
        if not self._side_is_loading:
            self._side_is_loading = True
            self._load_side()

    @work(group="loading")
    async def _load_side(self) -> None:
        from studio.tui.screens.trying import Trying
        from studio.tui.screens.turns import Turns

        self.trying = await Trying.begin(self)
        self.turns = Turns(self, self.trying)
        self.runs_changed()
        if self._published is not None:
            self._show_published(self.trying, self._published)
        self.do_what_waited()

    @work(group="answers", exclusive=True)
    async def _show_published(self, trying: Trying, result: Path) -> None:
        from studio.tui.screens.publishing import open_published

        await open_published(self, trying, result)

    # --- The text and what is known of it

    @on(BlueprintEditor.Edited)
    def _edited(self) -> None:
        """Nothing here but what the echo may wait for: the text is handed on behind it."""
        if not self._submits:
            self._submits = True
            self.call_after_refresh(self._submit)

    @on(BlueprintEditor.WrapToggled)
    def _wrap_toggled(self) -> None:
        self.app.keep_look(replace(self.app.look, wrap=self.editor.soft_wrap))

    def _submit(self) -> None:
        self._submits = False
        self._checking.submit(self.editor.revision, self.editor.text_out(), self.keeping.file.path)
        self.refresh_standing()

    @on(Analysed)
    def _analysed(self, event: Analysed) -> None:
        before, analysis = self.analysis, event.analysis
        self.analysis = analysis
        if before is None or before.diagnostics is not analysis.diagnostics or before.revision != analysis.revision:
            self._show_analysis(analysis)
        if analysis.diagnostics is not None:
            if self.trying is None:
                self._load_side_once()
            self.do_what_waited()
        if analysis.complete and self.trying is not None and analysis.revision == self.editor.revision:
            self.trying.follow(analysis)

    def _show_analysis(self, analysis: Analysis) -> None:
        self._headlines = self.trying.headlines(analysis) if self.trying else {}
        self._outline.show(analysis, self._headlines, self.trying.failed(analysis) if self.trying else frozenset())
        if analysis.parsed.tree.error is None:
            self.editor.completing.header = analysis.parsed.blueprint.header
        if analysis.diagnostics is not None:
            self._problems.show(analysis)
            self.editor.show_diagnostics(analysis.revision, analysis.diagnostics)
            self._show_count(len(analysis.diagnostics))
            self._show_mistakes(analysis.mistakes)
        self._follow_cursor()
        self.refresh_standing()
        self._show_prompt()

    def _show_mistakes(self, mistakes: tuple[str, ...]) -> None:
        if mistakes != self._mistakes:
            self._mistakes = mistakes
            self._show_banner()

    def _show_count(self, count: int) -> None:
        if count != self._counted:
            self._counted = count
            self._problems_pane.border_title = Content(f"Problems {count}" if count else "Problems")

    @on(CheckingFailed)
    def _checking_failed(self) -> None:
        message = "This text could not be checked: that is a fault of the studio. It is tried again as you type."
        self.notify(message, severity="error", timeout=8, markup=False)
        if self.trying is None:
            self._load_side_once()

    @on(BlueprintEditor.CursorMoved)
    def _cursor_moved(self) -> None:
        self._follow_cursor()
        self._show_prompt()

    def _follow_cursor(self) -> None:
        """The outline's and the problems' selection follow the cursor, unless the hand is on them."""
        if self.analysis is None:
            return
        offset = self.editor.cursor_offset
        if not self._outline.has_focus:
            self._outline.select(self.analysis.prompt_number(offset))
        if not self._problems.list.has_focus:
            self._problems.select_at(offset)
        self._here.show(next(iter(self.editor.diagnostics_on_cursor_line()), None))

    def _show_prompt(self) -> None:
        if self.trying is not None and self.analysis is not None:
            was_of_header = self.trying.shows_header
            self.trying.show(self.analysis, self.editor.cursor_offset)
            if self.trying.shows_header is not was_of_header:
                self._refresh_foot()

    def refresh_standing(self) -> None:
        """Bring the status line up to date."""
        file, trying, analysis = self.keeping.file, self.trying, self.analysis
        self._status.show(
            Standing(
                file.path.name,
                unsaved=self.keeping.unsaved,
                tally=analysis.total if analysis and analysis.diagnostics is not None else None,
                answers=self._answers_in_words(),
                scores=self._totals_in_words(),
                progress=str(trying.progress or "") if trying else "",
                note="read-only" if file.read_only else "",
            )
        )

    def _totals_in_words(self) -> tuple[str, ...]:
        if self.analysis is None or not self._headlines:
            return ()
        from studio.session.totals import totals_in_words  # here, as it brings what only runs need

        return totals_in_words(self.analysis.parsed.blueprint.prompts, self._headlines)

    def _answers_in_words(self) -> str:
        if self.trying is None:
            return "the ideal"
        header = None if self.analysis is None else self.analysis.parsed.blueprint.header
        return self.trying.choosing.label(header) + self.trying.choosing.judges_in_words

    def _file_changed(self) -> None:
        """The file, or whether it is saved, is another."""
        self._show_banner()
        self.refresh_standing()

    def _show_banner(self) -> None:
        """Why the file is read-only, and what is wrong in the project's settings."""
        reason = self.keeping.file.read_only
        said = "\n".join((*([reason] if reason else []), *self._mistakes))
        banner = self.query_one("#banner", Static)
        banner.set_class(said != "", "-said")
        banner.update(Content(visible(said)))

    def on_descendant_focus(self) -> None:
        """The footer shows what the focus can do."""
        self._refresh_foot()

    def _refresh_foot(self) -> None:
        from studio.tui.footer import entries

        running = self.trying is not None and self.trying.under_way.running
        header = None if self.analysis is None else self.analysis.parsed.blueprint.header
        answers = self.trying.choosing.label(header) if self.trying else "the ideal"
        self._foot.show(
            entries(
                self,
                answers,
                running=running,
                narrow=self.has_class("-narrow"),
                of_header=self.trying is not None and self.trying.shows_header,
            )
        )

    def on_resize(self) -> None:
        """The footer differs by width."""
        self.call_after_refresh(self._refresh_foot)

    # --- Going about

    def action_editor(self) -> None:
        """Back from an earlier run to the newest; else to the text, and what had slid over it goes."""
        if self.side.has_focus_within and self.trying is not None and self.trying.close_shown():
            return
        self.remove_class("-show-outline", "-show-problems")
        if self.has_class("-narrow"):
            self.remove_class("-show-result")
        self.set_focus(self.editor)

    def action_outline(self) -> None:
        """To the outline; from it, back to the text."""
        if self._outline.has_focus:
            self.action_editor()
            return
        self.remove_class("-show-problems")
        self.add_class("-show-outline")
        self.set_focus(self._outline)

    def action_problems(self) -> None:
        """To the problems; from them, back to the text."""
        if self._problems.list.has_focus:
            self.action_editor()
            return
        self.remove_class("-show-outline")
        self.add_class("-show-problems")
        self.set_focus(self._problems.list)
        self.call_after_refresh(self.editor.scroll_cursor_visible)

    def action_result(self) -> None:
        """To the result. On a narrow screen: in place of the editor, then beside it, then gone."""
        if self.trying is None:
            self._when_known.append(self.action_result)
            return
        self.remove_class("-show-outline", "-show-problems")
        if self.side.open != RESULT:
            self.show_tab(RESULT)
        elif self.has_class("-show-result"):
            self.remove_class("-show-result")
            self.add_class("-share-result")
            self.set_focus(self.editor)
            self.call_after_refresh(lambda: self.editor.go_to(self.editor.cursor_offset))
        elif self.has_class("-share-result"):
            self.remove_class("-share-result")
            self.set_focus(self.editor)
        else:
            if self.has_class("-narrow"):
                self.add_class("-show-result")
            self.side.focus_open()

    def action_next_tab(self) -> None:
        """Result, response, conversation, history. Where they are off the screen, the one that is open comes first."""
        hidden = self.has_class("-narrow") and not (self.has_class("-show-result") or self.has_class("-share-result"))
        if self.trying is None:
            self._when_known.append(self.action_next_tab)
            return
        if hidden:
            self.remove_class("-show-outline", "-show-problems")
            self.add_class("-show-result")
            self.side.focus_open()
        else:
            self.side.show_tab((self.side.open + 1) % len(TABS))
        self._show_prompt()

    @on(Rows.Chosen)
    def _row_chosen(self, event: Rows.Chosen) -> None:
        if self.analysis is None:
            return
        match event.rows:
            case Outline() as outline if outline.row is not None:
                number = outline.row.number
                prompts = self.analysis.parsed.blueprint.prompts
                span = Span(0, 0) if number is None else prompts[number - 1].span
                self.go_to(span.start, self.analysis.revision, until=span.end)
            case ProblemList() as problems if problems.row is not None:
                self.go_to(problems.row.diagnostic.span.start, self.analysis.revision)
            case _:
                pass

    def go_to(self, offset: int, revision: int, *, until: int | None = None) -> None:
        """Put the cursor where `offset` of the text at `revision` stands now, and the focus into the text.

        `until` is the end of what is to be seen from there on, as far as there is room.
        """
        end = None if until is None else self.editor.carry(until, revision)
        self.editor.go_to(self.editor.carry(offset, revision) or 0, until=end)
        self.action_editor()

    # --- Problems

    def action_next_problem(self) -> None:
        """To the problem behind the cursor, round the end."""
        if self.analysis is None or self.analysis.diagnostics is None:
            self._when_known.append(self.action_next_problem)
        else:
            self.mending.step(self.analysis, forwards=True)

    def action_previous_problem(self) -> None:
        """To the problem before the cursor, round the start."""
        if self.analysis is None or self.analysis.diagnostics is None:
            self._when_known.append(self.action_previous_problem)
        else:
            self.mending.step(self.analysis, forwards=False)

    def action_fix(self) -> None:
        """Mend the problem at the cursor."""
        analysis = self.analysis
        if self._problems.list.has_focus:
            self._problems.list.action_fix_problem()
        elif analysis is None or analysis.diagnostics is None or analysis.revision != self.editor.revision:
            self._when_known.append(self.action_fix)
        else:
            self.mending.fix_at(analysis, self.editor.cursor_offset)

    def action_fix_all(self) -> None:
        """Mend everything that can only mean one thing."""
        analysis = self.analysis
        if analysis is None or analysis.diagnostics is None or analysis.revision != self.editor.revision:
            self._when_known.append(self.action_fix_all)
        else:
            self.mending.fix_all(analysis)

    def action_fixes_applied(self) -> None:
        """List what the last fixes changed."""
        self.mending.show_changes()

    def action_draft_points(self) -> None:
        """Have points drafted from the ideal of the prompt at the cursor."""
        from studio.tui.screens.drafting import Drafting

        if self.analysis is None or self.analysis.revision != self.editor.revision:
            self._when_known.append(self.action_draft_points)
        else:
            Drafting(self).draft_at(self.analysis, self.editor.cursor_offset)

    @on(ProblemList.FixWanted)
    def _fix_wanted(self, event: ProblemList.FixWanted) -> None:
        if self.analysis is not None:
            self.mending.fix(self.analysis, event.diagnostic)

    def _told_at(self, offset: int) -> str | None:
        """What there is to know of the check at `offset`."""
        from studio.tui.screens.lookup import call_at, in_short

        analysis = self.analysis
        if analysis is None or analysis.revision != self.editor.revision:
            return None
        call = call_at(analysis, offset)
        return None if call is None else in_short(call)

    def action_explain(self) -> None:
        """Open the page on the problem at the cursor, or on the check there."""
        analysis = self.analysis
        if analysis is None or analysis.diagnostics is None or analysis.revision != self.editor.revision:
            self._when_known.append(self.action_explain)
        else:
            self.mending.explain_at(analysis, self.editor.cursor_offset)

    @on(ProblemList.PageWanted)
    def _page_wanted(self, event: ProblemList.PageWanted) -> None:
        self.mending.explain(event.diagnostic)

    # --- Runs

    def runs_changed(self) -> None:
        """A run went on, or answers come from elsewhere: all that shows runs follows."""
        if self.trying is None or self.analysis is None:
            return
        self._headlines = self.trying.headlines(self.analysis)
        self._outline.show(self.analysis, self._headlines, self.trying.failed(self.analysis))
        self._show_prompt()
        self.refresh_standing()
        self._refresh_foot()

    def show_tab(self, tab: int) -> None:
        """Open a tab of the right side and put the focus there."""
        if self.has_class("-narrow") and not self.has_class("-share-result"):
            self.add_class("-show-result")
        self.side.show_tab(tab)
        self.side.focus_open()

    # --- Keeping

    @work(group="keeping", exclusive=True)
    async def action_save(self) -> None:
        """Save."""
        await self.keeping.save()

    @work(group="keeping", exclusive=True)
    async def action_save_as(self) -> None:
        """Save under another name."""
        await self.keeping.save_as()

    @work(group="keeping", exclusive=True)
    async def action_reload(self) -> None:
        """Load the file again."""
        await self.keeping.reload()

    @work(group="keeping", exclusive=True)
    async def action_start_screen(self) -> None:
        """Leave for the start screen."""
        from studio.tui.screens.start import StartScreen

        if await self.may_leave():
            self.app.switch_screen(StartScreen())

    async def may_leave(self) -> bool:
        """Ask about unsaved changes; whether the screen may be left."""
        return await self.keeping.may_leave()
