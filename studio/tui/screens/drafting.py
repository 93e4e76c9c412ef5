"""Drafting points from an ideal: who is asked, what the author agrees to first, and the points to take or to leave."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from studio.session.checking import Analysis

if TYPE_CHECKING:
    from engine.judging.panel import PanelJudge
    from engine.providers.chat import Provider
    from studio.tui.screens.blueprint import BlueprintScreen

_TITLE = "points drafted from the ideal"


class Drafting:
    """What “Draft points from the ideal” does on one screen."""

    def __init__(self, screen: BlueprintScreen) -> None:
        self._screen = screen

    def draft_at(self, analysis: Analysis, offset: int) -> None:
        """Draft points for the prompt at `offset`, or say why not."""
        from engine.rules.edits.drafted_points import why_not

        prompt = analysis.prompt_at(offset)
        if prompt is None:
            self._say("Put the cursor into a prompt that has an ideal and no points.")
        elif (reason := why_not(prompt)) is not None:
            self._say(reason)
        elif self._screen.editor.read_only:
            self._say("This file is open read-only.")
        else:
            self._screen.run_worker(self._draft(analysis, prompt), group="drafting", exclusive=True)

    def _say(self, message: str) -> None:
        self._screen.notify(message, timeout=6, markup=False)

    async def _draft(self, analysis: Analysis, prompt: Prompt) -> None:
        from engine.conversation import conversation
        from engine.judging.point_extraction import Drafted, NotDrafted, draft_points

        header = analysis.parsed.blueprint.header
        judge = self._judge(analysis)
        if judge is None:
            self._say("There is no judge to ask: see the problems at `judges`.")
            return
        provider = await self._may_ask(judge, analysis)
        if provider is None:
            return
        self._say(f"Asking {judge.model} for points …")
        found = await draft_points(
            prompt, judge.model, providers=lambda _, __: provider, system=conversation(prompt, header).system
        )
        match found:
            case Drafted(points):
                self._offer(analysis, prompt, points)
            case NotDrafted(told, advice):
                self._screen.notify(f"{judge.model} {told}. {advice}".strip(), severity="warning", markup=False)

    def _judge(self, analysis: Analysis) -> PanelJudge | None:
        """The first of the judges that are chosen for this file, else of those that the blueprint asks for."""
        from engine.judging.panel import panel
        from engine.judging.scale import JudgesAs

        trying = self._screen.trying
        judges_as = trying.choosing.judges_as if trying is not None else None
        judges = panel(analysis.parsed.blueprint.header, judges_as or JudgesAs.DOCUMENTED).judges
        return judges[0] if judges else None

    async def _may_ask(self, judge: PanelJudge, analysis: Analysis) -> tuple[Provider, str] | None:
        """Where the judge's model is asked, once the author lets it have the ideal (DESIGN, law 7)."""
        from engine.providers import resolve
        from engine.providers.chat import ProviderError
        from engine.providers.provider_registry import definition_of
        from engine.providers.variables import variables_in
        from studio.tui.dialogs.ask import Ask, Choice

        custom = analysis.parsed.blueprint.header.models
        try:
            provider, name = await asyncio.to_thread(resolve, judge.model, None, custom)
        except ProviderError as error:
            said = " ".join(filter(None, (error.title, error.detail, error.advice)))
            self._screen.notify(said, severity="warning", markup=False)
            return None
        recipient, variables = provider.recipient, variables_in(definition_of(judge.model, custom))
        agreed = f"{recipient} ({', '.join((*variables, 'ideals'))})"
        settings = self._screen.app.settings
        if recipient.startswith("this machine") or agreed in settings.consented:
            return provider, name
        beside = f" With them goes what is in {', '.join(variables)}." if variables else ""
        said = (
            f"The messages of this prompt and its ideal go to {recipient}, where {judge.model} drafts points from "
            f"them.{beside} Nothing changes before you have seen them. Your provider may charge for it."
        )
        choices = [
            Choice("send", f"Send to {recipient}", "You are not asked about ideals to this recipient again."),
            Choice("stay", "Do not send"),
        ]
        if await self._screen.app.push_screen_wait(Ask("A text would leave this machine", said, choices)) != "send":
            return None
        settings.consented.append(agreed)
        self._screen.app.keep_settings()
        return provider, name

    def _offer(self, analysis: Analysis, prompt: Prompt, points: tuple[str, ...]) -> None:
        """Show the points as a change of the text: Enter makes it, undo takes it back."""
        from engine.rules.edits.drafted_points import insertion

        fix = insertion(analysis.parsed, prompt, points)
        if fix is None:
            self._say("There is no room for points where this prompt is written: put its keys on lines of their own.")
            return
        said = "A model drafted these points from the ideal. Take them only where they say what you mean."
        self._screen.mending.offer(_TITLE, said, fix, analysis.revision)
