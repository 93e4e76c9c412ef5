"""The open file and its state on disk: saving, the recovery journal, and questions before text could be lost."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from engine.atomic import clear_temporaries
from engine.text import visible
from engine.workspace import (
    CannotOpen,
    CannotSave,
    ChangedOnDisk,
    Journal,
    OpenedFile,
    SharedByLinks,
    open_file,
    remember_file,
    save,
)
from studio.session.changes import Change, ChangeStream
from studio.session.document import Document
from studio.session.host import Choice, Choose, EnterText, Host, Severity

JOURNAL_SECONDS = 1.0
"""The interval of the journal. A write takes far less than another second, so it is at most two seconds behind."""

_STAY = Choice("stay", "Do nothing yet")


@dataclass(frozen=True, slots=True)
class LoadedText:
    """A text for the editor to show instead of its own. `number` identifies it.

    `is_saved`: it is the text on disk.
    """

    number: int
    text: str
    is_saved: bool = True


class BlueprintFile:
    """The file of a document. Its coroutines ask the author before text could be lost."""

    def __init__(self, file: OpenedFile, document: Document, host: Host, changes: ChangeStream) -> None:
        self.file = file
        self.loaded = LoadedText(0, file.text)
        self._document = document
        self._host = host
        self._changes = changes
        self._saved_content: int | None = document.snapshot.content
        self._journalled = document.snapshot.revision
        self._journal = Journal()

    @property
    def is_read_only(self) -> bool:
        """Whether the text cannot be saved to its file, and must not be changed."""
        return self.file.read_only is not None

    @property
    def unsaved(self) -> bool:
        """Whether the text differs from what was opened or last saved."""
        return self._document.snapshot.content != self._saved_content

    def shown(self, loaded: LoadedText) -> None:
        """The editor shows `loaded`, and the newest snapshot is of it: later changes are unsaved."""
        if loaded.is_saved:
            self._saved_content = self._document.snapshot.content
            self._journalled = self._document.snapshot.revision
        self._changes.publish(Change.FILE)

    # --- Saving

    async def save(self) -> bool:
        """Save, after asking if the file changed on disk; whether the text is on disk now."""
        if self.file.read_only is not None:
            return await self._not_saved(
                CannotSave(self.file.path, "This file is open read-only.", self.file.read_only)
            )
        return await self._write(overwrite=False)

    async def save_as(self) -> bool:
        """Ask for a name, and save and continue there; whether the text is on disk now."""
        answer = await self._host.ask(
            EnterText("Save under another name", "The path of the file. It ends in .yml.", str(self.file.path))
        )
        if answer is None:
            return False
        path = Path(answer).expanduser().absolute()
        if path != self.file.path and await asyncio.to_thread(path.exists):
            question = Choose(
                path.name, "A file of this name is there already.", [Choice("overwrite", "Replace it"), _STAY]
            )
            if await self._host.ask(question) != "overwrite":
                return False
        before = self.file
        self._use(OpenedFile(path, before.text, before.bom))
        if await self._write(overwrite=True):
            await asyncio.to_thread(self._journal.clear, before.path)
            return True
        self._use(before)
        return False

    async def _write(self, *, overwrite: bool, separate: bool = False) -> bool:
        snapshot = self._document.snapshot
        try:
            saved = await asyncio.to_thread(save, self.file, snapshot.text, overwrite=overwrite, separate=separate)
            self._use(saved)
        except ChangedOnDisk as change:
            return await self._changed_on_disk(change)
        except SharedByLinks as shared:
            return await self._shared_by_links(shared, overwrite=overwrite)
        except CannotSave as problem:
            return await self._not_saved(problem)
        self._saved_content, self._journalled = snapshot.content, snapshot.revision
        await asyncio.to_thread(self._journal.clear, self.file.path)
        await self.remember()
        self._changes.publish(Change.FILE)
        self._host.notify(f"Saved {visible(self.file.path.name)}.", seconds=2)
        return True

    async def _changed_on_disk(self, change: ChangedOnDisk) -> bool:
        choices = [Choice("overwrite", "Save anyway", "What is on disk is replaced by your text.")]
        if not change.gone:
            choices.append(Choice("reload", "Load what is on disk", "Your unsaved changes are given up."))
        choices += [
            Choice("save_as", "Save under another name", "Both texts stay."),
            Choice("stay", "Do nothing yet", "Your text stays here, unsaved."),
        ]
        match await self._host.ask(Choose(self.file.path.name, change.title, choices)):
            case "overwrite":
                return await self._write(overwrite=True)
            case "reload":
                await self._load_again()
                return False
            case "save_as":
                return await self.save_as()
            case _:
                return False

    async def _shared_by_links(self, shared: SharedByLinks, *, overwrite: bool) -> bool:
        choices = [
            Choice("separate", "Save anyway", "The other names keep the text that is on disk."),
            Choice("save_as", "Save under another name", "All names keep the text that is on disk."),
            _STAY,
        ]
        match await self._host.ask(Choose(self.file.path.name, shared.title, choices)):
            case "separate":
                return await self._write(overwrite=overwrite, separate=True)
            case "save_as":
                return await self.save_as()
            case _:
                return False

    async def _not_saved(self, problem: CannotSave) -> bool:
        choices = [Choice("save_as", "Save under another name"), _STAY]
        text = f"{problem.title} {problem.advice}".strip()
        answer = await self._host.ask(Choose(f"Not saved: {self.file.path.name}", text, choices))
        return await self.save_as() if answer == "save_as" else False

    # --- Loading

    async def reload(self) -> None:
        """Load the file from disk again, after asking if there are unsaved changes."""
        if self.unsaved:
            choices = [Choice("reload", "Load what is on disk", "Your unsaved changes are given up."), _STAY]
            question = Choose(self.file.path.name, "This text has changes that are not saved.", choices)
            if await self._host.ask(question) != "reload":
                return
        await self._load_again()

    async def _load_again(self) -> None:
        try:
            self._use(await asyncio.to_thread(open_file, self.file.path))
        except CannotOpen as problem:
            choices = [Choice("save_as", "Save your text under another name"), _STAY]
            question = Choose(f"Not loaded: {self.file.path.name}", problem.title, choices)
            if await self._host.ask(question) == "save_as":
                await self.save_as()
            return
        await asyncio.to_thread(self._journal.clear, self.file.path)
        self._load(self.file.text, is_saved=True)

    def _load(self, text: str, *, is_saved: bool) -> None:
        self.loaded = LoadedText(self.loaded.number + 1, text, is_saved)
        self._changes.publish(Change.FILE)

    def _use(self, file: OpenedFile) -> None:
        self.file = file
        self._document.path = file.path

    # --- Leaving

    async def may_leave(self) -> bool:
        """Ask what to do with unsaved changes; whether the file may be closed now."""
        if not self.unsaved:
            return True
        choices = [
            Choice("save", "Save and leave"),
            Choice("discard", "Leave without saving", "The changes are given up."),
            Choice("stay", "Stay here"),
        ]
        question = Choose(self.file.path.name, "This text has changes that are not saved.", choices)
        match await self._host.ask(question):
            case "save":
                return await self.save()
            case "discard":
                await asyncio.to_thread(self._journal.clear, self.file.path)
                self._journalled = self._document.snapshot.revision
                return True
            case _:
                return False

    # --- The journal

    async def offer_recovery(self) -> None:
        """If an earlier session left unsaved text, ask whether to recover it."""
        found = await asyncio.to_thread(self._journal.pending, self.file.path)
        if found is None or found.text == self.file.text or self.is_read_only:
            return
        when = found.written.astimezone().strftime("%d %B, %H:%M")
        text = f"The studio was left on {when} with changes to this file that were not saved."
        if found.base_digest != self.file.digest:
            text += " The file itself was changed since then: taking them up puts the older text over the newer one."
        choices = [
            Choice("take", "Take them up", "The text comes back; nothing is saved until you do."),
            Choice("drop", "Give them up", "The file stays as it is on disk."),
            Choice("later", "Decide later", "You are asked again next time, unless you type."),
        ]
        match await self._host.ask(Choose(self.file.path.name, text, choices)):
            case "take":
                self._saved_content = None
                self._load(found.text, is_saved=False)
            case "drop":
                await asyncio.to_thread(self._journal.clear, self.file.path)
            case _:
                pass

    async def clear_temporaries(self) -> None:
        """Remove the temporary files that a killed studio left beside the file."""
        await asyncio.to_thread(clear_temporaries, self.file.path.parent)

    async def remember(self) -> None:
        """Add the file to the recent ones, once it is on disk."""
        if self.file.digest is None:
            return
        try:
            await asyncio.to_thread(remember_file, self.file.path)
        except OSError as error:
            message = f"The list of recent files cannot be saved: {error.strerror or error}."
            self._host.notify(message, Severity.WARNING)

    async def run_journal(self) -> None:
        """Write the journal regularly, until cancelled."""
        while True:
            await asyncio.sleep(JOURNAL_SECONDS)
            await self.write_journal()

    async def write_journal(self) -> None:
        """Save the text in the journal if it changed since the last time; clear the journal if nothing is unsaved."""
        snapshot = self._document.snapshot
        if snapshot.revision == self._journalled:
            return
        self._journalled = snapshot.revision
        try:
            if self.unsaved:
                await asyncio.to_thread(self._journal.write, self.file.path, snapshot.text, self.file.digest)
            else:
                await asyncio.to_thread(self._journal.clear, self.file.path)
        except OSError as error:
            message = f"Unsaved text cannot be saved for recovery: {error.strerror or error}."
            self._host.notify(message, Severity.WARNING)
