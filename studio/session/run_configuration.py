"""The run configuration of a file: sources of answers, variants, the candidate that is shown, and judges."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from engine.evaluation.sources import Candidate, IdealSource
from studio.session.answer_choice import AnswerChoice, from_saved, label_of, saved_form, shorter_labels
from studio.session.changes import Change
from studio.session.host import Severity
from studio.session.model_status import choices
from studio.session.questions import AnswerQuestion, JudgeQuestion
from studio.session.session_context import SessionContext

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Header
    from engine.files.user_settings import Settings
    from engine.judging.panel import JudgesAs, Panel

_THE_IDEAL = AnswerChoice((IdealSource(),))


class RunConfiguration:
    """The run configuration of one file, which the settings remember by its path."""

    def __init__(self, context: SessionContext) -> None:
        self._document = context.document
        self._settings = context.resources.settings
        self._host = context.host
        self._changes = context.changes
        self._shown = 0
        self._found: tuple[Header, AnswerChoice | None, tuple[Candidate, ...]] | None = None
        self.answers: AnswerChoice | None = None
        """Where answers come from; None until the author chooses."""
        self.judges_as: JudgesAs | None = None
        """Which judges grade points in words; None for the author alone."""

    async def restore(self) -> None:
        """Restore the choices that were last made for this file."""
        settings = await self._settings.load()
        saved = settings.answers.get(self._settings_key)
        if saved is not None:
            from engine.judging.panel import JudgesAs

            self.answers = from_saved(saved)
            self.judges_as = JudgesAs(saved.judges) if saved.judges in list(JudgesAs) else None
            self._changes.publish(Change.CONFIGURATION)

    @property
    def _settings_key(self) -> str:
        """The path of the file, as the settings can hold it: names on disk need not be UTF-8."""
        return str(self._document.path).encode("utf-8", "backslashreplace").decode("utf-8")

    # --- Candidates

    def candidates(self, header: Header) -> tuple[Candidate, ...]:
        """All candidates that run together, at least one. Cached, as it is called for each word of an answer."""
        if self._found is None or self._found[0] is not header or self._found[1] is not self.answers:
            usual, answers = self._settings.values, self.answers or _THE_IDEAL
            self._found = header, self.answers, answers.candidates(header, usual.max_tokens, usual.answer_seconds)
        return self._found[2]

    def candidate(self, header: Header) -> Candidate:
        """The candidate whose results are shown, and with which all prompts are run."""
        found = self.candidates(header)
        return found[self._shown % len(found)]

    def label(self, header: Header | None) -> str:
        """The name of the sources of answers on the screen."""
        return label_of(self.candidates(header)) if header is not None else label_of(())

    def shorter_labels(self, header: Header | None) -> tuple[str, ...]:
        """Shorter forms of that name, the longest first."""
        return shorter_labels(self.candidates(header)) if header is not None else ()

    def show_next(self, header: Header, by: int = 1) -> None:
        """Show the results of the next candidate."""
        count = len(self.candidates(header))
        self._shown = (self._shown % count + by) % count
        self._changes.publish(Change.CONFIGURATION)

    def show(self, header: Header, key: str) -> bool:
        """Show the results of the candidate with this key; whether there is one."""
        keys = [each.key for each in self.candidates(header)]
        if key in keys:
            self._shown = keys.index(key)
            self._changes.publish(Change.CONFIGURATION)
        return key in keys

    async def ask(self, *, has_ideal: bool) -> AnswerChoice | None:
        """Ask where answers come from; the new choice, None if the present one stays."""
        analysis = self._document.analysis
        assert analysis is not None
        question = AnswerQuestion(
            self.answers,
            has_ideal,
            analysis.models,
            await asyncio.to_thread(choices, analysis.models),
            analysis.header,
            self._document.path,
            self._settings.values.max_tokens,
        )
        answers = await self._host.ask(question)
        if answers is not None:
            await self.choose(answers)
        return answers

    async def choose(self, answers: AnswerChoice) -> None:
        """Set where answers come from."""
        self.answers, self._shown = answers, 0
        self._changes.publish(Change.CONFIGURATION)
        await self._remember()

    @property
    def settings(self) -> Settings | None:
        """The author's settings; None before they are loaded."""
        return self._settings.known

    # --- Judges

    @property
    def judges_label(self) -> str:
        """What the status line adds to the sources of answers: whether judges are asked."""
        match None if self.judges_as is None else self.judges_as.value:
            case None:
                return ""
            case "documented":
                return " · judged"
            case _:
                return " · judged as on Weval"

    async def ask_judges(self, header: Header) -> bool:
        """Ask which judges grade points in words; whether the author chose."""
        chosen = await self._host.ask(JudgeQuestion(header, self.judges_as))
        if chosen is not None:
            self.judges_as = chosen.judges_as
            self._changes.publish(Change.CONFIGURATION)
            await self._remember()
        return chosen is not None

    def counted_panel(self, header: Header) -> Panel:
        """The judges whose verdicts count: those chosen, else the documented ones."""
        from engine.judging.panel import JudgesAs, panel

        return panel(header, self.judges_as or JudgesAs.DOCUMENTED)

    def panel(self, blueprint: Blueprint) -> Panel | None:
        """The judges chosen; None if there are none. A notification says so if some were chosen."""
        if self.judges_as is None:
            return None
        from engine.judging.panel import panel

        found = panel(blueprint.header, self.judges_as)
        if found.judges:
            return found
        self._host.notify(f"There is no judge to ask: {'; '.join(found.left_out)}.", Severity.WARNING)
        return None

    async def _remember(self) -> None:
        saved = saved_form(self.answers or _THE_IDEAL, "" if self.judges_as is None else self.judges_as.value)
        key = self._settings_key
        await self._settings.change(lambda settings: settings.answers.update({key: saved}))
