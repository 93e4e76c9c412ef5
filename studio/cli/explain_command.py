"""`studio explain`: the arithmetic of a score, in words and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from engine.evaluation.events import Failed, Response
from engine.text.record import Record
from engine.text.spans import visible
from studio.cli.frame import BLUEPRINT_HELP, FILE, OWN_VERDICTS, PROMPTS, Output, finish, option, takes
from studio.cli.judge_options import Counted, report_others
from studio.cli.service_options import Permissions
from studio.cli.source_options import SourceOptions, sources

if TYPE_CHECKING:
    from engine.blueprint import Header
    from engine.evaluation.headline import Headline
    from engine.evaluation.result_json import Entry
    from engine.evaluation.tool_use import ToolUse
    from engine.evidence.prompt_evidence import PromptEvidence
    from engine.functions.v8 import JavaScript
    from engine.scoring.explanation import Explanation


@dataclass(frozen=True, slots=True)
class _Asked:
    """What of a score is explained."""

    blueprint: Path | None = option("--blueprint", type=FILE, metavar="FILE", help=BLUEPRINT_HELP)
    target: float | None = option(
        "--target",
        type=click.FloatRange(0, 100),
        metavar="SCORE",
        help="Show what an answer would have to do for this score, 0–100.",
    )


@click.command("explain")
@click.argument("file", type=FILE)
@PROMPTS
@takes(SourceOptions, _Asked, Output, Counted, Permissions)
def command(
    options: SourceOptions,
    asked: _Asked,
    output: Output,
    counted: Counted,
    permissions: Permissions,
    file: Path,
    prompt_ids: tuple[str, ...],
) -> None:
    """Show the arithmetic of a score: of a prompt of the blueprint FILE, or of a Weval result file.

    `studio explain BLUEPRINT --prompt ID --ideal` runs the prompt first. `studio explain RESULT.json` explains a
    published result: where its score comes from, what was left out, and what changed in the blueprint since. Without
    --prompt, it lists the prompts by what they cost; --model names the key of a result.

    No judge is asked: stored verdicts of the judges on exactly this answer count, and other points in words are open.

    Checks by a service ($call, $factcheck) are sent as in `studio run`: only to a host that you allow, or allowed
    before. Until then, such a point is open. For a result file, nothing is sent.

    --target 85 adds the smallest sets of points that an answer would have to meet for 85, counted from the lowest score
    that is possible, and what keeps it from more.

    Exit code: 0 when explained; 1 when a request or a check failed, or when Weval refuses FILE; 2 for a usage or
    input error.
    """
    from engine.evaluation.results import is_result
    from studio.cli.wrapped_text import wrapped

    if is_result(file):
        if permissions != Permissions():
            raise click.UsageError("Nothing is sent for a result file, so there is no host to allow.")
        if counted != Counted():
            raise click.UsageError(OWN_VERDICTS)
        _result(file, prompt_ids, options, asked, output)
    if asked.blueprint is not None:
        raise click.UsageError("--blueprint goes with a result file: it names the blueprint that was run.")
    explained, refused = _evaluated(file, prompt_ids, options, permissions, counted, output)
    report_others(each.explanation for each in explained if each.explanation is not None)
    text = _as_json(explained, asked.target) if output.is_json else wrapped(_as_text(explained, asked.target))
    finish(text, code=int(refused or any(each.failed for each in explained)))


def _result(file: Path, prompt_ids: tuple[str, ...], options: SourceOptions, asked: _Asked, output: Output) -> NoReturn:
    """Explain a result file."""
    from engine.evaluation.result_json import dumps
    from studio.cli.explain_result_json import as_data
    from studio.cli.explain_result_text import as_text
    from studio.cli.explained_results import explain_result
    from studio.cli.shown_results import mark_results_shown
    from studio.cli.wrapped_text import wrapped

    if replaced(options, models=()) != SourceOptions():
        raise click.UsageError("A result file has its answers in it: only --prompt and --model choose among them.")
    explained = explain_result(file, prompt_ids, options.models, asked.blueprint, output.form)
    mark_results_shown(each.result for each in explained.results)
    text = dumps(as_data(explained, asked.target)) if output.is_json else wrapped(as_text(explained, asked.target))
    finish(text, code=int(any(each.result.error is not None for each in explained.results)))


class _Explained(Record):
    """One score to print; `problem` says why there is none."""

    prompt: str
    key: str
    explanation: Explanation | None
    headline: Headline | None = None
    problem: str = ""
    failed: bool = False
    tools: ToolUse | None = None
    response: Response | None = None
    evidence: PromptEvidence | None = None
    circular: str = ""

    @property
    def title(self) -> str:
        return " ".join(f"{self.prompt} · {self.key}".split())


def _evaluated(
    file: Path,
    prompt_ids: tuple[str, ...],
    options: SourceOptions,
    permissions: Permissions,
    counted: Counted,
    output: Output,
) -> tuple[list[_Explained], bool]:
    """The scores to print, and whether Weval refuses the file."""
    from engine.evaluation.result_json import as_read
    from engine.functions.v8 import JavaScript
    from studio.cli.batch_runs import evaluate_all, runs_of
    from studio.cli.limit_options import Limits, OptionsApproval
    from studio.cli.named_blueprint import read_blueprint
    from studio.session.run_starts import Launch

    blueprint = read_blueprint(file)
    parsed = blueprint.parsed
    named = sources(options, file)
    if not prompt_ids:
        raise click.UsageError("Name the prompt to explain with --prompt.")
    prompts = blueprint.chosen(prompt_ids)
    launch = Launch(parsed.blueprint, runs_of(file, parsed, prompts, named), None)
    evaluated = evaluate_all(launch, OptionsApproval(Limits(), permissions), counted)
    explained: list[_Explained] = []
    with JavaScript() as javascript:
        explained += [
            _explained(as_read(entry) if output.is_json else entry, parsed.blueprint.header, javascript)
            for entry in (evaluated.entries if evaluated is not None else ())
        ]
    not_run = blueprint.not_run(prompt_ids).items()
    explained += [
        _Explained(name, source.key, None, None, why, failed=True) for name, why in not_run for source in named
    ]
    return explained, blueprint.refused


def _explained(entry: Entry, header: Header, javascript: JavaScript) -> _Explained:
    """One score, or why there is none."""
    from engine.evaluation.headline import headline
    from engine.evaluation.result_json import tools_of
    from engine.evidence.prompt_evidence import prompt_evidence

    match entry.outcome:
        case Failed(title=title, detail=detail, advice=advice):
            problem = " ".join(part for part in (title, detail, advice) if part)
            return _Explained(entry.prompt_key, entry.key, None, problem=problem, failed=True)
        case scored:
            from studio.cli.batch_runs import failed
            from studio.cli.score_text import circular_text_of

            return _Explained(
                entry.prompt_key,
                entry.key,
                scored.explanation,
                headline(scored.explanation, scored.response),
                failed=failed(entry),
                tools=tools_of(entry, scored, header),
                response=scored.response,
                evidence=prompt_evidence(entry.prompt, scored.response, javascript, _reflections(entry)),
                circular=circular_text_of(entry.prompt),
            )


def _reflections(entry: Entry) -> dict[int, list[str]]:
    """What judges wrote on the answer, by the place of the point."""
    points = {} if entry.judged is None else entry.judged.points
    return {place: [verdict.reflection for _, verdict in point.verdicts] for place, point in points.items()}


def _as_text(explained: Sequence[_Explained], target: float | None) -> str:
    from studio.cli.score_details import evidence_text, target_text, tools_text
    from studio.cli.score_text import explained_text

    pieces: list[str] = []
    for each in explained:
        if each.explanation is None or each.headline is None:
            pieces.append(visible(f"{each.title}: not scored\n  {each.problem}\n"))
        else:
            tools = "" if each.tools is None else f"\n{tools_text(each.tools)}"
            expected = target_text(each.explanation, target)
            arithmetic = explained_text(each.title, each.headline, each.explanation, each.circular)
            pieces.append(f"{arithmetic}{expected}{evidence_text(each.evidence)}{tools}\n")
    return "\n".join(pieces)


def _as_json(explained: Sequence[_Explained], target: float | None) -> str:
    from engine.evaluation.events import answer_json
    from engine.evaluation.result_json import bounds_json, dumps, expected_json, explanation_json
    from engine.evaluation.tool_use import tool_use_json

    return dumps(
        [
            {
                "prompt": each.prompt,
                "key": each.key,
                "stored": None,
                "error": each.problem or None,
                "bounds": None if each.explanation is None else bounds_json(each.explanation.bounds),
                "explanation": None if each.explanation is None else explanation_json(each.explanation),
                "circular": each.circular or None,
                **expected_json(each.explanation, target),
                **({} if each.evidence is None else {"evidence": each.evidence.as_json()}),
                **({} if each.response is None else answer_json(each.response)),
                **({} if each.tools is None else {"toolUse": tool_use_json(each.tools)}),
            }
            for each in explained
        ]
    )
