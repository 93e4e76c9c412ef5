"""`studio check`: find what is wrong in blueprints, and mend what can be mended safely."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.text import visible
from studio.cli.walking import NoSuchPath, blueprints_at

if TYPE_CHECKING:
    from studio.cli.check_file import Examined, Request

_MANY = 20
"""From how many files on a terminal is shown how far it has come."""


@click.command("check", short_help="Find what is wrong in blueprints, and mend it.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option(
    "--format", "layout", type=click.Choice(["text", "json", "github", "sarif"]), default="text", help="How to tell it."
)
@click.option("--fix", is_flag=True, help="Apply the safe fixes, and tell what remains.")
@click.option(
    "--diff",
    "only_diff",
    is_flag=True,
    help="Show what --fix would change, then, as comments, what each unsafe fix would; write nothing.",
)
@click.option(
    "--for", "audience", type=click.Choice(["weval"]), help="Count as errors what works here and is refused by Weval."
)
@click.option("--fail-on", type=click.Choice(["error", "warning"]), default="error", help="What makes the exit code 1.")
@click.option("--select", multiple=True, metavar="SLUG", help="Only these rules; may be repeated, or a,b.")
@click.option("--ignore", multiple=True, metavar="SLUG", help="All rules but these.")
@click.option(
    "--collections",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Look for collections of models in FOLDER, not in models/.",
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
    """Tell what is wrong in the blueprints at PATH, files or folders, each with its place, its reason and its fixes.

    In a folder every .yml and .yaml file is read, and every .json file with a `prompts` key. A project chooses its
    rules in pyproject.toml, under [tool.blueprint-studio], or in blueprint-studio.toml: `select`, `ignore`, `severity`
    and `per-file-ignores`.

    Exit code 0: nothing at or above the level; 1: something; 2: a path or a setting that cannot be used.
    """
    from engine.diagnostics import Severity
    from studio.cli.check_file import Request
    from studio.cli.check_formats import told

    request = Request(_codes(select), _codes(ignore), audience == "weval", fix, only_diff, collections)
    found = list(blueprints_at(paths))
    examined = list(_with_progress(found, request))
    said = dict.fromkeys(line for one in examined for line in one.said)
    for line in said:
        click.echo(visible(line), err=True)
    checked = [one.checked for one in examined if one.checked is not None]
    if only_diff:
        _show_diffs(examined)
    else:
        click.echo(told(layout, checked), nl=False)
    worst = Severity(fail_on).rank
    failed = any(diagnostic.severity.rank <= worst for each in checked for diagnostic in each.diagnostics)
    ctx.exit(2 if any(one.unusable for one in examined) else 1 if failed else 0)


def _codes(names: Sequence[str]) -> frozenset[str]:
    """The codes of rules that are named by slug or code. Raises `click.UsageError` for a rule that is not there."""
    from engine.rules.choosing import no_such_rule, rule_named

    codes: set[str] = set()
    for name in (name.strip() for several in names for name in several.split(",") if name.strip()):
        rule = rule_named(name)
        if rule is None:
            raise click.UsageError(visible(no_such_rule(name)))
        codes.add(rule.code)
    return frozenset(codes)


def _with_progress(found: Sequence[Path | NoSuchPath], request: Request) -> Iterator[Examined]:
    """Each of `found` as it is examined. How far it has come is told on a terminal alone."""
    from studio.cli.check_file import Examined
    from studio.cli.check_pool import examined

    files = [path for path in found if not isinstance(path, NoSuchPath)]
    done = iter(_counted(examined(files, request), len(files)))
    for path in found:
        if isinstance(path, NoSuchPath):
            yield Examined(said=(f"{path.path}: There is no such file or folder.",), unusable=True)
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
