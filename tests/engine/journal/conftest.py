"""A folder of a journal, the file that is edited, and another process that has it open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.journal.journals import Other, another


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the journal is; it is not there yet."""
    return tmp_path / "state" / "journal"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file that is edited."""
    path = tmp_path / "x.yml"
    path.write_text("title: T\n")
    return path


@pytest.fixture
def other(folder: Path, path: Path) -> Iterator[Other]:
    """Another process with the same journal and file."""
    with another(folder, path) as opened:
        yield opened
