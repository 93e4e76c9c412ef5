"""Opens, saves and watches files of the author, without changing any byte that the author did not change.

A file is written whole or not at all, with no temporary file that stays. A process that is killed within a write leaves
one, perhaps in a folder where no file is opened again. So there is a note of the folder among the program's own files
as long as the write lasts, and the next start of the studio looks into the folders of all notes.
"""

from __future__ import annotations

import errno
import hashlib
import math
import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeAlias

from engine.files.atomic import (
    NotRegular,
    TooLong,
    answers_in_time,
    check_regular,
    clear_temporaries,
    create_temporary,
    read_regular,
    write_atomically,
)
from engine.files.own_files import clear_own_temporaries, make_private_folder, state_dir
from engine.files.processes import HeldElsewhere, exclusively
from engine.text.patterns import lazy
from engine.text.record import Record, replace
from engine.text.spans import positions
from engine.text.text_limits import ADVICE, FILE_BYTES, Excess, excess, sentence, shown_part, too_many_bytes

_MAX_NOTE_BYTES = 8192
"""Linux allows 4096 bytes for a path, macOS 1024."""
_MOST_NOTES = 100
"""Notes that are read at a start. Each is of a process that was killed while it saved."""
_SECONDS_TO_ANSWER = 2.0
"""How long all folders together may take: one may be on a network mount whose server is gone."""


def write_author_file(path: Path, content: bytes) -> None:
    """Replace the file at `path`, following a symlink, by `content`, as `write_atomically` does. Raises `OSError`."""
    with _noted(Path(os.path.realpath(path)).parent):
        write_atomically(path, content)


def write_named(out: Path, name: str, text: str) -> Path:
    """Write `text` to the author's file `out`, or to `name` in it if it is a folder; the path of the file.

    Raises `OSError`.
    """
    path = out / name if out.is_dir() else out
    write_author_file(path, text.encode("utf-8"))
    return path


def clear_all_temporaries() -> None:
    """Remove the temporary files that killed processes left, the program's own and those of the author's files. Blocks.

    A folder or file that cannot be read or removed is skipped. One that does not answer is tried at the next start.
    """
    clear_own_temporaries()
    noted = _noted_folders()
    silent = _clear(noted)
    clear_temporaries(_notes(), but=silent)
    _clear({note: folder for note, folder in noted.items() if note not in silent})
    # Twice: a process may have been killed between the two calls above.


def _clear(noted: Mapping[Path, Path]) -> set[Path]:
    """Clear the folders by their notes; the notes of those that do not answer."""
    answers = answers_in_time([partial(_is_cleared, folder) for folder in noted.values()], _SECONDS_TO_ANSWER)
    return {note for note, answer in zip(noted, answers, strict=True) if answer is None}


def _is_cleared(folder: Path) -> bool:
    clear_temporaries(folder)
    return True


def _notes() -> Path:
    return state_dir() / "writes"


@contextmanager
def _noted(folder: Path) -> Generator[None]:
    """Have a note of `folder`; none where the program's own folders cannot be written."""
    try:
        note, descriptor = _create_note(folder)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError):
            note.unlink(missing_ok=True)
        os.close(descriptor)


def _create_note(folder: Path) -> tuple[Path, int]:
    """The note, locked as all temporary files are, and its descriptor. Raises `OSError`."""
    make_private_folder(_notes())
    note, descriptor = create_temporary(_notes() / "folder", 0o600)
    try:
        with os.fdopen(os.dup(descriptor), "wb") as file:  # a single call could write a part of it
            file.write(os.fsencode(folder))
    except BaseException:
        os.close(descriptor)
        note.unlink(missing_ok=True)
        raise
    return note, descriptor


def _noted_folders() -> dict[Path, Path]:
    """The folders by the files of their notes. Nothing outside the program's own folders is looked at."""
    try:
        notes = [*_notes().iterdir()]
    except OSError:
        return {}
    folders: dict[Path, Path] = {}
    for note in notes[:_MOST_NOTES]:
        with suppress(OSError):
            name = os.fsdecode(read_regular(note, _MAX_NOTE_BYTES))
            folder = Path(name)
            if folder.is_absolute() and "\0" not in name:
                folders[note] = folder
    return folders


_BOM = b"\xef\xbb\xbf"
_OTHER_ENCODINGS = (
    (b"\xff\xfe\0\0", "UTF-32"),  # before UTF-16, whose mark begins alike
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
"""Byte order marks and what follows them."""
_LONE_SURROGATE = lazy("[\ud800-\udfff]")
_SECONDS_TO_SAVE = 3.0
"""How long to wait for another studio that saves the same file."""


class FileProblem(Exception):
    """A problem with a file, for authors: what happened (`title`) and what to do (`advice`)."""

    def __init__(self, path: Path, title: str, advice: str = "") -> None:
        super().__init__(title)
        self.path = path
        self.title = title
        self.advice = advice


class CannotOpen(FileProblem):
    """The path cannot be shown.

    `missing`: there is no such file, so one can be created. `excess`: how the file exceeds the limit of its size.
    """

    def __init__(
        self, path: Path, title: str, advice: str = "", *, missing: bool = False, excess: Excess | None = None
    ) -> None:
        super().__init__(path, title, advice)
        self.missing = missing
        self.excess = excess


class CannotSave(FileProblem):
    """The file could not be written. The file on disk is unchanged."""


class ChangedOnDisk(FileProblem):
    """Something else changed the file since it was opened, or removed it (`gone`).

    `digest` is the SHA-256 of what is on disk now; None if it is gone or too long to be read. `theirs` is what is there
    where that was read and can be edited; else `problem` may say why not.
    """

    def __init__(
        self, path: Path, *, gone: bool, digest: str | None = None, theirs: OpenedFile | None = None, problem: str = ""
    ) -> None:
        changed = f"Something else changed the file since you opened it. {problem}".rstrip()
        title = "The file is no longer there." if gone else changed
        super().__init__(path, title, "Save anyway, save under another name, or load the file on disk.")
        self.gone = gone
        self.digest = digest
        self.theirs = theirs

    def is_like(self, other: ChangedOnDisk | None) -> bool:
        """Whether both found the same on disk."""
        return other is not None and (self.path, self.gone, self.digest) == (other.path, other.gone, other.digest)


class OpenedFile(Record):
    """A file as it was opened or last saved.

    `text` is its content without the byte order mark (`bom`: whether there was one). `digest` is the SHA-256 of its
    bytes, or None if the file is not on disk yet. `read_only` is the reason why it must not be saved, or None. `excess`
    is set for a text too large to be read as a blueprint: `text` is then the part that is shown.
    """

    path: Path
    text: str
    bom: bool = False
    digest: str | None = None
    read_only: str | None = None
    excess: Excess | None = None

    @property
    def is_json(self) -> bool:
        """Whether the file name ends in `.json`."""
        return self.path.suffix.lower() == ".json"

    def encoded(self, text: str) -> bytes:
        """`text` as bytes for this file. Raises `UnicodeEncodeError` for lone surrogates."""
        return (_BOM if self.bom else b"") + text.encode("utf-8")


def new_file(path: Path, text: str = "") -> OpenedFile:
    """A file that is not on disk yet."""
    return OpenedFile(path.absolute(), text)


def open_file(path: Path) -> OpenedFile:
    """Read `path`. A file that cannot be edited safely has `read_only` set. Raises `CannotOpen`."""
    path = path.absolute()
    file = _decoded(path, _read(path))
    if file.read_only is not None or os.access(path, os.W_OK):
        return file
    return replace(file, read_only="You have no permission to write this file. It is shown read-only.")


def open_content(path: Path, content: bytes) -> OpenedFile:
    """`content`, which was read elsewhere, as the file at `path`. What is at `path` is not looked at.

    Raises `CannotOpen` if the content is too long.
    """
    if len(content) > FILE_BYTES:
        beyond = too_many_bytes(len(content))
        raise CannotOpen(path, sentence(beyond), ADVICE, excess=beyond)
    return _decoded(path.absolute(), content)


def _decoded(path: Path, content: bytes) -> OpenedFile:
    """The text of `content`; read-only if it is not UTF-8."""
    digest = hashlib.sha256(content).hexdigest()
    bom = content.startswith(_BOM)
    body = content[len(_BOM) :] if bom else content
    encoding = next((name for mark, name in _OTHER_ENCODINGS if body.startswith(mark)), None)
    if encoding is not None:
        reason = f"The file is {encoding}. It is shown read-only; save it as UTF-8 to edit it here."
        return OpenedFile(path, body.decode(encoding, "replace"), bom, digest, reason)
    if b"\0" in body:
        reason = "This looks like a binary file. It is shown read-only."
        return OpenedFile(path, body.decode("latin-1"), bom, digest, reason)
    try:
        return OpenedFile(path, body.decode("utf-8"), bom, digest)
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        reason = (
            f"Line {line} is not UTF-8 (byte {body[error.start]:#04x}). The file is shown as Latin-1, read-only; "
            "convert it to UTF-8 to edit it here."
        )
        return OpenedFile(path, body.decode("latin-1"), bom, digest, reason)


def open_to_show(path: Path) -> OpenedFile:
    """As `open_file`, but a file too large to be read as a blueprint is opened read-only, with its first part.

    Raises `CannotOpen`.
    """
    try:
        file = open_file(path)
        beyond = excess(file.text)
    except CannotOpen as error:
        if error.excess is None:
            raise
        beyond = error.excess
        file = OpenedFile(path.absolute(), _first_part(path))
    if beyond is None:
        return file
    part = shown_part(file.text)
    shown = "It is shown read-only." if part == file.text else "Its first part is shown, read-only."
    reason = f"{sentence(beyond)} {shown} {ADVICE}"
    return replace(file, text=part, digest=None, read_only=reason, excess=beyond)


def _first_part(path: Path) -> str:
    """The first `FILE_BYTES` bytes of the file, as text."""
    try:
        return read_regular(path, FILE_BYTES, cut=True).decode("utf-8", "replace").removeprefix("\ufeff")
    except OSError as error:
        raise CannotOpen(path, f"The file cannot be read: {error.strerror or error}.") from error


def _read(path: Path) -> bytes:
    try:
        return read_regular(path, FILE_BYTES)
    except NotRegular as error:
        title = f"This is {error.kind}, not an ordinary file." if error.kind != "a folder" else "This is a folder."
        inside = "Name a file in it: a blueprint ends in" if error.kind == "a folder" else "Name a blueprint:"
        raise CannotOpen(path, title, f"{inside} .yml, .yaml or .json.") from error
    except TooLong as error:
        beyond = too_many_bytes(path.stat().st_size)
        raise CannotOpen(path, sentence(beyond), ADVICE, excess=beyond) from error
    except FileNotFoundError as error:
        raise CannotOpen(path, "There is no such file.", "Check the name and the folder.", missing=True) from error
    except PermissionError as error:
        raise CannotOpen(path, "You have no permission to read this file.", "Change its permissions.") from error
    except OSError as error:
        raise CannotOpen(path, f"The file cannot be read: {error.strerror or error}.") from error


class SharedByLinks(FileProblem):
    """The file has `names` names (hard links), and saving would separate this one from the others."""

    def __init__(self, path: Path, names: int) -> None:
        others = "another name" if names == 2 else f"{names - 1} other names"
        title = f"The file has {others} (hard links). Saving separates them: only this name gets your text."
        super().__init__(path, title, "Save anyway, or save under another name.")
        self.names = names


def changed_on_disk(file: OpenedFile) -> ChangedOnDisk | None:
    """The change to the file on disk since `file` was read, or None. A new time stamp alone is not a change."""
    try:
        there = open_to_show(file.path)
    except CannotOpen as error:
        is_new = error.missing and file.digest is None
        return None if is_new else ChangedOnDisk(file.path, gone=error.missing, problem=error.title)
    if (there.digest, there.text) == (file.digest, file.text):
        return None
    if there.read_only is None or file.read_only is not None:
        return ChangedOnDisk(file.path, gone=False, digest=there.digest, theirs=there)
    return ChangedOnDisk(file.path, gone=False, digest=there.digest, problem=f"{there.read_only.partition('. ')[0]}.")


def exclusively_saving(path: Path) -> AbstractContextManager[None]:
    """Let no other studio save the file at `path` meanwhile. Raises `HeldElsewhere`. Blocks."""
    return exclusively(f"save {os.path.realpath(path)}", seconds=_SECONDS_TO_SAVE)


def save(
    file: OpenedFile, text: str, *, overwriting: ChangedOnDisk | None = None, separate: bool = False
) -> OpenedFile:
    """Write `text` to the file atomically, and return the saved file.

    Raises `ChangedOnDisk` if the file on disk is not the one that was opened, unless it is the one of `overwriting`,
    which the author was told of; `SharedByLinks` if it has other names (unless `separate`); and `CannotSave` if it
    cannot or must not be written. Of several studios that save at once, only one can find its file unchanged.
    """
    if file.read_only is not None:
        raise CannotSave(file.path, "This file is open read-only.", file.read_only)
    try:
        content = file.encoded(text)
    except UnicodeEncodeError as error:
        raise _half_character(file.path, text, error.start) from error
    try:
        with exclusively_saving(file.path):
            names = _names_of_target(file.path)
            change = changed_on_disk(file)
            if change is not None and not change.is_like(overwriting):
                raise change
            if names > 1 and not separate:
                raise SharedByLinks(file.path, names)
            write_author_file(file.path, content)
    except HeldElsewhere as error:
        title = "Another studio is saving this file, and does not finish."
        raise CannotSave(file.path, title, "Try again, or save under another name.") from error
    except NotRegular as error:
        raise CannotSave(file.path, f"There is {error.kind} at this path now.", "Save under another name.") from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise CannotSave(file.path, "The folder does not exist.", "Create it, or save elsewhere.") from error
    except OSError as error:
        title = f"The file could not be written: {error.strerror or error}."
        raise CannotSave(file.path, title, f"The file on disk is unchanged. {_advice(error)}") from error
    return replace(file, text=text, digest=hashlib.sha256(content).hexdigest())


def _half_character(path: Path, text: str, offset: int) -> CannotSave:
    """Why `text`, whose first lone surrogate is at `offset`, cannot be saved. To replace it would change the text."""
    (place,) = positions(text, [offset])
    code = f"{ord(text[offset]):04X}"
    others = len(_LONE_SURROGATE.findall(text)) - 1
    delete = f"Delete it, and {others} more like it" if others else "Delete it"
    return CannotSave(
        path,
        f"Line {place.line + 1}, column {place.column + 1} has half of a character (U+{code}), which no file can hold.",
        f'{delete}. In double quotes it can be written as "\\u{code.lower()}".',
    )


def _names_of_target(path: Path) -> int:
    """How many names the file at `path` has. Raises `CannotSave`, `NotRegular` or another `OSError`."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return 0
    check_regular(path, status)
    if not os.access(path, os.W_OK):
        raise CannotSave(path, "You have no permission to write this file.", "Save under another name.")
    return status.st_nlink


def _advice(error: OSError) -> str:
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return "Free some space, or save under another name."
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return "Save in a folder that you may write to."
        case errno.ENAMETOOLONG:
            return "Save under a shorter name."
        case _:
            return "Save under another name."


# Which files other programs change, each time that some did and stand still


QUIET_MS = 200
"""Without news for so long, what has changed stands still."""
LONGEST_SECONDS = 0.6
"""How long a file that is gone, empty or being written is waited for: many programs write in two steps."""
_REST, _REST_AFTER_EVENTS = 100, 20
"""A look is followed by a pause of so many times its own time: it takes 1% of a processor, with events 5% at most."""


class Stamp(Record):
    """What tells that a file is another one, where no event does: a disk of another machine sends none."""

    modified_ns: int
    size: int
    inode: int


Stamps: TypeAlias = dict[Path, Stamp | None]


def changes(
    find: Callable[[], Iterable[Path]], stop: threading.Event, since: float = math.inf
) -> Iterator[frozenset[Path]]:
    """The files among those of `find` that appeared, went or were written, until `stop`.

    At first, at once, those written after `since`, in nanoseconds of the epoch: nobody watched then.
    """
    seen: Stamps = {path: _stamp(path) for path in find()}
    news = frozenset(path for path, stamp in seen.items() if stamp is not None and stamp.modified_ns > since)
    while not stop.is_set():
        yield news
        seen, news = _next(find, seen, stop)


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return Stamp(status.st_mtime_ns, status.st_size, status.st_ino)


def _next(find: Callable[[], Iterable[Path]], seen: Stamps, stop: threading.Event) -> tuple[Stamps, frozenset[Path]]:
    """What is there after the next change, and what changed; nothing did after `stop`."""
    before, first, looked, cost = seen, 0.0, 0.0, 0.0
    touched = set[Path]()
    for latest in _touched(seen, stop):
        start = time.monotonic()
        touched |= latest
        named = touched & seen.keys()
        if not named and not first and start < looked + cost * (_REST_AFTER_EVENTS if touched else _REST):
            continue
        now = {path: _stamp(path) for path in find()}
        looked, cost, touched = time.monotonic(), time.monotonic() - start, named
        news = named | {path for path in seen.keys() | now.keys() if seen.get(path) != now.get(path)}
        first = (first or start) if news else 0.0
        stands_still = (
            latest.isdisjoint(news) and now == before and all(found and found.size for found in map(now.get, news))
        )
        if news and (stands_still or start - first >= LONGEST_SECONDS):
            return now, frozenset(news)
        before = now
    return seen, frozenset()


def _touched(files: Iterable[Path], stop: threading.Event) -> Iterator[set[Path]]:
    """What something happened to in the folders of `files`, again and again; none where nothing did for a while."""
    from watchfiles import watch  # loads much

    while not stop.is_set():
        names = {Path(os.path.realpath(path.parent), path.name): path for path in files}
        names |= {Path(os.path.realpath(path)): path for path in files}
        folders = {folder for folder in {name.parent for name in names} if os.access(folder, os.R_OK)}
        try:
            for events in watch(
                *folders,
                watch_filter=None,
                debounce=QUIET_MS,
                stop_event=stop,
                rust_timeout=QUIET_MS,
                yield_on_timeout=True,
                recursive=False,
            ):
                paths = {Path(path) for _, path in events}
                yield {names.get(path, path) for path in paths}
                if paths & folders:  # one that comes back is not watched any more
                    break
        except (OSError, RuntimeError):  # one is gone meanwhile, or the system watches no more of them
            stop.wait(QUIET_MS / 1000)
            yield set()
