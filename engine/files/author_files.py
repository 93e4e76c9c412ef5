"""Files of the author, in any folder: written whole or not at all, with no temporary file that stays.

A process that is killed within a write leaves a temporary file, perhaps in a folder where no file is opened again. So
there is a note of the folder among the program's own files as long as the write lasts, and the next start of the studio
looks into the folders of all notes.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from engine.files.answers_in_time import answers_in_time
from engine.files.atomic import clear_temporaries, create_temporary, read_regular, write_atomically
from engine.files.own_files import clear_own_temporaries, make_private_folder
from engine.files.places import state_dir

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
