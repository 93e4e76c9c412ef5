"""`studio check`: report problems in blueprints, and fix those with safe fixes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from engine.text import visible
from studio.cli.check_options import CheckOptions, Layout, read_options, with_options
from studio.cli.file_walk import Candidate, NoSuchPath, Walk, walk

if TYPE_CHECKING:
    from studio.cli.check_file import Examined
    from studio.cli.checked_file import CheckedFile

_MANY = 20
"""Progress is shown on a terminal from this many files on."""


@click.command("check")
@with_options
@click.pass_context
def command(ctx: click.Context, **values: Any) -> None:
    """Report problems in the blueprints at PATH (files or folders), each with its place, its reason and its fixes.

    In a folder, the .yml, .yaml and .json files that look like a blueprint are checked: a list of prompts, or a header
    with prompts. A prompt has a question (prompt, promptText, messages) and an expectation (should, should_not,
    ideal); one with a question alone counts if all its keys belong to the format. If a file cannot be parsed, the
    shape of its lines decides. In a folder models/, lists of models are checked as collections. Other files are left
    alone and counted; with --for weval, such a file below a folder blueprints/ is an error. A file that you name is
    always checked, but not fixed if it is plainly something else.

    --fix applies the safe fixes of errors and warnings. Each is tried first: its problem must be gone, and no new
    problem of its level or above may appear.

    A project chooses its rules in pyproject.toml, under [tool.blueprint-studio], or in blueprint-studio.toml:
    `select`, `ignore`, `severity` and `per-file-ignores`. `exclude` lists the files and folders that are left out of a
    folder. A file or folder that you name is checked all the same, unless by --force-exclude.

    Exit code: 0 for nothing at or above the level; 1 for a problem; 2 for a usage or input error, such as a path that
    is not there, a pattern that matches no file, or a folder without a blueprint.
    """
    options = read_options(ctx, values)
    ctx.exit(_check(options))


def _check(options: CheckOptions) -> int:
    """Check the files, print what was found, and return the exit code."""
    from studio.cli.check_formats import pieces
    from studio.cli.exclusions import Exclusions

    walked = walk(options.paths, Exclusions(options.exclude), force=options.force_exclude)
    examined = list(_with_progress(walked.found, options))
    messages = dict.fromkeys(line for one in examined for line in one.messages)
    empty = _folders_without_blueprints(walked, examined)
    for line in (*messages, *empty):
        click.echo(visible(line), err=True)
    if not options.quiet:
        for line in (line for one in examined for line in (*map(visible, one.notes), *one.changes)):
            click.echo(line, err=True)
        if walked.named_and_excluded:
            click.echo(_named_and_excluded(walked.named_and_excluded), err=True)
    checked = [one.checked for one in examined if one.checked is not None]
    unusable = bool(empty) or any(one.unusable for one in examined)
    if options.only_diff:
        _show_diffs(examined)
    else:
        for piece in pieces(options.layout, checked, incomplete=unusable, with_summary=not options.quiet):
            click.echo(piece, nl=False)
    if options.statistics:
        _show_statistics(checked, options.layout)
    others = skipped(one.skipped for one in examined)
    if others and not empty and not options.quiet:
        click.echo(others, err=options.layout is not Layout.TEXT or options.only_diff)
    return _exit_code(checked, options, unusable=unusable)


def _named_and_excluded(count: int) -> str:
    return "1 path that you named is excluded." if count == 1 else f"{count} paths that you named are excluded."


def _exit_code(checked: Sequence[CheckedFile], options: CheckOptions, *, unusable: bool) -> int:
    if unusable:
        return 2
    if options.exit_zero:
        return 0
    worst = options.fail_on.rank
    return int(any(diagnostic.severity.rank <= worst for each in checked for diagnostic in each.diagnostics))


def _show_statistics(checked: Sequence[CheckedFile], layout: Layout) -> None:
    """The table of the rules; beside a form for programs it goes to stderr."""
    from studio.cli.check_statistics import as_table

    is_text = layout is Layout.TEXT
    lines = as_table(checked, sys.stdout if is_text else sys.stderr)
    for line in ("", *lines) if is_text and lines else lines:
        click.echo(line, err=not is_text)


def _folders_without_blueprints(walked: Walk, examined: Sequence[Examined]) -> list[str]:
    """A message for each folder in which nothing could be checked."""
    of_files = [one for one, place in zip(examined, walked.found, strict=True) if isinstance(place, Candidate)]
    by_file = {one.path.resolve(): done for one, done in zip(walked.candidates, of_files, strict=True)}
    lines: list[str] = []
    for folder, files in walked.folders.items():
        there = [by_file[file] for file in files]
        if not any(one.checked is not None or one.unusable for one in there):
            others = skipped(one.skipped for one in there)
            excluded = "Files or folders in it are excluded." if folder in walked.left_out else ""
            lines.append(" ".join(filter(None, (f"{folder}: There is no blueprint in this folder.", others, excluded))))
    return lines


def skipped(suffixes: Iterable[str | None]) -> str:
    """How many files are not blueprints, in a sentence; "" if all are."""
    kinds = Counter("JSON" if suffix == ".json" else "YAML" for suffix in suffixes if suffix is not None)
    counted = [f"{count} {kind} file{'' if count == 1 else 's'}" for kind, count in sorted(kinds.items(), reverse=True)]
    is_one = kinds.total() == 1
    return f"{' and '.join(counted)} {'is not a blueprint' if is_one else 'are not blueprints'}." if counted else ""


def _with_progress(found: Sequence[Candidate | NoSuchPath], options: CheckOptions) -> Iterator[Examined]:
    """Each of `found` as it is examined. Progress is shown only on a terminal."""
    from studio.cli.check_file import Examined, Request
    from studio.cli.check_pool import examined

    request = Request(
        options.select, options.ignore, options.for_weval, options.fix, options.only_diff, options.collections
    )
    files = [one for one in found if isinstance(one, Candidate)]
    done = iter(_counted(examined(files, request), 0 if options.quiet else len(files)))
    for one in found:
        if isinstance(one, NoSuchPath):
            yield Examined(messages=(one.message,), unusable=True)
        else:
            yield next(done)
    yield from done


def _counted(examined: Iterable[Examined], total: int) -> Iterator[Examined]:
    if total < _MANY or not sys.stderr.isatty():
        yield from examined
        return
    for number, one in enumerate(examined, 1):
        click.echo(f"\r{number}/{total} files", nl=False, err=True)
        yield one
    click.echo("\r\x1b[K", nl=False, err=True)


def _show_diffs(examined: Iterable[Examined]) -> None:
    from studio.cli.check_text import painted_diff

    for one in examined:
        for line in one.diff:
            click.echo(painted_diff(line))
