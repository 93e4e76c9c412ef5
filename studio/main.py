"""The console command. Opening a file skips the import of the command line; everything else goes through it."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import NoReturn

from studio.commands import names_file
from studio.faults import mask_faults

_OUTPUT_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What writing to standard output can fail with. The command line itself ends quietly when a pipe is closed."""


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

            try:
                command_line()
            except OSError as error:
                if error.filename is not None or error.errno not in _OUTPUT_ERRORS:
                    raise
                _end_without_output(error)


def _end_without_output(error: OSError) -> NoReturn:
    """Say that standard output cannot be written, and exit with code 2."""
    print(f"Error: the output cannot be written: {error.strerror}.", file=sys.stderr)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left of it is not tried again
    raise SystemExit(2)
