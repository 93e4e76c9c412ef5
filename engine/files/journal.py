"""The recovery journal: unsaved text, in one file for each process and blueprint that it has open.

- **Ownership.** A process that opens a blueprint creates an entry of its own, named by the path and by the process, and
  writes no other. The entry holds the newest unsaved text, or none, and names its owner: process id, start of the
  process, host.
- **Other names.** A file is found by any symlink, as the path is resolved, and by hard links and other mounts, as an
  entry holds its device and inode.
- **Liveness.** The owner holds a lock (`flock`) on its entry, and the system drops it however the process ends. Each
  write makes a new file, locks it and renames it over the older one, so the name always leads to a locked file. Where
  the file system has no locks, the process id and the start decide. A lock of another host (a shared home folder)
  cannot be relied on: such an owner counts as alive until the author takes the file over.
- **What was left.** An entry with text whose owner is gone is a version: it is offered when the file is opened, and
  stays until the author takes it up (it is only listed then), gives up this very text, or it expires: the last 20
  versions of a file stay for 30 days.
- **Taking over.** A marker beside the entry asks its owner to let go: it writes its newest text, drops its lock, and is
  read-only from then on. Its text becomes a version.

Everything is read as untrusted: what is no entry is renamed, and reported in one line. Files are 0600, and folders
0700, from their creation. Calls block; a journal may be used from several threads.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import stat
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias, cast

from engine.files.atomic import clear_temporaries, create_temporary, flush_folder, is_locked, lock, write_atomically
from engine.files.own_files import (
    CannotSetAside,
    Identity,
    identity,
    make_private_folder,
    reason,
    report,
    set_aside,
    state_dir,
)
from engine.files.processes import ProcessIdentity, still_runs, this_host, this_process
from engine.text.patterns import lazy
from engine.text.record import Record

_MAX_BYTES = 256 * 1024 * 1024
"""No text that can be opened needs more, even with each of its characters escaped."""

_LONE_SURROGATES = lazy("[\ud800-\udfff]")


FileIdentity: TypeAlias = tuple[int, int]
"""The device and the inode of a file: the same by each of its names."""


class DamagedEntry(Exception):
    """The file cannot be an entry, or cannot be read; the message is the reason, for authors."""


class Entry(Record):
    """What a file of the journal says. `text` is None while the owner has nothing unsaved.

    `owner` is None in the older form, which named none: the process that wrote it is gone. `has_lock`: the owner holds
    a lock on the entry as long as it runs. `file` is the identity of the edited file. It is only written:
    `names_file` reads it.
    """

    text: str | None
    base_digest: str | None
    written: datetime
    owner: ProcessIdentity | None
    has_lock: bool = False
    file: FileIdentity | None = None


def encoded(path: Path, entry: Entry) -> bytes:
    """`entry` as the bytes of a file: JSON on one line, and after it the text as it is.

    Text is not put into the JSON, because that takes the processor three times as long as writing it: a long text would
    reach the disk late on a machine with much to do. What UTF-8 cannot hold becomes U+FFFD.
    """
    if entry.text is None:
        return _header(path, entry)
    try:
        text = entry.text.encode("utf-8")
    except UnicodeEncodeError:
        text = _LONE_SURROGATES.sub("\ufffd", entry.text).encode("utf-8")
    return b"\n".join((_header(path, entry, len(text)), text))


def _header(path: Path, entry: Entry, text_bytes: int | None = None) -> bytes:
    owner = entry.owner
    said: dict[str, Any] = {
        "path": os.fsencode(path).decode("utf-8", "replace"),
        **({} if entry.file is None else {"file": entry.file}),
        **({"text": None} if text_bytes is None else {"text_bytes": text_bytes}),
        "base_digest": entry.base_digest,
        "written": entry.written.isoformat(),
    }
    if owner is not None:
        said |= {"pid": owner.pid, "started": owner.started, "host": owner.host, "lock": entry.has_lock}
    return json.dumps(said, ensure_ascii=False).encode("utf-8")


_HEAD = re.compile(rb'\{"path": ("(?:[^"\\]|\\.)*"), "file": \[([0-9]{1,20}), ([0-9]{1,20})\], ')
_HEAD_BYTES = 64 * 1024


def file_identity(path: Path) -> FileIdentity | None:
    """The identity of the file at `path`; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino)


def names_file(entry: Path, path: Path, file: FileIdentity) -> bool:
    """Whether an entry is of the file at `path`, whose identity is `file`, under another name.

    Another name is a hard link, another mount, or other case. Reads no text. Inodes are used again, so the name in the
    entry has to lead to the file too; that name is looked at only then, as it may be in a place that does not answer.
    """
    try:
        match = _HEAD.match(_head(entry))
        if match is None or (int(match[2]), int(match[3])) != file:
            return False
        return path.samefile(json.loads(match[1]))
    except (OSError, ValueError):
        return False


def _head(entry: Path) -> bytes:
    descriptor = os.open(entry, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        return os.read(descriptor, _HEAD_BYTES) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    finally:
        os.close(descriptor)


def read_entry(path: Path) -> Entry:
    """Read a file of the journal. Raises `FileNotFoundError`, and `DamagedEntry` for all that is no entry."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)  # a FIFO must not be waited for
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DamagedEntry(reason(error)) from error
    try:
        return _read(descriptor)
    except OSError as error:
        raise DamagedEntry(reason(error)) from error
    finally:
        os.close(descriptor)


def _read(descriptor: int) -> Entry:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise DamagedEntry("it is not an ordinary file")
    if status.st_size > _MAX_BYTES:
        raise DamagedEntry("it is too large")
    try:
        with open(descriptor, "rb", closefd=False) as file:
            said = _said(file.read(_MAX_BYTES + 1))
    except (ValueError, RecursionError, MemoryError) as error:
        raise DamagedEntry("it is damaged") from error
    return _entry_of(said, status.st_mtime)


def _said(content: bytes) -> Mapping[str, object]:
    """What an entry says, its text included. Raises `ValueError`, `RecursionError`, `MemoryError`, `DamagedEntry`."""
    end = content.find(b"\n")
    said: object = json.loads(content if end < 0 else content[:end])  # the older form had the text in the JSON
    if not isinstance(said, dict):
        raise DamagedEntry("it is damaged")
    values = cast("dict[str, object]", said)
    if end < 0 and "text_bytes" not in values:
        return values
    text = content[end + 1 :] if end >= 0 else b""
    if values.get("text_bytes") != len(text):
        raise DamagedEntry("it is not whole")
    return values | {"text": text.decode("utf-8")}


def _entry_of(said: Mapping[str, object], changed: float) -> Entry:
    text, digest = said.get("text"), said.get("base_digest")
    if text is not None and (not isinstance(text, str) or _LONE_SURROGATES.search(text)):
        raise DamagedEntry("it is damaged")
    if text is None and "pid" not in said:
        raise DamagedEntry("it is damaged")
    base = digest if isinstance(digest, str) else None
    return Entry(text, base, _time_of(said, changed), _owner_of(said), said.get("lock") is True)


def _owner_of(said: Mapping[str, object]) -> ProcessIdentity | None:
    pid, started, host = said.get("pid"), said.get("started"), said.get("host")
    if type(pid) is int and isinstance(started, str) and isinstance(host, str):
        return ProcessIdentity(pid, started, host)
    return None


def _time_of(said: Mapping[str, object], changed: float) -> datetime:
    """When the entry was written, a time that can be shown in each time zone; else when its file was changed."""
    written = said.get("written")
    with suppress(ValueError, OverflowError, OSError):
        if isinstance(written, str):
            time = datetime.fromisoformat(written)
            return _showable(time if time.tzinfo is not None else time.replace(tzinfo=UTC))
    with suppress(ValueError, OverflowError, OSError):
        return _showable(datetime.fromtimestamp(changed, UTC))
    return datetime.now(UTC)


def _showable(time: datetime) -> datetime:
    time.astimezone()  # a time at the end of the calendar has none in some time zones
    return time.astimezone(UTC)


KEPT_VERSIONS = 20
KEPT_DAYS = 30
_KEPT_SECONDS = timedelta(days=KEPT_DAYS).total_seconds()

_NAME = lazy(r"(?P<key>[0-9a-f]{64})(?:\.(?P<owner>[0-9]+-[0-9a-f]+))?(?P<listed>\.listed)?\.json")
_TAKEN = ".taken"
_ABANDONED_SECONDS = 60
"""A temporary file of this age, of an older version, belongs to a process that ended while it wrote."""
_MAX_EMPTY_BYTES = 16 << 10
"""An entry without text is shorter than this: it has little more than a path."""
_POLL_SECONDS = 0.05
_CLOCKS_DIFFER = timedelta(minutes=5)


class Recovered(Record):
    """Unsaved text that a process left, and the file of the journal that holds it.

    `base_digest` is the digest of the file that was being edited, None if it was not on disk. `is_listed`: the author
    has taken this text up before, so it is not offered again.
    """

    text: str
    base_digest: str | None
    written: datetime
    entry: Path
    is_listed: bool = False


class JournalState(Record):
    """What the journal has for one file: other processes that have it open, and what was left, newest first."""

    owners: tuple[ProcessIdentity, ...] = ()
    left: tuple[Recovered, ...] = ()


@dataclass(slots=True)
class _Own:
    key: str
    path: Path
    entry: Path
    has_text: bool = False
    file: FileIdentity | None = None
    close: Callable[[], object] | None = None


class Journal:
    """The journal, and in it the entry of the one file that its owner has open."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or state_dir() / "journal"
        self._own: _Own | None = None
        self._guard = threading.RLock()

    # --- The own entry

    def claim(self, path: Path) -> None:
        """Own an entry for `path`, without text if it is new; let go of one for another path. Raises `OSError`."""
        with self._guard:
            if self._own is None or self._own.key != _key(path):
                self._put(path, None, None)

    def write(self, path: Path, text: str, base_digest: str | None) -> None:
        """Store `text` as the unsaved text of `path` in the own entry. Raises `OSError`."""
        with self._guard:
            self._put(path, text, base_digest)

    def clear(self, path: Path) -> None:
        """Remove the own text of `path`, once it was saved or its changes were discarded. Raises `OSError`."""
        with self._guard:
            own = self._own
            if own is not None and own.key == _key(path) and (own.has_text or own.file != file_identity(path)):
                self._put(path, None, None)

    def release(self) -> None:
        """Let go of the own entry. Its text stays, as a version."""
        with self._guard:
            own, self._own = self._own, None
            if own is None:
                return
            with suppress(OSError):
                if not own.has_text:
                    own.entry.unlink(missing_ok=True)
                _marker(own.entry).unlink(missing_ok=True)
            if own.close is not None:
                own.close()

    def put_down(self) -> None:
        """Let go of the own entry. Its text stays as a version that is only listed. Raises `OSError`."""
        with self._guard:
            own = self._own
            self.release()
            if own is not None and own.has_text:
                _list(own.entry)

    def taken_over_by(self) -> tuple[Path, ProcessIdentity] | None:
        """The own file and the process that asks this one to let go of it, or None.

        Then write the newest text and `release`.
        """
        with self._guard:
            if self._own is None or not (marker := _marker(self._own.entry)).exists():
                return None
            owner: ProcessIdentity | None = None
            with suppress(OSError, DamagedEntry):
                owner = read_entry(marker).owner
            return self._own.path, owner or ProcessIdentity(0, "", "")

    def _put(self, path: Path, text: str | None, base_digest: str | None) -> None:
        key = _key(path)
        own = self._own
        if own is None or own.key != key:
            entry = self._folder / f"{key}.{os.getpid()}-{secrets.token_hex(6)}.json"
            own = _Own(key, path, entry)
        make_private_folder(self._folder)
        temporary, descriptor = create_temporary(own.entry, 0o600)
        try:
            has_lock = lock(descriptor) is True
            file = file_identity(path)
            said = Entry(text, base_digest, datetime.now(UTC), this_process(), has_lock, file)
            content = encoded(path.absolute(), said)
            with os.fdopen(os.dup(descriptor), "wb") as written:
                written.write(content)
                written.flush()
                if text is not None:
                    os.fsync(descriptor)
            temporary.replace(own.entry)
            if text is not None:
                flush_folder(self._folder)
        except BaseException:
            os.close(descriptor)
            temporary.unlink(missing_ok=True)
            raise
        if own is not self._own:
            self.release()
        older, own.close = own.close, weakref.finalize(self, os.close, descriptor)
        own.has_text, own.file = text is not None, file
        self._own = own
        if older is not None:
            older()

    # --- The entries of others

    def state(self, path: Path) -> JournalState:
        """The other owners of `path` and what was left for it; expired and damaged entries are put away first.

        Raises `OSError` if the folder cannot be read.
        """
        owners: list[ProcessIdentity] = []
        left: list[Recovered] = []
        with self._guard:
            for entry, is_listed in self._entries(path):
                settled = _read_settled(entry)
                if settled is None:
                    continue
                found, owner = settled
                if owner is not None:
                    owners.append(owner)
                elif found.text is None:
                    entry.unlink(missing_ok=True)
                else:
                    left.append(Recovered(found.text, found.base_digest, found.written, entry, is_listed))
        left.sort(key=_newness, reverse=True)
        return JournalState(tuple(owners), tuple(_without_expired(left)))

    def pending(self, path: Path) -> Recovered | None:
        """The newest unsaved text of `path`, of whichever process, that was not taken up; None for none."""
        found: list[Recovered] = []
        for entry, is_listed in self._entries(path, with_own=True):
            with suppress(FileNotFoundError, DamagedEntry):
                read = read_entry(entry)
                if read.text is not None and not is_listed:
                    found.append(Recovered(read.text, read.base_digest, read.written, entry))
        return max(found, key=lambda version: version.written, default=None)

    def give_up(self, version: Recovered) -> None:
        """Remove a version by the author's choice; unless another text is there by now. Raises `OSError`."""
        with suppress(FileNotFoundError, DamagedEntry):
            if read_entry(version.entry).text == version.text:
                version.entry.unlink()

    def only_list(self, version: Recovered) -> None:
        """Offer a version no more: it stays in the list of versions until it expires. Raises `OSError`."""
        if not version.is_listed:
            with suppress(FileNotFoundError):
                _list(version.entry)

    def take_over(self, path: Path, *, seconds: float = 3.0) -> JournalState:
        """Ask the other owners of `path` to let go, and wait for that; the state then.

        An owner that does not let go within `seconds` (it hangs, or its host is gone) does so as soon as it can. Raises
        `OSError`.
        """
        with self._guard:
            asked = Entry(None, None, datetime.now(UTC), this_process())
            for entry, _ in self._entries(path):
                with suppress(FileNotFoundError, DamagedEntry):
                    if _living_owner(entry, read_entry(entry)) is not None:
                        write_atomically(_marker(entry), encoded(path, asked), mode=0o600)
        end = time.monotonic() + seconds
        while (state := self.state(path)).owners and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)
        return state

    def _entries(self, path: Path, *, with_own: bool = False) -> Iterator[tuple[Path, bool]]:
        """The entries for the file at `path`, by whichever name, and whether each is only listed; not the own one."""
        file = file_identity(path)
        keys = {_key(path), _key_of_name(str(path.absolute()))}
        own = None if self._own is None or with_own else self._own.entry
        try:
            names = [each.name for each in self._folder.iterdir()]
        except FileNotFoundError:
            return
        for name in sorted(names):
            match = _NAME.fullmatch(name)
            if match is None or (entry := self._folder / name) == own:
                continue
            if match["key"] in keys or (file is not None and names_file(entry, path, file)):
                yield entry, match["listed"] is not None

    # --- The folder

    def prepare(self) -> None:
        """Make the folder usable, and remove what expired in it. Raises `OSError` if there can be no journal."""
        seen = identity(self._folder)
        if seen is not None and not _is_usable(self._folder):
            _put_aside(self._folder, "it is no folder that you can read and write", seen)
        make_private_folder(self._folder)
        clear_temporaries(self._folder)
        now = time.time()
        for path in list(self._folder.iterdir()):
            with suppress(OSError):
                self._clean(path, now)

    def _clean(self, path: Path, now: float) -> None:
        status = path.lstat()
        age = now - status.st_mtime
        if path.name.endswith(".tmp"):
            is_useless = age > _ABANDONED_SECONDS and not is_locked(path)
        elif path.name.endswith(_TAKEN):
            is_useless = not path.with_name(path.name.removesuffix(_TAKEN)).exists()
        elif _NAME.fullmatch(path.name) is None:
            is_useless = False
        else:
            may_be_empty = status.st_size <= _MAX_EMPTY_BYTES
            is_useless = (age > _KEPT_SECONDS or (may_be_empty and _is_empty(path))) and not _is_in_use(path)
        if is_useless:
            path.unlink()


def _is_usable(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.R_OK | os.W_OK | os.X_OK)


def _is_empty(entry: Path) -> bool:
    """Whether an entry can be read and has no text."""
    try:
        return read_entry(entry).text is None
    except DamagedEntry:
        return False


def _is_in_use(entry: Path) -> bool:
    """Whether a process owns an entry, or it cannot be read: that is reported when its file is opened."""
    try:
        return _living_owner(entry, read_entry(entry)) is not None
    except DamagedEntry:
        return True


def _living_owner(entry: Path, found: Entry) -> ProcessIdentity | None:
    """The owner of an entry if it lives, as far as can be known."""
    owner = found.owner
    if owner is None:
        return None
    if owner.host != this_host():
        alive = not _marker(entry).exists()
    elif found.has_lock:
        alive = is_locked(entry)
    else:
        alive = still_runs(owner)
    return owner if alive else None


def _read_settled(entry: Path) -> tuple[Entry, ProcessIdentity | None] | None:
    """The newest content of an entry, also of one whose owner ends meanwhile, and its owner if it lives; None if there
    is none, or it is damaged.

    A damaged one is set aside.
    """
    while True:
        seen = identity(entry)
        try:
            found = read_entry(entry)
            owner = _living_owner(entry, found)
            if owner is not None or identity(entry) == seen:
                return found, owner
        except FileNotFoundError:
            return None
        except DamagedEntry as problem:
            _put_aside(entry, str(problem), seen)
            return None


def _newness(version: Recovered) -> tuple[bool, datetime]:
    """Sorts versions by age. One that is dated in the future was written while the clock was wrong: it may be old."""
    return version.written <= datetime.now(UTC) + _CLOCKS_DIFFER, version.written


def _without_expired(versions: list[Recovered]) -> Iterator[Recovered]:
    for number, version in enumerate(versions):
        if number < KEPT_VERSIONS and not _is_expired(version):
            yield version
        else:
            with suppress(OSError):
                version.entry.unlink(missing_ok=True)


def _is_expired(version: Recovered) -> bool:
    """Whether a version is old by its date, which may be wrong, and by that of its file."""
    oldest = datetime.now(UTC) - timedelta(days=KEPT_DAYS)
    try:
        return version.written < oldest and version.entry.stat().st_mtime < oldest.timestamp()
    except OSError:
        return False


def _put_aside(path: Path, why: str, seen: Identity) -> None:
    """Set `path` aside. One that has to stay is reported, and read no further."""
    try:
        set_aside(path, why, seen)
    except CannotSetAside as error:
        report(f"{path} cannot be used: {error.strerror}.")


def _list(entry: Path) -> None:
    entry.rename(entry.with_name(f"{entry.name.removesuffix('.json')}.listed.json"))


def _marker(entry: Path) -> Path:
    return entry.with_name(entry.name + _TAKEN)


def _key(path: Path) -> str:
    """The name of a file in the journal: the same by whichever symlink it is opened."""
    return _key_of_name(os.path.realpath(path))


def _key_of_name(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
