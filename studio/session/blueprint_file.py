"""The open file and its state on disk: saving, the recovery journal, and questions before text could be lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.files.atomic import clear_temporaries
from engine.files.journal import Journal
from engine.files.open_files import (
    CannotOpen,
    CannotSave,
    ChangedOnDisk,
    OpenedFile,
    SharedByLinks,
    changed_on_disk,
    open_to_show,
    save,
)
from engine.files.own_files import report_state_unwritable
from engine.files.processes import ProcessIdentity
from engine.files.user_settings import place_in
from engine.text.record import Record, replace
from engine.text.spans import TextEdit, edits_between, visible
from engine.text.text_limits import ADVICE, Excess, sentence
from studio.session.changes import Change, ChangeStream
from studio.session.document import Document, Snapshot
from studio.session.file_questions import (
    changed_on_disk_question,
    endless_save_question,
    leave_question,
    not_loaded_question,
    not_saved_question,
    reload_question,
    replace_question,
    shared_by_links_question,
)
from studio.session.host import EnterText, Host, Severity
from studio.session.journal_thread import JournalThread, Unsaved
from studio.session.remembered_files import RememberedFiles, remember_place
from studio.session.unsaved_text import OpenElsewhere, Recovery, elsewhere
from studio.session.write_queue import WriteQueue

_PART = "Only a part of this file is open, so it cannot be saved."
SECONDS_FOR_A_SAVE = 5.0
"""How long leaving waits for a save before it asks."""
REST_SECONDS = 1.0
"""How long nothing is typed before the author is asked about a file that another program changed."""


class _TakenOver(Record):
    """Another studio has the file now."""


_WriteProblem = ChangedOnDisk | SharedByLinks | CannotSave | _TakenOver


class LoadedText(Record):
    """A text for the editor to show instead of its own. `number` identifies it.

    `file` is the file on disk that has this text; None if it is not saved. With `revision` it is for the text at that
    revision alone, which `edits` turn into it.
    """

    number: int
    text: str
    file: OpenedFile | None = None
    revision: int | None = None
    edits: Sequence[TextEdit] = ()


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
        self._shown = self.loaded.number
        self._told: ChangedOnDisk | None = None
        self._agreed: ChangedOnDisk | None = None
        self._looking = asyncio.Lock()
        self._given_up: int | None = None
        self._held_elsewhere: str | None = None
        self._taken: tuple[Path, str] | None = None
        self._journal = Journal()
        self._recovery = Recovery(self._journal, host)
        self._loop = asyncio.get_running_loop()
        self._writes = WriteQueue()
        self._remembered = RememberedFiles()
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
        """Whether the text is not on disk: it was changed here, or the file was by another program."""
        return self._is_edited or self._told is not None

    @property
    def _is_edited(self) -> bool:
        return self._document.snapshot.content != self._saved_content

    def shown(self, loaded: LoadedText) -> None:
        """The editor shows `loaded`, and the newest snapshot is of it: later changes are unsaved.

        Only now does its file count as opened: the text that was there until now is not based on it.
        """
        self._loaded_revision = self._document.snapshot.revision
        self._shown = loaded.number
        if loaded.file is not None:
            self._use(loaded.file)
            self._saved_content = self._document.snapshot.content
            self._told = self._agreed = None
        if loaded.revision is not None:
            name = visible(self.file.path.name)
            self._host.notify(f"Reloaded {name}: it changed on disk. Ctrl+Z undoes it.", seconds=3)
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
        return await (self._write(overwriting=self._agreed) if self.file.excess is None else self.save_as())

    async def save_as(self, suggested: Path | None = None) -> bool:
        """Ask for a name, and save and continue there; whether the text is on disk now."""
        if self.file.excess is not None:
            self._host.notify(_PART, Severity.WARNING, seconds=8)
            return False
        value = str(suggested or self.file.path)
        answer = await self._host.ask(
            EnterText("Save under another name", "The path of the file. It ends in .yml.", value)
        )
        if answer is None:
            return False
        path = Path(answer).expanduser().absolute()
        if path == self.file.path and not self.is_read_only:
            return await self.save()
        target = OpenedFile(path, self.file.text, self.file.bom)
        there = await asyncio.to_thread(changed_on_disk, target)
        if not await self._may_replace(target, is_there=there is not None):
            return False
        return await self._write(target, overwriting=there)

    async def _may_replace(self, target: OpenedFile, *, is_there: bool) -> bool:
        """Whether the author agrees to write to a path, if something is there or another studio has it open."""
        owners = await self._recovery.owners(target.path)
        if not is_there and not owners:
            return True
        question = replace_question(target, is_there=is_there, elsewhere=elsewhere(owners[0]) if owners else None)
        return await self._host.ask(question) == "overwrite"

    async def _write(
        self, target: OpenedFile | None = None, *, overwriting: ChangedOnDisk | None = None, separate: bool = False
    ) -> bool:
        """Write the text; whether it is on disk now. `target` is another file, which is open from then on."""
        file = target or self.file
        problem = await self._writes.write(self._write_now(target, overwriting, separate=separate))
        match problem:
            case None:
                return True
            case ChangedOnDisk():
                return await self._ask_about(problem, target, is_saving=True)
            case SharedByLinks():
                question = shared_by_links_question(file, problem)
                match await self._host.ask(question):
                    case "separate":
                        return await self._write(target, overwriting=overwriting, separate=True)
                    case "save_as":
                        return await self.save_as(file.path)
                    case _:
                        return False
            case CannotSave():
                return await self._not_saved(problem)
            case _TakenOver():
                return False

    async def _write_now(
        self, target: OpenedFile | None, overwriting: ChangedOnDisk | None, *, separate: bool
    ) -> _WriteProblem | None:
        """Write the newest text; what speaks against it, None if it is on disk now. Runs in turn with other writes."""
        if target is None and await asyncio.to_thread(self._thread.lets_go):
            return _TakenOver()
        snapshot, before = self._document.snapshot, self.file
        try:
            saved = await asyncio.to_thread(
                save, target or before, snapshot.text, overwriting=overwriting, separate=separate
            )
        except (ChangedOnDisk, SharedByLinks, CannotSave) as problem:
            return problem
        if target is not None:
            self._held_elsewhere = None
        self._use(saved)
        self._saved_content = snapshot.content
        self._told = self._agreed = None
        await self.write_journal()
        await self.remember()
        if target is not None:
            await asyncio.to_thread(self._journal.clear, before.path)
            await self._recovery.take(saved.path)
            await asyncio.to_thread(self._thread.own, is_owner=True)
        self._changes.publish(Change.FILE)
        self._host.notify(f"Saved {visible(saved.path.name)}.", seconds=2)
        return None

    async def _ask_about(self, change: ChangedOnDisk, target: OpenedFile | None = None, *, is_saving: bool) -> bool:
        """Ask what to do as another text is on disk; whether the author's is there now."""
        if target is None:
            self._tell(change)
        mine, is_other = self._document.snapshot.text, target is not None
        match await self._host.ask(changed_on_disk_question(change, mine, is_other=is_other, is_saving=is_saving)):
            case "overwrite":
                return await self._write(target, overwriting=change)
            case "reload":
                await self._load_again()
            case "save_as":
                return await self.save_as(change.path)
            case answer:
                self._agreed = change if answer == "keep" else None
        return False

    async def _not_saved(self, problem: CannotSave) -> bool:
        answer = await self._host.ask(not_saved_question(problem))
        return await self.save_as(problem.path) if answer == "save_as" else False

    # --- Loading

    async def look(self) -> None:
        """Take up what another program did to the file: load it if nothing is typed, else ask once typing rests.

        The author is told once of each text, and of a file that is gone or cannot be edited.
        """
        async with self._looking:
            rested: Snapshot | None = None
            while await self.saves_ended():  # else the save looks for itself
                file, snapshot = self.file, self._document.snapshot
                found = await asyncio.to_thread(changed_on_disk, file)
                if self.file is not file or self._document.snapshot is not snapshot or self._writes.is_busy:
                    continue
                if found is None or found.is_like(self._told) or (self.unsaved and self.is_read_only):
                    self._tell(found and self._told)
                elif found.theirs is None:
                    self._tell(found)
                    text = f"{visible(file.path.name)}: {found.title} Your text stays here, unsaved."
                    self._host.notify(text, Severity.WARNING, seconds=8)
                elif not self._is_edited:
                    await self._load(found.theirs.text, found.theirs, snapshot)
                elif rested is not snapshot:
                    await asyncio.sleep(REST_SECONDS)
                    rested = snapshot
                    continue
                else:
                    await self._ask_about(found, is_saving=False)
                return

    def _tell(self, change: ChangedOnDisk | None) -> None:
        """Remember what the author knows of the file; as long as it is another text, the author's is unsaved."""
        if change is not self._told:
            self._told, self._agreed = change, None
            self.edited()
            self._changes.publish(Change.FILE)

    async def reload(self) -> None:
        """Load the file from disk again, after asking if there are unsaved changes."""
        if self.unsaved and await self._host.ask(reload_question(self.file)) != "reload":
            return
        await self._load_again()

    async def _load_again(self) -> None:
        if self._held_elsewhere is not None:
            await self._own_again()
        try:
            file = await asyncio.to_thread(open_to_show, self.file.path)
        except CannotOpen as problem:
            if await self._host.ask(not_loaded_question(problem)) == "save_as":
                await self.save_as()
            return
        if self.unsaved and file.read_only is None:
            self._host.notify("Loaded from disk. Ctrl+Z brings your changes back.")
        elif self.unsaved:  # nothing can be undone then
            await self._put_down()
        self._use(replace(self.file, read_only=file.read_only))
        await self._load(file.text, file)

    async def _put_down(self) -> None:
        """Make the unsaved text a version, which is listed and not offered."""
        try:
            await self.write_journal()
            await asyncio.to_thread(self._journal.put_down)
        except OSError as error:
            report_state_unwritable(error)

    async def _own_again(self) -> None:
        """Own a file that was open elsewhere, unless it still is."""
        state = await self._recovery.claim(self.file.path)
        if state.owners:
            await self._hold_open_elsewhere(state.owners[0])
        else:
            self._held_elsewhere = self._taken = None
            await asyncio.to_thread(self._thread.own, is_owner=True)

    async def _load(self, text: str, file: OpenedFile | None, only: Snapshot | None = None) -> None:
        """Have the editor show `text`; with `only`, if its text is still that one."""
        edits = () if only is None else await asyncio.to_thread(edits_between, only.text, text)
        self.loaded = LoadedText(self.loaded.number + 1, text, file, None if only is None else only.revision, edits)
        self._changes.publish(Change.FILE)

    def _use(self, file: OpenedFile) -> None:
        """Let `file` be the open one; as long as it is held elsewhere, it stays read-only."""
        self.file = file if self._held_elsewhere is None else replace(file, read_only=self._held_elsewhere)
        self._document.path = file.path

    # --- Leaving

    async def saves_ended(self) -> bool:
        """Wait until no save is under way; False if one does not end."""
        return await self._writes.settled(SECONDS_FOR_A_SAVE)

    async def may_leave(self) -> bool:
        """Wait for a save under way, and ask what to do with changes that are unsaved then.

        Returns whether the file may be closed now.
        """
        while not await self.saves_ended():
            match await self._host.ask(endless_save_question(self.file)):
                case "wait":
                    continue
                case "leave":
                    return True
                case _:
                    return False
        if not self.unsaved:
            return True
        match await self._host.ask(leave_question(self.file)):
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
        if self.unsaved:
            await self._put_down()
        try:
            self._thread.put(Unsaved(self.file.path, version.text, version.base_digest))
            if await asyncio.to_thread(self._thread.flush):
                await asyncio.to_thread(self._journal.only_list, version)
        except OSError as error:
            report_state_unwritable(error)
        await self._load(version.text, None)
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
        if self.file.digest is not None:
            await self._remembered.add(self.file.path)

    def edited(self) -> None:
        """Pass the newest text to the journal, which writes it soon."""
        if self._shown != self.loaded.number and self.loaded.file is None:
            return  # the journal has the text that is about to be shown
        snapshot, file = self._document.snapshot, self.file
        is_recoverable = self.unsaved and snapshot.revision != self._given_up
        self._thread.put(Unsaved(file.path, snapshot.text if is_recoverable else None, file.digest))

    def journal_soon(self) -> None:
        """Write the journal now, without waiting for it."""
        self._thread.wake()

    async def write_journal(self) -> None:
        """Save the text in the journal if it is unsaved; clear the journal if not."""
        self.edited()
        await asyncio.to_thread(self._thread.flush)
        await self._remember_cursor()

    def close(self) -> None:
        """Write the journal for the last time, after a save under way; `closed` waits for that."""
        if not self._writes.is_busy:
            self._thread.stop()

    async def closed(self) -> None:
        """Wait after `close` until the journal is written."""
        await self.saves_ended()
        self._thread.stop()
        await asyncio.to_thread(self._thread.join)
        await self._remembered.add_missing()
        await self._remember_cursor()

    async def _remember_cursor(self) -> None:
        """Save where the cursor is, if the file is on disk."""
        if self.file.digest is not None:
            text, cursor = self._document.snapshot.text, self._document.cursor
            place = await asyncio.to_thread(place_in, text, cursor)
            await remember_place(self.file.path, place)
