"""What keys do with the problems of the text: go to them, fix them, explain them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual import work

from studio.session.analysis import Analysis
from studio.tui.session_screen import SessionScreen

if TYPE_CHECKING:
    from engine.rules.fixes import AppliedFix
    from studio.session.fixes import FixReport, TextChange


class ProblemActions(SessionScreen):
    """The actions on problems, and the messages of the list of problems."""

    _applied: tuple[FixReport, int] | None = None
    """The report of the last fixes, and the revision that they led to."""

    def action_next_problem(self) -> None:
        """Go to the problem after the cursor; from the last one to the first."""
        self._step_to_problem(forwards=True)

    def action_previous_problem(self) -> None:
        """Go to the problem before the cursor; from the first one to the last."""
        self._step_to_problem(forwards=False)

    def _step_to_problem(self, *, forwards: bool) -> None:
        analysis = self.session.state.analysis
        if analysis is not None and analysis.diagnostics is not None:
            self._step(analysis, forwards=forwards)
        else:
            self._step_after_check(forwards=forwards)

    @work(group="problems")
    async def _step_after_check(self, *, forwards: bool) -> None:
        self._step(await self.session.known(), forwards=forwards)

    def _step(self, analysis: Analysis, *, forwards: bool) -> None:
        carried = (self.editor.carry(each.span.start, analysis.revision) for each in analysis.diagnostics or ())
        starts = sorted({start for start in carried if start is not None})
        if not starts:
            self.notify("There are no problems to go to.", timeout=3, markup=False)
            return
        here = self.editor.cursor_offset
        index = bisect_right(starts, here) if forwards else bisect_left(starts, here) - 1
        self.go_to(starts[index % len(starts)], self.editor.revision)

    def action_last_typed(self) -> None:
        """Go back to where the author typed last, from a problem or a fix."""
        place = self.editor.typed_at
        if place is None:
            self.notify("You have typed nothing yet.", timeout=3, markup=False)
        else:
            self.go_to(place, self.editor.revision)

    def action_fix(self) -> None:
        """Fix the problem at the cursor; in the list of problems, the selected one."""
        if self.problems.has_focus:
            self.problems.action_fix_problem()
        else:
            self.fix(self.session.fixes.at)

    def action_fix_rule(self) -> None:
        """Fix all problems of the rule at the cursor; in the list of problems, of the selected row."""
        if self.problems.has_focus:
            self.problems.action_fix_rule()
        else:
            self.fix(lambda: self.session.fixes.at(whole_rule=True))

    @work(group="fix", exclusive=True)
    async def fix(self, find: Callable[[], Awaitable[TextChange | None]]) -> None:
        """Make the change that fixes one problem, or all of its rule."""
        self.submit_text()
        await self._change(await find())

    @work(group="fix all", exclusive=True)
    async def action_fix_all(self) -> None:
        """Apply all safe fixes."""
        self.submit_text()
        await self._change(await self.session.fixes.all_safe())

    @work(group="draft", exclusive=True)
    async def action_draft_points(self) -> None:
        """Draft points from the ideal of the prompt at the cursor."""
        self.submit_text()
        from studio.session.point_drafting import PointDrafting  # judges, which no first frame loads

        await self._change(await PointDrafting(self.session).draft())

    @work(group="apply what if", exclusive=True)
    async def action_apply_what_if(self) -> None:
        """Write the changes that are tried into the text."""
        self.submit_text()
        runs = await self.session.ready()
        await self._change(await runs.what_if.apply())

    @work(group="applied fixes", exclusive=True)
    async def action_fixes_applied(self) -> None:
        """List what the last fixes changed."""
        if self._applied is None:
            text = "No fix has been applied yet. F4 fixes the problem at the cursor."
            self.notify(text, timeout=3, markup=False)
        else:
            await self._show_report(*self._applied)

    async def _change(self, change: TextChange | None) -> None:
        """Make the edits of `change`, and report them: in one line, or as a list of places."""
        if change is None:
            return
        if change.revision != self.editor.revision:
            self.notify("The text has changed since this was found. Try again in a moment.", timeout=3, markup=False)
            return
        self.editor.apply_edits(change.edits)
        report = change.report
        if report is None:
            self.notify("The change is in the text. Ctrl+Z undoes it.", timeout=4, markup=False)
            return
        self._applied = report, self.editor.revision
        if report.in_one_line:
            self.notify(report.in_one_line, timeout=6, markup=False)
        else:
            await self._show_report(*self._applied)

    async def _show_report(self, report: FixReport, revision: int) -> None:
        from studio.tui.dialogs.fix_dialog import AppliedFixes, GoTo, Revert

        match await self.app.push_screen_wait(AppliedFixes(report)):
            case GoTo(offset=offset):
                self.go_to(offset, revision)
            case Revert(fix=None):
                self._revert_all(revision)
            case Revert(fix=fix) if fix is not None:
                self._revert(fix, revision)
            case _:
                pass

    def _revert_all(self, revision: int) -> None:
        if self.editor.revision == revision:
            self.editor.action_undo()
        else:
            self.notify("The text has changed since: Ctrl+Z undoes it step by step.", timeout=3, markup=False)

    def _revert(self, fix: AppliedFix, revision: int) -> None:
        edits = fix.undoing(lambda offset: self.editor.carry(offset, revision), self.editor.document.slice)
        if edits is None:
            self.notify("The text there has changed since: Ctrl+Z undoes it step by step.", timeout=3, markup=False)
            return
        self.editor.apply_edits(edits)
        self.notify(f"Reverted: {fix.diagnostic.slug}.", timeout=3, markup=False)

    @work(group="page", exclusive=True)
    async def action_explain(self) -> None:
        """Open the page of the problem at the cursor, or of the point function there."""
        from studio.tui.dialogs.page import RulePage

        self.submit_text()
        page = await self.session.page_at_cursor()
        if page is not None:
            self.app.push_screen(RulePage(page))
