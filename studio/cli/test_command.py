"""`studio test`: whether the rubrics of a blueprint agree with its cases."""

from __future__ import annotations

from pathlib import Path

import click

from studio.cli.frame import FILE, refuse, takes
from studio.cli.options import Tested


@click.command("test", short_help="Test rubrics against labelled answers.")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE…")
@takes(Tested)
def command(asked: Tested, files: tuple[Path, ...]) -> None:
    """Score the answers in FILE.yml.cases by the rubrics of FILE.yml, and compare the scores with what is expected.

    A case passes if every score that is still possible lies in its range, and fails if every one lies outside; else it
    is undecided. Checks run, and grades and verdicts in the case file count, as do verdicts that are cached here.
    Checks by a service are not sent, so they leave a case undecided. A case with a label alone counts in pairs: each
    good answer should score higher than each bad one to the same prompt.

    Exit code: 0 when all pass; 1 when a case fails, a pair is ranked wrongly, or none could be decided; 2 for a usage
    or input error, if a case cannot be read, or if there are no cases.
    """
    refuse()
    from studio.cli.cases import tested

    tested(files, asked)
