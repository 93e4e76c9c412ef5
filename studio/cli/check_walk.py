"""The files of a check: those that are named, and those below named folders that nothing excludes."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from engine.parsing.recognition import SUFFIXES
from engine.rules.selection import SettingsCache, matches
from engine.text.record import Record
from studio.cli.inputs import STANDARD_INPUT

_GLOB = frozenset("*?[")


class Candidate(Record):
    """A file to check. One that is not `named` was found below a folder, and may be something else than a blueprint.

    `content` is that of standard input, whose name is `path`; None for a file.
    """

    path: Path
    named: bool
    content: bytes | None = None


IsExcluded: TypeAlias = Callable[[Path, bool], bool]
"""Whether what is found at a path below a named folder is left out; the second argument: whether it is a folder."""


class Exclusions:
    """The patterns of --exclude, relative to the working directory, and those of all settings files.

    The file of the `baseline` is left out too.
    """

    def __init__(self, patterns: Sequence[str], baseline: Path | None = None) -> None:
        self._baseline = None if baseline is None else os.path.realpath(baseline)
        self._patterns = tuple(patterns)
        self._here = Path.cwd()
        self._settings = SettingsCache()

    def __call__(self, path: Path, is_folder: bool) -> bool:
        """Whether `path` itself is excluded. The folders above it are not considered."""
        if self._baseline is not None and not is_folder and os.path.realpath(path) == self._baseline:
            return True
        below = Path(os.path.relpath(path, self._here))
        is_above = below.name in ("", "..")  # the working directory or a folder above it
        if not is_above and any(matches(each, below.as_posix(), is_folder=is_folder) for each in self._patterns):
            return True
        return self._settings.around(path).excludes(path, is_folder=is_folder)


class Walk:
    """The files at the paths of a command, each once and in order, and the files of each folder among the paths.

    `missing` are the paths at which there is nothing. `visited` holds all folders that were looked into, `left_out`
    those among the paths in which something is excluded. `named_and_excluded` counts the paths that are excluded.
    """

    def __init__(self) -> None:
        self.candidates: list[Candidate] = []
        self.missing: list[Path] = []
        self.folders: dict[Path, frozenset[Path]] = {}
        self.left_out: set[Path] = set()
        self.visited: list[Path] = []
        self.named_and_excluded = 0

    @property
    def messages(self) -> list[str]:
        """What to say of the missing paths. A shell passes on a pattern that matches no file."""
        what = "There is no such file or folder.", "This pattern matches no file."
        return [f"{path}: {what[not _GLOB.isdisjoint(str(path))]}" for path in self.missing]


def walk(
    paths: Iterable[Path], is_excluded: IsExcluded = lambda _path, _is_folder: False, *, force: bool = False
) -> Walk:
    """The files in `paths`, and the YAML and JSON files below each folder, sorted by name.

    Hidden folders, `node_modules` and what `is_excluded` says are skipped, and links to folders are not followed. No
    file is read. Paths that are named are never skipped, unless by `force`: then they and the folders above them too
    are held against `is_excluded`.
    """
    found = Walk()
    seen: set[str] = set()
    for path in paths:
        is_folder = _is_folder(path)
        if is_folder is None:
            found.missing.append(path)
        elif force and lies_in_excluded(path, is_folder=is_folder, is_excluded=is_excluded):
            found.named_and_excluded += 1
        else:
            files = {
                os.path.realpath(each): each for each in (_below(path, is_excluded, found) if is_folder else (path,))
            }
            if is_folder:
                found.folders[path] = frozenset(map(Path, files))
            found.candidates += [Candidate(each, not is_folder) for real, each in files.items() if real not in seen]
            seen.update(files)
    return found


def standard_input_walk(content: bytes, name: Path | None, is_excluded: IsExcluded, *, force: bool) -> Walk:
    """`content` as the only file, under `name`; none if that is excluded by `force`."""
    found = Walk()
    if name is not None and force and lies_in_excluded(name, is_folder=False, is_excluded=is_excluded):
        found.named_and_excluded = 1
    else:
        found.candidates.append(Candidate(name or STANDARD_INPUT, named=True, content=content))
    return found


def lies_in_excluded(path: Path, *, is_folder: bool, is_excluded: IsExcluded) -> bool:
    """Whether `path`, or a folder above it, is excluded."""
    whole = Path(os.path.normpath(path.absolute()))
    return is_excluded(whole, is_folder) or any(is_excluded(parent, True) for parent in whole.parents)


def _is_folder(path: Path) -> bool | None:
    """Whether a path is a folder; None if there is nothing. What cannot be looked at is reported when it is opened."""
    try:
        path.stat()
        return path.is_dir()
    except OSError as error:
        return None if error.errno in (errno.ENOENT, errno.ENOTDIR) else False
    except ValueError:  # a NUL in it
        return None


def _below(folder: Path, is_excluded: IsExcluded, found: Walk) -> Iterator[Path]:
    """The YAML and JSON files below `folder`."""

    def is_kept(path: Path, *, is_folder: bool) -> bool:
        if is_excluded(path, is_folder):
            found.left_out.add(folder)
            return False
        return True

    for parent, folders, files in os.walk(folder):
        here = Path(parent)
        found.visited.append(here)
        there = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        folders[:] = [name for name in there if is_kept(here / name, is_folder=True)]
        for file in (here / name for name in sorted(files)):
            if file.suffix.lower() in SUFFIXES and is_kept(file, is_folder=False):
                yield file
