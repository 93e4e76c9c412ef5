"""Writing the case file of the open blueprint: one change after the other, each whole or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from engine.cases import Case, case_file_path, read_cases
from engine.cases.case_places import beside, default_case_path, first_write_text, in_data_folder
from engine.cases.case_writer import NotWritable, new_case_file, with_case
from engine.regular_files import read_regular
from engine.text_limits import FILE_BYTES
from studio.session.host import Choice, Choose, Severity
from studio.session.session_context import SessionContext


class CaseFileEdits:
    """Adds cases, and changes them. The author is told what goes wrong."""

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._order = asyncio.Lock()
        self.changed: Callable[[], None] = lambda: None
        """Called when the case file has changed."""

    @property
    def _blueprint(self) -> Path:
        return self._context.document.path

    async def may_write(self) -> bool:
        """Whether the blueprint is on disk; the author is told if not."""
        is_there = await asyncio.to_thread(self._blueprint.exists)
        if not is_there:
            self._notify("Save the blueprint first: its cases stand in a file beside it.")
        return is_there

    async def add(self, case: Case) -> tuple[int, Path] | None:
        """Add a case, and return its number and the file; None if it was not written.

        Before the first one, the author sees what the file holds and who would see it.
        """
        path = await asyncio.to_thread(case_file_path, self._blueprint)
        if path is None:
            path = await self._first_place()
        number = None if path is None else await self._write(path, lambda text: with_case(text, case))
        return None if path is None or number is None else (number, path)

    async def change(self, case: Case, edit: Callable[[str], str]) -> Path | None:
        """Make `edit` in the file, and return it. None if that cannot be, or `case` is not in it any more."""

        def checked(text: str) -> str:
            same = (each for each in read_cases(text)[0].cases if each.number == case.number)
            if [(each.prompt, each.turns) for each in same] != [(case.prompt, case.turns)]:
                raise NotWritable("It has changed on disk since it was read. Try again.")
            return edit(text)

        path = await asyncio.to_thread(case_file_path, self._blueprint)
        if path is None:
            self._notify("Not saved: the case file is gone.", Severity.ERROR)
            return None
        return None if await self._write(path, checked) is None else path

    async def _write(self, path: Path, edit: Callable[[str], str]) -> int | None:
        """Edit the file at `path`; the number of its last case, None if it was not written."""
        async with self._order:
            try:
                number = await asyncio.to_thread(_write, path, self._blueprint.name, edit)
            except (NotWritable, UnicodeDecodeError) as error:
                reason = str(error) if isinstance(error, NotWritable) else "The file is not UTF-8 text."
                self._notify(f"Not saved: {path.name}: {reason}", Severity.ERROR)
                return None
            except OSError as error:
                self._notify(f"Not saved: {path} cannot be written: {error.strerror}.", Severity.ERROR)
                return None
        self.changed()
        return number

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
        chosen = await self._context.host.ask(Choose("The first case of this blueprint", text, choices))
        return None if chosen is None else usual if chosen == "usual" else other

    def _notify(self, message: str, severity: Severity = Severity.INFORMATION) -> None:
        self._context.host.notify(message, severity)


def _write(path: Path, blueprint: str, edit: Callable[[str], str]) -> int:
    """Edit the file at `path`, which may not exist yet; the number of its last case, 0 for none.

    Raises `NotWritable`, `UnicodeDecodeError`, `OSError`.
    """
    from engine.author_files import write_author_file

    text = read_regular(path, FILE_BYTES).decode("utf-8") if path.exists() else new_case_file(blueprint)
    after = edit(text)
    path.parent.mkdir(parents=True, exist_ok=True)
    if after != text:
        write_author_file(path, after.encode("utf-8"))
    return max((case.number for case in read_cases(after)[0].cases), default=0)
