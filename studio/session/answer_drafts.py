"""Drafts: answers that are being edited and not accepted yet. They outlive any end of the studio."""

from __future__ import annotations

import asyncio

from engine.files.user_settings import answer_drafts, save_answer_drafts
from engine.text.spans import visible
from studio.session.run import Run
from studio.session.saved_texts import SavedTexts
from studio.session.session_context import SessionContext


class AnswerDrafts:
    """Saves drafts within a second, beside the blueprint. Files are read and written in threads."""

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._drafts: dict[str, str] = {}
        failure = "The answer that you edit cannot be saved"
        self._texts = SavedTexts(context, "answer drafts", lambda: dict(self._drafts), save_answer_drafts, failure)
        self.save = self._texts.save

    async def restore(self) -> None:
        """Read the drafts of an earlier session, and tell the author of them."""
        path = self._context.document.path
        saved = await asyncio.to_thread(answer_drafts, path)
        self._texts.restored(path, saved)
        self._drafts = {**saved, **self._drafts}
        if saved:
            name = visible(path.name)
            text = f"The studio ended while you edited an answer in {name}. Edit it again (e) to see what you typed."
            self._context.host.notify(text, seconds=15)

    def of(self, run: Run, place: int) -> str | None:
        """The draft of the turn at `place` of the thread of `run`; None if there is none."""
        return self._drafts.get(_key(run, place)) or None

    def put(self, run: Run, place: int, text: str) -> None:
        """Set the draft of a turn, "" for none, and save it soon."""
        self._drafts[_key(run, place)] = text
        self._texts.save_soon()


def _key(run: Run, place: int) -> str:
    return "\n".join((run.place.prompt, run.candidate.key, str(place)))
