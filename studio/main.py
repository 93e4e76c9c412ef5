"""The console command. Opening a file skips the import of the command line; everything else goes through it."""

from __future__ import annotations

import sys
from pathlib import Path

from studio.commands import names_file
from studio.faults import mask_faults


def main() -> None:
    """The console command."""
    mask_faults()
    match sys.argv[1:]:
        case ["--example"]:
            from studio.tui.launch import open_studio

            open_studio(example=True)
        case [argument] if names_file(argument):
            from studio.tui.launch import open_studio

            open_studio(Path(argument))
        case _:
            from studio.cli import main as command_line

            command_line()
