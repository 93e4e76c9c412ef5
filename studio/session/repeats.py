"""Prompts repeated: answered several times, each answer judged several times, past every cache."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Prompt
from engine.evaluation.sources import AnswerSource, Candidate, ModelSource, unique_keys
from engine.text.record import Record, replace
from studio.session.cache import Cache
from studio.session.evaluator import Evaluator
from studio.session.prompt_history import PromptHistory
from studio.session.repeat_questions import AGAIN, Amounts, RepeatQuestions, Repetition
from studio.session.result_export import entry_of
from studio.session.run import Run
from studio.session.run_configuration import RunConfiguration
from studio.session.run_consent import AuthorApproval
from studio.session.run_launcher import Launch, RunLauncher
from studio.session.run_queue import Progress, RunQueue
from studio.session.session_context import SessionContext
from studio.session.shown_record import ShownRecord

if TYPE_CHECKING:
    from engine.evaluation.events import Event
    from engine.store import PromptPlace
    from studio.session.analysis import Analysis

_NO_PROMPT = "Put the cursor into a prompt. For the whole file: Repeat all prompts… (Ctrl+P)."
_NO_PROMPTS = "This blueprint has no prompt to repeat."
_ALL = "all prompts"
_TELLS_APART = "two verdicts on each answer tell the two apart"
_TO_COMPARE = "Models are compared on one prompt: Repeat this prompt…, with 4 answers of each or more."
_TASK = "repeats"


class Repeated(Record):
    """Repeats of `title`, a prompt or all: `progress` while they run, then what they show; no lines before."""

    title: str
    progress: Progress | None
    lines: tuple[str, ...] = ()


class Repeats:
    """Asks how often to repeat, and repeats. The last result of each prompt, and of all together, is remembered."""

    def __init__(
        self,
        context: SessionContext,
        configuration: RunConfiguration,
        cache: Cache,
        new_run: Callable[[Analysis, Prompt, Candidate], Run],
        has_answer: Callable[[Analysis, Prompt, AnswerSource], bool],
        history: PromptHistory,
        shown: ShownRecord,
    ) -> None:
        """`new_run` makes a run that has not started, `has_answer` says whether a source has an answer to a prompt."""
        self._context = context
        self._configuration = configuration
        self._new_run = new_run
        self._has_answer = has_answer
        self._history = history
        self._shown_record = shown
        self._queue = RunQueue(context.tasks, self._run_changed, self._all_ended)
        self._evaluator = Evaluator(cache.without_stored, context.resources.javascript)
        self._questions = RepeatQuestions(context.host)
        self._of: _Batch | None = None
        self._last: dict[str | None, _Batch] = {}
        self.shown: Repeated | None = None
        """What a screen shows."""
        self.changed: Callable[[], None] = _nothing
        """Called on the event loop when `shown` is another."""

    def stop(self) -> bool:
        """Ask what runs to end; whether anything ran. What has arrived counts."""
        return self._queue.stop()

    async def ask(self) -> bool:
        """Ask how often to repeat the prompt at the cursor, then for consent; whether there is something to show."""
        prompt = self._context.document.prompt
        if prompt is None and not self._queue.is_running:
            self._context.host.notify(_NO_PROMPT, seconds=5)
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
            self._context.host.notify(_NO_PROMPTS, seconds=4)
            return False
        last = self._last.get(wanted.key)
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
        analysis = self._context.document.analysis
        if analysis is None:
            return None
        candidates = tuple(self._configuration.candidates(analysis.header))
        if prompt is None:
            return Repetition(analysis, analysis.blueprint.prompts, candidates, None, _ALL)
        name = unique_keys(analysis.blueprint.prompts)[prompt.index]
        return Repetition(analysis, (prompt,), candidates, analysis.place(prompt).prompt, name)

    async def _ask_and_begin(self, wanted: Repetition) -> bool:
        from engine.judging.judge_prompt import count_text_points

        is_judged = self._configuration.judges_as is not None and any(map(count_text_points, wanted.prompts))
        amounts = await self._questions.amounts(wanted, is_judged=is_judged)
        return amounts is not None and await self._begin(wanted, amounts)

    async def _begin(self, wanted: Repetition, amounts: Amounts) -> bool:
        """Start the repeats once the author agrees to their plan; whether they started."""
        from studio.session.repeat_report import repeats_note, unjudged_note

        blueprint = wanted.analysis.blueprint
        runs = list(self._runs(wanted, amounts.answers))
        panel = self._configuration.panel(blueprint)
        panel = None if panel is None else replace(panel, rounds=amounts.verdicts)
        if self._context.before_run is not None:
            await self._context.before_run()
        unjudged = unjudged_note(wanted.prompts, has_judges=panel is not None)
        note = " ".join(filter(None, (repeats_note(amounts.answers, amounts.verdicts), unjudged)))
        approval = AuthorApproval(self._context.host, self._context.resources.settings, always=True, note=note)
        self._of = _Batch(blueprint, wanted.name, wanted.key, amounts, {run.started: run for run in runs})
        launcher = RunLauncher(self._evaluator, self._queue, approval, lambda _runs: None)
        if await launcher.run(Launch(blueprint, runs, panel)) is None:
            return False
        self._show()
        return True

    def _runs(self, wanted: Repetition, answers: int) -> Iterable[Run]:
        """So many runs of each prompt with each model, one with any other source that has an answer."""
        from studio.session.repeat_report import repeated_runs

        for prompt in wanted.prompts:
            for candidate in wanted.candidates:
                if wanted.key is not None or self._has_answer(wanted.analysis, prompt, candidate.source):
                    once = self._new_run(wanted.analysis, prompt, candidate)
                    yield from repeated_runs([once], answers if isinstance(candidate.source, ModelSource) else 1)

    def _run_changed(self, run: Run, event: Event | None) -> None:
        if self._of is None:
            return
        self._of.runs[run.started] = run
        self._history.follow_run(run, event)
        if not run.running:
            self._show()

    def _all_ended(self) -> None:
        if self._of is None:
            return
        answers: dict[PromptPlace, list[str]] = {}
        for run in self._of.runs.values():
            answers.setdefault(run.place, []).extend([] if run.response is None else [run.response.subject])
        for place, subjects in answers.items():
            self._shown_record.mark(place, subjects, read=False)
        self._show_last(self._of)

    def _show_last(self, batch: _Batch) -> None:
        """Show repeats that have ended, once what they show is worked out."""
        self._of = batch
        self._show()
        if not batch.lines:
            self._context.tasks.start(_TASK, self._work_out(batch), exclusive=True)

    async def _work_out(self, batch: _Batch) -> None:
        done = replace(batch, lines=await asyncio.to_thread(batch.worked_out))
        self._last[batch.key] = done
        if self._of is batch:
            self._of = done
            self._show()

    def _show(self) -> None:
        assert self._of is not None
        self.shown = Repeated(self._of.title, self._queue.progress, self._of.lines)
        self.changed()


class _Batch(Record):
    """Repeats that were started together; `runs` by their `started`. `key` is the prompt's place, None for all."""

    blueprint: Blueprint
    title: str
    key: str | None
    amounts: Amounts
    runs: dict[int, Run]
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


def _nothing() -> None:
    pass
