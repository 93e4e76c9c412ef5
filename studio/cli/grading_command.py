"""`studio grading`: how far judges agree with people who graded blind, and the grading sheet for a colleague."""

from __future__ import annotations

from pathlib import Path

import click

from studio.cli.frame import FILE, refuse, takes
from studio.cli.options import Grading


@click.command("grading", short_help="Compare judges with people, and write a grading sheet.")
@click.argument("file", type=FILE)
@takes(Grading)
def command(asked: Grading, file: Path) -> None:
    """Show how far the judges of FILE agree with people who graded without seeing the verdicts.

    The pairs of an answer and a criterion are drawn at random from all that judges have judged on this machine. You
    grade them in the studio (b in the result). A colleague grades them in a grading sheet, which any spreadsheet
    program opens: --sheet writes it, --read takes the grades back under the name of --by. Nothing is sent.

    Exit code: 0 when done; 1 when a row of the sheet could not be used; 2 for a usage or input error, or if nothing is
    judged.
    """
    refuse()
    from studio.cli.grades import graded

    graded(file, asked)
