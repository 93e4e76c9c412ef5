"""What most tests of a session open: a small file, or a blueprint whose criteria are judged one at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from tests.session.criterion_faces import Opener, says
from tests.session.faces import Author, Face, OpenFace
from tests.session.small_file import TEXT
from tests.studio.model_server import ModelServer


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with `TEXT`."""
    path = tmp_path / "x.yml"
    path.write_text(TEXT, "utf-8")
    return path


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    """Judges that find a criterion met if the answer has one of its long words."""
    return ModelServer(httpserver, says)


@pytest.fixture
async def opened(tmp_path: Path, server: ModelServer) -> AsyncIterator[Opener]:
    """Opens a blueprint with two cases, which those judges judge."""
    opener = Opener(tmp_path, server)
    yield opener
    await opener.close()


@pytest.fixture
async def open_face() -> AsyncIterator[OpenFace]:
    """Opens a file for an author who gives these answers, once it is checked; all are closed at the end."""
    faces: list[Face] = []

    async def opened(path: Path, *answers: Any) -> Face:
        face = Face(path, Author(*answers))
        faces.append(face)
        await face.settled()
        return face

    yield opened
    for face in faces:
        await face.close()
        assert face.author.faults == []
