"""Prompts repeated: answered several times, each answer judged several times, past every cache."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from engine.blueprint import Prompt, unique_keys
from engine.evaluation.sources import Candidate, ModelSource
from engine.judging.judge_prompt import count_text_points
from engine.text.record import Record, replace
from studio.session.analysis import Analysis
from studio.session.evaluator import Evaluator, Launch, RunQueue, start_runs
from studio.session.host import NotDone, Unusable, answer_to, ask_until, choose, enter
from studio.session.result_files import entry_of
from studio.session.run import Run
from studio.session.run_consent import AuthorApproval
from studio.session.state import EMPTY, Part

if TYPE_CHECKING:
    from engine.evaluation.events import Event
    from studio.session.session import Session


_TELLS_APART = "two verdicts on each answer tell the two apart"
_TO_COMPARE = "Models are compared on one prompt: Repeat this prompt…, with 4 answers of each or more."
_PUBLISH_SECONDS = 0.05
_MOST = 10
_NOTHING_REPEATS = (
    "Only a model gives another answer, and only judges another verdict: F9 chooses models, and w in the result judges."
)


class Batch(Record, eq=False):
    """`prompts` of `analysis`, which are repeated together: so many answers of each of `candidates`, and verdicts on
    each answer.

    `key` is the place of a single prompt, None for all. `runs` are by their `started`, and `lines` what they show, ()
    before it is known.
    """

    analysis: Analysis
    prompts: tuple[Prompt, ...]
    candidates: tuple[Candidate, ...]
    key: str | None
    name: str
    answers: int = 1
    verdicts: int = 1
    runs: Mapping[int, Run] = EMPTY
    lines: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The title of its questions."""
        return "Repeat all prompts" if self.key is None else "Repeat this prompt"

    def worked_out(self) -> tuple[str, ...]:
        """What the runs show. Blocks."""
        from engine.study.repeats import repeat_report, report_lines

        blueprint = self.analysis.blueprint
        names = unique_keys(blueprint.prompts)
        entries = (entry_of(run, names[run.prompt.index]) for run in self.runs.values())
        found = [entry for entry in entries if entry is not None]
        report = repeat_report(found, blueprint.header, answers=self.answers, verdicts=self.verdicts)
        return tuple(report_lines(report, _TELLS_APART, _TO_COMPARE, compared_first=True))


class Repeats(Part):
    """Asks how often to repeat, and repeats. The last result of each prompt, and of all together, is remembered."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.queue = RunQueue(session.tasks, self._run_changed, self._all_ended)
        self._evaluator = Evaluator(session.cache.without_stored, session.resources.javascript)

    async def ask(self, *, all_prompts: bool) -> None:
        """Ask how often to repeat the prompt at the cursor, or all, then for consent; some are shown then.

        Raises `NotDone` if none are.
        """
        prompt = None if all_prompts else self.state.prompt
        if self.queue.is_running:
            return
        if prompt is None and not all_prompts:
            raise NotDone("Put the cursor into a prompt. For the whole file: Repeat all prompts… (Ctrl+P).", seconds=5)
        wanted = self._wanted(prompt)
        if not wanted.prompts:
            raise NotDone("This blueprint has no prompt to repeat.")
        last = self.state.repeats.get(wanted.key)
        if last is not None:
            what = "All prompts were" if wanted.key is None else "This prompt was"
            if await answer_to(self.host, choose("repeated", wanted.title, what=what, last=last.lines[0])) == "show":
                self.change(repeated=last)
                return
        await self._begin(await self._with_amounts(wanted))

    def _wanted(self, prompt: Prompt | None) -> Batch:
        """What would be repeated now: this prompt, or all."""
        analysis = self.analysis
        prompts, candidates = analysis.blueprint.prompts, self.runs.configuration.candidates
        if prompt is None:
            return Batch(analysis, prompts, candidates, None, "all prompts")
        return Batch(analysis, (prompt,), candidates, analysis.place(prompt).prompt, unique_keys(prompts)[prompt.index])

    async def _with_amounts(self, wanted: Batch) -> Batch:
        """Ask how many answers and verdicts. Raises `NotDone` if nothing would vary."""
        is_generated = any(isinstance(each.source, ModelSource) for each in wanted.candidates)
        is_judged = self.state.choice.judges_as is not None and any(map(count_text_points, wanted.prompts))
        if not (is_generated or is_judged):
            raise NotDone(_NOTHING_REPEATS, seconds=6)
        often = "repeat all" if wanted.key is None else "repeat"
        answers = await ask_until(self.host, enter(often, wanted.title, "5"), _number) if is_generated else 1
        verdicts = await ask_until(self.host, enter("repeat verdicts", wanted.title, "2"), _number) if is_judged else 1
        if answers == verdicts == 1:
            key = "F6" if wanted.key is None else "F5"
            raise NotDone(f"One answer with one verdict is an ordinary run: {key}.")
        return replace(wanted, answers=answers, verdicts=verdicts)

    async def _begin(self, batch: Batch) -> None:
        """Start the repeats once the author agrees to their plan. Raises `NotDone` if they do not."""
        from engine.study.repeats import repeats_note, unjudged_note

        blueprint = batch.analysis.blueprint
        runs = list(self._runs(batch))
        panel = self.runs.configuration.panel(blueprint)
        panel = None if panel is None else replace(panel, rounds=batch.verdicts)
        await self.session.file.write_journal()
        unjudged = unjudged_note(batch.prompts, has_judges=panel is not None)
        note = " ".join(filter(None, (repeats_note(batch.answers, batch.verdicts), unjudged)))
        approval = AuthorApproval(self.host, self.resources.settings, always=True, note=note)
        if await start_runs(Launch(blueprint, runs, panel), self._evaluator, self.queue, approval) is None:
            raise NotDone
        self.change(repeated=replace(batch, runs={run.started: run for run in runs}))

    def _runs(self, batch: Batch) -> Iterator[Run]:
        """So many runs of each prompt with each model, one with any other source that has an answer."""
        for prompt in batch.prompts:
            for candidate in batch.candidates:
                if batch.key is not None or self.runs.has_answer(batch.analysis, prompt, candidate.source):
                    once = self.runs.new_run(batch.analysis, prompt, candidate)
                    yield from repeated_runs([once], batch.answers if isinstance(candidate.source, ModelSource) else 1)

    def _run_changed(self, run: Run, event: Event | None) -> None:
        if (batch := self.state.repeated) is not None:
            self.change(repeated=replace(batch, runs={**batch.runs, run.started: run}), within=_PUBLISH_SECONDS)

    def _all_ended(self) -> None:
        if (batch := self.state.repeated) is None:
            return
        for run in batch.runs.values():
            if run.response is not None:
                self.runs.shown.mark(run.place, [run.response.subject], read=False)
        self.effect("repeats", self._work_out(batch), exclusive=True)

    async def _work_out(self, batch: Batch) -> None:
        done = replace(batch, lines=await asyncio.to_thread(batch.worked_out))
        self.change(repeats={**self.state.repeats, batch.key: done})
        if self.state.repeated is batch:
            self.change(repeated=done)


def repeated_runs(runs: Sequence[Run], times: int) -> list[Run]:
    """Each run so many times, past the cache of answers."""
    if times == 1:
        return list(runs)
    return [
        Run(run.place, run.prompt, run.written, run.candidate, run.revision, fresh=True)
        for run in runs
        for _ in range(times)
    ]


async def _number(written: str) -> int:
    if not (written.isdecimal() and 1 <= int(written) <= _MOST):
        raise Unusable(f"Give a whole number from 1 to {_MOST}.")
    return int(written)
