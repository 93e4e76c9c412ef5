"""The text in the editor, its analysis, and the cursor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.text.record import Record
from studio.session.analysis import Analysis
from studio.session.changes import Change, ChangeStream

if TYPE_CHECKING:
    from engine.blueprint import Prompt


class Snapshot(Record):
    """One state of the text, as reported by the editor, which owns the text.

    `revision` increases with every edit, undo and redo. `content` returns to its earlier number when an edit is undone:
    a text that is undone to the one on disk counts as saved.
    """

    revision: int
    content: int
    text: str


class Document:
    """The newest snapshot of one text, its analysis, which may be of an older one, and the cursor in it."""

    def __init__(self, path: Path, snapshot: Snapshot, changes: ChangeStream) -> None:
        self.path = path
        """The path of the file, which may not exist yet."""
        self.snapshot = snapshot
        self.cursor = 0
        """The offset of the cursor in the text of `snapshot`."""
        self.analysis: Analysis | None = None
        self._changes = changes

    @property
    def is_current(self) -> bool:
        """Whether the analysis is of the newest text, with its diagnostics."""
        found = self.analysis
        return found is not None and found.diagnostics is not None and found.revision == self.snapshot.revision

    @property
    def prompt(self) -> Prompt | None:
        """The prompt under the cursor in the newest analysis; None in the header, and before the first analysis."""
        return None if self.analysis is None else self.analysis.prompt_at(self.cursor)

    def edit(self, snapshot: Snapshot) -> None:
        """Set the text."""
        self.snapshot = snapshot
        self._changes.publish(Change.FILE)

    def move(self, cursor: int) -> None:
        """Set the offset of the cursor."""
        if cursor != self.cursor:
            self.cursor = cursor
            self._changes.publish(Change.CURSOR)

    def take(self, analysis: Analysis) -> None:
        """Set the analysis."""
        self.analysis = analysis
        self._changes.publish(Change.ANALYSIS)
