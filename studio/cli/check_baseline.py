"""The baseline of `studio check`: the problems that are known, so that only new ones are reported.

A JSON object with `version` (1) and `problems`: a sorted list of objects, one on each line, with the `file` (relative
to the folder of the baseline, with `/`), the `slug` of the rule, a `digest` of what is underlined and its surroundings
(see `problem_digest`), and the `count` of such problems. It holds no line numbers and no text.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

from msgspec import Meta, ValidationError, convert

from engine.files.atomic import read_regular
from engine.text.diagnostics import Diagnostic
from engine.text.record import Record, read_json, replace
from studio.cli.check_files import CheckedFile
from studio.cli.frame import Unusable, write

VERSION = 1
"""The version of the format. A reader refuses later ones."""
_MAX_BYTES = 64 << 20
_FORM = "it needs a version and a list of problems, each with its file, slug, digest and count"


class Known(Record, order=True):
    """What a known problem is found by."""

    file: str
    slug: str
    digest: str


class _Row(Known):
    """How many such problems there are."""

    count: Annotated[int, Meta(gt=0)]


class _Version(Record):
    """What every baseline has."""

    version: int


class _Problems(Record):
    """What a baseline of this version has."""

    problems: tuple[_Row, ...]


Baseline: TypeAlias = Mapping[Known, int]
"""How often each known problem occurs, at least once."""


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
        """What of `files` is new, and what of the baseline is gone: of several alike the first are the known ones."""
        left, new = Counter(dict(self._known)), list[CheckedFile]()
        for file in files:
            found: list[Diagnostic] = []
            for known, each in self._keyed(file):
                left[known] -= 1
                if left[known] < 0:
                    found.append(each)
            new.append(replace(file, diagnostics=tuple(found), digests=()))
        could_occur = self._occurrence(files)
        gone = {known: left[known] for known in sorted(self._known) if left[known] > 0 and could_occur(known)}
        known = sum(len(one.diagnostics) - len(other.diagnostics) for one, other in zip(files, new, strict=True))
        return Compared(tuple(new), known, gone)

    def write(self, files: Sequence[CheckedFile]) -> int:
        """Write the problems of `files` as known, and return how many problems the baseline has.

        Problems of files that were not checked, and of rules that did not run, stay. Raises `Unusable`.
        """
        could_occur = self._occurrence(files)
        kept = {known: count for known, count in self._known.items() if not could_occur(known)}
        self._known = Counter(kept) + Counter(known for file in files for known, _ in self._keyed(file))
        write(self._path, written(self._known))
        return sum(self._known.values())

    def _keyed(self, file: CheckedFile) -> Iterator[tuple[Known, Diagnostic]]:
        name = self._name(file.name)
        for each, digest in zip(file.diagnostics, file.digests, strict=True):
            yield Known(name, each.slug, digest), each

    def _occurrence(self, files: Sequence[CheckedFile]) -> Callable[[Known], bool]:
        """Whether the check of `files` would have found a problem: its rule ran on its file, or the file is gone."""
        ran = {self._name(file.name): file.ran for file in files}

        def could_occur(known: Known) -> bool:
            if known.file in ran:
                return known.slug in ran[known.file]
            return not os.path.lexists(Path(self._folder, known.file))

        return could_occur

    def _name(self, path: Path) -> str:
        """`path` relative to the folder of the baseline, with `/`; whole if it is on another drive."""
        whole = Path(os.path.realpath(path.absolute().parent), path.name)
        try:
            return Path(os.path.relpath(whole, self._folder)).as_posix()
        except ValueError:
            return whole.as_posix()


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
    except ValueError as error:
        why = f"{error}. Name another file, or remove it."
        raise Unusable(f"{path} is not a baseline of studio check: {why}") from error


def read_baseline(text: str) -> Baseline:
    """The baseline in `text`. Raises `ValueError`, whose message says why it is none."""
    try:
        data: object = read_json(text)
    except ValueError as error:
        raise ValueError(f"it is not JSON ({error})") from error
    try:
        version = convert(data, _Version).version
        rows = convert(data, _Problems).problems if version == VERSION else ()
    except ValidationError as error:
        raise ValueError(f"{_FORM} ({error})") from error
    if version != VERSION:
        raise ValueError(f"it has version {version}, and this studio reads version {VERSION}")
    counts: Counter[Known] = Counter()
    for row in rows:
        counts[Known(row.file, row.slug, row.digest)] += row.count
    return counts


def written(baseline: Baseline) -> str:
    """The text of `baseline`: sorted, one problem on each line."""
    rows = [
        json.dumps({"file": known.file, "slug": known.slug, "digest": known.digest, "count": count})
        for known, count in sorted(baseline.items())
    ]
    listed = ",\n".join(f"    {row}" for row in rows)
    problems = f"[\n{listed}\n  ]" if rows else "[]"
    return f'{{\n  "version": {VERSION},\n  "problems": {problems}\n}}\n'
