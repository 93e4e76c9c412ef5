"""Opens and saves one file, without changing any byte that the author did not change."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass, replace
from pathlib import Path

from engine.atomic import write_atomically

_BOM = b"\xef\xbb\xbf"
_MAX_BYTES = 32 * 1024 * 1024


class FileProblem(Exception):
    """A problem with a file, for authors: what happened (`title`) and what to do (`advice`)."""

    def __init__(self, path: Path, title: str, advice: str = "") -> None:
        super().__init__(title)
        self.path = path
        self.title = title
        self.advice = advice


class CannotOpen(FileProblem):
    """The path cannot be shown.

    `missing`: there is no such file, so one can be created. `too_large`: the file is over the size limit.
    """

    def __init__(
        self, path: Path, title: str, advice: str = "", *, missing: bool = False, too_large: bool = False
    ) -> None:
        super().__init__(path, title, advice)
        self.missing = missing
        self.too_large = too_large


class CannotSave(FileProblem):
    """The file could not be written. The file on disk is unchanged."""


class ChangedOnDisk(FileProblem):
    """Something else changed the file since it was opened, or removed it (`gone`)."""

    def __init__(self, path: Path, *, gone: bool) -> None:
        title = "The file is no longer there." if gone else "Something else changed the file since you opened it."
        super().__init__(path, title, "Save anyway, save under another name, or load the file on disk.")
        self.gone = gone


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file as it was opened or last saved.

    `text` is its content without the byte order mark (`bom`: whether there was one). `digest` is the SHA-256 of its
    bytes, or None if the file is not on disk yet. `read_only` is the reason why it must not be saved, or None.
    """

    path: Path
    text: str
    bom: bool = False
    digest: str | None = None
    read_only: str | None = None

    @property
    def is_json(self) -> bool:
        """Whether the file name ends in `.json`."""
        return self.path.suffix.lower() == ".json"

    def encoded(self, text: str) -> bytes:
        """`text` as bytes for this file."""
        return (_BOM if self.bom else b"") + text.encode("utf-8")


def new_file(path: Path, text: str = "") -> OpenedFile:
    """A file that is not on disk yet."""
    return OpenedFile(path.absolute(), text)


def open_file(path: Path) -> OpenedFile:
    """Read `path`. A file that cannot be edited safely has `read_only` set. Raises `CannotOpen`."""
    path = path.absolute()
    content = _read(path)
    digest = hashlib.sha256(content).hexdigest()
    bom = content.startswith(_BOM)
    body = content[len(_BOM) :] if bom else content
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        reason = "The file is UTF-16. It is shown read-only; save it as UTF-8 to edit it here."
        return OpenedFile(path, body.decode("utf-16", "replace"), bom, digest, reason)
    if b"\0" in body:
        reason = "This looks like a binary file. It is shown read-only."
        return OpenedFile(path, body.decode("latin-1"), bom, digest, reason)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        reason = (
            f"Line {line} is not UTF-8 (byte {body[error.start]:#04x}). The file is shown as Latin-1, read-only; "
            "convert it to UTF-8 to edit it here."
        )
        return OpenedFile(path, body.decode("latin-1"), bom, digest, reason)
    reason = None if os.access(path, os.W_OK) else "You have no permission to write this file. It is shown read-only."
    return OpenedFile(path, text, bom, digest, reason)


def _read(path: Path) -> bytes:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise CannotOpen(path, "This is a folder.", "Name a file in it: a blueprint ends in .yml, .yaml or .json.")
        if not stat.S_ISREG(status.st_mode):
            raise CannotOpen(path, "This is not an ordinary file.", "Name a blueprint: .yml, .yaml or .json.")
        if status.st_size > _MAX_BYTES:
            advice = f"Blueprints may have up to {_MAX_BYTES >> 20} MB here; split it into several files."
            raise CannotOpen(path, f"The file has {status.st_size / (1 << 20):.0f} MB.", advice, too_large=True)
        return path.read_bytes()
    except FileNotFoundError as error:
        raise CannotOpen(path, "There is no such file.", "Check the name and the folder.", missing=True) from error
    except PermissionError as error:
        raise CannotOpen(path, "You have no permission to read this file.", "Change its permissions.") from error
    except OSError as error:
        raise CannotOpen(path, f"The file cannot be read: {error.strerror or error}.") from error


def changed_on_disk(file: OpenedFile) -> ChangedOnDisk | None:
    """The change to the file on disk since `file` was read, or None. A new time stamp alone is not a change."""
    try:
        content = file.path.read_bytes()
    except FileNotFoundError:
        return None if file.digest is None else ChangedOnDisk(file.path, gone=True)
    if hashlib.sha256(content).hexdigest() == file.digest:
        return None
    return ChangedOnDisk(file.path, gone=False)


def save(file: OpenedFile, text: str, *, overwrite: bool = False) -> OpenedFile:
    """Write `text` to the file atomically, and return the saved file.

    Raises `ChangedOnDisk` if the file on disk is not the one that was opened (unless `overwrite`), and `CannotSave` if
    it cannot or must not be written.
    """
    if file.read_only is not None:
        raise CannotSave(file.path, "This file is open read-only.", file.read_only)
    content = file.encoded(text)
    try:
        if not overwrite and (change := changed_on_disk(file)) is not None:
            raise change
        if file.path.exists() and not os.access(file.path, os.W_OK):
            raise CannotSave(file.path, "You have no permission to write this file.", "Save under another name.")
        write_atomically(file.path, content)
    except FileNotFoundError as error:
        raise CannotSave(file.path, "The folder does not exist.", "Create it, or save elsewhere.") from error
    except OSError as error:
        advice = "The file on disk is unchanged. Free some space, or save under another name."
        raise CannotSave(file.path, f"The file could not be written: {error.strerror or error}.", advice) from error
    return replace(file, text=text, digest=hashlib.sha256(content).hexdigest())
