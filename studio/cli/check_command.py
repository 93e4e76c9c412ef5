"""`studio check`: report problems in blueprints, and fix those with safe fixes."""

from __future__ import annotations

import click

from studio.cli.check_options import CONTRADICTIONS, SCHEMA, CheckOptions, read_options
from studio.cli.frame import takes


@click.command("check")
@click.argument("paths", nargs=-1, type=click.Path(), metavar="PATH...")
@takes(CheckOptions, without=CONTRADICTIONS)
@SCHEMA
def command(given: CheckOptions, paths: tuple[str, ...]) -> None:
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
    ctx = click.get_current_context()
    options = read_options(ctx, given, paths)
    ctx.exit(_watch(options) if options.watch else _check(options))


def _watch(options: CheckOptions) -> int:
    """Check after each change until Ctrl+C, and return the exit code."""
    from studio.cli.check_watch import watch

    watch(options)
    return 0


def _check(options: CheckOptions) -> int:
    """Check the files, print what was found, and return the exit code."""
    from studio.cli.baseline_file import BaselineFile
    from studio.cli.check_report import print_result
    from studio.cli.check_result import check_against, exit_code
    from studio.cli.exclusions import Exclusions
    from studio.cli.file_walk import walk
    from studio.cli.standard_input import as_walk, read_standard_input, write_text

    baseline = None
    if options.baseline is not None:
        baseline = BaselineFile(options.baseline, may_be_missing=options.write_baseline)
    is_excluded = Exclusions(options.exclude, options.baseline)
    if not options.reads_standard_input:
        walked = walk(options.paths, is_excluded, force=options.force_exclude)
        result = check_against(baseline, walked, options)
    else:
        content = read_standard_input()
        walked = as_walk(content, options.stdin_filename, is_excluded, force=options.force_exclude)
        result = check_against(baseline, walked, options)
        if options.fix:
            write_text(content, next((one.fixed for one in result.examined), None))
    print_result(result, options)
    return exit_code(result, options)
