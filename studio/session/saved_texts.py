"""Saving texts beside a blueprint while the author types them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from studio.session.host import Severity
from studio.session.session_context import SessionContext

_SECONDS = 0.5
"""The time between two saves while the author types."""


class SavedTexts:
    """Saves what `texts` returns, by keys, within a second of a change. `write` is called in a thread.

    `group` names the work among the session's tasks; `failure` begins the message on a failure, of which the first is
    reported.
    """

    def __init__(
        self,
        context: SessionContext,
        group: str,
        texts: Callable[[], dict[str, str]],
        write: Callable[[Path, Mapping[str, str]], None],
        failure: str,
    ) -> None:
        self._context = context
        self._group = group
        self._texts = texts
        self._write = write
        self._failure = failure
        self._saved: dict[str, str] = {}
        self._path: Path | None = None
        """The blueprint beside which `_saved` is saved."""
        self._saving = asyncio.Lock()
        self._has_failed = False

    def restored(self, path: Path, texts: dict[str, str]) -> None:
        """`texts` are saved beside the blueprint at `path`."""
        self._path, self._saved = path, texts

    def save_soon(self) -> None:
        """Save what was typed since, unless that is about to happen."""
        if self._group not in self._context.tasks.busy:
            self._context.tasks.start(self._group, self._save_until_saved())

    async def _save_until_saved(self) -> None:
        while not self._is_saved:
            await self.save()
            if self._has_failed:
                return
            await asyncio.sleep(_SECONDS)

    @property
    def _is_saved(self) -> bool:
        return (self._context.document.path, self._texts()) == (self._path, self._saved)

    async def save(self) -> None:
        """Save what was typed since, now."""
        async with self._saving:
            path, texts = self._context.document.path, self._texts()
            if self._is_saved:
                return
            try:
                await asyncio.to_thread(self._write, path, texts)
            except OSError as error:
                if not self._has_failed:
                    self._context.host.notify(f"{self._failure}: {error.strerror or error}.", Severity.WARNING)
                self._has_failed = True
                return
            self._path, self._saved, self._has_failed = path, texts, False
