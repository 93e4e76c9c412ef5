"""Drafting points from an ideal with a judge's model, once the author agrees."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.blueprint.conversation import conversation
from engine.judging.judge_runner import DraftedPoints, DraftFailure, draft_points
from engine.judging.panel import PanelJudge
from engine.models.chat import Provider, ProviderError
from engine.models.definitions import variables_in
from engine.models.provider_registry import definition_of, resolve
from engine.rules.rubric_edits import insertion, why_not
from engine.study.good_answers import drafted_digest, remembered
from studio.session.analysis import Analysis
from studio.session.fixes import TextChange
from studio.session.host import Choice, Choose, Severity
from studio.session.parts import Part

if TYPE_CHECKING:
    from engine.files.user_settings import Settings

_TITLE = "Points drafted from the ideal"
_TEXT = "A model drafted these points from the ideal. Take only those that say what you mean."


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
            self._notify("Put the cursor into a prompt that has an ideal and no points.")
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
                "There is no room for points where this prompt is written: put its keys on lines of their own."
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
        """The points that the first judge's model drafts; None for none, and a notification says why."""
        header = analysis.parsed.blueprint.header
        judge = next(iter(self.runs.configuration.counted_panel(analysis.header).judges), None)
        if judge is None:
            self._notify("There is no judge to ask: see the problems at `judges`.")
            return None
        provider = await self._may_ask(judge, analysis)
        if provider is None:
            return None
        self._notify(f"Requesting points from {judge.model} …")
        found = await draft_points(
            prompt, judge.model, providers=lambda _, __: provider, system=conversation(prompt, header).system
        )
        match found:
            case DraftedPoints(points):
                return points
            case DraftFailure(message, advice):
                self.host.notify(f"{judge.model} {message}. {advice}".strip(), Severity.WARNING)
                return None

    async def _may_ask(self, judge: PanelJudge, analysis: Analysis) -> tuple[Provider, str] | None:
        """The provider of the judge's model, once the author agrees to send it the ideal; None if not."""
        custom = analysis.parsed.blueprint.header.models
        try:
            provider, name = await asyncio.to_thread(resolve, judge.model, None, custom)
        except ProviderError as error:
            text = " ".join(filter(None, (error.title, error.detail, error.advice)))
            self.host.notify(text, Severity.WARNING)
            return None
        recipient, variables = provider.recipient, variables_in(definition_of(judge.model, custom))
        agreed = f"{recipient} ({', '.join((*variables, 'ideals'))})"
        settings = await self.resources.settings.load()
        if recipient.startswith("this machine") or agreed in settings.consented:
            return provider, name
        beside = f" The values of {', '.join(variables)} go with them." if variables else ""
        text = (
            f"The messages of this prompt and its ideal go to {recipient}, where {judge.model} drafts points from "
            f"them.{beside} Nothing changes before you have seen them. Your provider may charge for it."
        )
        choices = [
            Choice("send", f"Send to {recipient}", "You are not asked about ideals to this recipient again."),
            Choice("stay", "Do not send"),
        ]
        if await self.host.ask(Choose("Text would leave this machine", text, choices)) != "send":
            return None
        await self.resources.settings.change(lambda settings: settings.consented.append(agreed))
        return provider, name
