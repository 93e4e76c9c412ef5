"""`studio check`: find what is wrong in blueprints, and mend what can be mended safely."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.text import visible
from studio.cli.walking import NoSuchPath, blueprints_at

if TYPE_CHECKING:
    from engine.diagnostics import Diagnostic
    from engine.javascript import JavaScript
    from engine.workspace import OpenedFile
    from studio.cli.check_formats import CheckedFile

_BREAK = re.compile(r"\r\n|\r|\n")


@click.command("check", short_help="Find what is wrong in blueprints, and mend it.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option(
    "--format", "layout", type=click.Choice(["text", "json", "github", "sarif"]), default="text", help="How to tell it."
)
@click.option("--fix", is_flag=True, help="Apply the safe fixes, and tell what remains.")
@click.option("--diff", "only_diff", is_flag=True, help="Show what --fix would change, and write nothing.")
@click.option(
    "--for", "audience", type=click.Choice(["weval"]), help="Count as errors what works here and is refused by Weval."
)
@click.option("--fail-on", type=click.Choice(["error", "warning"]), default="error", help="What makes the exit code 1.")
@click.option("--select", multiple=True, metavar="SLUG", help="Only these rules; may be repeated, or a,b.")
@click.option("--ignore", multiple=True, metavar="SLUG", help="All rules but these.")
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
) -> None:
    """Tell what is wrong in the blueprints at PATH, files or folders, each with its place, its reason and its fixes.

    In a folder every .yml and .yaml file is read, and every .json file with a `prompts` key.

    Exit code 0: nothing at or above the level; 1: something; 2: a path that is not there, or cannot be read.
    """
    from engine.diagnostics import Severity
    from engine.javascript import JavaScript
    from engine.workspace import CannotSave, ChangedOnDisk
    from studio.cli.check_formats import CheckedFile, told

    wanted = _wanted(select, ignore)
    checked: list[CheckedFile] = []
    unusable = False
    with JavaScript() as javascript:
        for file, problem in _opened(paths):
            if problem is not None:
                click.echo(visible(problem), err=True)
                unusable = True
            if file is None:
                continue
            name, opened = file
            if only_diff:
                _show_diff(name, opened, javascript, wanted)
            try:
                text, diagnostics = _checked(opened, javascript, wanted, fix=fix and not only_diff)
            except (CannotSave, ChangedOnDisk) as error:
                click.echo(visible(f"{name}: {error.title} {error.advice}".rstrip()), err=True)
                unusable = True
                continue
            if audience == "weval":
                diagnostics = tuple(_for_weval(diagnostic) for diagnostic in diagnostics)
            checked.append(CheckedFile(name, text, diagnostics))
    if not only_diff:
        click.echo(told(layout, checked), nl=False)
    worst = Severity(fail_on).rank
    failed = any(diagnostic.severity.rank <= worst for each in checked for diagnostic in each.diagnostics)
    ctx.exit(2 if unusable else 1 if failed else 0)


def _opened(paths: Sequence[Path]) -> Iterator[tuple[tuple[Path, OpenedFile] | None, str | None]]:
    """Each blueprint at `paths` by the name that it is told under, or what is wrong with it, or both."""
    from engine.workspace import CannotOpen, open_file

    for path in blueprints_at(paths):
        if isinstance(path, NoSuchPath):
            yield None, f"{path.path}: There is no such file or folder."
            continue
        try:
            opened = open_file(path)
        except CannotOpen as error:
            yield None, f"{path}: {error.title} {error.advice}".rstrip()
            continue
        yield (path, opened), None if _is_whole(opened) else f"{path}: {opened.read_only}"


def _is_whole(opened: OpenedFile) -> bool:
    """Whether the text is what the bytes say: not so where they are no UTF-8."""
    import hashlib

    return hashlib.sha256(opened.encoded(opened.text)).hexdigest() == opened.digest


def _wanted(select: Sequence[str], ignore: Sequence[str]) -> Callable[[Diagnostic], bool]:
    """Which diagnostics are told. Raises `click.UsageError` for a rule that is not there."""
    selected, ignored = _codes(select), _codes(ignore)
    return lambda diagnostic: (not selected or diagnostic.code in selected) and diagnostic.code not in ignored


def _codes(names: Sequence[str]) -> frozenset[str]:
    from engine.rules import ALL
    from studio.cli.rules import no_such_rule

    by_name = {name: rule.code for rule in ALL for name in (rule.slug, rule.code.lower())}
    asked = [name.strip() for several in names for name in several.split(",") if name.strip()]
    for name in asked:
        if name.lower() not in by_name:
            raise click.UsageError(visible(no_such_rule(name)))
    return frozenset(by_name[name.lower()] for name in asked)


def _checked(
    opened: OpenedFile, javascript: JavaScript, wanted: Callable[[Diagnostic], bool], *, fix: bool
) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text as it is on disk afterwards, and what can be said about it. Raises `CannotSave`, `ChangedOnDisk`."""
    from engine.parsing import parse
    from engine.rules import check
    from engine.rules.fixing import mend
    from engine.workspace import save

    if fix:
        mended = mend(opened.text, opened.path, javascript, wanted=wanted)
        if mended.text == opened.text:
            return opened.text, mended.remaining
        save(opened, mended.text)
        fixes = "1 fix" if mended.applied == 1 else f"{mended.applied} fixes"
        click.echo(visible(f"{opened.path.name}: {fixes} applied"), err=True)
        return mended.text, mended.remaining
    diagnostics = check(parse(opened.text, opened.path), javascript)
    return opened.text, tuple(diagnostic for diagnostic in diagnostics if wanted(diagnostic))


def _show_diff(name: Path, opened: OpenedFile, javascript: JavaScript, wanted: Callable[[Diagnostic], bool]) -> None:
    from engine.rules.fixing import mend

    mended = mend(opened.text, opened.path, javascript, wanted=wanted)
    before, after = (_BREAK.split(text) for text in (opened.text, mended.text))
    for line in difflib.unified_diff(before, after, str(name), str(name), lineterm=""):
        click.echo(visible(line))


def _for_weval(diagnostic: Diagnostic) -> Diagnostic:
    from dataclasses import replace

    from engine.diagnostics import Severity

    return replace(diagnostic, severity=Severity.ERROR) if diagnostic.flagged else diagnostic
