"""`studio check`: find what is wrong in blueprints, and mend what can be mended safely."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.text import visible
from studio.cli.walking import Candidate, NoSuchPath, Walk, walk

if TYPE_CHECKING:
    from studio.cli.check_file import Examined, Request

_MANY = 20
"""From how many files on a terminal is shown how far it has come."""


@click.command("check", short_help="Find what is wrong in blueprints, and mend it.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option(
    "--format", "layout", type=click.Choice(["text", "json", "github", "sarif"]), default="text", help="How to tell it."
)
@click.option(
    "--fix", is_flag=True, help="Apply the safe fixes of errors and warnings, list what changed, and tell what remains."
)
@click.option(
    "--diff",
    "only_diff",
    is_flag=True,
    help="Show what --fix would change, then, as comments, what each other fix would; write nothing.",
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

    In a folder, those .yml, .yaml and .json files are checked that are blueprints: a list of prompts, or a header with
    prompts. A prompt is a mapping that asks (prompt, promptText, messages) and says what is expected (should,
    should_not, ideal); one that only asks counts where all keys are those of a blueprint. A file that cannot be read
    is judged by the shape of its lines. In a folder models/, lists of models are checked as such. Other files are
    counted and left alone; with --for weval, one below a folder blueprints/ is an error. A file that is named is
    checked whatever it holds, but not fixed where it is plainly something else.

    --fix applies the safe fixes of errors and warnings, each only where its problem is gone and nothing of its level
    or above is new, and lists what it changed.

    A project chooses its rules in pyproject.toml, under [tool.blueprint-studio], or in blueprint-studio.toml:
    `select`, `ignore`, `severity` and `per-file-ignores`.

    Exit code 0: nothing at or above the level; 1: something; 2: a path or a setting that cannot be used, a pattern
    that matches nothing, or a folder without any blueprint.
    """
    from engine.diagnostics import Severity
    from studio.cli.check_file import Request
    from studio.cli.check_formats import told

    request = Request(_codes(select), _codes(ignore), audience == "weval", fix, only_diff, collections)
    walked = walk(paths)
    examined = list(_with_progress(walked.found, request))
    said = dict.fromkeys(line for one in examined for line in one.said)
    empty = _folders_without_blueprints(walked, examined)
    for line in (*said, *empty):
        click.echo(visible(line), err=True)
    checked = [one.checked for one in examined if one.checked is not None]
    unusable = bool(empty) or any(one.unusable for one in examined)
    is_text = layout == "text" and not only_diff
    for line in (line for one in examined for line in one.changes):
        click.echo(line, err=True)
    if only_diff:
        _show_diffs(examined)
    else:
        click.echo(told(layout, checked, incomplete=unusable), nl=False)
    others = passed_over(one.passed_over for one in examined)
    if others and not empty:
        click.echo(others, err=not is_text)
    worst = Severity(fail_on).rank
    failed = any(diagnostic.severity.rank <= worst for each in checked for diagnostic in each.diagnostics)
    ctx.exit(2 if unusable else 1 if failed else 0)


def _folders_without_blueprints(walked: Walk, examined: Sequence[Examined]) -> list[str]:
    """What to say of each folder in which nothing could be checked."""
    of_files = [one for one, place in zip(examined, walked.found, strict=True) if isinstance(place, Candidate)]
    by_file = {one.path.resolve(): done for one, done in zip(walked.candidates, of_files, strict=True)}
    lines: list[str] = []
    for folder, files in walked.folders.items():
        there = [by_file[file] for file in files]
        if not any(one.checked is not None or one.unusable for one in there):
            others = passed_over(one.passed_over for one in there)
            lines.append(f"{folder}: There is no blueprint in this folder. {others}".rstrip())
    return lines


def passed_over(suffixes: Iterable[str | None]) -> str:
    """How many files are no blueprints, in a sentence; "" where all are."""
    kinds = Counter("JSON" if suffix == ".json" else "YAML" for suffix in suffixes if suffix is not None)
    counted = [f"{count} {kind} file{'' if count == 1 else 's'}" for kind, count in sorted(kinds.items(), reverse=True)]
    is_one = kinds.total() == 1
    return f"{' and '.join(counted)} {'is no blueprint' if is_one else 'are no blueprints'}." if counted else ""


def _codes(names: Sequence[str]) -> frozenset[str]:
    """The codes of rules that are named by slug or code. Raises `click.UsageError` for a rule that is not there."""
    from engine.rules.registry import no_such_rule, rule_named

    codes: set[str] = set()
    for name in (name.strip() for several in names for name in several.split(",") if name.strip()):
        rule = rule_named(name)
        if rule is None:
            raise click.UsageError(visible(no_such_rule(name)))
        codes.add(rule.code)
    return frozenset(codes)


def _with_progress(found: Sequence[Candidate | NoSuchPath], request: Request) -> Iterator[Examined]:
    """Each of `found` as it is examined. How far it has come is told on a terminal alone."""
    from studio.cli.check_file import Examined
    from studio.cli.check_pool import examined

    files = [one for one in found if isinstance(one, Candidate)]
    done = iter(_counted(examined(files, request), len(files)))
    for one in found:
        if isinstance(one, NoSuchPath):
            yield Examined(said=(one.message,), unusable=True)
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
