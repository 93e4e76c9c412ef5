"""The files and folders that a command leaves out: by the settings of their project, and by --exclude."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from engine.rules.selection import SettingsCache, matches


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
        return self._by_option(path, is_folder=is_folder) or self._settings.around(path).excludes(
            path, is_folder=is_folder
        )

    def _by_option(self, path: Path, *, is_folder: bool) -> bool:
        if not self._patterns:
            return False
        below = Path(os.path.relpath(path, self._here))
        if not below.name or below.name == "..":  # the working directory or a folder above it
            return False
        return any(matches(pattern, below.as_posix(), is_folder=is_folder) for pattern in self._patterns)
