"""Drafting points from an ideal with a judge's model, once the author agrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.asking.planner import Wanted
from engine.blueprint import Prompt
from engine.blueprint.conversation import conversation
from engine.judging.judge_prompt import drafted_digest, remembered
from engine.judging.judge_runner import Draft, DraftFailure, draft_points
from engine.rules.rubric_edits import insertion, why_not
from studio.session.analysis import Analysis
from studio.session.fixes import TextChange
from studio.session.host import Severity
from studio.session.run_consent import AuthorApproval
from studio.session.state import Part

if TYPE_CHECKING:
    from engine.files.user_settings import Settings

_TITLE = "Criteria drafted from the ideal"
_TEXT = "A model drafted these criteria from the ideal. Take only those that say what you mean."
_NOTE = "A model drafts criteria from the ideal. Nothing changes before you have seen them."


class PointDrafting(Part):
    """Drafts points with the model of a judge."""

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
            self._notify("Put the cursor into a prompt that has an ideal and no criteria.")
            return None
        if (reason := why_not(prompt)) is not None:
            self._notify(reason)
            return None
        points = await self._drafted(analysis, prompt)
        if points is None:
            return None
        fix = insertion(analysis.parsed, prompt, points)
        if fix is None:
            self._notify(
                "There is no room for criteria where this prompt is written: put its keys on lines of their own."
            )
            return None
        change = await self.session.fixes.offer(_TITLE, _TEXT, fix, analysis.revision)
        if change is not None:
            new = tuple(drafted_digest(prompt, point) for point in points)

            def remember(settings: Settings) -> None:
                settings.drafted = remembered(settings.drafted, new)

            await self.resources.settings.change(remember)
        return change

    def _notify(self, message: str) -> None:
        self.host.notify(message, seconds=6)

    async def _drafted(self, analysis: Analysis, prompt: Prompt) -> tuple[str, ...] | None:
        """The points that the first judge's model drafts, once the author agrees; None for none.

        A notification says why.
        """
        judge = next(iter(self.runs.evaluator.counted_panel(analysis.header).judges), None)
        if judge is None:
            self._notify("There is no judge to ask: see the problems at `judges`.")
            return None
        draft = Draft(prompt, judge.model, conversation(prompt, analysis.header).system, judge.base_url)
        approval = AuthorApproval(self.host, self.resources.settings, note=_NOTE)
        planned = await approval.approve(Wanted(analysis.blueprint, draft=draft))
        if planned is None:
            return None
        self._notify(f"Requesting criteria from {judge.model} …")
        found = await draft_points(draft, providers=planned.models)
        if isinstance(found, DraftFailure):
            self.host.notify(f"{judge.model} {found.message}. {found.advice}".strip(), Severity.WARNING)
            return None
        return found
