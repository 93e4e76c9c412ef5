"""The folders of the studio cannot be written, or its disk is full: that is said once, and the work goes on."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.files import own_files
from engine.files.journal import Journal
from engine.files.own_files import state_dir
from engine.files.user_settings import Settings
from studio.session.resources import SettingsFile
from tests.broken_disk import refuse_writing
from tests.session.faces import open_face
from tests.session.small_file import MINE, TEXT

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
