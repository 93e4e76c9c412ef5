"""The output of `studio check`: the problems or the diff, and what is said beside them."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

from engine.text.spans import visible
from studio.cli.check_file import Examined
from studio.cli.check_formats import pieces
from studio.cli.check_options import CheckOptions, Layout
from studio.cli.check_result import CheckResult
from studio.cli.check_statistics import as_table
from studio.cli.check_text import Summary, painted_diff
from studio.cli.frame import tell


def print_result(result: CheckResult, options: CheckOptions) -> None:
    """Print the problems, or with --diff the changes, to stdout, and everything else to stderr.

    In the form of a text, the summary and the counts follow the problems on stdout. If the fixed text of standard
    input goes to stdout, all of the report goes to stderr.
    """
    for line in result.messages:
        tell(line)
    if not options.quiet:
        for line in (line for one in result.examined for line in (*map(visible, one.notes), *one.changes)):
            click.echo(line, err=True)
        for line in result.notes:
            tell(line)
    apart = options.fix and options.reads_standard_input
    if options.only_diff:
        _show_diffs(result.examined)
    else:
        _show_problems(result, options, apart=apart)
    beside = apart or options.only_diff or options.layout is not Layout.TEXT
    if options.statistics:
        _show_statistics(result, beside=beside)
    if result.skipped and not options.quiet:
        click.echo(result.skipped, err=beside)


def _show_problems(result: CheckResult, options: CheckOptions, *, apart: bool) -> None:
    stream = sys.stderr if apart else sys.stdout
    summary = Summary(incomplete=result.unusable, only_new=result.only_new, was_fixed=options.fix)
    summary = None if options.quiet else summary
    for piece in pieces(options.layout, result.checked, stream, summary=summary):
        click.echo(piece, nl=False, err=apart)


def _show_statistics(result: CheckResult, *, beside: bool) -> None:
    """The table of the rules, on stderr if `beside` what a program reads."""
    lines = as_table(result.checked, sys.stderr if beside else sys.stdout)
    for line in ("", *lines) if lines and not beside else lines:
        click.echo(line, err=beside)


def _show_diffs(examined: Iterable[Examined]) -> None:
    for one in examined:
        for line in one.diff:
            click.echo(painted_diff(line))
