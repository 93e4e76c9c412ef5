"""`studio diff`: what changed in meaning between two versions of a blueprint."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.text.spans import visible
from studio.cli.frame import FILE, Output, Unusable, finish, takes
from studio.cli.judge_options import Counted
from studio.cli.standard_input import NAME, read_standard_input

if TYPE_CHECKING:
    from engine.parsing import Parsed

_STANDARD_INPUT = "standard input"


@click.command("diff", short_help="Show what changed in meaning between two versions.")
@click.argument("old", type=FILE, metavar="OLD")
@click.argument("new", type=FILE, metavar="NEW")
@takes(Output, Counted)
def command(output: Output, counted: Counted, old: Path, new: Path) -> None:
    """Show what changed in meaning from OLD to NEW: prompts, points, their shares of the score, ids, and settings.

    Formatting, comments, quotes and the order of keys change nothing. One of OLD and NEW may be `-` for standard input,
    as in `git show HEAD:FILE | studio diff - FILE`.

    The scores that move are shown too: of ideals, of the cases of NEW, and of the answers that are stored on this
    machine. Checks run, and known grades and verdicts count. Nothing is sent.

    Exit code: 0 when the two are compared, whether they differ or not; 2 for a usage or input error.
    """
    from studio.cli.diff_json import as_json
    from studio.cli.diff_results import compared
    from studio.cli.diff_text import as_text
    from studio.cli.wrapped_text import wrapped

    if old == new == NAME:
        raise click.UsageError("Only one of OLD and NEW can be standard input.")
    comparison = compared(
        _read(old, new),
        _read(new, old),
        (_shown(old), _shown(new)),
        new if new != NAME else old,
        counted,
        for_people=not output.is_json,
    )
    finish(as_json(comparison) if output.is_json else wrapped(visible(as_text(comparison))))


def _shown(path: Path) -> str:
    return _STANDARD_INPUT if path == NAME else str(path)


def _read(path: Path, other: Path) -> Parsed:
    """The blueprint at `path`; standard input is read as a version of the `other` file. Raises `Unusable`."""
    from studio.cli.named_blueprint import read_blueprint

    if path != NAME:
        return read_blueprint(path).parsed
    content = read_standard_input()
    if not content:
        raise Unusable("Standard input is empty: a blueprint has at least one prompt.")
    return read_blueprint(other, content, _STANDARD_INPUT).parsed
