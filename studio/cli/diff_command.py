"""`studio diff`: what changed in meaning between two versions of a blueprint."""

from __future__ import annotations

from pathlib import Path

import click

from studio.cli.frame import FILE, refuse, takes
from studio.cli.options import Diff


@click.command("diff", short_help="Show what changed in meaning between two versions.")
@click.argument("old", type=FILE, metavar="OLD")
@click.argument("new", type=FILE, metavar="NEW")
@takes(Diff)
def command(asked: Diff, old: Path, new: Path) -> None:
    """Show what changed in meaning from OLD to NEW: prompts, points, their shares of the score, ids, and settings.

    Formatting, comments, quotes and the order of keys change nothing. One of OLD and NEW may be `-` for standard input,
    as in `git show HEAD:FILE | studio diff - FILE`.

    The scores that move are shown too: of ideals, of the cases of NEW, and of the answers that are stored on this
    machine. Checks run, and known grades and verdicts count. Nothing is sent.

    Exit code: 0 when the two are compared, whether they differ or not; 2 for a usage or input error.
    """
    refuse()
    from studio.cli.version_changes import version_changes

    version_changes(old, new, asked)
