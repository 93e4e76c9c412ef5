"""Atomic file writes: a crash, a kill or a full disk leaves the old file or the new one, never a mixture.

Only ordinary files are read, up to a size: opening a named pipe would wait for a writer, a device may never end. Locks
on files are those that the system drops when the process ends, where the file system has them. `answers_in_time` is for
calls that may never return, such as a look at a folder of a network mount whose server is gone.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from engine.text.patterns import lazy

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None

HAS_LOCKS = fcntl is not None
"""Whether the system has these locks; a file system may lack them all the same."""


def lock(descriptor: int, *, wait: bool = False) -> bool | None:
    """Lock an open file for this process alone, until it is closed, also by the end of the process.

    False if another process holds the lock and `wait` is not set, None if the file system has no locks.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def is_locked(path: Path) -> bool:
    """Whether a process holds a lock on the file that `path` leads to. Raises `FileNotFoundError`.

    Asks for a shared lock, so two that ask at once do not take each other for the owner. An owner that replaces its
    file closes the older one after that: a lock that is free counts only if the path still leads to the file.
    """
    if fcntl is None:
        return False
    while True:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return False
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)


_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class NotRegular(OSError):
    """The path names something other than an ordinary file. `kind` names it with its article: “a folder”.

    As of `TooLong`, its `strerror` is for authors: “it is a folder”.
    """

    def __init__(self, path: Path, kind: str) -> None:
        super().__init__(errno.EINVAL, f"it is {kind}", str(path))
        self.kind = kind


class TooLong(OSError):
    """The file has more than `largest` bytes."""

    def __init__(self, path: Path, largest: int) -> None:
        super().__init__(errno.EFBIG, f"it has more than {_size(largest)}", str(path))


def read_regular(path: Path, largest: int, *, cut: bool = False) -> bytes:
    """The content of the file at `path`, following symlinks. Never waits for another program.

    Raises `NotRegular`, `TooLong` for more than `largest` bytes unless it is to be `cut` there, and `OSError`.
    """
    check_regular(path, path.stat())  # before opening: opening a device can have an effect
    descriptor = os.open(path, _FLAGS)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        check_regular(path, status)  # it may have been replaced in between
        content = file.read(min(status.st_size, largest) + 1)  # `read` allocates as much as it is asked for
        if len(content) > status.st_size:  # it grows, or is one of /proc, whose size is 0
            content += file.read(largest + 1 - len(content))
    if cut:
        return content[:largest]
    if len(content) > largest:
        raise TooLong(path, largest)
    return content


def check_regular(path: Path, status: os.stat_result) -> None:
    """Raise `NotRegular` unless `status`, that of `path`, is of an ordinary file."""
    if not stat.S_ISREG(status.st_mode):
        raise NotRegular(path, _KINDS.get(stat.S_IFMT(status.st_mode), "a special file"))


_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def _size(count: int) -> str:
    return f"{count >> 20} MB" if count >= 1 << 20 else f"{count >> 10} kB"


_SUFFIX = ".blueprint-studio.tmp"
_TEMPORARY = lazy(rf"\..*\.[0-9a-f]{{12}}{re.escape(_SUFFIX)}", re.DOTALL)
_MAX_NAME_BYTES = 200
"""The length of the name of the target in that of its temporary file. Most file systems allow 255 bytes in all."""
_ABANDONED_SECONDS = 3600
"""The age at which a temporary file counts as abandoned where the system has no locks."""


def write_atomically(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Replace the file at `path`, following a symlink, by `content`.

    Writes a temporary file in the same folder, flushes it to disk and renames it; then flushes the folder. Without
    `mode`, an existing file keeps its mode and extended attributes, and a new one gets 0o666 less the umask. An
    existing file keeps its owner where permitted. No temporary file is ever more readable than the file itself.
    Raises `NotRegular` for a device, a named pipe or a folder, and `OSError`. Leaves no temporary file behind;
    `clear_temporaries` removes that of a killed process.
    """
    target = Path(os.path.realpath(path))
    before = target.stat() if target.exists() else None
    if before is not None:
        check_regular(target, before)  # a rename replaces a device or a named pipe too
    created = mode if mode is not None else 0o666 if before is None else 0o600
    temporary, descriptor = create_temporary(target, created)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if before is not None:
                _copy_ownership(file.fileno(), before, stat.S_IMODE(before.st_mode) if mode is None else mode)
                if mode is None:
                    _copy_attributes(file.fileno(), target)
            os.fsync(file.fileno())
            if HAS_LOCKS:  # while it is locked
                temporary.replace(target)
        if not HAS_LOCKS:  # Windows renames closed files only
            temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    flush_folder(target.parent)


def clear_temporaries(folder: Path, *, but: Collection[Path] = ()) -> None:
    """Remove the temporary files in `folder` whose processes no longer exist, `but` some. Blocks.

    A folder or file that cannot be read or removed is skipped.
    """
    try:
        found = [path for path in folder.iterdir() if _TEMPORARY.fullmatch(path.name) and path not in but]
    except OSError:
        return
    for temporary in found:
        with suppress(OSError):
            _remove_abandoned(temporary)


def create_temporary(target: Path, mode: int) -> tuple[Path, int]:
    """A new file beside `target`, locked where the system has locks, and its descriptor.

    `clear_temporaries` removes it once it is closed. Raises `OSError`.
    """
    shown = os.fsdecode(os.fsencode(target.name)[:_MAX_NAME_BYTES])
    while True:
        temporary = target.parent / f".{shown}.{secrets.token_hex(6)}{_SUFFIX}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        if not HAS_LOCKS:
            return temporary, descriptor
        lock(descriptor, wait=True)
        if os.fstat(descriptor).st_nlink:
            return temporary, descriptor
        os.close(descriptor)  # another process cleared it before it was locked


def _remove_abandoned(temporary: Path) -> None:
    if not stat.S_ISREG(temporary.lstat().st_mode):
        return
    if not HAS_LOCKS:
        if time.time() - temporary.stat().st_mtime > _ABANDONED_SECONDS:
            temporary.unlink()
        return
    descriptor = os.open(temporary, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        if lock(descriptor):  # else its process is writing it
            temporary.unlink()
    finally:
        os.close(descriptor)


def _copy_ownership(descriptor: int, before: os.stat_result, mode: int) -> None:
    """Give the new file the owner of the old one, and `mode`, where the system supports and permits it."""
    if hasattr(os, "fchown"):
        with suppress(PermissionError):
            os.fchown(descriptor, before.st_uid, before.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)


def _copy_attributes(descriptor: int, target: Path) -> None:
    """Give the new file the extended attributes of the old one, its access list among them, where that is possible."""
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        for name in os.listxattr(target):
            with suppress(OSError):  # one that this user may not set
                os.setxattr(descriptor, name, os.getxattr(target, name))


def flush_folder(folder: Path) -> None:
    """Flush the names in `folder` to disk, where the system can. Raises `OSError`."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


Result = TypeVar("Result")


def answers_in_time(calls: Sequence[Callable[[], Result]], seconds: float) -> list[Result | None]:
    """The results of `calls`, which must not raise and are made at once; None for each that takes longer. Blocks.

    Each call has a thread of its own, which goes on and keeps no program from ending.
    """
    found: dict[int, Result] = {}

    def answer(number: int, call: Callable[[], Result]) -> None:
        found[number] = call()

    threads = [threading.Thread(target=partial(answer, *each), daemon=True) for each in enumerate(calls)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return [found.get(number) for number in range(len(calls))]
