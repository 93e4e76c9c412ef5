"""The runs of a command: started by the session's launcher, with progress on stderr."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from engine.asking.planner import Approval
from engine.asking.spending import Spending
from engine.blueprint import Blueprint, Prompt, unique_keys
from engine.evaluation.events import Assessed, Event, Failed, JudgingBegan, Scored, answer_marks
from engine.evaluation.result_json import Entry, as_read
from engine.evaluation.sources import AnswerSource, IdealSource, candidates
from engine.parsing import Parsed
from engine.scoring.explanation import point_label
from engine.store import PromptPlace
from engine.text.record import Record
from studio.cli.frame import report_once, tell
from studio.cli.inputs import report_unrecorded, stored
from studio.cli.options import Counted, Judges
from studio.session.evaluator import Cache, Evaluator, GradeLookup, Launch, RunQueue, start_runs
from studio.session.result_files import entry_of
from studio.session.run import Run
from studio.session.state import Tasks

_CONTINUED = "cached: run it again to continue from here."
_SENT_AGAIN = "in the history. The next run sends all requests again."
AT_ONCE = 64
"""How many runs are in progress at the same time. Each provider limits its own requests."""


class Evaluated(Record):
    """The results of runs, in their order, and what they used."""

    entries: Sequence[Entry]
    spending: Spending


def runs_of(
    file: Path, parsed: Parsed, prompts: Sequence[Prompt], sources: Sequence[AnswerSource], *, fresh: bool = False
) -> list[Run]:
    """A run of every prompt with every source in each variant of the blueprint; `fresh` ignores cached answers."""
    return [
        Run(PromptPlace.of(file, prompt), prompt, prompt.span.of(parsed.text), 0, candidate, fresh=fresh)
        for prompt in prompts
        for source in sources
        for candidate in candidates(source, parsed.blueprint.header)
    ]


def is_for_judges(run: Run) -> bool:
    """Whether its answer, if it has one, has points in words."""
    from engine.judging.judge_prompt import count_text_points

    has_answer = run.prompt.ideal is not None or not isinstance(run.source, IdealSource)
    return has_answer and count_text_points(run.prompt) > 0


def evaluate_all(
    launch: Launch, approval: Approval, counted: Counted, grades: GradeLookup | None = None
) -> Evaluated | None:
    """Run a launch; None without approval. Blocks until all runs have ended.

    `grades` finds those that count for an answer, by default the author's.
    Each answer is cached as it arrives, so that the next run finds it even if this one is interrupted. Stored verdicts
    and grades count, as `counted` says.
    """
    lost = ["Verdicts cannot be cached"] * (launch.panel is not None)
    lost.append("Answers cannot be cached, so the next run sends all requests again")
    progress = _Progress(launch.blueprint)
    with stored(report_once(*lost), without=counted.no_stored) as (resources, cache):
        again = isinstance(counted, Judges) and counted.judge_again
        evaluator = Evaluator(
            cache, resources.javascript, judges_as=lambda: counted.panel, judge_again=again, grades=grades
        )
        try:
            return asyncio.run(_all(launch, evaluator, approval, progress))
        except KeyboardInterrupt as interrupt:
            if not progress.has_begun:
                raise
            fresh = any(run.fresh for run in launch.runs)
            tell(f"\nStopped. Answers so far are {_SENT_AGAIN if fresh else _CONTINUED}")
            raise SystemExit(1) from interrupt
        finally:
            if progress.has_begun:
                Cache(resources.store, report_unrecorded).mark_shown(progress.shown)


async def _all(launch: Launch, evaluator: Evaluator, approval: Approval, progress: _Progress) -> Evaluated | None:
    faults: list[BaseException] = []

    def failed(error: BaseException) -> None:
        faults.append(error)
        tasks.close()

    tasks = Tasks(failed)
    queue = RunQueue(tasks, progress.follow, lambda: None, at_once=AT_ONCE)
    planned = await start_runs(launch, evaluator, queue, approval)
    if planned is None:
        return None
    progress.begin(launch.runs)
    try:
        await tasks.settle()
    finally:  # cancelled by the loop itself, a request whose connection is only begun would leave it never awaited
        tasks.close()
        await tasks.settle()
    for fault in faults:
        raise fault
    return Evaluated(progress.entries, planned.spending)


class _Progress:
    """Collects the runs, and prints their progress on stderr."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._keys = unique_keys(blueprint.prompts)
        self._runs: dict[int, Run] = {}
        self._points: dict[int, int] = {}
        self._done = 0
        self._reasons: set[str] = set()

    @property
    def has_begun(self) -> bool:
        return bool(self._runs)

    @property
    def entries(self) -> list[Entry]:
        """The outcomes, in the order of the runs."""
        found = [entry_of(run, self._key(run)) for run in self._runs.values()]
        return [entry for entry in found if entry is not None]

    @property
    def shown(self) -> list[tuple[PromptPlace, str]]:
        """The answers whose verdicts are printed, each with its prompt."""
        return [(run.place, run.response.subject) for run in self._runs.values() if run.response is not None]

    def begin(self, runs: Sequence[Run]) -> None:
        self._runs = {run.started: run for run in runs}

    def follow(self, run: Run, event: Event | None) -> None:
        self._runs[run.started] = run
        title = f"{self._key(run)} · {run.candidate.key}"
        match event:
            case JudgingBegan(waiting=places):
                self._points[run.started] = len(places)
            case Assessed(_, assessment, Scored()):
                number = self._points[run.started]
                which = f"{number - len(run.waiting)} of {number}"
                is_new = assessment.assessed or assessment.detail not in self._reasons
                why = assessment.detail if is_new else assessment.unjudged_text
                self._reasons.add(assessment.detail)
                line = f"{title} · criterion {which}: {point_label(assessment.point)}: {why}"
                tell(" ".join(line.split()))
            case Scored() | Failed():
                self._done += 1
                tell(f"{self._done} of {len(self._runs)}: {title} · {_state(run)}")
            case _:
                pass

    def _key(self, run: Run) -> str:
        return self._keys[run.prompt.index]


def _state(run: Run) -> str:
    if run.failed is not None or run.response is None:
        return "withheld by the provider's safety filter" if run.state == "withheld" else "failed"
    marks = "".join(f", {mark}" for mark in answer_marks(run.response))
    headline = run.headline
    done = headline.figure if headline is not None and headline.is_unjudged else "scored"
    return f"{done}{marks}" + (" · cached answer, 0 requests" if run.response.reused else "")


def failed(entry: Entry, *, judged: bool = False) -> bool:
    """Whether a request to a model or judge failed, a check could not run, or no judge could judge a point.

    `judged`: judges were asked, so that a point which they left open counts too. Verdicts from before an edit do not.
    """
    outcome = as_read(entry).outcome
    if isinstance(outcome, Failed) or any(each.errs for each in outcome.assessments):
        return True
    is_open = any(each.open and each.point.text is not None for each in outcome.assessments)
    return judged and (is_open or _a_judge_failed(outcome))


def _a_judge_failed(scored: Scored) -> bool:
    from engine.judging.verdict import Reason

    new = (each.failure for point in scored.verdicts.values() for each in point.judgements if not each.reused)
    return any(each is not None and each.reason in (Reason.FAILED, Reason.TIMED_OUT) for each in new)
