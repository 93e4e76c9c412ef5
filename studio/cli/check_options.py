"""The options of `studio check`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.resources import files
from pathlib import Path

import click

from engine.text.diagnostics import Severity
from engine.text.spans import visible
from studio.cli.frame import COLLECTIONS_HELP, FILE, LEVEL, Contradiction, flag, option
from studio.cli.shell_completion import complete_rules


class Layout(StrEnum):
    """The form of the output."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options as given. Once they are read, `select` and `ignore` hold codes of rules.

    Without `paths`, standard input is checked, under the name `stdin_filename` if there is one. `collections` is the
    folder of model collections, if one is named.
    """

    layout: Layout = option(
        "--format",
        type=click.Choice([each.value for each in Layout]),
        default=Layout.TEXT.value,
        help="The form of the output.",
    )
    fix: bool = flag(
        "--fix", help="Apply the safe fixes of errors and warnings, list the changes, and report what remains."
    )
    only_diff: bool = flag(
        "--diff", help="Show what --fix would change, and the other fixes as comments. Writes nothing."
    )
    audience: str | None = option(
        "--for", type=click.Choice(["weval"]), help="Report as errors what works here and is refused by Weval."
    )
    select: frozenset[str] = option(
        "--select",
        default=(),
        multiple=True,
        metavar="SLUG",
        shell_complete=complete_rules,
        help="Only this rule; repeat it, or separate several by commas.",
    )
    ignore: frozenset[str] = option(
        "--ignore",
        default=(),
        multiple=True,
        metavar="SLUG",
        shell_complete=complete_rules,
        help="All rules except this one; like --select.",
    )
    exclude: tuple[str, ...] = option(
        "--exclude",
        default=(),
        multiple=True,
        metavar="PATTERN",
        help="Leave out files and folders that match, such as drafts/ or *.old.yml, as the setting does; repeat it.",
    )
    force_exclude: bool = flag("--force-exclude", help="Leave out what is excluded even if you name it.")
    stdin_filename: Path | None = option(
        "--stdin-filename",
        type=FILE,
        metavar="FILE",
        help="The name of the blueprint that - reads from standard input.",
    )
    collections: Path | None = option("--collections", type=FILE, metavar="FOLDER", help=COLLECTIONS_HELP)
    baseline: Path | None = option(
        "--baseline",
        type=FILE,
        metavar="FILE",
        help="Report only problems that are not in FILE, and name those in it that no longer occur.",
    )
    write_baseline: bool = flag("--write-baseline", help="Write all problems of this check to the file of --baseline.")
    watch: bool = flag("--watch", help="Check again whenever a file changes, until Ctrl+C.")
    fail_on: Severity = option(
        "--fail-on",
        type=LEVEL,
        default=Severity.ERROR.value,
        help="The level from which the exit code is 1; error unless given.",
    )
    exit_zero: bool = flag("--exit-zero", help="Exit with 0 although there are problems.")
    quiet: bool = flag("-q", "--quiet", help="Print the problems and nothing else.")
    statistics: bool = flag(
        "--statistics", help="After the problems, count them by rule: in how many files, how many fixable."
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


def _print_schema(ctx: click.Context, _option: click.Parameter, is_given: bool) -> None:
    if is_given and not ctx.resilient_parsing:
        schema = files("studio.cli").joinpath("check_output.schema.json")
        click.echo(schema.read_text("utf-8"), nl=False)
        ctx.exit()


SCHEMA = click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON Schema of --format json and exit.",
)
_STANDARD_INPUT = "-"
"""As it is written: `./-` is a file."""

CONTRADICTIONS: Sequence[Contradiction] = (
    ("fix", "only_diff", "--fix writes the changes and --diff only shows them: give one of the two."),
    ("only_diff", "statistics", "--diff shows changes and reports no problems: leave out --statistics."),
    ("only_diff", "baseline", "--diff shows changes and reports no problems: leave out --baseline."),
    ("watch", "fix", "--watch only reports: leave out --fix."),
    ("watch", "only_diff", "--watch reports problems: leave out --diff."),
    ("watch", "write_baseline", "--watch only reports: leave out --write-baseline."),
    ("watch", "fail_on", "--watch ends with Ctrl+C and exits with 0: leave out --fail-on."),
    ("watch", "exit_zero", "--watch ends with Ctrl+C and exits with 0: leave out --exit-zero."),
    ("fail_on", "exit_zero", "--exit-zero exits with 0 whatever is found: leave out --fail-on."),
)
"""Two options that exclude each other, and why."""


def read_options(ctx: click.Context, given: CheckOptions, paths: tuple[str, ...]) -> CheckOptions:
    """The options with their codes and paths. Raises `click.UsageError` for an unknown rule, and for contradictions."""
    select, ignore = _codes(given.select), _codes(given.ignore)
    options = replace(
        given,
        paths=_paths(ctx, paths, given.stdin_filename),
        layout=Layout(given.layout),
        fail_on=Severity(given.fail_on),
        select=select,
        ignore=ignore,
        exclude=_patterns(given.exclude),
    )
    _check_baseline(options)
    if select and select <= ignore:
        raise click.UsageError("All rules of --select are in --ignore too: nothing would be checked.")
    if options.watch and options.layout is not Layout.TEXT:
        raise click.UsageError("--watch prints text: leave out --format.")
    if options.watch and options.reads_standard_input:
        raise click.UsageError("--watch is for files: standard input is read once.")
    return options


def _check_baseline(options: CheckOptions) -> None:
    if options.write_baseline and options.baseline is None:
        raise click.UsageError("--write-baseline needs the file: --baseline FILE --write-baseline.")
    if options.reads_standard_input and options.write_baseline:
        raise click.UsageError("--write-baseline is for files: it does not go with standard input.")
    if options.reads_standard_input and options.baseline is not None and options.stdin_filename is None:
        raise click.UsageError("--baseline knows problems by their file: name standard input with --stdin-filename.")


def _paths(ctx: click.Context, paths: tuple[str, ...], stdin_filename: Path | None) -> tuple[Path, ...]:
    """The files and folders to check; none for standard input."""
    if _STANDARD_INPUT in paths:
        if len(paths) > 1:
            raise click.UsageError("- reads standard input and is checked alone: leave out the other paths.")
        paths = ()
    elif paths and stdin_filename is not None:
        raise click.UsageError("--stdin-filename names what - reads from standard input: leave out the other paths.")
    elif not paths and stdin_filename is None:
        argument = next(each for each in ctx.command.params if each.name == "paths")
        raise click.MissingParameter(ctx=ctx, param=argument)
    if stdin_filename is not None and not stdin_filename.name:
        raise click.UsageError("--stdin-filename needs the name of a file.")
    return tuple(map(Path, paths))


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


def _patterns(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The patterns as given. Raises `click.UsageError` for one that can match nothing."""
    from engine.rules.selection import BadPattern, path_pattern

    for pattern in patterns:
        try:
            path_pattern(pattern)
        except BadPattern as error:
            raise click.UsageError(visible(f"--exclude: {error}")) from None
    return patterns
