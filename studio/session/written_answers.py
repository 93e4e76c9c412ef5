"""Saving the author's own answers while they are being written, and restoring them."""

from __future__ import annotations

import asyncio

from engine.files.user_settings import save_written_answers, written_answers
from studio.session.run_selection import RunSelection
from studio.session.saved_texts import SavedTexts
from studio.session.session_context import SessionContext


class WrittenAnswers:
    """Saves what the author writes within a second. Files are read and written in threads."""

    def __init__(self, context: SessionContext, selection: RunSelection) -> None:
        self._context = context
        self._selection = selection
        failure = "Your own answers cannot be saved"
        self._texts = SavedTexts(
            context, "written answers", lambda: selection.all_written, save_written_answers, failure
        )
        self.save_soon = self._texts.save_soon
        self.save = self._texts.save

    async def restore(self) -> None:
        """Show what was written in an earlier session."""
        path = self._context.document.path
        self._selection.restore_written(await asyncio.to_thread(written_answers, path))
        self._texts.restored(path, self._selection.all_written)
