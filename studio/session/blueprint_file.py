"""The open file and its state on disk: saving, the recovery journal, and questions before text could be lost."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

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
from engine.files.processes import ProcessIdentity
from engine.files.user_settings import place_in, remember_cursor, remember_file
from engine.text.record import Record, replace
from engine.text.spans import edits_between, visible
from engine.text.text_limits import ADVICE, Excess, sentence
from studio.session import unsaved_text
from studio.session.host import EnterText, Severity, choose
from studio.session.state import LoadedText, Part, Snapshot
from studio.session.unsaved_text import JournalThread, Recovery, Unsaved, WriteQueue, tried

if TYPE_CHECKING:
    from studio.session.session import Session

_PART = "Only a part of this file is open, so it cannot be saved."
SECONDS_FOR_A_SAVE = 5.0
"""How long leaving waits for a save before it asks."""
REST_SECONDS = 1.0
"""How long nothing is typed before the author is asked about a file that another program changed."""


class _TakenOver(Record):
    """Another studio has the file now."""


_WriteProblem = ChangedOnDisk | SharedByLinks | CannotSave | _TakenOver


class BlueprintFile(Part):
    """The file of a session. Its coroutines ask the author before text could be lost."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._looking = asyncio.Lock()
        self._journal = Journal()
        self._recovery = Recovery(self._journal, session.host)
        self._writes = WriteQueue()
        self._unlisted: tuple[Path, ...] = ()
        self._thread = JournalThread(
            self._journal,
            Unsaved(self.state.path, None, None),
            taken_over=lambda path, owner: session.on_loop(self._taken_over, path, owner),
        )

    def _set(self, **fields: object) -> None:
        """Set fields of the state of the file."""
        self.session.do(lambda state: replace(state, file=replace(state.file, **fields)))

    def shown(self, loaded: LoadedText) -> None:
        """The editor shows `loaded`, and the newest snapshot is of it: later changes are unsaved.

        Only now does its file count as opened: the text that was there until now is not based on it.
        """
        self._set(loaded_revision=self.state.text.revision)
        if loaded.file is not None:
            self._set(opened=loaded.file, told=None, agreed=None)
        if loaded.revision is not None:
            name = visible(self.state.path.name)
            self.host.notify(f"Reloaded {name}: it changed on disk. Ctrl+Z undoes it.", seconds=3)

    def refused(self, beyond: Excess, revision: int) -> None:
        """Show the text read-only if it is too large to be read, and still as it was loaded at `revision`."""
        if revision == self.state.file.loaded_revision == self.state.text.revision and not self.state.is_read_only:
            reason = f"{sentence(beyond)} It is shown read-only. {ADVICE}"
            self._set(opened=replace(self.state.file.opened, read_only=reason))

    # --- Saving

    async def save(self) -> bool:
        """Save, after asking if the file changed on disk; whether the text is on disk now."""
        opened = self.state.file.opened
        if opened.excess is not None:
            return await self.save_as()
        if (reason := self.state.file.read_only) is not None:
            return await self._not_saved(CannotSave(opened.path, "This file is open read-only.", reason))
        return await self._write(overwriting=self.state.file.agreed)

    async def save_as(self, suggested: Path | None = None) -> bool:
        """Ask for a name, and save and continue there; whether the text is on disk now."""
        if self.state.file.opened.excess is not None:
            self.host.notify(_PART, Severity.WARNING, seconds=8)
            return False
        value = str(suggested or self.state.path)
        answer = await self.host.ask(
            EnterText("Save under another name", "The path of the file. It ends in .yml.", value)
        )
        if answer is None:
            return False
        path = Path(answer).expanduser().absolute()
        if path == self.state.path and not self.state.is_read_only:
            return await self.save()
        target = OpenedFile(path, self.state.file.opened.text, self.state.file.opened.bom)
        there = await asyncio.to_thread(changed_on_disk, target)
        if not await self._may_replace(target, is_there=there is not None):
            return False
        return await self._write(target, overwriting=there)

    async def _may_replace(self, target: OpenedFile, *, is_there: bool) -> bool:
        """Whether the author agrees to write to a path, if something is there or another studio has it open."""
        owners = (await self._recovery.state(target.path)).owners
        if not is_there and not owners:
            return True
        where = f"It is {unsaved_text.elsewhere(owners[0])}, which becomes read-only." if owners else ""
        why = " ".join(filter(None, ("A file of this name is there already." if is_there else "", where)))
        return await self.host.ask(choose("replace", target.path.name, why=why)) == "overwrite"

    async def _write(
        self, target: OpenedFile | None = None, *, overwriting: ChangedOnDisk | None = None, separate: bool = False
    ) -> bool:
        """Write the text; whether it is on disk now. `target` is another file, which is open from then on."""
        file = target or self.state.file.opened
        problem = await self._writes.write(self._write_now(target, overwriting, separate=separate))
        match problem:
            case None:
                return True
            case ChangedOnDisk():
                return await self._ask_about(problem, target, is_saving=True)
            case SharedByLinks():
                match await self.host.ask(choose("shared by links", file.path.name, why=problem.title)):
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
        snapshot, before = self.state.text, self.state.file.opened
        try:
            saved = await asyncio.to_thread(
                save, target or before, snapshot.text, overwriting=overwriting, separate=separate
            )
        except (ChangedOnDisk, SharedByLinks, CannotSave) as problem:
            return problem
        held = self.state.file.held_elsewhere if target is None else None
        self._set(opened=saved, held_elsewhere=held, told=None, agreed=None)
        await self.write_journal()
        await self.remember()
        if target is not None:
            await asyncio.to_thread(self._journal.clear, before.path)
            await self._recovery.take(saved.path)
            await asyncio.to_thread(self._thread.own, is_owner=True)
        self.host.notify(f"Saved {visible(saved.path.name)}.", seconds=2)
        return None

    async def _ask_about(self, change: ChangedOnDisk, target: OpenedFile | None = None, *, is_saving: bool) -> bool:
        """Ask what to do as another text is on disk; whether the author's is there now."""
        if target is None:
            self._tell(change)
        mine, is_other = self.state.text.text, target is not None
        match await self.host.ask(
            unsaved_text.changed_on_disk_question(change, mine, is_other=is_other, is_saving=is_saving)
        ):
            case "overwrite":
                return await self._write(target, overwriting=change)
            case "reload":
                await self._load_again()
            case "save_as":
                return await self.save_as(change.path)
            case answer:
                self._set(agreed=change if answer == "keep" else None)
        return False

    async def _not_saved(self, problem: CannotSave) -> bool:
        text = f"{problem.title} {problem.advice}".strip()
        return await self._save_elsewhere(f"Not saved: {problem.path.name}", text, problem.path)

    async def _save_elsewhere(self, title: str, text: str, path: Path) -> bool:
        answer = await self.host.ask(choose("save elsewhere", title, why=text))
        return answer == "save_as" and await self.save_as(path)

    # --- Loading

    async def look(self) -> None:
        """Take up what another program did to the file: load it if nothing is typed, else ask once typing rests.

        The author is told once of each text, and of a file that is gone or cannot be edited.
        """
        async with self._looking:
            rested: Snapshot | None = None
            while await self.saves_ended():  # else the save looks for itself
                file, snapshot = self.state.file.opened, self.state.text
                found = await asyncio.to_thread(changed_on_disk, file)
                if self.state.file.opened is not file or self.state.text is not snapshot or self._writes.is_busy:
                    continue
                if (
                    found is None
                    or found.is_like(self.state.file.told)
                    or (self.state.unsaved and self.state.is_read_only)
                ):
                    self._tell(found and self.state.file.told)
                elif found.theirs is None:
                    self._tell(found)
                    text = f"{visible(file.path.name)}: {found.title} Your text stays here, unsaved."
                    self.host.notify(text, Severity.WARNING, seconds=8)
                elif not self.state.is_edited:
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
        if change is not self.state.file.told:
            self._set(told=change, agreed=None)

    async def reload(self) -> None:
        """Load the file from disk again, after asking if there are unsaved changes."""
        if self.state.unsaved and await self.host.ask(choose("reload", self.state.path.name)) != "reload":
            return
        await self._load_again()

    async def _load_again(self) -> None:
        if self.state.file.held_elsewhere is not None:
            await self._own_again()
        try:
            file = await asyncio.to_thread(open_to_show, self.state.path)
        except CannotOpen as problem:
            await self._save_elsewhere(f"Not loaded: {problem.path.name}", problem.title, self.state.path)
            return
        if self.state.unsaved and file.read_only is None:
            self.host.notify("Loaded from disk. Ctrl+Z brings your changes back.")
        elif self.state.unsaved:  # nothing can be undone then
            await self._put_down()
        self._set(opened=replace(self.state.file.opened, read_only=file.read_only))
        await self._load(file.text, file)

    async def _put_down(self) -> None:
        """Make the unsaved text a version, which is listed and not offered."""
        await self.write_journal()
        await tried(self._journal.put_down, None)

    async def _own_again(self) -> None:
        """Own a file that was open elsewhere, unless it still is."""
        state = await self._recovery.claim(self.state.path)
        if state.owners:
            await self._hold_open_elsewhere(state.owners[0])
        else:
            self._set(held_elsewhere=None)
            await asyncio.to_thread(self._thread.own, is_owner=True)

    async def _load(self, text: str, file: OpenedFile | None, only: Snapshot | None = None) -> None:
        """Have the editor show `text`; with `only`, if its text is still that one."""
        edits = () if only is None else await asyncio.to_thread(edits_between, only.text, text)
        number, revision = self.state.file.loaded.number + 1, None if only is None else only.revision
        self._set(loaded=LoadedText(number, text, file, revision, edits), loaded_revision=None)

    # --- Leaving

    async def saves_ended(self) -> bool:
        """Wait until no save is under way; False if one does not end."""
        return await self._writes.settled(SECONDS_FOR_A_SAVE)

    async def may_leave(self) -> bool:
        """Wait for a save under way, and ask what to do with changes that are unsaved then.

        Returns whether the file may be closed now.
        """
        while not await self.saves_ended():
            match await self.host.ask(choose("endless save", self.state.path.name, file=visible(self.state.path.name))):
                case "wait":
                    continue
                case "leave":
                    return True
                case _:
                    return False
        if not self.state.unsaved:
            return True
        match await self.host.ask(choose("leave", self.state.path.name)):
            case "save":
                return await self.save()
            case "discard":
                self._set(given_up=self.state.text.revision)
                await self.write_journal()
                return True
            case _:
                return False

    # --- The journal

    async def begin(self) -> None:
        """Start the journal, and ask what to do if the file is open elsewhere or unsaved text of it was left.

        Temporary files that a killed studio left beside the file are removed.
        """
        await asyncio.to_thread(lambda: clear_temporaries(self.state.path.resolve().parent))
        if self.state.is_read_only:
            return
        self._thread.start()
        path = self.state.path
        owners = (await self._recovery.claim(path)).owners
        if not owners:
            await self._offer(is_listed=False)
            return
        where = unsaved_text.elsewhere(owners[0])
        match await self.host.ask(choose("open elsewhere", path.name, where=where)):
            case "copy":
                await self._continue_as_copy()
            case "take_over":
                await self._recovery.take_over(path)
                await self._offer(is_listed=False)
            case _:
                await self._hold_open_elsewhere(owners[0])

    async def recover(self) -> None:
        """Offer all texts of this file that the journal has."""
        if not self.session.refuses_change() and not await self._offer(is_listed=True):
            self.host.notify("There is no earlier text of this file that differs from this one.", seconds=3)

    async def _offer(self, *, is_listed: bool) -> bool:
        """Offer what was left, with what is only listed if `is_listed`; whether there was anything."""
        present, state = self.state.text.text, await self._recovery.state(self.state.path)
        left = [each for each in state.left if (is_listed or not each.is_listed) and each.text != present]
        version = await self._recovery.choose(self.state.path.name, left, present, self.state.file.opened.digest)
        if version is None:
            return bool(left)
        if self.state.unsaved:
            await self._put_down()
        self._thread.put(Unsaved(self.state.path, version.text, version.base_digest))
        if await asyncio.to_thread(self._thread.flush):
            await tried(lambda: self._journal.only_list(version), None)
        await self._load(version.text, None)
        return True

    async def _continue_as_copy(self) -> None:
        path = await self._recovery.copy(self.state.path)
        self._set(opened=OpenedFile(path, self.state.file.opened.text, self.state.file.opened.bom))
        self.host.notify(f"This is a copy. Saving writes it to {visible(path.name)}.")

    def _taken_over(self, path: Path, owner: ProcessIdentity) -> None:
        if path == self.state.path:
            reason = f"Another studio, pid {owner.pid}, has taken this file over. It is shown read-only."
            self._set(held_elsewhere=reason)
            if self.state.unsaved:
                self.host.notify("Your unsaved text is offered there as a version.", Severity.WARNING, seconds=8)

    async def _hold_open_elsewhere(self, owner: ProcessIdentity) -> None:
        await asyncio.to_thread(self._thread.own, is_owner=False)
        advice = "Reload it (Ctrl+P) once it is closed there."
        self._set(held_elsewhere=f"This file is {unsaved_text.elsewhere(owner)}. It is shown read-only. {advice}")

    async def remember(self) -> None:
        """Add the file to the recent ones, once it is on disk."""
        if self.state.file.opened.digest is not None:
            await self._list_recent(self.state.path)

    async def _list_recent(self, *paths: Path) -> None:
        """Add files to the recent ones, after those that could not be added before."""
        missing, self._unlisted = tuple(dict.fromkeys((*self._unlisted, *paths))), ()

        def add() -> tuple[Path, ...]:
            for path in missing:
                remember_file(path)
            return ()

        self._unlisted = await tried(add, missing)

    def hand_over(self) -> None:
        """Pass the newest text to the journal's thread, which writes it soon."""
        if self.state.file.loaded_revision is None and self.state.file.loaded.file is None:
            return  # the journal has the text that is about to be shown
        snapshot, file = self.state.text, self.state.file.opened
        is_recoverable = self.state.unsaved and snapshot.revision != self.state.file.given_up
        self._thread.put(Unsaved(file.path, snapshot.text if is_recoverable else None, file.digest))

    def journal_soon(self) -> None:
        """Write the journal now, without waiting for it."""
        self._thread.wake()

    async def write_journal(self) -> None:
        """Save the text in the journal if it is unsaved; clear the journal if not."""
        self.hand_over()
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
        await self._list_recent()
        await self._remember_cursor()

    async def _remember_cursor(self) -> None:
        """Save where the cursor is, if the file is on disk."""
        if self.state.file.opened.digest is None:
            return
        path, text, cursor = self.state.path, self.state.text.text, self.state.cursor
        await tried(lambda: remember_cursor(path, place_in(text, cursor)), None)


# --- Notices that another program changed the open file, the settings of its project or its cases


FIRST_SECONDS = 0.25


class FileWatch(threading.Thread):
    """Calls `changed` when the file at `path()` may be another one, also at first, and `around` for the others."""

    def __init__(self, path: Callable[[], Path], changed: Callable[[], None], around: Callable[[], None]) -> None:
        super().__init__(name="file watch", daemon=True)  # a disk that does not answer keeps no process from ending
        self._path = path
        self._changed = changed
        self._around = around
        self._stopping = threading.Event()
        self._since = time.time_ns()

    def stop(self) -> None:
        """End the thread. Never blocks."""
        self._stopping.set()

    def run(self) -> None:
        """Look until `stop`."""
        if self._stopping.wait(FIRST_SECONDS):  # what is imported here must not delay the first outline
            return
        from engine.files.open_files import changes
        from engine.rules.selection import settings_files
        from engine.study.file_places import beside, in_data_folder

        def find() -> list[Path]:
            path = self._path()
            return [path, beside(path), in_data_folder(path), *settings_files(path)]

        for news in changes(find, self._stopping, self._since):
            self._changed()
            if news - {self._path()}:
                self._around()
