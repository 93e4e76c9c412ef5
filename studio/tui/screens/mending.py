"""Walking the problems and mending them on the blueprint screen."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from engine.diagnostics import Diagnostic, Fix, Severity
from engine.text import visible
from studio.session.checking import Analysis

if TYPE_CHECKING:
    from engine.rules.fixes.application import AppliedFix, FixedText, LeftFix
    from engine.text import TextEdit
    from studio.session.fix_trials import FixTrials
    from studio.tui.dialogs.applied_fixes import ChangedPlace
    from studio.tui.screens.blueprint import BlueprintScreen


@dataclass(frozen=True, slots=True)
class FixRun:
    """What fixes changed at once, in the order of the text at `revision`, and what was left."""

    places: tuple[ChangedPlace, ...]
    left: tuple[LeftFix, ...]
    revision: int


class Mending:
    """What F4, F7, F8 and `f` do."""

    def __init__(self, screen: BlueprintScreen) -> None:
        self._screen = screen
        self._editor = screen.editor
        self._run: FixRun | None = None

    @cached_property
    def _trials(self) -> FixTrials:
        from studio.session.fix_trials import FixTrials

        return FixTrials(lambda: self._screen.app.javascript, self._screen.collections)

    def _say(self, message: str) -> None:
        self._screen.notify(message, timeout=3, markup=False)

    def step(self, analysis: Analysis, *, forwards: bool) -> None:
        """Put the cursor on the problem behind it, or before it, round the file."""
        carried = (self._editor.carry(each.span.start, analysis.revision) for each in analysis.diagnostics or ())
        starts = sorted({start for start in carried if start is not None})
        if not starts:
            self._say("There are no problems to go to.")
            return
        here = self._editor.cursor_offset
        index = bisect_right(starts, here) if forwards else bisect_left(starts, here) - 1
        self._screen.go_to(starts[index % len(starts)], self._editor.revision)

    def fix_at(self, analysis: Analysis, offset: int) -> None:
        """Mend the problem at `offset`, or the nearest on its line that can be mended."""
        found = nearest(analysis, offset, fixable=True) or nearest(analysis, offset)
        if found is None:
            others = "F8 goes to the next." if analysis.diagnostics else "There is none in the whole file."
            self._say(f"There is no problem on this line. {others}")
        else:
            self.fix(analysis, found)

    def fix(self, analysis: Analysis, diagnostic: Diagnostic) -> None:
        """Apply the one safe fix of `diagnostic` where it cures, or ask which."""
        fixes = intents(analysis, diagnostic)
        if not fixes:
            self._say("No fix is known for this problem: it is for you to decide.")
        elif self._may_begin(analysis.revision):
            is_clear = fixes[0].safe and len(fixes) == 1
            fixing = self._fix_at_once(analysis, diagnostic, fixes[0]) if is_clear else None
            self._begin(fixing or self._choose(analysis, diagnostic, fixes), "fix" if is_clear else "choosing")

    def offer(self, title: str, said: str, fix: Fix, revision: int) -> None:
        """Show a change of the text at `revision` that is no fix of a problem, to take or to leave."""
        if self._may_begin(revision):
            self._begin(self._ask_for(title, said, fix, revision), "choosing")

    def fix_all(self, analysis: Analysis) -> None:
        """Apply the safe fixes of all errors and warnings that cure, as one step."""
        if self._may_begin(analysis.revision):
            self._begin(self._fix_all(analysis), "fix")

    def show_changes(self) -> None:
        """List what the last fixes changed."""
        if self._run is None:
            self._say("No fix was applied yet. F4 fixes the problem at the cursor.")
        else:
            self._begin(self._list_changes(self._run), "changes")

    def _may_begin(self, revision: int) -> bool:
        """Whether the text may be changed, and is still the one at `revision`; else says why not."""
        if self._editor.read_only:
            self._say("This file is open read-only.")
        elif revision != self._editor.revision:
            self._say("The text changed since this was found. Try again in a moment.")
        else:
            return True
        return False

    def _begin(self, work: Coroutine[Any, Any, None], group: str) -> None:
        self._screen.run_worker(work, group=group, exclusive=True)

    async def _fix_at_once(self, analysis: Analysis, diagnostic: Diagnostic, fix: Fix) -> None:
        trials, parsed = self._trials, analysis.parsed
        objection = await asyncio.to_thread(trials.objection, parsed, diagnostic, fix)
        if not self._may_begin(analysis.revision):
            return
        if objection:
            self._begin(self._choose(analysis, diagnostic, (fix,)), "choosing")
        else:
            await self._apply_one(analysis, diagnostic, fix)

    async def _apply_one(self, analysis: Analysis, diagnostic: Diagnostic, fix: Fix) -> None:
        mended = await asyncio.to_thread(self._trials.one, analysis.parsed, diagnostic, fix)
        if self._may_begin(analysis.revision):
            self._apply(mended, fix.edits)

    async def _fix_all(self, analysis: Analysis) -> None:
        if not await asyncio.to_thread(self._trials.is_blueprint, analysis.parsed):
            self._say("Nothing was changed: this is no blueprint. F4 fixes one problem at a time.")
            return
        mended = await asyncio.to_thread(self._trials.all_safe, analysis.parsed)
        await self._apply_several(analysis, mended)

    async def _apply_several(self, analysis: Analysis, mended: FixedText) -> None:
        from engine.text import edits_between

        edits = await asyncio.to_thread(edits_between, analysis.parsed.text, mended.text)
        if not self._may_begin(analysis.revision):
            return
        if edits:
            self._apply(mended, edits)
        elif mended.left:
            first = mended.left[0]
            self._say(f"Nothing was changed. {first.diagnostic.slug}: “{first.fix.title}” {first.objection}.")
        else:
            self._say("There is nothing here that can only mean one thing. F4 shows the ways to mend a problem.")

    def _apply(self, mended: FixedText, edits: Sequence[TextEdit]) -> None:
        """Make the edits that lead to the text of `mended`, and say what changed: one place, or a list of several."""
        from engine.text import positions
        from studio.tui.dialogs.applied_fixes import ChangedPlace

        self._editor.apply_edits(edits)
        found = sorted(
            ((lines, fix) for fix in mended.changes for lines in fix.lines), key=lambda place: place[0].offset
        )
        at = positions(mended.text, [lines.offset for lines, _ in found])
        places = [ChangedPlace(position.line + 1, fix, lines) for (lines, fix), position in zip(found, at, strict=True)]
        self._run = FixRun(tuple(places), mended.left, self._editor.revision)
        if len(places) == 1 and not mended.left:
            self._screen.notify(in_one_line(places[0]), timeout=6, markup=False)
        else:
            self._begin(self._list_changes(self._run), "changes")

    async def _list_changes(self, run: FixRun) -> None:
        from studio.tui.dialogs.applied_fixes import AppliedFixes, GoTo, TakeBack

        match await self._screen.app.push_screen_wait(AppliedFixes(run.places, run.left)):
            case GoTo(offset=offset):
                self._screen.go_to(offset, run.revision)
            case TakeBack(fix=None):
                self._take_back_all(run)
            case TakeBack(fix=fix) if fix is not None:
                self._take_back(run, fix)
            case _:
                pass

    def _take_back_all(self, run: FixRun) -> None:
        if self._editor.revision == run.revision:
            self._editor.action_undo()
        else:
            self._say("The text went on since: Ctrl+Z takes it back step by step.")

    def _take_back(self, run: FixRun, fix: AppliedFix) -> None:
        """Put back what `fix` changed, where nothing else was written there since."""
        from engine.text import Span, TextEdit

        edits: list[TextEdit] = []
        for edit in fix.edits:
            start = self._editor.carry(edit.span.start, run.revision)
            end = (start or 0) + len(edit.inserted)
            if start is None or self._editor.document.slice(start, end) != edit.inserted:
                self._say("The text there changed since: Ctrl+Z takes it back step by step.")
                return
            edits.append(TextEdit(Span(start, end), edit.removed))
        self._editor.apply_edits(edits)
        self._say(f"Taken back: {fix.diagnostic.slug}.")

    def explain_at(self, analysis: Analysis, offset: int) -> None:
        """Open the page on the problem at `offset` or the nearest on its line, else on the check written there."""
        from studio.tui.screens.lookup import call_at, page_of

        found = nearest(analysis, offset)
        call = None if found is not None else call_at(analysis, offset)
        page = None if call is None else page_of(call)
        if found is not None:
            self.explain(found)
        elif page is not None:
            self._screen.app.push_screen(page)
        else:
            self._say("There is neither a problem nor a check on this line. F8 goes to the next problem.")

    def explain(self, diagnostic: Diagnostic) -> None:
        """Open the page of the rule that told of `diagnostic`."""
        from engine.rules.registry import rule_named
        from engine.rules.rule import standing
        from studio.tui.dialogs.page import Page

        rule = rule_named(diagnostic.slug)
        if rule is not None:
            self._screen.app.push_screen(Page(rule.slug, diagnostic.message, rule.page, standing(rule)))

    async def _choose(self, analysis: Analysis, diagnostic: Diagnostic, fixes: Sequence[Fix]) -> None:
        from studio.tui.dialogs.fixes import ChooseFix, Trials

        trials, parsed = self._trials, analysis.parsed
        known = Trials(
            objection=lambda fix: trials.objection(parsed, diagnostic, fix),
            effect=self._effect_of_fixes(min(edit.span.start for edit in fixes[0].edits)),
            everywhere=lambda fix: trials.everywhere(parsed, diagnostic, fix),
            reports=sum(each.code == diagnostic.code for each in analysis.diagnostics or ()),
        )
        dialog = ChooseFix(diagnostic.slug, diagnostic.message, fixes, parsed.text, known)
        chosen = await self._screen.app.push_screen_wait(dialog)
        if chosen is None:
            return
        if chosen.everywhere is not None:
            await self._apply_several(analysis, chosen.everywhere)
        else:
            await self._apply_one(analysis, diagnostic, chosen.fix)

    async def _ask_for(self, title: str, said: str, fix: Fix, revision: int) -> None:
        from studio.tui.dialogs.fixes import ChooseFix, Trials

        effect = self._effect_of_fixes(min(edit.span.start for edit in fix.edits))
        dialog = ChooseFix(title, said, (fix,), self._editor.text_out(), Trials(effect=effect))
        chosen = await self._screen.app.push_screen_wait(dialog)
        if chosen is not None and self._may_begin(revision):
            self._editor.apply_edits(chosen.fix.edits)

    def _effect_of_fixes(self, offset: int) -> Callable[[Fix], str | None] | None:
        """What fixes at `offset` do to the score of the prompt there."""
        from studio.tui.screens.weighing import weigher

        screen = self._screen
        if screen.analysis is None or screen.trying is None:
            return None
        prompt = screen.analysis.prompt_at(offset)
        run = None if prompt is None else screen.trying.newest(prompt)
        return weigher(screen.analysis, prompt, run, lambda: screen.app.javascript)


def in_one_line(place: ChangedPlace) -> str:
    """What changed at one place, and how to take it back: for a message that goes by itself."""
    head = f"Line {place.line}, {place.fix.diagnostic.slug}"
    before, after = place.lines.before, place.lines.after
    if len(before) == len(after) == 1:
        return visible(f"{head}: {before[0].strip()} → {after[0].strip()}\nCtrl+Z takes it back.")
    return visible(f"{head}: {place.fix.fix.title}.\nCtrl+Z takes it back.")


def intents(analysis: Analysis, diagnostic: Diagnostic) -> Sequence[Fix]:
    """The fixes of `diagnostic`; where none is the one thing to do, and it is no error, also that it is as intended."""
    fixes = diagnostic.fixes
    one_thing_to_do = len(fixes) == 1 and fixes[0].safe
    if diagnostic.severity is Severity.ERROR or one_thing_to_do:
        return fixes
    from engine.rules.suppression import as_intended

    said = {fix.title for fix in fixes}
    leave = as_intended(analysis.parsed.tree, diagnostic.span, diagnostic.slug)
    return (*fixes, *(fix for fix in leave if fix.title not in said))


def nearest(analysis: Analysis, offset: int, *, fixable: bool = False) -> Diagnostic | None:
    """Of the diagnostics (those with a fix alone) that touch the line of `offset`, the one at it, else the nearest."""
    line = analysis.lines.position(offset).line
    there = [
        each
        for each, place in zip(analysis.diagnostics or (), analysis.places, strict=True)
        if (each.fixes or not fixable) and place.line <= line <= analysis.lines.position(each.span.end).line
    ]
    return min(
        there,
        key=lambda each: (not each.span.start <= offset <= each.span.end, abs(each.span.start - offset)),
        default=None,
    )
