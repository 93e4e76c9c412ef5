"""A small file that a session opens, types in and closes, and what studios that are gone left of it."""

from __future__ import annotations

from pathlib import Path

from engine.files.journal import Journal

TEXT = "- id: a\n  prompt: b\n"
"""The text on disk."""
MINE = "# mine\n" + TEXT
THEIRS = "# theirs\n" + TEXT


def left(path: Path, *texts: str) -> None:
    """What studios that are gone left, the newest last."""
    for text in texts:
        journal = Journal()
        journal.write(path, text, None)
        journal.release()


def texts_left(path: Path) -> list[str]:
    """The texts that can be restored, the newest first."""
    return [version.text for version in Journal().state(path).left]
