"""Changing a case file on disk: what another program writes meanwhile is never lost."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

from engine.author_files import write_author_file
from engine.cases.case_edits import NotWritable
from engine.regular_files import read_regular
from engine.text_limits import FILE_BYTES

_ATTEMPTS = 3


def change_case_file(path: Path, edit: Callable[[str], str], new: str | None = None) -> str:
    """Write what `edit` makes of the text of the file at `path`, and return it. Blocks.

    A file that does not exist yet begins as `new`; without it, it has to exist. If the file changes while it is edited,
    the newer text is edited instead. Raises `NotWritable`, as `edit` does, `UnicodeDecodeError` and `OSError`.
    """
    for _ in range(_ATTEMPTS):
        before = _content(path, new)
        text = (new or "") if before is None else before.decode("utf-8")
        after = edit(text)
        if after == text and before is not None:
            return text
        content = after.encode("utf-8")
        if len(content) > FILE_BYTES:
            raise NotWritable(f"It would have more than {FILE_BYTES >> 20} MB, and could not be read any more.")
        if before is not None and not os.access(path, os.W_OK):  # it could be replaced all the same
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        if _content(path, new) == before:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_author_file(path, content)
            return after
    raise NotWritable("Another program keeps changing it. Try again when it is done.")


def _content(path: Path, new: str | None) -> bytes | None:
    """The content of the file; None for one that does not exist and may be made."""
    try:
        return read_regular(path, FILE_BYTES)
    except FileNotFoundError:
        if new is None:
            raise
        return None
