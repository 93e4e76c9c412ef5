"""Keeping what is typed: saving, the recovery journal, and what is asked before text could be lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from engine.text import visible
from engine.workspace import CannotOpen, CannotSave, ChangedOnDisk, Journal, OpenedFile, open_file, remember_file, save

if TYPE_CHECKING:
    from studio.tui.editor import BlueprintEditor

JOURNAL_SECONDS = 1.0
"""How often the journal looks for new text; a write takes far less than the second that is left of two."""


class Keeping:
    """The open file and its state on disk. Its coroutines ask dialogs, so they run in workers."""

    def __init__(
        self, screen: Screen[None], file: OpenedFile, editor: BlueprintEditor, changed: Callable[[], None]
    ) -> None:
        """`changed` is called when the file, or whether it is saved, became another."""
        self.file = file
        self._screen = screen
        self._editor = editor
        self._changed = changed
        self._saved_wording = editor.wording
        self._journalled_revision = editor.revision
        self._journal = Journal()

    @property
    def unsaved(self) -> bool:
        """Whether the text differs from what was opened or last saved."""
        return self._editor.wording != self._saved_wording

    def loaded(self) -> None:
        """The editor was loaded with the file's own text: from here on changes count."""
        self._saved_wording, self._journalled_revision = self._editor.wording, self._editor.revision

    async def save(self) -> bool:
        """Save; ask where the file changed on disk. Whether the text is on disk now."""
        if self.file.read_only is not None:
            return await self._instead(CannotSave(self.file.path, "This file is open read-only.", self.file.read_only))
        return await self._write(overwrite=False)

    async def _write(self, *, overwrite: bool) -> bool:
        revision, wording, text = self._editor.revision, self._editor.wording, self._editor.text_out()
        try:
            self.file = await asyncio.to_thread(save, self.file, text, overwrite=overwrite)
        except ChangedOnDisk as change:
            return await self._changed_on_disk(change)
        except CannotSave as problem:
            return await self._instead(problem)
        self._saved_wording, self._journalled_revision = wording, revision
        await asyncio.to_thread(self._journal.clear, self.file.path)
        await self.remember()
        self._changed()
        self._screen.notify(f"Saved {visible(self.file.path.name)}.", timeout=2, markup=False)
        return True

    async def _changed_on_disk(self, change: ChangedOnDisk) -> bool:
        from studio.tui.dialogs.ask import Ask, Choice

        choices = [Choice("overwrite", "Save anyway", "What is on disk is replaced by your text.")]
        if not change.gone:
            choices.append(Choice("reload", "Load what is on disk", "Your unsaved changes are given up."))
        choices += [
            Choice("save_as", "Save under another name", "Both texts are kept."),
            Choice("stay", "Do nothing yet", "Your text stays here, unsaved."),
        ]
        match await self._screen.app.push_screen_wait(Ask(self.file.path.name, change.title, choices)):
            case "overwrite":
                return await self._write(overwrite=True)
            case "reload":
                await self._load_again()
                return False
            case "save_as":
                return await self.save_as()
            case _:
                return False

    async def _instead(self, problem: CannotSave) -> bool:
        from studio.tui.dialogs.ask import Ask, Choice

        choices = [Choice("save_as", "Save under another name"), Choice("stay", "Do nothing yet")]
        said = f"{problem.title} {problem.advice}".strip()
        answer = await self._screen.app.push_screen_wait(Ask(f"Not saved: {self.file.path.name}", said, choices))
        return await self.save_as() if answer == "save_as" else False

    async def save_as(self) -> bool:
        """Ask for a name, save there and go on with that file. Whether the text is on disk now."""
        from studio.tui.dialogs.ask import Ask, AskText, Choice

        answer = await self._screen.app.push_screen_wait(
            AskText("Save under another name", "The path of the file. It ends in .yml.", str(self.file.path))
        )
        if answer is None:
            return False
        path = Path(answer).expanduser().absolute()
        if path.exists() and path != self.file.path:
            choices = [Choice("overwrite", "Replace it"), Choice("stay", "Do nothing yet")]
            if (
                await self._screen.app.push_screen_wait(
                    Ask(path.name, "A file of this name is there already.", choices)
                )
                != "overwrite"
            ):
                return False
        before = self.file
        self.file = OpenedFile(path, before.text, before.bom)
        if await self._write(overwrite=True):
            await asyncio.to_thread(self._journal.clear, before.path)
            return True
        self.file = before
        return False

    async def reload(self) -> None:
        """Load the file from disk again, after asking where that gives up changes."""
        from studio.tui.dialogs.ask import Ask, Choice

        if self.unsaved:
            choices = [
                Choice("reload", "Load what is on disk", "Your unsaved changes are given up."),
                Choice("stay", "Do nothing yet"),
            ]
            said = "This text has changes that are not saved."
            if await self._screen.app.push_screen_wait(Ask(self.file.path.name, said, choices)) != "reload":
                return
        await self._load_again()

    async def _load_again(self) -> None:
        try:
            self.file = await asyncio.to_thread(open_file, self.file.path)
        except CannotOpen as problem:
            self._screen.notify(f"{problem.title} {problem.advice}", severity="error", markup=False)
            return
        self._editor.load(self.file.text)
        self.loaded()
        await asyncio.to_thread(self._journal.clear, self.file.path)
        self._changed()

    async def may_leave(self) -> bool:
        """Ask what becomes of unsaved changes. Whether the screen may be left now."""
        from studio.tui.dialogs.ask import Ask, Choice

        if not self.unsaved:
            return True
        choices = [
            Choice("save", "Save and leave"),
            Choice("discard", "Leave without saving", "The changes are given up."),
            Choice("stay", "Stay here"),
        ]
        said = "This text has changes that are not saved."
        match await self._screen.app.push_screen_wait(Ask(self.file.path.name, said, choices)):
            case "save":
                return await self.save()
            case "discard":
                await asyncio.to_thread(self._journal.clear, self.file.path)
                self._journalled_revision = self._editor.revision
                return True
            case _:
                return False

    async def offer_recovery(self) -> None:
        """Where an earlier session left unsaved text, ask whether to take it up again."""
        from studio.tui.dialogs.ask import Ask, Choice

        found = await asyncio.to_thread(self._journal.pending, self.file.path)
        if found is None or found.text == self.file.text or self.file.read_only is not None:
            return
        when = found.written.astimezone().strftime("%d %B, %H:%M")
        said = f"The studio was left on {when} with changes to this file that were not saved."
        if found.base_digest != self.file.digest:
            said += " The file itself was changed since then: taking them up puts the older text over the newer one."
        choices = [
            Choice("take", "Take them up", "The text comes back; nothing is saved until you do."),
            Choice("drop", "Give them up", "The file stays as it is on disk."),
            Choice("later", "Decide later", "You are asked again next time, unless you type."),
        ]
        match await self._screen.app.push_screen_wait(Ask(self.file.path.name, said, choices)):
            case "take":
                self._saved_wording = -1
                self._editor.load(found.text)
                self._changed()
            case "drop":
                await asyncio.to_thread(self._journal.clear, self.file.path)
            case _:
                pass

    async def remember(self) -> None:
        """Put the file among the recent ones, once it is on disk."""
        if self.file.digest is None:
            return
        try:
            await asyncio.to_thread(remember_file, self.file.path)
        except OSError as error:
            message = f"The list of recent files cannot be kept: {error.strerror or error}."
            self._screen.notify(message, severity="warning", markup=False)

    async def write_journal(self) -> None:
        """Keep what was typed since the last time, and nothing where it was undone."""
        revision = self._editor.revision
        if revision == self._journalled_revision:
            return
        self._journalled_revision = revision
        try:
            if self.unsaved:
                await asyncio.to_thread(self._journal.write, self.file.path, self._editor.text_out(), self.file.digest)
            else:
                await asyncio.to_thread(self._journal.clear, self.file.path)
        except OSError as error:
            self._screen.notify(
                f"Unsaved text cannot be kept for recovery: {error.strerror or error}.",
                severity="warning",
                markup=False,
            )
