"""Saving the author's own answers while they are being written, and restoring them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from engine.workspace.written_answers import save_written_answers, written_answers
from studio.session.host import Severity
from studio.session.run_selection import RunSelection
from studio.session.session_context import SessionContext

_SECONDS = 0.5
"""The time between two saves while the author types."""
_GROUP = "written answers"


class WrittenAnswers:
    """Saves what the author writes within a second. Files are read and written in threads."""

    def __init__(self, context: SessionContext, selection: RunSelection) -> None:
        self._context = context
        self._selection = selection
        self._saved: dict[str, str] = {}
        self._path: Path | None = None
        """The blueprint beside which `_saved` is saved."""
        self._saving = asyncio.Lock()
        self._has_failed = False

    async def restore(self) -> None:
        """Show what was written in an earlier session."""
        self._path = self._context.document.path
        self._selection.restore_written(await asyncio.to_thread(written_answers, self._path))
        self._saved = self._selection.all_written

    def save_soon(self) -> None:
        """Save what was written since, unless that is about to happen."""
        if _GROUP not in self._context.tasks.busy:
            self._context.tasks.start(_GROUP, self._save_until_saved())

    async def _save_until_saved(self) -> None:
        while not self._is_saved:
            await self.save()
            if self._has_failed:
                return
            await asyncio.sleep(_SECONDS)

    @property
    def _is_saved(self) -> bool:
        return (self._context.document.path, self._selection.all_written) == (self._path, self._saved)

    async def save(self) -> None:
        """Save what was written since, now. The first failure is reported."""
        async with self._saving:
            path, written = self._context.document.path, self._selection.all_written
            if self._is_saved:
                return
            try:
                await asyncio.to_thread(save_written_answers, path, written)
            except OSError as error:
                if not self._has_failed:
                    message = f"Your own answers cannot be saved: {error.strerror or error}."
                    self._context.host.notify(message, Severity.WARNING)
                self._has_failed = True
                return
            self._path, self._saved, self._has_failed = path, written, False
