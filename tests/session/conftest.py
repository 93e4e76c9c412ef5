"""The small file that most tests of a session open."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.small_file import TEXT


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with `TEXT`."""
    path = tmp_path / "x.yml"
    path.write_text(TEXT, "utf-8")
    return path
