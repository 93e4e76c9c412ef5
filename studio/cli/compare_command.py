"""`studio compare`: the models of a result file in a grid, or two result files and how they differ."""

from __future__ import annotations

from pathlib import Path

import click

from studio.cli.frame import FILE, refuse, takes
from studio.cli.options import Compared


@click.command("compare", short_help="Compare the models of a result file, or two result files.")
@click.argument("file", type=FILE, metavar="FILE")
@click.argument("new", type=FILE, metavar="[NEW]", required=False)
@takes(Compared)
def command(asked: Compared, file: Path, new: Path | None) -> None:
    """Compare the models in a result file FILE, or the result files FILE and NEW.

    Result files are those that `--json` of a run writes and those that Weval publishes. FILE alone is shown as a
    grid: prompts × models, or, with one --prompt, its criteria × models.

    With NEW, each result is compared with the one of the same prompt and model in FILE: the scores, and whether the
    answer, the rubric or a verdict on the same question is another one. With --prompt also the old answer on the new
    rubric, the new answer on the old one, the criteria and the words of the answers. Checks run; nothing is sent.
    Missing verdicts leave ranges: --judge configured asks judges for them, after printing the plan.

    Exit code: 0 when compared; 2 for a usage or input error.
    """
    refuse()
    from studio.cli.comparisons import grid, two_files

    grid(file, asked) if new is None else two_files(file, new, asked)
