"""Standard input as a file to check, and the fixed text on standard output."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from engine.text.text_limits import FILE_BYTES
from studio.cli.file_walk import Candidate, IsExcluded, Walk, lies_in_excluded

NAME = Path("-")
"""The path that stands for standard input, and its name where no other is given."""


def read_standard_input() -> bytes:
    """Standard input, up to the limit of a blueprint and one byte more; nothing if it is closed."""
    return b"" if sys.stdin is None else sys.stdin.buffer.read(FILE_BYTES + 1)


def as_walk(content: bytes, name: Path | None, is_excluded: IsExcluded, *, force: bool) -> Walk:
    """`content` as the only file, under `name`; none if that is excluded by `force`."""
    if name is not None and force and lies_in_excluded(name, is_folder=False, is_excluded=is_excluded):
        return Walk((), {}, named_and_excluded=1)
    return Walk((Candidate(name or NAME, named=True, content=content),), {})


def write_text(read: bytes, fixed: bytes | None) -> None:
    """Write `fixed` to standard output, or else all of standard input, of which `read` is read, as it is."""
    out = sys.stdout.buffer
    out.write(read if fixed is None else fixed)
    if fixed is None and len(read) > FILE_BYTES:
        shutil.copyfileobj(sys.stdin.buffer, out)
    out.flush()
