"""What a file is run with: where answers come from, in which variants, which of them is shown, and who judges."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.evaluation.candidates import Candidate
from engine.evaluation.sources import IdealSource
from studio.session.answer_choice import Answers, as_remembered, label_of, remembered
from studio.session.checking import Analysis

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Header, Prompt
    from engine.judging.panel import Panel
    from engine.judging.scale import JudgesAs
    from studio.tui.screens.blueprint import BlueprintScreen

_THE_IDEAL = Answers((IdealSource(),))


class Choosing:
    """The choices of one file, which are there again when it is opened the next time."""

    def __init__(self, screen: BlueprintScreen, changed: Callable[[], None]) -> None:
        """`changed` is called when other answers, another candidate or other judges were chosen."""
        self._screen = screen
        self._changed = changed
        self._number = 0
        self._found: tuple[Header, Answers | None, tuple[Candidate, ...]] | None = None
        self.answers: Answers | None = None
        self.judges_as: JudgesAs | None = None

    def recall(self) -> None:
        """Choose what was chosen for this file before. Reads the settings: call it off the event loop."""
        saved = self._screen.app.settings.answers.get(str(self._screen.keeping.file.path))
        if saved is not None:
            from engine.judging.scale import JudgesAs

            self.answers = remembered(saved)
            self.judges_as = JudgesAs(saved.judges) if saved.judges in list(JudgesAs) else None

    # --- Candidates

    def candidates(self, header: Header) -> tuple[Candidate, ...]:
        """Everything that F5 asks, at least one. Asked for at every word that arrives, so found once a header."""
        if self._found is None or self._found[0] is not header or self._found[1] is not self.answers:
            usual = self._screen.app.settings.max_tokens
            self._found = header, self.answers, (self.answers or _THE_IDEAL).candidates(header, usual)
        return self._found[2]

    def candidate(self, header: Header) -> Candidate:
        """The one whose results are shown, and with which all prompts are run."""
        found = self.candidates(header)
        return found[self._number % len(found)]

    def label(self, header: Header | None) -> str:
        """Where answers come from, as the screen calls it."""
        return label_of(self.candidates(header)) if header is not None else label_of(())

    def show_next(self, header: Header, by: int = 1) -> None:
        """Show the results of the next candidate."""
        count = len(self.candidates(header))
        self._number = (self._number % count + by) % count
        self._changed()

    def show(self, header: Header, key: str) -> None:
        """Show the results of the candidate with this key."""
        keys = [each.key for each in self.candidates(header)]
        if key in keys:
            self._number = keys.index(key)
            self._changed()

    async def ask(self, analysis: Analysis, prompt: Prompt | None) -> Answers | None:
        """Ask where answers come from; what was chosen, None where it stays as it is."""
        from studio.tui.dialogs.answers import ChooseAnswers

        dialog = ChooseAnswers(
            self.answers,
            has_ideal=prompt is None or prompt.ideal is not None,
            named=analysis.models,
            header=analysis.parsed.blueprint.header,
            path=self._screen.keeping.file.path,
            usual_tokens=self._screen.app.settings.max_tokens,
        )
        answers = await self._screen.app.push_screen_wait(dialog)
        if answers is not None:
            self.take(answers)
        return answers

    def take(self, answers: Answers) -> None:
        """Let answers come from there from now on."""
        self.answers, self._number = answers, 0
        self._remember()
        self._changed()

    # --- Judges

    @property
    def judges_in_words(self) -> str:
        """What the status line says of judges, behind where answers come from."""
        match None if self.judges_as is None else self.judges_as.value:
            case None:
                return ""
            case "documented":
                return " · judged"
            case _:
                return " · judged as on Weval"

    async def ask_judges(self, analysis: Analysis) -> None:
        """Ask who judges points in words."""
        from studio.tui.dialogs.judges import ChooseJudges

        dialog = ChooseJudges(analysis.parsed.blueprint.header, self.judges_as)
        chosen = await self._screen.app.push_screen_wait(dialog)
        if chosen is not None:
            self.judges_as = chosen.judges_as
            self._remember()
            self._changed()

    def panel(self, blueprint: Blueprint) -> Panel | None:
        """The judges chosen; None where there is nobody to ask, which is told where judges were wanted."""
        if self.judges_as is None:
            return None
        from engine.judging.panel import panel

        found = panel(blueprint.header, self.judges_as)
        if found.judges:
            return found
        said = f"There is no judge to ask: {'; '.join(found.left_out)}."
        self._screen.notify(said, severity="warning", markup=False)
        return None

    def _remember(self) -> None:
        saved = as_remembered(self.answers or _THE_IDEAL, "" if self.judges_as is None else self.judges_as.value)
        self._screen.app.settings.answers[str(self._screen.keeping.file.path)] = saved
        self._screen.app.keep_settings()
