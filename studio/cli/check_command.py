"""`studio check`: report problems in blueprints, and fix those with safe fixes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.text import visible
from studio.cli.file_walk import Candidate, NoSuchPath, Walk, walk

if TYPE_CHECKING:
    from studio.cli.check_file import Examined, Request

_MANY = 20
"""Progress is shown on a terminal from this many files on."""


@click.command("check")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option(
    "--format",
    "layout",
    type=click.Choice(["text", "json", "github", "sarif"]),
    default="text",
    help="The form of the output.",
)
@click.option(
    "--fix",
    is_flag=True,
    help="Apply the safe fixes of errors and warnings, list the changes, and report what remains.",
)
@click.option(
    "--diff",
    "only_diff",
    is_flag=True,
    help="Show what --fix would change, and the other fixes as comments. Writes nothing.",
)
@click.option(
    "--for", "audience", type=click.Choice(["weval"]), help="Report as errors what works here and is refused by Weval."
)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning"]),
    default="error",
    help="The level from which the exit code is 1.",
)
@click.option(
    "--select", multiple=True, metavar="SLUG", help="Only this rule; repeat it, or separate several by commas."
)
@click.option("--ignore", multiple=True, metavar="SLUG", help="All rules except this one; like --select.")
@click.option(
    "--collections",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Look for collections of models in FOLDER instead of models/.",
)
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    layout: str,
    fix: bool,
    only_diff: bool,
    audience: str | None,
    fail_on: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    collections: Path | None,
) -> None:
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
    `select`, `ignore`, `severity` and `per-file-ignores`.

    Exit code: 0 for nothing at or above the level; 1 for a problem; 2 for a usage or input error, such as a path that
    is not there, a pattern that matches no file, or a folder without a blueprint.
    """
    from engine.diagnostics import Severity
    from studio.cli.check_file import Request
    from studio.cli.check_formats import pieces

    request = Request(_codes(select), _codes(ignore), audience == "weval", fix, only_diff, collections)
    walked = walk(paths)
    examined = list(_with_progress(walked.found, request))
    messages = dict.fromkeys(line for one in examined for line in one.messages)
    empty = _folders_without_blueprints(walked, examined)
    for line in (*messages, *empty):
        click.echo(visible(line), err=True)
    checked = [one.checked for one in examined if one.checked is not None]
    unusable = bool(empty) or any(one.unusable for one in examined)
    is_text = layout == "text" and not only_diff
    for line in (line for one in examined for line in one.changes):
        click.echo(line, err=True)
    if only_diff:
        _show_diffs(examined)
    else:
        for piece in pieces(layout, checked, incomplete=unusable):
            click.echo(piece, nl=False)
    others = skipped(one.skipped for one in examined)
    if others and not empty:
        click.echo(others, err=not is_text)
    worst = Severity(fail_on).rank
    failed = any(diagnostic.severity.rank <= worst for each in checked for diagnostic in each.diagnostics)
    ctx.exit(2 if unusable else 1 if failed else 0)


def _folders_without_blueprints(walked: Walk, examined: Sequence[Examined]) -> list[str]:
    """A message for each folder in which nothing could be checked."""
    of_files = [one for one, place in zip(examined, walked.found, strict=True) if isinstance(place, Candidate)]
    by_file = {one.path.resolve(): done for one, done in zip(walked.candidates, of_files, strict=True)}
    lines: list[str] = []
    for folder, files in walked.folders.items():
        there = [by_file[file] for file in files]
        if not any(one.checked is not None or one.unusable for one in there):
            others = skipped(one.skipped for one in there)
            lines.append(f"{folder}: There is no blueprint in this folder. {others}".rstrip())
    return lines


def skipped(suffixes: Iterable[str | None]) -> str:
    """How many files are not blueprints, in a sentence; "" if all are."""
    kinds = Counter("JSON" if suffix == ".json" else "YAML" for suffix in suffixes if suffix is not None)
    counted = [f"{count} {kind} file{'' if count == 1 else 's'}" for kind, count in sorted(kinds.items(), reverse=True)]
    is_one = kinds.total() == 1
    return f"{' and '.join(counted)} {'is not a blueprint' if is_one else 'are not blueprints'}." if counted else ""


def _codes(names: Sequence[str]) -> frozenset[str]:
    """The codes of the rules with these slugs or codes. Raises `click.UsageError` for an unknown rule."""
    from engine.rules.registry import no_such_rule, rule_named

    codes: set[str] = set()
    for name in (name.strip() for several in names for name in several.split(",") if name.strip()):
        rule = rule_named(name)
        if rule is None:
            raise click.UsageError(visible(no_such_rule(name)))
        codes.add(rule.code)
    return frozenset(codes)


def _with_progress(found: Sequence[Candidate | NoSuchPath], request: Request) -> Iterator[Examined]:
    """Each of `found` as it is examined. Progress is shown only on a terminal."""
    from studio.cli.check_file import Examined
    from studio.cli.check_pool import examined

    files = [one for one in found if isinstance(one, Candidate)]
    done = iter(_counted(examined(files, request), len(files)))
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
