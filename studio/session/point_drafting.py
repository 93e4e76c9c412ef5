"""Drafting points from an ideal with a judge's model, once the author agrees."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.blueprint.conversation import conversation
from engine.judging.judge_runner import DraftedPoints, DraftFailure, draft_points
from engine.judging.panel import JudgesAs, PanelJudge, panel
from engine.models.chat import Provider, ProviderError
from engine.models.definitions import variables_in
from engine.models.provider_registry import definition_of, resolve
from engine.rules.rubric_edits import insertion, why_not
from engine.study.good_answers import drafted_digest, remembered
from engine.text.diagnostics import Fix
from studio.session.analysis import Analysis
from studio.session.host import Choice, Choose, Severity
from studio.session.parts import Part

if TYPE_CHECKING:
    from engine.files.user_settings import Settings
    from studio.session.session import Session

DRAFTED_TITLE = "Points drafted from the ideal"
DRAFTED_TEXT = "A model drafted these points from the ideal. Take only those that say what you mean."


class PointDrafting(Part):
    """Drafts points with the model of a judge."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._drafted: tuple[str, ...] = ()

    async def remember(self) -> None:
        """Remember that the author took the points that were drafted last."""
        new = self._drafted

        def add(settings: Settings) -> None:
            settings.drafted = remembered(settings.drafted, new)

        await self.resources.settings.change(add)

    async def draft(self, analysis: Analysis, prompt: Prompt | None) -> Fix | None:
        """The drafted points of `prompt` as a change to offer; None if there are none, and a notification says why."""
        if prompt is None:
            self._notify("Put the cursor into a prompt that has an ideal and no points.")
        elif (reason := why_not(prompt)) is not None:
            self._notify(reason)
        else:
            return await self._draft(analysis, prompt)
        return None

    def _notify(self, message: str) -> None:
        self.host.notify(message, seconds=6)

    async def _draft(self, analysis: Analysis, prompt: Prompt) -> Fix | None:
        header = analysis.parsed.blueprint.header
        judge = self._judge(analysis)
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
                self._drafted = tuple(drafted_digest(prompt, point) for point in points)
                return self._inserting(analysis, prompt, points)
            case DraftFailure(message, advice):
                self.host.notify(f"{judge.model} {message}. {advice}".strip(), Severity.WARNING)
                return None

    def _judge(self, analysis: Analysis) -> PanelJudge | None:
        """The first judge of the file, by the author's choice or else as documented."""
        judges_as = self.runs.configuration.judges_as or JudgesAs.DOCUMENTED
        judges = panel(analysis.header, judges_as).judges
        return judges[0] if judges else None

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

    def _inserting(self, analysis: Analysis, prompt: Prompt, points: tuple[str, ...]) -> Fix | None:
        fix = insertion(analysis.parsed, prompt, points)
        if fix is None:
            self._notify(
                "There is no room for points where this prompt is written: put its keys on lines of their own."
            )
        return fix
