"""The files of a command: those that are named, and those below named folders."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.parsing.recognition import SUFFIXES

_GLOB = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class NoSuchPath:
    """A named path that does not exist."""

    path: Path

    @property
    def message(self) -> str:
        """The message for the author. A shell passes on a pattern that matches no file."""
        is_pattern = not _GLOB.isdisjoint(str(self.path))
        return f"{self.path}: {'This pattern matches no file.' if is_pattern else 'There is no such file or folder.'}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file to check. One that is not `named` was found below a folder, and may be something else than a blueprint."""

    path: Path
    named: bool


@dataclass(frozen=True, slots=True)
class Walk:
    """The files at the paths of a command, each once and in order, and the files of each folder among the paths."""

    found: tuple[Candidate | NoSuchPath, ...]
    folders: dict[Path, frozenset[Path]]

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The files, without the paths that do not exist."""
        return tuple(one for one in self.found if isinstance(one, Candidate))


def walk(paths: Iterable[Path]) -> Walk:
    """The files in `paths`, and the YAML and JSON files below each folder, sorted by name.

    Hidden folders and `node_modules` are skipped, and links to folders are not followed. No file is read.
    """
    found: list[Candidate | NoSuchPath] = []
    folders: dict[Path, frozenset[Path]] = {}
    seen: set[str] = set()
    for path in paths:
        if _is_missing(path):
            found.append(NoSuchPath(path))
            continue
        is_folder = _is_folder(path)
        files = {os.path.realpath(file): file for file in (_below(path) if is_folder else (path,))}
        if is_folder:
            folders[path] = frozenset(map(Path, files))
        found += [Candidate(file, not is_folder) for real, file in files.items() if real not in seen]
        seen.update(files)
    return Walk(tuple(found), folders)


def _is_missing(path: Path) -> bool:
    """Whether there is nothing at `path`. What cannot be looked at is reported when it is opened."""
    try:
        path.stat()
    except OSError as error:
        return error.errno in (errno.ENOENT, errno.ENOTDIR)
    except ValueError:  # a NUL in it
        return True
    return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _below(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        for name in sorted(files):
            file = Path(parent, name)
            if file.suffix.lower() in SUFFIXES:
                yield file
