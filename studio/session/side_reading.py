"""The answers to one prompt as they are read side by side: opened, shown, and read again once their cases change."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from engine.blueprint import Role
from engine.evidence.passages import sentences
from engine.study.case import Case, prompt_names
from engine.text.record import Record
from engine.text.spans import visible
from studio.session.fixes import TextChange
from studio.session.rescoring import messages_of
from studio.session.side_answers import KnownHere, SideAnswer, SideAnswers, read_side_answers, with_cases
from studio.session.views.ages import now
from studio.session.views.answers_view import AnswersView, AnswerView, answer_view

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.store import PromptPlace
    from studio.session.analysis import Analysis
    from studio.session.run_configuration import RunConfiguration
    from studio.session.run_selection import RunSelection
    from studio.session.session_context import SessionContext
    from studio.session.shown_record import ShownRecord


class BlueprintText(Protocol):
    """The text of the blueprint, as the one who edits it."""

    async def checked(self) -> Analysis:
        """The analysis of the newest text."""
        ...

    def refuses_change(self) -> bool:
        """Whether the text must not be changed; the author is told."""
        ...

    def apply(self, change: TextChange) -> bool:
        """Make a change as one step of undo. Returns False if the text is another by now; the author is told."""
        ...

    def undo(self) -> None:
        """Take back the last change."""
        ...


class ReadPrompt(Record):
    """The prompt whose answers are read, as it was then."""

    prompt: Prompt
    name: str
    place: PromptPlace


class SideReading:
    """The answers to the prompt that was under the cursor when it was opened."""

    def __init__(
        self,
        context: SessionContext,
        selection: RunSelection,
        configuration: RunConfiguration,
        shown: ShownRecord,
    ) -> None:
        self._context = context
        self._selection = selection
        self._configuration = configuration
        self._shown = shown
        self._read: tuple[ReadPrompt, SideAnswers] | None = None
        self._view: AnswersView | None = None

    async def open(self, analysis: Analysis) -> bool:
        """Read the answers to the prompt under the cursor; whether there are any. The author is told if not."""
        prompt = analysis.prompt_at(self._context.document.cursor)
        if prompt is None:
            self.notify("Put the cursor into a prompt: its answers are read side by side.")
            return False
        of = ReadPrompt(prompt, prompt_names(analysis.blueprint)[prompt.index], analysis.place(prompt))
        answers = await asyncio.to_thread(
            read_side_answers,
            self._context.document.path,
            analysis.blueprint,
            prompt,
            of.place,
            self._known(of.place),
            self._context.resources.store,
            self._context.database_messages.report,
        )
        if not answers.every:
            self.notify("There are no answers to this prompt yet. F9 chooses models, F5 runs them; then come back.")
            return False
        await self._show(of, answers)
        return True

    def _known(self, place: PromptPlace) -> KnownHere:
        chosen = self._configuration.answers
        sources = () if chosen is None else chosen.sources
        return KnownHere(self._selection.of_prompt(place), self._selection.written(place), sources)

    @property
    def view(self) -> AnswersView:
        """The answers, in an order that stays. Call it after `open`."""
        assert self._view is not None
        return self._view

    def answers_shown(self, keys: Iterable[str]) -> None:
        """Record that these answers are on the screen: from now on, nobody sees them for the first time."""
        of, answers = self._state
        wanted = set(keys)
        self._shown.mark(of.place, [each.subject for each in answers.every if each.key in wanted])

    @property
    def prompt(self) -> ReadPrompt:
        """The prompt that is read. Call it after `open`."""
        return self._state[0]

    @property
    def cases(self) -> tuple[Case, ...]:
        """All cases of the prompt. Call it after `open`."""
        return self._state[1].cases

    @property
    def _state(self) -> tuple[ReadPrompt, SideAnswers]:
        assert self._read is not None
        return self._read

    def answer(self, key: str) -> SideAnswer:
        """The answer with this key."""
        return next(each for each in self._state[1].every if each.key == key)

    async def _show(self, of: ReadPrompt, answers: SideAnswers) -> None:
        before = {} if self._view is None else {each.key: each for each in self._view.answers}
        views = await asyncio.to_thread(_views, answers.every, before)
        self._read = of, answers
        note = " ".join(each for each in (answers.problem, *answers.file_problems) if each)
        self._view = AnswersView(of.prompt.id, _question(of.prompt), views, of.prompt.render_as, note)

    async def read_cases(self) -> None:
        """Read the cases again; each answer keeps its place."""
        of, answers = self._state
        analysis = self._context.document.analysis
        assert analysis is not None
        path = self._context.document.path
        after = await asyncio.to_thread(with_cases, answers, path, of.prompt, of.name, analysis.header)
        await self._show(of, after)

    async def present(self, text: BlueprintText) -> tuple[Analysis, Prompt] | None:
        """The prompt in the newest text; None if it is not there any more, or asks something else."""
        of = self.prompt
        analysis = await text.checked()
        names = prompt_names(analysis.blueprint)
        prompt = next((each for each in analysis.blueprint.prompts if names[each.index] == of.name), None)
        if prompt is None or messages_of(prompt) != messages_of(of.prompt):
            self.notify("The prompt has changed since these answers were opened: go back, and open them again.")
            return None
        return analysis, prompt

    def notify(self, message: str) -> None:
        """Tell the author something that needs no answer."""
        self._context.host.notify(visible(message))


def _views(answers: Iterable[SideAnswer], before: dict[str, AnswerView]) -> tuple[AnswerView, ...]:
    """The answers as they are shown. Sentences are cut once."""
    moment = now()
    return tuple(
        answer_view(each, known.sentences if (known := before.get(each.key)) else sentences(each.subject), moment)
        for each in answers
    )


def _question(prompt: Prompt) -> str:
    """What the prompt asks last, on one line."""
    asked = [message.content for message in prompt.messages if message.role is Role.USER and message.content]
    return " ".join(asked[-1].split()) if asked else ""
