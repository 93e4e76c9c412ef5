"""Prompts repeated: answered several times, each answer judged several times, past every cache."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Prompt
from engine.evaluation.sources import Candidate, ModelSource, unique_keys
from engine.text.record import Record, replace
from studio.session.evaluator import Evaluator, Launch
from studio.session.host import Choice, Choose, EnterText, Host, Unusable, ask_until
from studio.session.parts import Part
from studio.session.result_export import entry_of
from studio.session.run import Run
from studio.session.run_consent import AuthorApproval
from studio.session.run_queue import Progress, RunQueue, start_runs

if TYPE_CHECKING:
    from engine.evaluation.events import Event
    from engine.store import PromptPlace
    from studio.session.analysis import Analysis
    from studio.session.session import Session


_NO_PROMPT = "Put the cursor into a prompt. For the whole file: Repeat all prompts… (Ctrl+P)."
_NO_PROMPTS = "This blueprint has no prompt to repeat."
_ALL = "all prompts"
_TELLS_APART = "two verdicts on each answer tell the two apart"
_TO_COMPARE = "Models are compared on one prompt: Repeat this prompt…, with 4 answers of each or more."
_TASK = "repeats"
_PUBLISH_SECONDS = 0.05


class Repeated(Record):
    """Repeats of `title`, a prompt or all: `progress` while they run, then what they show; no lines before."""

    title: str
    progress: Progress | None
    lines: tuple[str, ...] = ()


class Repeats(Part):
    """Asks how often to repeat, and repeats. The last result of each prompt, and of all together, is remembered."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._queue = RunQueue(session.tasks, self._run_changed, self._all_ended)
        self._evaluator = Evaluator(session.cache.without_stored, session.resources.javascript)
        self._questions = RepeatQuestions(session.host)

    @property
    def shown(self) -> Repeated | None:
        """What a screen shows."""
        batch = self.state.repeated
        return None if batch is None else Repeated(batch.title, self._queue.progress, batch.lines)

    def stop(self) -> bool:
        """Ask what runs to end; whether anything ran. What has arrived counts."""
        return self._queue.stop()

    async def ask(self) -> bool:
        """Ask how often to repeat the prompt at the cursor, then for consent; whether there is something to show."""
        prompt = self.state.prompt
        if prompt is None and not self._queue.is_running:
            self.host.notify(_NO_PROMPT, seconds=5)
            return False
        return await self._ask(prompt)

    async def ask_all(self) -> bool:
        """The same for all prompts."""
        return await self._ask(None)

    async def _ask(self, prompt: Prompt | None) -> bool:
        if self._queue.is_running:
            return True
        wanted = self._wanted(prompt)
        if wanted is None or not wanted.prompts:
            self.host.notify(_NO_PROMPTS, seconds=4)
            return False
        last = self.state.repeats.get(wanted.key)
        if last is not None:
            chosen = await self._questions.last(wanted, last.lines[0])
            if chosen is None:
                return False
            if chosen != AGAIN:
                self._show_last(last)
                return True
        return await self._ask_and_begin(wanted)

    def _wanted(self, prompt: Prompt | None) -> Repetition | None:
        """What would be repeated now: this prompt, or all."""
        analysis = self.state.analysis
        if analysis is None:
            return None
        candidates = tuple(self.runs.configuration.candidates(analysis.header))
        if prompt is None:
            return Repetition(analysis, analysis.blueprint.prompts, candidates, None, _ALL)
        name = unique_keys(analysis.blueprint.prompts)[prompt.index]
        return Repetition(analysis, (prompt,), candidates, analysis.place(prompt).prompt, name)

    async def _ask_and_begin(self, wanted: Repetition) -> bool:
        from engine.judging.judge_prompt import count_text_points

        is_judged = self.runs.configuration.judges_as is not None and any(map(count_text_points, wanted.prompts))
        amounts = await self._questions.amounts(wanted, is_judged=is_judged)
        return amounts is not None and await self._begin(wanted, amounts)

    async def _begin(self, wanted: Repetition, amounts: Amounts) -> bool:
        """Start the repeats once the author agrees to their plan; whether they started."""
        from studio.session.repeat_report import repeats_note, unjudged_note

        blueprint = wanted.analysis.blueprint
        runs = list(self._runs(wanted, amounts.answers))
        panel = self.runs.configuration.panel(blueprint)
        panel = None if panel is None else replace(panel, rounds=amounts.verdicts)
        await self.session.file.write_journal()
        unjudged = unjudged_note(wanted.prompts, has_judges=panel is not None)
        note = " ".join(filter(None, (repeats_note(amounts.answers, amounts.verdicts), unjudged)))
        approval = AuthorApproval(self.host, self.resources.settings, always=True, note=note)
        batch = Batch(blueprint, wanted.name, wanted.key, amounts, {run.started: run for run in runs})
        if await start_runs(Launch(blueprint, runs, panel), self._evaluator, self._queue, approval) is None:
            return False
        self.change(repeated=batch)
        return True

    def _runs(self, wanted: Repetition, answers: int) -> Iterable[Run]:
        """So many runs of each prompt with each model, one with any other source that has an answer."""
        from studio.session.repeat_report import repeated_runs

        for prompt in wanted.prompts:
            for candidate in wanted.candidates:
                if wanted.key is not None or self.runs.has_answer(wanted.analysis, prompt, candidate.source):
                    once = self.runs.new_run(wanted.analysis, prompt, candidate)
                    yield from repeated_runs([once], answers if isinstance(candidate.source, ModelSource) else 1)

    def _run_changed(self, run: Run, event: Event | None) -> None:
        if (batch := self.state.repeated) is not None:
            self.change(repeated=replace(batch, runs={**batch.runs, run.started: run}), within=_PUBLISH_SECONDS)
            self.runs.history.follow_run(run, event)

    def _all_ended(self) -> None:
        if (batch := self.state.repeated) is None:
            return
        answers: dict[PromptPlace, list[str]] = {}
        for run in batch.runs.values():
            answers.setdefault(run.place, []).extend([] if run.response is None else [run.response.subject])
        for place, subjects in answers.items():
            self.runs.shown.mark(place, subjects, read=False)
        self._show_last(batch)

    def _show_last(self, batch: Batch) -> None:
        """Show repeats that have ended, once what they show is worked out."""
        self.change(repeated=batch)
        if not batch.lines:
            self.effect(_TASK, self._work_out(batch), exclusive=True)

    async def _work_out(self, batch: Batch) -> None:
        done = replace(batch, lines=await asyncio.to_thread(batch.worked_out))
        self.change(repeats={**self.state.repeats, batch.key: done})
        if self.state.repeated is batch:
            self.change(repeated=done)


class Batch(Record, eq=False):
    """Repeats that were started together; `runs` by their `started`. `key` is the prompt's place, None for all."""

    blueprint: Blueprint
    title: str
    key: str | None
    amounts: Amounts
    runs: Mapping[int, Run]
    lines: tuple[str, ...] = ()

    def worked_out(self) -> tuple[str, ...]:
        """What the runs show. Blocks."""
        from studio.session.repeat_report import repeat_report, report_lines

        names = unique_keys(self.blueprint.prompts)
        entries = [entry_of(run, names[run.prompt.index]) for run in self.runs.values()]
        report = repeat_report(
            [entry for entry in entries if entry is not None],
            self.blueprint.header,
            answers=self.amounts.answers,
            verdicts=self.amounts.verdicts,
        )
        return tuple(report_lines(report, _TELLS_APART, _TO_COMPARE, compared_first=True))


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
        return await ask_until(self._host, EnterText(title, text, value), _number)


async def _number(written: str) -> int:
    if not (written.isdecimal() and 1 <= int(written) <= MOST_REPEATS):
        raise Unusable(f"Give a whole number from 1 to {MOST_REPEATS}.")
    return int(written)
