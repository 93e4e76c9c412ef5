"""Examining one blueprint for `studio check`: read, checked, mended where that is asked for. Prints nothing."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.parsing import parse
from engine.rules import Checker
from engine.rules.choosing import Choice, for_weval
from engine.rules.fixing import mend
from engine.workspace import CannotOpen, CannotSave, ChangedOnDisk, OpenedFile, open_file, save
from engine.workspace.project import Projects
from studio.cli.check_formats import CheckedFile

if TYPE_CHECKING:
    from engine.diagnostics import Diagnostic
    from engine.javascript import JavaScript


@dataclass(frozen=True, slots=True)
class Request:
    """What a command asks for, the same for all files.

    `select` and `ignore` hold codes of rules, `collections` is the folder of model collections where one is named.
    """

    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    for_weval: bool = False
    fix: bool = False
    only_diff: bool = False
    collections: Path | None = None


@dataclass(frozen=True, slots=True)
class Examined:
    """One file afterwards: what was found (None where it could not be read), its diff, and what to say on stderr.

    `unusable` tells that something could not be done: the exit code is 2.
    """

    checked: CheckedFile | None = None
    diff: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    unusable: bool = False


class Examiner:
    """Examines files one after the other; `javascript` and the projects' settings are shared by all."""

    def __init__(self, request: Request, javascript: JavaScript) -> None:
        self._request = request
        self._javascript = javascript
        self._projects = Projects()

    def examine(self, path: Path) -> Examined:
        """The file at `path`, told under that name."""
        try:
            opened = open_file(path)
        except CannotOpen as error:
            return Examined(said=(f"{path}: {error.title} {error.advice}".rstrip(),), unusable=True)
        settings = self._projects.of(path)
        said = [str(problem) for problem in settings.problems]
        if not _is_whole(opened):
            said.append(f"{path}: {opened.read_only}")
        choice = settings.choice.with_asked(self._request.select, self._request.ignore)
        try:
            done = self._done(path, opened, choice)
        except (CannotSave, ChangedOnDisk) as error:
            said.append(f"{path}: {error.title} {error.advice}".rstrip())
            return Examined(said=tuple(said), unusable=True)
        return replace(done, said=(*said, *done.said), unusable=bool(said))

    def _done(self, path: Path, opened: OpenedFile, choice: Choice) -> Examined:
        """Checked, and mended where that is asked for. Raises `CannotSave`, `ChangedOnDisk`."""
        if self._request.fix and not self._request.only_diff:
            return self._mended(path, opened, choice)
        checker = Checker(choice.rules(), self._request.collections)
        found = choice.told(checker.check(parse(opened.text, opened.path), self._javascript))
        checked = self._checked(path, opened.text, found)
        if not self._request.only_diff or not any(one.fixes for one in found):
            return Examined(checked)
        from studio.cli.check_diff import diff_of  # brings what runs checks, which only a diff needs

        mended = mend(opened.text, opened.path, self._javascript, choice=choice, collections=self._request.collections)
        return Examined(checked, tuple(diff_of(path, opened.text, mended, self._javascript)))

    def _mended(self, path: Path, opened: OpenedFile, choice: Choice) -> Examined:
        mended = mend(opened.text, opened.path, self._javascript, choice=choice, collections=self._request.collections)
        checked = self._checked(path, mended.text, mended.remaining)
        if mended.text == opened.text:
            return Examined(checked)
        save(opened, mended.text)
        fixes = "1 fix" if mended.applied == 1 else f"{mended.applied} fixes"
        return Examined(checked, said=(f"{path}: {fixes} applied",))

    def _checked(self, path: Path, text: str, found: tuple[Diagnostic, ...]) -> CheckedFile:
        if self._request.for_weval:
            found = tuple(for_weval(one) for one in found)
        return CheckedFile(path, text if found else "", found)


def _is_whole(opened: OpenedFile) -> bool:
    """Whether the text is what the bytes say: not so where they are no UTF-8."""
    return hashlib.sha256(opened.encoded(opened.text)).hexdigest() == opened.digest
