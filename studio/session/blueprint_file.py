"""The open file and its state on disk: saving, the recovery journal, and questions before text could be lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from engine.atomic import clear_temporaries
from engine.own_files import report_state_unwritable
from engine.text import visible
from engine.text_limits import ADVICE, Excess, sentence
from engine.workspace import (
    CannotOpen,
    CannotSave,
    ChangedOnDisk,
    Journal,
    OpenedFile,
    SharedByLinks,
    open_to_show,
    remember_file,
    save,
)
from engine.workspace.files import changed_on_disk
from engine.workspace.process_identity import ProcessIdentity
from studio.session.changes import Change, ChangeStream
from studio.session.document import Document
from studio.session.host import Choice, Choose, EnterText, Host, Severity
from studio.session.journal_thread import JournalThread, Unsaved
from studio.session.unsaved_text import OpenElsewhere, Recovery, elsewhere

_PART = "Only a part of this file is open, so it cannot be saved."
_STAY = Choice("stay", "Do nothing yet")


@dataclass(frozen=True, slots=True)
class LoadedText:
    """A text for the editor to show instead of its own. `number` identifies it.

    `file` is the file on disk that has this text; None if it is not saved.
    """

    number: int
    text: str
    file: OpenedFile | None = None


class BlueprintFile:
    """The file of a document. Its coroutines ask the author before text could be lost."""

    def __init__(self, file: OpenedFile, document: Document, host: Host, changes: ChangeStream) -> None:
        self.file = file
        self.loaded = LoadedText(0, file.text, file)
        self._document = document
        self._host = host
        self._changes = changes
        self._loaded_revision = document.snapshot.revision
        self._saved_content: int | None = document.snapshot.content
        self._given_up: int | None = None
        self._held_elsewhere: str | None = None
        self._taken: tuple[Path, str] | None = None
        self._journal = Journal()
        self._recovery = Recovery(self._journal, host)
        self._loop = asyncio.get_running_loop()
        self._thread = JournalThread(
            self._journal,
            Unsaved(file.path, None, None),
            taken_over=lambda path, owner: self._on_loop(lambda: self._taken_over(path, owner)),
        )

    @property
    def is_read_only(self) -> bool:
        """Whether the text cannot be saved to its file, and must not be changed."""
        return self.file.read_only is not None

    @property
    def unsaved(self) -> bool:
        """Whether the text differs from what was opened or last saved."""
        return self._document.snapshot.content != self._saved_content

    def shown(self, loaded: LoadedText) -> None:
        """The editor shows `loaded`, and the newest snapshot is of it: later changes are unsaved.

        Only now does its file count as opened: the text that was there until now is not based on it.
        """
        self._loaded_revision = self._document.snapshot.revision
        if loaded.file is not None:
            self._use(loaded.file)
            self._saved_content = self._document.snapshot.content
        self.edited()
        self._changes.publish(Change.FILE)

    def refused(self, beyond: Excess, revision: int) -> None:
        """Show the text read-only if it is too large to be read, and still as it was loaded at `revision`."""
        if revision == self._loaded_revision == self._document.snapshot.revision and not self.is_read_only:
            self._use(replace(self.file, read_only=f"{sentence(beyond)} It is shown read-only. {ADVICE}"))
            self._changes.publish(Change.FILE)

    # --- Saving

    async def save(self) -> bool:
        """Save, after asking if the file changed on disk; whether the text is on disk now."""
        if self.file.read_only is not None and self.file.excess is None:
            return await self._not_saved(
                CannotSave(self.file.path, "This file is open read-only.", self.file.read_only)
            )
        return await (self._write() if self.file.excess is None else self.save_as())

    async def save_as(self) -> bool:
        """Ask for a name, and save and continue there; whether the text is on disk now."""
        if self.file.excess is not None:
            self._host.notify(_PART, Severity.WARNING, seconds=8)
            return False
        answer = await self._host.ask(
            EnterText("Save under another name", "The path of the file. It ends in .yml.", str(self.file.path))
        )
        if answer is None:
            return False
        path = Path(answer).expanduser().absolute()
        if path == self.file.path and not self.is_read_only:
            return await self.save()
        before, held = self.file, self._held_elsewhere
        target = OpenedFile(path, before.text, before.bom)
        there = await asyncio.to_thread(_found_at, target)
        if not await self._may_replace(path, is_there=there is not None):
            return False
        self._held_elsewhere = None
        self._use(target)
        if await self._write(overwriting=there, is_renamed=True):
            await asyncio.to_thread(self._journal.clear, before.path)
            await self._recovery.take(self.file.path)
            await asyncio.to_thread(self._thread.own, is_owner=True)
            return True
        self._held_elsewhere = held
        self._use(before)
        self._hold_if_taken()
        return False

    async def _may_replace(self, path: Path, *, is_there: bool) -> bool:
        """Whether the author agrees to write to `path`, if something is there or another studio has it open."""
        owners = await self._recovery.owners(path)
        if not is_there and not owners:
            return True
        text = "A file of this name is there already." if is_there else ""
        if owners:
            text = f"{text} It is {elsewhere(owners[0])}, which becomes read-only.".lstrip()
        question = Choose(path.name, text, [Choice("overwrite", "Replace it"), _STAY])
        return await self._host.ask(question) == "overwrite"

    async def _write(
        self, *, overwriting: ChangedOnDisk | None = None, separate: bool = False, is_renamed: bool = False
    ) -> bool:
        """Write the text; whether it is on disk now. `is_renamed`: to another file than the one that is open."""
        snapshot, file = self._document.snapshot, self.file
        if not is_renamed and await asyncio.to_thread(self._thread.lets_go):
            return False
        try:
            saved = await asyncio.to_thread(save, file, snapshot.text, overwriting=overwriting, separate=separate)
        except ChangedOnDisk as change:
            return await self._changed_on_disk(change, is_renamed=is_renamed)
        except SharedByLinks as shared:
            return await self._shared_by_links(shared, overwriting=overwriting, is_renamed=is_renamed)
        except CannotSave as problem:
            return await self._not_saved(problem)
        self._use(saved)
        self._saved_content = snapshot.content
        await self.write_journal()
        await self.remember()
        self._changes.publish(Change.FILE)
        self._host.notify(f"Saved {visible(self.file.path.name)}.", seconds=2)
        return True

    async def _changed_on_disk(self, change: ChangedOnDisk, *, is_renamed: bool) -> bool:
        choices = [Choice("overwrite", "Save anyway", "What is on disk is replaced by your text.")]
        if not change.gone and not is_renamed:
            choices.append(Choice("reload", "Load what is on disk", "Your unsaved changes are given up."))
        choices += [
            Choice("save_as", "Save under another name", "Both texts stay."),
            Choice("stay", "Do nothing yet", "Your text stays here, unsaved."),
        ]
        match await self._host.ask(Choose(self.file.path.name, change.title, choices)):
            case "overwrite":
                return await self._write(overwriting=change, is_renamed=is_renamed)
            case "reload":
                await self._load_again()
                return False
            case "save_as":
                return await self.save_as()
            case _:
                return False

    async def _shared_by_links(
        self, shared: SharedByLinks, *, overwriting: ChangedOnDisk | None, is_renamed: bool
    ) -> bool:
        choices = [
            Choice("separate", "Save anyway", "The other names keep the text that is on disk."),
            Choice("save_as", "Save under another name", "All names keep the text that is on disk."),
            _STAY,
        ]
        match await self._host.ask(Choose(self.file.path.name, shared.title, choices)):
            case "separate":
                return await self._write(overwriting=overwriting, separate=True, is_renamed=is_renamed)
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
        if self._held_elsewhere is not None:
            await self._own_again()
        try:
            file = await asyncio.to_thread(open_to_show, self.file.path)
        except CannotOpen as problem:
            choices = [Choice("save_as", "Save your text under another name"), _STAY]
            question = Choose(f"Not loaded: {self.file.path.name}", problem.title, choices)
            if await self._host.ask(question) == "save_as":
                await self.save_as()
            return
        self._use(replace(self.file, read_only=file.read_only))
        self._load(file.text, file)

    async def _own_again(self) -> None:
        """Own a file that was open elsewhere, unless it still is."""
        state = await self._recovery.claim(self.file.path)
        if state.owners:
            await self._hold_open_elsewhere(state.owners[0])
        else:
            self._held_elsewhere = self._taken = None
            await asyncio.to_thread(self._thread.own, is_owner=True)

    def _load(self, text: str, file: OpenedFile | None) -> None:
        self.loaded = LoadedText(self.loaded.number + 1, text, file)
        self._changes.publish(Change.FILE)

    def _use(self, file: OpenedFile) -> None:
        """Let `file` be the open one; as long as it is held elsewhere, it stays read-only."""
        self.file = file if self._held_elsewhere is None else replace(file, read_only=self._held_elsewhere)
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
                self._given_up = self._document.snapshot.revision
                await self.write_journal()
                return True
            case _:
                return False

    # --- The journal

    async def begin(self) -> None:
        """Start the journal, and ask what to do if the file is open elsewhere or unsaved text of it was left."""
        if self.is_read_only:
            return
        self._thread.start()
        opening = await self._recovery.open(self.file)
        match opening.answer:
            case OpenElsewhere.READ_ONLY:
                await self._hold_open_elsewhere(opening.state.owners[0])
                return
            case OpenElsewhere.COPY:
                await self._continue_as_copy()
                return
            case OpenElsewhere.TAKE_OVER | None:
                pass
        await self._offer(is_listed=False)

    async def recover(self) -> None:
        """Offer all texts of this file that the journal has."""
        if self.is_read_only:
            self._host.notify("This file is open read-only.", seconds=3)
        elif not await self._offer(is_listed=True):
            self._host.notify("There is no earlier text of this file that differs from this one.", seconds=3)

    async def _offer(self, *, is_listed: bool) -> bool:
        """Offer what was left, with what is only listed if `is_listed`; whether there was anything."""
        try:
            state = await asyncio.to_thread(self._journal.state, self.file.path)
        except OSError:  # reported when the journal was claimed
            return False
        present = self._document.snapshot.text
        left = [each for each in state.left if (is_listed or not each.is_listed) and each.text != present]
        version = await self._recovery.choose(self.file.path.name, left, present, self.file.digest)
        if version is None:
            return bool(left)
        try:
            if self.unsaved:
                await self.write_journal()
                await asyncio.to_thread(self._journal.put_down)
            self._thread.put(Unsaved(self.file.path, version.text, version.base_digest))
            if await asyncio.to_thread(self._thread.flush):
                await asyncio.to_thread(self._journal.only_list, version)
        except OSError as error:
            report_state_unwritable(error)
        self._saved_content = None
        self._load(version.text, None)
        return True

    async def _continue_as_copy(self) -> None:
        path = await self._recovery.copy(self.file.path)
        self._use(OpenedFile(path, self.file.text, self.file.bom))
        self.edited()
        self._host.notify(f"This is a copy. Saving writes it to {visible(path.name)}.")
        self._changes.publish(Change.FILE)

    def _taken_over(self, path: Path, owner: ProcessIdentity) -> None:
        reason = f"Another studio, pid {owner.pid}, has taken this file over. It is shown read-only."
        self._taken = path, reason
        self._hold_if_taken()

    def _hold_if_taken(self) -> None:
        """Be read-only if the open file was taken over."""
        if self._taken is not None and self._taken[0] == self.file.path:
            self._hold(self._taken[1])
            if self.unsaved:
                self._host.notify("Your unsaved text is offered there as a version.", Severity.WARNING, seconds=8)

    async def _hold_open_elsewhere(self, owner: ProcessIdentity) -> None:
        await asyncio.to_thread(self._thread.own, is_owner=False)
        advice = "Reload it (Ctrl+P) once it is closed there."
        self._hold(f"This file is {elsewhere(owner)}. It is shown read-only. {advice}")

    def _hold(self, reason: str) -> None:
        self._held_elsewhere = reason
        self._use(self.file)
        self._changes.publish(Change.FILE)

    def _on_loop(self, act: Callable[[], None]) -> None:
        """Call `act` on the event loop; for the journal's thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(act)

    async def clear_temporaries(self) -> None:
        """Remove the temporary files that a killed studio left beside the file."""
        await asyncio.to_thread(lambda: clear_temporaries(self.file.path.resolve().parent))

    async def remember(self) -> None:
        """Add the file to the recent ones, once it is on disk."""
        if self.file.digest is None:
            return
        try:
            await asyncio.to_thread(remember_file, self.file.path)
        except OSError as error:
            report_state_unwritable(error)

    def edited(self) -> None:
        """Pass the newest text to the journal, which writes it soon."""
        snapshot, file = self._document.snapshot, self.file
        is_kept = self.unsaved and snapshot.revision != self._given_up
        self._thread.put(Unsaved(file.path, snapshot.text if is_kept else None, file.digest))

    def journal_soon(self) -> None:
        """Write the journal now, without waiting for it."""
        self._thread.wake()

    async def write_journal(self) -> None:
        """Save the text in the journal if it is unsaved; clear the journal if not."""
        self.edited()
        await asyncio.to_thread(self._thread.flush)

    def close(self) -> None:
        """Write the journal for the last time; `closed` waits for that."""
        self._thread.stop()

    async def closed(self) -> None:
        """Wait after `close` until the journal is written."""
        await asyncio.to_thread(self._thread.join)


def _found_at(target: OpenedFile) -> ChangedOnDisk | None:
    """What is on disk at the path of a file that is not there yet; None for nothing, or if saving will tell more."""
    try:
        return changed_on_disk(target)
    except OSError:
        return None
