"""The questions of repeats: how often to answer and to judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.evaluation.sources import Candidate, ModelSource
from engine.text.record import Record
from studio.session.host import Choice, Choose, EnterText, Host

if TYPE_CHECKING:
    from studio.session.analysis import Analysis

MOST_REPEATS = 10
SHOW, AGAIN = "show", "again"
_ONE_ANSWERS = (
    "How often is the prompt answered, past every cache? 1 to 10. From 4 answers of each model on, several models (F9 "
    "marks them) are compared."
)
_ALL_ANSWERS = "How often is each prompt answered, past every cache? 1 to 10."
_VERDICTS = (
    "How often does each judge judge each answer, past every cache? 1 to 10. From 2 on, the variation of judging is "
    "told from that of generation."
)
_NOTHING_REPEATS = (
    "Only a model gives another answer, and only judges another verdict: F9 chooses models, and w in the result judges."
)


class Repetition(Record):
    """What is repeated: `prompts` of `analysis`, answered by `candidates`.

    `key` is the place of a single prompt, None for all prompts.
    """

    analysis: Analysis
    prompts: tuple[Prompt, ...]
    candidates: tuple[Candidate, ...]
    key: str | None
    name: str

    @property
    def is_generated(self) -> bool:
        """Whether a model answers."""
        return any(isinstance(each.source, ModelSource) for each in self.candidates)

    @property
    def title(self) -> str:
        """The title of its questions."""
        return "Repeat all prompts" if self.key is None else "Repeat this prompt"


class Amounts(Record, gc=False):
    """How many answers to each prompt, and how many verdicts of each judge on each answer."""

    answers: int
    verdicts: int


class RepeatQuestions:
    """Asks the author."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def last(self, wanted: Repetition, first_line: str) -> str | None:
        """Of a repetition that has a result: `SHOW` or `AGAIN`; None if the author cancels."""
        choices = [
            Choice(SHOW, "Show the last result", first_line),
            Choice(AGAIN, "Repeat again", "The price is shown first."),
        ]
        what = "All prompts were" if wanted.key is None else "This prompt was"
        return await self._host.ask(Choose(wanted.title, f"{what} repeated already.", choices))

    async def amounts(self, wanted: Repetition, *, is_judged: bool) -> Amounts | None:
        """How often to repeat; None if the author cancels, or nothing would vary."""
        if not (wanted.is_generated or is_judged):
            self._host.notify(_NOTHING_REPEATS, seconds=6)
            return None
        text = _ALL_ANSWERS if wanted.key is None else _ONE_ANSWERS
        answers = await self._number(wanted.title, text, "5") if wanted.is_generated else 1
        if answers is None:
            return None
        verdicts = await self._number(wanted.title, _VERDICTS, "2") if is_judged else 1
        if verdicts is None:
            return None
        if answers == verdicts == 1:
            key = "F6" if wanted.key is None else "F5"
            self._host.notify(f"One answer with one verdict is an ordinary run: {key}.", seconds=4)
            return None
        return Amounts(answers, verdicts)

    async def _number(self, title: str, text: str, value: str) -> int | None:
        """A number from 1 to `MOST_REPEATS`; None if the author cancels."""
        question = EnterText(title, text, value)
        while True:
            given = await self._host.ask(question)
            if given is None:
                return None
            if given.isdecimal() and 1 <= int(given) <= MOST_REPEATS:
                return int(given)
            question = EnterText(title, f"Give a whole number from 1 to {MOST_REPEATS}.\n{text}", given)
