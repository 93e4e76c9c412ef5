"""`studio run`: run prompts, show how they scored, save the result as Weval's JSON."""

from __future__ import annotations

from pathlib import Path

import click

from studio.cli.frame import FILE, gone, refuse, takes
from studio.cli.options import RunOptions


@click.command("run", short_help="Run prompts, and show or save the result.")
@click.argument("file", type=FILE)
@takes(RunOptions)
@gone("--compare", "--compare was removed: models are compared on one prompt, by --prompt and --repeat.")
def command(asked: RunOptions, file: Path) -> None:
    """Run the prompts of FILE with one source of answers, and show the scores and the reasons for them.

    The result begins with the score of the blueprint, and has one line for each prompt. Points and arithmetic are shown
    for a single prompt, and with --details for all.

    Progress goes to stderr, the result to stdout. Recipients and costs are shown before anything is sent. Answers and
    verdicts are cached as they arrive: a run that was interrupted, or reached its limit, continues where it stopped.

    With --repeat or --judge-repeat, the variation of generation and of judging is shown in place of the arithmetic. For
    one prompt and several models, an exact permutation test compares them, from 4 answers a side on.

    Stored verdicts of the judges, and your grades, count too; --no-stored leaves them out.

    If Weval refuses FILE, the reason is shown and the prompts run all the same. A prompt that a YAML error cuts off
    does not run.

    Exit code: 0 when every prompt is scored; 1 when a request or a check failed, when no judge judged a point, or
    when Weval refuses FILE; 2 for a usage or input error.
    """
    refuse()
    from studio.cli.scored_runs import run_prompts

    raise SystemExit(run_prompts(file, asked))
