"""Walking the problems and mending them on the blueprint screen."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engine.diagnostics import Diagnostic, Fix, Severity
from studio.checking import Analysis

if TYPE_CHECKING:
    from engine.rules.fixing import Mended
    from engine.text import TextEdit
    from studio.screens.blueprint import BlueprintScreen


class Mending:
    """What F4, F7, F8 and `f` do."""

    def __init__(self, screen: BlueprintScreen) -> None:
        self._screen = screen
        self._editor = screen.editor

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
            self._say("No fix is known for what is on this line. F8 goes to the next problem.")
        else:
            self.fix(analysis, found)

    def fix(self, analysis: Analysis, diagnostic: Diagnostic) -> None:
        """Apply the one safe fix of `diagnostic`, or ask which."""
        fixes = intents(analysis, diagnostic)
        if fixes:
            self.apply_one(diagnostic.slug, diagnostic.message, fixes, analysis.revision)
        else:
            self._say("No fix is known for this problem: it is for you to decide.")

    def apply_one(self, title: str, said: str, fixes: Sequence[Fix], revision: int) -> None:
        """Apply the only safe fix of the text at `revision`, or ask which; never to a text that went on meanwhile."""
        if self._editor.read_only:
            self._say("This file is open read-only.")
        elif revision != self._editor.revision:
            self._say("The text changed since this was found. Try again in a moment.")
        elif fixes[0].safe and len(fixes) == 1:
            self._editor.apply_edits(fixes[0].edits)
        else:
            self._screen.run_worker(self._ask(title, said, fixes, revision), group="fix", exclusive=True)

    def fix_all(self, analysis: Analysis) -> None:
        """Apply the safe fixes of all problems as one step; those at the same place wait for the next time."""
        if self._editor.read_only:
            self._say("This file is open read-only.")
        else:
            self._screen.run_worker(self._fix_all(analysis), group="fix", exclusive=True)

    async def _fix_all(self, analysis: Analysis) -> None:
        if analysis.revision != self._editor.revision:
            self._say("The text changed since this was found. Try again in a moment.")
            return
        mended, edits = await asyncio.to_thread(self._mended, analysis)
        if analysis.revision != self._editor.revision:
            self._say("The text changed meanwhile. Try again in a moment.")
        elif not edits:
            self._say("There is nothing here that can only mean one thing. F4 shows the ways to mend a problem.")
        else:
            self._editor.apply_edits(edits)
            self._say("1 fix applied." if mended.applied == 1 else f"{mended.applied} fixes applied.")

    def _mended(self, analysis: Analysis) -> tuple[Mended, Sequence[TextEdit]]:
        """What the safe fixes make of the text, and the edits that lead there. Blocks."""
        from engine.rules.fixing import mend
        from engine.text import edits_between
        from engine.workspace.project import Projects

        parsed, screen = analysis.parsed, self._screen
        choice = Projects().of(screen.keeping.file.path).choice
        mended = mend(parsed.text, parsed.path, screen.app.javascript, choice=choice, collections=screen.collections)
        return mended, edits_between(parsed.text, mended.text)

    def explain_at(self, analysis: Analysis, offset: int) -> None:
        """Open the page on the problem at `offset` or the nearest on its line, else on the check written there."""
        from studio.screens.lookup import call_at, page_of

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
        from engine.rules import find
        from engine.rules.registry import standing
        from studio.dialogs.page import Page

        rule = find(diagnostic.slug)
        if rule is not None:
            self._screen.app.push_screen(Page(rule.slug, diagnostic.message, rule.page, standing(rule)))

    async def _ask(self, title: str, said: str, fixes: Sequence[Fix], revision: int) -> None:
        from studio.dialogs.fixes import ChooseFix

        effect = self._effect_of_fixes(min(edit.span.start for edit in fixes[0].edits))
        fix = await self._screen.app.push_screen_wait(ChooseFix(title, said, fixes, self._editor.text_out(), effect))
        if fix is not None and self._editor.revision == revision:
            self._editor.apply_edits(fix.edits)

    def _effect_of_fixes(self, offset: int) -> Callable[[Fix], str | None] | None:
        """What fixes at `offset` do to the score of the prompt there."""
        from studio.screens.weighing import weigher

        screen = self._screen
        if screen.analysis is None or screen.trying is None:
            return None
        prompt = screen.analysis.prompt_at(offset)
        run = None if prompt is None else screen.trying.newest(prompt)
        return weigher(screen.analysis, prompt, run, lambda: screen.app.javascript)


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
