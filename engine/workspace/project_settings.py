"""A project's settings for the rules: `[tool.blueprint-studio]` in `pyproject.toml`, or `blueprint-studio.toml`.

They are looked for from the folder of each blueprint upwards, and the nearest file that has them counts alone.
To import this loads the rules: the first frame must not need it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from engine.record import Record, replace
from engine.rules.selection import EVERYTHING, RuleSelection, SettingsMistake, selection_in

OWN = "blueprint-studio.toml"
"""The file that holds the table at its top level; it counts before the other one in the same folder."""
SHARED = "pyproject.toml"
"""The file that holds it as `[tool.blueprint-studio]`; without that table it is passed over."""

_HEADER = re.compile(r"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*[\"']?blueprint-studio", re.MULTILINE)
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")

_Stamp: TypeAlias = tuple[tuple[int, int] | None, ...]


class SettingsProblem(Record):
    """What is wrong in a settings file, for authors: the file, its line from 1, and what to do."""

    file: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class ProjectSettings(Record):
    """What a settings file asks for, as far as it can be understood; `file` is None where there is none."""

    choice: RuleSelection = EVERYTHING
    problems: tuple[SettingsProblem, ...] = ()
    file: Path | None = None

    def of(self, path: Path) -> ProjectSettings:
        """These settings for the blueprint at `path`, which lies below their file."""
        if self.file is None or not self.choice.exempt:
            return self
        below = path.absolute().relative_to(self.file.parent)
        return replace(self, choice=self.choice.within(below.as_posix()))


class Projects:
    """The settings of many blueprints; every file is read once."""

    def __init__(self) -> None:
        self._by_folder: dict[Path, ProjectSettings] = {}

    def of(self, path: Path) -> ProjectSettings:
        """The settings that hold for the blueprint at `path`."""
        return self._in(path.absolute().parent).of(path)

    def _in(self, folder: Path) -> ProjectSettings:
        known = self._by_folder.get(folder)
        if known is None:
            known = _read_in(folder)
            if known is None:
                known = ProjectSettings() if folder.parent == folder else self._in(folder.parent)
            self._by_folder[folder] = known
        return known


class Watch:
    """The settings of one open blueprint, read again when a file that might hold them changes."""

    def __init__(self) -> None:
        self._seen: tuple[Path, _Stamp] | None = None
        self._settings = ProjectSettings()

    def changed(self, path: Path) -> bool:
        """Whether `of` would read anew."""
        return self._seen != (path, _stamp(path))

    def of(self, path: Path) -> ProjectSettings:
        """The settings for the blueprint at `path`: the same object while nothing changed."""
        seen = (path, _stamp(path))
        if seen != self._seen:
            self._settings = Projects().of(path)
            self._seen = seen
        return self._settings


def _candidates(path: Path) -> Iterator[Path]:
    return (folder / name for folder in path.absolute().parents for name in (OWN, SHARED))


def _stamp(path: Path) -> _Stamp:
    return tuple(_time_and_size(file) for file in _candidates(path))


def _time_and_size(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size)


def _read_in(folder: Path) -> ProjectSettings | None:
    for file in (folder / OWN, folder / SHARED):
        settings = _read(file)
        if settings is not None:
            return settings
    return None


def _read(file: Path) -> ProjectSettings | None:
    """The settings in `file`; None where it is not there or says nothing of ours."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return None if file.name == SHARED else _unusable(file, 1, f"cannot be read: {error.strerror or error}")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return None if file.name == SHARED else _unusable(file, line, "is not UTF-8")
    is_ours = file.name == OWN or _HEADER.search(text) is not None
    if not is_ours and "blueprint-studio" not in text:
        return None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return _unusable(file, _line_of_error(error, text), f"is no TOML: {_reason(error)}") if is_ours else None
    table = data if file.name == OWN else _ours(data)
    if table is None:
        return None
    asked = selection_in(table)
    problems = tuple(SettingsProblem(file, _line_of(text, mistake), mistake.message) for mistake in asked.mistakes)
    return ProjectSettings(asked.choice, problems, file)


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
    """The line on which the name of a mistake stands, behind the keys that lead to it."""
    header = _HEADER.search(text)
    at = header.start() if header is not None else 0
    for word in (*mistake.keys, mistake.name):
        found = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])").search(text, at)
        at = at if found is None else found.start()
    return text.count("\n", 0, at) + 1
