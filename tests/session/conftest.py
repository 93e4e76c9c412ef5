"""What most tests of a session open: a small file, or a blueprint whose criteria are judged one at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from tests.session.criterion_faces import Opener, says
from tests.session.faces import OPEN
from tests.session.small_file import TEXT
from tests.studio.model_server import ModelServer


@pytest.fixture(autouse=True)
async def closed_faces() -> AsyncIterator[None]:
    """Close what is open at the end of a test, in which nothing has failed."""
    yield
    for face in [*OPEN]:
        await face.close()


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
def opened(tmp_path: Path, server: ModelServer) -> Opener:
    """Opens a blueprint with two cases, which those judges judge."""
    return Opener(tmp_path, server)
