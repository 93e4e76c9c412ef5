"""`studio check`: report problems in blueprints, and fix those with safe fixes."""

from __future__ import annotations

from importlib.resources import files

import click

from studio.cli.check_options import CheckOptions, read_options
from studio.cli.frame import takes


def _print_schema(ctx: click.Context, _option: click.Parameter, is_given: bool) -> None:
    if is_given and not ctx.resilient_parsing:
        schema = files("studio.cli").joinpath("check_output.schema.json")
        click.echo(schema.read_text("utf-8"), nl=False)
        ctx.exit()


_SCHEMA = click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON Schema of --format json and exit.",
)


@click.command("check")
@click.argument("paths", nargs=-1, type=click.Path(), metavar="PATH...")
@takes(CheckOptions)
@_SCHEMA
def check_command(given: CheckOptions, paths: tuple[str, ...]) -> None:
    """Report problems in the blueprints at PATH (files or folders), each with its place, its reason and its fixes.

    In a folder, the .yml, .yaml and .json files that look like a blueprint are checked: a list of prompts, or a header
    with prompts. A prompt has a question (prompt, promptText, messages) and an expectation (should, should_not,
    ideal); one with a question alone counts if all its keys belong to the format. If a file cannot be parsed, the
    shape of its lines decides. In a folder models/, lists of models are checked as collections. Other files are left
    alone and counted; with --for weval, such a file below a folder blueprints/ is an error. A file that you name is
    always checked, but not fixed if it is plainly something else.

    --fix applies the safe fixes of errors and warnings. Each is tried first: its problem must be gone, and no new
    problem of its level or above may appear.

    - reads standard input, under the name of --stdin-filename: its settings, its folder of models and its ending count.
    With --fix the fixed text goes to standard output, and the report to standard error.

    A project chooses its rules in pyproject.toml, under [tool.blueprint-studio], or in blueprint-studio.toml:
    `select`, `ignore`, `severity` and `per-file-ignores`. `exclude` lists the files and folders that are left out of a
    folder. A file or folder that you name is checked all the same, unless by --force-exclude.

    --baseline FILE reports only what is not in FILE, which --write-baseline writes: the problems that are known.

    --watch checks again whenever a file, the settings or a collection of models changes, until Ctrl+C.

    Exit code: 0 for nothing at or above the level; 1 for a problem; 2 for a usage or input error, such as a path that
    is not there, a pattern that matches no file, or a folder without a blueprint.
    """
    options = read_options(given, paths)
    if options.watch:
        from studio.cli.check_watch import watch

        watch(options)
    else:
        from studio.cli.check_result import check

        raise SystemExit(check(options))
