"""What the studio keeps is damaged, cannot be written or used: that is said once, and the work goes on."""

from __future__ import annotations

import asyncio
import errno
import os
import sys
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path

import pytest

from engine.evaluation.sources import ModelSource
from engine.files import own_files
from engine.files.journal import Journal
from engine.files.open_files import clear_all_temporaries
from engine.files.own_files import state_dir
from engine.files.processes import FILES
from engine.files.user_settings import Settings
from engine.models.embedded import SMOLLM2, clear_abandoned
from engine.scoring.assessment import Grade
from engine.store import Store, StoreUnavailable
from studio.session.resources import Resources, SettingsFile
from tests.broken_disk import refuse_writing
from tests.session.faces import Face, open_face
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


# --- A database that cannot be used


JUDGED = "- id: a\n  prompt: x\n  ideal: y\n  should:\n    - Names it\n"


class Broken(Resources):
    """Resources whose database fails for the reason `why`, as long as there is one."""

    why = "It is damaged."

    def store(self) -> Store:
        if self.why:
            raise StoreUnavailable(self.why)
        return super().store()


@pytest.fixture
async def face(tmp_path: Path) -> Face:
    path = tmp_path / "x.yml"
    path.write_text(JUDGED, "utf-8")
    face = Face(path, resources=Broken())
    await face.settled()
    face.cursor_at("prompt")
    await run(face)
    return face


async def run(face: Face) -> None:
    await face.f5()


async def grade(face: Face) -> None:
    await face.grade(0, Grade.FULLY_PRESENT)


async def look_back(face: Face) -> None:
    await face.earlier()


async def restore(face: Face) -> None:
    await face.choose(ModelSource("tiny", "http://127.0.0.1:9/v1"))
    await face.settled()


@pytest.mark.parametrize("act", [run, grade, look_back, restore])
async def test_a_cause_is_reported_once(face: Face, act: Callable[[Face], Awaitable[None]]) -> None:
    await act(face)
    await act(face)
    await face.until(lambda: "It is damaged." in face.author.messages)  # it comes from another thread
    await asyncio.sleep(0.01)
    assert face.author.messages.count("It is damaged.") == 1


@pytest.mark.parametrize("act", [run, grade, look_back, restore])
async def test_another_cause_is_reported_too(face: Face, act: Callable[[Face], Awaitable[None]]) -> None:
    assert isinstance(face.resources, Broken)
    face.resources.why = "It is locked."
    await act(face)
    await face.until(lambda: "It is locked." in face.author.messages)


async def test_a_cause_that_returns_is_reported_again(face: Face) -> None:
    assert isinstance(face.resources, Broken)
    face.resources.why = ""
    await grade(face)
    face.resources.why = "It is damaged."
    await grade(face)
    await face.until(lambda: face.author.messages.count("It is damaged.") == 2)


# --- Folders that cannot be written, and a full disk


ERRORS = (errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EIO, errno.EMFILE)
errors = pytest.mark.parametrize("number", ERRORS, ids=map(errno.errorcode.__getitem__, ERRORS))


@errors
async def test_a_file_is_opened_edited_saved_and_closed_and_that_is_said_once(
    path: Path, clean_environment: Path, reports: list[str], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    refuse_writing(monkeypatch, clean_environment, number)
    face = await open_face(path)
    face.write(MINE)
    await face.session.file.write_journal()
    assert await face.session.file.save()
    face.write(TEXT)
    await face.session.file.write_journal()
    await face.close()
    assert path.read_text("utf-8") == MINE
    [line] = reports
    assert line.startswith(f"Files in {state_dir()} cannot be written: ")
    assert "unsaved text cannot be recovered" in line


async def test_a_disk_that_is_full_again_is_reported_again(
    path: Path, clean_environment: Path, reports: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    face = await open_face(path)
    for number, text in enumerate(("one", "two"), start=1):
        with monkeypatch.context() as patch:
            refuse_writing(patch, clean_environment, errno.ENOSPC)
            face.write(text)
            await face.session.file.write_journal()
            assert len(reports) == number
        await face.session.file.write_journal()
        found = Journal().pending(path)
        assert found is not None
        assert found.text == text


@errors
async def test_settings_that_cannot_be_written_hold_for_this_program_and_that_is_said_once(
    clean_environment: Path, reports: list[str], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    settings = SettingsFile()
    await settings.load()
    refuse_writing(monkeypatch, clean_environment, number)
    await settings.change(lambda values: values.consented.append("a"))
    await settings.change(lambda values: values.consented.append("b"))
    assert settings.values.consented == ["a", "b"]
    assert len(reports) == 1


async def test_settings_are_written_with_the_earlier_changes_once_that_works(
    clean_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = SettingsFile()
    with monkeypatch.context() as patch:
        refuse_writing(patch, clean_environment, errno.ENOSPC)
        await settings.change(lambda values: values.consented.append("a"))
    await settings.change(lambda values: values.consented.append("b"))
    assert Settings.load().consented == ["a", "b"]


async def test_the_settings_of_two_studios_are_joined() -> None:
    one, other = SettingsFile(), SettingsFile()
    await one.load()
    await other.load()
    await one.change(lambda values: values.consented.append("a"))
    await other.change(lambda values: setattr(values, "theme", "studio-light"))
    await one.change(lambda values: values.consented.append("b"))
    saved = Settings.load()
    assert (saved.consented, saved.theme) == (["a", "b"], "studio-light")


async def test_settings_that_were_removed_meanwhile_are_those_of_this_program() -> None:
    settings = SettingsFile()
    await settings.change(lambda values: values.consented.append("a"))
    Path(own_files.config_dir() / "settings.json").unlink()
    await settings.change(lambda values: values.consented.append("b"))
    assert Settings.load().consented == ["a", "b"]


@pytest.mark.parametrize("make", [Path.touch, lambda path: path.symlink_to("nowhere")], ids=["a file", "a dead link"])
@pytest.mark.parametrize("place", ["config", "state", "data"])
async def test_what_is_in_the_place_of_a_folder_gives_way(
    path: Path, clean_environment: Path, reports: list[str], place: str, make: Callable[[Path], object]
) -> None:
    make(clean_environment / place)
    face = await open_face(path)
    face.write(MINE)
    await face.session.file.write_journal()
    await face.resources.settings.change(lambda values: setattr(values, "wrap", False))
    face.resources.store()
    await face.close()
    face.resources.close()
    [line] = reports
    assert line.startswith(f"{clean_environment / place} could not be used: it is not a folder.")
