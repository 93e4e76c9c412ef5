"""`studio report`: results in one file for people who have no studio."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.text.spans import visible
from studio.cli.judge_options import Counted, counted_options
from studio.cli.unusable import Unusable

if TYPE_CHECKING:
    from engine.report import Report

_BY_SUFFIX = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown", ".json": "json"}


@click.command("report", short_help="Write results as HTML or Markdown, whole in one file.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--prompt", "prompt_ids", multiple=True, metavar="ID", help="Only this prompt. Can be repeated.")
@click.option("--model", "keys", multiple=True, metavar="KEY", help="Only this source of answers. Can be repeated.")
@click.option(
    "--blueprint",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The blueprint of a result file. By default, it is found by its name, beside or above the file.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "markdown", "json"]),
    help="The form. By default by the name of --out, else Markdown.",
)
@counted_options
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write to this file, not to stdout.")
def command(
    file: Path,
    prompt_ids: tuple[str, ...],
    keys: tuple[str, ...],
    blueprint: Path | None,
    form: str | None,
    judges_as: str | None,
    no_stored: bool,
    out: Path | None,
) -> None:
    """Report results: what was asked, the answers with their evidence, points, costs, cases, and who judged.

    FILE is a blueprint or a Weval result file. For a blueprint, it reports the ideals and, of each other source, the
    newest answer stored on this machine, by the present rubric. Stored verdicts and grades count. Nothing is sent.

    The HTML is one file that loads nothing and runs nothing.

    Exit code: 0 when reported; 2 for a usage or input error, or if there is nothing to report.
    """
    from engine.evaluation.results import is_result

    counted = Counted(judges_as, no_stored)
    named = "markdown" if out is None else _BY_SUFFIX.get(out.suffix.lower(), "markdown")
    form = form or named
    if is_result(file):
        from studio.cli.report_sources import of_result

        if counted != Counted():
            raise click.UsageError(
                "A result file has its own verdicts: --judges-as and --no-stored go with a blueprint."
            )
        report = of_result(file, prompt_ids, keys, blueprint, form)
    else:
        from studio.cli.report_sources import of_blueprint

        if blueprint is not None:
            raise click.UsageError("--blueprint goes with a result file: it names the blueprint that was run.")
        report = of_blueprint(file, prompt_ids, keys, counted, for_people=form != "json")
    if not report.prompts:
        raise Unusable(f"There is nothing to report of {file}: no ideal, and no stored answer.")
    text = _written(report, form)
    if out is None:
        click.echo(text, nl=False)
    else:
        _write(out, file, text)


def _written(report: Report, form: str) -> str:
    from engine.evaluation.result_json import dumps
    from engine.models.secret import without_keys
    from engine.report import html_report, markdown_report, report_json

    match form:
        case "html":
            return without_keys(html_report(report))
        case "json":
            return dumps(report_json(report))
        case _:
            return without_keys(markdown_report(report))


def _write(out: Path, blueprint: Path, text: str) -> None:
    from engine.files.author_files import write_author_file
    from engine.study.file_places import place_warning

    if out.suffix.lower() in (".json", ".yml", ".yaml") and (warning := place_warning(out, blueprint)) is not None:
        raise Unusable(warning)
    try:
        write_author_file(out, text.encode("utf-8"))
    except OSError as error:
        raise Unusable(f"{out} cannot be written: {error.strerror or error}.") from error
    click.echo(visible(f"The report is in {out}."), err=True)
