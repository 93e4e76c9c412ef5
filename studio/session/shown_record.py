"""Recording which answers are shown, and since when points have their wording. Errors of the database are reported."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from engine.store import PromptPlace, Store, StoreUnavailable
from engine.store.stored_answers import wordings_of
from engine.text.record import text_digest
from studio.session.session_context import SessionContext

if TYPE_CHECKING:
    from engine.blueprint import Block, Header, Prompt
    from engine.study.criterion_counts import Freshness

_Write: TypeAlias = "Callable[[Store], None]"


class ShownRecord:
    """The record of one session. Each answer is written once."""

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._marked: set[tuple[PromptPlace, str, bool]] = set()
        self._waiting: dict[tuple[PromptPlace, bool], list[str]] = {}
        self.read: Mapping[str, frozenset[str]] = {}
        """The digests of the answers of this file whose text was on the screen, by `PromptPlace.prompt`."""
        self.changed: Callable[[], None] = _nothing
        """Called on the event loop when `read` has more."""

    async def begin(self) -> None:
        """Read what was shown before."""
        path = str(self._context.document.path.absolute())
        try:
            store = await asyncio.to_thread(self._context.resources.store)
            self.read = await asyncio.to_thread(store.read_of, path)
        except StoreUnavailable as error:
            self._context.database_messages.report(error)

    def mark(self, place: PromptPlace, subjects: Iterable[str], *, read: bool = True) -> None:
        """Record in the background that these answers are shown now; all that are waiting at once.

        `read`: their text is on the screen, and not only a verdict on them.
        """
        new = [each for each in dict.fromkeys(subjects) if (place, each, read) not in self._marked]
        if not new:
            return
        self._marked.update((place, each, read) for each in new)
        if not self._waiting:
            self._context.tasks.start("shown answers", self._write_waiting())
        self._waiting.setdefault((place, read), []).extend(new)

    async def _write_waiting(self) -> None:
        waiting, self._waiting = self._waiting, {}
        await self._write(partial(_mark, waiting))
        new = await asyncio.to_thread(_digests, waiting)
        before = self.read
        self.read = {**before, **{prompt: before.get(prompt, frozenset()) | found for prompt, found in new.items()}}
        if self.read != before:
            self.changed()

    async def note_wordings(self, place: PromptPlace, prompt: Prompt, again: tuple[Block, str] | None) -> None:
        """Record the wordings of all points of a prompt; `again` is one that was taken back."""
        await self._write(partial(_note, place, prompt, again))

    async def freshness(self, place: PromptPlace, prompt: Prompt, header: Header) -> Freshness | None:
        """Which labelled answers are fresh; None where that cannot be read."""
        from engine.study.criterion_counts import freshness

        try:
            store = await asyncio.to_thread(self._context.resources.store)
            shown = await asyncio.to_thread(store.first_shown, place)
            since = await asyncio.to_thread(store.wordings_since, place)
        except StoreUnavailable as error:
            self._context.database_messages.report(error)
            return None
        return freshness(prompt, header, shown, since)

    async def _write(self, write: _Write) -> None:
        try:
            store = await asyncio.to_thread(self._context.resources.store)
            await asyncio.to_thread(write, store)
        except StoreUnavailable as error:
            self._context.database_messages.report(error)


def _nothing() -> None:
    pass


def _digests(answers: Mapping[tuple[PromptPlace, bool], Sequence[str]]) -> dict[str, frozenset[str]]:
    return {place.prompt: frozenset(map(text_digest, subjects)) for (place, read), subjects in answers.items() if read}


def _mark(answers: Mapping[tuple[PromptPlace, bool], Sequence[str]], store: Store) -> None:
    for (place, read), subjects in answers.items():
        store.mark_shown(place, subjects, read=read)


def _note(place: PromptPlace, prompt: Prompt, again: tuple[Block, str] | None, store: Store) -> None:
    store.note_wordings(place, wordings_of(prompt))
    if again is not None:
        store.renew_wording(place, *again)
