"""Writing the case file of the open blueprint: one change after the other, each whole or not at all.

What the author says is written under their name, and what another person said is changed only after asking.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.scoring.assessment import Criterion, Grade
from engine.study.case import Case, CaseGrade, NamedPoint
from engine.study.case_reader import read_cases
from engine.study.case_writer import (
    CaseMark,
    NotWritable,
    change_case_file,
    new_case_file,
    with_case,
    with_grade,
    with_mark,
    without_case,
    without_grade,
)
from engine.study.file_places import beside, case_file_path, default_case_path, first_write_text, in_data_folder
from engine.text.spans import NOWHERE, visible
from studio.session.author_name import author_name, save_author_name
from studio.session.host import Choice, Choose, Severity
from studio.session.parts import Part
from studio.session.questions import FirstCaseQuestion

if TYPE_CHECKING:
    from studio.session.session import Session

_CHANGED = "It has changed on disk since it was read. Try again."


class CaseFileEdits(Part):
    """Adds cases, and changes them. The author is told what goes wrong."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._order = asyncio.Lock()

    @property
    def _blueprint(self) -> Path:
        return self.state.path

    async def may_write(self) -> bool:
        """Whether the blueprint is on disk; the author is told if not."""
        is_there = await asyncio.to_thread(self._blueprint.exists)
        if not is_there:
            self._notify("Save the blueprint first: its cases stand in a file beside it.")
        return is_there

    async def author(self) -> str | None:
        """The name under which the author says things; None for none."""
        return await author_name(self.resources.settings)

    # --- Changes

    async def add(self, case: Case) -> tuple[int, Path] | None:
        """Add a case of the author, and return its number and the file; None if it was not written.

        Before the first one, the author sees what the file holds and who would see it, and may give their name.
        """
        path = await asyncio.to_thread(case_file_path, self._blueprint)
        if path is None:
            path = await self._first_place()
        by = await self.author()
        number = None if path is None else await self._write(path, lambda text: with_case(text, case.signed(by)))
        return None if path is None or number is None else (number, path)

    async def mark(self, case: Case, mark: CaseMark) -> tuple[Case, Path] | None:
        """Give a case another mark; the case as it is then, and the file. None if it was not written.

        If another person marked it, the author is asked first.
        """
        by = await self.author()
        if CaseMark.of(case) != mark and not await self._may_replace(case, by):
            return None
        path = await self._change(case, lambda text: with_mark(text, case.number, mark, by))
        return None if path is None else (mark.put_on(case, by), path)

    async def remove(self, case: Case) -> Path | None:
        """Remove a case, and return the file; None if it was not written."""
        return await self._change(case, lambda text: without_case(text, case.number))

    async def grade(self, case: Case, criterion: Criterion, grade: Grade | None) -> None:
        """Write the author's grade of a case; None removes it. Grades of others stay."""
        point, by = NamedPoint(criterion.text, criterion.block), await self.author()

        def edited(text: str) -> str:
            if grade is None:
                return without_grade(text, case.number, point, by)
            return with_grade(text, case.number, CaseGrade(point, grade, by, NOWHERE))

        path = await self._change(case, edited, is_of_mark=False)
        is_nameless = any(each.by is None and each.point.text == point.text for each in case.grades)
        if path is not None and grade is None and by is not None and is_nameless:
            text = f"Case {case.number} in {path.name} also has a grade of this criterion without a name, which stays."
            self._notify(f"{text} If it is yours, remove it there.", Severity.WARNING)

    # --- Asking

    async def _may_replace(self, case: Case, by: str | None) -> bool:
        """Whether the author may say something else of a case: they are asked if another person said it."""
        if case.by is None or case.by == by:
            return True
        own = f"under your name, {by}." if by else "and names nobody. If that is you, give your name first (Ctrl+P)."
        text = f"{case.by} marked this answer, in case {case.number}. Your mark takes the place of that one, {own}"
        choices = [Choice("replace", "Put my mark in its place", "Grades by others stay."), Choice("keep", "Keep it")]
        title = f"A mark by {case.by}"
        return await self.host.ask(Choose(visible(title), visible(text), choices)) == "replace"

    async def _first_place(self) -> Path | None:
        """Where the first case is written; None if the author cancels."""
        usual, other = default_case_path(self._blueprint), in_data_folder(self._blueprint)
        if usual == other:
            other = beside(self._blueprint)
        text = await asyncio.to_thread(first_write_text, usual)
        elsewhere = (
            "Beside the blueprint", "Weval refuses such a file in a proposal."
        ) if other == beside(self._blueprint) else ("In my data folder", "It stays on this machine.")  # fmt: skip
        choices = [Choice("usual", "Write it there"), Choice("other", *elsewhere)]
        question = FirstCaseQuestion("The first case of this blueprint", text, choices, await self.author() or "")
        chosen = await self.host.ask(question)
        if chosen is None:
            return None
        await save_author_name(self.resources.settings, chosen.name)
        return usual if chosen.place == "usual" else other

    # --- Writing

    async def _change(self, case: Case, edit: Callable[[str], str], *, is_of_mark: bool = True) -> Path | None:
        """Make `edit` in the file, and return it. None if that cannot be, or `case` is not in it any more.

        `is_of_mark`: nor may what it says of the answer have changed.
        """

        def seen(each: Case) -> object:
            return each.number, each.prompt, each.turns, *((CaseMark.of(each), each.by) if is_of_mark else ())

        def checked(text: str) -> str:
            if seen(case) not in map(seen, read_cases(text)[0].cases):
                raise NotWritable(_CHANGED)
            return edit(text)

        path = await asyncio.to_thread(case_file_path, self._blueprint)
        if path is None:
            self._notify("Not saved: the case file is gone.", Severity.ERROR)
            return None
        return None if await self._write(path, checked) is None else path

    async def _write(self, path: Path, edit: Callable[[str], str]) -> int | None:
        """Edit the file at `path`; the number of its last case, None if it was not written."""
        new = new_case_file(self._blueprint.name)
        async with self._order:
            try:
                text = await asyncio.to_thread(change_case_file, path, edit, new)
            except (NotWritable, UnicodeDecodeError) as error:
                reason = str(error) if isinstance(error, NotWritable) else "The file is not UTF-8 text."
                self._notify(f"Not saved: {path.name}: {reason}", Severity.ERROR)
                return None
            except OSError as error:
                self._notify(f"Not saved: {path} cannot be written: {error.strerror}.", Severity.ERROR)
                return None
        self.runs.live_cases.verdicts_came()
        return max((case.number for case in (await asyncio.to_thread(read_cases, text))[0].cases), default=0)

    def _notify(self, message: str, severity: Severity = Severity.INFORMATION) -> None:
        self.host.notify(visible(message), severity)
