"""The answers to one prompt as they are read side by side, and passages of them made criteria."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from engine.blueprint import Block, Role
from engine.evidence.passages import sentences
from engine.rules.rubric_edits import Refusal, as_wording, cited, new_criterion
from engine.scoring.explanation_text import point_label
from engine.study.case import Case, NamedPoint, prompt_names
from engine.study.known_answers import KnownAnswer
from engine.text.record import Record
from engine.text.spans import TextEdit, in_quotes, visible
from studio.session.fixes import TextChange
from studio.session.host import Choice, Choose, EnterText, Host, Severity
from studio.session.parts import Part
from studio.session.prompt_answers import KnownAnswers, answers_to_read, newest_stored, with_cases
from studio.session.rescoring import messages_of
from studio.session.views.answers_view import AnswersView, AnswerView, answer_view
from studio.session.views.figures import now

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.store import PromptPlace
    from studio.session.analysis import Analysis


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


class Side(Record, eq=False):
    """The answers to the prompt that was under the cursor when it was opened, and how they are shown."""

    of: ReadPrompt
    answers: KnownAnswers
    view: AnswersView


class SideReading(Part):
    """The answers to the prompt that was under the cursor when it was opened."""

    async def open(self, analysis: Analysis) -> bool:
        """Read the answers to the prompt under the cursor; whether there are any. The author is told if not."""
        prompt = analysis.prompt_at(self.state.cursor)
        if prompt is None:
            self.notify("Put the cursor into a prompt: its answers are read side by side.")
            return False
        of = ReadPrompt(prompt, prompt_names(analysis.blueprint)[prompt.index], analysis.place(prompt))
        stored = await self.session.stored(partial(newest_stored, of.place), ())
        chosen, selection = self.runs.configuration.answers, self.runs.selection
        answers = await asyncio.to_thread(
            answers_to_read,
            self.state.path,
            analysis.blueprint,
            prompt,
            stored,
            runs=selection.of_prompt(of.place),
            written=selection.written(of.place),
            sources=() if chosen is None else chosen.sources,
        )
        if not answers.every:
            self.notify("There are no answers to this prompt yet. F9 chooses models, F5 runs them; then come back.")
            return False
        await self._show(of, answers)
        return True

    @property
    def view(self) -> AnswersView:
        """The answers, in an order that stays. Call it after `open`."""
        return self._side.view

    def answers_shown(self, keys: Iterable[str]) -> None:
        """Record that these answers are on the screen: from now on, nobody sees them for the first time."""
        of, answers = self._side.of, self._side.answers
        wanted = set(keys)
        self.runs.shown.mark(of.place, [each.subject for each in answers.every if each.key in wanted])

    @property
    def prompt(self) -> ReadPrompt:
        """The prompt that is read. Call it after `open`."""
        return self._side.of

    @property
    def cases(self) -> tuple[Case, ...]:
        """All cases of the prompt. Call it after `open`."""
        return self._side.answers.cases

    @property
    def _side(self) -> Side:
        assert self.state.side is not None
        return self.state.side

    def answer(self, key: str) -> KnownAnswer:
        """The answer with this key."""
        return next(each for each in self._side.answers.every if each.key == key)

    async def _show(self, of: ReadPrompt, answers: KnownAnswers) -> None:
        before = {} if self.state.side is None else {each.key: each for each in self._side.view.answers}
        views = await asyncio.to_thread(_views, answers.every, before)
        note = " ".join(each for each in (answers.problem, *answers.file_problems) if each)
        view = AnswersView(of.prompt.id, _question(of.prompt), views, of.prompt.render_as, note)
        self.change(side=Side(of, answers, view))

    async def read_cases(self) -> None:
        """Read the cases again; each answer keeps its place."""
        of, answers, path = self._side.of, self._side.answers, self.state.path
        after = await asyncio.to_thread(with_cases, answers, path, of.prompt, of.name, self.analysis.header)
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
        self.host.notify(visible(message))


def _views(answers: Iterable[KnownAnswer], before: dict[str, AnswerView]) -> tuple[AnswerView, ...]:
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


_BLOCKS = {Block.SHOULD: "A good answer does this.", Block.SHOULD_NOT: "An answer that does this loses points."}


class PassageCriteria:
    """Writes criteria into the rubric of the prompt whose answers are read, worded by the author."""

    def __init__(self, host: Host, reading: SideReading) -> None:
        self._host = host
        self._reading = reading

    async def make(self, passage: str, text: BlueprintText) -> None:
        """Make a criterion of a passage, worded by the author, and write it into the rubric of the prompt."""
        made = await self.new(passage, text)
        if made is not None:
            self._reading.notify(
                f"The criterion is in `{made.block}` of {self._reading.prompt.prompt.id}. Ctrl+Z undoes it."
            )

    async def new(
        self, passage: str, text: BlueprintText, blocks: Sequence[Block] = tuple(_BLOCKS)
    ) -> NamedPoint | None:
        """Ask for the wording and the block of a criterion, and write it; None if it was not written."""
        if text.refuses_change():
            return None
        ask = self._host.ask
        what = "What should, or should not, an answer do? In one sentence."
        wording = await ask(EnterText("A new criterion", what, as_wording(passage)))
        if wording is None:
            return None
        choices = [Choice(block, block.value, _BLOCKS[block]) for block in blocks]
        title = self._reading.prompt.prompt.id
        chosen = await ask(Choose(f"A new criterion for {title}", in_quotes(wording), choices))
        found = None if chosen is None else await self._reading.present(text)
        if chosen is None or found is None:
            return None
        block = Block(chosen)
        edits = await asyncio.to_thread(new_criterion, found[0].parsed, found[1], block, as_wording(wording))
        if not self._apply(found[0], edits, text):
            return None
        return NamedPoint(as_wording(wording), block)

    async def cite(self, analysis: Analysis, prompt: Prompt, at: int, passage: str, text: BlueprintText) -> None:
        """Make a passage the citation of the criterion at this place of `Prompt.points()`."""
        edits = await asyncio.to_thread(cited, analysis.parsed, prompt, at, as_wording(passage))
        if self._apply(analysis, edits, text):
            self._reading.notify(
                f"The passage is the citation of {point_label(prompt.points()[at], 70)}. Ctrl+Z undoes it."
            )

    def _apply(self, analysis: Analysis, edits: Sequence[TextEdit] | Refusal, text: BlueprintText) -> bool:
        if isinstance(edits, Refusal):
            self._host.notify(f"Nothing was changed: {edits.message}.", Severity.WARNING)
            return False
        return text.apply(TextChange(analysis.revision, edits))
