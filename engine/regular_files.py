"""Reads ordinary files only, up to a size: opening a named pipe would wait for a writer, a device may never end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

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
