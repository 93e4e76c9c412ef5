"""Files of the author, in any folder: written whole or not at all, with no temporary file that stays.

A process that is killed within a write leaves a temporary file, perhaps in a folder where no file is opened again. So
there is a note of the folder among the program's own files as long as the write lasts, and the next start of the studio
looks into the folders of all notes.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.atomic import clear_temporaries, create_temporary, write_atomically
from engine.own_files import clear_own_temporaries, make_private_folder
from engine.places import state_dir
from engine.regular_files import read_regular

_MAX_NOTE_BYTES = 8192
"""Linux allows 4096 bytes for a path, macOS 1024."""


def write_author_file(path: Path, content: bytes) -> None:
    """Replace the file at `path`, following a symlink, by `content`, as `write_atomically` does. Raises `OSError`."""
    with _noted(Path(os.path.realpath(path)).parent):
        write_atomically(path, content)


def clear_all_temporaries() -> None:
    """Remove the temporary files that killed processes left, the program's own and those of the author's files. Blocks.

    A folder or file that cannot be read or removed is skipped.
    """
    clear_own_temporaries()
    folders = [*_noted_folders()]
    _clear(folders)
    clear_temporaries(_notes())
    _clear(folders)  # a process may have been killed between the two calls above


def _clear(folders: Iterable[Path]) -> None:
    for folder in folders:
        clear_temporaries(folder)


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


def _noted_folders() -> Iterator[Path]:
    try:
        notes = [*_notes().iterdir()]
    except OSError:
        return
    for note in notes:
        with suppress(OSError, ValueError):
            folder = Path(os.fsdecode(read_regular(note, _MAX_NOTE_BYTES)))
            if folder.is_absolute() and folder.is_dir():  # ValueError: NUL in the path
                yield folder
