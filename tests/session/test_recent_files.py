"""The recent files, which the studios of a user share."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from engine.files import user_settings
from engine.files.processes import exclusively
from engine.files.user_settings import recent_files
from tests.session.faces import open_face
from tests.session.small_file import TEXT


async def test_a_file_opened_while_another_studio_stands_still_is_remembered_when_it_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_settings, "exclusively", partial(exclusively, seconds=0.05))
    file = tmp_path / "x.yml"
    file.write_text(TEXT, "utf-8")
    with exclusively("recent files"):
        face = await open_face(file)
        await face.until(lambda: "recent files" not in face.session.tasks.busy)
    assert recent_files() == []
    await face.close()
    assert recent_files() == [file]
