"""Drafts: answers that are being edited and not accepted yet. They outlive any end of the studio."""

from __future__ import annotations

import asyncio
from pathlib import Path

from engine.text import visible
from engine.workspace.written_answers import answer_drafts, save_answer_drafts
from studio.session.host import Severity
from studio.session.run import Run
from studio.session.session_context import SessionContext

_SECONDS = 0.5
"""The time between two saves while the author types."""
_GROUP = "answer drafts"


class AnswerDrafts:
    """Saves drafts within a second, beside the blueprint. Files are read and written in threads."""

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._drafts: dict[str, str] = {}
        self._saved: dict[str, str] = {}
        self._path: Path | None = None
        """The blueprint beside which `_saved` is saved."""
        self._saving = asyncio.Lock()
        self._has_failed = False

    async def restore(self) -> None:
        """Read the drafts of an earlier session, and tell the author of them."""
        self._path = self._context.document.path
        self._saved = await asyncio.to_thread(answer_drafts, self._path)
        self._drafts = {**self._saved, **self._drafts}
        if self._saved:
            name = visible(self._path.name)
            text = f"The studio ended while you edited an answer in {name}. Edit it again (e) to see what you typed."
            self._context.host.notify(text, seconds=15)

    def of(self, run: Run, place: int) -> str | None:
        """The draft of the turn at `place` of the thread of `run`; None if there is none."""
        return self._drafts.get(_key(run, place)) or None

    def put(self, run: Run, place: int, text: str) -> None:
        """Set the draft of a turn, "" for none, and save it soon."""
        self._drafts[_key(run, place)] = text
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
        return (self._context.document.path, self._drafts) == (self._path, self._saved)

    async def save(self) -> None:
        """Save what was typed since, now. The first failure is reported."""
        async with self._saving:
            path, drafts = self._context.document.path, dict(self._drafts)
            if self._is_saved:
                return
            try:
                await asyncio.to_thread(save_answer_drafts, path, drafts)
            except OSError as error:
                if not self._has_failed:
                    message = f"The answer that you edit cannot be saved: {error.strerror or error}."
                    self._context.host.notify(message, Severity.WARNING)
                self._has_failed = True
                return
            self._path, self._saved, self._has_failed = path, drafts, False


def _key(run: Run, place: int) -> str:
    return "\n".join((run.place.prompt, run.candidate.key, str(place)))
