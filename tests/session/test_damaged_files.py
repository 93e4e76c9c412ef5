"""All files of the program are damaged at once: a file is opened, edited and saved, and nothing is overwritten."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from engine.files.journal import Journal
from engine.files.open_files import clear_all_temporaries
from engine.files.processes import FILES
from engine.models.embedded import SMOLLM2, clear_abandoned
from tests.session.faces import open_face
from tests.session.small_file import MINE, TEXT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes of POSIX")


SET_ASIDE = (
    "config/settings.json",
    "state/recent.json",
    "data/studio.sqlite3",
    "data/models/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
)
"""Each is read or written by what the test does. The journal's entry is added to them."""
OTHERS = (
    "data/studio.sqlite3-wal",
    "data/studio.sqlite3-shm",
    "state/parameter-support.json",
    "state/writes/.folder.0123456789ab.blueprint-studio.tmp",
    *(f"state/locks/{number}.lock" for number in range(FILES)),
)
FOLDERS = ("config", "data", "state", "state/journal", "state/locks", "state/writes", "data/models")


def with_content(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


def huge(path: Path) -> None:
    """A sparse file of 300 GB."""
    path.touch()
    os.truncate(path, 300 << 30)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a folder": Path.mkdir,
    "a full folder": lambda path: (path.mkdir(), (path / "x").touch()),
    "a named pipe": os.mkfifo,
    "an endless device": lambda path: path.symlink_to("/dev/zero"),
    "a loop of links": lambda path: path.symlink_to(path),
    "a link to a folder": lambda path: path.symlink_to("/"),
    "bytes of zero": with_content(bytes(4096)),
    "200,000 brackets": with_content(b"[" * 200_000),
    "200,000 braces": with_content(b'{"a":' * 200_000),
    "a wrong type": with_content(b'{"theme": 1, "text": 2, "models": 3}'),
    "a lone surrogate": with_content(b'{"theme": "\\ud800", "text": "\\ud800", "pid": 1}'),
    "no UTF-8": with_content(b'{"theme": "\xff"}'),
    "half a file": with_content(b'{"theme": "studio-'),
    "300 GB": huge,
}


async def used(path: Path) -> None:
    """A session that opens `path`, edits it, saves it, changes a setting and opens the database."""
    face = await open_face(path)
    face.write(MINE)
    await face.session.file.write_journal()
    pending = Journal().pending(path)
    assert pending is not None
    assert pending.text == MINE
    assert await face.session.file.save()
    await face.resources.settings.change(lambda settings: setattr(settings, "wrap", False))
    face.resources.store()
    SMOLLM2.usable()
    clear_all_temporaries()
    clear_abandoned()
    await face.close()
    face.resources.close()


@pytest.mark.parametrize("make", DAMAGE.values(), ids=DAMAGE)
async def test_a_session_works_and_each_damaged_file_stays_under_another_name(
    tmp_path: Path, clean_environment: Path, reports: list[str], make: Callable[[Path], object]
) -> None:
    path = tmp_path / "x.yml"
    path.write_text(TEXT, "utf-8")
    entry = f"state/journal/{sha256(os.path.realpath(path).encode()).hexdigest()}.1-000000000001.json"
    before: set[int] = set()
    for place in (*SET_ASIDE, entry, *OTHERS):
        damaged = clean_environment / place
        damaged.parent.mkdir(parents=True, exist_ok=True)
        make(damaged)
        if place in (*SET_ASIDE, entry):
            before.add(damaged.lstat().st_ino)
    await used(path)
    assert path.read_text("utf-8") == MINE
    aside = [each for each in clean_environment.rglob("*.damaged-*") if not each.parent.name.count("damaged")]
    assert before <= {each.lstat().st_ino for each in aside}
    for place in (*SET_ASIDE, entry):
        assert len([line for line in reports if line.startswith(f"{clean_environment / place} could not")]) == 1


@pytest.mark.parametrize(
    "make", [Path.touch, os.mkfifo, lambda path: path.symlink_to(path)], ids=["file", "pipe", "loop"]
)
@pytest.mark.parametrize("place", FOLDERS)
async def test_a_session_works_with_something_in_the_place_of_a_folder(
    tmp_path: Path, clean_environment: Path, place: str, make: Callable[[Path], object]
) -> None:
    path = tmp_path / "x.yml"
    path.write_text(TEXT, "utf-8")
    (clean_environment / place).parent.mkdir(exist_ok=True)
    make(clean_environment / place)
    await used(path)
    assert path.read_text("utf-8") == MINE
