"""The options of `studio check`: their declarations, and the record of them that the command works with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from engine.text.diagnostics import Severity
from engine.text.record import Record
from engine.text.spans import visible
from studio.cli.shell_completion import complete_rules

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Layout(StrEnum):
    """The form of the output."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"


class CheckOptions(Record, kw_only=True):
    """The options as given. `select` and `ignore` hold codes of rules.

    Without `paths`, standard input is checked, under the name `stdin_filename` if there is one. `collections` is the
    folder of model collections, if one is named.
    """

    paths: tuple[Path, ...]
    stdin_filename: Path | None
    layout: Layout
    fix: bool
    only_diff: bool
    for_weval: bool
    fail_on: Severity
    exit_zero: bool
    quiet: bool
    statistics: bool
    select: frozenset[str]
    ignore: frozenset[str]
    collections: Path | None
    exclude: tuple[str, ...]
    force_exclude: bool
    baseline: Path | None
    write_baseline: bool
    watch: bool

    @property
    def reads_standard_input(self) -> bool:
        """Whether standard input is checked in the place of files."""
        return not self.paths


def _print_schema(ctx: click.Context, _option: click.Parameter, is_given: bool) -> None:
    if is_given and not ctx.resilient_parsing:
        schema = files("studio.cli").joinpath("check_output.schema.json")
        click.echo(schema.read_text("utf-8"), nl=False)
        ctx.exit()


_STANDARD_INPUT = "-"
"""As it is written: `./-` is a file."""

_DECLARED = (
    click.argument("paths", nargs=-1, type=click.Path(), metavar="PATH..."),
    click.option(
        "--format",
        "layout",
        type=click.Choice([each.value for each in Layout]),
        default=Layout.TEXT.value,
        help="The form of the output.",
    ),
    click.option(
        "--fix",
        is_flag=True,
        help="Apply the safe fixes of errors and warnings, list the changes, and report what remains.",
    ),
    click.option(
        "--diff",
        "only_diff",
        is_flag=True,
        help="Show what --fix would change, and the other fixes as comments. Writes nothing.",
    ),
    click.option(
        "--for",
        "audience",
        type=click.Choice(["weval"]),
        help="Report as errors what works here and is refused by Weval.",
    ),
    click.option(
        "--select",
        multiple=True,
        metavar="SLUG",
        shell_complete=complete_rules,
        help="Only this rule; repeat it, or separate several by commas.",
    ),
    click.option(
        "--ignore",
        multiple=True,
        metavar="SLUG",
        shell_complete=complete_rules,
        help="All rules except this one; like --select.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Leave out files and folders that match, such as drafts/ or *.old.yml, as the setting does; repeat it.",
    ),
    click.option("--force-exclude", is_flag=True, help="Leave out what is excluded even if you name it."),
    click.option(
        "--stdin-filename",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The name of the blueprint that - reads from standard input.",
    ),
    click.option(
        "--collections",
        type=click.Path(path_type=Path),
        metavar="FOLDER",
        help="Look for collections of models in FOLDER instead of models/.",
    ),
    click.option(
        "--baseline",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Report only problems that are not in FILE, and name those in it that no longer occur.",
    ),
    click.option("--write-baseline", is_flag=True, help="Write all problems of this check to the file of --baseline."),
    click.option("--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl+C."),
    click.option(
        "--fail-on",
        type=click.Choice([level.value for level in Severity]),
        default=Severity.ERROR.value,
        help="The level from which the exit code is 1; error unless given.",
    ),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 although there are problems."),
    click.option("-q", "--quiet", is_flag=True, help="Print the problems and nothing else."),
    click.option(
        "--statistics",
        is_flag=True,
        help="After the problems, count them by rule: in how many files, how many fixable.",
    ),
    click.option(
        "--schema",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_schema,
        help="Print the JSON Schema of --format json and exit.",
    ),
)


def with_options(command: _Command) -> _Command:
    """Declare all options on `command`, in the order of the help."""
    for declare in reversed(_DECLARED):
        command = declare(command)
    return command


def read_options(ctx: click.Context, values: dict[str, Any]) -> CheckOptions:
    """The options as given. Raises `click.UsageError` for an unknown rule, and for options that exclude each other."""
    _check_combination(ctx)
    options = _options(ctx, values)
    _check_baseline(options)
    if options.select and options.select <= options.ignore:
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


def _options(ctx: click.Context, values: dict[str, Any]) -> CheckOptions:
    return CheckOptions(
        paths=_paths(ctx, values["paths"], values["stdin_filename"]),
        stdin_filename=values["stdin_filename"],
        layout=Layout(values["layout"]),
        fix=values["fix"],
        only_diff=values["only_diff"],
        for_weval=values["audience"] == "weval",
        fail_on=Severity(values["fail_on"]),
        exit_zero=values["exit_zero"],
        quiet=values["quiet"],
        statistics=values["statistics"],
        select=_codes(values["select"]),
        ignore=_codes(values["ignore"]),
        collections=values["collections"],
        exclude=_patterns(values["exclude"]),
        force_exclude=values["force_exclude"],
        baseline=values["baseline"],
        write_baseline=values["write_baseline"],
        watch=values["watch"],
    )


_CONTRADICTIONS = (
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


def _check_combination(ctx: click.Context) -> None:
    for one, other, message in _CONTRADICTIONS:
        if _is_given(ctx, one) and _is_given(ctx, other):
            raise click.UsageError(message)


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


def _is_given(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE


def _codes(names: Sequence[str]) -> frozenset[str]:
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
