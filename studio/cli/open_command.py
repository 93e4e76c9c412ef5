"""`studio FILE`, `studio --example`, `studio`: the terminal application."""

from __future__ import annotations

from pathlib import Path

import click

from studio.tui.launch import open_studio


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
    open_studio(file, example=example, collections=collections)
