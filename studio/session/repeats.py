"""A prompt repeated: answered several times, each answer judged several times, past every cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Prompt
from engine.evaluation.candidates import Candidate
from engine.evaluation.prompt_keys import unique_keys
from engine.evaluation.sources import ModelSource
from engine.repeats.repeat_comparison import LEAST_ANSWERS
from studio.session.cache import Cache
from studio.session.evaluator import Evaluator
from studio.session.host import Choice, Choose, EnterText
from studio.session.prompt_history import PromptHistory
from studio.session.result_export import entry_of
from studio.session.run import Run
from studio.session.run_configuration import RunConfiguration
from studio.session.run_consent import AuthorApproval
from studio.session.run_launcher import Launch, RunLauncher
from studio.session.run_queue import RunQueue
from studio.session.session_context import SessionContext
from studio.session.shown_record import ShownRecord

if TYPE_CHECKING:
    from engine.evaluation.events import Event
    from studio.session.analysis import Analysis
    from studio.session.repeat_report import RepeatReport

MOST_REPEATS = 10
_TITLE = "Repeat this prompt"
_ANSWERS = (
    "How often is the prompt answered, past every cache? 1 to 10. From 4 answers of each model on, several models (F9 "
    "marks them) are compared."
)
_VERDICTS = (
    "How often does each judge judge each answer, past every cache? 1 to 10. From 2 on, the variation of judging is "
    "told from that of generation."
)
_NOTHING_REPEATS = (
    "Only a model gives another answer, and only judges another verdict: F9 chooses models, and w in the result judges."
)
_NO_PROMPT = "Put the cursor into a prompt. For a whole file: studio run FILE --repeat N."
_SHOW, _AGAIN = "show", "again"
_TELLS_APART = "two verdicts on each answer tell the two apart"


@dataclass(frozen=True, slots=True)
class Repeated:
    """Repeats of the prompt `title`: `done` of `total` answers, and what the repeats show as far as they have come."""

    title: str
    done: int
    total: int
    is_running: bool
    lines: tuple[str, ...] = ()


class Repeats:
    """Asks how often to repeat, and repeats. The last result of each prompt is remembered."""

    def __init__(
        self,
        context: SessionContext,
        configuration: RunConfiguration,
        cache: Cache,
        new_run: Callable[[Analysis, Prompt, Candidate], Run],
        history: PromptHistory,
        shown: ShownRecord,
    ) -> None:
        """`new_run` makes a run that has not started."""
        self._context = context
        self._configuration = configuration
        self._new_run = new_run
        self._history = history
        self._shown_record = shown
        self._queue = RunQueue(context.tasks, self._run_changed, self._all_ended)
        self._evaluator = Evaluator(cache, context.resources.javascript, judge_again=True)
        self._of: _Batch | None = None
        self._last: dict[str, Repeated] = {}
        self.shown: Repeated | None = None
        """What a screen shows."""
        self.changed: Callable[[], None] = _nothing
        """Called on the event loop when `shown` is another."""

    def stop(self) -> bool:
        """Ask what runs to end; whether anything ran. What has arrived counts."""
        return self._queue.stop()

    async def ask(self) -> bool:
        """Ask how often to repeat the prompt at the cursor, then for consent; whether there is something to show."""
        analysis, prompt, host = self._context.document.analysis, self._context.document.prompt, self._context.host
        if self._queue.is_running:
            return True
        if analysis is None or prompt is None:
            host.notify(_NO_PROMPT, seconds=5)
            return False
        last = self._last.get(analysis.place(prompt).prompt)
        if last is not None and not await self._asked_again(last):
            return self.shown is last
        amounts = await self._amounts(analysis, prompt)
        return amounts is not None and await self._begin(analysis, prompt, *amounts)

    async def _asked_again(self, last: Repeated) -> bool:
        """Whether to repeat a prompt that has a result, which else is `shown` if the author wants to see it."""
        choices = [
            Choice(_SHOW, "Show the last result", last.lines[0] if last.lines else ""),
            Choice(_AGAIN, "Repeat it again", "The price is shown first."),
        ]
        chosen = await self._context.host.ask(Choose(_TITLE, "This prompt was repeated already.", choices))
        self.shown = last if chosen == _SHOW else None
        return chosen == _AGAIN

    async def _amounts(self, analysis: Analysis, prompt: Prompt) -> tuple[int, int] | None:
        """How many answers, and how many verdicts on each; None if the author cancels, or nothing would vary."""
        from engine.judging import count_text_points

        sources = [each.source for each in self._configuration.candidates(analysis.header)]
        is_judged = self._configuration.judges_as is not None and count_text_points(prompt) > 0
        is_generated = any(isinstance(source, ModelSource) for source in sources)
        if not (is_generated or is_judged):
            self._context.host.notify(_NOTHING_REPEATS, seconds=6)
            return None
        answers = await self._number(_ANSWERS, "5") if is_generated else 1
        verdicts = None if answers is None else (await self._number(_VERDICTS, "2") if is_judged else 1)
        if answers is None or verdicts is None:
            return None
        if answers == verdicts == 1:
            self._context.host.notify("One answer with one verdict is an ordinary run: F5.", seconds=4)
            return None
        return answers, verdicts

    async def _number(self, text: str, value: str) -> int | None:
        """A number from 1 to `MOST_REPEATS`; None if the author cancels."""
        question = EnterText(_TITLE, text, value)
        while True:
            given = await self._context.host.ask(question)
            if given is None:
                return None
            if given.isdecimal() and 1 <= int(given) <= MOST_REPEATS:
                return int(given)
            question = EnterText(_TITLE, f"Give a whole number from 1 to {MOST_REPEATS}.\n{text}", given)

    async def _begin(self, analysis: Analysis, prompt: Prompt, answers: int, verdicts: int) -> bool:
        """Start the repeats once the author agrees to their plan; whether they started."""
        from studio.session.repeat_report import repeated_runs, repeats_note

        blueprint = analysis.blueprint
        once = [self._new_run(analysis, prompt, each) for each in self._configuration.candidates(analysis.header)]
        runs = [
            run for one in once for run in repeated_runs([one], answers if isinstance(one.source, ModelSource) else 1)
        ]
        panel = self._configuration.panel(blueprint)
        panel = None if panel is None else replace(panel, rounds=verdicts)
        if self._context.before_run is not None:
            await self._context.before_run()
        note = repeats_note(answers, verdicts)
        approval = AuthorApproval(self._context.host, self._context.resources.settings, always=True, note=note)
        title = unique_keys(blueprint.prompts)[prompt.index]
        self._of = _Batch(blueprint, title, answers, verdicts, {run.started: run for run in runs})
        launcher = RunLauncher(self._evaluator, self._queue, approval, lambda _runs: None)
        if await launcher.run(Launch(blueprint, runs, panel)) is None:
            return False
        self._show()
        return True

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
        first = next(iter(self._of.runs.values()))
        answers = [run.response.subject for run in self._of.runs.values() if run.response is not None]
        self._shown_record.mark(first.place, answers)
        self._show()
        assert self.shown is not None
        self._last[first.place.prompt] = self.shown

    def _show(self) -> None:
        assert self._of is not None
        self.shown = self._of.repeated(is_running=self._queue.is_running)
        self.changed()


@dataclass(frozen=True, slots=True)
class _Batch:
    """Repeats that were started together; `runs` by their `started`."""

    blueprint: Blueprint
    title: str
    answers: int
    verdicts: int
    runs: dict[int, Run]

    def repeated(self, *, is_running: bool) -> Repeated:
        """What the runs that have ended show."""
        from studio.session.repeat_report import repeat_report

        entries = [entry for run in self.runs.values() if (entry := entry_of(run, self.title)) is not None]
        counts = {"answers": self.answers, "verdicts": self.verdicts}
        report = repeat_report(entries, self.blueprint.header, None, **counts)
        lines = () if is_running else tuple(_lines(report))
        return Repeated(self.title, len(entries), len(self.runs), is_running, lines)


def _lines(report: RepeatReport) -> Iterator[str]:
    """The variation of each source of answers, the comparisons, and what neither of them says."""
    from studio.session.repeat_report import compared_lines, group_lines

    if not report.groups:
        yield "Stopped before an answer arrived."
        return
    for group in report.groups:
        yield from group_lines(group, _TELLS_APART)
    if report.comparisons:
        yield ""
        yield from compared_lines(report)
    yield ""
    yield from _limits(report)


def _limits(report: RepeatReport) -> Iterator[str]:
    if len(report.groups) > 1:
        yield "The test is about this prompt: it does not say which model is better on other prompts."
    else:
        yield "This is how far scores vary here. It does not say whether another model would score higher."
    if any(0 < len(group.answers) < LEAST_ANSWERS for group in report.groups):
        yield f"Below {LEAST_ANSWERS} answers, the variation itself is a rough figure."


def _nothing() -> None:
    pass
