"""One file of the recovery journal: its form, and reading it as a file that anybody may have damaged."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias, cast

from engine.own_files import reason
from engine.patterns import lazy
from engine.record import Record
from engine.workspace.process_identity import ProcessIdentity

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
