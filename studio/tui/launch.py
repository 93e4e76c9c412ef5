"""Starts the terminal application. Imports only what its first frame shows."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

_INSTEAD = "In a script, use `studio check FILE`, `studio run FILE` or another command of `studio --help`."


def no_terminal() -> str:
    """Why the studio cannot draw on this terminal and read its keys; "" if it can."""
    streams = {"input": sys.stdin, "output": sys.stdout, "error": sys.stderr}
    elsewhere = [name for name, stream in streams.items() if stream is None or not stream.isatty()]
    if elsewhere:
        return f"The studio needs a terminal, but standard {elsewhere[0]} is not one. {_INSTEAD}"
    if os.environ.get("TERM") == "dumb":
        return f"The studio needs a terminal that it can draw on, but TERM is “dumb”. {_INSTEAD}"
    return ""


def open_studio(file: Path | None = None, *, example: bool = False, collections: Path | None = None) -> NoReturn:
    """Run the studio on `file`, the bundled example or the start screen, then exit with its code.

    A result file opens with its blueprint. Without a usable terminal, prints why and exits with code 2.
    """
    trouble = no_terminal()
    if trouble:
        print(f"Error: {trouble}", file=sys.stderr)
        raise SystemExit(2)
    os.environ.setdefault("TEXTUAL_FPS", "120")
    # Nearly all objects made at the start stay: collecting garbage takes a fifth of the time to the first frame.
    # `Studio` enables it again after that frame.
    gc.disable()

    from engine.evaluation.published_files import open_with_result
    from engine.files.open_files import CannotOpen, OpenedFile, new_file
    from engine.files.own_files import listen
    from studio.example import EXAMPLE, read
    from studio.tui.app import Studio
    from studio.tui.end_signals import end_on_signals
    from studio.tui.terminal import read_terminal_safely

    read_terminal_safely()
    with suppress(ImportError):  # on Windows, which has another driver
        from studio.tui.terminal import write_terminal_safely

        write_terminal_safely()
    listen(None)  # reports wait for the first screen
    opened: OpenedFile | None = None
    published: Path | None = None
    problem: CannotOpen | None = None
    if example:
        opened = new_file(Path(EXAMPLE.file), read(EXAMPLE.file))
    elif file is not None:
        try:
            opened, published = open_with_result(file)
        except CannotOpen as error:
            problem = error
    app = Studio(opened, problem=problem, collections=collections, published=published)
    end_on_signals(app)
    app.run()
    raise SystemExit(app.return_code or 0)
