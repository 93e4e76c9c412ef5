"""`studio review`: one page a blueprint for who reviews contributions."""

from __future__ import annotations

from pathlib import Path

import click

from studio.cli.frame import FILE, takes
from studio.cli.options import Reviewed


@click.command("review", short_help="Show what a reviewer of a blueprint wants to know.")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE…")
@takes(Reviewed)
def command(asked: Reviewed, files: tuple[Path, ...]) -> None:
    """Review blueprints: pitfalls, near-duplicate prompts, scripts and hosts, what a run would cost, and what Weval's
    evaluation of the pull request would leave out.

    --format markdown adds suggestions to paste into a review. Nothing is sent, unless by --links: then each cited web
    address gets one request without content, after the hosts are listed.

    Exit code: as `studio check`: 0 for nothing at or above the level; 1 for a problem, or a link that is gone; 2 for a
    usage or input error.
    """
    from studio.cli.reviews import reviewed

    reviewed(files, asked)
