"""Fixing problems: the question to the author, the edits, undoing one of them; and criteria drafted from an ideal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from engine.asking.planner import Wanted
from engine.blueprint import Prompt
from engine.blueprint.conversation import conversation
from engine.evaluation.headline import Effect, edited, effect_of
from engine.judging.judge_prompt import drafted_digest, remembered
from engine.judging.judge_runner import Draft, DraftFailure, draft_points
from engine.parsing.recognition import kind_of
from engine.rules.fixes import (
    AppliedFix,
    ChangedLines,
    FixedText,
    FixTrial,
    LeftFix,
    apply_fixes,
    apply_one,
    safe_fix,
    same_choice,
)
from engine.rules.rubric_edits import insertion, why_not
from engine.rules.selection import EVERYTHING, SettingsCache
from engine.rules.suppression import as_intended
from engine.text.diagnostics import Diagnostic, Fix
from engine.text.diagnostics import Severity as Level
from engine.text.record import Record, replace
from engine.text.spans import TextEdit, edits_between, positions, visible
from studio.session.analysis import Analysis
from studio.session.host import FixDetails, FixQuestion, Question, Severity
from studio.session.reference import heading_of
from studio.session.run_consent import AuthorApproval
from studio.session.state import Part

if TYPE_CHECKING:
    from engine.files.user_settings import Settings
    from engine.parsing import Parsed
    from studio.session.session import Session


Value = TypeVar("Value")
_DRAFTED = "Criteria drafted from the ideal"
_DRAFTED_TEXT = "A model drafted these criteria from the ideal. Take only those that say what you mean."
_DRAFTED_NOTE = "A model drafts criteria from the ideal. Nothing changes before you have seen them."
_NO_ROOM = "There is no room for criteria where this prompt is written: put its keys on lines of their own."
_NO_FIX = "There is no fix for this problem: it is for you to decide."
_NO_LONGER = "The text changed since this was found. Try again in a moment."

_LONGEST_CHANGE = 160
"""Characters of a changed line, before and after, that a message quotes."""


class ChangedPlace(Record):
    """One place that a fix changed; `line` from 1, in the text as it is after all fixes."""

    line: int
    fix: AppliedFix
    lines: ChangedLines


class GoTo(Record):
    """Go to this offset of the text after all fixes."""

    offset: int


class Revert(Record):
    """Revert this fix; None reverts all of them."""

    fix: AppliedFix | None


class FixReport(Question[GoTo | Revert]):
    """The places that fixes changed, in the order of the text, and the fixes that were left out, with the reason."""

    places: tuple[ChangedPlace, ...]
    left: tuple[LeftFix, ...]

    @property
    def in_one_line(self) -> str:
        """The change and how to undo it, if it is one place and nothing was left out; else ""."""
        if len(self.places) != 1 or self.left:
            return ""
        place = self.places[0]
        before, after = place.lines.before, place.lines.after
        is_line = len(before) == len(after) == 1
        change = f"{before[0].strip()} → {after[0].strip()}" if is_line else ""
        what = change if 0 < len(change) <= _LONGEST_CHANGE else f"{place.fix.fix.title}."
        return visible(f"Line {place.line}: {what}\nCtrl+Z undoes it.")


class TextChange(Record):
    """Edits of the text at `revision`, as one step of undo. `report` lists what they change."""

    revision: int
    edits: Sequence[TextEdit]
    report: FixReport | None = None


class Fixes(Part):
    """Turns fixes into edits. The editor owns the text and applies them."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._lock = Lock()
        self._newest: FixTrial | None = None

    async def at(self, offset: int | None = None, *, whole_rule: bool = False) -> TextChange | None:
        """Fix the problem at an offset of the newest text, by default the cursor's, or the nearest on its line.

        `whole_rule`: fix all problems of its rule. The change to make, None for none.
        """
        if self.session.refuses_change():
            return None
        analysis, at = await self.session.checked(), self.state.cursor if offset is None else offset
        found = nearest(analysis, at, fixable=True) or nearest(analysis, at)
        if found is None:
            others = "F8 goes to the next." if analysis.diagnostics else "There is none in the whole file."
            self._notify(f"There is no problem on this line. {others}")
        return None if found is None else await self.shown(found, whole_rule=whole_rule)

    async def shown(
        self, diagnostic: Diagnostic, *, of_several: bool = False, whole_rule: bool = False
    ) -> TextChange | None:
        """Fix one of the problems that are shown: its only, safe fix if nothing speaks against that, else the one that
        the author chooses.

        With `of_several` the author always chooses, between this problem and all of its rule. With `whole_rule`, the
        fixes to choose from are those of `diagnostic`; if it has none, of the first problem of its rule that has some.
        """
        analysis = self.state.analysis
        if analysis is None or self.session.refuses_change():
            return None
        of_rule = [each for each in analysis.diagnostics or () if each.code == diagnostic.code and whole_rule]
        candidates = ((each, intents(analysis, each)) for each in (diagnostic, *of_rule))
        found, fixes = next(((each, fixes) for each, fixes in candidates if fixes), (diagnostic, ()))
        if not fixes:
            self._notify(_NO_FIX)
            return None
        if not self._is_current(analysis.revision):
            return None
        is_certain = len(fixes) == 1 and fixes[0].safe and not (of_several or whole_rule)
        if is_certain and not await asyncio.to_thread(self._objection, analysis.parsed, diagnostic, fixes[0]):
            return await self._one(analysis, diagnostic, fixes[0])
        return await self._choose(analysis, found, fixes, for_all=len(of_rule) > 1)

    async def all_safe(self) -> TextChange | None:
        """Apply the safe fixes of all errors and warnings, as one step; those that do not cure are left out."""
        if self.session.refuses_change():
            return None
        analysis = await self.session.checked()
        if not await asyncio.to_thread(lambda: kind_of(analysis.parsed).may_be_fixed):
            self._notify("Nothing was changed: this is not a blueprint. F4 fixes one problem at a time.")
            return None
        safe = partial(self._tried, analysis.parsed, lambda trial: apply_fixes(trial, safe_fix))
        return await self._several(analysis, await asyncio.to_thread(safe))

    async def offer(self, title: str, text: str, fix: Fix, revision: int) -> TextChange | None:
        """Offer a change of the text at `revision` that fixes no problem, such as drafted points."""
        if not self._is_current(revision):
            return None
        effect = self._effect(min(edit.span.start for edit in fix.edits))
        question = FixQuestion(title, text, (fix,), self.state.text.text, FixDetails(effect=effect))
        chosen = await self.host.ask(question)
        return None if chosen is None else TextChange(revision, chosen.fix.edits)

    async def _choose(
        self, analysis: Analysis, diagnostic: Diagnostic, fixes: Sequence[Fix], *, for_all: bool = False
    ) -> TextChange | None:
        parsed = analysis.parsed
        known = FixDetails(
            objection=partial(self._objection, parsed, diagnostic),
            effect=self._effect(min(edit.span.start for edit in fixes[0].edits)),
            everywhere=partial(self._everywhere, parsed, diagnostic),
            reports=sum(each.code == diagnostic.code for each in analysis.diagnostics or ()),
        )
        title = f"{'Fix' if diagnostic.fixes else 'Mark as intended'}: {heading_of(diagnostic)}"
        chosen = await self.host.ask(FixQuestion(title, diagnostic.message, fixes, parsed.text, known, for_all=for_all))
        if chosen is None:
            return None
        if chosen.everywhere is not None:
            return await self._several(analysis, chosen.everywhere)
        return await self._one(analysis, diagnostic, chosen.fix)

    async def _one(self, analysis: Analysis, diagnostic: Diagnostic, fix: Fix) -> TextChange:
        apply = partial(self._tried, analysis.parsed, lambda trial: apply_one(trial, diagnostic, fix))
        return TextChange(analysis.revision, fix.edits, report_of(await asyncio.to_thread(apply)))

    async def _several(self, analysis: Analysis, fixed: FixedText) -> TextChange | None:
        edits = await asyncio.to_thread(edits_between, analysis.parsed.text, fixed.text)
        if edits:
            return TextChange(analysis.revision, edits, report_of(fixed))
        if fixed.left:
            first = fixed.left[0]
            self._notify(f"Nothing was changed. {first.diagnostic.slug}: “{first.fix.title}” {first.objection}.")
        else:
            self._notify("There is no problem with a safe fix. F4 shows the ways to fix a problem.")
        return None

    def _is_current(self, revision: int) -> bool:
        """Whether the text is still the one at `revision`; otherwise notifies the author."""
        if revision != self.state.text.revision:
            self._notify(_NO_LONGER)
            return False
        return True

    def _tried(self, parsed: Parsed, work: Callable[[FixTrial], Value]) -> Value:
        """What `work` makes of a trial of fixes on a text, its own, with the rules of its project. Blocks.

        The diagnostics of the newest text are remembered. Calls from several threads wait for each other.
        """
        with self._lock:
            newest = self._newest
            if newest is None or newest.text != parsed.text or newest.parsed.path != parsed.path:
                selection = EVERYTHING if parsed.path is None else SettingsCache().of(parsed.path).selection
                javascript, collections = self.resources.javascript(), self.session.collections_folder
                newest = FixTrial(parsed.text, parsed.path, javascript, selection=selection, collections=collections)
                self._newest = newest
            return work(newest.copy())

    def _objection(self, parsed: Parsed, diagnostic: Diagnostic, fix: Fix) -> str:
        """What speaks against `fix`; "" if it cures the problem. Blocks."""
        return self._tried(parsed, lambda trial: trial.outcome(diagnostic, fix).objection)

    def _everywhere(self, parsed: Parsed, diagnostic: Diagnostic, fix: Fix) -> FixedText:
        """The text after the same choice for all reports of the rule that it cures. Blocks."""
        return self._tried(parsed, lambda trial: apply_fixes(trial, same_choice(fix, diagnostic, trial)))

    def _effect(self, offset: int) -> Callable[[Fix], str | None]:
        """A function that describes the effect of a fix at `offset` on the score of the prompt there, and blocks. It is
        unknown without an answer or an ideal."""
        analysis, runs, javascript = self.state.analysis, self.session.runs, self.resources.javascript
        prompt = None if analysis is None else analysis.prompt_at(offset)
        if analysis is None or prompt is None:
            return lambda _fix: None
        ideal, loop = prompt.ideal, asyncio.get_running_loop()
        shown = None if runs is None else runs.selection.of(prompt)
        has_answer = shown is not None and shown.response is not None and bool(shown.response.subject)

        def describe(fix: Fix) -> str | None:
            if runs is None or shown is None or not has_answer:
                found = effect_of(analysis.parsed, prompt.index, fix.edits, ideal, javascript()) if ideal else None
                return found and f"{found}   with the ideal"
            after = edited(analysis.parsed, prompt.index, fix.edits)
            if after is None or shown.headline is None:
                return None
            changed = replace(shown, prompt=after.after)
            scoring = runs.evaluator.rescored(changed, after.blueprint)
            now = asyncio.run_coroutine_threadsafe(scoring, loop).result()
            if now is changed or now.headline is None:
                return None
            return f"{Effect(shown.headline, now.headline)}   with {shown.label}"

        return describe

    def _notify(self, message: str, seconds: float = 3) -> None:
        self.host.notify(message, seconds=seconds)

    # --- Drafting criteria from an ideal

    async def draft(self) -> TextChange | None:
        """Draft points from the ideal of the prompt under the cursor, and offer them as a change.

        None if the author takes none, or there are none, and a notification says why.
        """
        if self.session.refuses_change():
            return None
        await self.session.ready()
        analysis = await self.session.checked()
        prompt = analysis.prompt_at(self.state.cursor)
        if prompt is None:
            self._notify("Put the cursor into a prompt that has an ideal and no criteria.", 6)
            return None
        if (reason := why_not(prompt)) is not None:
            self._notify(reason, 6)
            return None
        points = await self._drafted(analysis, prompt)
        if points is None:
            return None
        fix = insertion(analysis.parsed, prompt, points)
        if fix is None:
            self._notify(_NO_ROOM, 6)
            return None
        change = await self.offer(_DRAFTED, _DRAFTED_TEXT, fix, analysis.revision)
        if change is not None:
            new = tuple(drafted_digest(prompt, point) for point in points)

            def remember(settings: Settings) -> None:
                settings.drafted = remembered(settings.drafted, new)

            await self.resources.settings.change(remember)
        return change

    async def _drafted(self, analysis: Analysis, prompt: Prompt) -> tuple[str, ...] | None:
        """The points that the first judge's model drafts, once the author agrees; None for none.

        A notification says why.
        """
        judge = next(iter(self.runs.evaluator.counted_panel(analysis.header).judges), None)
        if judge is None:
            self._notify("There is no judge to ask: see the problems at `judges`.", 6)
            return None
        draft = Draft(prompt, judge.model, conversation(prompt, analysis.header).system, judge.base_url)
        approval = AuthorApproval(self.host, self.resources.settings, note=_DRAFTED_NOTE)
        planned = await approval.approve(Wanted(analysis.blueprint, draft=draft))
        if planned is None:
            return None
        self._notify(f"Requesting criteria from {judge.model} …", 6)
        found = await draft_points(draft, providers=planned.models)
        if isinstance(found, DraftFailure):
            self.host.notify(f"{judge.model} {found.message}. {found.advice}".strip(), Severity.WARNING)
            return None
        return found


def report_of(fixed: FixedText) -> FixReport:
    """The report on `fixed`."""
    found = sorted(((lines, fix) for fix in fixed.changes for lines in fix.lines), key=lambda place: place[0].offset)
    at = positions(fixed.text, [lines.offset for lines, _ in found])
    places = [ChangedPlace(position.line + 1, fix, lines) for (lines, fix), position in zip(found, at, strict=True)]
    return FixReport(tuple(places), fixed.left)


def intents(analysis: Analysis, diagnostic: Diagnostic) -> Sequence[Fix]:
    """The fixes of `diagnostic`; also a suppression, unless it is an error or its only fix is safe."""
    fixes = diagnostic.fixes
    has_one_safe_fix = len(fixes) == 1 and fixes[0].safe
    if diagnostic.severity is Level.ERROR or has_one_safe_fix:
        return fixes
    titles = {fix.title for fix in fixes}
    leave = as_intended(analysis.parsed.tree, diagnostic.span, diagnostic.slug)
    return (*fixes, *(fix for fix in leave if fix.title not in titles))


def nearest(analysis: Analysis, offset: int, *, fixable: bool = False) -> Diagnostic | None:
    """Of the diagnostics on the line of `offset`, the one at it, else the nearest. `fixable`: only those with a fix."""
    line = analysis.parsed.lines.position(offset).line
    found = [
        each
        for each, place in zip(analysis.diagnostics or (), analysis.positions, strict=True)
        if (each.fixes or not fixable) and place.line <= line <= analysis.parsed.lines.position(each.span.end).line
    ]
    return min(
        found,
        key=lambda each: (not each.span.start <= offset <= each.span.end, abs(each.span.start - offset)),
        default=None,
    )
