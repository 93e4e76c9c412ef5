"""Actions that change the text for the author: fixes, drafted criteria, what if; and what the last fixes did."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.rules.fixes import AppliedFix
    from studio.session.fixes import FixReport, TextChange
    from studio.tui.session_screen import SessionScreen


async def fix(studio: SessionScreen) -> None:
    """Fixes the problem at the cursor, or the nearest on its line. If the fix changes what is scored or causes another
    problem, or if there are several fixes, you see the diff first."""
    await fix_at(studio)


async def fix_problem(studio: SessionScreen) -> None:
    """If the fix changes what is scored or causes another problem, or if there are several fixes, you see the diff
    first."""
    await fix_at(studio)


async def fix_rule(studio: SessionScreen) -> None:
    """Applies one fix to all problems of the rule at the cursor, or of the row selected in the problems, after showing
    one diff. Then lists what changed."""
    await fix_at(studio, whole_rule=True)


async def fix_at(studio: SessionScreen, offset: int | None = None, *, whole_rule: bool = False) -> None:
    """Fix the problem at an offset of the text, or at the cursor, or all of its rule; in the list of problems, of the
    selected row. A row of several places asks whether all of them."""
    fixes, problems = studio.session.fixes, studio.problems
    if not problems.has_focus:
        await _make(studio, await fixes.at(offset, whole_rule=whole_rule))
    elif problems.problem is not None and problems.row is not None:
        several = problems.row.cause.is_repeated and not whole_rule
        await _make(studio, await fixes.shown(problems.problem.diagnostic, of_several=several, whole_rule=whole_rule))


async def fix_all(studio: SessionScreen) -> None:
    """Applies the safe fixes of the errors and warnings of this file, as `studio check --fix` does, and lists the
    changes. Undo reverts them."""
    await _make(studio, await studio.session.fixes.all_safe())


async def draft_points(studio: SessionScreen) -> None:
    """For a prompt that has an ideal and no criteria: a judge's model drafts criteria from the ideal, shown as a diff
    to accept or reject. Undo reverts them."""
    await _make(studio, await studio.session.fixes.draft())


async def apply_what_if(studio: SessionScreen) -> None:
    """Writes the changes that are tried into the text, as one step of undo, and saves the grades."""
    runs = await studio.session.ready()
    await _make(studio, await runs.what_if.apply())


async def fixes_applied(studio: SessionScreen) -> None:
    """Each with its place; from there, one of them or all are reverted."""
    if studio.last_fixes is None:
        studio.tell("No fix has been applied yet. F4 fixes the problem at the cursor.")
    else:
        await _show_report(studio, *studio.last_fixes)


async def explain(studio: SessionScreen) -> None:
    """Opens the page of the rule: what it looks for, why that matters for the score, a bad and a good example. If there
    is no problem, opens the page of the $function at the cursor."""
    from studio.session.reference import page_of_rule

    problem = studio.problems.problem if studio.problems.has_focus else None
    page = await studio.session.page_at_cursor() if problem is None else page_of_rule(problem.diagnostic)
    if page is not None:
        await studio.session.host.ask(page)


async def _make(studio: SessionScreen, change: TextChange | None) -> None:
    """Make the edits of `change`, and report them: in one line, or as a list of places."""
    if change is None or not studio.apply(change):
        return
    report = change.report
    if report is None:
        studio.tell("The change is in the text. Ctrl+Z undoes it.")
        return
    studio.last_fixes = report, studio.editor.revision
    if report.in_one_line:
        studio.tell(report.in_one_line, seconds=6)
    else:
        await _show_report(studio, *studio.last_fixes)


async def _show_report(studio: SessionScreen, report: FixReport, revision: int) -> None:
    from studio.session.fixes import GoTo

    asked = await studio.session.host.ask(report)
    if isinstance(asked, GoTo):
        studio.go_to(asked.offset, revision)
    elif asked is not None and not _revert(studio, asked.fix, revision):
        studio.tell("The text has changed since: Ctrl+Z undoes it step by step.")


def _revert(studio: SessionScreen, fix: AppliedFix | None, revision: int) -> bool:
    """Revert a fix, or all of them; False where the text was changed since."""
    editor = studio.editor
    if fix is None:
        if editor.revision == revision:
            editor.action_undo()
            return True
        return False
    edits = fix.undoing(lambda offset: editor.carry(offset, revision), editor.document.slice)
    if edits is None:
        return False
    editor.apply_edits(edits)
    studio.tell("That fix is reverted.")
    return True
