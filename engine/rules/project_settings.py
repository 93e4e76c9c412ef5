"""A project's settings for the rules: `[tool.blueprint-studio]` in `pyproject.toml`, or `blueprint-studio.toml`.

The search goes from the folder of each blueprint upwards, and only the nearest file with settings counts.
Importing this module loads the rules: the first frame must not need it.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.files.atomic import read_regular
from engine.rules.selection import EVERYTHING, RuleSelection, SettingsMistake, matches, selection_in
from engine.text.patterns import lazy
from engine.text.record import Record, replace

OWN_FILE = "blueprint-studio.toml"
"""The file with the settings at its top level. It takes precedence over `PYPROJECT` in the same folder."""
PYPROJECT = "pyproject.toml"
"""The file with the settings in the table `[tool.blueprint-studio]`. Without that table it is ignored."""

_HEADER = lazy(r"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*[\"']?blueprint-studio", re.MULTILINE)
_MAX_BYTES = 4 << 20
_AT_LINE = lazy(r"\(at line (\d+), column \d+\)")


class SettingsProblem(Record):
    """A problem in a settings file, for authors: the file, the line (from 1), and what to do."""

    file: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class ProjectSettings(Record):
    """The valid part of a settings file. `file` is None if there is no settings file.

    `exclude` holds patterns for files and folders, relative to the folder of the settings file.
    """

    selection: RuleSelection = EVERYTHING
    exclude: tuple[str, ...] = ()
    problems: tuple[SettingsProblem, ...] = ()
    file: Path | None = None

    def of(self, path: Path) -> ProjectSettings:
        """These settings for the blueprint at `path`, below the folder of the settings file."""
        if self.file is None or not self.selection.exempt:
            return self
        below = _absolute(path).relative_to(self.file.parent)
        return replace(self, selection=self.selection.within(below.as_posix()))

    def excludes(self, path: Path, *, is_folder: bool) -> bool:
        """Whether `exclude` matches the file or the folder at `path`, below the folder of the settings file.

        The folders above it are not considered.
        """
        if self.file is None or not self.exclude:
            return False
        below = _absolute(path).relative_to(self.file.parent).as_posix()
        return any(matches(pattern, below, is_folder=is_folder) for pattern in self.exclude)


class SettingsCache:
    """The settings of many blueprints. Each settings file is read once."""

    def __init__(self) -> None:
        self._by_folder: dict[Path, ProjectSettings] = {}

    def of(self, path: Path) -> ProjectSettings:
        """The settings for the blueprint at `path`."""
        return self.around(path).of(path)

    def around(self, path: Path) -> ProjectSettings:
        """The settings of the project that holds `path`, a file or a folder, before `per-file-ignores` apply."""
        return self._in(_absolute(path).parent)

    def _in(self, folder: Path) -> ProjectSettings:
        known = self._by_folder.get(folder)
        if known is None:
            known = _read_in(folder)
            if known is None:
                known = ProjectSettings() if folder.parent == folder else self._in(folder.parent)
            self._by_folder[folder] = known
        return known


def _absolute(path: Path) -> Path:
    """`path` from the root, without `..`: the settings of this folder are not those of `../other`."""
    return Path(os.path.normpath(path.absolute()))


def settings_files(path: Path) -> Iterator[Path]:
    """The files that may hold the settings for the blueprint at `path`."""
    return (folder / name for folder in _absolute(path).parents for name in (OWN_FILE, PYPROJECT))


def _read_in(folder: Path) -> ProjectSettings | None:
    for file in (folder / OWN_FILE, folder / PYPROJECT):
        settings = _read(file)
        if settings is not None:
            return settings
    return None


def _read(file: Path) -> ProjectSettings | None:
    """The settings in `file`, or None if there is no such file or it has no settings of the studio."""
    try:
        text = read_regular(file, _MAX_BYTES).decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return None if file.name == PYPROJECT else _unusable(file, 1, f"cannot be read: {error.strerror or error}")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return None if file.name == PYPROJECT else _unusable(file, line, "is not UTF-8")
    is_ours = file.name == OWN_FILE or _HEADER.search(text) is not None
    if not is_ours and "blueprint-studio" not in text:
        return None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return _unusable(file, _line_of_error(error, text), f"is not valid TOML: {_reason(error)}") if is_ours else None
    except RecursionError:
        return _unusable(file, 1, "cannot be read: it is nested too deeply") if is_ours else None
    except ValueError:
        return _unusable(file, 1, "cannot be read: it holds a number with too many digits") if is_ours else None
    table = data if file.name == OWN_FILE else _ours(data)
    if table is None:
        return None
    parsed = selection_in(table)
    problems = tuple(SettingsProblem(file, _line_of(text, mistake), mistake.message) for mistake in parsed.mistakes)
    return ProjectSettings(parsed.selection, parsed.exclude, problems, file)


def _ours(data: Mapping[str, object]) -> Mapping[str, object] | None:
    tool = data.get("tool")
    table: object = tool.get("blueprint-studio") if isinstance(tool, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return table if isinstance(table, dict) else None  # pyright: ignore[reportUnknownVariableType]


def _unusable(file: Path, line: int, what: str) -> ProjectSettings:
    message = f"This file {what}. All rules apply until it is fixed."
    return ProjectSettings(problems=(SettingsProblem(file, line, message),), file=file)


def _line_of_error(error: tomllib.TOMLDecodeError, text: str) -> int:
    found = _AT_LINE.search(str(error))
    return int(found[1]) if found is not None else text.rstrip().count("\n") + 1


def _reason(error: tomllib.TOMLDecodeError) -> str:
    return str(error).partition(" (at ")[0].removesuffix(".").lower()


def _line_of(text: str, mistake: SettingsMistake) -> int:
    """The line, from 1, of the name of a mistake: the first place after the keys that lead to it."""
    header = _HEADER.search(text)
    at = header.start() if header is not None else 0
    for word in (*mistake.keys, mistake.name):
        found = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])").search(text, at)
        at = at if found is None else found.start()
    return text.count("\n", 0, at) + 1
