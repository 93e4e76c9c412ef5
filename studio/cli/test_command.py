"""`studio test`: whether the rubrics of a blueprint agree with its cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.text.spans import visible
from studio.cli.judge_options import Counted, again_option, counted_options, judging_option
from studio.cli.limit_options import Limits, OptionsApproval, limit_options
from studio.cli.service_options import Permissions
from studio.cli.unusable import Unusable

if TYPE_CHECKING:
    from studio.cli.case_runs import TestedCases


@click.command("test", short_help="Test rubrics against labelled answers.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@judging_option
@counted_options
@again_option
@click.option("--record", is_flag=True, help="Write the verdicts that counted into the case file, for others.")
@click.option("--strict", is_flag=True, help="Undecided and orphaned cases, open and tied pairs fail too.")
@click.option(
    "--points", is_flag=True, help="Also list what each point is good for: the answers it fails. JSON always has it."
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="The form of the output.")
@limit_options
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[Path, ...],
    judge: str,
    judges_as: str | None,
    no_stored: bool,
    judge_again: bool,
    record: bool,
    strict: bool,
    points: bool,
    form: str,
    most_usd: float | None,
    most_requests: int | None,
    dry_run: bool,
) -> None:
    """Score the answers in FILE.yml.cases by the rubrics of FILE.yml, and compare the scores with what is expected.

    A case passes if every score that is still possible lies in its range, and fails if every one lies outside; else it
    is undecided. Checks run, and grades and verdicts in the case file count, as do verdicts that are cached here.
    Checks by a service are not sent, so they leave a case undecided. A case with a label alone counts in pairs: each
    good answer should score higher than each bad one to the same prompt.

    Exit code: 0 when all pass; 1 when a case fails, a pair is ranked wrongly, or none could be decided; 2 for a usage
    or input error, if a case cannot be read, or if there are no cases.
    """
    if judge_again and judge != "configured":
        raise click.UsageError("--judge-again goes with --judge configured.")
    from engine.study.file_places import case_file_path, default_case_path
    from studio.cli.case_report import as_json, as_text, exit_code
    from studio.cli.case_runs import problem_lines, tested
    from studio.cli.named_blueprint import read_blueprint
    from studio.cli.wrapped_text import wrapped

    results: list[TestedCases] = []
    for file in files:
        parsed = read_blueprint(file).parsed
        path = case_file_path(file)
        if path is None:
            click.echo(visible(f"{file} has no cases: there is no {default_case_path(file)}."), err=True)
            continue
        approval = None
        if judge == "configured":
            approval = OptionsApproval(Limits(most_usd, most_requests, dry_run), Permissions())
        result = tested(file, path, parsed, Counted(judges_as, no_stored, judge_again), approval, record=record)
        for line in problem_lines(result.path, result.file, result.problems):
            click.echo(visible(line), err=True)
        results.append(result)
    if not any(result.file.cases for result in results):
        raise Unusable("There are no cases that can be read.")
    text = as_json(results) if form == "json" else wrapped(visible(as_text(results, points=points)))
    click.echo(text, nl=False)
    ctx.exit(exit_code(results, strict=strict))
