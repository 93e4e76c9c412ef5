"""Atomic file writes: a crash, a kill or a full disk leaves the old file or the new one, never a mixture."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Replace the file at `path`, following a symlink, by `content`.

    Writes a temporary file in the same folder, flushes it to disk and renames it; then flushes the folder. An existing
    file keeps its mode, and its owner where permitted; a new file gets `mode`, or 0o666 less the umask. Raises
    `OSError`, and leaves no temporary file behind.
    """
    target = Path(os.path.realpath(path))
    before = target.stat() if target.exists() else None
    temporary = target.parent / f".{target.name[:100]}.{secrets.token_hex(6)}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if before is not None:
                _copy_ownership(file.fileno(), before)
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _flush_folder(target.parent)


def _copy_ownership(descriptor: int, before: os.stat_result) -> None:
    """Give the new file the owner and the mode of the old one, where the system supports and permits it."""
    if hasattr(os, "fchown"):
        with suppress(PermissionError):
            os.fchown(descriptor, before.st_uid, before.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


def _flush_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
