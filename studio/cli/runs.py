"""The runs of a command: started by the session's launcher, with progress on stderr."""

from __future__ import annotations

import asyncio
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from engine.asking.planner import Approval
from engine.asking.spending import Spending
from engine.blueprint import Blueprint, Header, Prompt, Role, unique_keys
from engine.evaluation.events import Assessed, Event, Failed, JudgingBegan, Scored, answer_marks, setting_notes
from engine.evaluation.headline import headline, overall
from engine.evaluation.result_json import Entry, Export, as_read, dumps, export, record_fixtures, shared_ids, tools_of
from engine.evaluation.sources import AnswerSource, IdealSource, candidates
from engine.files.open_files import write_named
from engine.functions.v8 import JavaScript
from engine.parsing import Parsed
from engine.report.blocks import Block, Fold, Heading, Line, Notes, Section
from engine.scoring.explanation import listed, point_label
from engine.store import PromptPlace
from engine.study.file_places import place_warning
from engine.study.repeats import (
    Comparison,
    RepeatGroup,
    RepeatReport,
    repeat_report,
    repeats_note,
    report_lines,
    unjudged_note,
)
from engine.text.record import Record, replace
from engine.text.spans import in_quotes, one_line
from engine.yaml.nodes import Data
from studio.cli.frame import Unusable, refuse, report_once, tell, wrapped, write
from studio.cli.inputs import read_blueprint, report_unrecorded, stored
from studio.cli.options import Counted, Judges, OptionsApproval, RunOptions, panel_of, report_others
from studio.cli.output import arithmetic, as_text, circular_text_of, judges_section, picked, score, tools
from studio.session.evaluator import Cache, Evaluator, GradeLookup, Launch, RunQueue, start_runs
from studio.session.repeats import repeated_runs
from studio.session.result_files import entry_of
from studio.session.run import Run
from studio.session.state import Tasks
from studio.session.views.figures import from_prompts

_CONTINUED = "cached: run it again to continue from here."
_SENT_AGAIN = "in the history. The next run sends all requests again."
AT_ONCE = 64
"""How many runs are in progress at the same time. Each provider limits its own requests."""


class Evaluated(Record):
    """The results of runs, in their order, and what they used."""

    entries: Sequence[Entry]
    spending: Spending


def runs_of(
    parsed: Parsed, prompts: Sequence[Prompt], sources: Sequence[AnswerSource], *, fresh: bool = False
) -> list[Run]:
    """A run of every prompt with every source in each variant of the blueprint; `fresh` ignores cached answers."""
    return [
        Run.of(parsed, prompt, candidate, fresh=fresh)
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


# --- `studio run`: the scores of prompts as they are printed, and the files that they are saved in


_LONGEST_PARTIAL = 200
_LONGEST_WORDS = 40
_TELLS_APART = "--judge-repeat tells the two apart"
_TO_COMPARE = "Models are compared on one prompt: --prompt ID, with --repeat 4 or more."


def run_prompts(file: Path, asked: RunOptions) -> int:
    """Run prompts, print how they scored, write the files that are asked for, and return the exit code.

    Raises `Unusable`.
    """
    blueprint = read_blueprint(file)
    refuse("BLUEPRINT")
    parsed = blueprint.parsed
    sources = asked.sources(file, dry_run=asked.dry_run)
    _refuse_places(file, asked)
    prompts = blueprint.chosen(asked.prompt_ids)
    runs = repeated_runs(runs_of(parsed, prompts, sources, fresh=asked.no_cache), asked.repeat)
    counted = replace(asked, no_stored=asked.no_stored or asked.is_again)
    panel, notes = None, []
    if asked.are_asked and any(map(is_for_judges, runs)):
        panel = replace(panel_of(parsed.blueprint.header, counted), rounds=asked.judge_repeat)
    elif asked.are_asked:
        notes.append("No criterion in words needs a judge: no judge is asked.")
    if asked.is_again:
        notes.append(repeats_note(asked.repeat, asked.judge_repeat))
        notes += filter(None, [unjudged_note(prompts, has_judges=panel is not None)])
    approval = OptionsApproval(asked, asked, notes)
    evaluated = evaluate_all(Launch(parsed.blueprint, runs, panel), approval, counted)
    if evaluated is None:
        return int(blueprint.refused)
    entries = evaluated.entries
    if evaluated.spending.requests:
        tell(f"Used: {evaluated.spending.summary}.")
    report_others(each.outcome.explanation for each in entries if isinstance(each.outcome, Scored))
    repeats = None
    if asked.is_again:
        repeats = repeat_report(entries, parsed.blueprint.header, answers=asked.repeat, verdicts=asked.judge_repeat)
        blocks = [Notes(tuple(report_lines(repeats, _TELLS_APART, _TO_COMPARE)))]
    else:
        blocks = list(_scores(file, parsed, entries, approval.told, details=asked.details))
    missing = {prompt.id: why for prompt, why in blueprint.not_run(asked.prompt_ids)}
    missing |= {} if asked.prompt_ids else blueprint.unread()
    blocks += [score(name, "not run", [Line(why)]) for name, why in missing.items()]
    click.echo(wrapped(as_text(blocks)), nl=False)
    if asked.out is not None:
        more = None if repeats is None else {"repeats": _repeats_json(repeats)}
        saved = entries if repeats is None else repeats.firsts
        with JavaScript() as javascript:
            result = export(parsed, saved, file, javascript, collections=asked.collections, more=more)
        _write(result, asked.out)
    if asked.record is not None:
        write(asked.record, dumps(record_fixtures(entries)))
        _report_shared_ids(entries, asked.record)
    return int(blueprint.refused or any(failed(each, judged=panel is not None) for each in entries))


def _refuse_places(file: Path, asked: RunOptions) -> None:
    """Raises `Unusable` if a file cannot be written where it is wanted; warns of a place that Weval reads."""
    if asked.record is not None and asked.record.is_dir():
        raise Unusable(f"{asked.record} is a folder: give --record the name of a file in it.")
    for target in filter(None, (asked.out, asked.record)):
        if not target.parent.is_dir():
            raise Unusable(f"There is no folder {target.parent} to write {target.name} to.")
        if (warning := place_warning(target, file)) is not None:
            tell(warning)


def _write(result: Export, out: Path) -> None:
    try:
        written = write_named(out, result.name, result.text)
    except OSError as error:
        raise Unusable(f"{out} cannot be written: {error.strerror}.") from error
    if written != out:
        tell(f"The result is in {written}.")
    if result.remark:
        tell(result.remark)


def _report_shared_ids(entries: Sequence[Entry], record: Path) -> None:
    for prompt_id, names in shared_ids(entries).items():
        tell(
            f"{len(names) + 1} prompts share the id {prompt_id}. In {record.name} the first one is called {prompt_id}, "
            f"the others {listed(names)}. Here each prompt gets its own answer; Weval gives all the first one's. "
            "Give each an id of its own."
        )


# --- Text


def _scores(file: Path, parsed: Parsed, entries: Sequence[Entry], told: set[str], *, details: bool) -> Iterator[Block]:
    """The score of the blueprint by each source, with a line for each prompt, if there are several; then the points of
    the single prompt, of all with `details`. What is `told` is not advised again.
    """
    several = len({entry.prompt_key for entry in entries}) > 1
    if several:
        yield from _overview(file, parsed, entries, told)
        if not details:
            how = "  --details shows why, criterion by criterion; --prompt ID does for one prompt."
            yield Section((Line(how),))
    for entry in entries:
        is_told = isinstance(entry.outcome, Failed) and not _arrived(entry.outcome)  # the overview says all of it
        if not several or (details and not is_told):
            yield _entry(entry, parsed.blueprint.header, told)


def _overview(file: Path, parsed: Parsed, entries: Sequence[Entry], told: set[str]) -> Iterator[Block]:
    """The scores by each source of answers, then the judges of all prompts. A reason is given once."""
    name = parsed.blueprint.header.title or file.name
    first_with: dict[str, str] = {}
    for key in dict.fromkeys(entry.key for entry in entries):
        of_key = [entry for entry in entries if entry.key == key]
        lines = (f"{one_line(f'{_name(each)} · {key}')}: {_standing(each, first_with, told)}" for each in of_key)
        yield Fold(_total(parsed, of_key), one_line(f"{name} · {key}"), (Notes(tuple(lines)),))
    judged = [each.outcome for each in entries if isinstance(each.outcome, Scored) and each.outcome.judged]
    if judged:
        yield judges_section(judged, told)


def _total(parsed: Parsed, entries: Sequence[Entry]) -> str:
    scored = [
        (entry.prompt.weight, headline(entry.outcome.explanation, entry.outcome.response))
        for entry in entries
        if not isinstance(entry.outcome, Failed)
    ]
    prompts = len(parsed.blueprint.prompts) + len(parsed.broken.unread)
    total = overall(scored, len(parsed.broken.unread))
    part = "" if len(scored) == prompts else f", {from_prompts(len(scored), prompts)}"
    return f"{'not scored' if total is None else total}{part}"


def _standing(entry: Entry, first_with: dict[str, str], told: set[str]) -> str:
    """The headline of a prompt, or why it has none; `first_with` are the reasons so far, with their prompts."""
    match entry.outcome:
        case Failed(title=title, detail=detail, advice=advice) as failure:
            reason = " ".join(f"{part.rstrip('.')}." for part in (title, detail, advice) if part and part not in told)
            first = first_with.setdefault(reason, entry.prompt_key)
            why = reason if first == entry.prompt_key else f"as {first}"
            return f"{_failure_text(failure)}: {why}"
        case scored:
            return str(headline(scored.explanation, scored.response))


def _failure_text(failure: Failed) -> str:
    """What became of an answer that has no score."""
    return "withheld by the provider's safety filter" if failure.withheld else "not scored"


def _name(entry: Entry) -> str:
    """The id of a prompt, with its first words where no id is written."""
    if entry.prompt.id_written:
        return entry.prompt_key
    asked = next((each.content for each in entry.prompt.messages if each.role is Role.USER and each.content), "")
    return f"{entry.prompt_key} {in_quotes(textwrap.shorten(asked, _LONGEST_WORDS, placeholder=' …'))}"


def _entry(entry: Entry, header: Header, told: set[str]) -> Block:
    """One score with all that led to it, or why there is none."""
    title = f"{entry.prompt_key} · {entry.key}"
    match entry.outcome:
        case Failed(title=what, detail=detail, advice=advice) as failure:
            reasons = (what, detail, "" if advice in told else advice, _arrived(failure))
            return score(title, _failure_text(failure), [Notes(tuple(filter(None, reasons)))])
        case scored:
            explanation = scored.explanation
            children = [*arithmetic(explanation, circular_text_of(entry.prompt))]
            if remarks := tuple(setting_notes(scored.response, entry.key.removesuffix(entry.suffix))):
                children.append(Section((Heading(2, "the answer"), Notes(remarks))))
            children += tools(tools_of(entry, scored, header))
            if scored.judged:
                children.append(judges_section([scored], told))
            return score(title, headline(explanation, scored.response), children)


def _arrived(failure: Failed) -> str:
    """The beginning of an answer that a filter withheld, on one line; "" if nothing had arrived."""
    partial = failure.partial if failure.withheld else None
    text = "" if partial is None else one_line(partial.subject, _LONGEST_PARTIAL)
    return f"had arrived: {in_quotes(text)}" if text else ""


# --- JSON: docs/machine-readable.md, "studio run --json"


def _repeats_json(report: RepeatReport) -> Data:
    return {
        "version": 1,
        **picked(report, "answers", "verdicts"),
        "groups": [_group_json(group) for group in report.groups],
        "comparisons": [_comparison_json(each) for each in report.comparisons],
    }


def _group_json(group: RepeatGroup) -> Data:
    said = (each.outcome.response.subject for each in group.entries if isinstance(each.outcome, Scored))
    return {
        **picked(group, "prompt=prompt_key", "key", "generated.temperature", "ignoresTemperature=generated.ignores"),
        "scores": [answer.score for answer in group.answers],
        "rounds": [list(answer.rounds) for answer in group.answers],
        "leftOut": group.open,
        **picked(group.variation, "mean", "between", "generation", "judging"),
        "responses": [*said],
    }


def _comparison_json(each: Comparison) -> Data:
    return {
        "question": "one-prompt",
        **picked(each, "one", "other", "prompt"),
        "prompts": 1,
        "leftOut": 0,
        "difference": each.difference,
        "interval": None,
        **picked(each, "p", "ways"),
        "exact": True,
        "reason": each.reason or None,
    }
