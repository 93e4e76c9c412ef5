"""What the session changes in the text for the author: fixes, drafted points, what if; and what the last fixes did."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.rules.fixes import AppliedFix
    from studio.session.fixes import FixReport, TextChange
    from studio.tui.session_screen import SessionScreen


class Fixing:
    """Makes changes in the text of one screen."""

    def __init__(self, studio: SessionScreen) -> None:
        self._studio = studio
        self._session = studio.session
        self._applied: tuple[FixReport, int] | None = None
        """The report of the last fixes, and the revision that they led to."""

    async def fix(self, offset: int | None = None, *, whole_rule: bool = False) -> None:
        """Fix the problem at an offset of the text, or at the cursor, or all of its rule; in the list of problems, of
        the selected row. A row of several places asks whether all of them."""
        fixes, problems = self._session.fixes, self._studio.problems
        if not problems.has_focus:
            await self._make(await fixes.at(offset, whole_rule=whole_rule))
        elif problems.problem is not None and problems.row is not None:
            several = problems.row.cause.is_repeated and not whole_rule
            diagnostic = problems.problem.diagnostic
            await self._make(await fixes.shown(diagnostic, of_several=several, whole_rule=whole_rule))

    async def fix_all(self) -> None:
        """Apply all safe fixes."""
        await self._make(await self._session.fixes.all_safe())

    async def draft_points(self) -> None:
        """Draft points from the ideal of the prompt at the cursor."""
        from studio.session.point_drafting import PointDrafting  # judges, which no first frame loads

        await self._make(await PointDrafting(self._session).draft())

    async def apply_what_if(self) -> None:
        """Write the changes that are tried into the text."""
        runs = await self._session.ready()
        await self._make(await runs.what_if.apply())

    async def list_applied(self) -> None:
        """List what the last fixes changed."""
        if self._applied is None:
            self._tell("No fix has been applied yet. F4 fixes the problem at the cursor.")
        else:
            await self._show_report(*self._applied)

    async def _make(self, change: TextChange | None) -> None:
        """Make the edits of `change`, and report them: in one line, or as a list of places."""
        if change is None or not self._studio.apply(change):
            return
        report = change.report
        if report is None:
            self._tell("The change is in the text. Ctrl+Z undoes it.", seconds=4)
            return
        self._applied = report, self._studio.editor.revision
        if report.in_one_line:
            self._tell(report.in_one_line, seconds=6)
        else:
            await self._show_report(*self._applied)

    async def _show_report(self, report: FixReport, revision: int) -> None:
        from studio.tui.dialogs.fix_dialog import AppliedFixes, GoTo

        asked = await self._studio.app.push_screen_wait(AppliedFixes(report))
        if isinstance(asked, GoTo):
            self._studio.go_to(asked.offset, revision)
        elif asked is not None and not self._revert(asked.fix, revision):
            self._tell("The text has changed since: Ctrl+Z undoes it step by step.")

    def _revert(self, fix: AppliedFix | None, revision: int) -> bool:
        """Revert a fix, or all of them; False where the text was changed since."""
        editor = self._studio.editor
        if fix is None:
            if editor.revision == revision:
                editor.action_undo()
                return True
            return False
        edits = fix.undoing(lambda offset: editor.carry(offset, revision), editor.document.slice)
        if edits is None:
            return False
        editor.apply_edits(edits)
        self._tell(f"Reverted: {fix.diagnostic.slug}.")
        return True

    def _tell(self, message: str, *, seconds: float = 3) -> None:
        self._studio.notify(message, timeout=seconds, markup=False)
