"""`studio deletions`: each sentence of an ideal deleted in turn, and which checks notice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.text import visible
from studio.cli.limit_options import Limits, OptionsApproval, limit_options
from studio.cli.service_options import Permissions
from studio.cli.unusable import Unusable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.blueprint import Blueprint, Header, Prompt
    from studio.cli.deletions_report import TestedIdeal


@click.command("deletions", short_help="Delete each sentence of an ideal, and see which checks notice.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--prompt", "prompt_ids", multiple=True, metavar="ID", help="Only this prompt. Can be repeated.")
@click.option(
    "--judge",
    type=click.Choice(["off", "configured"]),
    default="off",
    help="Who judges the criteria that the ideal meets, without the sentences that they quoted: nobody, or the judges "
    "of the blueprint (else the default ones).",
)
@click.option(
    "--judges-as",
    type=click.Choice(["documented", "weval"]),
    default="documented",
    help="Default judges, scale and backup as documented, or as Weval has them today.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="The form of the output.")
@limit_options
@click.pass_context
def command(
    ctx: click.Context,
    file: Path,
    prompt_ids: tuple[str, ...],
    judge: str,
    judges_as: str,
    form: str,
    most_usd: float | None,
    most_requests: int | None,
    dry_run: bool,
) -> None:
    """Delete each sentence of the ideal in turn, and show which checks notice: the deletion test.

    It runs the checks that need nobody. Nothing is sent: checks by a service ($call, $factcheck) and criteria in words
    are counted as not tried. Without --prompt, it tests all prompts that have an ideal.

    With --judge configured, each criterion that the ideal meets is judged four times with each sentence that its
    judges quoted, and four times without it. The plan is shown first. The ideal must have been judged: `studio run
    FILE --ideal --judge configured`.

    Exit code: 0 when tested; 1 when Weval refuses FILE; 2 for a usage or input error, or if there is no ideal.
    """
    from studio.cli.deletions_report import as_json, as_text
    from studio.cli.named_blueprint import read_blueprint

    blueprint = read_blueprint(file)
    chosen = blueprint.chosen(prompt_ids)
    for name, why in blueprint.not_run(prompt_ids).items():
        click.echo(visible(f"{name}: not tested. {why}"), err=True)
    results = _tested(chosen, blueprint.parsed.blueprint.header)
    if not results:
        raise Unusable("None of these prompts has an ideal." if prompt_ids else f"No prompt in {file} has an ideal.")
    if judge == "configured":
        limits = Limits(most_usd, most_requests, dry_run)
        results = _judged(results, blueprint.parsed.blueprint, judges_as, limits)
        if dry_run:
            ctx.exit(0)
    text = blueprint.parsed.text
    click.echo(as_json(results, text) if form == "json" else visible(as_text(results, text)), nl=False)
    ctx.exit(1 if blueprint.refused else 0)


def _tested(prompts: Sequence[Prompt], header: Header) -> list[TestedIdeal]:
    from engine.deletion_test import deletion_test
    from engine.javascript import JavaScript
    from studio.cli.deletions_report import TestedIdeal

    with JavaScript() as javascript:
        tests = [(prompt, deletion_test(prompt, header, javascript)) for prompt in prompts]
    return [TestedIdeal(prompt, test) for prompt, test in tests if test is not None]


def _judged(results: list[TestedIdeal], blueprint: Blueprint, judges_as: str, limits: Limits) -> list[TestedIdeal]:
    """The results with their criteria judged, within `limits` for each prompt; as they are after a dry run."""
    from studio.cli.deletions_judging import judged_test
    from studio.cli.deletions_report import TestedIdeal
    from studio.cli.judge_options import Counted, panel_of

    panel = panel_of(blueprint.header, Counted(judges_as))
    approval = OptionsApproval(limits, Permissions())
    judged = [(each, judged_test(blueprint, each.prompt, each.test, panel, approval)) for each in results]
    return [each if test is None else TestedIdeal(each.prompt, test) for each, test in judged]
