"""`studio report`: results in one file for people who have no studio."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from studio.cli.frame import BLUEPRINT_HELP, FILE, OWN_VERDICTS, PROMPTS, Unusable, finish, option, takes, tell
from studio.cli.judge_options import Counted

if TYPE_CHECKING:
    from engine.report import Report

_BY_SUFFIX = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown", ".json": "json"}


@dataclass(frozen=True, slots=True)
class _Report:
    """What is reported, and where."""

    keys: tuple[str, ...] = option(
        "--model", default=(), multiple=True, metavar="KEY", help="Only this source of answers. Can be repeated."
    )
    blueprint: Path | None = option("--blueprint", type=FILE, metavar="FILE", help=BLUEPRINT_HELP)
    form: str | None = option(
        "--format",
        type=click.Choice(["html", "markdown", "json"]),
        help="The form. By default by the name of --out, else Markdown.",
    )
    out: Path | None = option("--out", type=FILE, metavar="FILE", help="Write to this file, not to stdout.")


@click.command("report", short_help="Write results as HTML or Markdown, whole in one file.")
@click.argument("file", type=FILE)
@PROMPTS
@takes(_Report, Counted)
def command(asked: _Report, counted: Counted, file: Path, prompt_ids: tuple[str, ...]) -> None:
    """Report results: what was asked, the answers with their evidence, points, costs, cases, and who judged.

    FILE is a blueprint or a Weval result file. For a blueprint, it reports the ideals and, of each other source, the
    newest answer stored on this machine, by the present rubric. Stored verdicts and grades count. Nothing is sent.

    The HTML is one file that loads nothing and runs nothing.

    Exit code: 0 when reported; 2 for a usage or input error, or if there is nothing to report.
    """
    from engine.evaluation.results import is_result

    named = "markdown" if asked.out is None else _BY_SUFFIX.get(asked.out.suffix.lower(), "markdown")
    form = asked.form or named
    if is_result(file):
        from studio.cli.report_sources import of_result

        if counted != Counted():
            raise click.UsageError(OWN_VERDICTS)
        report = of_result(file, prompt_ids, asked.keys, asked.blueprint, form)
    else:
        from studio.cli.report_sources import of_blueprint

        if asked.blueprint is not None:
            raise click.UsageError("--blueprint goes with a result file: it names the blueprint that was run.")
        report = of_blueprint(file, prompt_ids, asked.keys, counted, for_people=form != "json")
    if not report.prompts:
        raise Unusable(f"There is nothing to report of {file}: no ideal, and no stored answer.")
    text = _written(report, form)
    if asked.out is None:
        finish(text)
    _write(asked.out, file, text)


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
    from engine.files.open_files import write_author_file
    from engine.study.file_places import place_warning

    if out.suffix.lower() in (".json", ".yml", ".yaml") and (warning := place_warning(out, blueprint)) is not None:
        raise Unusable(warning)
    try:
        write_author_file(out, text.encode("utf-8"))
    except OSError as error:
        raise Unusable(f"{out} cannot be written: {error.strerror or error}.") from error
    tell(f"The report is in {out}.")
