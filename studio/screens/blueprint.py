"""The screen on which a blueprint is written: outline, text, result, problems, and what connects them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from engine.diagnostics import Diagnostic, Fix
from engine.text import visible
from engine.workspace import OpenedFile
from studio.actions import Place, bindings
from studio.checking import Analysis, Checking
from studio.editor import BlueprintEditor
from studio.panes.outline import Outline
from studio.panes.problems import ProblemList, Problems
from studio.panes.rows import Rows
from studio.panes.status import FootLine, Standing, StatusLine
from studio.screens.keeping import JOURNAL_SECONDS, Keeping
from studio.screens.side import TABS, Side

if TYPE_CHECKING:
    from studio.app import Studio
    from studio.panes.response import ResponsePane
    from studio.panes.result import ResultPane
    from studio.screens.trying import Trying


class BlueprintScreen(Screen[None]):
    """One open blueprint."""

    app: Studio  # pyright: ignore[reportIncompatibleMethodOverride]
    place = Place.BLUEPRINT
    AUTO_FOCUS = "BlueprintEditor"
    HORIZONTAL_BREAKPOINTS: ClassVar[list[tuple[int, str]]] = [(0, "-narrow"), (100, "-wide")]
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
        #side { width: 38%; min-width: 44; max-width: 84; height: 100%; border-left: solid $line; }
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
        &.-narrow #problems-pane {
            display: none; layer: over; dock: bottom; height: 11; margin: 0 0 1 0; max-height: 60%;
        }
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

    def __init__(self, file: OpenedFile) -> None:
        super().__init__()
        self._first = file
        self.editor = BlueprintEditor(id="editor")
        self.side = Side(id="side")
        self.analysis: Analysis | None = None
        self.trying: Trying | None = None
        self._side_is_loading = False
        self._when_known: Callable[[], None] | None = None
        self._checking = Checking(
            publish=lambda analysis: self.post_message(self.Analysed(analysis)) and None,
            failed=lambda: self.post_message(self.CheckingFailed()) and None,
            javascript=lambda: self.app.javascript,
        )

    def compose(self) -> ComposeResult:
        yield StatusLine(Standing(self._first.path.name))
        yield Static(id="banner", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="outline-pane"):
                yield Static("Outline", classes="pane-title", markup=False)
                yield Outline(id="outline")
            yield self.editor
            yield self.side
        with Vertical(id="problems-pane") as problems:
            problems.border_title = Content("Problems")
            yield Problems()
        yield FootLine()

    def on_mount(self) -> None:
        """Show the text first; all else comes behind the first frame."""
        self.editor.load(self._first.text, read_only=self._first.read_only is not None)
        self.keeping = Keeping(self, self._first, self.editor, self.refresh_standing)
        self._checking.submit(self.editor.revision, self.editor.text_out(), self._first.path)
        self.refresh_standing()
        self.call_after_refresh(self._behind_the_first_frame)

    def on_unmount(self) -> None:
        """Stop what works for this screen."""
        self._checking.close()
        if self.trying is not None:
            self.trying.close()

    # --- Behind the first frame

    @work
    async def _behind_the_first_frame(self) -> None:
        self._checking.start()
        self.set_interval(JOURNAL_SECONDS, self._journal)
        await self.keeping.offer_recovery()

    @work(group="journal", exclusive=True)
    async def _journal(self) -> None:
        await self.keeping.write_journal()

    def _load_side_once(self) -> None:
        if not self._side_is_loading:
            self._side_is_loading = True
            self._load_side()

    @work(group="loading")
    async def _load_side(self) -> None:
        from studio.screens.trying import Trying

        self.trying = await Trying.begin(self)
        self._show_prompt()
        self._do_what_waited()

    def _do_what_waited(self) -> None:
        """A key that came before what it acts on was known acts now."""
        action, self._when_known = self._when_known, None
        if action is not None:
            action()

    # --- The text and what is known of it

    @on(BlueprintEditor.Edited)
    def _edited(self, event: BlueprintEditor.Edited) -> None:
        self._checking.submit(event.revision, self.editor.text_out(), self.keeping.file.path)
        self.refresh_standing()

    @on(Analysed)
    def _analysed(self, event: Analysed) -> None:
        analysis = event.analysis
        self.analysis = analysis
        self.query_one(Outline).show(analysis, self.trying.scores(analysis) if self.trying else {})
        self.query_one(Problems).show(analysis)
        if analysis.diagnostics is not None:
            self.editor.show_diagnostics(analysis.revision, analysis.diagnostics)
            total = analysis.total
            count = total.errors + total.warnings + total.hints
            self.query_one("#problems-pane").border_title = Content(f"Problems {count}" if count else "Problems")
            if self.trying is None:
                self._load_side_once()
        self._follow_cursor()
        self.refresh_standing()
        self._show_prompt()
        if analysis.diagnostics is not None:
            self._do_what_waited()

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
        outline = self.query_one(Outline)
        if not outline.has_focus:
            outline.select(self.analysis.prompt_number(offset))
        problems = self.query_one(Problems)
        if not problems.list.has_focus:
            problems.select_at(offset)

    def _show_prompt(self) -> None:
        if self.trying is not None and self.analysis is not None:
            self.trying.show(self.analysis, self.editor.cursor_offset)

    def refresh_standing(self) -> None:
        """Bring the status line and the footer up to date."""
        file = self.keeping.file
        trying = self.trying
        self.query_one(StatusLine).show(
            Standing(
                file.path.name,
                unsaved=self.keeping.unsaved,
                tally=self.analysis.total if self.analysis and self.analysis.diagnostics is not None else None,
                answers=trying.answers if trying else "the ideal",
                score=trying.total_in_words(self.analysis) if trying and self.analysis else "",
                note="read-only" if file.read_only else "",
            )
        )
        self._refresh_foot()
        banner = self.query_one("#banner", Static)
        if banner.has_class("-said") != (file.read_only is not None):
            banner.set_class(file.read_only is not None, "-said")
            banner.update(Content(visible(file.read_only or "")))

    def on_descendant_focus(self) -> None:
        """The footer shows what the focus can do."""
        self._refresh_foot()

    def _refresh_foot(self) -> None:
        from studio.foot import entries

        running = self.trying is not None and self.trying.runs.running is not None
        answers = self.trying.answers if self.trying else "the ideal"
        self.query_one(FootLine).show(entries(self, answers, running=running, narrow=self.has_class("-narrow")))

    def on_resize(self) -> None:
        """The footer differs by width."""
        self.call_after_refresh(self._refresh_foot)

    # --- Going about

    def action_editor(self) -> None:
        """Back to the text; what had slid over it goes."""
        self.remove_class("-show-outline", "-show-problems")
        if self.has_class("-narrow"):
            self.remove_class("-show-result")
        self.set_focus(self.editor)

    def action_outline(self) -> None:
        """To the outline; from it, back to the text."""
        if self.query_one(Outline).has_focus:
            self.action_editor()
            return
        self.remove_class("-show-problems")
        self.add_class("-show-outline")
        self.set_focus(self.query_one(Outline))

    def action_problems(self) -> None:
        """To the problems; from them, back to the text."""
        if self.query_one(ProblemList).has_focus:
            self.action_editor()
            return
        self.remove_class("-show-outline")
        self.add_class("-show-problems")
        self.set_focus(self.query_one(ProblemList))

    def action_result(self) -> None:
        """To the result. On a narrow screen: in place of the editor, then beside it, then gone."""
        self.remove_class("-show-outline", "-show-problems")
        if self.has_class("-show-result"):
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
        """Result, response, conversation."""
        self.side.show_tab((self.side.open + 1) % len(TABS))

    @on(Rows.Chosen)
    def _row_chosen(self, event: Rows.Chosen) -> None:
        if self.analysis is None:
            return
        match event.rows:
            case Outline() as outline if outline.row is not None:
                number = outline.row.number
                start = 0 if number is None else self.analysis.parsed.blueprint.prompts[number - 1].span.start
                self.go_to(start, self.analysis.revision)
            case ProblemList() as problems if problems.row is not None:
                self.go_to(problems.row.diagnostic.span.start, self.analysis.revision)
            case _:
                pass

    def go_to(self, offset: int, revision: int) -> None:
        """Put the cursor where `offset` of the text at `revision` stands now, and the focus into the text."""
        self.editor.go_to(self.editor.carry(offset, revision) or 0)
        self.action_editor()

    # --- Problems

    def action_next_problem(self) -> None:
        """To the problem behind the cursor, round the end."""
        self._step(forwards=True)

    def action_previous_problem(self) -> None:
        """To the problem before the cursor, round the start."""
        self._step(forwards=False)

    def _step(self, *, forwards: bool) -> None:
        analysis = self.analysis
        if analysis is None or not analysis.diagnostics:
            self.notify("There are no problems to go to.", timeout=2, markup=False)
            return
        carried = (self.editor.carry(each.span.start, analysis.revision) for each in analysis.diagnostics)
        starts = sorted({start for start in carried if start is not None})
        if not starts:
            return
        here = self.editor.cursor_offset
        index = bisect_right(starts, here) if forwards else bisect_left(starts, here) - 1
        self.go_to(starts[index % len(starts)], self.editor.revision)

    def action_fix(self) -> None:
        """Mend the problem at the cursor, or the nearest on its line that can be mended."""
        analysis = self.analysis
        if analysis is None or analysis.diagnostics is None or analysis.revision != self.editor.revision:
            self._when_known = self.action_fix
            return
        here = self.editor.cursor_offset
        line = analysis.lines.position(here).line
        there = [
            each
            for each in analysis.diagnostics
            if each.fixes
            and analysis.lines.position(each.span.start).line <= line <= analysis.lines.position(each.span.end).line
        ]
        if not there:
            self.notify(
                "No fix is known for what is on this line. F8 goes to the next problem.", timeout=3, markup=False
            )
            return
        self.fix(
            min(there, key=lambda each: (not each.span.start <= here <= each.span.end, abs(each.span.start - here)))
        )

    @on(ProblemList.FixWanted)
    def _fix_wanted(self, event: ProblemList.FixWanted) -> None:
        self.fix(event.diagnostic)

    def fix(self, diagnostic: Diagnostic) -> None:
        """Apply the one safe fix of `diagnostic`, or ask which."""
        if not diagnostic.fixes:
            self.notify("No fix is known for this problem: it is for you to decide.", timeout=3, markup=False)
        elif self.analysis is not None:
            self._apply_one(diagnostic.slug, diagnostic.message, diagnostic.fixes, self.analysis.revision)

    @work(group="fix", exclusive=True)
    async def _apply_one(self, title: str, said: str, fixes: tuple[Fix, ...], revision: int) -> None:
        """Apply the only safe fix of the text at `revision`, or ask which; never to a text that went on meanwhile."""
        if self.editor.read_only:
            self.notify("This file is open read-only.", timeout=3, markup=False)
            return
        if revision != self.editor.revision:
            self.notify("The text changed since this was found. Try again in a moment.", timeout=3, markup=False)
            return
        fix = fixes[0]
        if not fix.safe or len(fixes) > 1:
            from studio.dialogs.fixes import ChooseFix

            fix = await self.app.push_screen_wait(ChooseFix(title, said, fixes, self.editor.text_out()))
        if fix is not None and self.editor.revision == revision:
            self.editor.apply_edits(fix.edits)

    # --- Trying

    def action_run(self) -> None:
        """Run the prompt under the cursor, or stop the run."""
        if self.trying is None or self.analysis is None:
            self._when_known = self.action_run
        else:
            self.trying.run_or_stop(self.analysis, self.editor.cursor_offset)

    def action_answers(self) -> None:
        """Choose where answers come from."""
        if self.trying is None or self.analysis is None:
            self._when_known = self.action_answers
        else:
            self.trying.choose(self.analysis, self.editor.cursor_offset)

    def scores_changed(self) -> None:
        """A run went on: outline and status follow."""
        if self.trying is not None and self.analysis is not None:
            self.query_one(Outline).show(self.analysis, self.trying.scores(self.analysis))
        self.refresh_standing()

    def show_tab(self, tab: int) -> None:
        """Open a tab of the right side and put the focus there."""
        if self.has_class("-narrow") and not self.has_class("-share-result"):
            self.add_class("-show-result")
        self.side.show_tab(tab)
        self.side.focus_open()

    # What the panes of the right side ask for. Named, not typed: the panes are loaded behind the first frame.

    def on_result_pane_grade_given(self, event: ResultPane.GradeGiven) -> None:
        """Keep the grade; the score follows."""
        if self.trying is not None:
            self.trying.grade(event.index, event.grade)

    def on_result_pane_place_chosen(self, event: ResultPane.PlaceChosen) -> None:
        """Go to the source of a point."""
        revision = self.trying.revision_shown() if self.trying else None
        if revision is not None:
            self.go_to(event.span.start, revision)

    def on_result_pane_point_selected(self, event: ResultPane.PointSelected) -> None:
        """Light up the evidence of a point."""
        if self.trying is not None:
            self.trying.light_up(event.index)

    def on_result_pane_fix_chosen(self, event: ResultPane.FixChosen) -> None:
        """Apply the fix of an advice."""
        revision = self.trying.revision_shown() if self.trying else None
        if revision is not None:
            self._apply_one("the rubric", event.fix.title, (event.fix,), revision)

    def on_response_pane_answer_edited(self, event: ResponsePane.AnswerEdited) -> None:
        """Keep what the author writes."""
        if self.trying is not None:
            self.trying.written_changed(event.text)

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

    def action_start_screen(self) -> None:
        """Leave for the start screen."""
        from studio.screens.start import StartScreen

        self.leave(lambda: self.app.switch_screen(StartScreen()) and None)

    @work(group="keeping", exclusive=True)
    async def leave(self, then: Callable[[], None]) -> None:
        """Ask about unsaved changes, and do `then` unless the author stays."""
        if await self.keeping.may_leave():
            then()
