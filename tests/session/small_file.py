"""A small file that a session opens, types in and closes, and what studios that are gone left of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.files.journal import Journal
from tests.session.faces import Author, Face

TEXT = "- id: a\n  prompt: b\n"
"""The text on disk."""
MINE = "# mine\n" + TEXT
THEIRS = "# theirs\n" + TEXT


async def opened(path: Path, *answers: Any) -> Face:
    """A session on `path`, once it is checked and has asked what it asks at the start; `answers` are the author's."""
    face = Face(path, Author(*answers))
    await face.settled()
    return face


async def closed(face: Face) -> None:
    """Close the session, in which nothing failed."""
    await face.close()
    assert face.author.faults == []


def left(path: Path, *texts: str) -> None:
    """What studios that are gone left, the newest last."""
    for text in texts:
        journal = Journal()
        journal.write(path, text, None)
        journal.release()


def texts_left(path: Path) -> list[str]:
    """The texts that can be restored, the newest first."""
    return [version.text for version in Journal().state(path).left]
