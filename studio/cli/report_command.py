"""`studio report`: results in one file for people who have no studio."""

from __future__ import annotations

from pathlib import Path

import click

from studio.cli.frame import FILE, Unusable, finish, refuse, takes, tell, write
from studio.cli.options import Reported

_BY_SUFFIX = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown", ".json": "json"}


@click.command("report", short_help="Write results as HTML or Markdown, whole in one file.")
@click.argument("file", type=FILE)
@takes(Reported)
def command(asked: Reported, file: Path) -> None:
    """Report results: what was asked, the answers with their evidence, points, costs, cases, and who judged.

    FILE is a blueprint or a Weval result file. For a blueprint, it reports the ideals and, of each other source, the
    newest answer stored on this machine, by the present rubric. Stored verdicts and grades count. Nothing is sent.

    The HTML is one file that loads nothing and runs nothing.

    Exit code: 0 when reported; 2 for a usage or input error, or if there is nothing to report.
    """
    from engine.evaluation.results import is_result

    is_of_result = is_result(file)
    refuse("RESULT" if is_of_result else "BLUEPRINT")
    from studio.cli.reports import report_of_blueprint, report_of_result

    form = asked.form or ("markdown" if asked.out is None else _BY_SUFFIX.get(asked.out.suffix.lower(), "markdown"))
    text = (report_of_result if is_of_result else report_of_blueprint)(file, asked, form)
    if asked.out is None:
        finish(text)
    _write(asked.out, file, text)


def _write(out: Path, blueprint: Path, text: str) -> None:
    from engine.study.file_places import place_warning

    if out.suffix.lower() in (".json", ".yml", ".yaml") and (warning := place_warning(out, blueprint)) is not None:
        raise Unusable(warning)
    write(out, text)
    tell(f"The report is in {out}.")
