"""`studio grading`: how far judges agree with people who graded blind, and the grading sheet for a colleague."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from studio.cli.frame import FILE, Output, flag, option, refuse, takes


@dataclass(frozen=True)
class Grading(Output):
    """Which pairs are graded, and by which sheet."""

    sheet: Path | None = option("--sheet", "Write a grading sheet (CSV) for a colleague, blinded.", "OUT")
    returned: Path | None = option("--read", "Read the grades in a sheet that came back.", "SHEET")
    by: str | None = option("--by", "Who graded the sheet.", "NAME")
    size: int | None = option(
        "--size", "Draw a new sample of so many pairs (40 unless given).", type=click.IntRange(min=1)
    )
    seed: int | None = option("--seed", "Draw a new sample with this seed.", type=click.IntRange(0, 2**32 - 1))
    reveal: bool = flag("--reveal", "Show verdicts on pairs too that you have yet to grade yourself.")


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
