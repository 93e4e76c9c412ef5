"""The options of `studio check`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Literal

import click

from engine.text.diagnostics import Severity
from engine.text.spans import visible
from studio.cli.frame import COLLECTIONS_HELP, Options, complete_rules, flag, option, refuse
from studio.cli.inputs import STANDARD_INPUT


class Layout(StrEnum):
    """The form of the output."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"


class CheckOptions(Options):
    """The options as given. Once they are read, `select` and `ignore` hold codes of rules.

    Without `paths`, standard input is checked, under the name `stdin_filename` if there is one. `collections` is the
    folder of model collections, if one is named.
    """

    layout: Layout = option("--format", "The form of the output.", default=Layout.TEXT)
    fix: bool = flag("--fix", "Apply the safe fixes of errors and warnings, list the changes, and report what remains.")
    only_diff: bool = flag("--diff", "Show what --fix would change, and the other fixes as comments. Writes nothing.")
    audience: Literal["weval"] | None = option("--for", "Report as errors what works here and is refused by Weval.")
    select: frozenset[str] = option(
        "--select",
        "Only this rule; repeat it, or separate several by commas.",
        "SLUG",
        shell_complete=complete_rules,
        default=(),
    )
    ignore: frozenset[str] = option(
        "--ignore", "All rules except this one; like --select.", "SLUG", shell_complete=complete_rules, default=()
    )
    exclude: tuple[str, ...] = option(
        "--exclude",
        "Leave out files and folders that match, such as drafts/ or *.old.yml, as the setting does; repeat it.",
        "PATTERN",
        default=(),
    )
    force_exclude: bool = flag("--force-exclude", "Leave out what is excluded even if you name it.")
    stdin_filename: Path | None = option(
        "--stdin-filename", "The name of the blueprint that - reads from standard input.", "FILE"
    )
    collections: Path | None = option("--collections", COLLECTIONS_HELP, "FOLDER")
    baseline: Path | None = option(
        "--baseline", "Report only problems that are not in FILE, and name those in it that no longer occur.", "FILE"
    )
    write_baseline: bool = flag("--write-baseline", "Write all problems of this check to the file of --baseline.")
    watch: bool = flag("--watch", "Check again whenever a file changes, until Ctrl+C.")
    fail_on: Severity = option(
        "--fail-on", "The level from which the exit code is 1; error unless given.", default=Severity.ERROR
    )
    exit_zero: bool = flag("--exit-zero", "Exit with 0 although there are problems.")
    quiet: bool = flag("-q --quiet", "Print the problems and nothing else.")
    statistics: bool = flag(
        "--statistics", "After the problems, count them by rule: in how many files, how many fixable."
    )
    paths: tuple[Path, ...] = ()

    @property
    def reads_standard_input(self) -> bool:
        """Whether standard input is checked in the place of files."""
        return not self.paths

    @property
    def for_weval(self) -> bool:
        """Whether what Weval refuses is an error, though it works here."""
        return self.audience == "weval"


def read_options(given: CheckOptions, paths: tuple[str, ...]) -> CheckOptions:
    """The options with their codes and paths. Raises `click.UsageError` for an unknown rule, and for contradictions."""
    from engine.rules.selection import BadPattern, path_pattern

    if not paths and given.stdin_filename is None:
        context = click.get_current_context()
        argument = next(each for each in context.command.params if each.name == "paths")
        raise click.MissingParameter(ctx=context, param=argument)
    reads_standard_input = not paths or str(STANDARD_INPUT) in paths  # as it is written: `./-` is a file
    refuse(*["STDIN"] * reads_standard_input)
    if given.stdin_filename is not None and not given.stdin_filename.name:
        raise click.UsageError("--stdin-filename needs the name of a file.")
    select, ignore = _codes(given.select), _codes(given.ignore)
    if select and select <= ignore:
        raise click.UsageError("All rules of --select are in --ignore too: nothing would be checked.")
    for pattern in given.exclude:
        try:
            path_pattern(pattern)
        except BadPattern as error:
            raise click.UsageError(visible(f"--exclude: {error}")) from None
    return replace(given, paths=() if reads_standard_input else tuple(map(Path, paths)), select=select, ignore=ignore)


def _codes(names: Collection[str]) -> frozenset[str]:
    """The codes of the rules with these slugs or codes. Raises `click.UsageError` for an unknown rule.

    A retired rule is no mistake, and reports nothing.
    """
    from engine.rules.registry import NAMES, no_such_rule, rule_named

    codes: set[str] = set()
    for name in (name.strip() for several in names for name in several.split(",") if name.strip()):
        rule = rule_named(name)
        if rule is None and name not in NAMES:
            raise click.UsageError(visible(no_such_rule(name)))
        codes.add(name if rule is None else rule.code)
    return frozenset(codes)
