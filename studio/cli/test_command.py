"""`studio test`: whether the rubrics of a blueprint agree with its cases."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.text.spans import visible
from studio.cli.frame import FILE, Output, Unusable, finish, flag, takes, tell
from studio.cli.judge_options import Judges
from studio.cli.limit_options import Limits, OptionsApproval
from studio.cli.service_options import Permissions

if TYPE_CHECKING:
    from studio.cli.case_runs import TestedCases


@dataclass(frozen=True, slots=True)
class _Test:
    """What is recorded, shown and counted as failed."""

    record: bool = flag("--record", help="Write the verdicts that counted into the case file, for others.")
    strict: bool = flag("--strict", help="Undecided and orphaned cases, open and tied pairs fail too.")
    points: bool = flag(
        "--points", help="Also list what each point is good for: the answers it fails. JSON always has it."
    )


@click.command("test", short_help="Test rubrics against labelled answers.")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE…")
@takes(Judges, _Test, Output, Limits)
def command(judges: Judges, asked: _Test, output: Output, limits: Limits, files: tuple[Path, ...]) -> None:
    """Score the answers in FILE.yml.cases by the rubrics of FILE.yml, and compare the scores with what is expected.

    A case passes if every score that is still possible lies in its range, and fails if every one lies outside; else it
    is undecided. Checks run, and grades and verdicts in the case file count, as do verdicts that are cached here.
    Checks by a service are not sent, so they leave a case undecided. A case with a label alone counts in pairs: each
    good answer should score higher than each bad one to the same prompt.

    Exit code: 0 when all pass; 1 when a case fails, a pair is ranked wrongly, or none could be decided; 2 for a usage
    or input error, if a case cannot be read, or if there are no cases.
    """
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
            tell(f"{file} has no cases: there is no {default_case_path(file)}.")
            continue
        approval = OptionsApproval(limits, Permissions()) if judges.are_asked else None
        result = tested(file, path, parsed, judges, approval, record=asked.record)
        for line in problem_lines(result.path, result.file, result.problems):
            tell(line)
        results.append(result)
    if not any(result.file.cases for result in results):
        raise Unusable("There are no cases that can be read.")
    text = as_json(results) if output.is_json else wrapped(visible(as_text(results, points=asked.points)))
    finish(text, code=exit_code(results, strict=asked.strict))
