"""Saving texts of the author beside their blueprint while they type: their own answers, and drafts of edits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from studio.session.host import Severity
from studio.session.parts import Part
from studio.session.state import State

if TYPE_CHECKING:
    from studio.session.session import Session

_SECONDS = 0.5
"""The time between two saves while the author types."""


class SavedTexts(Part):
    """Saves a field of the state, texts by keys, within a second of a change. Files are read and written in threads."""

    def __init__(
        self,
        session: Session,
        texts: Callable[[State], Mapping[str, str]],
        read: Callable[[Path], dict[str, str]],
        write: Callable[[Path, Mapping[str, str]], None],
        failure: str,
    ) -> None:
        """`failure` begins the message on a failure, of which the first is reported."""
        super().__init__(session)
        self._texts = texts
        self._read = read
        self._write = write
        self._failure = failure
        self._saved: tuple[Path, Mapping[str, str]] | None = None
        self._saving = asyncio.Lock()
        self._has_failed = False

    async def restored(self) -> dict[str, str]:
        """What was saved in an earlier session."""
        path = self.state.path
        texts = await asyncio.to_thread(self._read, path)
        self._saved = path, texts
        return texts

    def save_soon(self) -> None:
        """Save what was typed since, unless that is about to happen."""
        if self._failure not in self.session.tasks.busy:
            self.effect(self._failure, self._save_until_saved())

    async def _save_until_saved(self) -> None:
        while not self._is_saved:
            await self.save()
            if self._has_failed:
                return
            await asyncio.sleep(_SECONDS)

    @property
    def _is_saved(self) -> bool:
        return (self.state.path, self._texts(self.state)) == self._saved

    async def save(self) -> None:
        """Save what was typed since, now."""
        async with self._saving:
            path, texts = self.state.path, self._texts(self.state)
            if self._is_saved:
                return
            try:
                await asyncio.to_thread(self._write, path, texts)
            except OSError as error:
                if not self._has_failed:
                    self.host.notify(f"{self._failure}: {error.strerror or error}.", Severity.WARNING)
                self._has_failed = True
                return
            self._saved, self._has_failed = (path, texts), False
