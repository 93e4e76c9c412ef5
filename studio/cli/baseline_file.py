"""The baseline file of a check: read, applied to what was found, and written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from engine.files.atomic import read_regular
from engine.files.open_files import write_author_file
from engine.text.diagnostics import Diagnostic
from engine.text.record import Record
from studio.cli.baseline import BadBaseline, Baseline, Known, gone, new_ones, read_baseline, updated, written
from studio.cli.checked_file import CheckedFile
from studio.cli.frame import Unusable

_MAX_BYTES = 64 << 20


class Compared(Record):
    """Checked files with their new problems only, how many are known, and the known ones that no longer occur."""

    files: tuple[CheckedFile, ...]
    known: int
    gone: Baseline


class BaselineFile:
    """The baseline at `path`, as it was when the command began."""

    def __init__(self, path: Path, *, may_be_missing: bool) -> None:
        """Raises `Unusable` for a file that cannot be read, is not a baseline, or is missing unless it may be."""
        self._path = path
        self._folder = os.path.realpath(path.absolute().parent)
        self._known = _read(path, may_be_missing=may_be_missing)

    def compare(self, files: Sequence[CheckedFile]) -> Compared:
        """What of `files` is new, and what of the baseline is gone."""
        compared = [self._new(file) for file in files]
        known = sum(len(file.diagnostics) for file in files) - sum(len(file.diagnostics) for file in compared)
        found = [key for file in files for key, _ in self._keyed(file)]
        return Compared(tuple(compared), known, gone(found, self._known, _Occurrence(self._folder, self._ran(files))))

    def write(self, files: Sequence[CheckedFile]) -> int:
        """Write the problems of `files` as known, and return how many problems the baseline has.

        Problems of files that were not checked, and of rules that did not run, stay. Raises `Unusable`.
        """
        found = [key for file in files for key, _ in self._keyed(file)]
        self._known = updated(found, self._known, _Occurrence(self._folder, self._ran(files)))
        try:
            write_author_file(self._path, written(self._known).encode("utf-8"))
        except OSError as error:
            raise Unusable(f"{self._path} cannot be written: {error.strerror or error}.") from error
        return sum(self._known.values())

    def _new(self, file: CheckedFile) -> CheckedFile:
        return file.with_only(new_ones(self._keyed(file), self._known))

    def _keyed(self, file: CheckedFile) -> list[tuple[Known, Diagnostic]]:
        name = self._name(file.name)
        return [
            (Known(name, each.slug, digest), each) for each, digest in zip(file.diagnostics, file.digests, strict=True)
        ]

    def _ran(self, files: Sequence[CheckedFile]) -> dict[str, frozenset[str]]:
        return {self._name(file.name): file.ran for file in files}

    def _name(self, path: Path) -> str:
        """`path` relative to the folder of the baseline, with `/`; whole if it is on another drive."""
        whole = Path(os.path.realpath(path.absolute().parent), path.name)
        try:
            return Path(os.path.relpath(whole, self._folder)).as_posix()
        except ValueError:
            return whole.as_posix()


class _Occurrence(Record):
    """Whether a check would have found a known problem: its rule ran on its file, or the file is gone."""

    folder: str
    ran: dict[str, frozenset[str]]

    def __call__(self, known: Known) -> bool:
        if known.file in self.ran:
            return known.slug in self.ran[known.file]
        return not os.path.lexists(Path(self.folder, known.file))


def _read(path: Path, *, may_be_missing: bool) -> Baseline:
    try:
        return read_baseline(read_regular(path, _MAX_BYTES).decode("utf-8"))
    except FileNotFoundError as error:
        if may_be_missing:
            return {}
        raise Unusable(f"{path}: There is no such baseline. --write-baseline writes it.") from error
    except OSError as error:
        raise Unusable(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise Unusable(f"{path} is not a baseline of studio check: it is not UTF-8.") from error
    except BadBaseline as error:
        raise Unusable(
            f"{path} is not a baseline of studio check: {error}. Name another file, or remove it."
        ) from error
