"""`studio run`: run prompts, show how they scored, save the result as Weval's JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.evaluation.events import Failed, Scored
from engine.text.record import replace
from engine.text.spans import in_quotes, visible
from studio.cli.frame import FILE, PROMPTS, Unusable, flag, gone, option, takes, tell
from studio.cli.judge_options import Judges, panel_of, report_others
from studio.cli.limit_options import Limits, OptionsApproval
from studio.cli.service_options import Permissions
from studio.cli.source_options import SourceOptions, sources

if TYPE_CHECKING:
    from engine.blueprint import Header
    from engine.evaluation.result_json import Entry
    from engine.parsing import Parsed
    from engine.yaml.nodes import Data

_REPEATS = click.IntRange(1, 10)
_LONGEST_PARTIAL = 200


@dataclass(frozen=True, slots=True)
class _Run:
    """What a run does beside scoring."""

    out: Path | None = option(
        "--json",
        type=FILE,
        metavar="OUT",
        help="Write Weval's result JSON to OUT; in a folder, under the name that Weval gives it. Not below "
        "blueprints/: Weval runs every file there.",
    )
    record: Path | None = option(
        "--record", type=FILE, metavar="FILE", help="Save the answers in FILE, for --fixtures."
    )
    no_cache: bool = flag("--no-cache", help="Send every request to models again, even if its answer is cached.")
    repeat: int = option(
        "--repeat",
        type=_REPEATS,
        default=1,
        metavar="N",
        help="Have each prompt answered N times (up to 10), past every cache, and show how far the scores vary.",
    )
    judge_repeat: int = option(
        "--judge-repeat",
        type=_REPEATS,
        default=1,
        metavar="M",
        help="Have each answer judged M times (up to 10), past every cache; the mean of the verdicts counts.",
    )
    details: bool = flag("--details", help="Show the points and the arithmetic of each prompt, as for a single one.")

    @property
    def is_again(self) -> bool:
        """Whether answers or verdicts are asked for several times."""
        return self.repeat > 1 or self.judge_repeat > 1


@click.command("run", short_help="Run prompts, and show or save the result.")
@click.argument("file", type=FILE)
@PROMPTS
@takes(SourceOptions, Judges, _Run, Permissions, Limits)
@gone("--compare", "--compare was removed: models are compared on one prompt, by --prompt and --repeat.")
def command(
    options: SourceOptions,
    judges: Judges,
    asked: _Run,
    permissions: Permissions,
    limits: Limits,
    file: Path,
    prompt_ids: tuple[str, ...],
) -> None:
    """Run the prompts of FILE with one source of answers, and show the scores and the reasons for them.

    The result begins with the score of the blueprint, and has one line for each prompt. Points and arithmetic are shown
    for a single prompt, and with --details for all.

    Progress goes to stderr, the result to stdout. Recipients and costs are shown before anything is sent. Answers and
    verdicts are cached as they arrive: a run that was interrupted, or reached its limit, continues where it stopped.

    With --repeat or --judge-repeat, the variation of generation and of judging is shown in place of the arithmetic. For
    one prompt and several models, an exact permutation test compares them, from 4 answers a side on.

    Stored verdicts of the judges, and your grades, count too; --no-stored leaves them out.

    If Weval refuses FILE, the reason is shown and the prompts run all the same. A prompt that a YAML error cuts off
    does not run.

    Exit code: 0 when every prompt is scored; 1 when a request or a check failed, when no judge judged a point, or
    when Weval refuses FILE; 2 for a usage or input error.
    """
    if asked.judge_repeat > 1 and not judges.are_asked:
        raise click.UsageError("--judge-repeat goes with --judge configured.")
    from engine.evaluation.sources import ModelSource
    from engine.study.file_places import place_warning
    from studio.cli.batch_runs import evaluate_all, failed, is_for_judges, runs_of
    from studio.cli.named_blueprint import read_blueprint
    from studio.cli.repeat_report import as_json, as_text
    from studio.cli.run_overview import overview_text
    from studio.cli.wrapped_text import wrapped
    from studio.session.repeat_report import repeat_report, repeated_runs, repeats_note, unjudged_note
    from studio.session.run_starts import Launch

    blueprint = read_blueprint(file)
    parsed = blueprint.parsed
    named = sources(options, file, dry_run=limits.dry_run)
    if asked.repeat > 1 and not all(isinstance(each, ModelSource) for each in named):
        raise click.UsageError("--repeat goes with --model: only a model gives another answer.")
    if options.response is not None and len(prompt_ids) != 1:
        raise click.UsageError("--response is the answer to one prompt: name it with --prompt.")
    if asked.record is not None and asked.record.is_dir():
        raise Unusable(f"{asked.record} is a folder: give --record the name of a file in it.")
    for target in filter(None, (asked.out, asked.record)):
        if not target.parent.is_dir():
            raise Unusable(f"There is no folder {target.parent} to write {target.name} to.")
        warning = place_warning(target, file)
        if warning is not None:
            tell(warning)
    prompts = blueprint.chosen(prompt_ids)
    once = runs_of(file, parsed, prompts, named, fresh=asked.no_cache)
    runs = repeated_runs(once, asked.repeat)
    judged = judges.are_asked and any(map(is_for_judges, runs))
    counted = replaced(judges, no_stored=judges.no_stored or asked.is_again)
    panel = panel_of(parsed.blueprint.header, counted) if judged else None
    notes = ["No point in words needs a judge: no judge is asked."] if judges.are_asked and not judged else []
    if panel is not None:
        panel = replace(panel, rounds=asked.judge_repeat)
    if asked.is_again:
        unjudged = unjudged_note(prompts, has_judges=panel is not None)
        notes += [repeats_note(asked.repeat, asked.judge_repeat), *([unjudged] if unjudged else [])]
    approval = OptionsApproval(limits, permissions, notes)
    evaluated = evaluate_all(Launch(parsed.blueprint, runs, panel), approval, counted)
    if evaluated is None:
        raise SystemExit(int(blueprint.refused))
    entries = evaluated.entries
    if evaluated.spending.requests:
        tell(f"Used: {evaluated.spending.summary}.")
    report_others(each.outcome.explanation for each in entries if isinstance(each.outcome, Scored))
    repeats = None
    if asked.is_again:
        repeats = repeat_report(entries, parsed.blueprint.header, answers=asked.repeat, verdicts=asked.judge_repeat)
        reports = [visible(as_text(repeats))]
    else:
        several = len({entry.prompt_key for entry in entries}) > 1
        advice = approval.told
        reports = [overview_text(file, parsed, entries, advice, hint=not asked.details)] if several else []
        shown = [entry for entry in entries if not several or (asked.details and not _is_told(entry))]
        reports += [_report(entry, parsed.blueprint.header, advice) for entry in shown]
    missing = {**blueprint.not_run(prompt_ids), **({} if prompt_ids else blueprint.unread())}
    not_run = [visible(f"{name}: not run\n  {why}\n") for name, why in missing.items()]
    click.echo(wrapped("\n".join([*reports, *not_run])), nl=False)
    if asked.out is not None:
        more = None if repeats is None else {"repeats": as_json(repeats)}
        _export(asked.out, file, parsed, entries if repeats is None else repeats.firsts, options.collections, more)
    if asked.record is not None:
        _write(asked.record, _recorded(entries))
        _report_shared_ids(entries, asked.record)
    has_failed = any(failed(each, judged=panel is not None) for each in entries)
    raise SystemExit(int(blueprint.refused or has_failed))


def _report(entry: Entry, header: Header, told: set[str]) -> str:
    from engine.evaluation.headline import headline
    from studio.cli.run_overview import failure_text
    from studio.cli.score_text import circular_text_of, explained_text

    title = " ".join(f"{entry.prompt_key} · {entry.key}".split())
    match entry.outcome:
        case Failed(title=what, detail=detail, advice=advice) as failure:
            reasons = (what, detail, "" if advice in told else advice, _arrived(failure))
            lines = [f"{title}: {failure_text(failure)}", *(f"  {line}" for line in reasons if line)]
            return visible("\n".join(lines)) + "\n"
        case scored:
            head = headline(scored.explanation, scored.response)
            explained = explained_text(title, head, scored.explanation, circular_text_of(entry.prompt))
            return f"{explained}\n{_answer(entry, scored)}{_tools(entry, scored, header)}{_judges(entry, told)}"


def _answer(entry: Entry, scored: Scored) -> str:
    from engine.evaluation.events import setting_notes

    remarks = list(setting_notes(scored.response, entry.key.removesuffix(entry.suffix)))
    return visible("".join(["\n  the answer\n", *(f"    {each}\n" for each in remarks)])) if remarks else ""


def _arrived(failure: Failed) -> str:
    """The beginning of an answer that a filter withheld, on one line; "" if nothing had arrived."""
    text = "" if failure.partial is None or not failure.withheld else " ".join(failure.partial.subject.split())
    if not text:
        return ""
    return f"had arrived: {in_quotes(text if len(text) <= _LONGEST_PARTIAL else f'{text[:_LONGEST_PARTIAL]} …')}"


def _is_told(entry: Entry) -> bool:
    """Whether the overview says all there is to say: why there is no answer."""
    return isinstance(entry.outcome, Failed) and not _arrived(entry.outcome)


def _tools(entry: Entry, scored: Scored, header: Header) -> str:
    from engine.evaluation.result_json import tools_of
    from studio.cli.score_details import tools_text

    use = tools_of(entry, scored, header)
    return "" if use is None else f"\n{tools_text(use)}\n"


def _judges(entry: Entry, advice: set[str]) -> str:
    if entry.judged is None:
        return ""
    from studio.cli.verdicts_text import verdicts_text

    return f"\n{verdicts_text([entry.judged], advice)}\n"


def _export(
    out: Path,
    file: Path,
    parsed: Parsed,
    entries: Sequence[Entry],
    collections: Path | None,
    more: Mapping[str, Data] | None,
) -> None:
    from engine.functions.v8 import JavaScript
    from studio.session.result_export import export

    with JavaScript() as javascript:
        result = export(parsed, entries, file, javascript, collections=collections, more=more)
    try:
        written = result.write(out)
    except OSError as error:
        raise Unusable(f"{out} cannot be written: {error.strerror}.") from error
    if written != out:
        tell(f"The result is in {written}.")
    if result.remark:
        tell(result.remark)


def _recorded(entries: Sequence[Entry]) -> str:
    from engine.evaluation.result_json import dumps, record_fixtures

    return dumps(record_fixtures(entries))


def _report_shared_ids(entries: Sequence[Entry], record: Path) -> None:
    from engine.evaluation.result_json import shared_ids
    from engine.scoring.explanation_text import listed

    for prompt_id, names in shared_ids(entries).items():
        message = (
            f"{len(names) + 1} prompts share the id {prompt_id}. In {record.name} the first one is called {prompt_id}, "
            f"the others {listed(names)}. Here each prompt gets its own answer; Weval gives all the first one's. "
            "Give each an id of its own."
        )
        tell(message)


def _write(path: Path, text: str) -> None:
    from engine.files.open_files import write_author_file

    try:
        write_author_file(path, text.encode("utf-8"))
    except OSError as error:
        raise Unusable(f"{path} cannot be written: {error.strerror}.") from error
