"""The questions about a file: where it is open elsewhere, unsaved text was left, or text could be lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import count
from pathlib import Path

from engine.files.journal import Journal, JournalState, Recovered
from engine.files.open_files import ChangedOnDisk, OpenedFile, SharedByLinks
from engine.files.processes import ProcessIdentity, exclusively, this_host, this_process
from engine.text.spans import visible
from studio.session.host import Choice, Choose, Host, Severity
from studio.session.journal_thread import tried
from studio.session.questions import DifferenceQuestion

_CLOSING_SECONDS = 2.0
"""How long a file of this very process may take to be closed before it is opened again."""
_POLL_SECONDS = 0.02


class OpenElsewhere(StrEnum):
    """What to do with a file that another studio has open: the ids of the answers."""

    READ_ONLY = "read_only"
    TAKE_OVER = "take_over"
    COPY = "copy"


class Recovery:
    """Asks the author about the journal of one file. Blocking work is done in threads."""

    def __init__(self, journal: Journal, host: Host) -> None:
        self._journal = journal
        self._host = host

    async def claim(self, path: Path) -> JournalState:
        """Own `path` in the journal; its state. What cannot be used is reported and keeps no file from opening."""
        return await tried(lambda: self._claim(path), JournalState())

    def _claim(self, path: Path) -> JournalState:
        self._journal.prepare()
        self._journal.claim(path)
        end = time.monotonic() + _CLOSING_SECONDS
        state = self._journal.state(path)
        while this_process() in state.owners and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)
            state = self._journal.state(path)
        return state

    async def state(self, path: Path) -> JournalState:
        """What the journal has of `path`; nothing where it cannot be read."""
        return await tried(lambda: self._journal.state(path), JournalState())

    async def owners(self, path: Path) -> tuple[ProcessIdentity, ...]:
        """The other processes that have `path` open, as far as can be known."""
        return (await self.state(path)).owners

    async def take(self, path: Path) -> None:
        """Own `path` in the journal; who has it open becomes read-only."""
        if (await self.claim(path)).owners:
            await self._take_over(path)

    async def copy(self, path: Path) -> Path:
        """Own a path beside `path` that nobody else uses: neither the disk nor the journal knows it."""
        return await tried(lambda: self._copy(path), None) or await asyncio.to_thread(_free_name, path)

    def _copy(self, path: Path) -> Path:
        with exclusively("copies"):
            names = (name for name in _copy_names(path) if not name.exists())
            copy = next(name for name in names if self._journal.state(name) == JournalState())
            self._journal.claim(copy)
        return copy

    async def open(self, file: OpenedFile) -> tuple[OpenElsewhere | None, Sequence[ProcessIdentity]]:
        """Own the file in the journal, and ask what to do if other studios, which are returned too, have it open."""
        state = await self.claim(file.path)
        if not state.owners:
            return None, ()
        choices = [
            Choice(OpenElsewhere.READ_ONLY, "Open it read-only", "Nothing can be changed here."),
            Choice(
                OpenElsewhere.TAKE_OVER,
                "Take over",
                "The other studio becomes read-only. Its unsaved text is offered here.",
            ),
            Choice(OpenElsewhere.COPY, "Open a copy", "Under another name. It is written when you save it."),
        ]
        given = await self._host.ask(Choose(file.path.name, f"This file is {elsewhere(state.owners[0])}.", choices))
        answer = OpenElsewhere(given) if given is not None else OpenElsewhere.READ_ONLY
        if answer is OpenElsewhere.TAKE_OVER:
            await self._take_over(file.path)
        return answer, state.owners

    async def _take_over(self, path: Path) -> None:
        """Have the other owners of `path` let go."""
        state = await tried(lambda: self._journal.take_over(path), JournalState())
        if state.owners:
            text = "The other studio does not answer. It becomes read-only as soon as it goes on."
            self._host.notify(text, Severity.WARNING, seconds=8)

    async def choose(
        self, name: str, versions: Sequence[Recovered], present: str, digest: str | None
    ) -> Recovered | None:
        """Offer versions, newest first, each with what it changes in `present`; the one to take up, None for none."""
        left = [version for version in versions if version.text != present]
        while left:
            version = left[0] if len(left) == 1 else await self._which(name, left, present)
            if version is None:
                return None
            match await self._host.ask(_offer(name, version, present, digest)):
                case "take":
                    return version
                case "drop":
                    await self._give_up(version)
                    left.remove(version)
                case _ if len(left) == 1:
                    return None
                case _:
                    pass
        return None

    async def _which(self, name: str, versions: Sequence[Recovered], present: str) -> Recovered | None:
        choices = [
            Choice(str(number), f"The text of {_when(version)}", _size(version, present))
            for number, version in enumerate(versions)
        ]
        choices.append(Choice("later", "Decide later", "All of them stay."))
        text = f"There are {len(versions)} texts of this file that were not saved. Choose one to see what it changes."
        given = await self._host.ask(Choose(name, text, choices))
        return None if given is None or given == "later" else versions[int(given)]

    async def _give_up(self, version: Recovered) -> None:
        try:
            await asyncio.to_thread(self._journal.give_up, version)
        except OSError as error:
            self._host.notify(f"The text cannot be removed: {error.strerror or error}.", Severity.WARNING)


def _copy_names(path: Path) -> Iterator[Path]:
    for number in count(1):
        yield path.with_name(f"{path.stem}-copy{'' if number == 1 else f'-{number}'}{path.suffix}")


def _free_name(path: Path) -> Path:
    return next(name for name in _copy_names(path) if not name.exists())


def elsewhere(owner: ProcessIdentity) -> str:
    """Where a file is open: `open in another studio, pid 123`."""
    if owner.host in ("", this_host()):
        return f"open in another studio, pid {owner.pid}"
    return f"open in another studio, pid {owner.pid} on {visible(owner.host)}, as far as can be known from here"


def _offer(name: str, version: Recovered, present: str, digest: str | None) -> DifferenceQuestion:
    text = f"The studio was left on {_when(version)} with changes to this file that were not saved."
    if version.base_digest != digest:
        text += " The file itself was changed since then: taking them up puts the older text over the newer one."
    choices = [
        Choice("take", "Take them up", "The text comes back; nothing is saved until you do."),
        Choice("drop", "Give them up", "This text is removed; the file stays as it is on disk."),
        Choice("later", "Decide later", "You are asked again next time. What you type meanwhile is stored beside it."),
    ]
    return DifferenceQuestion(name, text, choices, present, version.text)


def _when(version: Recovered) -> str:
    return version.written.astimezone().strftime("%d %B, %H:%M")


def _size(version: Recovered, present: str) -> str:
    lines = version.text.count("\n") - present.count("\n")
    characters = len(version.text) - len(present)
    return f"{lines:+} lines, {characters:+} characters" if lines or characters else "as long as this text"


_STAY = Choice("stay", "Do nothing yet")
_UNSAVED = "This text has changes that are not saved."
_UNDO = "Your unsaved changes are given up. Ctrl+Z brings them back."


def changed_on_disk_question(change: ChangedOnDisk, mine: str, *, is_other: bool, is_saving: bool) -> Choose:
    """What to do if another text is on disk, which is shown by what it changes in `mine`.

    `overwrite` or, unless `is_saving`, `keep`; `reload`, unless `is_other`, so the file is not open; `save_as`; `stay`.
    """
    stay = Choice("stay", "Do nothing yet", "Your text stays here, unsaved.")
    if is_saving:
        first, last = [Choice("overwrite", "Save anyway", "What is on disk is replaced by your text.")], [stay]
    else:  # it comes of itself, so what a stray key chooses changes nothing
        first, last = [stay, Choice("keep", "Keep your text", "When you save it, it replaces what is on disk.")], []
    load = [] if change.gone or is_other else [Choice("reload", "Load what is on disk", _UNDO)]
    choices = [*first, *load, Choice("save_as", "Save under another name", "Both texts stay."), *last]
    if change.theirs is None:
        return Choose(change.path.name, change.title, choices)
    text = f"{change.title} The difference from yours:"
    return DifferenceQuestion(change.path.name, text, choices, mine, change.theirs.text)


def shared_by_links_question(file: OpenedFile, shared: SharedByLinks) -> Choose:
    """What to do if saving separates names of one file: `separate`, `save_as` or `stay`."""
    choices = [
        Choice("separate", "Save anyway", "The other names keep the text that is on disk."),
        Choice("save_as", "Save under another name", "All names keep the text that is on disk."),
        _STAY,
    ]
    return Choose(file.path.name, shared.title, choices)


def replace_question(file: OpenedFile, *, is_there: bool, elsewhere: str | None) -> Choose:
    """Whether to write to a path where a file is (`is_there`), or that is open `elsewhere`: `overwrite` or `stay`."""
    text = "A file of this name is there already." if is_there else ""
    if elsewhere is not None:
        text = f"{text} It is {elsewhere}, which becomes read-only.".lstrip()
    return Choose(file.path.name, text, [Choice("overwrite", "Replace it"), _STAY])


def reload_question(file: OpenedFile) -> Choose:
    """Whether to replace a text with unsaved changes by the file: `reload` or `stay`."""
    return Choose(file.path.name, _UNSAVED, [Choice("reload", "Load what is on disk", _UNDO), _STAY])


def elsewhere_question(title: str, text: str) -> Choose:
    """What to do if the file cannot be written, or read again: `save_as` or `stay`."""
    return Choose(title, text, [Choice("save_as", "Save your text under another name"), _STAY])


def leave_question(file: OpenedFile) -> Choose:
    """What to do with unsaved changes before leaving: `save`, `discard` or `stay`."""
    choices = [
        Choice("save", "Save and leave"),
        Choice("discard", "Leave without saving", "The changes are given up."),
        Choice("stay", "Stay here"),
    ]
    return Choose(file.path.name, _UNSAVED, choices)


def endless_save_question(file: OpenedFile) -> Choose:
    """What to do before leaving if a save does not end: `wait`, `leave` or `stay`."""
    name = visible(file.path.name)
    choices = [
        Choice("wait", "Wait for it"),
        Choice("leave", "Leave without waiting", "Your text is offered when you open the file again."),
        Choice("stay", "Stay here"),
    ]
    return Choose(file.path.name, f"Saving {name} has begun and does not end: the disk does not answer.", choices)
