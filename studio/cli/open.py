"""`studio FILE`, `studio --example`, `studio`: the terminal application."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import click


@click.command(name="open", short_help="Open the studio.")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--example", is_flag=True, help="Open the bundled example; saving puts a copy into this folder.")
def command(file: Path | None, example: bool) -> None:
    """Open FILE in the studio; without it, the start screen."""
    if example and file is not None:
        raise click.UsageError("Name a file or say --example, not both.")
    os.environ.setdefault("TEXTUAL_FPS", "120")
    # Starting makes objects that nearly all stay: collecting among them costs a fifth of the time to the first frame.
    # `Studio` enables collection again behind that frame.
    gc.disable()

    from engine.workspace import CannotOpen, OpenedFile, new_file, open_file
    from studio.app import Studio
    from studio.example import EXAMPLE, read
    from studio.pasting import make_pastes_safe

    make_pastes_safe()
    opened: OpenedFile | None = None
    problem: CannotOpen | None = None
    if example:
        opened = new_file(Path(EXAMPLE.file), read(EXAMPLE.file))
    elif file is not None:
        try:
            opened = open_file(file)
        except CannotOpen as error:
            problem = error
    app = Studio(opened, problem=problem)
    app.run()
    raise SystemExit(app.return_code or 0)
