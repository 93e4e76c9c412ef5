"""The state of files on disk, to find out which of them changed since."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from engine.model_collections import FOLDER
from engine.regular_files import read_regular
from engine.text_limits import FILE_BYTES
from engine.workspace.project_settings import OWN_FILE, PYPROJECT

_FRESH_NS = 2_000_000_000
"""A file may change again without a new time: file systems count in ticks, some in seconds."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """The identity of a file's content. `digest` is known for a file that changed in the last two seconds."""

    modified_ns: int
    size: int
    inode: int
    digest: str | None = None

    def is_same(self, other: Stamp | None) -> bool:
        """Whether nothing shows that the content differs from that of `other`."""
        if other is None or (self.modified_ns, self.size, self.inode) != (other.modified_ns, other.size, other.inode):
            return False
        return self.digest is None or other.digest is None or self.digest == other.digest


def stamp(path: Path) -> Stamp | None:
    """The stamp of the file or folder at `path`; None if there is none that can be looked at."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    is_fresh = abs(time.time_ns() - status.st_mtime_ns) < _FRESH_NS
    return Stamp(status.st_mtime_ns, status.st_size, status.st_ino, _digest(path) if is_fresh else None)


def _digest(path: Path) -> str | None:
    try:
        return hashlib.sha256(read_regular(path, FILE_BYTES)).hexdigest()
    except OSError:  # a folder, or a file that is too long or just removed
        return None


def stamps(paths: Iterable[Path]) -> dict[Path, Stamp | None]:
    """The stamps of all `paths`."""
    return {path: stamp(path) for path in paths}


def changed(before: dict[Path, Stamp | None], now: dict[Path, Stamp | None]) -> frozenset[Path]:
    """The paths that appeared, disappeared or have another content."""
    return frozenset(path for path in before.keys() | now.keys() if not _is_same(before.get(path), now.get(path)))


def _is_same(before: Stamp | None, now: Stamp | None) -> bool:
    return before is now or (now is not None and now.is_same(before))


def surroundings(files: Iterable[Path], collections: Path | None) -> set[Path]:
    """The files that the check of `files` depends on: settings of their projects, and collections of models."""
    folders = {parent for file in files for parent in Path(os.path.normpath(file.absolute())).parents}
    models = [folder / FOLDER for folder in folders] if collections is None else [collections]
    settings = {folder / name for folder in folders for name in (OWN_FILE, PYPROJECT)}
    return settings | {file for folder in models for file in _collections_in(folder)}


def _collections_in(folder: Path) -> list[Path]:
    try:
        return list(folder.glob("*.json"))
    except OSError:
        return []
