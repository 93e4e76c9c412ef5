"""The files of a command: those that are named, and those below named folders."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from engine.parsing.recognition import SUFFIXES
from engine.text.record import Record

_GLOB = frozenset("*?[")


class NoSuchPath(Record):
    """A named path that does not exist."""

    path: Path

    @property
    def message(self) -> str:
        """The message for the author. A shell passes on a pattern that matches no file."""
        is_pattern = not _GLOB.isdisjoint(str(self.path))
        return f"{self.path}: {'This pattern matches no file.' if is_pattern else 'There is no such file or folder.'}"


class Candidate(Record):
    """A file to check. One that is not `named` was found below a folder, and may be something else than a blueprint.

    `content` is that of standard input, whose name is `path`; None for a file.
    """

    path: Path
    named: bool
    content: bytes | None = None


class Walk(Record):
    """The files at the paths of a command, each once and in order, and the files of each folder among the paths.

    `visited` holds all folders that were looked into, `left_out` those among the paths in which something is excluded.
    `named_and_excluded` counts the paths that are excluded themselves.
    """

    found: tuple[Candidate | NoSuchPath, ...]
    folders: dict[Path, frozenset[Path]]
    left_out: frozenset[Path] = frozenset()
    named_and_excluded: int = 0
    visited: tuple[Path, ...] = ()

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The files, without the paths that do not exist."""
        return tuple(one for one in self.found if isinstance(one, Candidate))


IsExcluded: TypeAlias = Callable[[Path, bool], bool]
"""Whether what is found at a path below a named folder is left out; the second argument: whether it is a folder."""


def _nothing(_path: Path, _is_folder: bool) -> bool:
    return False


def walk(paths: Iterable[Path], is_excluded: IsExcluded = _nothing, *, force: bool = False) -> Walk:
    """The files in `paths`, and the YAML and JSON files below each folder, sorted by name.

    Hidden folders, `node_modules` and what `is_excluded` says are skipped, and links to folders are not followed. No
    file is read. Paths that are named are never skipped, unless by `force`: then they and the folders above them too
    are held against `is_excluded`.
    """
    found: list[Candidate | NoSuchPath] = []
    folders: dict[Path, frozenset[Path]] = {}
    left_out: set[Path] = set()
    seen: set[str] = set()
    named_and_excluded = 0
    visited: list[Path] = []
    for path in paths:
        if _is_missing(path):
            found.append(NoSuchPath(path))
            continue
        is_folder = _is_folder(path)
        if force and lies_in_excluded(path, is_folder=is_folder, is_excluded=is_excluded):
            named_and_excluded += 1
            continue
        below = _Below(is_excluded, visited)
        files = {os.path.realpath(file): file for file in (below.files(path) if is_folder else (path,))}
        if is_folder:
            folders[path] = frozenset(map(Path, files))
        if below.left_out:
            left_out.add(path)
        found += [Candidate(file, not is_folder) for real, file in files.items() if real not in seen]
        seen.update(files)
    return Walk(tuple(found), folders, frozenset(left_out), named_and_excluded, tuple(visited))


def lies_in_excluded(path: Path, *, is_folder: bool, is_excluded: IsExcluded) -> bool:
    """Whether `path`, or a folder above it, is excluded."""
    whole = Path(os.path.normpath(path.absolute()))
    return is_excluded(whole, is_folder) or any(is_excluded(parent, True) for parent in whole.parents)


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


class _Below:
    """Finds the files below one folder. `left_out`: whether something there is excluded."""

    def __init__(self, is_excluded: IsExcluded, visited: list[Path]) -> None:
        self._is_excluded = is_excluded
        self._visited = visited
        self.left_out = False

    def files(self, folder: Path) -> Iterator[Path]:
        """The YAML and JSON files below `folder`."""
        for parent, folders, files in os.walk(folder):
            here = Path(parent)
            self._visited.append(here)
            folders[:] = sorted(
                name
                for name in folders
                if not name.startswith(".") and name != "node_modules" and self._is_kept(here / name, is_folder=True)
            )
            for file in (here / name for name in sorted(files)):
                if file.suffix.lower() in SUFFIXES and self._is_kept(file, is_folder=False):
                    yield file

    def _is_kept(self, path: Path, *, is_folder: bool) -> bool:
        is_excluded = self._is_excluded(path, is_folder)
        self.left_out = self.left_out or is_excluded
        return not is_excluded
